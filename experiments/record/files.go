package record

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"assay/configs"
	"assay/configs/input"

	"github.com/BurntSushi/toml"
)

// The files of a run folder.
const (
	ManifestFile   = "run.toml"
	QuestionsFile  = "questions.csv"
	ItemsFile      = "items.csv"
	CandidatesFile = "candidates.csv"
	DroppedFile    = "dropped.csv"
	VotesFile      = "votes.csv"
	ResultsFile    = "results.csv"
	CallsFile      = "calls.csv"
	LinksFile      = "links.csv"
	StepsFile      = "steps.csv"
	ComponentsFile = "components.csv"
	ShownFile      = "demonstrations.csv"
	ColumnsFile    = "columns.csv"
	VectorsFile    = "vectors.csv"
)

// newer are the files that runs of older versions lack, or that have no rows in most runs; readers take them as empty.
var newer = []string{DroppedFile, VotesFile, ResultsFile, LinksFile, ShownFile, StepsFile, ComponentsFile, ColumnsFile, VectorsFile}

// manifestFile is run.toml's layout.
type manifestFile struct {
	Identity   Manifest       `toml:"identity"`
	Experiment map[string]any `toml:"experiment"`
}

// Write writes the run into dir, each file whole or not at all, run.toml last.
func Write(dir string, r *Run) error {
	w, err := Create(dir, r.Manifest)
	if err != nil {
		return err
	}
	defer w.Abort()
	if err := w.Add(r.Rows); err != nil {
		return err
	}
	w.SetVectors(r.Vectors)
	return w.Commit(r.Manifest, r.Config, r.Questions)
}

// ReadManifest reads run.toml alone, as `assay runs` does for many runs.
func ReadManifest(dir string) (Manifest, map[string]any, error) {
	path := filepath.Join(dir, ManifestFile)
	var m manifestFile
	text, err := input.Text(path, input.Manifest)
	if err == nil {
		err = input.TOML(string(text))
	}
	if err == nil {
		_, err = toml.Decode(string(text), &m)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return Manifest{}, nil, fmt.Errorf("record: %q is no run folder: it has no %s", dir, ManifestFile)
	}
	if err != nil {
		return Manifest{}, nil, fmt.Errorf("record: read %q: %w", path, input.Cause(err))
	}
	return m.Identity, m.Experiment, nil
}

// Read reads a whole run; known gives the names that its experiment may use. The error names the file, and the line where
// it is malformed.
func Read(dir string, known configs.Known) (*Run, error) {
	r, err := ReadItems(dir, known)
	if err != nil {
		return nil, err
	}
	candidate := func(c *Candidate) (*[]string, *[]Value) { return &c.Point, &c.Values }
	if err := readScored(r, CandidatesFile, &r.Candidates, candidate); err != nil {
		return nil, err
	}
	if err := readScored(r, DroppedFile, &r.Dropped, candidate); err != nil {
		return nil, err
	}
	if err := readRows(r, VotesFile, &r.Votes, func(v *Vote) *[]string { return &v.Point }); err != nil {
		return nil, err
	}
	renameDecisions(r)
	if _, err := readFile(dir, ResultsFile, &r.Results, nil); err != nil {
		return nil, err
	}
	if err := readCalls(r); err != nil {
		return nil, err
	}
	if err := readRows(r, LinksFile, &r.Links, func(l *Link) *[]string { return &l.Point }); err != nil {
		return nil, err
	}
	if err := readRows(r, StepsFile, &r.Steps, func(s *Step) *[]string { return &s.Point }); err != nil {
		return nil, err
	}
	if err := readRows(r, ComponentsFile, &r.Components, func(c *Component) *[]string { return &c.Point }); err != nil {
		return nil, err
	}
	if err := readRows(r, ShownFile, &r.Shown, func(s *Shown) *[]string { return &s.Point }); err != nil {
		return nil, err
	}
	if _, err := readFile(dir, ColumnsFile, &r.Columns, nil); err != nil {
		return nil, err
	}
	return r, readRows(r, VectorsFile, &r.Vectors, func(v *Vector) *[]string { return &v.Point })
}

// ReadCalls reads a run's manifest, experiment and calls alone: their tokens, and their keys in the ledger.
func ReadCalls(dir string, known configs.Known) (*Run, error) {
	r, err := readHead(dir, known)
	if err != nil {
		return nil, err
	}
	return r, readCalls(r)
}

// EachCall passes the run's calls on, in the order of their file. A run that was read without them has them read now and not
// kept.
func (r *Run) EachCall(next func(Call)) error {
	if r.Calls != nil || r.Dir == "" {
		for _, c := range r.Calls {
			next(c)
		}
		return nil
	}
	return eachRows(r.Dir, CallsFile, r.Manifest.Axes, func(rows []Call, points [][]string) {
		for i, c := range rows {
			c.Point = points[i]
			next(c)
		}
	})
}

// readHead reads run.toml into a run without rows.
func readHead(dir string, known configs.Known) (r *Run, err error) {
	r = &Run{Dir: dir}
	if r.Manifest, r.Config, err = ReadManifest(dir); err == nil {
		r.Resolved, err = resolved(dir, r.Config, r.Manifest.Axes, known)
	}
	return r, err
}

// readCalls reads the rows of calls.csv.
func readCalls(r *Run) error {
	return readRows(r, CallsFile, &r.Calls, func(c *Call) *[]string { return &c.Point })
}

