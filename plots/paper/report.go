package paper

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"assay/experiments/record"
	"assay/plots/table"
)

// Report is the tables and figures of a run, with what they have in common.
type Report struct {
	Run     *record.Run // the run with the arms that are shown
	Title   string      // the run's name
	Notes   []string    // what a reader must know of the run, whichever table is read; a table's Source has the gist in one line
	Outputs []Output
	Missing []Missing // in the order of the names

	Doubts   []string // of the figures as Write wrote them, by name: what does not show in them
	Warnings []string // of the run itself, the first of them, which the page lists whole

	gist  string   // of Notes, in one line
	asked []string // tables that the options or the experiment name
	named bool     // somebody named the tables and figures
}

// Missing is a table or figure that was asked for, and why it could not be made.
type Missing struct {
	Name string
	Err  error
}

// String returns the note of a report that lacks it.
func (m Missing) String() string { return fmt.Sprintf("Not here: %s, since %s.", m.Name, m.Err) }

// Options say what a report has. The zero value has what the experiment asks for.
type Options struct {
	Names    []string     // tables and figures, in order; empty: the run's Names
	Arms     Arms         // the arms to show
	Columns  []string     // the columns to keep, besides those that name a row; see [table.Choose]. Empty: all
	Decimals *int         // of every measured number; nil: each column's own
	Errors   ErrorOptions // of the tables of error categories
}

// Make makes the tables and figures of a run. One that cannot be made is among the report's Missing and stops no other. It
// fails where the options name what does not exist: a table, an arm, an order or a column.
func Make(run *record.Run, o Options) (Report, error) {
	run, err := o.Arms.of(run)
	if err != nil {
		return Report{}, fmt.Errorf("paper: show run %q: %w", run.Manifest.ID, err)
	}
	names := o.Names
	v := newView(run)
	if len(names) == 0 {
		names = Names(run)
		if whyNoFidelity(v) == "" && !slices.Contains(names, fidelityName) {
			names = append(names, fidelityName)
		}
	}
	v.errors = o.Errors
	v.sort(o.Arms.Order)
	rep := Report{Run: run, Title: v.runName(), Notes: v.common(), Warnings: v.told(), gist: v.gist()}
	rep.asked = append(slices.Clone(o.Names), run.Resolved.Report.Tables...)
	rep.named = len(o.Names)+len(run.Resolved.Report.Tables)+len(run.Resolved.Report.Figures) > 0
	for _, name := range names {
		m, err := find(name, ownMakers(run.Resolved))
		if err != nil && len(o.Names) > 0 {
			return Report{}, err
		}
		if err == nil {
			err = rep.add(v, m, name, names)
		}
		if err != nil {
			rep.Missing = append(rep.Missing, Missing{name, err})
		}
	}
	if err := rep.trim(o); err != nil {
		return Report{}, fmt.Errorf("paper: show run %q: %w", run.Manifest.ID, err)
	}
	return rep, nil
}

// add adds a table or figure. A table that has no published number since none can be compared is followed by the table of those,
// unless the names ask for it themselves.
func (r *Report) add(v *view, m maker, name string, names []string) error {
	out, err := v.output(m, name)
	if err != nil {
		return err
	}
	out.Aside = !r.named && slices.Contains(details, name) || out.Aside && !slices.Contains(r.asked, name)
	r.Outputs = append(r.Outputs, out)
	apart := PublishedOf(name)
	if apart == "" || out.Table == nil || out.besidePublished() || slices.Contains(names, apart) {
		return nil
	}
	if m, err = find(apart, nil); err != nil {
		return err
	}
	out, err = v.output(m, apart)
	out.Aside = true
	r.Outputs = append(r.Outputs, out)
	return err
}

// besidePublished reports whether the table has a number that a paper printed.
func (o Output) besidePublished() bool {
	return slices.ContainsFunc(o.Table.Rows, func(r []table.Cell) bool {
		return slices.ContainsFunc(r, func(c table.Cell) bool { return c.Published })
	})
}

// output makes one table or figure.
func (v *view) output(m maker, name string) (Output, error) {
	if why := m.refusal(v); why != "" {
		return Output{}, errors.New(why)
	}
	out, err := m.make(v)
	if err != nil {
		return Output{}, err
	}
	out.Name = name
	if out.Table != nil {
		out.Table.Source = cmp.Or(out.Table.Source, v.gist())
		v.bracketed(out.Table)
	}
	return out, nil
}

// Headline is the table of what each arm scored, with few columns: every metric with its interval, and how many answers have a
// score where some have none. The report of a run begins with it.
func Headline(run *record.Run) (Report, error) {
	v := newView(run)
	rep := Report{Run: run, Title: v.runName(), Notes: slices.Concat(v.troubles(), v.doubts()), Warnings: v.told()}
	if len(v.rows) == 0 {
		return rep, fmt.Errorf("paper: make the headline of run %q: the run has no answers", run.Manifest.ID)
	}
	columns := v.metricFields("accuracy")
	for i := range columns {
		columns[i].Best = true
	}
	if v.unscored() != "" {
		columns = append(columns, field{Name: "scored", Measure: "scored by status"}, field{Name: "answers", Measure: "answers"})
	}
	out := v.plain("headline", "What each arm scored").perArm([]side{{fields: columns}}, v.intervalNote())
	out.Table.Source = v.gist()
	v.bracketed(out.Table)
	rep.Outputs = []Output{out}
	return rep, nil
}

// Tables returns the report's tables, in order.
func (r Report) Tables() (out []*table.Table) {
	for _, o := range r.Outputs {
		if o.Table != nil {
			out = append(out, o.Table)
		}
	}
	return out
}

// Once returns the report's outputs to be read one below the other: a table's note that an earlier one has is left out, and a
// source that is not the run itself is a note.
func (r Report) Once() []Output {
	out, said := slices.Clone(r.Outputs), map[string]bool{}
	for i, o := range out {
		if o.Table == nil {
			continue
		}
		t := *o.Table
		notes := slices.Clone(t.Notes)
		if t.Source != r.gist {
			notes = append(notes, t.Source)
		}
		t.Notes = nil
		for _, n := range notes {
			if !said[n] {
				t.Notes = append(t.Notes, n)
			}
			said[n] = true
		}
		out[i].Table = &t
	}
	return out
}

// Said returns the notes that need not stand under a table whose report's Notes stand above: their gist.
func (r Report) Said() map[string]bool { return map[string]bool{r.gist: true} }

// Err returns why what was asked for is missing; nil where nothing is.
func (r Report) Err() error {
	var all []error
	for _, m := range r.Missing {
		all = append(all, fmt.Errorf("paper: make %q of run %q: %w", m.Name, r.Run.Manifest.ID, m.Err))
	}
	return errors.Join(all...)
}

// trim keeps the columns and decimals that the options ask for.
func (r Report) trim(o Options) error {
	tables := r.Tables()
	if len(tables) > 0 {
		if err := table.Choose(tables, o.Columns); err != nil {
			return err
		}
	}
	if o.Decimals == nil {
		return nil
	}
	for _, t := range tables {
		t.Round(*o.Decimals)
	}
	return nil
}
