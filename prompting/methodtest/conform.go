package methodtest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"assay/configs"
	"assay/prompting"
	"assay/prompting/llm"

	diff "github.com/google/go-cmp/cmp"
)

// Trait says in what a method differs from most.
type Trait int

// FixedDemos is a method that shows demonstrations of its own, the same ones whatever the seed.
const FixedDemos Trait = 1

// Conform checks what every Method promises: counts and order of candidates and trace, failures apart from errors, errors
// that name item, file and line, requests that depend on settings, seed, item and sample alone, equal requests of samples
// sent as one, no request but certain ones where a completion is not known, and conversations that begin with the
// instruction and the question, after which model and user take turns.
func Conform(t *testing.T, method string, make New, traits ...Trait) {
	s := suite{t, method, make, slices.Contains(traits, FixedDemos)}
	for _, c := range []struct {
		name string
		run  func(suite)
	}{
		{"candidates and trace", suite.counts}, {"failure", suite.failure}, {"error", suite.failing}, {"seed", suite.seed},
		{"concurrent", suite.concurrent}, {"shuffle", suite.shuffle}, {"settings", suite.settings}, {"together", suite.together},
		{"unknown", suite.unknown}, {"hostile", suite.hostile},
	} {
		t.Run(c.name, func(t *testing.T) { c.run(suite{t, s.method, s.make, s.fixed}) })
	}
}

// suite is the state of one check.
type suite struct {
	*testing.T
	method string
	make   New
	fixed  bool // demonstrations do not depend on the seed
}

// run answers the question and returns what the model was asked, in the order of the trace: samples ask side by side.
func (s suite) run(arm configs.Arm, seed int64, reply func(llm.Request) (string, error)) (prompting.Answer, []llm.Request, error) {
	s.Helper()
	model := &llm.Scripted{Reply: reply}
	m, err := s.make(prompting.Deps{Model: model, Author: llm.Author{Provider: "scripted", Model: "one"}, Pool: Pool(12)}, arm, seed)
	if err != nil {
		s.Fatal(err)
	}
	a, err := m.Answer(context.Background(), Question())
	return a, traced(a, model.Asked()), err
}

// traced returns requests in the order of an answer's trace, those that it has not after them.
func traced(a prompting.Answer, asked []llm.Request) []llm.Request {
	at := map[string]int{}
	for i, c := range a.Trace {
		at[c.Key] = i - len(a.Trace)
	}
	slices.SortFunc(asked, func(x, y llm.Request) int {
		return cmp.Or(cmp.Compare(at[x.Key()], at[y.Key()]), cmp.Compare(x.Key(), y.Key()))
	})
	return asked
}

func sql(llm.Request) (string, error) { return "SELECT 1", nil }

func (s suite) counts() {
	arm := Arm(s.method, "apidocs", 2)
	arm.Model.Samples = 3
	a, asked, err := s.run(arm, 1, sql)
	if err != nil || len(a.Candidates) != 3 || a.Chosen != 0 || len(a.Trace) != len(asked) {
		s.Fatalf("got %+v, %v after %d calls", a, err, len(asked))
	}
	for i, c := range a.Candidates {
		if c.Sample != i || c.SQL != "SELECT 1" || c.Rule == "" || c.Generator != s.method || c.Failure != "" {
			s.Errorf("candidate %d: %+v", i, c)
		}
	}
	for i, c := range a.Trace {
		if c.Key != asked[i].Key() || c.Sample != asked[i].Sample || c.Stage == "" || c.Usage.PromptTokens == 0 {
			s.Errorf("call %d: %+v", i, c)
		}
		if r := asked[i]; r.Provider != "scripted" || r.Model != "one" || !turns(r.Messages) {
			s.Errorf("request %d: %+v", i, r)
		}
	}
}

// turns reports whether messages are an instruction, and then turns of user and model that end with the user's.
func turns(messages []llm.Message) bool {
	for i, m := range messages {
		if want := [...]llm.Role{llm.System, llm.User, llm.Assistant}[min(i, 2-i%2)]; m.Role != want {
			return false
		}
	}
	return len(messages) >= 2 && len(messages)%2 == 0
}

func (s suite) failure() {
	arm := Arm(s.method, "apidocs", 0)
	arm.Model.Samples = 2
	a, _, err := s.run(arm, 1, func(r llm.Request) (string, error) {
		if r.Sample == 0 {
			return "", fmt.Errorf("wrapped: %w", &llm.Failure{Reason: "blocked: SAFETY"})
		}
		return "SELECT 2", nil
	})
	if err != nil || len(a.Candidates) != 2 {
		s.Fatalf("got %+v, %v", a, err)
	}
	if c := a.Candidates[0]; c.Failure != "blocked: SAFETY" || c.SQL != "" || a.Trace[0].Failure != "blocked: SAFETY" {
		s.Errorf("the failed sample: %+v, trace %+v", c, a.Trace[0])
	}
	if c := a.Candidates[1]; c.Failure != "" || c.SQL != "SELECT 2" {
		s.Errorf("the sample after it: %+v", c)
	}
}

