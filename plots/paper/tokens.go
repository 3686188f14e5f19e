package paper

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"assay/configs/input"
	"assay/experiments/cost"
	"assay/experiments/makeup"
	"assay/experiments/record"
	"assay/metrics/stats"
	"assay/plots/figure"
	"assay/plots/table"
)

// tokenMakers show what answers take in tokens, for any method.
var tokenMakers = []maker{
	{"tokens", "Tokens of prompts by part, and what an answer takes", ours, false, whyNoCost, onDemand, tokensTable},
	{"accuracy-tokens", "Accuracy against the tokens of an answer", ours, true, whyNoTokens, onDemand, accuracyTokens},
}

// spend is what one answer took, an answer being an item under one arm, sweep point and seed.
type spend struct {
	item                      string
	calls, prompt, completion record.Count
	cached, reasoning         record.Count // parts of prompt and of completion that the provider counted apart
	turns                     int
	length                    int // tokens of a dialogue at its end: the last turn's prompt and the completion that was used
	usd                       record.Value
}

// nothing is what no call took.
func nothing() spend {
	none := record.CountOf(0)
	return spend{calls: none, prompt: none, completion: none, cached: none, reasoning: none, usd: record.Value{OK: true}}
}

// add adds the counts and the money of a call, or of an answer.
func (s *spend) add(t spend) {
	s.calls, s.usd = s.calls.Plus(t.calls), s.usd.Plus(t.usd)
	s.prompt, s.completion = s.prompt.Plus(t.prompt), s.completion.Plus(t.completion)
	s.cached, s.reasoning = s.cached.Plus(t.cached), s.reasoning.Plus(t.reasoning)
}

// usage is what the answers of a row took, in the order of its items.
type usage []spend

// What mean takes of an answer.
func rounds(s spend) record.Value { return record.Value{V: float64(s.turns), OK: s.calls.OK} }
func length(s spend) record.Value { return record.Value{V: float64(s.length), OK: s.calls.OK} }
func asked(s spend) record.Value  { return valueOf(s.calls) }
func sent(s spend) record.Value   { return valueOf(s.prompt) }
func output(s spend) record.Value { return valueOf(s.completion) }
func billed(s spend) record.Value { return valueOf(s.prompt.Plus(s.completion)) }
func paid(s spend) record.Value   { return s.usd }

func cachedOf(s spend) record.Value    { return valueOf(s.cached) }
func reasoningOf(s spend) record.Value { return valueOf(s.reasoning) }

func valueOf(c record.Count) record.Value { return record.Value{V: float64(c.N), OK: c.OK} }

// unknown returns the cell of what was not measured.
func unknown() table.Cell { return table.Text(record.Unknown) }

// meanNote explains the cells of usage.mean.
const meanNote = "Means over answers, with a 95 % interval over items."

// mean returns the mean over answers with a bootstrap interval over items; blank where nothing was spent, "unknown" where the
// number of one answer is. Items are resampled, and not answers, because the answers to one item under several seeds are alike.
func (u usage) mean(of func(spend) record.Value, decimals int) table.Cell {
	at := map[string]int{}
	var items []stats.Cluster
	whole := record.Value{OK: true}
	for _, s := range u {
		if _, ok := at[s.item]; !ok {
			at[s.item] = len(items)
			items = append(items, stats.Cluster{})
		}
		c := &items[at[s.item]]
		c.N++
		c.Diff += of(s).V
		whole = whole.Plus(of(s))
	}
	switch {
	case !whole.OK:
		return unknown()
	case whole.V == 0:
		return table.Cell{}
	}
	i := stats.BootstrapClusters(items, confidence, resamples, sampling.Seed)
	return table.Measured(table.Number{Value: i.Estimate, Low: i.Low, High: i.High, HasInterval: i.Low < i.High, N: len(u), Decimals: decimals})
}

