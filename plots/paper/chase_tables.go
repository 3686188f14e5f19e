package paper

import (
	"fmt"
	"slices"
	"strings"

	"assay/configs"
	"assay/metrics/pool"
	"assay/plots/table"
)

// ablation is a table with a row an arm: its accuracy, what it gains over a base arm, and the paper's.
type ablation struct {
	id, title, file string
	of              func(configs.Arm) string // the published row that an arm repeats; "" for none
	base            string                   // the published row that gains are over
	columns         [][2]string              // columns of the file, with how they print; the first is compared
	source          source
	notes           []string
}

// make fills the table.
func (a ablation) make(v *view) (Output, error) {
	pub, _, err := chasePublished(a.file)
	if err != nil {
		return Output{}, err
	}
	base := slices.IndexFunc(v.rows, func(r row) bool { return a.of(r.arm) == a.base })
	gain := func(r row) table.Cell {
		at := base
		for i, b := range v.rows { // at the same point of a sweep
			if a.of(b.arm) == a.base && slices.Equal(b.point, r.point) {
				at = i
				break
			}
		}
		if at < 0 {
			return table.Cell{}
		}
		return v.gain(v.rows[at], r)
	}
	ours := func(r row) table.Cell { return v.ranged(r, 0, nil, 2) }
	beyond := v.beside(a.source)
	columns := []column{accuracy("this run", v.display(v.ids[0]), ours), numbers("this run", "delta", gain)}
	for i, c := range a.columns {
		printed := func(r row) table.Cell { return pub.cell(a.of(r.arm), c[0], 2) }
		columns = append(columns, beside(c[1], "", printed), numbers(c[1], "delta", func(r row) table.Cell {
			if a.of(r.arm) == a.base {
				return table.Cell{}
			}
			return difference(printed(r), pub.cell(a.base, c[0], 2))
		}))
		if i == 0 && beyond.unlike == "" {
			columns = append(columns, numbers("against "+c[1], "difference", func(r row) table.Cell { return difference(ours(r), printed(r)) }),
				numbers("against "+c[1], "in interval", func(r row) table.Cell { return within(ours(r), printed(r)) }))
		}
	}
	t := v.table(a.id, a.title, columns)
	own := []string{v.spread(), "Delta: less the accuracy of the published row " + a.base + "; this run's " + gainNote}
	t.Notes = v.notes(slices.Concat(own, beyond.notes(), a.notes)...)
	return Output{Table: t}, nil
}

// generatorOf is the paper's name of an arm that has one generator.
func generatorOf(a configs.Arm) string {
	switch {
	case a.Method == "bird-cot" && a.Exemplars.K == 0: // the paper's is zero-shot
		return "baseline"
	case a.Method == "os" && a.Synthetic.Source != "" && a.Synthetic.Source != "os":
		return ""
	case slices.Contains([]string{"qp-cot", "dc-cot", "os"}, a.Method):
		return a.Method
	}
	return ""
}

func chaseTable4(v *view) (Output, error) {
	return ablation{id: "chase/table4", title: "Each generator alone, without and with the fixer", file: "chase-table4.csv", base: "baseline",
		of: func(a configs.Arm) string {
			if g := generatorOf(a); g != "" && a.Fixer.Tries > 0 {
				return g + "+fixer"
			}
			return generatorOf(a)
		},
		columns: [][2]string{{"gemini", "Gemini 1.5 Pro"}, {"mistral", "Mistral Large"}},
		source:  onBird("Table 4", "the models named"), notes: []string{osDoubt}}.make(v)
}

// table7Row is the published row of Table 7: the one way in which an arm differs from the whole system.
func table7Row(a configs.Arm) string {
	if !a.Row.Pool {
		return ""
	}
	var ways []string
	for _, g := range [][2]string{{"qp-cot", "without-qp"}, {"os", "without-os"}, {"dc-cot", "without-dc"}} {
		if !slices.Contains(a.Generators, g[0]) {
			ways = append(ways, g[1])
		}
	}
	if !a.Values.Use {
		ways = append(ways, "without-lsh")
	}
	if a.Fixer.Tries == 0 {
		ways = append(ways, "without-fixer")
	}
	switch rule := a.Selection.Rule; {
	case rule == "ranker":
		ways = append(ways, "ranker-agent")
	case strings.HasPrefix(rule, "consistency-"):
		ways = append(ways, "self-consistency")
	case rule != "pairwise":
		ways = append(ways, "")
	}
	switch len(ways) {
	case 0:
		return "all"
	case 1:
		return ways[0]
	}
	return ""
}

func chaseTable7(v *view) (Output, error) {
	return ablation{id: "chase/table7", title: "The whole system without each of its parts", file: "chase-table7.csv", base: "all", of: table7Row,
		columns: [][2]string{{"ex", "CHASE-SQL"}}, source: onBird("Table 7", "Gemini 1.5 Pro"), notes: []string{allDoubt}}.make(v)
}

// table8Row is the published row of Table 8 that an arm repeats.
func table8Row(a configs.Arm) string {
	s := a.Synthetic
	switch g := generatorOf(a); {
	case g == "baseline" && a.Fixer.Tries == 0:
		return "zero-shot"
	case g != "os" || a.Fixer.Tries > 0:
	case s.Features > 0 && s.Tables > 0:
		return "os-rf+rt"
	case s.Features > 0:
		return "os-rf"
	case s.Tables > 0:
		return "os-rt"
	}
	return ""
}

