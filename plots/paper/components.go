package paper

import (
	"fmt"

	"assay/experiments/record"
	"assay/metrics/exact"
	"assay/plots/table"
)

// componentMakers are the tables of partial matches.
var componentMakers = []maker{
	{"components", "Partial component matching: which parts of the gold query answers have", ours, false, whyNoComponents, common, componentsTable},
}

func whyNoComponents(v *view) string {
	switch {
	case len(v.run.Components) > 0:
		return ""
	case v.metric(exact.Row.ID) < 0:
		return "it needs the metric em"
	}
	return "no gold query of it is in the grammar of exact set match, or it is older than " + record.ComponentsFile + " (then run it again, which asks nobody)"
}

// shownParts are the parts with columns of their own, the first of each pair as Spider's papers print them.
var shownParts = []exact.Part{exact.SelectPart, exact.WherePart, exact.GroupPart, exact.OrderPart, exact.AndOrPart, exact.SetOpPart, exact.KeywordPart,
	exact.SelectColumns, exact.WhereColumns, exact.GroupColumns}

// shortParts are the names of parts where there is little room.
var shortParts = map[exact.Part]string{exact.SelectColumns: "sel. -AGG", exact.WhereColumns: "wh. -OP", exact.GroupColumns: "gr. -hav.", exact.KeywordPart: "keyw."}

// partScores are the rows of a group of answers: the three scores of the official evaluators.
var partScores = []struct {
	name string
	of   func(*exact.Tally, exact.Part) float64
	n    func(predicted, gold int) int // how many the share is of
}{
	{"prec.", (*exact.Tally).Accuracy, func(predicted, _ int) int { return predicted }},
	{"recall", (*exact.Tally).Recall, func(_, gold int) int { return gold }},
	{"F1", f1, func(predicted, gold int) int { return min(predicted, gold) }},
}

// f1 is the harmonic mean of precision and recall: 0 where both are, and not 1 as the official evaluators have it.
func f1(t *exact.Tally, p exact.Part) float64 {
	if t.Accuracy(p) == 0 && t.Recall(p) == 0 {
		return 0
	}
	return t.F1(p)
}

// componentsTable has three rows per arm and level, and a column per part. A share of nothing is blank.
func componentsTable(v *view) (Output, error) {
	name := v.leveling
	if len(v.levels) == 0 {
		name = "items"
	}
	columns := []table.Column{{Name: name, Short: "level", Key: true}, {Name: "of", Key: true}, {Name: "answers", Align: table.Right, Extra: true}}
	for _, p := range shownParts {
		columns = append(columns, table.Column{Name: p.String(), Short: shortParts[p], Align: table.Right, Extra: p == exact.SelectColumns || p == exact.WhereColumns || p == exact.GroupColumns})
	}
	parsed, all := 0, 0
	t := v.lines("components", "Partial component matching, percent", columns, func(_ int, r row) (rows [][]table.Cell) {
		tallies := map[string]*exact.Tally{}
		for _, a := range r.Answers {
			for _, c := range a.Components {
				for _, at := range unique([]string{v.level(a.Item), "all"}) {
					if tallies[at] == nil {
						tallies[at] = &exact.Tally{}
					}
					tallies[at].AddCounted(c.Counted())
				}
				all++
				parsed += c.Parsed
			}
		}
		levels := append(append([]string{}, v.levels...), "all")
		for _, at := range levels {
			if tallies[at] != nil {
				rows = append(rows, componentRows(at, tallies[at])...)
			}
		}
		return rows
	})
	t.Notes = v.notes("Precision: of the answers with the part, those in which it agrees with the gold query's; recall: of the gold queries with the part, those whose answer agrees in it; F1 of the two. They are the partial scores of Spider's evaluator, which calls precision accuracy; exact set match requires every part and the same tables. Blank: no answer, or no gold query, has the part; the evaluator prints 0 there. F1 of a part that never agrees is 0, where the evaluator prints 1.",
		"Select, where, group: with aggregates, operators and HAVING; without them in the CSV file. IUEN: INTERSECT, UNION, EXCEPT, nested. Answers of all seeds count together. "+
			fmt.Sprint(all-parsed)+plural(all-parsed, " answer is", " answers are")+" outside Spider's grammar and compared as empty; items whose gold query is outside it are left out.")
	return Output{Table: t}, nil
}

// componentRows are the scores of one group of answers.
func componentRows(level string, t *exact.Tally) (rows [][]table.Cell) {
	for _, m := range partScores {
		cells := []table.Cell{table.Text(level), table.Text(m.name), table.Count(t.Items)}
		for _, p := range shownParts {
			_, predicted, gold := t.Of(p)
			n := m.n(predicted, gold)
			if n == 0 {
				cells = append(cells, table.Cell{})
				continue
			}
			cells = append(cells, table.Measured(table.Number{Value: 100 * m.of(t, p), N: n, Decimals: 1}))
		}
		rows = append(rows, cells)
	}
	return rows
}