// place is where in a folder something went wrong: file, line and column.
var place = regexp.MustCompile(`/method\.star:[0-9]+:[0-9]+`)

func (s suite) failing() {
	end := errors.New("no such recording")
	_, _, err := s.run(Arm(s.method, "apidocs", 0), 1, func(llm.Request) (string, error) { return "", end })
	if !errors.Is(err, end) || !strings.Contains(err.Error(), Question().ID) || !place.MatchString(err.Error()) {
		s.Errorf("want an error that names item, file and line: got %v", err)
	}
	m, err := s.make(prompting.Deps{Model: &llm.Scripted{}}, Arm(s.method, "apidocs", 0), 1)
	if err != nil {
		s.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := m.Answer(ctx, Question()); !errors.Is(err, context.Canceled) {
		s.Errorf("cancelled: got %v", err)
	}
}

func (s suite) seed() {
	arm := Arm(s.method, "apidocs", 3)
	_, one, _ := s.run(arm, 1, sql)
	_, again, _ := s.run(arm, 1, sql)
	_, two, _ := s.run(arm, 2, sql)
	if d := diff.Diff(one, again); d != "" {
		s.Errorf("the same seed asked otherwise:\n%s", d)
	}
	if keys(one) == keys(two) != s.fixed {
		s.Error("what another seed chooses of demonstrations")
	}
	if one[0].Params.Seed != nil {
		s.Error("a greedy request carries a seed")
	}
	arm.Model.Temperature = 0.5
	sent := func(seed int64, samples int) (out []int64) {
		arm.Model.Samples = samples
		_, warm, _ := s.run(arm, seed, sql)
		for _, r := range warm {
			if r.Params.Seed == nil || r.Params.Temperature != 0.5 {
				s.Fatalf("a sampling request: %+v", r.Params)
			}
			out = append(out, *r.SentSeed())
		}
		return out
	}
	seven, eight := sent(7, 3), sent(8, 3)
	if d := diff.Diff(seven, sent(7, 3)); d != "" {
		s.Errorf("the same seed draws otherwise:\n%s", d)
	}
	if len(sent(7, 1)) == len(seven) {
		s.Fatal("three samples ask no more than one")
	}
	for _, a := range seven {
		if slices.Contains(eight, a) {
			s.Errorf("seeds 7 and 8 have the draw %d in common: %v, %v", a, seven, eight)
		}
	}
}

func keys(asked []llm.Request) (out string) {
	for _, r := range asked {
		out += r.Key() + "\n"
	}
	return out
}

// batched is a model that gives all samples of a request in one call. It counts how often each prompt is sent.
type batched struct {
	llm.Scripted
	mu   sync.Mutex
	sent map[string]int // by messages and stage
}

var _ llm.SampleGenerator = (*batched)(nil)

// Generate implements llm.Model.
func (b *batched) Generate(ctx context.Context, r llm.Request) (llm.Response, error) {
	b.count(ctx, r)
	return b.Scripted.Generate(ctx, r)
}

// GenerateN implements llm.SampleGenerator.
func (b *batched) GenerateN(ctx context.Context, r llm.Request, samples []int) (out []llm.Response, err error) {
	b.count(ctx, r)
	for _, n := range samples {
		r.Sample = n
		one, err := b.Scripted.Generate(ctx, r)
		if err != nil {
			return nil, err
		}
		out = append(out, one)
	}
	return out, nil
}

func (b *batched) count(ctx context.Context, r llm.Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sent[prompting.Stage(ctx)+"\n"+Text(r.Messages)]++
}

// together: samples that ask the same are one call to a model that can give several.
func (s suite) together() {
	model := &batched{Scripted: llm.Scripted{Reply: sql}, sent: map[string]int{}}
	arm := Arm(s.method, "apidocs", 2)
	arm.Model.Samples, arm.Model.Temperature = 5, 0.5
	m, err := s.make(prompting.Deps{Model: model, Author: llm.Author{Provider: "scripted", Model: "one"}, Pool: Pool(12)}, arm, 1)
	if err != nil {
		s.Fatal(err)
	}
	a, err := m.Answer(context.Background(), Question())
	if err != nil || len(a.Candidates) != 5 {
		s.Fatalf("got %+v, %v", a, err)
	}
	for text, n := range model.sent {
		if n != 1 {
			s.Errorf("%d calls for what is one prompt:\n%s", n, text)
		}
	}
	plain, asked, err := s.run(arm, 1, sql)
	if err != nil || !diff.Equal(a, plain) || !diff.Equal(sorted(asked), sorted(model.Asked())) {
		s.Errorf("a model that answers one at a time is asked otherwise: %v", err)
	}
}

// sorted returns the keys of requests in a fixed order.
func sorted(asked []llm.Request) []string {
	return slices.Sorted(strings.SplitSeq(strings.TrimSpace(keys(asked)), "\n"))
}

// unknown: with any part of the completions held, a method asks nothing that it would not ask with all of them, and says
// that it lacks one.
func (s suite) unknown() {
	for _, samples := range []int{1, 3} {
		arm := Arm(s.method, "createtable", 2)
		arm.Model.Samples, arm.Schema.Shuffle = samples, samples > 1
		want, asked, err := s.run(arm, 1, sql)
		if err != nil {
			s.Fatal(err)
		}
		all := sorted(asked)
		for held := range len(want.Trace) + 1 {
			known := map[string]bool{}
			for _, c := range want.Trace[:held] {
				known[c.Key] = true
			}
			_, asked, err := s.run(arm, 1, func(r llm.Request) (string, error) {
				if !known[r.Key()] {
					return "", prompting.ErrUnknown
				}
				return sql(r)
			})
			if errors.Is(err, prompting.ErrUnknown) != (held < len(want.Trace)) || err != nil && !errors.Is(err, prompting.ErrUnknown) {
				s.Errorf("%d samples, %d of %d held: %v", samples, held, len(want.Trace), err)
			}
			for _, key := range sorted(asked) {
				if !slices.Contains(all, key) {
					s.Errorf("%d samples, %d of %d held: a request that is not certain", samples, held, len(want.Trace))
				}
			}
		}
	}
}

func (s suite) concurrent() {
	model := &llm.Scripted{Reply: sql}
	m, err := s.make(prompting.Deps{Model: model, Pool: Pool(12)}, Arm(s.method, "bird", 3), 1)
	if err != nil {
		s.Fatal(err)
	}
	want, _ := m.Answer(context.Background(), Question())
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			if got, err := m.Answer(context.Background(), Question()); err != nil || !diff.Equal(got, want) {
				s.Errorf("got %+v, %v", got, err)
			}
		})
	}
	group.Wait()
}

