package paper

import (
	"fmt"
	"math"
	"slices"

	"assay/experiments/diagnosis"
	"assay/experiments/record"
	"assay/metrics/pool"
	"assay/plots/figure"
	"assay/plots/table"
)

// errorsName is assay's own table of error categories.
const errorsName = "errors"

// ErrorOptions says what the tables of error categories count. The zero value counts every wrong answer, none of them judged; the
// table of a paper that judged a sample then draws as many, with seed 1.
type ErrorOptions struct {
	Taxonomy string           // id of the only taxonomy that the table errors has; empty: both
	Arm      string           // the only arm; empty: all
	Sample   int              // wrong answers drawn for each arm and sweep point; 0: as above
	Seed     uint64           // that they are drawn with; 0: 1
	Judged   diagnosis.Judged // a person's judgements; nil for none
}

// Sampled returns the run's wrong answers that the options draw, per arm and sweep point, in the run's order.
func (o ErrorOptions) Sampled(run *record.Run) (out []diagnosis.Diagnosis) {
	v := newView(run)
	v.errors = o
	for _, ds := range v.diagnoses() {
		out = append(out, ds...)
	}
	return out
}

// OfErrors reports whether the name is that of a table of error categories.
func OfErrors(name string) bool {
	return name == errorsName || slices.ContainsFunc(described(), func(d *description) bool { return d.Name == name && d.Taxonomy != "" && d.Drawing == "" })
}

func whyNoErrors(v *view) string {
	for _, it := range v.run.Items {
		if it.Status.Incorrect() {
			return ""
		}
	}
	return "no answer of it is wrong"
}

// diagnoses returns the wrong answers of each row, drawn as the options say.
func (v *view) diagnoses() [][]diagnosis.Diagnosis {
	o := v.errors
	of := map[record.Cell][]diagnosis.Diagnosis{}
	for _, d := range diagnosis.Wrong(v.index, o.Arm) {
		cell := d.Answer.Key().Cell
		of[cell] = append(of[cell], d)
	}
	out := make([][]diagnosis.Diagnosis, len(v.rows))
	for i, r := range v.rows {
		out[i] = diagnosis.Sample(of[r.Cell], o.Sample, max(1, o.Seed))
	}
	return out
}

// tally counts how often a category was suggested by rules, judged by a person, and both.
type tally struct{ suggested, judged, both int }

// tallied counts the categories of diagnoses; judged is how many of them a person placed in the taxonomy.
func (v *view) tallied(t diagnosis.Taxonomy, ds []diagnosis.Diagnosis) (of map[string]tally, judged int) {
	of = map[string]tally{}
	for _, d := range ds {
		rule := d.Of(t).Category
		x := of[rule]
		x.suggested++
		of[rule] = x
		j, ok := v.errors.Judged.Of(d)
		person := j.Under(t)
		if !ok || person == "" {
			continue
		}
		judged++
		x = of[person]
		x.judged++
		if person == rule {
			x.both++
		}
		of[person] = x
	}
	return of, judged
}

// errorColumns returns the columns of numbers; the judged ones only where there is a judgement.
func (v *view) errorColumns(group string) []table.Column {
	cs := numerals(group, "suggested", "share")
	cs[1].Unit = "%"
	if len(v.errors.Judged) > 0 {
		cs = append(cs, numerals(group, "judged", "judged share", "both")...)
		cs[3].Unit = "%"
	}
	return cs
}

func (v *view) errorCells(x tally, n, judged int) []table.Cell {
	cells := []table.Cell{table.Count(x.suggested), percent(x.suggested, n)}
	if len(v.errors.Judged) > 0 {
		cells = append(cells, table.Count(x.judged), percent(x.judged, judged), table.Count(x.both))
	}
	return cells
}

// judgedNotes explains how the categories were found, so that suggestions of rules are not taken for a person's judgement.
func (v *view) judgedNotes(rows [][]diagnosis.Diagnosis, taxonomies []diagnosis.Taxonomy) []string {
	notes := []string{"Suggested: by rules that see two queries and the beginning of two results, and not what the question means. No person judged them unless a column says so; assay errors writes them out for a person to judge."}
	var all []diagnosis.Diagnosis
	for _, ds := range rows {
		all = append(all, ds...)
	}
	if v.errors.Sample > 0 {
		notes = append(notes, fmt.Sprintf("Drawn: up to %d wrong answers for each row's arm and sweep point, seed %d.", v.errors.Sample, max(1, v.errors.Seed)))
	}
	if len(v.errors.Judged) > 0 {
		for _, t := range taxonomies {
			notes = append(notes, agreementNote(t, diagnosis.Agree(t, all, v.errors.Judged)))
		}
	}
	return notes
}

