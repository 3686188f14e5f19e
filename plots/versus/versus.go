// Package versus prints a comparison of runs. A compare.Report becomes tables of differences, spending, reasons and settings,
// and a forest plot; these are written as text, CSV, JSON, Markdown, or one HTML page. It never computes a statistic: every
// number comes from package compare, so that all forms show the same.
package versus

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"assay/experiments/compare"
	"assay/experiments/cost"
	"assay/experiments/record"
	"assay/metrics/stats"
	"assay/plots/style"
	"assay/plots/table"
)

// Options says what is printed.
type Options struct {
	Flips   int               // flipped items listed per pair of arms; below 0: all
	Prompts []Prompt          // example prompts under both arms; may be empty
	Text    table.TextOptions // of WriteText
	Links   []style.Link      // of WriteHTML, to the pages around it; none where it stands alone
}

// probability prints a p-value: three decimals, or two digits where it is smaller.
func probability(p float64) string {
	if p >= 0.001 || p == 0 {
		return stats.Fixed(p, 3)
	}
	return fmt.Sprintf("%.1e", p)
}

func right(name string) table.Column { return table.Column{Name: name, Align: table.Right} }

func texts(words ...string) (out []table.Cell) {
	for _, w := range words {
		out = append(out, table.Text(w))
	}
	return out
}

// groups returns the table of one family. A wide table also has the p-value before Holm's correction.
func (l layout) groups(f compare.Family, wide bool) *table.Table {
	t := &table.Table{ID: "diff", Title: fmt.Sprintf("%s in percent, all items", l.Metric), Columns: l.keyColumns(f.Axis)}
	if f.Axis != "" {
		t.ID, t.Title = "diff/"+f.Axis, fmt.Sprintf("%s in percent, by %s", l.Metric, f.Axis)
	}
	if !slices.Contains(l.keys(f.Axis), "arm") {
		t.Title += l.onlyArms()
	}
	names := []string{"n", "A", "B", "B-A", "lost", "won", "p", "shows"}
	if l.runs {
		names[2], names[3] = "other", "less A"
	}
	if wide {
		names = slices.Insert(names, 7, "p, Holm")
	} else if f.Tests > 1 {
		names[6] = "p Holm"
	}
	for _, n := range names {
		t.Columns = append(t.Columns, right(n))
	}
	t.Columns[len(t.Columns)-1].Extra, t.Columns[len(t.Columns)-1].Note = true, l.showsNote()
	l.each(f.Axis, func(c *compare.Comparison, p compare.Pair, g compare.Group) {
		t.Rows = append(t.Rows, append(l.keyCells(c, p, f.Axis, g.Value), groupCells(g, wide)...))
	})
	t.Notes = l.groupNotes(f)
	return t
}

// groupCells are a group's numbers as a report's table of differences has them; a group without items has none.
func groupCells(g compare.Group, wide bool) []table.Cell {
	n := 8
	if wide {
		n++
	}
	if g.Items == 0 {
		return append([]table.Cell{table.Count(0)}, make([]table.Cell, n-1)...)
	}
	points := func(f float64) table.Cell {
		return table.Measured(table.Number{Value: 100 * f, N: g.Items, Decimals: 1})
	}
	diff := table.Measured(table.Number{Value: 100 * g.Diff, Low: 100 * g.Low, High: 100 * g.High, HasInterval: true, N: g.Items, Decimals: 1, Signed: true})
	cells := []table.Cell{table.Count(g.Items), points(g.MeanA), points(g.MeanB), diff, table.Count(g.OnlyA), table.Count(g.OnlyB)}
	if wide {
		cells = append(cells, table.Text(probability(g.P)))
	}
	corrected := probability(g.Holm)
	if !g.Significant {
		corrected = "~ " + corrected
	}
	shows := table.Text("-")
	if g.Smallest > 0 {
		shows = points(g.Smallest)
	}
	return append(cells, table.Text(corrected), shows)
}

