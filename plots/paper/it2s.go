package paper

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"assay/configs"
	"assay/experiments/public"
	"assay/experiments/record"
	"assay/plots/table"
)

const it2s = "Xiong et al. (Interactive-T2S), 2024, arXiv 2408.11062"

// it2sMakers are the tables of Interactive-T2S. Reports have them where an experiment names them. Its Tables 1, 6 and 9
// are of datasets, not of runs: assay stats prints them.
var it2sMakers = []maker{
	{"it2s/table2", "Spider dev and its variants, among others", it2s + ", Table 2", false, always, never, boardMaker(it2sTable2)},
	{"it2s/table3", "BIRD dev with and without evidence, among others", it2s + ", Table 3", false, always, never, boardMaker(it2sTable3)},
	{"it2s/table4", "BIRD-Financial Corrected in its three versions", it2s + ", Table 4", false, always, never, boardMaker(it2sTable4)},
	{"it2s/table5", "BIRD Mini-Dev: execution and soft F1", it2s + ", Table 5", false, always, never, boardMaker(it2sTable5)},
	{"it2s/table7", "Tokens of fixed prompt text by part", it2s + ", Table 7", false, always, never, it2sTable7},
	{"it2s/table8", "Rounds, tokens and money a question", it2s + ", Table 8", false, whyNoTurns, never, it2sTable8},
	{"it2s/table10", "What FindShortestPath is worth, by tables joined", it2s + ", Table 10", false, whyNoJoined, never, it2sTable10},
}

// entry is an arm with its answers on each dataset that a run has; a joined run has an arm once a dataset.
type entry struct {
	label string
	rows  []row
}

func (e entry) arm() configs.Arm { return e.rows[0].arm }

// entries gathers rows that are the same arm on different datasets: equal but for what sets joined runs apart in its name.
func (v *view) entries() []entry {
	var out []entry
	for _, r := range v.rows {
		same := func(e entry) bool {
			_, known := e.on(datasetOf(r))
			return !known && sameArm(e.rows[0], r)
		}
		if i := slices.IndexFunc(out, same); i >= 0 {
			out[i].rows = append(out[i].rows, r)
			continue
		}
		out = append(out, entry{rows: []row{r}})
	}
	for i := range out {
		first := out[i].rows[0]
		plain := first
		plain.label = plainLabel(first)
		twin := func(e entry) bool {
			return plainLabel(e.rows[0]) == plain.label && slices.Equal(e.rows[0].point, first.point)
		}
		if out[i].label = v.name(plain); slices.ContainsFunc(slices.Concat(out[:i], out[i+1:]), twin) {
			out[i].label = v.name(first)
		}
	}
	return out
}

// plainLabel is a row's label without what joining runs puts behind it.
func plainLabel(r row) string {
	if base(r.arm.Name) == r.arm.Name {
		return r.label
	}
	return base(r.label)
}

// base is a name without what joining runs puts behind it, which no name of an experiment has.
func base(name string) string {
	if i := strings.LastIndex(name, " ("); i > 0 && strings.HasSuffix(name, ")") {
		return name[:i]
	}
	return name
}

// private stands behind the name of a dataset whose databases are not those of the public one.
const private = " (other databases)"

// datasetOf is the dataset of a row's items, such as spider/dev.
func datasetOf(r row) string {
	if len(r.items) == 0 {
		return ""
	}
	var dbs []string
	for _, it := range r.items {
		if n := len(dbs); n == 0 || dbs[n-1] != it.DB {
			dbs = append(dbs, it.DB)
		}
	}
	set := itemSet(r.items[0])
	if !public.Is(set, dbs) {
		set += private
	}
	return set
}

func itemSet(it *record.Item) string {
	parts := strings.SplitN(it.Item, "/", 3)
	return strings.Join(parts[:min(2, len(parts))], "/")
}

// on is the entry's answers on one dataset.
func (e entry) on(dataset string) (row, bool) {
	i := slices.IndexFunc(e.rows, func(r row) bool { return datasetOf(r) == dataset })
	if i < 0 {
		return row{}, false
	}
	return e.rows[i], true
}

// it2sMethod is the system of the paper's tables that an arm repeats: the agent with all its tools and both
// demonstrations, or one call without any. Empty for none.
func it2sMethod(a configs.Arm) string {
	switch g := a.Agent.OrPaper(); {
	case a.Row.Agent && len(g.Off) == 0 && g.Demos == 2:
		return "interactive-t2s"
	case a.Method == "standard" && (a.Exemplars.K == 0 || a.Exemplars.Strategy == "none"):
		return "zero-shot"
	}
	return ""
}

// hinted reports whether an arm saw evidence: it hides none, and an item of the dataset has some.
func (v *view) hinted(r row) bool {
	if r.arm.Schema.HideEvidence {
		return false
	}
	return slices.ContainsFunc(v.questionsOf(datasetOf(r)), func(q record.Question) bool { return q.Evidence != "" })
}

