package record

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"assay/configs/input"
	"assay/configs/output"
	"assay/metrics/spreadsheet"

	"github.com/gocarina/gocsv"
)

// statisticsFile is the name of the file of statistics in a run's folder.
const statisticsFile = "statistics.csv"

// Statistic is one number that is counted of a dataset, such as its databases or the tables that its gold queries join. A run has
// those of its items where its report shows them, so that the report needs no dataset.
type Statistic struct {
	Dataset string  `csv:"dataset"` // kind/split
	Table   string  `csv:"table"`   // values, schemas or tables
	Counted string  `csv:"counted"` // how; empty where there is one way
	Name    string  `csv:"statistic"`
	Value   float64 `csv:"value"` // shares are in percent
}

// WriteStatistics writes the statistics into a run's folder.
func WriteStatistics(dir string, all []Statistic) error {
	err := output.File(filepath.Join(dir, statisticsFile), func(w io.Writer) error { return gocsv.MarshalCSV(all, spreadsheet.NewWriter(w)) })
	if err != nil {
		return fmt.Errorf("record: write statistics into %q: %w", dir, err)
	}
	return nil
}

// ReadStatistics returns the statistics in a run's folder, nil if none were counted.
func ReadStatistics(dir string) (all []Statistic, err error) {
	f, err := input.Open(filepath.Join(dir, statisticsFile), input.Rows)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		defer f.Close()
		err = gocsv.UnmarshalCSV(spreadsheet.NewReader(f), &all)
	}
	if err != nil {
		return nil, fmt.Errorf("record: read %q: %w", filepath.Join(dir, statisticsFile), err)
	}
	return all, nil
}
