package project

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"assay/configs"
	"assay/configs/input"
	"assay/experiments/dataset"
	"assay/metrics/spreadsheet"
)

// questions returns the text of the file of questions: the one that was named, which must be fit for the databases, or a new one.
func (o Options) questions() ([]byte, error) {
	if o.Questions == "" {
		return o.first()
	}
	path, err := filepath.Abs(o.Questions)
	if err != nil {
		return nil, err
	}
	cfg := configs.Dataset{Kind: dataset.Own, Path: filepath.Dir(path), Questions: path}
	for _, b := range o.Bases {
		cfg.Databases = append(cfg.Databases, b.Path)
	}
	asked, err := dataset.ReadOwn(cfg)
	if err != nil {
		return nil, err
	}
	if len(asked.Faults) > 0 {
		return nil, faulty(o.Questions, asked.Faults)
	}
	return input.Read(o.Questions, input.Questions)
}

// faulty is the error of a file with faults, of which it names the first.
func faulty(path string, faults []dataset.Fault) error {
	const most = 5
	var lines []string
	for i, f := range faults {
		if i == most {
			lines = append(lines, fmt.Sprintf("and %d more", len(faults)-most))
			break
		}
		lines = append(lines, f.At(path))
	}
	if len(lines) == 1 {
		return fmt.Errorf("%s", lines[0])
	}
	return fmt.Errorf("the file of questions has %d faults:\n  %s", len(faults), strings.Join(lines, "\n  "))
}

// mostFirst bounds the questions that are made of each database.
const mostFirst = 3

// first writes questions about the first tables of each database, so that the experiment runs as it stands.
func (o Options) first() ([]byte, error) {
	var out bytes.Buffer
	w := spreadsheet.NewWriter(&out)
	rows := [][]string{dataset.OwnHeader()}
	for _, b := range o.Bases {
		for i, t := range b.Schema.Tables {
			if i == mostFirst {
				break
			}
			quoted := `"` + strings.ReplaceAll(t.Name, `"`, `""`) + `"`
			rows = append(rows, []string{strconv.Itoa(len(rows)), baseName(b.Path), "How many rows does the table " + t.Name + " have?", "", "SELECT count(*) FROM " + quoted, ""})
		}
	}
	if err := w.WriteAll(rows); err != nil {
		return nil, err
	}
	w.Flush()
	return out.Bytes(), w.Error()
}
