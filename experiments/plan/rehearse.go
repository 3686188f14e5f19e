package plan

import (
	"context"
	"fmt"
	"math"
	"runtime"

	"assay/configs"
	"assay/experiments/catalog"
	"assay/experiments/cost"
	"assay/prompting"
	"assay/prompting/llm"
	"assay/prompting/llm/baseline"

	"golang.org/x/sync/errgroup"
)

// Lengths are what completions took, by who gave them and what for: see [Length].
type Lengths map[Length]Taken

// Length names completions that are alike: those of one model for one method's stage.
type Length struct{ Model, Method, Stage string }

// LengthOf names the completions of an arm's calls in a stage, numbered or not.
func LengthOf(arm configs.Arm, stage string) Length {
	return Length{modelKey(cost.ModelOf(arm, stage)), arm.Method, cost.StageOf(stage)}
}

// Taken sums completions up.
type Taken struct{ Completions, Tokens int64 }

// Add counts a completion.
func (l Lengths) Add(of Length, tokens int64) {
	t := l[of]
	l[of] = Taken{t.Completions + 1, t.Tokens + tokens}
}

// Bounds on a rehearsal: answers in all, and questions under one cell and seed.
const (
	rehearsed     = 1200
	mostQuestions = 60
	leastOfEach   = 3
)

// stand answers in a model's place: by what the ledger holds, else by the baseline, with the tokens that the model would
// count.
type stand struct {
	held     prompting.Held
	baseline llm.Model
	counters map[llm.Author]*cost.Counter
}

// standMany is one for a model that gives several samples a call.
type standMany struct{ *stand }

// Generate implements [llm.Model].
func (s *stand) Generate(ctx context.Context, r llm.Request) (llm.Response, error) {
	resp, ok, err := s.held(r)
	if err != nil {
		return resp, err
	}
	if ok {
		resp.Cached = true
		return resp, nil
	}
	resp, err = s.baseline.Generate(ctx, r)
	if err != nil {
		return resp, err
	}
	c := s.counters[r.Author]
	text := resp.Text
	for _, call := range resp.ToolCalls {
		text += call.Name + call.Arguments
	}
	resp.Usage = llm.Usage{PromptTokens: int(c.Prompt(Prompt(r))), CompletionTokens: int(c.Text(text)), Estimated: true}
	return resp, nil
}

// GenerateN implements [llm.SampleGenerator]: the prompt is paid for once.
func (s standMany) GenerateN(ctx context.Context, r llm.Request, samples []int) (out []llm.Response, err error) {
	paid := false
	for _, k := range samples {
		r.Sample = k
		resp, err := s.Generate(ctx, r)
		if err != nil {
			return nil, err
		}
		if paid && !resp.Cached {
			resp.Usage.PromptTokens = 0
		}
		paid = paid || !resp.Cached
		out = append(out, resp)
	}
	return out, nil
}

// rehearsal is what an answer of each cell, seed and question asked for, in the order of a run's jobs.
type rehearsal struct {
	questions []int // those of the dataset that were rehearsed
	traces    [][]prompting.Call
}

// rehearse answers some of the questions under every cell and seed, spread evenly over the dataset, with the ledger and
// the baseline in the models' place.
func (f *forecaster) rehearse(ctx context.Context) (r rehearsal, err error) {
	seeds, cells, all := len(f.plan.Experiment.Seeds), len(f.cells), len(f.plan.Set.Examples)
	n := min(max(rehearsed/(cells*seeds), leastOfEach), mostQuestions, all)
	for i := range n {
		r.questions = append(r.questions, i*all/n)
	}
	methods := make([]prompting.Method, cells*seeds)
	for i, c := range f.plan.Cells {
		m, err := f.stand(ctx, f.cells[i])
		if err != nil {
			return r, err
		}
		for s, seed := range f.plan.Experiment.Seeds {
			if methods[i*seeds+s], err = f.plan.Method(c, m, seed); err != nil {
				return r, err
			}
		}
	}
	r.traces = make([][]prompting.Call, n*len(methods))
	g, within := errgroup.WithContext(ctx)
	g.SetLimit(runtime.NumCPU())
	for i := range r.traces {
		g.Go(func() error {
			ans, err := methods[i%len(methods)].Answer(within, f.plan.Set.Examples[r.questions[i/len(methods)]].Question)
			r.traces[i] = ans.Trace
			return err
		})
	}
	return r, g.Wait()
}

