package record

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"assay/configs/input"
	"assay/configs/output"
	"assay/metrics/spreadsheet"

	"github.com/BurntSushi/toml"
	"github.com/gocarina/gocsv"
)

// Writer writes a run's rows as they arrive, so that memory does not grow with the run. The run's files do not change before
// Commit or Checkpoint: until then the rows are in temporary files next to them.
type Writer struct {
	dir      string
	manifest Manifest
	sheets   []*sheet // one per file, in the order of sheetFiles
	vectors  []Vector
}

// sheetFiles are the files that are written row by row, with the columns after which those of sweep and metrics go.
var sheetFiles = []struct {
	name   string
	none   any
	axes   string // column that the sweep's keys follow; empty for none
	scores string // column that the metrics follow; empty for none
}{
	{ItemsFile, []Item{}, "arm", "sql"},
	{CandidatesFile, []Candidate{}, "arm", "chosen"},
	{DroppedFile, []Candidate{}, "arm", "chosen"},
	{VotesFile, []Vote{}, "arm", ""},
	{ResultsFile, []Result{}, "", ""},
	{CallsFile, []Call{}, "arm", ""},
	{LinksFile, []Link{}, "arm", ""},
	{ShownFile, []Shown{}, "arm", ""},
	{ColumnsFile, []Column{}, "", ""},
	{StepsFile, []Step{}, "arm", ""},
	{ComponentsFile, []Component{}, "arm", ""},
}

// sparse are those of them that most runs have no rows of: without any there is no file.
var sparse = []string{ShownFile, StepsFile, ComponentsFile}

// Create starts writing a run into dir. Its rows have the columns of the manifest's axes and metrics.
func Create(dir string, m Manifest) (*Writer, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("record: write %q: %w", dir, err)
	}
	w := &Writer{dir: dir, manifest: m}
	for _, f := range sheetFiles {
		var names [2][]string
		if f.axes != "" {
			names[0] = m.Axes
		}
		if f.scores != "" {
			names[1] = m.MetricIDs()
		}
		sh, err := newSheet(filepath.Join(dir, f.name), f.none, [2]string{f.axes, f.scores}, names)
		if err != nil {
			w.Abort()
			return nil, fmt.Errorf("record: write %q: %w", filepath.Join(dir, f.name), err)
		}
		w.sheets = append(w.sheets, sh)
	}
	return w, nil
}

// Add appends rows to the files, in the order given.
func (w *Writer) Add(r Rows) error {
	pooled := func(cs []Candidate) func(i int) (a, b []string) {
		return func(i int) (a, b []string) { return cs[i].Point, formatValues(cs[i].Values) }
	}
	err := errors.Join(
		w.sheets[0].add(r.Items, len(r.Items), func(i int) (a, b []string) { return r.Items[i].Point, formatValues(r.Items[i].Values) }),
		w.sheets[1].add(r.Candidates, len(r.Candidates), pooled(r.Candidates)),
		w.sheets[2].add(r.Dropped, len(r.Dropped), pooled(r.Dropped)),
		w.sheets[3].add(r.Votes, len(r.Votes), func(i int) (a, b []string) { return r.Votes[i].Point, nil }),
		w.sheets[4].add(r.Results, len(r.Results), func(int) (a, b []string) { return nil, nil }),
		w.sheets[5].add(r.Calls, len(r.Calls), func(i int) (a, b []string) { return r.Calls[i].Point, nil }),
		w.sheets[6].add(r.Links, len(r.Links), func(i int) (a, b []string) { return r.Links[i].Point, nil }),
		w.sheets[7].add(r.Shown, len(r.Shown), func(i int) (a, b []string) { return r.Shown[i].Point, nil }),
		w.sheets[8].add(r.Columns, len(r.Columns), func(int) (a, b []string) { return nil, nil }),
		w.sheets[9].add(r.Steps, len(r.Steps), func(i int) (a, b []string) { return r.Steps[i].Point, nil }),
		w.sheets[10].add(r.Components, len(r.Components), func(i int) (a, b []string) { return r.Components[i].Point, nil }))
	if err != nil {
		return fmt.Errorf("record: write into %q: %w", w.dir, err)
	}
	return nil
}

