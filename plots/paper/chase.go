package paper

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"assay/configs"
	"assay/experiments/compare"
	"assay/experiments/record"
	"assay/metrics/pool"
	"assay/plots/table"
	"assay/prompting/exemplar"

	"github.com/gocarina/gocsv"
)

const chase = "Pourreza et al. (CHASE-SQL), ICLR 2025, arXiv 2410.01943"

// chaseMakers are the tables and figures of CHASE-SQL. Reports have them where an experiment names them.
var chaseMakers = []maker{
	{"chase/table1", "One query, self-consistency and upper bound", chase + ", Table 1", false, whyNoPools, never, chaseTable1},
	{"chase/table2", "The whole system among others on BIRD", chase + ", Table 2", false, always, never, chaseTable2},
	{"chase/table3", "The whole system among others on Spider", chase + ", Table 3", false, always, never, chaseTable3},
	{"chase/table4", "Each generator alone, without and with the fixer", chase + ", Table 4", false, always, never, chaseTable4},
	{"chase/table5", "Binary accuracy of selection models", chase + ", Table 5", false, whyNoVotes, never, chaseTable5},
	{"chase/table6", "Ways of picking by generator and temperature", chase + ", Table 6", false, whyNoPools, never, chaseTable6},
	{"chase/table7", "The whole system without each of its parts", chase + ", Table 7", false, always, never, chaseTable7},
	{"chase/table8", "Guidelines for synthetic examples", chase + ", Table 8", false, always, never, chaseTable8},
	{"chase/table9", "Sources and numbers of examples", chase + ", Table 9", false, whyNoExamples, never, chaseTable9},
	{"chase/fig3a-table", "Which generator solves what", chase + ", Figure 3a", false, whyNoGenerators, never, fig3aTable},
	{"chase/fig3b-table", "What each generator alone solves, by difficulty", chase + ", Figure 3b", false, whyNoAloneByLevel, never, fig3bTable},
	{"chase/fig5-table", "What each generator alone solves, by database", chase + ", Figure 5", false, whyNoGenerators, never, fig5Table},
	{"chase/fig6-table", "What became of each question", chase + ", Figure 6", false, whyNoPools, never, fig6Table},
	{"chase/fig7-table", "By database, what exists and what is chosen", chase + ", Figure 7", false, whyNoPools, never, fig7Table},
	{"chase/fig25-table", "SQL features of examples and golds", chase + ", Figure 25", false, whyNoShown, never, fig25Table},
	{"chase/fig2a", "Bounds of divide and conquer by pool size", chase + ", Figure 2a", true, whyNoFan("dc-cot"), never, generatorFan("chase/fig2a", "dc-cot")},
	{"chase/fig2b", "Bounds of online synthetic examples by pool size", chase + ", Figure 2b", true, whyNoFan("os"), never, generatorFan("chase/fig2b", "os")},
	{"chase/fig2c", "Bounds of the query plan by pool size", chase + ", Figure 2c", true, whyNoFan("qp-cot"), never, generatorFan("chase/fig2c", "qp-cot")},
	{"chase/fig2d", "Upper bound by pool size and difficulty", chase + ", Figure 2d", true, whyNoPools, never, fig2d},
	{"chase/fig3a", "Which generator solves what", chase + ", Figure 3a", true, whyNoGenerators, never, fig3a},
	{"chase/fig3b", "What each generator alone solves, by difficulty", chase + ", Figure 3b", true, whyNoAloneByLevel, never, fig3b},
	{"chase/fig5", "What each generator alone solves, by database", chase + ", Figure 5", true, whyNoGenerators, never, fig5},
	{"chase/fig6", "What became of each question", chase + ", Figure 6", true, whyNoPools, never, fig6},
	{"chase/fig7", "By database, what exists and what is chosen", chase + ", Figure 7", true, whyNoPools, never, fig7},
	{"chase/fig25", "SQL features of examples and golds", chase + ", Figure 25", true, whyNoShown, never, fig25},
}

func never(*view) bool { return false }