func agreementNote(t diagnosis.Taxonomy, a diagnosis.Agreement) string {
	s := fmt.Sprintf("Agreement, %s: ", t.ID)
	switch {
	case a.N == 0:
		s += "no judged answer has a suggestion"
	case math.IsNaN(a.Kappa):
		s += fmt.Sprintf("%d of %d judged answers have the suggested category; kappa is not defined, both having one category", a.Same, a.N)
	default:
		s += fmt.Sprintf("%d of %d judged answers have the suggested category, Cohen's kappa %.2f (n = %d)", a.Same, a.N, a.Kappa, a.N)
	}
	if a.Undecided > 0 {
		s += fmt.Sprintf("; %d more that no rule could place", a.Undecided)
	}
	return s + "."
}

// errorsTable has one row per arm, sweep point, taxonomy and category that occurs.
func errorsTable(v *view) (Output, error) {
	diagnosed := v.diagnoses()
	taxonomies, err := v.taxonomies()
	if err != nil {
		return Output{}, err
	}
	columns := append([]table.Column{{Name: "taxonomy", Key: true}, {Name: "category", Key: true}}, v.errorColumns("")...)
	t := v.lines(errorsName, "Why answers are wrong, as rules suggest", columns, func(i int, _ row) (rows [][]table.Cell) {
		for _, x := range taxonomies {
			of, judged := v.tallied(x, diagnosed[i])
			for _, c := range x.Categories {
				if of[c.ID] == (tally{}) {
					continue
				}
				rows = append(rows, append([]table.Cell{table.Text(x.ID), table.Text(c.ID)}, v.errorCells(of[c.ID], len(diagnosed[i]), judged)...))
			}
		}
		return rows
	})
	t.Notes = v.notes(append(v.judgedNotes(diagnosed, taxonomies), "Shares are of the arm's wrong answers, each in one category of each taxonomy; answers of several seeds count each.")...)
	return Output{Table: t}, nil
}

func (v *view) taxonomies() ([]diagnosis.Taxonomy, error) {
	if v.errors.Taxonomy == "" {
		return diagnosis.Taxonomies, nil
	}
	t, err := diagnosis.FindTaxonomy(v.errors.Taxonomy)
	return []diagnosis.Taxonomy{t}, err
}

// errorParts has the outcomes of pools, then the errors of generation and of selection.
func (s *sheet) errorParts(t *table.Table) {
	v := s.v
	t.Columns = slices.Concat(v.keyColumns(), []table.Column{{Name: "part", Key: true}, {Name: "category", Key: true}}, v.errorColumns(""))
	rows, ps := v.diagnoses(), s.v.pools()
	for i, r := range v.rows {
		counts, scored := outcomesOf(ps[i])
		for _, l := range s.Lines {
			n := counts[pool.Outcome(l.Name)]
			cells := append(r.keys(), table.Text("outcome"), table.Text(l.Name), table.Count(n), percent(n, scored))
			t.Rows = append(t.Rows, append(cells, make([]table.Cell, len(v.errorColumns(""))-2)...))
		}
		t.Rows = append(t.Rows, s.errorPart(r, diagnosis.Generation, rows[i])...)
		t.Rows = append(t.Rows, s.errorPart(r, diagnosis.Selection, rows[i])...)
	}
	s.judged = v.judgedNotes(rows, []diagnosis.Taxonomy{diagnosis.Chase})
}

// errorPart returns the rows of one part: its own categories, and any others that a rule suggested there.
func (s *sheet) errorPart(r row, part string, ds []diagnosis.Diagnosis) (out [][]table.Cell) {
	of := ofPart(part, ds)
	if len(of) == 0 {
		return nil
	}
	tallies, judged := s.v.tallied(diagnosis.Chase, of)
	for _, c := range diagnosis.Chase.Categories {
		x := tallies[c.ID]
		if c.Group != part && x == (tally{}) {
			continue
		}
		out = append(out, append(append(r.keys(), table.Text(part), table.Text(c.ID)), s.v.errorCells(x, len(of), judged)...))
	}
	return out
}

