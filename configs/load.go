package configs

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"assay/configs/input"

	"github.com/BurntSushi/toml"
)

//go:embed *.toml
var embedded embed.FS

// Info is an embedded experiment.
type Info struct{ Name, Shows string }

// Names lists the embedded experiments by name.
func Names() []Info {
	var out []Info
	files, _ := fs.Glob(embedded, "*.toml")
	for _, f := range files {
		var head struct{ Name, Shows string }
		if b, err := embedded.ReadFile(f); err == nil {
			_, _ = toml.Decode(string(b), &head) // cannot fail: a test loads every embedded experiment
		}
		out = append(out, Info{strings.TrimSuffix(f, ".toml"), head.Shows})
	}
	return out
}

// Load reads an experiment: an embedded one by name, or a file where the argument holds a slash or ends in ".toml".
// The options are applied over the file; then everything is checked against known.
//
// All problems of the experiment are returned as one *Error, each with its file and line.
func Load(nameOrPath string, known Known, o Options) (Experiment, error) {
	src, err := open(nameOrPath)
	if err != nil {
		return Experiment{}, fmt.Errorf("configs: load %q: %w", nameOrPath, err)
	}
	return src.load(nameOrPath, known, o)
}

// open reads the text of an experiment. Relative paths in a file are relative to its folder.
func open(nameOrPath string) (*source, error) {
	if !strings.ContainsAny(nameOrPath, `/\`) && !strings.HasSuffix(nameOrPath, ".toml") {
		return openEmbedded(nameOrPath)
	}
	text, err := input.Text(nameOrPath, input.Experiment)
	if err != nil {
		return nil, input.Cause(err)
	}
	dir, err := filepath.Abs(filepath.Dir(nameOrPath))
	return &source{name: nameOrPath, dir: dir, text: string(text)}, err
}

// ErrNoName is the cause of a name that no embedded experiment has.
var ErrNoName = errors.New("no experiment of that name")

// besides returns the file that a name without its ending, or that of its folder, stands for; empty where there is none.
func besides(name string) string {
	for _, path := range []string{name + ".toml", filepath.Join(name, filepath.Base(name)+".toml")} {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path
		}
	}
	return ""
}

// openEmbedded reads an embedded experiment. Its relative paths are relative to the working directory.
func openEmbedded(name string) (*source, error) {
	text, err := embedded.ReadFile(name + ".toml")
	if err != nil {
		var known []string
		for _, i := range Names() {
			known = append(known, i.Name)
		}
		meant := didYouMean(name, known)
		if path := besides(name); path != "" {
			meant = fmt.Sprintf("; did you mean the file %s?", path)
		}
		return nil, fmt.Errorf("%w%s (the path of a file needs a slash or the ending .toml; assay config list lists the embedded experiments)", ErrNoName, meant)
	}
	dir, err := os.Getwd()
	return &source{name: "configs/" + name + ".toml", dir: dir, text: string(text)}, err
}

// load turns a text into an experiment, in the order that the package's comment gives.
func (s *source) load(asked string, known Known, o Options) (Experiment, error) {
	most := int(input.Experiment.Most)
	if s.ran || s.again {
		most = int(input.Manifest.Most)
	}
	if len(s.text) > most {
		return Experiment{}, fmt.Errorf("configs: load %q: too large: %d bytes are the most", asked, most)
	}
	known.Folder = remembered(known.Folder)
	l := &loader{src: s, known: known, refused: map[string]bool{}, unset: o.Unset}
	if line := nested(s.text); line > 0 {
		return Experiment{}, &Error{asked, []string{fmt.Sprintf("%s:%d: a key or value nests more than %d levels deep: no key of an experiment does", s.name, line, mostNested)}}
	}
	d, err := l.read()
	if err != nil {
		return Experiment{}, &Error{asked, []string{s.syntax(err)}}
	}
	l.override(d, o)
	l.resolve(d)
	l.checkSize(d)
	if len(l.problems) > 0 {
		return Experiment{}, s.failure(asked, l.problems)
	}
	e, err := d.experiment(l.known)
	if err != nil {
		return Experiment{}, fmt.Errorf("configs: load %q: %w", asked, err)
	}
	if l.checkOpen(d, &e); len(l.problems) == 0 {
		l.checkCells(d, e)
	}
	if len(l.problems) > 0 {
		return Experiment{}, s.failure(asked, l.problems)
	}
	return e, s.storable(asked, e)
}

// storable refuses an experiment whose run could not be read again.
func (s *source) storable(asked string, e Experiment) error {
	if s.ran || len(e.Arms)*(len(s.text)+4<<10) < int(input.Manifest.Most) { // an arm states at most the whole file, and every key
		return nil
	}
	text, err := e.TOML()
	if err == nil && len(text) > int(input.Manifest.Most) {
		err = fmt.Errorf("configs: load %q: too large: a run would store %d bytes, of which each of the %d arms states what it inherits, and %d are the most: shorten the texts, or divide it into several experiments",
			asked, len(text), len(e.Arms), int(input.Manifest.Most))
	}
	return err
}

// syntax prints the library's error with its own position.
func (s *source) syntax(err error) string {
	var p toml.ParseError
	if errors.As(err, &p) {
		return fmt.Sprintf("%s:%d:%d: %s", s.name, p.Position.Line, p.Position.Col, p.Message)
	}
	return fmt.Sprintf("%s: %v", s.name, err)
}

// experiment decodes a resolved document.
func (d *document) experiment(known Known) (Experiment, error) {
	tree := map[string]any{}
	for p, v := range d.top {
		plant(tree, p, v.v)
	}
	arms := make([]map[string]any, len(d.arms))
	for i, a := range d.arms {
		arms[i] = map[string]any{}
		for p, v := range a {
			plant(arms[i], p, v.v)
		}
	}
	tree["arm"] = arms
	for name, layers := range map[string][]layer{"table": d.tables, "metric": d.metrics} {
		if len(layers) > 0 {
			tree[name] = trees(layers)
		}
	}
	e, err := fromTree[Experiment](tree)
	e.Known = known
	for i := range e.Arms {
		known.Attach(&e.Arms[i])
	}
	for _, a := range d.axes {
		out := Axis{Key: a.name}
		for _, v := range a.values {
			out.add(v)
		}
		e.Sweep = append(e.Sweep, out)
	}
	return e, err
}

// add appends a value to the axis.
func (a *Axis) add(v any) {
	_, k, _ := axisKey(a.Key)
	shown := k.shown(v)
	a.Values = append(a.Values, shown)
	read, _ := literal(k.parse(shown))
	if meant, err := literal(v); err == nil && read == meant {
		return
	}
	if a.Stated == nil {
		a.Stated = map[string]any{}
	}
	a.Stated[shown] = v
}
