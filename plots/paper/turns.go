package paper

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"assay/experiments/record"
	"assay/metrics"
	"assay/metrics/process"
	"assay/plots/table"
)

// turnMakers are the tables of methods that work in dialogues with tools.
var turnMakers = []maker{
	{"turns", "What each turn and tool of an agent did for the answer", ours, false, whyNoTurns, common, turnsTable},
}

// dialogueTurn is a turn of a dialogue: the calls that were made for it, of which one was taken.
type dialogueTurn struct {
	process.Turn
	stage  string
	worth  process.Worth
	tokens int // of all its calls; 0 where unknown
}

// stageNumber matches the stage of a turn: its dialogue, where it was begun again, and its number.
var stageNumber = regexp.MustCompile(`(?:^|: )turn (\d+)$`)

// ending matches the end of the note of a dialogue's last call.
var ending = regexp.MustCompile(` ?\(end: [a-z]+\)$`)

// untaken begins the note of a completion whose action was not taken.
const untaken = "not taken: "

// Dialogues returns the turns of an answer's dialogues, one list for each, with the worth of each turn: dialogues that were
// begun again and those of further samples are lists of their own.
func Dialogues(x *record.Index, a *record.Answer) (out [][]Turn) {
	for _, one := range dialogues(a.Calls) {
		judgeDialogue(one, a.Item.SQL, x, a.Question.DB)
		var turns []Turn
		for _, t := range one {
			turns = append(turns, Turn{t.stage, t.Action, t.worth, t.tokens})
		}
		out = append(out, turns)
	}
	return out
}

// Turn is a turn of a dialogue, as others show it.
type Turn struct {
	Stage  string        // of its calls
	Action string        // taken; empty for none
	Worth  process.Worth // what it did for the answer
	Tokens int           // of all its calls: prompts and completions
}

// dialogues divides the calls of an answer.
func dialogues(calls []record.Call) (out [][]dialogueTurn) {
	last, stage := -1, ""
	for _, c := range calls {
		m := stageNumber.FindStringSubmatch(c.Stage)
		if m == nil {
			continue
		}
		n, _ := strconv.Atoi(m[1])
		if last < 0 || c.Stage != stage && n <= len(out[last]) {
			out, last = append(out, nil), last+1
		}
		if own := &out[last]; c.Stage != stage || len(*own) == 0 {
			*own = append(*own, dialogueTurn{stage: c.Stage})
		}
		stage = c.Stage
		t := &out[last][len(out[last])-1]
		t.tokens += c.PromptTokens.N + c.CompletionTokens.N
		note := ending.ReplaceAllString(c.Note, "")
		if strings.HasPrefix(note, untaken) || c.Failure != "" || t.Observation != "" {
			continue
		}
		if t.Observation = c.Observation; note != "no action" {
			t.Action = note
		}
	}
	return out
}

// judgeDialogue sets the worth of the turns. The answer of a dialogue that did not run the item's is the last query that it ran.
func judgeDialogue(all []dialogueTurn, answer string, x *record.Index, db string) {
	turns := make([]process.Turn, len(all))
	last, own := "", false
	flat := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	for i, t := range all {
		turns[i] = t.Turn
		if sql := t.SQL(); sql != "" {
			last = sql
			own = own || flat(sql) == flat(answer)
		}
	}
	if !own && last != "" {
		answer = last
	}
	for i, w := range process.JudgeTurns(turns, answer, x.Schema(db)) {
		all[i].worth = w
	}
}

// turnSum counts the turns of one tool.
type turnSum struct {
	turns, tokens, idle int // idle: tokens in wasted turns
	of                  map[process.Worth]int
	wasted, helped, not proportion // turns wasted; answers with a helpful turn and without that are right
}

