package script

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"assay/configs"
	"assay/prompting/exemplar"
	"assay/prompting/script/jinja"
	"assay/prompting/script/star"

	"go.starlark.net/starlark"
)

// The parts that a folder may define, by the name of the function in method.star.
const (
	Answer = "answer" // a generator: one call is one sample
	Link   = "link"   // before the generators: values, columns
	Fix    = "fix"    // after the generators, a candidate at a time
	Choose = "choose" // selects one of the candidates
	Schema = "schema" // prints a schema: a format
)

// kinds are the parts in the order in which a question passes them.
var kinds = []string{Link, Answer, Fix, Choose, Schema}

// The files of a folder that have a meaning by name.
const (
	methodFile = "method.star"
	promptFile = "prompt.jinja" // alone: a method of one call
	schemaFile = "schema.jinja" // alone: a schema format
)

// Bounds of a folder. The largest of assay's own has 12 files and 30 kB.
const (
	mostFiles = 200
	mostBytes = 4 << 20
)

// Folder is a method or a part as its files say it. It is read-only, and safe for concurrent use.
type Folder struct {
	ID  string // name of a built-in folder, or the last part of a user's path
	dir string // as errors name it

	files     map[string][]byte
	templates map[string]*jinja.Template // by name without the ending
	library   fs.FS                      // of load("@assay//...")
	compiled  star.Compiled              // each arm and seed loads the program with params of its own

	doc          string
	defaults     []configs.Param
	parts        []string
	needs, takes []exemplar.Feature
	settings     map[string]any
	order, table string
	supplied     []string // names of texts that an experiment supplies as blocks, for file()
}

// Open compiles a folder: it reads its files, loads method.star with the params' defaults and parses every template. dir
// is how errors name the folder; library holds what load("@assay//x.star") finds. The error names the file, the line and
// the remedy.
func Open(id, dir string, files, library fs.FS) (*Folder, error) {
	f := &Folder{ID: id, dir: dir, library: library}
	err := f.read(files)
	if err == nil {
		err = f.parse()
	}
	if err != nil {
		return nil, fmt.Errorf("script: open %q: %w", dir, err)
	}
	return f, nil
}

// read reads every file but hidden ones.
func (f *Folder) read(files fs.FS) error {
	f.files = map[string][]byte{}
	total := 0
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		hidden := name != "." && strings.HasPrefix(path.Base(name), ".")
		switch {
		case err != nil:
			return err
		case hidden && d.IsDir():
			return fs.SkipDir
		case d.IsDir() && name == methodFile:
			return fmt.Errorf("%s is a folder, not a file", name)
		case hidden || d.IsDir():
			return nil
		case len(f.files) == mostFiles:
			return fmt.Errorf("more than %d files: it is no folder of a method", mostFiles)
		}
		info, err := fs.Stat(files, name)
		if err != nil {
			return err
		}
		if total += int(min(info.Size(), mostBytes+1)); total > mostBytes {
			return fmt.Errorf("more than %d bytes: it is no folder of a method", mostBytes)
		}
		f.files[name], err = fs.ReadFile(files, name)
		return err
	})
	if err == nil && len(f.files) == 0 {
		return errors.New("it has no files: a method is a folder with method.star, or with prompt.jinja alone")
	}
	return err
}

// parse parses the templates and looks the program's globals over.
func (f *Folder) parse() error {
	f.templates = map[string]*jinja.Template{}
	for _, name := range slices.Sorted(maps.Keys(f.files)) {
		base, ok := strings.CutSuffix(name, ".jinja")
		if !ok {
			continue
		}
		t, err := jinja.Parse(path.Join(f.dir, name), string(f.files[name]))
		if err != nil {
			return err
		}
		f.templates[base] = t
	}
	if f.files[methodFile] == nil {
		return f.alone()
	}
	p, params, err := f.load(nil)
	if err != nil {
		return err
	}
	f.doc, f.defaults = p.Doc(), params.defaults
	return f.describe(p)
}

// alone is a folder without method.star: one template.
func (f *Folder) alone() error {
	switch {
	case f.templates["prompt"] != nil:
		f.parts = []string{Answer}
	case f.templates["schema"] != nil:
		f.parts = []string{Schema}
	default:
		return fmt.Errorf("it has neither %s nor %s (a method of one call) nor %s (a schema format)", methodFile, promptFile, schemaFile)
	}
	return nil
}

// describe reads the globals that say what the folder is.
func (f *Folder) describe(p *star.Program) (err error) {
	for _, kind := range kinds {
		if p.Function(kind) != nil {
			f.parts = append(f.parts, kind)
		}
	}
	if len(f.parts) == 0 && f.templates["schema"] != nil {
		f.parts = []string{Schema}
	}
	if len(f.parts) == 0 {
		return fmt.Errorf("%s defines none of %s", methodFile, strings.Join(kinds, ", "))
	}
	if v := p.Global("params"); v != nil && v.Type() != (&params{}).Type() {
		return fmt.Errorf("%s: params is a %s, which no experiment can set: write params = defaults(name = value, ...)", methodFile, v.Type())
	}
	if f.needs, err = featuresOf(p, "needs"); err != nil {
		return err
	}
	if f.takes, err = featuresOf(p, "takes"); err != nil {
		return err
	}
	if f.supplied, err = f.suppliedBy(p); err != nil {
		return err
	}
	for name, to := range map[string]*string{"order": &f.order, "table": &f.table} {
		if v := p.Global(name); v != nil {
			text, ok := starlark.AsString(v)
			if !ok {
				return fmt.Errorf("%s: %s is a %s, not a text", methodFile, name, v.Type())
			}
			*to = text
		}
	}
	return f.readSettings(p.Global("settings"))
}