func chaseTable8(v *view) (Output, error) {
	return ablation{id: "chase/table8", title: "Guidelines for synthetic examples", file: "chase-table8.csv", base: "zero-shot", of: table8Row,
		columns: [][2]string{{"ex", "Gemini 1.5 Pro"}}, source: onBird("Table 8", "Gemini 1.5 Pro"), notes: []string{osDoubt}}.make(v)
}

// whyNoExamples refuses runs without an arm of method os.
func whyNoExamples(v *view) string {
	if !slices.ContainsFunc(v.rows, func(r row) bool { return r.arm.Method == "os" }) {
		return "no arm of it has method os"
	}
	return ""
}

// exampleSource is where the examples of an arm of method os come from.
func exampleSource(a configs.Arm) string {
	if a.Synthetic.Source == "" {
		return "os"
	}
	return a.Synthetic.Source
}

// chaseTable9 has a row a source of examples, and columns a number of them.
func chaseTable9(v *view) (Output, error) {
	pub, _, err := chasePublished("chase-table9.csv")
	if err != nil {
		return Output{}, err
	}
	labels := map[string]string{"train": "training examples by similarity", "codes": "CodeS", "os": "OS", "none": "none"}
	var sources []string
	var counts []int
	found := map[string]row{}
	key := func(source string, n int) string { return fmt.Sprintf("%s %d", source, n) }
	for _, r := range v.rows {
		if r.arm.Method != "os" {
			continue
		}
		s, n := exampleSource(r.arm), r.arm.Synthetic.Features+r.arm.Synthetic.Tables
		if !slices.Contains(sources, s) {
			sources = append(sources, s)
		}
		if !slices.Contains(counts, n) {
			counts = append(counts, n)
		}
		if _, twice := found[key(s, n)]; !twice {
			found[key(s, n)] = r
		}
	}
	slices.Sort(counts)
	a := v.beside(onBird("Table 9", "Gemini 1.5 Pro"))
	t := &table.Table{ID: "chase/table9", Title: "Sources and numbers of examples: " + v.run.Manifest.Experiment, Columns: []table.Column{{Name: "examples", Key: true}}}
	for _, n := range counts {
		t.Columns = append(t.Columns, a.columns(fmt.Sprintf("n = %d", n), v.display(v.ids[0]))...)
	}
	for _, s := range sources {
		cells := []table.Cell{table.Text(labels[s])}
		for _, n := range counts {
			ours := table.Cell{}
			if r, ok := found[key(s, n)]; ok {
				ours = v.ranged(r, 0, nil, 2)
			}
			cells = append(cells, a.cells(ours, pub.cell(s, fmt.Sprintf("n%d", n), 2))...)
		}
		t.Rows = append(t.Rows, cells)
	}
	t.Notes = v.notes(slices.Concat([]string{v.spread(), "n is how many examples were asked for; a prompt shows fewer where the model wrote fewer, where two were the same, or where there are no more demonstrations. " + v.shownNote()},
		a.notes(), []string{osDoubt})...)
	return Output{Table: t}, nil
}

// chaseTable6 has a row a way of picking, and columns an arm and temperature.
func chaseTable6(v *view) (Output, error) {
	pub, _, err := chasePublished("chase-table6.csv")
	if err != nil {
		return Output{}, err
	}
	ps := v.pools()
	ways := []struct {
		id, name string
		share    pool.Measure
	}{{"lower", "Lower Bound", pool.Lower}, {"upper", "Upper Bound", pool.Upper}, {"self-consistency", "Self-consistency", pool.SelfConsistency(pool.Any)}, {"selection", "Selection", pool.Chosen}}
	a := v.beside(onBird("Table 6", "Gemini 1.5 Pro and a tuned Gemini 1.5 Flash that selects"))
	t := &table.Table{ID: "chase/table6", Title: "Ways of picking by generator and temperature: " + v.run.Manifest.Experiment, Columns: []table.Column{{Name: "picking", Key: true}}}
	for _, w := range ways {
		t.Rows = append(t.Rows, []table.Cell{table.Text(w.name)})
	}
	var rules []string
	for i, r := range v.rows {
		t.Columns = append(t.Columns, a.columns(fmt.Sprintf("%s (T=%s)", r.label, number(r.arm.Model.Temperature)), v.display(v.ids[0]))...)
		for k, w := range ways {
			printed := pub.cell(w.id, generatorOf(r.arm)+"_"+number(r.arm.Model.Temperature), 2)
			t.Rows[k] = append(t.Rows[k], a.cells(shareOf(ps[i], w.share), printed)...)
		}
		rules = append(rules, r.arm.Selection.Rule)
	}
	t.Notes = v.poolNotes(ps, append([]string{"Lower bound: all candidates are right; upper bound: at least one is. Self-consistency: the mean over the largest clusters of equal results. Selection by " + strings.Join(unique(rules), ", ") + "."}, a.notes()...)...)
	return Output{Table: t}, nil
}
