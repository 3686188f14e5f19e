package record

import (
	"io"
	"path/filepath"

	"assay/configs/output"
	"assay/metrics/spreadsheet"

	"github.com/gocarina/gocsv"
)

// Vector is one text whose vector an arm used at one sweep point, once whatever number of its items used it.
type Vector struct {
	Arm          string   `csv:"arm"`
	Point        []string `csv:"-"`
	Key          string   `csv:"key"`           // of the vector in the ledger
	PromptTokens Count    `csv:"prompt_tokens"` // of the text
	Failure      string   `csv:"failure"`       // why there is no vector; empty where there is one
}

// SetVectors sets the rows of vectors.csv, which the next Checkpoint or Commit writes; without rows there is no such file.
func (w *Writer) SetVectors(rows []Vector) { w.vectors = rows }

// putVectors publishes vectors.csv.
func (w *Writer) putVectors() error {
	if len(w.vectors) == 0 {
		return nil
	}
	return output.File(filepath.Join(w.dir, VectorsFile), func(f io.Writer) error {
		return gocsv.MarshalCSV(w.vectors, &splicer{Writer: spreadsheet.NewWriter(f), after: [2]string{"arm", ""},
			names: [2][]string{w.manifest.Axes, nil}, row: func(i int) (a, b []string) { return w.vectors[i].Point, nil }})
	})
}
