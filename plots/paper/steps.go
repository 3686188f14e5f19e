package paper

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"assay/configs"
	"assay/experiments/record"
	"assay/metrics"
	"assay/metrics/process"
	"assay/plots/table"
)

// stepMakers are the tables of methods that work in steps.
var stepMakers = []maker{
	{"steps", "What the steps of decompositions are worth: their SQL run, their columns against the gold query's", ours, false, whyNoSteps, judgedSteps, stepsTable},
	{"first-errors", "Where the first error of a decomposition is, and which", ours, false, whyNoJudgedSteps, common, firstErrors},
	{"propagation", "Whether an error in a step makes the answer wrong", ours, false, whyNoJudgedSteps, common, propagationTable},
}

func whyNoSteps(v *view) string {
	if len(v.run.Steps) == 0 {
		return "no completion of it states steps, or it is older than " + record.StepsFile + " (then run it again, which asks nobody)"
	}
	return ""
}

// whyNoJudgedSteps refuses runs whose steps have neither SQL nor columns.
func whyNoJudgedSteps(v *view) string {
	if why := whyNoSteps(v); why != "" {
		return why
	}
	if !slices.ContainsFunc(v.run.Steps, judgedBefore) {
		return "its steps before the answer have neither SQL nor columns, so that nothing of them can be judged"
	}
	return ""
}

// judgedSteps keeps the table of steps out of reports in which it could only count them.
func judgedSteps(v *view) bool { return whyNoJudgedSteps(v) == "" }

// judgedStep reports whether there is anything in a step to be judged.
func judgedStep(s record.Step) bool { return s.Status != process.Unasked || s.Listed == 1 }

// judgedBefore reports whether it is so of a step before the answer.
func judgedBefore(s record.Step) bool { return s.Final == 0 && judgedStep(s) }

// route is the steps that lead to one candidate.
type route struct {
	answer *record.Answer
	steps  []record.Step
}

// paths returns the ways through the row's steps, in order. With judged, those are left out in which there is nothing to be judged
// before the answer: they can have no error there.
func (r row) paths(judged bool) (out []route) {
	for _, a := range r.Answers {
		for from, to := 0, 0; from < len(a.Steps); from = to {
			first := a.Steps[from]
			for to = from; to < len(a.Steps) && a.Steps[to].Sample == first.Sample && a.Steps[to].Generator == first.Generator; to++ {
			}
			if own := a.Steps[from:to]; !judged || slices.ContainsFunc(own, judgedBefore) {
				out = append(out, route{a, own})
			}
		}
	}
	return out
}

// outcome returns the status of the candidate that the steps lead to, as it was before a fixer; false where there is none.
func (p route) outcome() (metrics.Status, bool) {
	for _, c := range slices.Concat(p.answer.Candidates, p.answer.Dropped) {
		if c.Sample != p.steps[0].Sample || c.Generator != p.steps[0].Generator && p.steps[0].Generator != "" {
			continue
		}
		if c.OriginalStatus != "" {
			return c.OriginalStatus, true
		}
		return c.Status, true
	}
	return "", false
}

// firstError returns the first step before the answer that has an error; false for none.
func (p route) firstError() (record.Step, bool) {
	i := slices.IndexFunc(p.steps, func(s record.Step) bool { return s.Error != "" && s.Final == 0 })
	if i < 0 {
		return record.Step{}, false
	}
	return p.steps[i], true
}

// lastNumber is the number from which steps share a row, or a column.
const lastNumber = 4

// placeOf names where a step stands.
func placeOf(s record.Step) string {
	switch {
	case s.Final == 1:
		return "the question"
	case s.Step >= lastNumber:
		return fmt.Sprint(lastNumber, "+")
	}
	return strconv.Itoa(s.Step)
}

// places are the rows of an arm in the table of steps, and all together.
func places() (out []string) {
	for i := range lastNumber {
		out = append(out, placeOf(record.Step{Step: i + 1}))
	}
	return append(out, placeOf(record.Step{Final: 1}), "all")
}

// stepSum sums up the steps at one place.
type stepSum struct {
	steps                                  int
	ran, empty, fails, errors, ruleMade    proportion
	precision, precisionSoFar, recallSoFar proportion
	hitSoFar, namedSoFar, goldSoFar        int
}

