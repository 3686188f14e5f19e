package plan

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"assay/configs"
	"assay/experiments/catalog"
	"assay/experiments/cost"
	"assay/prompting"
	"assay/prompting/llm"

	"golang.org/x/sync/errgroup"
)

// branching is a method of two generators at once. Each drafts samples in one call, then works on each sample alone; a choice
// depends on all. What a question asks in common with others is asked first where shared is set.
type branching struct {
	samples int
	shared  bool
	twice   bool  // the work on a sample is asked for again, which the ledger answers
	err     error // ends an answer after its drafts
}

func (m branching) Prompts(prompting.Question) ([]llm.Message, error) { return nil, nil }

func (m branching) Answer(ctx context.Context, q prompting.Question) (a prompting.Answer, err error) {
	if m.shared {
		if _, err := ask(ctx, "study", "the database", 0); err != nil {
			return a, err
		}
	}
	var g errgroup.Group
	texts := make([]string, 2)
	for i, name := range []string{"one", "two"} {
		g.Go(func() (err error) { texts[i], err = m.generate(prompting.At(ctx, name), name+" "+q.ID); return err })
	}
	if err := g.Wait(); err != nil {
		return a, fmt.Errorf("branching: %w", err)
	}
	_, err = ask(ctx, "choose", fmt.Sprint(q.ID, texts), 0)
	return prompting.Answer{Candidates: []prompting.Candidate{{SQL: "SELECT 1"}}}, err
}

func (m branching) generate(ctx context.Context, text string) (string, error) {
	drafts := standIn{}
	responses, err := drafts.GenerateN(prompting.At(ctx, "draft"), request(text, 0), upTo(m.samples))
	if err != nil {
		return "", err
	}
	if m.err != nil {
		return "", m.err
	}
	out := ""
	for i, r := range responses {
		for n := range 2 {
			if out, err = ask(ctx, fmt.Sprintf("work %d", n+1), fmt.Sprint(text, " ", i, r.Text, m.twice || n == 0), i); err != nil {
				return "", err
			}
		}
	}
	return out, nil
}

func upTo(n int) (out []int) {
	for i := range n {
		out = append(out, i)
	}
	return out
}

func request(text string, sample int) llm.Request {
	return llm.Request{Author: llm.Author{Provider: "x", Model: "y"}, Params: llm.Params{MaxTokens: 50}, Messages: []llm.Message{{Role: llm.User, Text: text}}, Sample: sample}
}

func ask(ctx context.Context, stage, text string, sample int) (string, error) {
	r, err := standIn{}.Generate(prompting.At(ctx, stage), request(text, sample))
	return r.Text, err
}