// money returns the mean in dollars; "unknown" where a price is missing, blank where nothing was paid.
func (u usage) money() table.Cell { return u.mean(paid, usdDecimals) }

// priced reports whether it is known what every answer cost.
func (u usage) priced() bool {
	return !slices.ContainsFunc(u, func(s spend) bool { return !s.usd.OK })
}

// spending returns what the answers of each row took, with the notes on prices.
func (v *view) spending() (out []usage, notes []string, err error) {
	prices, notes, err := v.prices()
	if err != nil {
		return nil, nil, err
	}
	for _, r := range v.rows {
		out = append(out, usageOf(r, prices))
		notes = append(notes, priceNotes(r, prices)...)
	}
	return out, unique(notes), nil
}

// usageOf returns what the answers of a row took.
func usageOf(r row, prices cost.Prices) usage {
	u := make(usage, len(r.Answers))
	votes := max(r.Config.Agent.OrPaper().Votes, 1)
	for i, a := range r.Answers {
		u[i] = spendOf(a, votes, prices)
	}
	return u
}

// spendOf adds up an answer's calls; votes is how many samples make one turn. An imported answer without calls has unknown
// counts, not zero: its file does not say what it took.
func spendOf(a *record.Answer, votes int, prices cost.Prices) spend {
	arm := a.Series.Config
	if arm.Row.Imported && len(a.Calls) == 0 {
		return spend{item: a.Item.Item}
	}
	s := nothing()
	s.item = a.Item.Item
	turns, series := map[string]bool{}, cost.Series{Prices: prices}
	last := ""
	for _, c := range a.Calls {
		s.add(spendOfCall(c, series.Of(cost.ModelOf(arm, c.Stage), c)))
		if !turnStage.MatchString(c.Stage) {
			continue
		}
		turn := fmt.Sprint(c.Stage, " ", c.Sample/votes)
		if !turns[turn] {
			turns[turn] = true
			s.turns++
		}
		if last != turn { // the completions of one turn share its prompt, and the first may hold all its tokens
			last, s.length = turn, 0
		}
		if prompt := c.PromptTokens.N; prompt > 0 && s.length == 0 {
			s.length = prompt
		}
		if !strings.Contains(c.Note, "not taken: ") { // why an empty completion is empty may stand before it
			s.length += c.CompletionTokens.N
		}
	}
	return s
}

// tokensTable has one row per arm and sweep point.
func tokensTable(v *view) (Output, error) {
	s := v.plain("tokens", "Tokens of prompts by part, and what an answer takes")
	if err := s.spend(); err != nil {
		return Output{}, err
	}
	first := side{name: "first prompt"}
	for _, name := range makeup.Names {
		if slices.ContainsFunc(s.parts.parts, func(x makeup.Part) bool { return x.Name == name }) {
			first.fields = append(first.fields, field{Name: name, Short: makeup.Short[name], Measure: "parts", Of: []string{name}, Extra: name == makeup.Question || name == makeup.Evidence})
		}
	}
	took := []field{
		{Name: "calls", Measure: "prompts"},
		{Name: "turns", Measure: "rounds", Places: new(2)},
		{Name: "prompt tokens", Measure: "prompt tokens", Places: new(0)},
		{Name: "completion tokens", Short: "compl. tokens", Measure: "completion tokens", Places: new(0)},
	}
	apart := v.splits()
	for _, x := range apart {
		took = append(took, field{Name: x.name, Measure: x.name, Places: new(0)})
	}
	tops := []side{first, {fields: []field{{Name: v.display(v.ids[0]), Measure: "mean", Best: true, Extra: true}}},
		{name: "per answer", fields: append(took, field{Name: "USD", Measure: "usd"})}}
	notes := append(splitNotes(apart), s.parts.note(), meanNote+" Turns are those of dialogues with tools; a call is a completion asked for.", costNotes(v)[0])
	return s.perArm(tops, append(notes, s.prices...)...), nil
}

