// Package methods holds assay's own methods and parts, each a folder of Starlark and Jinja, and opens those of users.
//
// A name is a folder beside this file; a path is a user's folder, or a single file. [Open] compiles it with package
// script, once in a process, so that all arms of a run use the same bytes. Nothing here may decide what a method does:
// that stands in the folders.
package methods

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing/fstest"

	"assay/configs"
	"assay/configs/input"
	"assay/prompting/script"
)

//go:embed */*.star */*.jinja */*.demo */README.md
var embedded embed.FS

// generators are the methods, those of Tai et al. (2023) first, then those of CHASE-SQL (Pourreza et al. 2025), then
// Interactive-T2S, then those that papers compare themselves with.
var generators = []string{"standard", "cot", "least-to-most", "qdecomp", "qdecomp-intercol", "bird-cot", "dc-cot", "qp-cot", "os", "interactive",
	"din-sql", "dail-sql", "act-sql",
	"c3", "mac-sql", "resdsql"}

// parts are what stands around generators: what links, the fixer, and the rules of selection.
var parts = []string{"values", "columns", "chess-select", "fixer", "first", "random", "consistency-dail", "consistency-chess", "consistency-first", "pairwise", "ranker", "unit-tests"}

// library is the folder that load("@assay//...") reads.
const library = "lib"

// Methods describes the methods, in the order in which documentation prints them.
func Methods() []configs.Method { return rows(generators) }

// Parts describes the parts around methods.
func Parts() []configs.Method { return rows(parts) }

func rows(ids []string) []configs.Method {
	out := make([]configs.Method, len(ids))
	for i, id := range ids {
		f, err := Open(id)
		if err != nil {
			panic(err) // an embedded folder is wrong, which TestFolders shows
		}
		out[i] = f.Row()
	}
	return out
}

// LibraryDigest identifies what any method can reach besides its own folder: the helpers that load("@assay//...") reads, and
// the parts that part(name) gives.
func LibraryDigest() string {
	h := sha256.New()
	for _, folder := range append([]string{library}, parts...) {
		files, _ := fs.Glob(embedded, folder+"/*") // the pattern is well formed: no error
		for _, name := range files {
			b, _ := embedded.ReadFile(name) // the file is embedded: no error
			fmt.Fprintf(h, "%s %d\n%s", name, len(b), b)
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Folder describes a user's folder; the error names the file, the line and the remedy.
func Folder(dir string) (configs.Method, error) {
	f, err := Open(dir)
	if err != nil {
		return configs.Method{}, err
	}
	row := f.Row()
	row.Dir = dir
	return row, nil
}

// opened is every folder that was opened, by name or path.
var opened sync.Map

// Open returns the folder of a name or of a path, compiled once in a process.
func Open(id string) (*script.Folder, error) {
	f, _ := opened.LoadOrStore(id, sync.OnceValues(func() (*script.Folder, error) { return open(id) }))
	return f.(func() (*script.Folder, error))()
}

func open(id string) (*script.Folder, error) {
	lib, err := fs.Sub(embedded, library)
	if err != nil {
		return nil, err
	}
	files, err := source(id)
	if err != nil {
		return nil, err
	}
	name, dir := id, "prompting/methods/"+id
	if isPath(id) {
		name, dir = strings.TrimSuffix(configs.PartName(id), ".star"), shown(id)
		name = strings.TrimSuffix(name, ".jinja")
	}
	return script.Open(name, dir, files, lib)
}

// shown returns a path as errors print it: relative to the working directory where it is below that.
func shown(id string) string {
	if wd, err := os.Getwd(); err == nil {
		if rel, err := filepath.Rel(wd, id); err == nil && !strings.HasPrefix(rel, "..") {
			return rel
		}
	}
	return id
}

// Files returns the files of a name or of a path as they were opened, which a run's folder keeps a copy of.
func Files(id string) (fs.FS, error) {
	f, err := Open(id)
	if err != nil {
		return nil, err
	}
	out := fstest.MapFS{}
	_, content := f.Files()
	for name, b := range content {
		out[name] = &fstest.MapFile{Data: b}
	}
	return out, nil
}

// source returns the files of a name or of a path. Those of a user cannot lead out of the folder: a link that does is an
// error when it is read.
func source(id string) (fs.FS, error) {
	if !isPath(id) {
		if !isOwn(id) {
			return nil, fmt.Errorf("methods: open %q: no method or part has this name: %w", id, fs.ErrNotExist)
		}
		return fs.Sub(embedded, id)
	}
	info, err := os.Stat(id)
	if err != nil {
		return nil, fmt.Errorf("methods: open %q: %w", id, err)
	}
	if !info.IsDir() {
		return single(id)
	}
	files, err := input.Folder(id, input.Method)
	if err != nil {
		return nil, fmt.Errorf("methods: open %q: %w", id, input.Cause(err))
	}
	return files, nil
}

// single returns a file as a folder: one of Starlark is method.star, schema.jinja a format, any other of Jinja a method of one
// call.
func single(file string) (fs.FS, error) {
	name := map[string]string{".star": "method.star", ".jinja": "prompt.jinja"}[path.Ext(file)]
	if filepath.Base(file) == "schema.jinja" {
		name = "schema.jinja"
	}
	if name == "" {
		return nil, fmt.Errorf("methods: open %q: a method is a folder, or a file that ends in .star or .jinja", file)
	}
	b, err := input.Text(file, input.Method)
	if err != nil {
		return nil, fmt.Errorf("methods: open %q: %w", file, input.Cause(err))
	}
	return fstest.MapFS{name: {Data: b}}, nil
}

// isPath reports whether an id is the path of a user's folder or file.
func isPath(id string) bool { return strings.ContainsAny(id, `/\`) }

// isOwn reports whether an id is a folder of assay's own.
func isOwn(id string) bool {
	info, err := fs.Stat(embedded, id)
	return err == nil && info.IsDir() && id != library && id != "."
}