// Commit publishes the files under their names, each whole or not at all. run.toml comes last, so that a folder with a
// complete manifest has complete files.
func (w *Writer) Commit(m Manifest, config map[string]any, questions []Question) error {
	defer w.Abort()
	return w.put(m, config, questions, (*sheet).commit)
}

// put publishes the questions, then each sheet by the function given, and run.toml last.
func (w *Writer) put(m Manifest, config map[string]any, questions []Question, each func(*sheet) error) error {
	err := output.File(filepath.Join(w.dir, QuestionsFile), func(f io.Writer) error { return gocsv.MarshalCSV(questions, spreadsheet.NewWriter(f)) })
	for _, s := range w.sheets {
		switch {
		case err != nil:
		case slices.Contains(sparse, filepath.Base(s.path)) && s.empty():
			err = absent(s.path)
		default:
			err = each(s)
		}
	}
	if err == nil {
		err = w.putVectors()
	}
	if err == nil {
		err = output.File(filepath.Join(w.dir, ManifestFile), func(f io.Writer) error {
			return toml.NewEncoder(f).Encode(manifestFile{m, config})
		})
	}
	if err != nil {
		return fmt.Errorf("record: write %q: %w", w.dir, err)
	}
	return nil
}

// Abort removes what is not committed. After Commit it does nothing, so that callers can defer it.
func (w *Writer) Abort() {
	for _, s := range w.sheets {
		s.abort()
	}
}

// sheet is one CSV file in progress, under a temporary name next to its own.
type sheet struct {
	path    string
	file    *os.File // nil once committed or removed
	splicer *splicer
}

// InProgress reports whether a process is writing a run into the folder.
func InProgress(dir string) bool {
	parts, err := input.Glob(dir, "."+ItemsFile+".part*")
	return err == nil && slices.ContainsFunc(parts, func(path string) bool { return !output.Abandoned(path) })
}

// newSheet starts a file with its header; none is an empty slice of its rows. It removes what a
// killed process left of the same file.
func newSheet(path string, none any, after [2]string, names [2][]string) (*sheet, error) {
	pattern := "." + filepath.Base(path) + ".part*"
	if old, err := input.Glob(filepath.Dir(path), pattern); err == nil {
		for _, o := range old {
			_ = os.Remove(o) // in the way of nothing
		}
	}
	f, err := os.CreateTemp(filepath.Dir(path), pattern)
	if err != nil {
		return nil, err
	}
	output.Hold(f)
	s := &sheet{path: path, file: f, splicer: &splicer{Writer: spreadsheet.NewWriter(f), after: after, names: names}}
	if err := gocsv.MarshalCSV(none, s.splicer); err != nil {
		s.abort()
		return nil, err
	}
	return s, nil
}

// add appends n rows, a slice of structs, with the values of the spliced columns.
func (s *sheet) add(rows any, n int, spliced func(i int) (a, b []string)) error {
	if n == 0 {
		return nil
	}
	first := s.splicer.n - 1 // data rows written before
	s.splicer.row = func(i int) (a, b []string) { return spliced(i - first) }
	return gocsv.MarshalCSVWithoutHeaders(rows, s.splicer)
}

// empty reports whether no row was added.
func (s *sheet) empty() bool { return s.splicer.n <= 1 }

// absent removes a file that an earlier start wrote.
func absent(path string) error {
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func (s *sheet) commit() error {
	s.splicer.Flush()
	if err := errors.Join(s.splicer.Error(), s.file.Chmod(0o644), s.file.Close()); err != nil {
		return err
	}
	name := s.file.Name()
	s.file = nil
	return os.Rename(name, s.path)
}

func (s *sheet) abort() {
	if s != nil && s.file != nil {
		_ = s.file.Close()
		_ = os.Remove(s.file.Name())
		s.file = nil
	}
}
