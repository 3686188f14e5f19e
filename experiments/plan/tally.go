package plan

import (
	"fmt"
	"math"

	"assay/configs"
	"assay/experiments/cost"
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

// tally sums the calls of a forecast up, by cell and stage. The ledger answers the second of two equal requests, so each
// is paid for by the first cell that makes it, the certain ones before those estimated.
type tally struct {
	cells   []cell
	seeds   int
	lines   [][]*line      // by cell, in the order in which an answer's trace first has the stages
	payer   map[string]int // the cell that pays for a request, by its key
	waiting []waiting      // calls of the sample
	lengths Lengths
}

// line is one stage of one cell.
type line struct {
	stage      string
	rates      rates
	sure, rest amount          // the certain calls; of the sample, those beyond them
	once       amount          // what the prompt cache gives less to the rest, whatever the size of the sample
	stoodIn    Taken           // the baseline's completions of calls that the cell pays for
	met        map[string]bool // their keys
}

// amount is a number of calls, and what those to ask take. Numbers are floats, because they are scaled.
type amount struct {
	calls, ask, prompt    float64
	usd, perOutput        float64 // dollars of the prompts, and of one token more of each completion
	prompts, output, most float64 // at most: prompt tokens, output tokens, dollars

	best, cold       float64 // prompt tokens that the provider's cache gives, see tokens
	bestUSD, coldUSD float64 // dollars of the prompts with these
	batch, perBatch  float64 // as usd and perOutput, in a batch, where each prompt is paid for
}

// newTally prepares the lines of the stages that traces have; held is what the ledger holds of the calls.
func newTally(f *forecaster, guess, sure []answered) *tally {
	t := &tally{cells: f.cells, seeds: len(f.plan.Experiment.Seeds), lines: make([][]*line, len(f.cells)), payer: map[string]int{}, lengths: Lengths{}}
	held := map[string]bool{}
	for _, all := range [][]answered{guess, sure} {
		for i, a := range all {
			for _, x := range a.trace {
				t.line(t.cell(i), x.Stage)
			}
			for _, x := range a.calls {
				if x.held && !held[x.key] {
					held[x.key] = true
					t.lengths.Add(LengthOf(f.cells[t.cell(i)].Arm, x.stage), x.output)
				}
			}
		}
	}
	for of, taken := range f.opts.Lengths {
		t.lengths[of] = taken
	}
	return t
}

// cell returns the cell of an answer by its position.
func (t *tally) cell(i int) int { return i / t.seeds % len(t.cells) }

// line returns the line of a cell's stage, and adds it where it is new.
func (t *tally) line(cell int, stage string) *line {
	stage = cost.StageOf(stage)
	for _, l := range t.lines[cell] {
		if l.stage == stage {
			return l
		}
	}
	l := &line{stage: stage, rates: t.cells[cell].of(stage), met: map[string]bool{}}
	t.lines[cell] = append(t.lines[cell], l)
	return l
}

// pays reports whether a call is to ask and no equal one was before; the cell then pays for it.
func (t *tally) pays(cell int, x call) bool {
	if _, taken := t.payer[x.key]; taken || x.held {
		return false
	}
	t.payer[x.key] = cell
	return true
}

// certain counts the calls that every answer makes, whatever the completions not known will be.
func (t *tally) certain(sure []answered) {
	for i, a := range sure {
		paid := map[int]bool{}
		t.stages(i, a)
		for _, x := range ordered(a.calls) {
			l := t.line(t.cell(i), x.stage)
			l.sure.calls++
			if t.pays(t.cell(i), x) {
				free := paid[x.wave] && l.rates.sharesPrompt()
				paid[x.wave] = true
				l.sure.add(l.rates, x, free)
				l.sure.caches(l.rates, x, free, l.rates.read(x, sender{i, x.stage, true}, free), 1)
			}
		}
	}
}

// stages adds the lines of an answer's calls, in the order of the calls.
func (t *tally) stages(i int, a answered) {
	for _, x := range a.calls {
		t.line(t.cell(i), x.stage)
	}
}

// estimated counts, of one question of the sample, the calls beyond those that are certain, and the lengths of the baseline's
// completions.
func (t *tally) estimated(question int, guess, sure []answered) {
	for i, a := range guess {
		known, paid := map[string]int{}, map[int]bool{}
		t.stages(i, a)
		for _, x := range sure[i].calls {
			known[x.key]++
		}
		for _, x := range ordered(a.calls) {
			l := t.line(t.cell(i), x.stage)
			if known[x.key]--; known[x.key] < 0 {
				l.rest.calls++
				if t.pays(t.cell(i), x) {
					free := paid[x.wave] && l.rates.sharesPrompt()
					paid[x.wave] = true
					l.rest.add(l.rates, x, free)
					t.later(l, x, sender{question*len(guess) + i, x.stage, false}, question, free)
				}
			}
			if payer, asked := t.payer[x.key]; asked && payer == t.cell(i) && !l.met[x.key] {
				l.met[x.key] = true
				l.stoodIn.Completions, l.stoodIn.Tokens = l.stoodIn.Completions+1, l.stoodIn.Tokens+x.output
			}
		}
	}
}

// add adds a call to ask. Its prompt is free where an earlier call of its wave paid for it and the model can share it.
func (a *amount) add(r rates, x call, free bool) {
	prompt := x.prompt
	if free {
		prompt = 0
	}
	a.ask++
	a.prompt += float64(prompt)
	if !free { // what extra.cache_control has written to the provider's cache is paid for whether or not it is read
		a.usd += r.prompt(x, 0)
	}
	a.perOutput += r.price.Sum(x.prompt, cost.Usage{Completion: 1})
	a.prompts += float64(x.prompt)
	a.output += float64(x.most)
	a.most += r.price.USD(cost.Usage{Prompt: x.prompt, Written: r.written(x, 0), Completion: x.most})
	a.batch += r.price.USD(cost.Usage{Prompt: x.prompt, Written: r.written(x, 0), Batch: true})
	a.perBatch += r.price.Sum(x.prompt, cost.Usage{Completion: 1, Batch: true})
}

// plus returns a with b added so many times.
func (a amount) plus(b amount, times float64) amount {
	return amount{a.calls + b.calls*times, a.ask + b.ask*times, a.prompt + b.prompt*times, a.usd + b.usd*times, a.perOutput + b.perOutput*times,
		a.prompts + b.prompts*times, a.output + b.output*times, a.most + b.most*times,
		a.best + b.best*times, a.cold + b.cold*times, a.bestUSD + b.bestUSD*times, a.coldUSD + b.coldUSD*times, a.batch + b.batch*times, a.perBatch + b.perBatch*times}
}

// finish returns the lines, with what was counted on the sample scaled to all questions that it stands for.
func (t *tally) finish(scale float64, questions int) (out []cost.Line) {
	for i, c := range t.cells {
		for _, l := range t.lines[i] {
			x := l.bill(c, scale, t.lengths[LengthOf(c.Arm, l.stage)])
			x.Arm, x.Label, x.Point, x.Stage = c.Arm.Name, c.Arm.Label, c.Values(), l.stage
			x.Model, x.Items = cost.ModelName(cost.ModelOf(c.Arm, l.stage)), questions*t.seeds
			out = append(out, x)
		}
	}
	return out
}

// bill sums a line up. A completion is as long as the mean of those in the ledger, or where it has none, of the baseline's.
func (l *line) bill(c cell, scale float64, ledger Taken) cost.Line {
	all := l.sure.plus(l.rest, scale).plus(l.once, 1)
	out := cost.Line{Calls: whole(all.calls), Exact: l.rates.exact(), Unknown: !l.rates.priced}
	out.Estimated = out.Calls - whole(l.sure.calls)
	out.Certain = cost.Bill{Ask: whole(l.sure.ask), Prompt: whole(l.sure.prompt), USD: l.sure.usd}
	out.Most = cost.Bill{Ask: whole(all.ask), Prompt: whole(all.prompts), Output: whole(all.output), USD: all.most}
	out.Ledger = out.Calls - out.Most.Ask
	tokens, source := l.output(all, ledger)
	out.Likely = cost.Bill{Ask: out.Most.Ask, Prompt: whole(all.prompt), Output: whole(tokens), USD: all.usd + all.perOutput*tokens/max(all.ask, 1)}
	if out.Likely.Ask > 0 {
		out.Source = source
	}
	output, idle := all.perOutput*tokens/max(all.ask, 1), out.Likely.Ask == 0
	out.Cached = cost.Way{USD: all.bestUSD + output, Tokens: whole(all.best), Known: idle || l.rates.caches()}
	out.Cold = cost.Way{USD: all.coldUSD + output, Tokens: whole(all.cold), Known: idle || l.rates.caches()}
	out.Batch = cost.Way{USD: all.batch + all.perBatch*tokens/max(all.ask, 1), Known: idle || l.rates.batches()}
	return out
}

// output returns the likely tokens of a line's completions, and whose lengths they have.
func (l *line) output(all amount, ledger Taken) (tokens float64, source string) {
	for _, of := range []struct {
		Taken
		source string
	}{{ledger, fmt.Sprintf("%d in the ledger", ledger.Completions)}, {l.stoodIn, "the baseline"}} {
		if of.Completions > 0 {
			return min(all.ask*float64(of.Tokens)/float64(of.Completions), all.output), of.source
		}
	}
	return all.output, "the longest"
}

func whole(n float64) int64 { return int64(math.Round(n)) }
