package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"assay/experiments/cost"
	"assay/experiments/trial"
	"assay/plots/terminal"
	"assay/prompting/methods"
	"assay/prompting/script"

	"github.com/spf13/cobra"
)

// methodChecking holds the flags of method check.
type methodChecking struct {
	item, experiment string
	set              []string
}

func (a *app) methodCheckCmd() *cobra.Command {
	var o methodChecking
	c := &cobra.Command{
		Use:   "check DIR",
		Short: "Compile a method's folder, try it on one item, and say what looks wrong",
		Long: `Compile the folder, and run each part that it defines on one item, with the baseline in the model's place: a method and what
links on the item, a fixer on a query that fails, a choice on three candidates, a schema format in the prompt of a method.
Further items are tried while there is a template that none has filled. Printed are each stage's first prompt and what became
of its answer. Then come warnings: params that no file reads, templates
that nothing fills, variables that are passed and not read. Exits with 1 where something fails, and with 0 where there are
warnings alone. Nothing is sent, and nothing is stored.`,
		Example: "  assay method check mine\n  assay method check mine --set params.rounds=2 --set blocks.rules=\n  assay method check mine --experiment mine.toml --item film_festival-001",
		Args:    args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, given []string) error {
			id, err := a.methodID(given[0])
			if err != nil {
				return err
			}
			return a.methodCheck(cmd, id, o)
		},
	}
	f := c.Flags()
	f.StringVar(&o.item, "item", "", "id of the item (default: the first)")
	f.StringVar(&o.experiment, "experiment", "", "take dataset and settings of this experiment, a `file` or a name (default: the sample dataset)")
	f.StringArrayVar(&o.set, "set", nil, "set a key of the experiment, as `key.path=value` (repeatable)")
	return c
}

// errDoubts is the error of a folder in which something cannot work.
var errDoubts = errors.New("the folder has errors: see above")

func (a *app) methodCheck(cmd *cobra.Command, id string, o methodChecking) error {
	f, err := methods.Open(id)
	if err != nil {
		return err
	}
	if !filepath.IsAbs(id) {
		return fmt.Errorf("%q is built in, and checked by its tests: copy it with assay method copy %s DIR, and check that", id, id)
	}
	doubts := f.Doubts()
	e, err := trial.Experiment(id, o.experiment, o.item, o.set)
	if err != nil {
		return ofFlags(err)
	}
	t, failed := trial.Run(cmd.Context(), id, e)
	if a.json {
		err = json.NewEncoder(a.out).Encode(checkedMethod(t, doubts, failed))
	} else {
		_, err = fmt.Fprint(a.out, trialText(t), doubtsText(doubts))
	}
	if err != nil {
		return err
	}
	if failed != nil {
		return failed
	}
	for _, d := range doubts {
		if d.Wrong {
			return errDoubts
		}
	}
	if !a.json {
		a.note("%s: ok: %s, warnings: %d", filepath.Base(id), strings.Join(f.Row().Parts, ", "), len(doubts))
	}
	return nil
}

// checkedMethod is the result of a check as JSON.
func checkedMethod(t *trial.Trial, doubts []script.Doubt, failed error) any {
	type doubt struct {
		Place string `json:"place"`
		Text  string `json:"text"`
		Error bool   `json:"error"`
	}
	out := struct {
		Trial  *trial.Trial `json:"trial"`
		Doubts []doubt      `json:"doubts"`
		Error  string       `json:"error"`
	}{t, []doubt{}, ""}
	for _, d := range doubts {
		out.Doubts = append(out.Doubts, doubt{d.Place, d.Text, d.Wrong})
	}
	if failed != nil {
		out.Error = failed.Error()
	}
	return out
}

// doubtsText prints doubts, a line each.
func doubtsText(doubts []script.Doubt) string {
	var b strings.Builder
	for _, d := range doubts {
		kind := "warning"
		if d.Wrong {
			kind = "error"
		}
		fmt.Fprintf(&b, "%s: %s: %s\n", d.Place, kind, d.Text)
	}
	return b.String()
}