// slot is one column of a published table.
type slot struct{ group, dataset, metric, column string }

// board is a table of systems: those of this run, and those that the paper lists.
type board struct {
	id, title, file string
	slots           []slot
	decimals        int
	knowledge       bool // it is cut into systems with evidence and without
	where           string
	notes           []string
}

var (
	it2sTable2 = board{id: "it2s/table2", title: "Spider dev and its variants", file: "it2s-table2.csv", decimals: 1, where: "Table 2", slots: []slot{
		{"Spider dev", "spider/dev", "em", "dev_em"}, {"Spider dev", "spider/dev", "ex", "dev_ex"},
		{"Spider-DK", "spider/dk", "em", "dk_em"}, {"Spider-DK", "spider/dk", "ex", "dk_ex"},
		{"Spider-Syn", "spider/syn", "em", "syn_em"}, {"Spider-Syn", "spider/syn", "ex", "syn_ex"},
		{"Spider-Realistic", "spider/realistic", "em", "realistic_em"}, {"Spider-Realistic", "spider/realistic", "ex", "realistic_ex"}}}
	it2sTable3 = board{id: "it2s/table3", title: "BIRD dev with and without evidence", file: "it2s-table3.csv", decimals: 2, where: "Table 3", knowledge: true,
		slots: []slot{{"BIRD dev", "bird/dev", "ex-bird", "ex"}}}
	it2sTable4 = board{id: "it2s/table4", title: "BIRD-Financial Corrected", file: "it2s-table4.csv", decimals: 2, where: "Table 4", knowledge: true, slots: []slot{
		{"Original", "bird-finc/original", "ex-bird", "original"}, {"SQLC", "bird-finc/sql", "ex-bird", "sql"}, {"DataC", "bird-finc/data", "ex-bird", "data"}},
		notes: []string{"SQLC: the golds are corrected. DataC: the questions too.",
			"Of 106 items no share is 38.09 %, as the paper has it for zero-shot GPT-4: 40 right are 37.74 %, 41 are 38.68 %; all its other shares are whole items."}}
	it2sTable5 = board{id: "it2s/table5", title: "BIRD Mini-Dev", file: "it2s-table5.csv", decimals: 2, where: "Table 5", knowledge: true, slots: []slot{
		{"Mini-Dev", "bird/mini_dev", "ex-bird", "ex"}, {"Mini-Dev", "bird/mini_dev", "soft-f1", "soft_f1"}}}
)

func boardMaker(b board) func(*view) (Output, error) {
	return func(v *view) (Output, error) {
		pub, names, err := chasePublished(b.file)
		if err != nil {
			return Output{}, err
		}
		return Output{Table: v.board(b, pub, names)}, nil
	}
}

// board has the rows of this run, those that repeat a published system with that, their difference and whether it lies
// in their interval below them, and then the published systems that are left.
func (v *view) board(b board, pub published, names []string) *table.Table {
	entries := v.entries()
	slots := v.further(b.slots, entries)
	t := &table.Table{ID: b.id, Title: b.title + ": " + v.run.Manifest.Experiment, Columns: []table.Column{{Name: "method", Key: true}}}
	sections := []string{""}
	if b.knowledge {
		t.Columns, sections = append(t.Columns, table.Column{Name: "evidence", Key: true}), []string{"with", "without"}
	}
	t.Columns = append(t.Columns, table.Column{Name: "whose", Key: true})
	for _, s := range slots {
		t.Columns = append(t.Columns, table.Column{Name: s.group + " " + v.display(s.metric), Align: table.Right})
	}
	compared, why := false, []string(nil)
	for _, section := range sections {
		beside := map[string]bool{}
		line := func(name, whose string, cells []table.Cell) {
			head := []table.Cell{table.Text(name), table.Text(section), table.Text(whose)}
			if !b.knowledge {
				head = slices.Delete(head, 1, 2)
			}
			t.Rows = append(t.Rows, append(head, cells...))
		}
		for _, e := range entries {
			if b.knowledge && v.hinted(e.rows[0]) != (section == "with") {
				continue
			}
			ours := v.slotCells(e, slots, b.decimals)
			held, reasons := v.held(e, slots, ours)
			why = append(why, reasons...)
			line(e.label, "this run", ours)
			name := it2sMethod(e.arm())
			if section == "with" {
				name += "+kg"
			}
			if printed := printedCells(pub, name, slots, held, b.decimals); printed != nil {
				beside[name], compared = true, true
				below(line, pub[name]["system"], held, printed)
			}
		}
		for _, n := range names {
			if pub[n]["knowledge"] == section && !beside[n] {
				line(pub[n]["system"], "published", allPrinted(pub, n, slots, b.decimals))
			}
		}
	}
	t.Notes = v.notes(slices.Concat([]string{v.spread(), v.itemsNote()}, b.notes, v.it2sNotes(b.where, compared, why, b.sets()))...)
	return t
}