func (t *turnSum) add(item string, x dialogueTurn) {
	if t.of == nil {
		t.of = map[process.Worth]int{}
	}
	t.turns++
	t.tokens += x.tokens
	t.of[x.worth]++
	t.wasted.add(item, bitOf(x.worth.Wasted()), 1)
	if x.worth.Wasted() {
		t.idle += x.tokens
	}
}

// without names turns that call no tool.
const without = "no action"

// turnsTable has one row per arm and tool, and one for all of them.
func turnsTable(v *view) (Output, error) {
	columns := []table.Column{{Name: "tool", Key: true}, {Name: "turns", Align: table.Right}}
	for _, w := range process.Worths {
		extra := w == process.Answered || w == process.Tried || w == process.Ended
		columns = append(columns, table.Column{Name: string(w), Align: table.Right, Extra: extra})
	}
	columns = append(columns, table.Column{Group: "wasted %", Name: "turns", Align: table.Right}, table.Column{Group: "wasted %", Name: "tokens", Align: table.Right},
		table.Column{Group: "right % where it", Name: "helped", Align: table.Right, Extra: true}, table.Column{Group: "right % where it", Name: "did not", Align: table.Right, Extra: true})
	t := v.lines("turns", "What each turn of an agent did for the answer", columns, func(_ int, r row) (rows [][]table.Cell) {
		sums := v.turnSums(r)
		for _, tool := range slices.Concat(process.Tools, []string{without, "all"}) {
			s := sums[tool]
			if s == nil {
				continue
			}
			cells := []table.Cell{table.Text(tool), table.Count(s.turns)}
			for _, w := range process.Worths {
				cells = append(cells, table.Count(s.of[w]))
			}
			rows = append(rows, append(cells, s.wasted.cell(), percent(s.idle, s.tokens), s.helped.cell(), s.not.cell()))
		}
		return rows
	})
	t.Notes = v.notes("Told from the texts of a dialogue: answer: the turn ran the query that became the answer. Used: it told a column, value or join first that the answer has. Tried: it ran a query that was given up for another. "+
		"Unused: the answer has nothing of what it told. Repeated: its action was taken before, or an earlier turn had told all that the answer has of it. Failed: the tool complained, or the turn has no action. Wasted: unused, repeated and failed turns.",
		"An answer without anything of a turn could have come without it; one that has something might have all the same, since models guess. What a tool is worth shows where it is switched off (agent.off, and the table differences), and what a call is where its answer is withheld (agent.withhold_turn, and the table withheld).",
		"Tokens: those of all votes of the turns, prompts and completions. Right where it helped: the share of answers, of those in which the tool was called, with a turn of it that was the answer or used, and without. "+proportionNote)
	return Output{Table: t}, nil
}

// turnSums counts the row's turns by tool, and all of them.
func (v *view) turnSums(r row) map[string]*turnSum {
	sums := map[string]*turnSum{}
	at := func(tool string) *turnSum {
		if sums[tool] == nil {
			sums[tool] = &turnSum{}
		}
		return sums[tool]
	}
	for _, a := range r.Answers {
		helped := map[string]bool{}
		for _, one := range dialogues(a.Calls) {
			judgeDialogue(one, a.Item.SQL, v.index, a.Question.DB)
			for _, t := range one {
				tool := t.Tool()
				if !slices.Contains(process.Tools, tool) {
					tool = without
				}
				at(tool).add(a.Item.Item, t)
				at("all").add(a.Item.Item, t)
				helped[tool] = helped[tool] || t.worth == process.Answered || t.worth == process.Used
			}
		}
		for tool, did := range helped {
			if to := &sums[tool].helped; a.Item.Status.Scored() {
				if !did {
					to = &sums[tool].not
				}
				to.add(a.Item.Item, bitOf(a.Item.Status == metrics.Correct), 1)
			}
		}
	}
	return sums
}

// Said is what a turn did, in words: "used, 1234 tokens".
func (t Turn) Said() string { return fmt.Sprintf("%s, %d tokens", t.Worth, t.Tokens) }
