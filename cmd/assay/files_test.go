package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// opening are the functions that open, make or replace a file by its path. Inputs go through configs/input, and what a user
// names as an output through configs/output.
var opening = map[string][]string{
	"os":                          {"Open", "OpenFile", "OpenInRoot", "OpenRoot", "ReadFile", "DirFS", "Create", "CreateTemp", "WriteFile", "Rename", "CopyFS"},
	"io/ioutil":                   {"ReadFile", "ReadDir", "WriteFile", "TempFile"},
	"syscall":                     {"Open", "Openat", "Creat"},
	"golang.org/x/sys/unix":       {"Open", "Openat", "Creat"},
	"database/sql":                {"Open", "OpenDB"},
	"github.com/BurntSushi/toml":  {"DecodeFile"},
	"github.com/mattn/go-sqlite3": {"SQLiteDriver"},
	"encoding/gob":                {"NewDecoder"},
	"compress/gzip":               {"NewReader"},
	"compress/bzip2":              {"NewReader"},
	"compress/flate":              {"NewReader"},
	"compress/zlib":               {"NewReader"},

	"github.com/klauspost/compress/zstd": {"NewReader"},
	"github.com/klauspost/compress/gzip": {"NewReader"},
}

// openers may do so, each for its reason.
var openers = map[string]string{
	"prompting/process/group_linux.go marked":         "the environments of processes, which the kernel has and no user names",
	"configs/input/input.go open":                     "the one way to open an input",
	"configs/input/folder.go Folder":                  "the same for folders",
	"configs/input/lines.go NewLines":                 "bounded by its window, and its text by the bound of the file",
	"configs/output/output.go into":                   "the one way to write what is no file",
	"configs/output/output.go create":                 "the one way to write a file",
	"configs/output/output.go publish":                "the one way to write a file",
	"configs/output/part_linux.go unnamed":            "the one way to write a file",
	"configs/output/part_linux.go Abandoned":          "does not wait, and reads nothing",
	"experiments/dataset/sample.go build":             "renames folders of its own in the cache",
	"experiments/dataset/sample.go write":             "writes into a new folder of its own in the cache",
	"experiments/dataset/sample_suite.go unpack":      "writes into a new folder of its own in the cache",
	"experiments/record/checkpoint.go copy":           "its own temporary file",
	"experiments/record/log.go Log":                   "what programs say, for as long as they run",
	"experiments/store/remove.go Remove":              "the store, to remove a folder in it and nothing outside",
	"experiments/record/writer.go newSheet":           "its own temporary file, which is open for the whole run",
	"experiments/record/writer.go commit":             "its own temporary file",
	"metrics/suite/try.go examine":                    "its own temporary database",
	"plots/site/build.go sweep":                       "removes files of its own list, and none outside the folder",
	"prompting/goldentest/goldentest.go Compare":      "golden files of tests",
	"prompting/llm/ledger/export.go snapshot":         "the ledger, checked when it was opened",
	"prompting/llm/ledger/ledger.go open":             "checked by input.Regular before",
	"prompting/llm/ledger/ledger.go openReaders":      "checked by input.Regular before",
	"prompting/llm/ledger/ledger.go prepare":          "bounded by maxStored",
	"prompting/llm/ledger/lock_other.go tryLock":      "makes a file, and fails where one is there",
	"prompting/llm/ledger/lock_unix.go tryLock":       "reads nothing, and opening for both ways does not wait",
	"prompting/llm/ledger/trouble.go rescueBeside":    "appends, in trouble",
	"prompting/llm/ledger/trouble.go rescueElsewhere": "a new temporary file, in trouble",
	"prompting/llm/ledger/trouble.go rescueInUse":     "appends, in trouble",
	"prompting/values/build.go build":                 "a new file in the cache",
	"prompting/values/build.go newSpool":              "a new file in the cache",
	"prompting/values/file.go openFile":               "checked by input.Regular before; it is mapped into memory",
	"prompting/values/sorter.go newSorter":            "a new file in the cache",
	"prompting/values/words.go buildWords":            "a new file in the cache",
	"prompting/values/words.go openSQL":               "checked by input.Regular before, or new",
}

// engines is the folder that knows engines: it checks databases by Stamp before it opens them.
const engines = "prompting/sql/"

// TestOneWayToOpenAFile finds every other place that opens one.
func TestOneWayToOpenAFile(t *testing.T) {
	unused := maps.Clone(openers)
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && strings.HasPrefix(d.Name(), ".") && len(d.Name()) > 2 {
			return cmpSkip(err)
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		rel, err := filepath.Rel("../..", path)
		if err != nil || strings.HasPrefix(filepath.ToSlash(rel), engines) {
			return err
		}
		for _, place := range openings(t, path) {
			where := filepath.ToSlash(rel) + " " + place.function
			if _, known := openers[where]; !known {
				t.Errorf("%s: %s: inputs are opened by configs/input, outputs by configs/output", where, place.call)
			}
			delete(unused, where)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for where := range unused {
		t.Errorf("%s opens no file any more", where)
	}
}

// cmpSkip skips a folder, unless there is an error.
func cmpSkip(err error) error {
	if err != nil {
		return err
	}
	return fs.SkipDir
}

// place is a use of a function that opens files.
type place struct{ function, call string }

// openings lists the uses in one file. A name that is used without a call counts too.
func openings(t *testing.T, path string) (out []place) {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]string{} // of the imported packages
	for _, im := range file.Imports {
		pkg, _ := strconv.Unquote(im.Path.Value)
		name := strings.TrimPrefix(filepath.Base(pkg), "go-")
		if im.Name != nil {
			name = im.Name.Name
		}
		names[name] = pkg
		if name == "." && opening[pkg] != nil {
			t.Errorf("%s imports %s without a name", path, pkg)
		}
	}
	for _, decl := range file.Decls {
		function := "a declaration"
		if f, ok := decl.(*ast.FuncDecl); ok {
			function = f.Name.Name
		}
		ast.Inspect(decl, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := s.X.(*ast.Ident); ok && slices.Contains(opening[names[x.Name]], s.Sel.Name) {
					out = append(out, place{function, x.Name + "." + s.Sel.Name})
				}
			}
			return true
		})
	}
	return out
}
