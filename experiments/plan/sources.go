package plan

import (
	"errors"
	"fmt"
	"io/fs"
	"path"

	"assay/configs"
	"assay/experiments/record"
)

// digests lists the digests of the methods, parts and block files that the cells use; those without one are left out.
func (p *Plan) digests() (out []string) {
	for _, s := range p.Experiment.Known.MethodSources(p.Cells) {
		if s.Digest != "" {
			out = append(out, s.Digest)
		}
	}
	return out
}

// copySources reads the sources of what the cells use, and makes Config name the user's by their copies, so that the run can
// be read and run again where the originals are gone.
func (p *Plan) copySources() error {
	p.Copies = record.Copies{}
	places := map[string]string{}
	for _, s := range p.Experiment.Known.MethodSources(p.Cells) {
		if err := p.copySource(s); err != nil {
			return fmt.Errorf("plan: experiment %q: sources of %q: %w", p.Experiment.Name, s.ID, err)
		}
		places[s.ID] = s.Copy
	}
	config, err := configMap(p.Experiment)
	if err != nil {
		return err
	}
	p.Config = p.Experiment.Known.Placeless(config, func(key, path string) string {
		if place, ok := places[path]; ok && configs.IsSource(key) {
			return place
		}
		return path
	})
	return nil
}

// copySource reads one source into Copies. What is built in may have none.
func (p *Plan) copySource(s configs.MethodSource) error {
	if s.Block {
		text, err := configs.BlockText(s.ID)
		p.Copies[s.Copy] = []byte(text)
		return err
	}
	files := p.Experiment.Known.Files
	if files == nil {
		return nil
	}
	tree, err := files(s.ID)
	if err != nil {
		if !s.Own() && errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	return fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := fs.ReadFile(tree, name)
		p.Copies[path.Join(s.Copy, name)] = text
		return err
	})
}