// What the paper's own numbers say against each other; each is said where one of them is shown.
const (
	upperDoubt = "The paper's upper bounds differ: 82.79 % in Table 1, while Figure 3a solves 1534 - 258 = 1276 items, 83.18 %, and so do the databases of Figure 7 together; 72.9 + 10.4 in Figure 6 are 83.3 %."
	allDoubt   = "The paper's whole system differs: 73.01 % in Tables 2 and 7, 72.9 % in Figure 6, and the databases of Figure 7 together have 1110 of 1534, 72.36 %."
	osDoubt    = "The paper's 75 synthetic examples with one candidate and no fixer give 67.09 % in Tables 4 and 8, and 64.41 % in Table 9; it does not say what differs."
	judgeDoubt = "The paper's Gemini 1.5 Pro, not tuned, has 63.98 % here and 58.01 % in section 2.5."
	gainDoubt  = "The paper prints +5.84 for 68.84 - 63.01, which is 5.83."
)

// chasePublished reads a published table; its rows keep their order in names.
func chasePublished(file string) (p published, names []string, err error) {
	b, err := publishedFiles.ReadFile("published/" + file)
	if err != nil {
		return nil, nil, err
	}
	rows, err := gocsv.CSVToMaps(bytes.NewReader(b))
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", file, err)
	}
	p = published{}
	for _, r := range rows {
		p[r["method"]] = r
		names = append(names, r["method"])
	}
	return p, names, nil
}

// onBird is a source of CHASE-SQL's on the dev split of BIRD.
func onBird(where, model string) source {
	return source{chase, where, model, "BIRD dev", "bird/dev", "ex-bird"}
}

const insideNote = "In interval: whether the published number lies within the 95 % interval of this run's. Difference: this run's less the published."

// within says whether a published number lies in the interval of ours.
func within(ours, printed table.Cell) table.Cell {
	if ours.Num == nil || printed.Num == nil || !ours.Num.HasInterval {
		return table.Cell{}
	}
	if p := printed.Num.Value; ours.Num.Low <= p && p <= ours.Num.High {
		return table.Text("yes")
	}
	return table.Text("no")
}

// gainNote says which interval gain has: that of package compare.
const gainNote = "paired over the items that both scored; interval (95 %): " + compare.Newcombe + " with one seed, otherwise " + compare.DrawItems + "."

// gain is a paired difference in percentage points over the items and seeds that both rows scored, with the interval that
// the table of differences has; blank for the row itself.
func (v *view) gain(base, r row) table.Cell {
	if base.arm.Name == r.arm.Name && slices.Equal(base.point, r.point) {
		return table.Cell{}
	}
	g := compare.Paired(base.items, r.items, 0, compare.Options{Level: confidence, Seed: int64(sampling.Seed)})
	if g.Items == 0 {
		return table.Cell{}
	}
	return table.Measured(table.Number{Value: 100 * g.Diff, Low: 100 * g.Low, High: 100 * g.High, HasInterval: true, N: g.Pairs, Decimals: 1})
}

// modelOf names what answered under an arm.
func modelOf(m configs.Model) string {
	if m.Local || m.Name == "" {
		return m.Provider
	}
	return m.Name
}

// chaseTable1 has a row a way of answering from the pool, and columns an arm that has one.
func chaseTable1(v *view) (Output, error) {
	pub, _, err := chasePublished("chase-table1.csv")
	if err != nil {
		return Output{}, err
	}
	ps := v.pools()
	a := v.beside(onBird("Table 1", "Gemini 1.5 Pro"))
	t := &table.Table{ID: "chase/table1", Title: "One query, self-consistency and upper bound: " + v.run.Manifest.Experiment,
		Columns: []table.Column{{Name: "method", Key: true}}}
	methods := []struct {
		id, name string
		share    pool.Measure
	}{{"single", "Single query", pool.UpperAt(1)}, {"self-consistency", "Self-consistency", pool.SelfConsistency(pool.Any)}, {"upper-bound", "Upper-bound", pool.Upper}}
	for _, m := range methods {
		t.Rows = append(t.Rows, []table.Cell{table.Text(m.name)})
	}
	for i, r := range v.rows {
		t.Columns = append(t.Columns, a.columns(v.name(r), v.display(v.ids[0]))...)
		t.Columns = append(t.Columns, numerals(v.name(r), "over single", "published over single")...)
		first, printed := shareOf(ps[i], pool.UpperAt(1)), pub.cell("single", "ex", 2)
		for k, m := range methods {
			ours, theirs := shareOf(ps[i], m.share), pub.cell(m.id, "ex", 2)
			t.Rows[k] = append(t.Rows[k], a.cells(ours, theirs)...)
			if k == 0 {
				t.Rows[k] = append(t.Rows[k], table.Cell{}, table.Cell{})
				continue
			}
			t.Rows[k] = append(t.Rows[k], difference(ours, first), difference(theirs, printed))
		}
	}
	t.Notes = v.poolNotes(ps, slices.Concat([]string{"Single query: the mean over the pool's candidates. Self-consistency: the largest cluster of equal results, the mean over those as large. Upper-bound: at least one candidate is right."},
		a.notes(), []string{upperDoubt, gainDoubt})...)
	return Output{Table: t}, nil
}