// sets are the datasets that the table has columns of.
func (b board) sets() (out []string) {
	for _, s := range b.slots {
		out = append(out, s.dataset)
	}
	return unique(out)
}

// held are an entry's cells that published numbers can be held against, the others blank, and why those cannot be.
func (v *view) held(e entry, slots []slot, ours []table.Cell) (out []table.Cell, why []string) {
	out = slices.Clone(ours)
	for i, s := range slots {
		r, ok := e.on(s.dataset)
		if !ok || s.column == "" || ours[i].Num == nil {
			continue
		}
		if reason := v.unlike(s.dataset, v.questionsOf(s.dataset), []row{r}, v.metric(s.metric)); reason != "" {
			out[i], why = table.Cell{}, append(why, reason)
		}
	}
	return out, why
}

// below prints the published system under the one that repeats it, where both have a number.
func below(line func(name, whose string, cells []table.Cell), system string, ours, printed []table.Cell) {
	apart, inside := make([]table.Cell, len(ours)), make([]table.Cell, len(ours))
	for i := range ours {
		apart[i], inside[i] = difference(ours[i], printed[i]), within(ours[i], printed[i])
	}
	line(system, "published", printed)
	line("", "difference", apart)
	line("", "in interval", inside)
}

// further puts the run's datasets that the table does not have before those that it has, with the same metrics.
func (v *view) further(slots []slot, entries []entry) []slot {
	var out []slot
	var metrics []string
	for _, s := range slots {
		if !slices.Contains(metrics, s.metric) {
			metrics = append(metrics, s.metric)
		}
	}
	for _, e := range entries {
		for _, r := range e.rows {
			set := datasetOf(r)
			if slices.ContainsFunc(slices.Concat(slots, out), func(s slot) bool { return s.dataset == set }) {
				continue
			}
			for _, m := range metrics {
				out = append(out, slot{set, set, m, ""})
			}
		}
	}
	return append(out, slots...)
}

func (v *view) slotCells(e entry, slots []slot, decimals int) []table.Cell {
	out := make([]table.Cell, len(slots))
	for i, s := range slots {
		if r, ok := e.on(s.dataset); ok && v.metric(s.metric) >= 0 {
			out[i] = v.ranged(r, v.metric(s.metric), nil, decimals)
		}
	}
	return out
}

// printedCells are a system's published numbers where ours has one; nil where it has none.
func printedCells(pub published, name string, slots []slot, ours []table.Cell, decimals int) []table.Cell {
	out := allPrinted(pub, name, slots, decimals)
	if len(filled(ours, out)) == 0 {
		return nil
	}
	return out
}

func allPrinted(pub published, name string, slots []slot, decimals int) []table.Cell {
	out := make([]table.Cell, len(slots))
	for i, s := range slots {
		out[i] = pub.cell(name, s.column, decimals)
	}
	return out
}

// filled are the positions where both have a number.
func filled(a, b []table.Cell) (at []int) {
	for i := range a {
		if a[i].Num != nil && b[i].Num != nil {
			at = append(at, i)
		}
	}
	return at
}

// it2sNotes say whose the published numbers are, whether any stands beside one of this run's, and why others do not.
// sets are the datasets that the table is of.
func (v *view) it2sNotes(where string, compared bool, why, sets []string) []string {
	s := fmt.Sprintf("Published: %s, %s; with other models, Interactive-T2S with GPT-4o, not this run's.", it2s, where)
	why = unique(why)
	switch {
	case compared && len(why) == 0:
		return []string{insideNote, s}
	case compared:
		return []string{insideNote, s + " " + strings.Join(why, "; ") + ": no difference is shown there."}
	case len(why) > 0:
		return []string{s + " " + cannot(why...)}
	case !slices.ContainsFunc(v.datasets(), func(set string) bool { return slices.Contains(sets, set) }):
		return []string{s + " " + cannot("This run's items are "+strings.Join(v.datasets(), ", "))}
	}
	return []string{s + " No arm of this run repeats one of them by its metric, so that no difference is shown."}
}

// itemsNote counts the items of each dataset, and says where they are a part of what the published numbers are over.
func (v *view) itemsNote() string {
	var parts []string
	for _, set := range v.datasets() {
		n := len(v.questionsOf(set))
		s := fmt.Sprintf("%s %d", set, n)
		if whole := releases[set].items; n < whole {
			s += fmt.Sprintf(" of the %d that published numbers are over", whole)
		}
		parts = append(parts, s)
	}
	return "Items: " + strings.Join(parts, ", ") + "."
}

// datasets are those of the run's items, sorted.
func (v *view) datasets() []string {
	var out []string
	for _, r := range v.rows {
		if s := datasetOf(r); !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	slices.SortFunc(out, cmp.Compare[string])
	return out
}
