package paper

import (
	"fmt"
	"slices"
	"strings"

	"assay/configs"
	"assay/experiments/record"
	"assay/metrics"
	"assay/metrics/process"
	"assay/plots/table"
)

// withheldMakers are the tables of dialogues that were held again without an observation.
var withheldMakers = []maker{
	{"withheld", "What changes where an agent is not shown what a tool answered", ours, false, whyNoWithheld, common, withheldTable},
}

func whyNoWithheld(v *view) string {
	for _, r := range v.rows {
		if withholds(r.Config) {
			if _, ok := v.shown(r); ok {
				return ""
			}
		}
	}
	return "it needs an arm with agent.withhold or agent.withhold_turn, and one that is the same without"
}

// withholds reports whether the arm's agent is not shown all observations.
func withholds(a configs.Arm) bool {
	return a.Agent != nil && (len(a.Agent.Withhold) > 0 || a.Agent.WithholdTurn > 0)
}

// unwithheld is the arm with all observations shown, and without the names that only tables print.
func unwithheld(a configs.Arm) string {
	a.Name, a.Label, a.Published = "", "", ""
	if a.Agent != nil {
		agent := *a.Agent
		agent.Withhold, agent.WithholdTurn = nil, 0
		a.Agent = &agent
	}
	text, err := configs.Experiment{Arms: []configs.Arm{a}}.TOML()
	if err != nil {
		return err.Error() // an arm that cannot be written has no partner
	}
	return string(text)
}

// shown returns the row that is the same but for what is withheld. Of several, which joined runs have, it is the one nearest above
// that answers some of the same items under the same seeds, or else the first below.
func (v *view) shown(r row) (found row, ok bool) {
	want := unwithheld(r.Config)
	above := true
	for _, o := range v.rows {
		if o.Cell == r.Cell {
			above = false
		}
		if ok && !above {
			break
		}
		if o.Known && !withholds(o.Config) && unwithheld(o.Config) == want && overlap(o, r) {
			found, ok = o, true
		}
	}
	return found, ok
}

// overlap reports whether two rows answer some item under one seed.
func overlap(a, b row) bool {
	keys := map[itemSeed]bool{}
	for _, it := range a.items {
		keys[itemSeed{it.Item, it.Seed}] = true
	}
	return slices.ContainsFunc(b.items, func(it *record.Item) bool { return keys[itemSeed{it.Item, it.Seed}] })
}

// itemSeed is what pairs the answers of two rows.
type itemSeed struct {
	item string
	seed int64
}

// firstDialogue returns the turns of the answer's first dialogue that an observation could be withheld from, which are all but the
// last; nil where the answer has dialogues of several samples.
func firstDialogue(a *record.Answer) []dialogueTurn {
	var first []dialogueTurn
	for _, one := range dialogues(a.Calls) {
		if strings.Contains(one[0].stage, "redo ") {
			continue
		}
		if first != nil {
			return nil
		}
		first = one
	}
	return first[:max(0, len(first)-1)]
}

// affected returns the turns of a dialogue whose observations the agent withholds, and how tables name their tools.
func affected(turns []dialogueTurn, agent *configs.Agent) (tool string, out []dialogueTurn) {
	if n := agent.WithholdTurn; n > 0 {
		if n > len(turns) {
			return "", nil
		}
		t := turns[n-1]
		if tool = t.Tool(); !slices.Contains(process.Tools, tool) {
			tool = without
		}
		return tool, []dialogueTurn{t}
	}
	for _, t := range turns {
		if slices.Contains(agent.Withhold, t.Tool()) {
			out = append(out, t)
		}
	}
	return strings.Join(agent.Withhold, ", "), out
}

// held is what was withheld: one call of a tool, or each.
type held struct{ calls, tool string }

const oneCall, eachCall = "one call", "each call"

// trials returns the dialogues of the rows that withhold, beside those of the row that does not, and how many could not be
// compared.
func (v *view) trials(base row) (of map[held][]process.Trial, unscored int) {
	of = map[held][]process.Trial{}
	answers := map[itemSeed]*record.Answer{}
	for _, a := range base.Answers {
		answers[itemSeed{a.Item.Item, a.Item.Seed}] = a
	}
	for _, r := range v.rows {
		if b, ok := v.partner(r); !ok || b.Cell != base.Cell {
			continue
		}
		for _, a := range r.Answers {
			b := answers[itemSeed{a.Item.Item, a.Item.Seed}]
			if b == nil {
				continue
			}
			tool, turns := affected(firstDialogue(b), r.Config.Agent)
			if turns == nil {
				continue
			}
			if !a.Item.Status.Scored() || !b.Item.Status.Scored() {
				unscored++
				continue
			}
			t := process.Trial{Item: a.Item.Item, Shown: b.Item.Status == metrics.Correct, Withheld: a.Item.Status == metrics.Correct,
				Same: strings.Join(strings.Fields(a.Item.SQL), " ") == strings.Join(strings.Fields(b.Item.SQL), " ")}
			for _, x := range turns {
				t.Tokens += x.tokens
			}
			h := held{eachCall, tool}
			if r.Config.Agent.WithholdTurn > 0 {
				h.calls = oneCall
				of[held{oneCall, "all"}] = append(of[held{oneCall, "all"}], t)
			}
			of[h] = append(of[h], t)
		}
	}
	return of, unscored
}

