package record

import (
	"maps"
	"slices"
	"strings"
)

// Program is what identifies the program of an arm besides its command line, which the experiment has.
type Program struct {
	Arm     string       `toml:"arm"`
	Version string       `toml:"version,omitempty" json:",omitempty"` // that it declares
	Files   []SourceFile `toml:"file,omitempty" json:",omitempty"`    // by name
}

// SourceFile is a file that a program is made of.
type SourceFile struct {
	Name   string `toml:"name"`   // as its copy has it in the folder of the arm within sources/
	Digest string `toml:"digest"` // "sha256:..." of its content
}

// Changes says in which files a program differs from a later one, a line each; nil where they are the same.
func (p Program) Changes(later Program) (out []string) {
	now := map[string]string{}
	for _, f := range later.Files {
		now[f.Name] = f.Digest
	}
	for _, f := range p.Files {
		switch digest, there := now[f.Name]; {
		case !there:
			out = append(out, f.Name+" is gone")
		case digest != f.Digest:
			out = append(out, f.Name+" has changed")
		}
		delete(now, f.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(now)) {
		out = append(out, name+" has come")
	}
	return out
}

// Named lists the files, each with the beginning of its digest: "mine.py (0a1b2c3d)".
func (p Program) Named() []string {
	out := make([]string, len(p.Files))
	for i, f := range p.Files {
		digest := strings.TrimPrefix(f.Digest, "sha256:")
		out[i] = f.Name + " (" + digest[:min(8, len(digest))] + ")"
	}
	return out
}