// readRows reads a file's rows, each with its sweep point.
func readRows[R any](r *Run, name string, to *[]R, point func(*R) *[]string) error {
	rows, err := readFile(r.Dir, name, to, r.Manifest.Axes)
	for i := 0; err == nil && i < len(*to); i++ {
		*point(&(*to)[i]) = rows[i]
	}
	return err
}

// readScored reads a file's rows, each with its sweep point and its scores.
func readScored[R any](r *Run, name string, to *[]R, of func(*R) (point *[]string, values *[]Value)) error {
	na := len(r.Manifest.Axes)
	rows, err := readFile(r.Dir, name, to, slices.Concat(r.Manifest.Axes, r.Manifest.MetricIDs()))
	for i := 0; err == nil && i < len(*to); i++ {
		point, values := of(&(*to)[i])
		*point = rows[i][:na]
		if *values, err = parseValues(rows[i][na:]); err != nil {
			err = fmt.Errorf("record: read %q: data row %d: %w", filepath.Join(r.Dir, name), i+1, err)
		}
	}
	return err
}

// ReadItems reads a run without its candidates and calls, which most tables do not need and which are the largest files.
func ReadItems(dir string, known configs.Known) (*Run, error) {
	r, err := readHead(dir, known)
	if err != nil {
		return nil, err
	}
	if _, err := readFile(dir, QuestionsFile, &r.Questions, nil); err != nil {
		return nil, err
	}
	item := func(it *Item) (*[]string, *[]Value) { return &it.Point, &it.Values }
	if err := readScored(r, ItemsFile, &r.Items, item); err != nil {
		return nil, err
	}
	forgetUncounted(r)
	return r, checkItems(r)
}

// forgetUncounted turns the 0 calls and tokens that older versions wrote for imported answers into unknown numbers: nobody
// had counted them.
func forgetUncounted(r *Run) {
	for i := range r.Items {
		it := &r.Items[i]
		imported := func(a configs.Arm) bool { return a.Name == it.Arm && a.Row.Imported }
		if it.Calls == CountOf(0) && slices.ContainsFunc(r.Resolved.Arms, imported) {
			it.PromptTokens, it.CompletionTokens, it.Calls, it.Cached = Count{}, Count{}, Count{}, Count{}
		}
	}
}

// renameDecisions replaces the values of Vote.DecidedBy that older versions wrote. Their column was named differently too:
// the field's tag lists both names.
func renameDecisions(r *Run) {
	now := map[string]string{"asked": "model", "remembered": "reused"}
	for i := range r.Votes {
		if word, old := now[r.Votes[i].DecidedBy]; old {
			r.Votes[i].DecidedBy = word
		}
	}
}

// readFile reads one CSV file of the run, and returns the cells of the given columns, row by row.
func readFile[R any](dir, name string, out *[]R, columns []string) (cells [][]string, err error) {
	err = eachRows(dir, name, columns, func(rows []R, of [][]string) {
		*out, cells = append(*out, rows...), append(cells, of...)
	})
	return cells, err
}

// eachRows passes the rows of one CSV file of the run on, some at a time, each with its cells of the given columns. A file
// without rows is no error, nor is a missing file that older versions did not write.
func eachRows[R any](dir, name string, columns []string, next func(rows []R, cells [][]string)) error {
	path := filepath.Join(dir, name)
	f, err := input.Open(path, input.Rows)
	if errors.Is(err, fs.ErrNotExist) && slices.Contains(newer, name) {
		return nil
	}
	if err == nil {
		defer f.Close()
		err = read(f, columns, next)
	}
	if err != nil {
		return fmt.Errorf("record: read %q: %w: run the experiment again to restore it", path, input.Cause(err))
	}
	return nil
}

// resolved parses the stored experiment.
func resolved(dir string, config map[string]any, axes []string, known configs.Known) (configs.Experiment, error) {
	return parsed(dir, config, axes, func(name string, text []byte) (configs.Experiment, error) {
		return configs.Parse(name, text, known)
	})
}

// Again returns the experiment of the run in dir, to be run again from the folder alone, with the settings applied over it. It is
// checked as a new experiment is.
func Again(dir string, known configs.Known, o configs.Options) (configs.Experiment, error) {
	m, config, err := ReadManifest(dir)
	if err != nil {
		return configs.Experiment{}, err
	}
	return parsed(dir, config, m.Axes, func(name string, text []byte) (configs.Experiment, error) {
		return configs.ParseAgain(name, text, known, o)
	})
}

// parsed parses the stored experiment by the function given, and puts its sweep into the order of the run's columns; axes that
// the run does not have come last.
func parsed(dir string, config map[string]any, axes []string, parse func(name string, text []byte) (configs.Experiment, error)) (configs.Experiment, error) {
	var buf bytes.Buffer
	path := filepath.Join(dir, ManifestFile)
	err := toml.NewEncoder(&buf).Encode(config)
	if err == nil {
		var e configs.Experiment
		if e, err = parse(path, buf.Bytes()); err == nil {
			at := func(a configs.Axis) int { // tables of TOML do not keep the order of keys
				if i := slices.Index(axes, a.Key); i >= 0 {
					return i
				}
				return len(axes)
			}
			slices.SortStableFunc(e.Sweep, func(a, b configs.Axis) int { return at(a) - at(b) })
			return e, nil
		}
	}
	return configs.Experiment{}, fmt.Errorf("record: read the experiment in %q: %w", path, err)
}