// oneErrorPart has the errors of generation, or of selection.
func (s *sheet) oneErrorPart(t *table.Table) {
	rows := s.v.diagnoses()
	t.Columns = slices.Concat(s.v.keyColumns(), []table.Column{{Name: "part", Key: true}, {Name: "category", Key: true}}, s.v.errorColumns(""))
	for i, r := range s.v.rows {
		t.Rows = append(t.Rows, s.errorPart(r, s.Part, rows[i])...)
	}
	s.judged = s.v.judgedNotes(rows, []diagnosis.Taxonomy{diagnosis.Chase})
}

// drawErrors draws the shares of the categories of one part, one bar per arm: those that rules suggest, or that a person judged
// where one did.
func (s *sheet) drawErrors() (figure.Drawing, error) {
	v, rows := s.v, s.v.diagnoses()
	f := &figure.Stack{ID: s.Name, Title: s.Title + ": " + v.run.Manifest.Experiment, Label: "percent of these wrong answers", Places: 1}
	for _, c := range diagnosis.Chase.Categories {
		occurs := func(ds []diagnosis.Diagnosis) bool {
			tallies, _ := v.tallied(diagnosis.Chase, ofPart(s.Part, ds))
			return tallies[c.ID] != tally{}
		}
		if c.Group == s.Part || slices.ContainsFunc(rows, occurs) {
			f.Parts = append(f.Parts, figure.Part{Name: c.ID})
		}
	}
	for i, r := range v.rows {
		of := ofPart(s.Part, rows[i])
		if len(of) == 0 {
			continue
		}
		f.Rows = append(f.Rows, v.name(r))
		tallies, judged := v.tallied(diagnosis.Chase, of)
		for k, p := range f.Parts {
			n, all := tallies[p.Name].suggested, len(of)
			if judged > 0 {
				n, all = tallies[p.Name].judged, judged
			}
			f.Parts[k].Values = append(p.Values, 100*float64(n)/float64(all))
		}
	}
	s.judged = v.judgedNotes(rows, []diagnosis.Taxonomy{diagnosis.Chase})
	f.Caption = v.tail(s.fill(s.Notes)...)
	return f, nil
}

// ofPart keeps the errors of generation, those without a right candidate, or of selection.
func ofPart(part string, ds []diagnosis.Diagnosis) (of []diagnosis.Diagnosis) {
	for _, d := range ds {
		if (d.Passed != "") == (part == diagnosis.Selection) {
			of = append(of, d)
		}
	}
	return of
}

// whyNoPart refuses runs without errors of the description's part.
func whyNoPart(v *view, d *description) string {
	if slices.ContainsFunc(v.diagnoses(), func(ds []diagnosis.Diagnosis) bool { return len(ofPart(d.Part, ds)) > 0 }) {
		return ""
	}
	if d.Part == diagnosis.Selection {
		return "no wrong answer of it has a right candidate"
	}
	return "every wrong answer of it has a right candidate"
}

// errorTypes has the types of errors by group.
func (s *sheet) errorTypes(t *table.Table) {
	own := *s.v
	v := &own
	if v.errors.Sample == 0 {
		v.errors.Sample = s.Sample
	}
	t.Columns = slices.Concat(v.keyColumns(), []table.Column{{Name: "group", Key: true}, {Name: "type", Key: true}}, v.errorColumns(""))
	rows := v.diagnoses()
	for i, r := range v.rows {
		of, judged := v.tallied(diagnosis.IT2S, rows[i])
		if len(rows[i]) == 0 {
			continue
		}
		add := func(group, name string, x tally) {
			t.Rows = append(t.Rows, append(append(r.keys(), table.Text(group), table.Text(name)), v.errorCells(x, len(rows[i]), judged)...))
		}
		for _, g := range []string{diagnosis.Mismatch, diagnosis.Errors, diagnosis.Undecided} {
			total := tally{}
			for _, c := range diagnosis.IT2S.Categories {
				if c.Group == g {
					x := of[c.ID]
					total = tally{total.suggested + x.suggested, total.judged + x.judged, total.both + x.both}
					add(g, c.ID, x)
				}
			}
			if g != diagnosis.Undecided {
				add(g, "total", total)
			}
		}
	}
	s.judged = v.judgedNotes(rows, []diagnosis.Taxonomy{diagnosis.IT2S})
}
