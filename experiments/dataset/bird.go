package dataset

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"assay/configs"
	"assay/configs/input"
	"assay/prompting/exemplar"
	"assay/prompting/sql/schema"

	"github.com/gocarina/gocsv"
	"golang.org/x/text/encoding/charmap"
)

// birdKind is BIRD (Li et al. 2023) and its mini-dev.
var birdKind = kind{
	Kind: configs.Kind{Choice: configs.Choice{ID: "bird", Shows: "BIRD and BIRD mini-dev"}, File: true,
		Splits: splitNames(birdSplits), Judges: birdJudges},
	questions: birdQuestions, open: openBIRD, train: birdTrain, shipped: exemplar.OfSample,
}

// birdJudges are the metrics of BIRD's own evaluator.
var birdJudges = []string{"ex-bird", "soft-f1"}

var birdSplits = []split{
	{name: "dev", files: []string{"dev.json"}},
	{name: "mini_dev", files: []string{"mini_dev_sqlite.json", "mini_dev.json"}},
	{name: "train", files: []string{"train.json", "train/train.json"}},
}

var birdForm = form{id: []string{"question_id"}, question: []string{"question"}, gold: []string{"SQL", "sql", "query"}}

// birdQuestions finds the split's file in the dataset's folder, or in its subfolder with the split's name, which then
// becomes the dataset's folder.
func birdQuestions(l *loader) ([]item, error) {
	_, path, err := l.splitFile(birdSplits, l.cfg.Split, l.cfg.Questions)
	if errors.Is(err, ErrNoQuestions) {
		within := *l
		within.cfg.Path = filepath.Join(l.cfg.Path, l.cfg.Split)
		if _, found, err2 := within.splitFile(birdSplits, l.cfg.Split, ""); err2 == nil {
			path, err, l.cfg.Path = found, nil, within.cfg.Path
		}
	}
	if err != nil {
		return nil, err
	}
	return l.readQuestions(path, birdForm)
}

func birdTrain(l *loader) ([]item, error) {
	_, path, err := l.splitFile(birdSplits, "train", "")
	if err != nil {
		return nil, err
	}
	return l.readQuestions(path, birdForm)
}

func openBIRD(l *loader) error {
	for _, n := range []string{"dev_databases", "train_databases", "train/train_databases", "database", "databases"} {
		l.bases.folders = append(l.bases.folders, filepath.Join(l.cfg.Path, n))
	}
	l.bases.folders = append(l.bases.folders, l.cfg.Databases...)
	l.bases.enrich = l.describe
	return l.tablesIn(withParents(l.cfg.Path, l.cfg.Databases),
		[]string{"dev_tables.json", "mini_dev_sqlite_tables.json", "train_tables.json", "train/train_tables.json", "tables.json"})
}

// describe adds the columns' descriptions from the database_description files. They are next to the database, or in the dataset's
// folder under the database's name; a file is named like its table.
func (l *loader) describe(db string, d *schema.Database) {
	for _, folder := range append(slices.Clone(l.bases.folders), l.cfg.Path) {
		if l.describeFrom(filepath.Join(folder, db, "database_description"), d) {
			return
		}
	}
}

// describeFrom adds the descriptions of one folder's files; false where there is no such folder.
func (l *loader) describeFrom(dir string, d *schema.Database) bool {
	files, err := os.ReadDir(dir)
	if err != nil {
		return false
	}
	for _, f := range files {
		if name, isCSV := strings.CutSuffix(f.Name(), ".csv"); isCSV {
			l.describeTable(filepath.Join(dir, f.Name()), d.Table(strings.TrimSpace(name)))
		}
	}
	return true
}

func (l *loader) describeTable(path string, t *schema.Table) {
	if t == nil {
		l.warn(path, "", "describes no table of its database")
		return
	}
	b, err := input.Read(path, input.Description)
	if err != nil {
		l.warn(path, "", "not used: %v", err)
		return
	}
	rows, err := parseDescription(b)
	if err != nil {
		l.warn(path, "", "not used: %v", err)
		return
	}
	l.describedBy(path, b)
	for _, r := range rows {
		name := strings.TrimSpace(r.Original)
		c := t.Column(name)
		if c == nil {
			if name != "" {
				l.warn(path, name, "describes a column that its table does not have")
			}
			continue
		}
		if m := meaningful(c.Name, r.Name); m != "" {
			c.Meaning = m
		}
		c.Description = meaningful(c.Name, r.Description)
		c.Values = strings.TrimSpace(r.Values)
	}
}

// description is a row of a database_description file.
type description struct {
	Original    string `csv:"original_column_name"`
	Name        string `csv:"column_name"`
	Description string `csv:"column_description"`
	Values      string `csv:"value_description"`
}

// parseDescription reads a database_description file: CSV with or without a byte order mark, UTF-8 or Windows-1252.
func parseDescription(b []byte) (rows []description, err error) {
	b = bytes.TrimPrefix(b, []byte("\ufeff"))
	if !utf8.Valid(b) {
		if b, err = charmap.Windows1252.NewDecoder().Bytes(b); err != nil {
			return nil, err
		}
	}
	r := csv.NewReader(bytes.NewReader(b))
	r.FieldsPerRecord, r.LazyQuotes = -1, true
	all, err := r.ReadAll()
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, errors.New("empty")
	}
	for i, h := range all[0] {
		all[0][i] = strings.ToLower(strings.TrimSpace(h))
	}
	if !slices.Contains(all[0], "original_column_name") {
		return nil, fmt.Errorf("no column original_column_name among %q", all[0])
	}
	if len(all) == 1 {
		return nil, nil
	}
	return rows, gocsv.UnmarshalCSV(&even{rows: all}, &rows)
}

// even hands rows to gocsv, each as wide as the header: gocsv refuses short ones.
type even struct{ rows [][]string }

func (e *even) Read() ([]string, error) {
	if len(e.rows) == 0 {
		return nil, io.EOF
	}
	row := e.rows[0]
	e.rows = e.rows[1:]
	return row, nil
}

func (e *even) ReadAll() ([][]string, error) {
	width := len(e.rows[0])
	for i, row := range e.rows {
		for len(row) < width {
			row = append(row, "")
		}
		e.rows[i] = row[:width]
	}
	return e.rows, nil
}
