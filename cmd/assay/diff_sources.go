package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"assay/configs"
	"assay/configs/input"
	"assay/experiments/record"
	"assay/plots/versus"
)

// role is one use of a method, a part or a block's file by an arm.
type role struct {
	name string // "method", "link 2", "fix", "choose", "format", "block rules", "fix block hint"
	id   string // of what is built in, or the path of a copy in the run folder; empty where the arm has none
}

// roles lists what an arm of a run uses, so that the lists of two arms have the same roles at the same places as far as they go.
func roles(r *record.Run, arm configs.Arm) (out []role) {
	if arm.Row.Program {
		if dir, err := filepath.Abs(r.Dir); err == nil {
			out = append(out, role{"command", record.SourcesOf(dir, arm.Name)})
		}
	}
	link, fix, choose := arm.Parts()
	for _, part := range []struct {
		name string
		ids  []string
	}{{"method", arm.Asks()}, {"link", link}, {"fix", []string{fix}}, {"choose", []string{choose}}, {"format", []string{arm.Schema.Format}}} {
		for i, id := range part.ids {
			name := part.name
			if len(part.ids) > 1 {
				name = fmt.Sprintf("%s %d", name, i+1)
			}
			out = append(out, role{name, id})
		}
	}
	for _, part := range []string{"", "link", "fix", "choose", "schema"} {
		files := arm.BlocksOf(part)
		for _, name := range slices.Sorted(maps.Keys(files)) {
			out = append(out, role{strings.TrimSpace(part + " block " + name), files[name]})
		}
	}
	return out
}

// sources compares the sources of the methods and parts that the arms of a pair use, by the copies in the runs' folders: a
// diff for each file that differs, and nothing for what is the same.
func (p *promptPair) sources(a, b *record.Run) (out []versus.Prompt, err error) {
	if !p.a.Known || !p.b.Known {
		return nil, nil
	}
	mine, theirs := roles(a, p.a.Config), roles(b, p.b.Config)
	var names []string
	for _, r := range slices.Concat(mine, theirs) {
		if !slices.Contains(names, r.name) {
			names = append(names, r.name)
		}
	}
	for _, name := range names {
		one, err := diffSource("Sources of "+versus.Arm(p.pair)+", "+name, a, b, idOf(mine, name), idOf(theirs, name))
		if err != nil {
			return nil, err
		}
		out = append(out, one...)
	}
	return out, nil
}

// idOf is what an arm uses in a role; empty for nothing.
func idOf(all []role, name string) string {
	for _, r := range all {
		if r.name == name {
			return r.id
		}
	}
	return ""
}

// diffSource compares what two arms use in one role.
func diffSource(title string, a, b *record.Run, idA, idB string) (out []versus.Prompt, err error) {
	filesA, err := copied(a, idA)
	if err != nil {
		return nil, err
	}
	filesB, err := copied(b, idB)
	if err != nil {
		return nil, err
	}
	nameA, nameB := configs.PartName(idA), configs.PartName(idB)
	title += " " + nameA
	if idA != "" && idB != "" && nameA != nameB {
		title += " -> " + nameB
	}
	switch {
	case maps.Equal(filesA, filesB):
		return nil, nil
	case idA == "":
		return []versus.Prompt{{Title: title + nameB, Note: "B alone uses it."}}, nil
	case idB == "":
		return []versus.Prompt{{Title: title, Note: "A alone uses it."}}, nil
	case filesA == nil || filesB == nil:
		if nameA == nameB {
			return nil, nil // nothing says that it differs
		}
		return []versus.Prompt{{Title: title, Note: "A run's folder has no copy of the sources."}}, nil
	}
	return diffCopies(title, filesA, filesB), nil
}

// diffCopies compares two folders, file by file.
func diffCopies(title string, a, b map[string]string) (out []versus.Prompt) {
	for _, name := range slices.Sorted(maps.Keys(union(a, b))) {
		x, inA := a[name]
		y, inB := b[name]
		if inA && inB && x == y {
			continue
		}
		one := versus.Prompt{Title: title + ", " + name, Lines: versus.DiffLines(x, y)}
		switch {
		case !inA:
			one.Note = "B alone has this file."
		case !inB:
			one.Note = "A alone has this file."
		}
		out = append(out, one)
	}
	return out
}

// union returns the keys of two maps.
func union(a, b map[string]string) map[string]string {
	out := maps.Clone(a)
	maps.Copy(out, b)
	return out
}

// mostSource bounds a copy that is compared, in bytes; a method's folder has no larger file.
const mostSource = 4 << 20

// copied reads the copy that a run's folder has of a method or part, by file name: nil where it has none. What people alone
// read is left out.
func copied(r *record.Run, id string) (map[string]string, error) {
	if id == "" {
		return nil, nil
	}
	dir := ""
	if filepath.IsAbs(id) { // the stored experiment names the user's by their copies
		dir = id
	}
	for _, s := range r.Resolved.Known.MethodSources(r.Resolved.Cells()) {
		if s.ID == id && !s.Own() {
			dir = filepath.Join(r.Dir, filepath.FromSlash(s.Copy))
		}
	}
	info, err := os.Stat(dir)
	if dir == "" || errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	if !info.IsDir() { // a method of one file
		text, err := input.Read(dir, input.Copies)
		out[filepath.Base(dir)] = string(text)
		return out, err
	}
	err = readTexts(dir, out)
	if len(out) == 0 {
		return nil, err
	}
	return out, err
}

// readTexts reads the files of a copy, by name with slashes.
func readTexts(dir string, to map[string]string) error {
	return filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || strings.EqualFold(d.Name(), "README.md") {
			return err
		}
		info, err := d.Info()
		if err != nil || info.Size() > mostSource {
			return err
		}
		text, err := input.Read(file, input.Copies)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, file)
		to[filepath.ToSlash(name)] = string(text)
		return err
	})
}
