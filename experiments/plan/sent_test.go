package plan

import (
	"testing"

	"assay/experiments/cost"
)

// prompt is a call whose prompt has these beginnings, of 100 tokens more each.
func prompt(sums ...uint64) call {
	c := call{counted: counted{known: true, prompt: int64(100*len(sums)) + 1}}
	for i, s := range sums {
		c.beginnings = append(c.beginnings, cost.Beginning{Sum: s, Tokens: int64(100 * (i + 1))})
	}
	return c
}

// TestWhatACacheGives: at best all that was sent before, cold nothing of what is under way together.
func TestWhatACacheGives(t *testing.T) {
	s := newSent(cost.Rule{Least: 100}, 4)
	check := func(what string, x call, by sender, best, cold int64) {
		t.Helper()
		if got := s.read(x, by); got != (tokens{best, cold}) {
			t.Errorf("%s: %+v, want %d and %d", what, got, best, cold)
		}
	}
	first := func(job int) sender { return sender{job, "generate", true} }
	check("the first", prompt(1, 2, 3), first(0), 0, 0)
	check("another sample of it", prompt(1, 2, 3), first(0), 300, 0)
	check("while the first is under way", prompt(1, 2, 4), first(3), 200, 0)
	check("when it is answered", prompt(1, 2, 4), first(4), 300, 200)
	check("what depends on it", prompt(1, 2, 4, 5), sender{4, "fix", false}, 300, 300)
	check("beside that", prompt(1, 2, 4, 5), sender{4, "fix", false}, 400, 300)
	check("what depends on that", prompt(1, 2, 4, 5, 6), sender{4, "fix 2", false}, 400, 400)
	check("nothing in common", prompt(9, 2, 4), first(20), 0, 0)
	check("what all have in common, much later", prompt(1), first(99), 100, 100)
	check("too short", prompt(), first(100), 0, 0)
}

// TestWholePrompts: a provider that keeps whole prompts gives what goes on from one, and nothing of two that merely start alike.
func TestWholePrompts(t *testing.T) {
	s := newSent(cost.Rule{Least: 100, Whole: true}, 1)
	check := func(what string, x call, job int, best int64) {
		t.Helper()
		if got := s.read(x, sender{job, "solve", true}).best; got != best {
			t.Errorf("%s: %d, want %d", what, got, best)
		}
	}
	check("the first", prompt(1, 2), 0, 0)
	check("starts alike", prompt(1, 3), 1, 0)
	check("goes on", prompt(1, 2, 4, 5), 2, 200)
	check("goes on from both", prompt(1, 2, 4, 5, 6), 3, 400)
}

// TestForgetting: what a million others followed is forgotten, and what is used is not.
func TestForgetting(t *testing.T) {
	const most = 1 << 10
	s := newSent(cost.Rule{Least: 100}, 1)
	s.most = most
	s.read(prompt(1), sender{job: 0})
	s.read(prompt(2), sender{job: 0})
	for i := range uint64(3 * most) {
		s.add(prompt(10+i), sender{job: int(i)})
		if i%(most/2) == 0 {
			s.add(prompt(1), sender{job: int(i)})
		}
	}
	if n := len(s.now) + len(s.before); n > 2*most {
		t.Errorf("%d beginnings are kept", n)
	}
	if _, ok := s.find(1); !ok {
		t.Error("what is used is forgotten")
	}
	if _, ok := s.find(2); ok {
		t.Error("what is not used is kept")
	}
}

// TestASampleStandsForAllQuestions: of four sampled questions of 40, each of which stands for ten, the first does not find what
// all share, and the other 39 do; where 5 are under way together, the first 5 do not.
func TestASampleStandsForAllQuestions(t *testing.T) {
	price := cost.Price{Input: 1e6, Output: 0, Cached: new(float64)}
	l := &line{stage: "fix", rates: rates{price: price, priced: true, shares: true, sent: newSent(cost.Rule{Least: 100}, 5), counter: counter(t)}, met: map[string]bool{}}
	tl := &tally{cells: []cell{{}}, seeds: 1, lines: [][]*line{{l}}, payer: map[string]int{}}
	for i := range 4 {
		x := prompt(7)
		x.key, x.stage = string(rune('a'+i)), "fix"
		tl.estimated(10*i, []answered{{calls: []call{x}}}, []answered{{}})
	}
	tl.sampled(10)
	got := l.bill(cell{}, 10, Taken{})
	if got.Cached.Tokens != 39*100 || got.Cold.Tokens != 35*100 || got.Likely.Prompt != 40*101 {
		t.Errorf("%+v", got)
	}
	if got.Likely.USD != 40*101 || got.Cached.USD != 40*101-39*100 || got.Cold.USD != 40*101-35*100 || !got.Cached.Known || got.Batch.Known {
		t.Errorf("%+v", got)
	}
}