// at returns the position of a row in the view.
func (v *view) at(r row) int {
	return slices.IndexFunc(v.rows, func(o row) bool { return o.Cell == r.Cell })
}

// siblings returns the folders of the runs that a joined run is made of, all but the first, which is the joined run's own.
func (v *view) siblings() (dirs []string) {
	for _, id := range strings.Split(v.run.Manifest.ID, "+")[1:] {
		found, err := input.Glob(filepath.Dir(filepath.Clean(v.run.Dir)), "*-"+id)
		if err == nil {
			dirs = append(dirs, found...)
		}
	}
	return dirs
}

func whyNoTokens(v *view) string {
	switch {
	case slices.ContainsFunc(v.rows, func(r row) bool { return meanTokens(r).V > 0 }):
		return ""
	case slices.ContainsFunc(v.rows, func(r row) bool { return !meanTokens(r).OK }):
		return "the tokens of its answers are not known"
	}
	return "its answers took no tokens"
}

// meanTokens returns the mean tokens of an answer, prompts and completions; not OK where the tokens of one answer are unknown.
func meanTokens(r row) record.Value {
	sum := record.CountOf(0)
	for _, it := range r.items {
		sum = sum.Plus(it.PromptTokens).Plus(it.CompletionTokens)
	}
	return record.Value{V: float64(sum.N) / float64(max(1, len(r.items))), OK: sum.OK}
}

// wide is the ratio of the most tokens, or dollars, to the fewest from which the axis is logarithmic.
const wide = 8

// accuracyTokens draws one point per arm and sweep point, one marker per model.
func accuracyTokens(v *view) (Output, error) {
	metric := v.display(v.ids[0])
	f := &figure.Scatter{ID: "accuracy-tokens", Title: fmt.Sprintf("%s against tokens: %s", metric, v.run.Manifest.Experiment),
		XLabel: "tokens per answer, prompts and completions", YLabel: metric + ", percent", Front: true}
	v.against(f, func(r row) (float64, figure.Interval) { return meanTokens(r).V, figure.Interval{} })
	counted := "Tokens as the providers counted them"
	var without []string
	for _, r := range v.rows {
		if !meanTokens(r).OK {
			without = append(without, v.name(r))
		}
	}
	if without != nil {
		f.Caption = []string{"Not drawn, because the tokens of their answers are not known: " + strings.Join(without, ", ") + "."}
	}
	if slices.ContainsFunc(v.rows, func(r row) bool { return r.Config.Model.Local }) {
		counted += " (the baseline estimates its own)"
	}
	f.Caption = append(f.Caption, append([]string{counted + ", each prompt as often as it was sent. Pareto front: no other point has as much accuracy for as few tokens."}, v.caption("Points")...)...)
	return Output{Figure: f}, nil
}

// against draws one point per row, with one marker per model: the headline metric against x, whose range may be missing. A row
// without an x above zero is not drawn, since the axis may be logarithmic.
func (v *view) against(f *figure.Scatter, x func(row) (float64, figure.Interval)) {
	low, high := 0.0, 0.0
	for _, r := range v.rows {
		x, around := x(r)
		if x > 0 && (low == 0 || x < low) {
			low = x
		}
		high = max(high, x)
		c := v.ranged(r, 0, nil, 1)
		d := figure.Dot{Label: v.name(r), X: x, XRange: around, OK: c.Num != nil && x > 0}
		if p := point(c); d.OK {
			d.Y, d.YRange = p.Y, figure.Interval{Low: p.Low, High: p.High, OK: p.HasRange}
		}
		name := modelOf(r.Config.Model)
		i := slices.IndexFunc(f.Series, func(s figure.Cloud) bool { return s.Name == name })
		if i < 0 {
			i = len(f.Series)
			f.Series = append(f.Series, figure.Cloud{Name: name})
		}
		f.Series[i].Dots = append(f.Series[i].Dots, d)
	}
	f.LogX = high > wide*low
}