// trialText prints what came of every part; empty where nothing was tried.
func trialText(t *trial.Trial) string {
	if t == nil {
		return ""
	}
	var b strings.Builder
	shown := map[string]bool{}
	for i, p := range t.Parts {
		fmt.Fprintf(&b, "%s=== %s, item %s: %s\n", strings.Repeat("\n", min(i, 1)), p.Kind, p.Item, oneLine(p.Question))
		for _, c := range p.Given {
			fmt.Fprintf(&b, "given: %s\n", oneLine(c.SQL))
		}
		b.WriteString(callsText(p, shown))
		b.WriteString(outcomeText(p))
	}
	b.WriteString("\n")
	for _, name := range t.Unfilled {
		fmt.Fprintf(&b, "%s.jinja: not filled by any of the %d items tried\n", name, t.Items)
	}
	return b.String()
}

// oneLine makes a text safe to print on one line.
func oneLine(s string) string { return strings.Join(strings.Fields(terminal.Line(s)), " ") }

// callsText prints the first call of each stage, and of those that were shown what became of them.
func callsText(p trial.Part, shown map[string]bool) string {
	var b strings.Builder
	for _, c := range p.Calls {
		if stage := p.Kind + " " + cost.StageOf(c.Stage); !shown[stage] {
			shown[stage] = true
			for _, m := range c.Messages {
				fmt.Fprintf(&b, "--- %s: %s\n%s\n", c.Stage, m.Role, printable(strings.TrimRight(m.Text, "\n")))
			}
			fmt.Fprintf(&b, "--- %s: answer\n%s\n", c.Stage, answerText(c))
		}
		fmt.Fprintf(&b, "--- %s: %s\n", c.Stage, foundText(p.Kind, c))
	}
	return b.String()
}

// answerText is the reply of the baseline.
func answerText(c trial.Call) string {
	text := strings.Join(append([]string{printable(strings.TrimRight(c.Reply, "\n"))}, c.Tools...), "\n")
	if strings.TrimSpace(text) == "" {
		return "(empty: the baseline finds no schema and question in this prompt in a form that it reads; a model may)"
	}
	return strings.Trim(text, "\n")
}

// foundText says what became of a reply.
func foundText(kind string, c trial.Call) string {
	var out []string
	if kind == script.Answer || kind == script.Fix || kind == script.Schema {
		found := "no SQL (" + c.Rule + ")"
		if c.SQL != "" {
			found = "SQL by rule " + c.Rule + ": " + oneLine(c.SQL)
		}
		out = append(out, found)
	}
	for _, x := range []struct{ head, text string }{{"note: ", c.Note}, {"seen: ", c.Seen}, {"refused: ", c.Failure}} {
		if x.text != "" {
			out = append(out, x.head+oneLine(x.text))
		}
	}
	if c.Again {
		out = append(out, "the same request as before, and so the same completion at any temperature: n or sample draws another")
	}
	if len(out) == 0 {
		return "no note"
	}
	return strings.Join(out, "; ")
}

// outcomeText says what the part gave.
func outcomeText(p trial.Part) string {
	var b strings.Builder
	for _, l := range p.Linked {
		all := slices.Concat(l.Values, l.Columns)
		if len(all) == 0 {
			all = []string{"nothing"}
		}
		fmt.Fprintf(&b, "linked by %s: %s\n", l.Stage, oneLine(strings.Join(all, ", ")))
	}
	for _, c := range p.Gives {
		switch {
		case c.Failure != "":
			fmt.Fprintf(&b, "gives no query: %s\n", oneLine(c.Failure))
		case c.SQL == "":
			b.WriteString(strings.TrimSuffix("gives no query: "+c.Rule, ": ") + "\n")
		default:
			fmt.Fprintf(&b, "gives: %s\n", oneLine(c.SQL))
		}
	}
	if p.Drops {
		b.WriteString("and drops it\n")
	}
	if p.Kind == script.Choose && p.Chosen >= 0 && p.Chosen < len(p.Given) {
		fmt.Fprintf(&b, "chosen: %s\nwhy: %s\n", oneLine(p.Given[p.Chosen].SQL), oneLine(p.Why))
	}
	return b.String()
}
