package paper

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"assay/experiments/record"
	"assay/metrics/linking"
	"assay/plots/table"
)

// valuesStage is the stage of a Link that has values; the others have columns.
const valuesStage = "values"

func whyNoLinking(v *view) string {
	if !slices.ContainsFunc(v.run.Links, func(l record.Link) bool { return l.Stage != valuesStage }) {
		return "no columns were chosen in it"
	}
	return ""
}

func whyNoValues(v *view) string {
	if !slices.ContainsFunc(v.run.Links, func(l record.Link) bool { return l.Stage == valuesStage }) {
		return "no values were looked up in it"
	}
	return ""
}

// choice is one choice of columns compared with the gold query's.
type choice struct {
	item         string
	named, shown linking.Coverage
	none         bool // the model named no column
}

// covered compares the row's choices of one stage with the gold queries. unread counts the choices whose gold query does not
// parse; they have no recall, and counting them as 0 would blame the model for the data.
func (v *view) covered(r row, stage string) (out []choice, unread int) {
	for q, l := range r.links(stage) {
		schema := v.index.Schema(q.DB)
		g, err := linking.Of(q.Gold, schema)
		if err != nil || schema == nil {
			unread++
			continue
		}
		named, shown := l.Columns()
		out = append(out, choice{l.Item, g.Cover(named, schema), g.Cover(shown, schema), len(named) == 0})
	}
	return out, unread
}

// links yields the row's links of one stage, each with its question.
func (r row) links(stage string) iter.Seq2[*record.Question, record.Link] {
	return func(yield func(*record.Question, record.Link) bool) {
		for _, a := range r.Answers {
			for _, l := range a.Links {
				if l.Stage == stage && !yield(a.Question, l) {
					return
				}
			}
		}
	}
}

// schemaLinking has two rows per arm, sweep point and stage that chose columns: what the model named, and what prompts then
// showed.
func schemaLinking(v *view) (Output, error) {
	columns := []table.Column{{Name: "stage", Key: true}, {Name: "columns", Key: true}}
	for _, name := range []string{"answers", "recall", "precision", "all kept", "table recall", "kept share"} {
		c := table.Column{Name: name, Align: table.Right}
		if name != "answers" {
			c.Unit = "%"
		}
		columns = append(columns, c)
	}
	unread, none := 0, 0
	t := v.lines("schema-linking", "Columns chosen, against those of the gold query", columns, func(_ int, r row) (rows [][]table.Cell) {
		for _, stage := range v.stages() {
			all, bad := v.covered(r, stage)
			unread += bad
			if len(all) == 0 {
				continue
			}
			var named, shown []linking.Coverage
			var namedAll, shownAll proportion
			for _, c := range all {
				shown = append(shown, c.shown)
				shownAll.add(c.item, int(c.shown.Strict()), 1)
				if c.none {
					none++
					continue
				}
				named = append(named, c.named)
				namedAll.add(c.item, int(c.named.Strict()), 1)
			}
			rows = append(rows, coverage(stage, "named", named, namedAll), coverage(stage, "shown", shown, shownAll))
		}
		return rows
	})
	t.Notes = v.notes("Cells are means over answers, an answer being one item under one seed. Recall: the share of the gold query's columns that is kept. Precision: the share of the kept columns that the gold query uses. "+
		"All kept: answers with every column and table of the gold query. "+proportionNote+" Table recall: the share of the gold query's tables of which a column is kept. Kept share: the share of the schema's columns that is kept.",
		"Named: the columns that the model named. Shown: those with the keys of their tables and what joins them, as prompts show them; all columns where it named none. "+
			"The gold query's columns are those that its SQL reads; a star reads every column of its table, and count(*) none.",
		fmt.Sprintf("The model named no column in %d of the choices; %d are left out because their gold query is no SELECT that parses.", none, unread))
	return Output{Table: t}, nil
}

// stages returns the stages that chose columns, in the order of the run.
func (v *view) stages() (out []string) {
	for _, l := range v.run.Links {
		if l.Stage != valuesStage && !slices.Contains(out, l.Stage) {
			out = append(out, l.Stage)
		}
	}
	return out
}