// partner returns the row with all observations of a row that withholds some; false for other rows.
func (v *view) partner(r row) (row, bool) {
	if !withholds(r.Config) {
		return row{}, false
	}
	return v.shown(r)
}

// order lists what was withheld: single calls by tool, all of them, and then tools whole.
func order(of map[held][]process.Trial) (out []held) {
	tools := slices.Concat(process.Tools, []string{without, "all"})
	for _, tool := range tools {
		out = append(out, held{oneCall, tool})
	}
	var each []string
	for h := range of {
		if h.calls == eachCall {
			each = append(each, h.tool)
		}
	}
	slices.SortFunc(each, func(a, b string) int {
		first := func(s string) int { tool, _, _ := strings.Cut(s, ","); return slices.Index(tools, tool) }
		if d := first(a) - first(b); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	for _, tool := range each {
		out = append(out, held{eachCall, tool})
	}
	return slices.DeleteFunc(out, func(h held) bool { return len(of[h]) == 0 })
}

// withheldTable has one row per arm with all observations and kind of what is withheld from it.
func withheldTable(v *view) (Output, error) {
	columns := []table.Column{{Name: "withheld", Key: true}, {Name: "of tool", Key: true}}
	columns = append(columns, numerals("", "dialogues")...)
	columns = append(columns, table.Column{Name: "other query", Unit: "%", Align: table.Right})
	columns = append(columns, numerals("right", "lost", "found")...)
	columns = append(columns, numerals("", "changed %", "points", "idle tokens %")...)
	for i := 3; i <= 5; i++ {
		columns[i].Extra = true
	}
	unscored := 0
	t := v.lines("withheld", "What changes where an agent is not shown what a tool answered", columns, func(_ int, r row) (rows [][]table.Cell) {
		if withholds(r.Config) {
			return nil
		}
		of, n := v.trials(r)
		unscored += n
		for _, h := range order(of) {
			rows = append(rows, append([]table.Cell{table.Text(h.calls), table.Text(h.tool)}, withheldCells(of[h])...))
		}
		return rows
	})
	dropAxes(t)
	t.Notes = v.notes("Each dialogue is held again with an observation withheld: the call is made and counts as made, and the model reads that its observation is not shown. The turns before are the same requests, which the ledger answers. "+
		"One call: of one turn (agent.withhold_turn), by its tool; each call: all of a tool (agent.withhold). Dialogues: pairs of one, held with the observation and without; a turn after which nothing is asked is none.",
		"Lost: right with the observation alone; found: right without it alone. Changed: both, of the dialogues. Points: found less lost, of 100 dialogues; the tool helps where it is below 0. In brackets 95 % intervals over items: of points by bootstrap, of shares Wilson's, carried over to means where an item has several dialogues.",
		"Above temperature 0 a changed prompt also draws anew: part of what changed is chance, which takes and gives alike, so that the points alone say what the observations are worth.",
		"Idle: of the tokens of those turns, the share in turns without whose observation the query is the same.")
	if unscored > 0 {
		t.Notes = append(t.Notes, fmt.Sprint(unscored)+plural(unscored, " pair has", " pairs have")+" an answer that could not be scored, such as one that the ledger lacks, and are left out.")
	}
	return Output{Table: t}, nil
}

// withheldCells are the numbers of one kind.
func withheldCells(trials []process.Trial) []table.Cell {
	e := process.EffectOf(trials, confidence, resamples, propagationSeed)
	var other, changed proportion
	for _, t := range trials {
		other.add(t.Item, bitOf(!t.Same), 1)
		changed.add(t.Item, bitOf(t.Shown != t.Withheld), 1)
	}
	return []table.Cell{table.Count(e.Trials), other.cell(), table.Count(e.Lost), table.Count(e.Found), changed.cell(),
		points(e.Difference, e.Trials, true), percent(e.Idle, e.Tokens)}
}

// dropAxes takes the columns out that say what is withheld, which the rows say by tool.
func dropAxes(t *table.Table) {
	for i := len(t.Columns) - 1; i >= 0; i-- {
		if name := t.Columns[i].Name; name != "agent.withhold" && name != "agent.withhold_turn" {
			continue
		}
		t.Columns = slices.Delete(t.Columns, i, i+1)
		for k := range t.Rows {
			t.Rows[k] = slices.Delete(t.Rows[k], i, i+1)
		}
	}
}
