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

// Lengths are the token counts of earlier completions, by model and purpose, see [Length].
type Lengths map[Length]Taken

// Length names completions of similar length: those of one model for one method's stage.
type Length struct{ Model, Method, Stage string }

// LengthOf names the completions of an arm's calls in a stage. A numbered stage, "solve 2", counts as its kind, "solve".
func LengthOf(arm configs.Arm, stage string) Length {
	return Length{modelKey(cost.ModelOf(arm, stage)), arm.Method, cost.StageOf(stage)}
}

// Taken is a number of completions and the sum of their tokens.
type Taken struct{ Completions, Tokens int64 }

// Add adds a completion of so many tokens.
func (l Lengths) Add(of Length, tokens int64) {
	t := l[of]
	l[of] = Taken{t.Completions + 1, t.Tokens + tokens}
}

// Bounds on a simulation, which must take seconds for an experiment of any size: answers in all, and questions under one
// cell and seed. The least number of questions wins over the number of answers.
const (
	maxAnswers   = 1200
	maxQuestions = 60
	minQuestions = 3
)

// substitute answers in place of a model that costs money: from the ledger where it holds the completion, otherwise by the
// baseline, with token counts by the model's own tokenizer.
type substitute struct {
	held     prompting.Held
	baseline llm.Model
	counters map[llm.Author]*cost.Counter
}

// substituteMany is the substitute of a model that gives several samples per call.
type substituteMany struct{ *substitute }

// Generate implements [llm.Model].
func (s *substitute) Generate(ctx context.Context, r llm.Request) (llm.Response, error) {
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

// GenerateN implements [llm.SampleGenerator]. The prompt is counted once, as providers bill it.
func (s substituteMany) GenerateN(ctx context.Context, r llm.Request, samples []int) (out []llm.Response, err error) {
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

// simulation holds the calls of simulated answers, by question, cell and seed, in the order of a run's jobs.
type simulation struct {
	questions []int // positions in the dataset of the questions simulated
	traces    [][]prompting.Call
}

// simulate answers some of the questions under every cell and seed, with substitutes for the models. The questions are
// spread evenly over the dataset, whose neighbours are often of one database and have prompts of one length.
func (f *forecaster) simulate(ctx context.Context) (r simulation, err error) {
	seeds, cells, all := len(f.plan.Experiment.Seeds), len(f.cells), len(f.plan.Set.Examples)
	n := min(max(maxAnswers/(cells*seeds), minQuestions), maxQuestions, all)
	for i := range n {
		r.questions = append(r.questions, i*all/n)
	}
	methods := make([]prompting.Method, cells*seeds)
	for i, c := range f.plan.Cells {
		m, err := f.substitute(ctx, f.cells[i])
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

// substitute returns the model that simulates a cell.
func (f *forecaster) substitute(ctx context.Context, c cell) (llm.Model, error) {
	s := &substitute{held: f.held(ctx), baseline: baseline.New(), counters: map[llm.Author]*cost.Counter{}}
	for _, m := range cost.ModelsOf(c.arm) {
		author, err := catalog.Author(m)
		if err != nil {
			return nil, err
		}
		s.counters[author] = c.all[modelKey(m)].counter
	}
	if c.own.shares {
		return substituteMany{s}, nil
	}
	return s, nil
}

// likely sums up what a stage of a cell took in a simulation.
type likely struct {
	ask, prompt float64
	output      float64
	in, out     float64 // dollars of prompts, and of completions
	source      string  // of the completions' lengths
}

// expect adds a likely value to each line, next to its bounds. It adds none where the method forecasts its first call alone,
// as the simulated calls would then lie outside those bounds. owner maps the key of a call known from the start to the cell that
// counts it.
func (f *forecaster) expect(lines [][]cost.Line, r simulation, owner map[string]int) {
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
			if l.Why == firstCallOnly {
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

// count adds a call that a run would make: one that the ledger does not answer, and no earlier call equals.
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

// lengths returns the lengths given to the forecast, and otherwise those of the completions that the simulation found in the
// ledger.
func (f *forecaster) lengths(r simulation) Lengths {
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

// times scales the estimate from the simulated questions to all.
func (e likely) times(scale float64) cost.Likely {
	times := func(n float64) int64 { return int64(math.Round(n * scale)) }
	return cost.Likely{Ask: times(e.ask), Prompt: times(e.prompt), Output: times(e.output), Source: e.source}
}

// likelyNote says what the likely values are based on.
func (f *forecaster) likelyNote(r simulation, err error) string {
	if err != nil {
		return fmt.Sprintf("Likely values: none, as the baseline cannot run in the model's place: %v.", err)
	}
	return fmt.Sprintf("Likely values are an estimate. Calls and prompts are those of a run over %d of the %d questions, answered by the ledger and otherwise by the baseline (rules, no language model) in the model's place. A completion is as long as the mean of the same model, method and stage in the ledger or, where it has none, as the baseline's. A model that fails more often than the baseline, or reasons before it answers, takes more.",
		len(r.questions), len(f.plan.Set.Examples))
}
