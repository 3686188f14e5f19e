package diagnosis

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"assay/configs"
	"assay/configs/input"
	"assay/experiments/record"
	"assay/metrics/spreadsheet"
)

// header is the columns of the CSV. A person fills in judged and note, and may reorder, sort and add columns.
var header = []string{"item", "db", "arm", "sweep", "seed", "status", "question", "gold", "sql",
	"suggested_chase", "rule_chase", "suggested_it2s", "rule_it2s", "evidence", "judged", "note"}

// needed are the columns without which a judged file cannot be read.
var needed = []string{"item", "arm", "seed", "judged"}

func seedText(seed int64) string { return strconv.FormatInt(seed, 10) }

// Sweep prints a sweep point: "temperature=0.5 k=4", empty without a sweep.
func Sweep(axes, point []string) string {
	var parts []string
	for i, p := range point {
		if i < len(axes) {
			p = axes[i] + "=" + p
		}
		parts = append(parts, p)
	}
	return strings.Join(parts, " ")
}

// Write writes one row per diagnosis, with empty columns judged and note, or with the judgement made before.
func Write(w io.Writer, run *record.Run, all []Diagnosis, judged Judged) error {
	c := spreadsheet.NewWriter(w)
	rows := [][]string{header}
	for _, d := range all {
		a, j := d.Answer, judged[d.Answer.Key()]
		evidence := d.Chase.Evidence
		if d.IT2S.Evidence != evidence && d.IT2S.Evidence != "" {
			evidence = strings.TrimPrefix(evidence+" | "+d.IT2S.Evidence, " | ")
		}
		row := []string{a.Item, a.DB, a.Arm, Sweep(run.Manifest.Axes, a.Point), seedText(a.Seed), string(a.Status), d.Question.Question,
			d.Question.Gold, a.SQL, d.Chase.Category, d.Chase.Rule, d.IT2S.Category, d.IT2S.Rule, evidence, strings.Join(j.Categories, "; "), j.Note}
		rows = append(rows, row)
	}
	if err := c.WriteAll(rows); err != nil {
		return fmt.Errorf("diagnosis: write: %w", err)
	}
	return nil
}

// sameLines returns a text with the line ends that a spreadsheet may have made of its own.
func sameLines(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }

// Judgement is a person's decision about one answer: at most one category of each taxonomy.
type Judgement struct {
	Categories []string
	Note       string
	Line       int // in the file, from 1
}

// Under returns the category under the taxonomy, empty for none.
func (j Judgement) Under(t Taxonomy) string {
	for _, c := range j.Categories {
		if t.Has(c) {
			return c
		}
	}
	return ""
}

// Judged holds the judgements of a file, by answer.
type Judged map[record.Key]Judgement

// Of returns the judgement of a diagnosis.
func (j Judged) Of(d Diagnosis) (Judgement, bool) {
	one, ok := j[d.Answer.Key()]
	return one, ok
}

// ReadJudged reads a file that Write wrote and a person filled in, and checks it against the run: every row must be a
// wrong answer of it, and every name a category. Rows with an empty judged are left out. Errors are file:line: cause.
func ReadJudged(path string, run *record.Run) (Judged, error) {
	b, err := input.Text(path, input.Judged)
	if err != nil {
		return nil, fmt.Errorf("diagnosis: read %q: %w", path, input.Cause(err))
	}
	j, err := parseJudged(path, b, run)
	if err != nil {
		return nil, fmt.Errorf("diagnosis: read judged: %w", err)
	}
	return j, nil
}

func parseJudged(path string, b []byte, run *record.Run) (Judged, error) {
	r := spreadsheet.NewReader(bytes.NewReader(b))
	head, err := r.Read()
	if err != nil {
		return nil, fmt.Errorf("%s:1: no header: %w", path, err)
	}
	at, err := columnsOf(head)
	if err != nil {
		return nil, fmt.Errorf("%s:1: %w", path, err)
	}
	known, out := answersOf(run), Judged{}
	for {
		rec, err := r.Read()
		if err == io.EOF {
			return out, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		line := r.Line()
		get := func(name string) string {
			if i, ok := at[name]; ok && i < len(rec) {
				return rec[i]
			}
			return ""
		}
		if err := out.add(get, line, known); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, line, err)
		}
	}
}