func (t *stepSum) add(s record.Step) {
	t.steps++
	if judgedStep(s) {
		t.errors.add(s.Item, bitOf(s.Error != ""), 1)
	}
	if s.Status != process.Unasked && s.Status != process.NotRun {
		t.ran.add(s.Item, bitOf(s.Status == process.Ran), 1)
		t.empty.add(s.Item, bitOf(s.Status == process.Empty), 1)
		t.fails.add(s.Item, bitOf(s.Error == process.Fails), 1)
	}
	if found := process.Found(s.RuleMade); found != process.Untold {
		t.ruleMade.add(s.Item, bitOf(found == process.Yes), 1)
	}
	if !s.Gold.OK || s.Listed == 0 && s.SQL == "" {
		return
	}
	t.precision.add(s.Item, s.Hit.N, s.Named.N)
	t.precisionSoFar.add(s.Item, s.SeenHit.N, s.Seen.N)
	t.recallSoFar.add(s.Item, s.SeenHit.N, s.Gold.N)
	t.hitSoFar, t.namedSoFar, t.goldSoFar = t.hitSoFar+s.SeenHit.N, t.namedSoFar+s.Seen.N, t.goldSoFar+s.Gold.N
}

func bitOf(b bool) int {
	if b {
		return 1
	}
	return 0
}

// cells are the numbers of the sum; the SQL's are blank where no step has any.
func (t *stepSum) cells() []table.Cell {
	f1 := table.Cell{}
	if t.namedSoFar > 0 && t.goldSoFar > 0 {
		f1 = table.Measured(table.Number{Value: 200 * float64(t.hitSoFar) / float64(t.namedSoFar+t.goldSoFar), N: t.errors.count(), Decimals: 1})
	}
	return []table.Cell{table.Count(t.steps), t.errors.cell(), t.ran.cell(), t.empty.cell(), t.fails.cell(), t.ruleMade.cell(),
		t.precision.cell(), t.precisionSoFar.cell(), t.recallSoFar.cell(), f1}
}

// count is how many things the proportion is of.
func (t *proportion) count() (n int) {
	for _, w := range t.whole {
		n += w
	}
	return n
}

// stepsTable has one row per arm and place of a step.
func stepsTable(v *view) (Output, error) {
	columns := []table.Column{{Name: "step", Key: true}, {Name: "steps", Align: table.Right}, {Name: "with an error", Short: "error", Unit: "%", Align: table.Right}}
	for _, c := range [][2]string{{"SQL", "ran"}, {"SQL", "empty"}, {"SQL", "fails"}, {"SQL", "by rule"}, {"columns", "precision"}, {"columns so far", "precision"}, {"columns so far", "recall"}, {"columns so far", "F1"}} {
		columns = append(columns, table.Column{Group: c[0], Name: c[1], Unit: "%", Align: table.Right, Extra: c[1] != "fails" && c[1] != "by rule" && c[0] != "columns so far" || c[1] == "F1"})
	}
	t := v.lines("steps", "What the steps of decompositions are worth", columns, func(_ int, r row) (rows [][]table.Cell) {
		sums := map[string]*stepSum{}
		for _, p := range r.paths(false) {
			for _, s := range p.steps {
				for _, at := range []string{placeOf(s), "all"} {
					if sums[at] == nil {
						sums[at] = &stepSum{}
					}
					sums[at].add(s)
				}
			}
		}
		for _, at := range places() {
			if sums[at] != nil {
				rows = append(rows, append([]table.Cell{table.Text(at)}, sums[at].cells()...))
			}
		}
		return rows
	})
	t.Notes = v.notes("A step is a sub-question of one completion; "+fmt.Sprint(lastNumber, "+")+" stands for that one and all after it, \"the question\" for the step that answers the question itself. "+stepErrors,
		"SQL: of the steps with a query, those that returned rows, that returned none, and that did not run. Columns: those that a step lists, or else those that its query reads, counted together over all steps; precision: the share that the gold query uses. So far: of the columns named by the step and those before it; recall: the share of the gold query's columns among them. "+proportionNote,
		ruleMadeNote(v), stepLess(v))
	return Output{Table: t}, nil
}

// ruleMadeNote says what the rule-made decompositions are, and how many of the items with steps in SQL have one.
func ruleMadeNote(v *view) string {
	of := map[string]bool{}
	for _, s := range v.run.Steps {
		if s.SQL != "" && s.Final == 0 {
			of[s.Item] = of[s.Item] || s.RuleSteps.OK
		}
	}
	made := 0
	for _, has := range of {
		made += bitOf(has)
	}
	if made == 0 {
		return ""
	}
	return fmt.Sprintf("By rule: of the steps before the answer that ran, those that return what a step of the rule-made decomposition of the gold query does; %d of %d items have one of two steps or more. "+
		"No person wrote it, and it is one way of several: a step that it lacks is no error, and short results agree by chance.", made, len(of))
}

// stepErrors says what an error of a step is, and what it is not.
const stepErrors = "An error of a step: its query fails; it names a table or column that the database lacks; it lists a column that the gold query does not use, or its query reads a table that the gold query does not; or the steps' lists lack a column of the gold query. " +
	"No step but the last has a gold query of its own: this measures departure from the final one, which another right way to the answer may have too."