// stand is the model that a cell is rehearsed with.
func (f *forecaster) stand(ctx context.Context, c cell) (llm.Model, error) {
	s := &stand{held: f.held(ctx), baseline: baseline.New(), counters: map[llm.Author]*cost.Counter{}}
	for _, m := range cost.ModelsOf(c.arm) {
		author, err := catalog.Author(m)
		if err != nil {
			return nil, err
		}
		s.counters[author] = c.all[modelKey(m)].counter
	}
	if c.own.shares {
		return standMany{s}, nil
	}
	return s, nil
}

// likely is what a stage of a cell took in a rehearsal.
type likely struct {
	ask, prompt float64
	output      float64
	in, out     float64 // dollars of prompts, and of completions
	source      string  // of the completions' lengths
}

// expect puts what each line likely takes beside its bounds. What a method does not tell of is left unsaid. owner is the
// cell that a call known from the start is counted under, by its key.
func (f *forecaster) expect(lines [][]cost.Line, r rehearsal, owner map[string]int) {
	seeds := len(f.plan.Experiment.Seeds)
	lengths, sums, asked := f.lengths(r), make([]map[string]*likely, len(f.cells)), map[string]bool{}
	for i, trace := range r.traces {
		cell := i / seeds % len(f.cells)
		if sums[cell] == nil {
			sums[cell] = map[string]*likely{}
		}
		for _, call := range trace {
			if of, ok := owner[call.Key]; !ok || of == cell {
				f.count(sums[cell], f.cells[cell], call, lengths, asked)
			}
		}
	}
	scale := float64(len(f.plan.Set.Examples)) / float64(len(r.questions))
	for i := range lines {
		for j := range lines[i] {
			l := &lines[i][j]
			if l.Why == unforeseen {
				continue
			}
			e := sums[i][l.Stage]
			if e == nil {
				e = &likely{}
			}
			l.Expect(e.times(scale), e.in/max(e.prompt, 1), e.out/max(e.output, 1))
		}
	}
}

// count adds a call that would be asked.
func (f *forecaster) count(sum map[string]*likely, c cell, call prompting.Call, lengths Lengths, asked map[string]bool) {
	if call.Cached || asked[call.Key] {
		return
	}
	asked[call.Key] = true
	stage := cost.StageOf(call.Stage)
	e := sum[stage]
	if e == nil {
		e = &likely{source: "the baseline"}
		sum[stage] = e
	}
	output := float64(call.Usage.CompletionTokens)
	if t := lengths[LengthOf(c.arm, stage)]; t.Completions > 0 {
		output = float64(t.Tokens) / float64(t.Completions)
		e.source = fmt.Sprintf("%d in the ledger", t.Completions)
	}
	prompt, price := int64(call.Usage.PromptTokens), c.of(stage).price
	e.ask++
	e.prompt += float64(prompt)
	e.output += output
	e.in += price.USD(prompt, 0)
	e.out += price.Sum(prompt, 0, 1) * output
}

// lengths are those that the forecast is given, and for what has none there those of the completions that the rehearsal
// found in the ledger.
func (f *forecaster) lengths(r rehearsal) Lengths {
	found := Lengths{}
	seeds := len(f.plan.Experiment.Seeds)
	for i, trace := range r.traces {
		arm := f.cells[i/seeds%len(f.cells)].arm
		for _, call := range trace {
			if call.Cached {
				found.Add(LengthOf(arm, call.Stage), int64(call.Usage.CompletionTokens))
			}
		}
	}
	for of, taken := range f.opts.Lengths {
		found[of] = taken
	}
	return found
}

// times is the estimate for so many times the questions.
func (e likely) times(scale float64) cost.Likely {
	times := func(n float64) int64 { return int64(math.Round(n * scale)) }
	return cost.Likely{Ask: times(e.ask), Prompt: times(e.prompt), Output: times(e.output), Source: e.source}
}

// likelyNote says what the likely values rest on.
func (f *forecaster) likelyNote(r rehearsal, err error) string {
	if err != nil {
		return fmt.Sprintf("Likely values: none, as the baseline cannot run in the model's place: %v.", err)
	}
	return fmt.Sprintf("Likely values are an estimate. Calls and prompts are those of a run over %d of the %d questions, by what the ledger holds and else by the baseline (rules, no language model) in the model's place. A completion is as long as those of the same model, method and stage in the ledger, or where there are none as the baseline's. A model that fails more often than the baseline, or reasons before it answers, takes more.",
		len(r.questions), len(f.plan.Set.Examples))
}
