package dataset

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"assay/configs"
	"assay/configs/input"
	"assay/prompting/exemplar"
)

// ownKind is questions of one's own: a CSV file over SQLite files.
var ownKind = kind{
	Kind: configs.Kind{Choice: configs.Choice{ID: Own, Shows: "questions of one's own: a CSV file over SQLite files"}, File: true,
		Split: ownSplit, Splits: ownSplit, Judges: []string{"ex"}},
	questions: ownQuestions, open: openOwn, shipped: exemplar.OfSample, together: true,
}

// Own is the kind whose questions a person writes in a CSV file, and OwnFile the file's name where none is stated.
const (
	Own     = "questions"
	OwnFile = "questions.csv"

	ownSplit = "all" // there is no other
)

// endings are those of the files in a folder that are taken for SQLite databases.
var endings = []string{".sqlite", ".sqlite3", ".db"}

// ownQuestions reads the CSV file. Every fault of it is an error: its author is at hand, and can mend it.
func ownQuestions(l *loader) ([]item, error) {
	asked, err := readOwn(l.cfg)
	if err != nil {
		return nil, err
	}
	if len(asked.Faults) > 0 {
		more := ""
		if n := len(asked.Faults) - 1; n > 0 {
			more = fmt.Sprintf(" (and %d more: `assay questions check` lists them)", n)
		}
		return nil, fmt.Errorf("%s%s", asked.Faults[0].At(asked.Path), more)
	}
	items := make([]item, len(asked.Rows))
	for i, r := range asked.Rows {
		items[i] = item{id: clean(r.ID), db: r.DB, question: r.Question, evidence: r.Evidence, gold: r.Gold, difficulty: r.Difficulty}
	}
	return items, nil
}

// Asked is a CSV file of questions.
type Asked struct {
	Path   string
	Rows   []AskedRow // those that can be asked, in the order of the file
	Faults []Fault    // what keeps the file from being used, by line
	Unread []string   // columns that mean nothing to assay
}

// AskedRow is a question with the line that it begins in, from 1.
type AskedRow struct {
	Row
	Line int
}

// Fault is what is wrong in a line of a file, with the remedy. Line 0 is the file as a whole.
type Fault struct {
	Line int    `json:"line"`
	Text string `json:"text"`
}

// At names the file and the line before the text.
func (f Fault) At(path string) string {
	if f.Line == 0 {
		return fmt.Sprintf("%s: %s", path, f.Text)
	}
	return fmt.Sprintf("%s:%d: %s", path, f.Line, f.Text)
}

// ReadOwn reads the questions of a dataset of kind [Own], with all that is wrong in the file. The error is that of a file that
// cannot be read at all, or of databases that cannot be named.
func ReadOwn(cfg configs.Dataset) (*Asked, error) {
	a, err := readOwn(cfg)
	if err != nil {
		return nil, fmt.Errorf("dataset: load %q: %w", cfg.Kind, err)
	}
	return a, nil
}

func readOwn(cfg configs.Dataset) (*Asked, error) {
	if cfg.Split != ownSplit && cfg.Split != "" && cfg.Questions == "" {
		return nil, fmt.Errorf("there is no split %q of one's own questions: leave dataset.split out, or name a file with dataset.questions", cfg.Split)
	}
	files, err := ownFiles(cfg)
	if err != nil {
		return nil, err
	}
	path := cfg.Questions
	if path == "" {
		path = OwnFile
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(cfg.Path, path)
	}
	text, err := readJSON(path, input.Questions)
	if err != nil && cfg.Questions == "" && errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%w: there is no %s in the folder: name the file with dataset.questions or --questions", ErrNoQuestions, OwnFile)
	}
	if err != nil && strings.Contains(err.Error(), "not UTF-8") {
		return nil, fmt.Errorf("%w, or save it from the spreadsheet as \"CSV UTF-8\"", err)
	}
	if err != nil {
		return nil, err
	}
	a := parseOwn(text, slices.Sorted(maps.Keys(files)))
	a.Path = path
	return a, nil
}

// openOwn finds the databases where the experiment names them, and descriptions of columns beside the questions in BIRD's form,
// <path>/<db>/database_description.
func openOwn(l *loader) error {
	files, err := ownFiles(l.cfg)
	l.bases.find = func(db string) (string, error) { return files[db], nil }
	l.bases.enrich = l.describe
	return err
}

// ownFiles are the databases by their names, which are those of the files without the ending. Those of dataset.databases are
// files, or folders of files; without any, those in the dataset's folder.
func ownFiles(cfg configs.Dataset) (map[string]string, error) {
	places := cfg.Databases
	if len(places) == 0 {
		places = []string{cfg.Path}
	}
	files := map[string]string{}
	for _, place := range places {
		found, err := databasesAt(place)
		if err != nil {
			return nil, err
		}
		for _, path := range found {
			name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
			if other := files[name]; other != "" && other != path {
				return nil, fmt.Errorf("two databases are named %q, %s and %s: rename one", name, other, path)
			}
			files[name] = path
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("no SQLite file (%s) in %s: name it with dataset.databases or --databases", strings.Join(endings, ", "), strings.Join(places, ", "))
	}
	return files, nil
}

// databasesAt lists a file by itself, and of a folder the files with the endings of SQLite's, and <db>/<db>.* below it.
func databasesAt(place string) (out []string, err error) {
	info, err := os.Stat(place)
	if err != nil {
		return nil, fmt.Errorf("no database %q: name a SQLite file, or a folder of them, with dataset.databases or --databases", place)
	}
	if !info.IsDir() {
		return []string{place}, nil
	}
	for _, end := range endings {
		flat, err := input.Glob(place, "*"+end)
		if err != nil {
			return nil, err
		}
		below, err := input.Glob(place, "*", "*"+end)
		if err != nil {
			return nil, err
		}
		out = append(out, flat...)
		for _, path := range below {
			if filepath.Base(path) == filepath.Base(filepath.Dir(path))+end {
				out = append(out, path)
			}
		}
	}
	return out, nil
}
