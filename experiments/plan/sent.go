package plan

import (
	"cmp"
	"slices"

	"assay/experiments/cost"
)

// sent holds the beginnings of the prompts that a run sends to one model, in the order in which it sends them, and so how much
// of a prompt the provider's prompt cache may give. Its memory is bounded: beginnings that a million others followed are
// forgotten, as a provider forgets them.
type sent struct {
	rule  cost.Rule
	apart int // jobs that are under way together
	most  int // beginnings in each of the two sets

	now, before map[uint64]use
	twins       map[uint64]int // of the sampled questions: the one whose prompts have a beginning, or several
}

func newSent(rule cost.Rule, apart int) *sent {
	return &sent{rule: rule, apart: apart, most: mostSent, now: map[uint64]use{}, twins: map[uint64]int{}}
}

// use says which calls have sent a beginning.
type use struct {
	first, last sender
}

// sender is a job's calls in one stage. Those that are certain are made before the others.
type sender struct {
	job     int // position of question, cell and seed, in the order of the run
	stage   string
	certain bool
}

const (
	mostSent = 1 << 20
	several  = -1
)

// before reports whether the calls of s have been answered before those of t are made, where apart jobs are under way
// together: the job of s is over, or s is certain and t is not, or both are not and of two stages.
func (s sender) before(t sender, apart int) bool {
	if s.job != t.job {
		return s.job <= t.job-apart
	}
	return !t.certain && (s.certain || s.stage != t.stage)
}

// tokens are those of a prompt that the provider's prompt cache gives: at best, where it has all that was sent before, and
// where it has nothing of calls that are under way together.
type tokens struct{ best, cold int64 }

// read returns what the cache has of a prompt, and adds the prompt to it.
func (s *sent) read(x call, by sender) (t tokens) {
	for _, b := range x.beginnings {
		u, ok := s.find(b.Sum)
		if !ok && !s.rule.Whole {
			break
		}
		if ok {
			t.best = b.Tokens
		}
		if ok && (u.first.before(by, s.apart) || u.last.before(by, s.apart)) {
			t.cold = b.Tokens
		}
	}
	s.add(x, by)
	return t
}

func (s *sent) find(sum uint64) (use, bool) {
	u, ok := s.now[sum]
	if !ok {
		u, ok = s.before[sum]
	}
	return u, ok
}

// add notes that a prompt was sent.
func (s *sent) add(x call, by sender) {
	for _, b := range s.kept(x) {
		u, ok := s.find(b.Sum)
		if !ok {
			u.first = by
		}
		if !ok || u.last.job != by.job {
			u.last = by
		}
		if len(s.now) >= s.most {
			s.now, s.before = map[uint64]use{}, s.now
		}
		s.now[b.Sum] = u
	}
}

// kept returns the beginnings of a prompt that the provider keeps.
func (s *sent) kept(x call) []cost.Beginning {
	if s.rule.Whole && len(x.beginnings) > 0 {
		return x.beginnings[len(x.beginnings)-1:]
	}
	return x.beginnings
}

// twin notes that a prompt of a sampled question is sent.
func (s *sent) twin(x call, question int) {
	for _, b := range s.kept(x) {
		of := question
		if q, ok := s.twins[b.Sum]; ok && q != question {
			of = several
		}
		s.twins[b.Sum] = of
	}
}

// shared returns the tokens that a prompt of a sampled question shares with another one's.
func (s *sent) shared(x call, question int) (n int64) {
	for _, b := range x.beginnings {
		if q, ok := s.twins[b.Sum]; ok && q != question {
			n = b.Tokens
		}
	}
	return n
}

// ordered returns calls in an order that does not depend on that of goroutines: by stage and key.
func ordered(calls []call) []call {
	return slices.SortedStableFunc(slices.Values(calls), func(a, b call) int {
		return cmp.Or(cmp.Compare(a.stage, b.stage), cmp.Compare(a.key, b.key))
	})
}