// coverage returns one row of the table; whole counts the answers that kept all.
func coverage(stage, what string, all []linking.Coverage, whole proportion) []table.Cell {
	mean := func(f func(linking.Coverage) float64) table.Cell {
		if len(all) == 0 {
			return table.Cell{}
		}
		sum := 0.0
		for _, c := range all {
			sum += f(c)
		}
		return table.Measured(table.Number{Value: 100 * sum / float64(len(all)), N: len(all), Decimals: 1})
	}
	return []table.Cell{table.Text(stage), table.Text(what), table.Count(len(all)), mean(linking.Coverage.Recall),
		mean(linking.Coverage.Precision), whole.cell(), mean(linking.Coverage.TableRecall), mean(linking.Coverage.KeptShare)}
}

// valueRanks are the k of recall@k; a last column has all values that were looked up.
var valueRanks = []int{1, 3, 5, 10, 20}

// retrieval counts the gold query's texts among the values found.
type retrieval struct {
	answers, values, texts int
	stored                 []stored
	whole                  proportion // answers with all of their stored texts found, of those with any to find
}

// stored is a text of a gold query that occurs in the database, with the rank at which it was found; 0 where it was not.
type stored struct {
	item string
	rank int
}

// retrieved compares the values that a row's answers were given with the texts of the gold queries.
func retrieved(r row) (n retrieval) {
	for q, l := range r.links(valuesStage) {
		var values []string
		for _, x := range record.Listed(l.Values) {
			if len(x) == 3 {
				values = append(values, x[2])
			}
		}
		n.answers++
		n.values += len(values)
		there, whole := 0, 1
		for _, x := range record.Listed(q.Literals) {
			if n.texts++; len(x) != 2 || x[1] != "stored" {
				continue
			}
			there++
			rank := linking.Rank(x[0], values)
			if n.stored = append(n.stored, stored{l.Item, rank}); rank == 0 {
				whole = 0
			}
		}
		if there > 0 {
			n.whole.add(l.Item, whole, 1)
		}
	}
	return n
}

// within is the share of stored texts among the first k values; among all of them with k 0.
func (n retrieval) within(k int) table.Cell {
	var t proportion
	for _, s := range n.stored {
		found := 0
		if s.rank > 0 && (k == 0 || s.rank <= k) {
			found = 1
		}
		t.add(s.item, found, 1)
	}
	return t.cell()
}

// valuesTable shows recall@k of the gold queries' texts, with one row per arm and sweep point that looked values up.
func valuesTable(v *view) (Output, error) {
	columns := numerals("", "answers", "values per answer", "texts", "in the database")
	most := 0
	for _, r := range v.rows {
		most = max(most, r.Config.Values.K)
	}
	ks := slices.DeleteFunc(slices.Clone(valueRanks), func(k int) bool { return most > 0 && k >= most })
	for _, k := range ks {
		columns = append(columns, table.Column{Group: "recall", Name: fmt.Sprint("@", k), Unit: "%", Align: table.Right})
	}
	columns = append(columns, table.Column{Group: "recall", Name: "of all", Unit: "%", Align: table.Right},
		table.Column{Name: "all found", Unit: "%", Align: table.Right})
	t := v.lines("values", "Values found, against the texts of the gold query", columns, func(_ int, r row) [][]table.Cell {
		n := retrieved(r)
		if n.answers == 0 {
			return nil
		}
		each := table.Measured(table.Number{Value: float64(n.values) / float64(n.answers), Decimals: 1})
		cells := []table.Cell{table.Count(n.answers), each, table.Count(n.texts), table.Count(len(n.stored))}
		for _, k := range append(slices.Clone(ks), 0) {
			cells = append(cells, n.within(k))
		}
		return [][]table.Cell{append(cells, n.whole.cell())}
	})
	t.Notes = v.notes(strings.Join([]string{"Texts are the string literals in the gold queries, LIKE patterns without the wildcards at their ends, each counted once per answer.",
		"Recall@k: of the texts that occur, letter case aside, in a column of the gold query, the share that is among the first k values found.",
		"All found: of the answers with such texts, the share that has every one.", proportionNote}, " "))
	return Output{Table: t}, nil
}