// stepLess names the arms without steps; empty where each has some.
func stepLess(v *view) string {
	var without, words []string
	for _, r := range v.rows {
		switch paths := r.paths(false); {
		case len(paths) == 0:
			without = append(without, v.name(r))
		case len(r.paths(true)) == 0:
			words = append(words, v.name(r))
		}
	}
	out := ""
	if without != nil {
		out = "Without steps, and so without a row: " + some(without) + "."
	}
	if words != nil {
		out += " Steps in words alone, which cannot be judged: " + some(words) + "."
	}
	return out
}

// firstErrors has one row per arm whose steps can be judged.
func firstErrors(v *view) (Output, error) {
	columns := append(numerals("", "answers"), table.Column{Name: "no error", Unit: "%", Align: table.Right})
	for i := range lastNumber {
		columns = append(columns, table.Column{Group: "first error at step", Name: placeOf(record.Step{Step: i + 1}), Unit: "%", Align: table.Right})
	}
	columns = append(columns, numerals("which", process.Errors...)...)
	t := v.lines("first-errors", "Where the first error of a decomposition is", columns, func(_ int, r row) [][]table.Cell {
		paths := r.paths(true)
		if len(paths) == 0 {
			return nil
		}
		var none proportion
		at, which := make([]proportion, lastNumber), make([]int, len(process.Errors))
		for _, p := range paths {
			s, wrong := p.firstError()
			none.add(p.answer.Item.Item, bitOf(!wrong), 1)
			for i := range at {
				at[i].add(p.answer.Item.Item, bitOf(wrong && min(s.Step, lastNumber) == i+1), 1)
			}
			if k := slices.Index(process.Errors, s.Error); wrong && k >= 0 {
				which[k]++
			}
		}
		cells := []table.Cell{table.Count(len(paths)), none.cell()}
		for i := range at {
			cells = append(cells, at[i].cell())
		}
		for _, n := range which {
			cells = append(cells, table.Count(n))
		}
		return [][]table.Cell{cells}
	})
	t.Notes = v.notes("Answers: the ways through steps, one for each candidate, of which a step before the one that answers the question itself can be judged; questions that were not divided are none. Which: answers by what the first error is: "+
		"fails: the query does not run; unknown: a name that the database lacks; outside: a column, or of a query a table, that the gold query does not use; lacking: the lists together lack a column of the gold query, which shows at the last of them. "+proportionNote,
		stepErrors, stepLess(v))
	return Output{Table: t}, nil
}

// stepless returns the row of another arm without steps that answers some of the same items, by the same model and at the same
// sweep point. Of several, which joined runs have, it is one with the same seeds before others, then standard prompting.
func (v *view) stepless(r row) (found row, ok bool) {
	best := -1
	items := map[string]bool{}
	for _, it := range r.items {
		items[it.Item] = true
	}
	same := func(a, b configs.Model) bool {
		return a.Provider == b.Provider && a.Name == b.Name && a.BaseURL == b.BaseURL && a.As == b.As
	}
	for _, o := range v.rows {
		shares := slices.ContainsFunc(o.items, func(it *record.Item) bool { return items[it.Item] })
		if !slices.Equal(o.Point, r.Point) || !same(o.Config.Model, r.Config.Model) || !shares || len(o.paths(false)) > 0 {
			continue
		}
		if rank := 2*bitOf(overlap(o, r)) + bitOf(o.Config.Method == "standard"); rank > best {
			found, ok, best = o, true, rank
		}
	}
	return found, ok
}

// ways returns the row's answers as metrics/process counts them, beside the other row's answers to the same item and seed, or
// to the item where that row lacks the seed.
func (v *view) ways(r, other row) (out []process.Path) {
	scores, means := map[itemSeed]float64{}, map[string][]float64{}
	for _, it := range other.items {
		if s := score(it, 0); s.OK {
			scores[itemSeed{it.Item, it.Seed}] = s.V
			means[it.Item] = append(means[it.Item], s.V)
		}
	}
	for _, p := range r.paths(true) {
		status, ok := p.outcome()
		if !ok || !status.Scored() {
			continue
		}
		it := p.answer.Item
		_, wrong := p.firstError()
		x := process.Path{Item: it.Item, Level: v.level(it), Error: wrong, Wrong: status != metrics.Correct, Against: math.NaN()}
		if s, found := scores[itemSeed{it.Item, it.Seed}]; found {
			x.Against = s
		} else if all := means[it.Item]; len(all) > 0 {
			sum := 0.0
			for _, s := range all {
				sum += s
			}
			x.Against = sum / float64(len(all))
		}
		out = append(out, x)
	}
	return out
}

// some lists names, the first of many.
func some(names []string) string {
	const most = 8
	if len(names) > most {
		names = append(slices.Clone(names[:most-1]), fmt.Sprintf("and %d others", len(names)-most+1))
	}
	return strings.Join(names, ", ")
}