// featuresOf reads a list of features of demonstrations.
func featuresOf(p *star.Program, name string) (out []exemplar.Feature, err error) {
	v := p.Global(name)
	if v == nil {
		return nil, nil
	}
	ids, err := texts(v)
	if err != nil {
		return nil, fmt.Errorf("%s: %s: %w", methodFile, name, err)
	}
	for _, id := range ids {
		one, err := exemplar.FeatureOf(id)
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", methodFile, name, err)
		}
		out = append(out, one)
	}
	return out, nil
}

// readSettings reads the keys of [model] that the method states where no file does.
func (f *Folder) readSettings(v starlark.Value) error {
	if v == nil {
		return nil
	}
	_, err := star.Bound(v)
	var all any
	if err == nil {
		all, err = plain(v)
	}
	m, ok := all.(map[string]any)
	if err != nil || !ok {
		return fmt.Errorf("%s: settings: want a dict of keys of [model], such as {\"temperature\": 0.7}", methodFile)
	}
	f.settings = m
	return nil
}

// load runs method.star with params over the defaults that it states.
func (f *Folder) load(over map[string]any) (*star.Program, *params, error) {
	set := &params{over: over}
	host := hostFunctions()
	host["defaults"] = guarded("defaults", set.define)
	p, err := star.Load(methodFile, star.Options{Name: f.dir, Source: f.source, Host: host, Compiled: &f.compiled})
	return p, set, err
}

// source reads a Starlark file of the folder or of the library.
func (f *Folder) source(name string) ([]byte, error) {
	if shared, ok := strings.CutPrefix(name, "@assay//"); ok {
		b, err := fs.ReadFile(f.library, shared)
		if err != nil {
			return nil, fmt.Errorf("there is no %q in assay's library", shared)
		}
		return b, nil
	}
	b, ok := f.files[name]
	if !ok {
		return nil, fmt.Errorf("the folder has no file %q", name)
	}
	return b, nil
}

// Row describes the folder as an experiment sees it.
func (f *Folder) Row() configs.Method {
	head, _, _ := strings.Cut(strings.TrimSpace(f.doc), "\n")
	row := configs.Method{Choice: configs.Choice{ID: f.ID, Shows: inList(strings.TrimSuffix(head, "."))}, Parts: f.parts, Params: f.defaults,
		Blocks: f.blocks(), Settings: f.settings, Digest: f.Digest(), Table: f.table, Agent: f.table == "agent", Examples: f.table == "synthetic", Compares: compares(f.files[methodFile])}
	for _, x := range slices.Concat(f.needs, f.takes) {
		row.Features = append(row.Features, x.ID)
	}
	return row
}

// inList returns the first line of a docstring as a list prints it: without the capital letter of a sentence.
func inList(head string) string {
	r := []rune(head)
	if len(r) > 1 && unicode.IsUpper(r[0]) && !unicode.IsUpper(r[1]) {
		r[0] = unicode.ToLower(r[0])
	}
	return string(r)
}

// blocks lists the blocks of all templates, each once.
func (f *Folder) blocks() (out []string) {
	for _, name := range slices.Sorted(maps.Keys(f.templates)) {
		for _, b := range f.templates[name].Blocks() {
			if !slices.Contains(out, b) {
				out = append(out, b)
			}
		}
	}
	return append(out, f.supplied...)
}

// Digest identifies the folder's files: "sha256:" and the hexadecimal SHA-256 of their names and bytes. The folder's own
// name and place are no part of it.
func (f *Folder) Digest() string {
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(f.files)) {
		fmt.Fprintf(h, "%d:%s %d\n", len(name), name, len(f.files[name]))
		h.Write(f.files[name])
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

// Doc returns the folder's docstring.
func (f *Folder) Doc() string { return f.doc }

// Files returns the names of the folder's files, sorted, and their bytes by name.
func (f *Folder) Files() (names []string, content map[string][]byte) {
	return slices.Sorted(maps.Keys(f.files)), f.files
}

// isFolder reports whether a name of an arm, once loaded, is the path of a user's folder or file.
func isFolder(id string) bool { return strings.ContainsAny(id, `/\\`) }

// replacements reads the texts of the blocks that an arm replaces.
func replacements(blocks map[string]string) (map[string]jinja.Block, error) {
	out := map[string]jinja.Block{}
	for name, file := range blocks {
		if file == "" {
			out[name] = jinja.Block{}
			continue
		}
		text, err := configs.BlockText(file)
		if err != nil {
			return nil, fmt.Errorf("block %q: %w", name, err)
		}
		out[name] = jinja.Block{File: filepath.Base(file), Text: text}
	}
	return out, nil
}

// replaced returns the templates with the blocks that an arm replaces: the text of each block by its name, empty where it
// is switched off. Names that no template has are the caller's to refuse.
func (f *Folder) replaced(blocks map[string]jinja.Block) (map[string]*jinja.Template, error) {
	out := maps.Clone(f.templates)
	for name, t := range out {
		mine := map[string]jinja.Block{}
		for b, with := range blocks {
			if slices.Contains(t.Blocks(), b) {
				mine[b] = with
			}
		}
		if len(mine) == 0 {
			continue
		}
		var err error
		if out[name], err = t.With(mine); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Calls returns how many calls the folder's docstring says that it takes, after the word "Calls:"; empty where it does not.
func (f *Folder) Calls() string {
	_, calls, _ := strings.Cut(f.doc, "Calls: ")
	calls, _, _ = strings.Cut(calls, "\n\n")
	return strings.TrimSuffix(oneLine(calls), ".")
}