// groupNotes explains how the numbers of a family were computed.
func (l layout) groupNotes(f compare.Family) (notes []string) {
	var tests, intervals []string
	add := func(list *[]string, s string) {
		if s != "" && !slices.Contains(*list, s) {
			*list = append(*list, s)
		}
	}
	l.each(f.Axis, func(_ *compare.Comparison, _ compare.Pair, g compare.Group) {
		add(&tests, g.Test)
		add(&intervals, g.Interval)
	})
	if f.Axis != "" {
		notes = []string{fmt.Sprintf("p: %s; Holm over %s. Interval: %s%s.", strings.Join(tests, " or "), many(f.Tests, "test"), strings.Join(intervals, " or "), unadjusted(f))}
		if l.swept(f.Axis) {
			notes = append(notes, "Over the sweep points of a value: an item's score is its mean over the points where it has a score on both sides, and over seeds; lost and won count items times points.")
		}
		return notes
	}
	notes = []string{fmt.Sprintf("Interval (%g %%): %s%s. p, two-sided: %s; Holm over %s. ~: not significant after Holm.",
		100*l.Level, strings.Join(intervals, " or "), unadjusted(f), strings.Join(tests, " or "), many(f.Tests, "test")),
		l.showsNote()}
	return append(notes, l.pairNotes()...)
}

// showsNote explains the column of what n items can show.
func (l layout) showsNote() string {
	return fmt.Sprintf("shows: the smallest difference that n items show with a chance of %g %%, as many telling the two runs apart as here.", 100*l.Power)
}

// fewNames is how many pairs a note names.
const fewNames = 3

// pairNotes are what must be known of pairs of arms: each text once, after the pairs that it is true of.
func (l layout) pairNotes() (notes []string) {
	var order []string
	of, pairs := map[string][]string{}, 0
	l.each("", func(c *compare.Comparison, p compare.Pair, g compare.Group) {
		name := Arm(p)
		if l.runs {
			name = run(c) + ", " + name
		}
		pairs++
		for _, text := range remarksOf(g) {
			if of[text] == nil {
				order = append(order, text)
			}
			of[text] = append(of[text], name)
		}
	})
	for _, text := range order {
		names := of[text]
		switch n := len(names); {
		case n == pairs && n > 1:
			notes = append(notes, "All rows: "+text+".")
			continue
		case n > fewNames:
			names = append(names[:fewNames:fewNames], fmt.Sprintf("and %d more", n-fewNames))
		}
		notes = append(notes, strings.Join(names, "; ")+": "+text+".")
	}
	return notes
}

// remarksOf are the doubts about one group.
func remarksOf(g compare.Group) (out []string) {
	if g.Unpaired > 0 {
		out = append(out, fmt.Sprintf("%d rows have no partner, or no score on one side", g.Unpaired))
	}
	if g.Pairs > g.Items {
		out = append(out, fmt.Sprintf("%d pairs of scores, of %d items under several seeds; lost and won count pairs, all other numbers are per item", g.Pairs, g.Items))
	}
	return append(out, g.Warnings...)
}

// unadjusted says of the intervals of a family that they are not corrected, as p is.
func unadjusted(f compare.Family) string {
	if f.Tests < 2 {
		return ""
	}
	return ", not adjusted for the number of tests"
}