func (s suite) shuffle() {
	arm := Arm(s.method, "createtable", 2)
	arm.Schema.Shuffle, arm.Model.Samples = true, 8
	_, asked, _ := s.run(arm, 1, sql)
	_, again, _ := s.run(arm, 1, sql)
	texts := map[string]bool{}
	for _, r := range asked {
		texts[Text(r.Messages)] = true
	}
	if len(texts) < 2 {
		s.Error("eight samples saw one order")
	}
	if !diff.Equal(asked, again) {
		s.Error("the order is not the seed's")
	}
}

func (s suite) settings() {
	check := func(want string, change func(*configs.Arm, *prompting.Deps)) {
		s.Helper()
		arm, deps := Arm(s.method, "apidocs", 4), prompting.Deps{Model: &llm.Scripted{}, Pool: Pool(12)}
		change(&arm, &deps)
		if _, err := s.make(deps, arm, 1); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), s.method) {
			s.Errorf("got %v, want an error with %q", err, want)
		}
	}
	check("k = 13 is more than the pool's 12", func(a *configs.Arm, _ *prompting.Deps) { a.Exemplars.K = 13 })
	check("k = 4 is more than the pool's 0", func(_ *configs.Arm, d *prompting.Deps) { d.Pool = nil })
	check(`strategy "best" is unknown`, func(a *configs.Arm, _ *prompting.Deps) { a.Exemplars.Strategy = "best" })
	check(`format "xml"`, func(a *configs.Arm, _ *prompting.Deps) { a.Schema.Format = "xml" })
	check("no model", func(_ *configs.Arm, d *prompting.Deps) { d.Model = nil })
}

func (s suite) hostile() {
	for _, reply := range []string{"", "```", "we need to know:", strings.Repeat("1. \"a\", ", 400), "# Thus, the answer", "\x00\xff", strings.Repeat("(", 9000)} {
		a, asked, err := s.run(Arm(s.method, "apidocs", 0), 1, func(llm.Request) (string, error) { return reply, nil })
		if err != nil || len(a.Candidates) != 1 || a.Candidates[0].SQL != "" || a.Candidates[0].Rule != "none" || len(asked) > 12 {
			s.Errorf("%.20q: %d calls, %+v, %v", reply, len(asked), a.Candidates, err)
		}
	}
	m, err := s.make(prompting.Deps{Model: &llm.Scripted{}}, Arm(s.method, "apidocs", 0), 1)
	if err != nil {
		s.Fatal(err)
	}
	if _, err := m.Answer(context.Background(), prompting.Question{ID: "bare"}); err == nil {
		s.Error("a question without a schema was answered")
	}
}