// forecastOf runs a forecast of a method in place of an experiment's only arm.
func forecastOf(t *testing.T, m prompting.Method, held func(*Plan) Held, set ...string) (*Forecast, error) {
	t.Helper()
	e, err := configs.Load("quickstart", catalog.Known, configs.Options{Set: append([]string{"dataset.limit=8", "model.max_tokens=50"}, set...)})
	if err != nil {
		t.Fatal(err)
	}
	e.Arms = e.Arms[:1]
	p, err := Make(context.Background(), e, Options{Cache: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	f := &forecaster{plan: p, opts: ForecastOptions{Held: held(p), Output: DefaultOutput}}
	if err := f.open(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i := range f.methods {
		f.methods[i] = m
	}
	out := &Forecast{Questions: len(p.Set.Examples)}
	return out, f.run(t.Context(), out)
}

// held is a ledger that holds the drafts for which it says so, and nothing else.
func held(has func(generator string, question, sample int) bool) func(*Plan) Held {
	return func(p *Plan) Held {
		known := map[string]bool{}
		for i, ex := range p.Set.Examples {
			for _, g := range []string{"one", "two"} {
				for sample := range 3 {
					known[request(g+" "+ex.Question.ID, sample).Key()] = has(g, i, sample)
				}
			}
		}
		return func(_ context.Context, key string) (llm.Response, bool, error) {
			return llm.Response{Text: "held"}, known[key], nil
		}
	}
}

func nothing(*Plan) Held { return nil }

func everything(*Plan) Held {
	return func(context.Context, string) (llm.Response, bool, error) {
		return llm.Response{Text: "held"}, true, nil
	}
}

// fact is what a forecast says of a stage.
type fact struct{ calls, estimated, ledger, certain, ask int64 }

func factsOf(f *Forecast) map[string]fact {
	out := map[string]fact{}
	for _, l := range append(f.Lines, f.Total) {
		out[l.Stage] = fact{l.Calls, l.Estimated, l.Ledger, l.Certain.Ask, l.Likely.Ask}
	}
	return out
}

// TestWhatIsCertain: requests that no unknown completion decides are certain, those of later generators and samples too.
func TestWhatIsCertain(t *testing.T) {
	check := func(what string, m branching, held func(*Plan) Held, want map[string]fact, set ...string) {
		t.Helper()
		f, err := forecastOf(t, m, held, set...)
		if err != nil {
			t.Fatal(what, err)
		}
		if got := factsOf(f); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, want %+v", what, got, want)
		}
		for _, l := range f.Lines {
			if l.Most.Output != 50*l.Most.Ask || l.Likely.Output > l.Most.Output || l.Source == "" && l.Likely.Ask > 0 {
				t.Errorf("%s: %+v", what, l)
			}
		}
	}
	check("nothing is held", branching{samples: 2}, nothing, map[string]fact{
		"one: draft": {16, 0, 0, 16, 16}, "two: draft": {16, 0, 0, 16, 16}, "one: work": {32, 32, 0, 0, 32}, "two: work": {32, 32, 0, 0, 32},
		"choose": {8, 8, 0, 0, 8}, "": {104, 72, 0, 32, 104}})
	check("work is asked for twice", branching{samples: 2, twice: true}, nothing, map[string]fact{
		"one: draft": {16, 0, 0, 16, 16}, "two: draft": {16, 0, 0, 16, 16}, "one: work": {32, 32, 16, 0, 16}, "two: work": {32, 32, 16, 0, 16},
		"choose": {8, 8, 0, 0, 8}, "": {104, 72, 32, 32, 72}})
	check("two seeds share all", branching{samples: 1, twice: true}, nothing, map[string]fact{
		"one: draft": {16, 0, 8, 8, 8}, "two: draft": {16, 0, 8, 8, 8}, "one: work": {32, 32, 24, 0, 8}, "two: work": {32, 32, 24, 0, 8},
		"choose": {16, 16, 8, 0, 8}, "": {112, 80, 72, 16, 40}}, "seeds=1,2")
	check("a request in common is paid for once", branching{samples: 1, twice: true, shared: true}, nothing, map[string]fact{
		"study": {8, 0, 7, 1, 1}, "one: draft": {8, 8, 0, 0, 8}, "two: draft": {8, 8, 0, 0, 8}, "one: work": {16, 16, 8, 0, 8}, "two: work": {16, 16, 8, 0, 8},
		"choose": {8, 8, 0, 0, 8}, "": {64, 56, 23, 1, 41}})
	check("one of two samples of a draft is held", branching{samples: 2}, held(func(g string, _, sample int) bool { return g == "one" && sample == 0 }), map[string]fact{
		"one: draft": {16, 0, 8, 8, 8}, "two: draft": {16, 0, 0, 16, 16}, "one: work": {32, 32, 0, 0, 32}, "two: work": {32, 32, 0, 0, 32},
		"choose": {8, 8, 0, 0, 8}, "": {104, 72, 8, 24, 96}})
	check("the drafts of one generator are held", branching{samples: 1}, held(func(g string, _, _ int) bool { return g == "one" }), map[string]fact{
		"one: draft": {8, 0, 8, 0, 0}, "two: draft": {8, 0, 0, 8, 8}, "one: work": {16, 8, 0, 8, 16}, "two: work": {16, 16, 0, 0, 16},
		"choose": {8, 8, 0, 0, 8}, "": {56, 32, 8, 16, 48}})
	check("the drafts of half the questions are held", branching{samples: 1}, held(func(_ string, q, _ int) bool { return q < 4 }), map[string]fact{
		"one: draft": {8, 0, 4, 4, 4}, "two: draft": {8, 0, 4, 4, 4}, "one: work": {16, 12, 0, 4, 16}, "two: work": {16, 12, 0, 4, 16},
		"choose": {8, 8, 0, 0, 8}, "": {56, 32, 8, 16, 48}})
	check("all is held", branching{samples: 2}, everything, map[string]fact{
		"one: draft": {16, 0, 16, 0, 0}, "two: draft": {16, 0, 16, 0, 0}, "one: work": {32, 0, 32, 0, 0}, "two: work": {32, 0, 32, 0, 0},
		"choose": {8, 0, 8, 0, 0}, "": {104, 0, 104, 0, 0}})
	check("a sample of the questions is scaled", branching{samples: 1, twice: true}, nothing, map[string]fact{
		"one: draft": {290, 0, 0, 290, 290}, "two: draft": {290, 0, 0, 290, 290}, "one: work": {580, 580, 290, 0, 290}, "two: work": {580, 580, 290, 0, 290},
		"choose": {290, 290, 0, 0, 290}, "": {2030, 1450, 580, 580, 1450}}, "dataset.limit=0")
}

// flat is a method of one call a question.
type flat struct{ branching }

func (flat) Answer(ctx context.Context, q prompting.Question) (prompting.Answer, error) {
	_, err := ask(ctx, "draft", "one "+q.ID, 0)
	return prompting.Answer{}, err
}

// TestOnlyQuestionsThatLackACompletionAreSimulated: the others are certain to the end.
func TestOnlyQuestionsThatLackACompletionAreSimulated(t *testing.T) {
	check := func(what string, held func(*Plan) Held, open, simulated int, set ...string) {
		t.Helper()
		f, err := forecastOf(t, flat{}, held, set...)
		if err != nil || f.Open != open || f.Simulated != simulated || f.Total.Estimated != 0 || f.Total.Likely.Ask != int64(open) {
			t.Errorf("%s: %+v, %v; want %d open, %d simulated", what, f, err, open, simulated)
		}
	}
	check("nothing is held", nothing, 8, 8)
	check("three are held", held(func(_ string, q, _ int) bool { return q < 3 }), 5, 5)
	check("all is held", everything, 0, 0)
	check("more than are simulated", nothing, 290, maxQuestions, "dataset.limit=0")
}

// TestWhereTheBaselineFails: the certain calls are counted, and a note says that others are not.
func TestWhereTheBaselineFails(t *testing.T) {
	f, err := forecastOf(t, branching{samples: 1, err: errors.New("no such model")}, nothing)
	if err != nil {
		t.Fatal(err)
	}
	if f.Total.Estimated != 0 || f.Total.Certain.Ask != 16 || f.Lines[0].Source != "the longest" || f.Total.Likely.Output != f.Total.Most.Output {
		t.Errorf("%+v", f)
	}
	if notes := strings.Join(f.Notes, "\n"); !strings.Contains(notes, "the baseline cannot run in the model's place: branching: no such model") {
		t.Error(notes)
	}
}

// TestTheLedgerFails: its error is the forecast's.
func TestTheLedgerFails(t *testing.T) {
	broken := errors.New("disk")
	_, err := forecastOf(t, branching{samples: 2}, func(*Plan) Held {
		return func(context.Context, string) (llm.Response, bool, error) { return llm.Response{}, false, broken }
	})
	if !errors.Is(err, broken) {
		t.Error(err)
	}
	if _, err := (standIn{}).Generate(t.Context(), request("x", 0)); err == nil || !strings.Contains(err.Error(), "not its question's") {
		t.Error(err)
	}
}

// TestSpread: positions are spread over all.
func TestSpread(t *testing.T) {
	check := func(n int, want ...int) {
		t.Helper()
		if got := spread([]int{0, 1, 2, 3, 5, 8}, n); !reflect.DeepEqual(got, want) {
			t.Errorf("%d: %v, want %v", n, got, want)
		}
	}
	check(0)
	check(1, 0)
	check(3, 0, 2, 5)
	check(9, 0, 1, 2, 3, 5, 8)
}

// TestAWaveSharesItsPrompt: its first call to ask pays, whoever pays for the others.
func TestAWaveSharesItsPrompt(t *testing.T) {
	bill := func(shares bool, calls ...call) int64 {
		l := &line{rates: rates{shares: shares, counter: counter(t)}, met: map[string]bool{}}
		tl := &tally{cells: []cell{{}}, seeds: 1, lines: [][]*line{{l}}, payer: map[string]int{"known": 0}}
		tl.certain([]answered{{calls: calls}})
		return l.bill(cell{}, 1, Taken{}).Likely.Prompt
	}
	check := func(what string, got, want int64) {
		t.Helper()
		if got != want {
			t.Errorf("%s: %d prompt tokens, want %d", what, got, want)
		}
	}
	of := func(key string, wave int) call { return call{key: key, wave: wave, counted: counted{prompt: 10}} }
	a, b := of("a", 1), of("b", 1)
	check("two of one wave", bill(true, a, b), 10)
	check("two of a model that shares nothing", bill(false, a, b), 20)
	check("the first is another's", bill(true, of("known", 1), b), 10)
	check("the first is held", bill(true, call{key: "h", wave: 1, held: true}, b), 10)
	check("two waves", bill(true, a, of("b", 2)), 20)
	check("one twice", bill(true, a, a), 10)
}

func counter(t *testing.T) *cost.Counter {
	c, err := cost.NewCounter(configs.Model{Local: true})
	if err != nil {
		t.Fatal(err)
	}
	return c
}