func many(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Groups returns one row per group of every family with every number, for CSV: shares within 0 and 1, not percent.
func Groups(r *compare.Report) *table.Table {
	l := newLayout(r)
	t := &table.Table{ID: "groups", Title: "Differences in " + r.Metric}
	for _, name := range []string{"run a", "run b", "label b", "arm a", "arm b", "point", "axis", "group", "items", "pairs", "unpaired", "databases", "a", "b",
		"difference", "only a", "only b", "p", "p holm", "significant", "shows", "test", "interval", "point b"} {
		t.Columns = append(t.Columns, table.Column{Name: name})
	}
	for _, f := range r.Families {
		l.each(f.Axis, func(c *compare.Comparison, p compare.Pair, g compare.Group) {
			row := texts(c.A.Name, c.B.Name, c.B.Label, p.ArmA, p.ArmB, compare.Place(p.Axes, p.Point), g.Axis, g.Value)
			for _, n := range []int{g.Items, g.Pairs, g.Unpaired, g.Databases} {
				row = append(row, table.Count(n))
			}
			row = append(row, number(g.MeanA), number(g.MeanB), table.Measured(table.Number{Value: g.Diff, Low: g.Low, High: g.High, HasInterval: true}),
				table.Count(g.OnlyA), table.Count(g.OnlyB), number(g.P), number(g.Holm), table.Text(fmt.Sprint(g.Significant)), number(g.Smallest))
			t.Rows = append(t.Rows, append(row, texts(g.Test, g.Interval, compare.Place(p.AxesB, p.PointB))...))
		})
	}
	return t
}

func number(f float64) table.Cell { return table.Measured(table.Number{Value: f}) }

// Flips returns one row per flip, for CSV.
func Flips(r *compare.Report) *table.Table {
	t := &table.Table{ID: "flips", Title: "Items whose score changed"}
	for _, name := range []string{"run a", "run b", "label b", "arm a", "arm b", "point", "item", "db", "hardness", "difficulty", "seed", "change", "score a", "score b",
		"status a", "status b", "class", "reason", "sql a", "sql b", "gold", "question", "point b"} {
		t.Columns = append(t.Columns, table.Column{Name: name})
	}
	for _, c := range r.Comparisons {
		for _, p := range c.Pairs {
			for _, f := range p.Flips {
				row := texts(c.A.Name, c.B.Name, c.B.Label, p.ArmA, p.ArmB, compare.Place(p.Axes, p.Point), f.Item, f.DB, f.Hardness, f.Difficulty)
				row = append(row, table.Count(int(f.Seed)), table.Text(outcome(f)), number(f.ScoreA), number(f.ScoreB))
				t.Rows = append(t.Rows, append(row, texts(string(f.StatusA), string(f.StatusB), string(f.Class), f.Reason, f.SQLA, f.SQLB, f.Gold, f.Question, compare.Place(p.AxesB, p.PointB))...))
			}
		}
	}
	return t
}

func outcome(f compare.Flip) string {
	if f.Lost() {
		return "lost"
	}
	return "won"
}

// spending returns what each side's answers took; nil where no side made a call.
func (l layout) spending() *table.Table {
	t := &table.Table{ID: "diff/spending", Title: "What the compared answers took", Columns: l.keyColumns("")}
	t.Columns = append(t.Columns, table.Column{Name: "side", Key: true}, right("calls"), right("of the ledger"), right("prompt tokens"), right("completion tokens"), right("USD"))
	t.Columns[len(t.Columns)-2].Short, t.Columns[len(t.Columns)-3].Short, t.Columns[len(t.Columns)-4].Short = "completion", "prompt", "ledger"
	none := record.CountOf(0)
	spent := false
	l.each("", func(c *compare.Comparison, p compare.Pair, _ compare.Group) {
		for i, s := range []compare.Spending{p.SpentA, p.SpentB} {
			spent = spent || s.Calls != none
			usd := record.Unknown
			if s.USD.OK {
				usd = cost.Dollars(s.USD.V)
			} else if note := s.Unpriced + "."; !slices.Contains(t.Notes, note) {
				t.Notes = append(t.Notes, note)
			}
			t.Rows = append(t.Rows, append(l.keyCells(c, p, "", ""), texts([]string{c.A.Label, c.B.Label}[i], s.Calls.String(), s.Cached.String(), s.Prompt.String(), s.Completion.String(), usd)...))
		}
		t.Rows = append(t.Rows, append(l.keyCells(c, p, "", ""), l.ratio(c, p.SpentA, p.SpentB)...))
		if x, y := p.SpentA.Answers, p.SpentB.Answers; x != y {
			note := fmt.Sprintf("%s has %d answers here, %s has %d: %[3]s/%[1]s is per answer.", c.A.Label, x, c.B.Label, y)
			if !slices.Contains(t.Notes, note) {
				t.Notes = append(t.Notes, note)
			}
		}
	})
	if !spent {
		return nil
	}
	t.Notes = append(t.Notes, "Answers from the ledger count in full: the table shows what the answers take, not what was paid.")
	if took := l.took(); took != "" {
		t.Notes = append(t.Notes, took)
	}
	return t
}

// took says how long the runs took; empty where none is known.
func (l layout) took() string {
	var parts []string
	seen := map[string]bool{}
	for _, c := range l.Comparisons {
		for _, s := range []compare.Side{c.A, c.B} {
			if s.Seconds > 0 && !seen[s.Label] {
				seen[s.Label] = true
				parts = append(parts, fmt.Sprintf("%s %s", s.Label, time.Duration(s.Seconds*float64(time.Second)).Round(100*time.Millisecond)))
			}
		}
	}
	if parts == nil {
		return ""
	}
	return "Time of the runs while they made calls, all their arms together, on whatever machine: " + strings.Join(parts, ", ") + "."
}

// ratio returns a run's spending per answer as a multiple of A's.
func (l layout) ratio(c *compare.Comparison, a, b compare.Spending) []table.Cell {
	of := func(x, y float64) string {
		x, y = x/float64(max(1, a.Answers)), y/float64(max(1, b.Answers))
		if x <= 0 || y <= 0 {
			return "-"
		}
		digits := max(0, 1-int(math.Floor(math.Log10(y/x))))
		return stats.Fixed(y/x, min(digits, 4))
	}
	counts := func(x, y record.Count) string { return of(float64(x.N), float64(y.N)) }
	return texts(c.B.Label+"/"+c.A.Label, counts(a.Calls, b.Calls), "", counts(a.Prompt, b.Prompt), counts(a.Completion, b.Completion), of(a.USD.V, b.USD.V))
}

// reasons returns the flips per class; nil where there are none.
func (l layout) reasons() *table.Table {
	t := &table.Table{ID: "diff/reasons", Title: "Why items flipped, as the SQL tells", Columns: append(l.keyColumns(""), table.Column{Name: "what differs", Key: true}, right("lost"), right("won"))}
	l.each("", func(c *compare.Comparison, p compare.Pair, _ compare.Group) {
		for _, r := range p.Reasons {
			t.Rows = append(t.Rows, append(l.keyCells(c, p, "", ""), table.Text(string(r.Class)), table.Count(r.Lost), table.Count(r.Won)))
		}
	})
	if len(t.Rows) == 0 {
		return nil
	}
	t.Notes = []string{"From A to the other, the first that holds: one side did not run; equal but for spelling, values, DISTINCT, ORDER BY, LIMIT, the result columns; other tables; other SQL features; other columns; other conditions."}
	return t
}

// config returns the keys that differ; nil where none do.
func (l layout) config() *table.Table {
	t := &table.Table{ID: "diff/config", Title: "What differs in the experiments"}
	if l.runs {
		t.Columns = append(t.Columns, table.Column{Name: "run", Key: true})
	}
	t.Columns = append(t.Columns, table.Column{Name: "key", Key: true}, table.Column{Name: "A"}, table.Column{Name: "B"})
	if l.runs {
		t.Columns[3].Name = "other"
	}
	for _, c := range l.Comparisons {
		for _, d := range c.Config {
			var row []table.Cell
			if l.runs {
				row = texts(run(c))
			}
			t.Rows = append(t.Rows, append(row, texts(d.Key, dash(d.A), dash(d.B))...))
		}
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return t
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// tables returns all tables of a report except the flips, in order.
func (l layout) tables(wide bool) (out []*table.Table) {
	for _, f := range l.Families {
		out = append(out, l.groups(f, wide))
	}
	out = append(out, l.patterns()...)
	return slices.DeleteFunc(append(out, l.spending(), l.reasons()), func(t *table.Table) bool { return t == nil })
}

// heads returns one line per run: "A  name (dataset, 12 items)".
func (l layout) heads() (out []string) {
	say := func(letter string, s compare.Side) {
		out = append(out, fmt.Sprintf("%s  %s (%s, %s)", letter, s.Name, s.Manifest.Dataset, many(s.Manifest.Items, "item")))
	}
	say(l.Base.Label, l.Base)
	for _, c := range l.Comparisons {
		say(c.B.Label, c.B)
	}
	return out
}

// remarks returns the warnings and notes about each comparison.
func (l layout) remarks() (out []string) {
	for _, c := range l.Comparisons {
		prefix := ""
		if l.runs {
			prefix = run(c) + ": "
		}
		if c.Identical {
			out = append(out, prefix+"The two runs agree on every paired item: the same SQL, the same "+l.Metric+".")
		}
		for _, w := range c.Warnings {
			out = append(out, "Warning: "+prefix+w)
		}
		for _, n := range c.Notes {
			out = append(out, "Note: "+prefix+n)
		}
	}
	return out
}