// listing is a table of this run's rows and then the paper's, which are compared in the column at.
type listing struct {
	columns      []table.Column // the first names the row
	at           int
	mine, theirs [][]table.Cell
}

// table has, where the two can be compared, two columns more a row of this run: what each published number differs by, and
// whether it lies in the interval.
func (l listing) table(id, title string, a standing) *table.Table {
	t := &table.Table{ID: id, Title: title, Columns: slices.Clone(l.columns)}
	t.Columns[0].Key = true
	if a.unlike != "" {
		t.Rows = slices.Concat(l.mine, l.theirs)
		return t
	}
	for _, m := range l.mine {
		cs := numerals("published and "+m[0].Text, "difference", "in interval")
		t.Columns = append(t.Columns, cs...)
	}
	for i := range l.mine {
		cells := slices.Clone(l.mine[i])
		for range l.mine {
			cells = append(cells, table.Cell{}, table.Cell{})
		}
		t.Rows = append(t.Rows, cells)
	}
	for _, p := range l.theirs {
		cells := slices.Clone(p)
		for _, m := range l.mine {
			cells = append(cells, difference(m[l.at], p[l.at]), within(m[l.at], p[l.at]))
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}

// chaseTable2 lists the arms and the paper's systems on BIRD.
func chaseTable2(v *view) (Output, error) {
	pub, names, err := chasePublished("chase-table2.csv")
	if err != nil {
		return Output{}, err
	}
	metric := v.display(v.ids[0])
	l := listing{columns: append([]table.Column{{Name: "method"}, {Name: "whose"}}, numerals("", metric+" dev", metric+" test")...), at: 2}
	if v.run.Resolved.Dataset.Split == "test" {
		l.at = 3
	}
	for _, r := range v.rows {
		cells := []table.Cell{table.Text(v.name(r) + " + " + modelOf(r.arm.Model)), table.Text("this run"), {}, {}}
		cells[l.at] = v.ranged(r, 0, nil, 2)
		l.mine = append(l.mine, cells)
	}
	for _, n := range names {
		whose := map[string]string{"yes": "published", "no": "published, undisclosed"}[pub[n]["disclosed"]]
		l.theirs = append(l.theirs, []table.Cell{table.Text(n), table.Text(whose), pub.cell(n, "ex_dev", 2), pub.cell(n, "ex_test", 2)})
	}
	a := v.beside(onBird("Table 2", "the models named"))
	t := l.table("chase/table2", "The whole system among others on BIRD: "+v.run.Manifest.Experiment, a)
	t.Notes = v.notes(slices.Concat([]string{v.spread()}, a.notes(), []string{"Undisclosed: systems of the leaderboard without a paper or code, as the paper divides them.", allDoubt})...)
	return Output{Table: t}, nil
}

// chaseTable3 lists the arms and the paper's systems on Spider.
func chaseTable3(v *view) (Output, error) {
	pub, names, err := chasePublished("chase-table3.csv")
	if err != nil {
		return Output{}, err
	}
	l := listing{columns: append([]table.Column{{Name: "method"}, {Name: "whose"}}, numerals("", v.display(v.ids[0]), "trained with Spider")...), at: 2}
	for _, r := range v.rows {
		l.mine = append(l.mine, []table.Cell{table.Text(v.name(r) + " + " + modelOf(r.arm.Model)), table.Text("this run"), v.ranged(r, 0, nil, 1), table.Text(spiderDemos(r))})
	}
	for _, n := range names {
		l.theirs = append(l.theirs, []table.Cell{table.Text(n), table.Text("published"), pub.cell(n, "ex_test", 1), table.Text(pub[n]["trained"])})
	}
	a := v.beside(source{chase, "Table 3", "the models named", "Spider test", "spider/test", "ex"})
	t := l.table("chase/table3", "The whole system among others on Spider: "+v.run.Manifest.Experiment, a)
	t.Notes = v.notes(slices.Concat([]string{v.spread()}, a.notes(), []string{"Trained with Spider: demonstrations or training from Spider itself; of this run's arms, demonstrations. Unknown: of imported answers, and of demonstrations from a file of one's own."})...)
	return Output{Table: t}, nil
}

// spiderDemos says whether an arm's prompts show questions of Spider's training split.
func spiderDemos(r row) string {
	if r.arm.Method == "" || r.arm.Row.Imported {
		return "unknown"
	}
	if !showsDemos(r.arm) {
		return "no"
	}
	set := datasetOf(r)
	kind, _, _ := strings.Cut(set, "/")
	switch file := r.arm.Exemplars.File; {
	case file == "spider-train", kind == "spider" && file == "":
		return "yes"
	case file == "sample", kind != "spider" && (file == "" || file == configs.TrainFile):
		return "no"
	case file == configs.TrainFile && !strings.HasSuffix(set, private):
		return "yes"
	}
	return "unknown"
}

// showsDemos reports whether any prompt of an arm shows demonstrations of exemplars.file. The dialogues of the
// interactive method are its own, over the sample's databases.
func showsDemos(a configs.Arm) bool {
	given := exemplar.Shown(a.Exemplars)
	return a.Any(func(m configs.Method) bool {
		switch {
		case m.Agent:
			return false
		case m.Examples:
			return a.Synthetic.Source == "train" && a.Synthetic.Features+a.Synthetic.Tables > 0
		}
		return given
	})
}

// chaseTable5 lists the arms that compare pairs, and the paper's selection models.
func chaseTable5(v *view) (Output, error) {
	pub, names, err := chasePublished("chase-table5.csv")
	if err != nil {
		return Output{}, err
	}
	l := listing{columns: append([]table.Column{{Name: "selection model"}, {Name: "whose"}}, numerals("", "binary accuracy", "comparisons")...), at: 2}
	ps := v.pools()
	for i, r := range v.rows {
		if votesIn(ps[i]) == 0 {
			continue
		}
		m, _ := r.arm.Selector()
		n := pool.BinaryAccuracy(ballots(ps[i], true)).Votes
		l.mine = append(l.mine, []table.Cell{table.Text(v.name(r) + " (" + modelOf(m) + ")"), table.Text("this run"), binary(ps[i]), table.Count(n)})
	}
	for _, n := range names {
		l.theirs = append(l.theirs, []table.Cell{table.Text(n), table.Text("published"), pub.cell(n, "accuracy", 2), {}})
	}
	a := v.beside(onBird("Table 5", "the models named"))
	t := l.table("chase/table5", "Binary accuracy of selection models: "+v.run.Manifest.Experiment, a)
	t.Notes = v.notes(slices.Concat([]string{"Binary accuracy: of the questions put to the model about a right candidate and a wrong one, the share that it answered with the right one, in percent; an answer that cannot be read counts as lost. Each question counts once, however many pairs of candidates it stands for; the interval draws items."},
		a.notes(), []string{"The paper does not say which pairs it counts. " + judgeDoubt})...)
	return Output{Table: t}, nil
}

// number prints a setting as the experiment has it.
func number(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// itemsBy groups the positions of a pooled's items.
func itemsBy(p pooled, name func(*record.Item) string) map[string][]pool.Item {
	out := map[string][]pool.Item{}
	for i, it := range p.items {
		n := name(p.answers[i])
		out[n] = append(out[n], it)
	}
	return out
}
