package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"assay/experiments/compare"
	"assay/experiments/record"
	"assay/plots/versus"
	"assay/prompting/llm/ledger"
)

// prompts compares, for both arms of every pair, the sources of their methods by the copies in the runs' folders, and an example
// item's prompts from the store's ledger.
func (a *app) prompts(d *diffing, runs []*record.Run, r *compare.Report) (out []versus.Prompt, err error) {
	var l *ledger.Ledger
	if a.store().HasLedger() {
		if l, err = a.store().Ledger(); err != nil {
			return nil, err
		}
		defer l.Close()
	}
	base := runs[0].Index()
	for i, c := range r.Comparisons {
		other := runs[i+1].Index()
		for _, p := range c.Pairs {
			x := promptPair{app: a, diffing: d, questions: base.Questions, pair: p, ledger: l}
			x.a, x.b = base.At(record.CellOf(p.ArmA, p.Point)), other.At(record.CellOf(p.ArmB, p.PointB))
			x.labelA, x.labelB = c.A.Label, c.B.Label
			sources, err := x.sources(runs[0], runs[i+1])
			if err != nil {
				return nil, err
			}
			prompts, err := x.diffs()
			if err != nil {
				return nil, err
			}
			out = append(append(out, sources...), prompts...)
		}
	}
	return out, nil
}

// promptPair compares the prompts of one pair of arms.
type promptPair struct {
	*app
	*diffing
	questions      []*record.Question // of the baseline run
	a, b           *record.Series
	labelA, labelB string // how notes name the two runs
	pair           compare.Pair
	ledger         *ledger.Ledger // nil where the store has none
}

// diffs returns one diff per stage of the example item. It compares the first call of each stage, because samples of a
// stage share their prompt.
func (p *promptPair) diffs() ([]versus.Prompt, error) {
	title := "Prompts of " + versus.Arm(p.pair)
	if p.labelB != "B" {
		title += " (" + p.labelA + " and " + p.labelB + ")"
	}
	item, ok := p.example()
	if !ok {
		return []versus.Prompt{{Title: title, Note: "No item has calls on both sides: predictions that were imported have none."}}, nil
	}
	title += ", item " + item
	if p.ledger == nil {
		return []versus.Prompt{{Title: title, Note: fmt.Sprintf("The store %s has no ledger: the texts cannot be shown.", p.storeDir)}}, nil
	}
	x, y := calls(p.a, item), calls(p.b, item)
	var out []versus.Prompt
	for _, stage := range stages(x, y) {
		one := versus.Prompt{Title: fmt.Sprintf("%s, stage %q", title, stage)}
		a, noteA, err := p.text(p.labelA, x[stage])
		if err != nil {
			return nil, err
		}
		b, noteB, err := p.text(p.labelB, y[stage])
		if err != nil {
			return nil, err
		}
		switch {
		case noteA+noteB != "":
			one.Note = strings.TrimSpace(noteA + " " + noteB)
		case a == b:
			one.Note = "The prompts are the same."
		default:
			one.Lines = versus.DiffLines(a, b)
		}
		out = append(out, one)
	}
	return out, nil
}

// example returns the item of --item; else the first flipped item with calls on both sides, because a flip is what the
// user wants explained; else the first item with calls on both sides.
func (p *promptPair) example() (string, bool) {
	if p.item != "" {
		for _, q := range p.questions {
			if q.Item == p.item || strings.HasSuffix(q.Item, "/"+p.item) {
				return q.Item, true
			}
		}
		return "", false
	}
	both := map[string]int{}
	for side, s := range []*record.Series{p.a, p.b} {
		for _, a := range s.Answers {
			if len(a.Calls) > 0 {
				both[a.Item.Item] |= 1 << side
			}
		}
	}
	for _, f := range p.pair.Flips {
		if both[f.Item] == 3 {
			return f.Item, true
		}
	}
	for _, q := range p.questions {
		if both[q.Item] == 3 {
			return q.Item, true
		}
	}
	return "", false
}

// calls returns an item's first call of each stage, under the first seed that has any.
func calls(s *record.Series, item string) map[string]*record.Call {
	out := map[string]*record.Call{}
	at := slices.IndexFunc(s.Answers, func(a *record.Answer) bool { return a.Item.Item == item && len(a.Calls) > 0 })
	if at < 0 {
		return out
	}
	for i := range s.Answers[at].Calls {
		if c := &s.Answers[at].Calls[i]; out[c.Stage] == nil {
			out[c.Stage] = c
		}
	}
	return out
}

// stages lists the stages of both sides, sorted. Where each side has a single stage, the two are compared whatever their
// names: y is changed to use x's name.
func stages(x, y map[string]*record.Call) (out []string) {
	if len(x) == 1 && len(y) == 1 {
		only, other := slices.Collect(maps.Keys(x))[0], slices.Collect(maps.Keys(y))[0]
		c := y[other]
		delete(y, other)
		y[only] = c
	}
	for _, m := range []map[string]*record.Call{x, y} {
		for k := range m {
			if !slices.Contains(out, k) {
				out = append(out, k)
			}
		}
	}
	slices.Sort(out)
	return out
}

// text returns a call's messages as text, or a note that says why they cannot be shown.
func (p *promptPair) text(side string, c *record.Call) (text, note string, err error) {
	if c == nil {
		return "", side + " has no such stage.", nil
	}
	e, ok, err := p.ledger.Entry(p.cmd.Context(), c.Key)
	if err != nil {
		return "", "", err
	}
	if !ok {
		return "", fmt.Sprintf("%s's prompt is not in %s.", side, p.ledger.Path()), nil
	}
	var b strings.Builder
	for _, m := range e.Request.Messages {
		fmt.Fprintf(&b, "[%s]\n%s\n", m.Role, strings.TrimRight(m.Text, "\n"))
	}
	return b.String(), "", nil
}