func columnsOf(head []string) (map[string]int, error) {
	at := map[string]int{}
	for i, h := range head {
		at[strings.TrimSpace(h)] = i
	}
	for _, n := range needed {
		if _, ok := at[n]; !ok {
			return nil, fmt.Errorf("no column %q among %s", n, strings.Join(head, ", "))
		}
	}
	return at, nil
}

// answers returns a run's answers by the cells that name them in the file.
type answers struct {
	of          map[naming]*record.Item
	items, arms []string
}

// naming returns the cells of a row that name its answer.
type naming struct{ item, arm, sweep, seed string }

func answersOf(run *record.Run) answers {
	a := answers{of: map[naming]*record.Item{}}
	seen := map[string]bool{}
	for i := range run.Items {
		it := &run.Items[i]
		a.of[naming{it.Item, it.Arm, Sweep(run.Manifest.Axes, it.Point), seedText(it.Seed)}] = it
		if !seen[it.Item] {
			seen[it.Item] = true
			a.items = append(a.items, it.Item)
		}
		if !slices.Contains(a.arms, it.Arm) {
			a.arms = append(a.arms, it.Arm)
		}
	}
	return a
}

// add checks one row and keeps it.
func (j Judged) add(get func(string) string, line int, known answers) error {
	named := get("judged")
	if strings.TrimSpace(named) == "" {
		return nil
	}
	it, err := known.find(get)
	if err != nil {
		return err
	}
	if sql := get("sql"); sql != "" && sameLines(sql) != sameLines(it.SQL) {
		return fmt.Errorf("item %q: the file judges another answer than the run's", it.Item)
	}
	cats, err := categories(named)
	if err != nil {
		return err
	}
	k := it.Key()
	if before, twice := j[k]; twice {
		return fmt.Errorf("item %q is judged on line %d already", it.Item, before.Line)
	}
	j[k] = Judgement{cats, strings.TrimSpace(get("note")), line}
	return nil
}

// find returns the wrong answer that a row is about.
func (a answers) find(get func(string) string) (*record.Item, error) {
	item, arm, seed := get("item"), get("arm"), strings.TrimSpace(get("seed"))
	it, ok := a.of[naming{item, arm, get("sweep"), seed}]
	switch {
	case ok && !it.Status.Incorrect():
		return it, fmt.Errorf("item %q is not wrong in this run: its status is %s", item, it.Status)
	case ok:
		return it, nil
	case !slices.Contains(a.items, item):
		return it, unknown("item", item, a.items)
	case !slices.Contains(a.arms, arm):
		return it, unknown("arm", arm, a.arms)
	}
	return it, fmt.Errorf("item %q has no answer of arm %q with sweep %q and seed %q", item, arm, get("sweep"), seed)
}

// categories reads the cell judged: a category, or one of each taxonomy with a semicolon between.
func categories(cell string) (out []string, err error) {
	for _, name := range strings.Split(cell, ";") {
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		var known []string
		of := -1
		for i, t := range Taxonomies {
			for _, c := range t.Categories {
				if c.ID != toBeJudged {
					known = append(known, c.ID)
				}
			}
			if t.Has(name) && name != toBeJudged {
				of = i
			}
		}
		if of < 0 {
			return nil, unknown("category", name, known)
		}
		if slices.ContainsFunc(out, Taxonomies[of].Has) {
			return nil, fmt.Errorf("%q is a second category of %s: want one", name, Taxonomies[of].ID)
		}
		out = append(out, name)
	}
	return out, nil
}

func unknown(what, name string, known []string) error {
	const most = 20 // names that an error lists
	if len(known) > most && configs.Nearest(name, known) == "" {
		return fmt.Errorf("%s %q is unknown", what, name)
	}
	return fmt.Errorf("%s %s", what, configs.Unknown(name, known))
}
