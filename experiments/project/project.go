// Package project holds the folder that a person begins with: questions over databases of their own, and an experiment that
// asks them.
//
// [Write] names the databases in the experiment by where they lie and copies none of them. The questions are a file that the
// person has, copied byte by byte, or a few about the first tables, as rows to write over. The package must never write over
// a file, and reads no database: the caller describes them.
package project

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"unicode"

	"assay/configs/output"
	"assay/experiments/dataset"
	"assay/prompting/sql/schema"

	"github.com/BurntSushi/toml"
)

//go:embed experiment.toml README.md.txt
var embedded embed.FS

// Base is a database of the project.
type Base struct {
	Path   string           // of its file
	Schema *schema.Database // of which the first questions are made
}

// Options says what the folder is about.
type Options struct {
	Bases     []Base // one or more; their files' names without the ending are their names
	Questions string // a CSV file of questions to copy; empty: a few are made
}

// Files are the paths of what was written.
type Files struct{ Questions, Readme, Experiment string }

// Write writes the folder's files, and the folder where there is none. A file that is there already is an error, and so is a
// file of questions that cannot be asked about the databases: its error names the line.
func Write(dir string, o Options) (Files, error) {
	f, err := write(dir, o)
	if err != nil {
		return Files{}, fmt.Errorf("project: write %q: %w", dir, err)
	}
	return f, nil
}

func write(dir string, o Options) (f Files, err error) {
	at, err := filepath.Abs(dir)
	if err != nil {
		return f, err
	}
	name := nameOf(filepath.Base(at))
	if name == "" {
		return f, errors.New("the experiment is named as the folder, whose name has neither letters nor digits: name another")
	}
	f = Files{filepath.Join(dir, dataset.OwnFile), filepath.Join(dir, "README.md"), filepath.Join(dir, name+".toml")}
	for _, path := range []string{f.Questions, f.Readme, f.Experiment} {
		if _, err := os.Lstat(path); err == nil {
			return f, fmt.Errorf("%s is there already: name another folder", path)
		}
	}
	for i, b := range o.Bases {
		for _, other := range o.Bases[:i] {
			if baseName(b.Path) == baseName(other.Path) {
				return f, fmt.Errorf("two databases are named %q, %s and %s: rename one", baseName(b.Path), other.Path, b.Path)
			}
		}
	}
	questions, err := o.questions()
	if err != nil {
		return f, err
	}
	databases, err := o.databases(at)
	if err != nil {
		return f, err
	}
	texts := map[string][]byte{f.Questions: questions}
	for path, of := range map[string]struct{ file, databases string }{
		f.Readme:     {"README.md.txt", o.names()},
		f.Experiment: {"experiment.toml", databases},
	} {
		b, err := embedded.ReadFile(of.file)
		if err != nil {
			return f, err
		}
		fill := strings.NewReplacer("NAME", name, "QUESTIONS", dataset.OwnFile, "DATABASES", of.databases, "EXPERIMENT", Shell(f.Experiment), "FOLDER", Shell(dir))
		texts[path] = []byte(fill.Replace(string(b)))
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return f, err
	}
	for _, path := range []string{f.Questions, f.Readme, f.Experiment} {
		if err := output.File(path, func(w io.Writer) error { _, err := w.Write(texts[path]); return err }); err != nil {
			return f, err
		}
	}
	return f, nil
}

// linked reports whether a symbolic link is on the way to a folder, or to the first above it that is there.
func linked(dir string) bool {
	real, err := filepath.EvalSymlinks(dir)
	if errors.Is(err, os.ErrNotExist) && filepath.Dir(dir) != dir {
		return linked(filepath.Dir(dir))
	}
	return err != nil || real != dir
}

// plain are the words that a shell takes as they are.
var plain = regexp.MustCompile(`^[A-Za-z0-9_./:\\-]+$`)

// Shell returns a path as one word of a command line to copy.
func Shell(path string) string {
	if plain.MatchString(path) {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}

// odd are the characters that the name of an experiment cannot have.
var odd = regexp.MustCompile(`[^A-Za-z0-9_-]+`)

// nameOf turns a folder's name into one that an experiment can have; empty where nothing is left.
func nameOf(folder string) string {
	const most = 80
	name := strings.Trim(odd.ReplaceAllString(folder, "-"), "-_")
	return name[:min(len(name), most)]
}

// baseName is the name of a database: that of its file without the ending.
func baseName(path string) string { return strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)) }

// names lists the databases for a person.
func (o Options) names() string {
	var out []string
	for _, b := range o.Bases {
		name := strings.Map(func(r rune) rune {
			if unicode.IsControl(r) {
				return ' '
			}
			return r
		}, filepath.Base(b.Path))
		out = append(out, "`"+strings.ReplaceAll(name, "`", "'")+"`")
	}
	return strings.Join(out, ", ")
}

// databases is the line of the experiment that says where they lie, seen from its folder, so that both may be moved together.
// Beyond a symbolic link a step up leads elsewhere than it reads, so a path by way of one is written in full.
func (o Options) databases(at string) (string, error) {
	var paths []string
	for _, b := range o.Bases {
		path, err := filepath.Abs(b.Path)
		if err != nil {
			return "", err
		}
		if rel, err := filepath.Rel(at, path); err == nil && !linked(at) && !linked(filepath.Dir(path)) {
			path = filepath.ToSlash(rel)
		}
		paths = append(paths, path)
	}
	var out bytes.Buffer
	err := toml.NewEncoder(&out).Encode(map[string]any{"databases": paths})
	return strings.TrimSpace(out.String()), err
}
