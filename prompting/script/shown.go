package script

import (
	"cmp"
	"slices"
	"strings"

	"assay/prompting/exemplar"
	"assay/prompting/llm"
)

// shows records which demonstrations the prompts of a call show, whatever the method did with those that demos() and pool()
// gave it: some choose among thousands. A prompt shows a demonstration where its question and its SQL stand in it, as they are
// but for white space. Where no prompt has both, one of the two is enough, since a method may show questions alone.
type shows struct {
	given       [][]exemplar.Demo // what demos() returned
	pool        bool              // the method has all of the pool
	whole, half [][]string        // ids in the order of the prompt: with question and SQL; with one of them
}

// mostDraws bounds the lists of demonstrations that are kept of a question, and those that are looked for in its prompts.
const mostDraws = 16

// give notes demonstrations that the method may show. Of lists that are many or long it is the pool that is remembered.
func (x *shows) give(demos []exemplar.Demo) {
	if len(demos) == 0 || x.pool {
		return
	}
	if x.pool = len(demos) > mostDemos || len(x.given) == mostDraws; !x.pool {
		x.given = append(x.given, demos)
	}
}

// again is what another call begins with that has the same demonstrations.
func (x *shows) again() shows { return shows{given: slices.Clip(x.given), pool: x.pool} }

// with adds what the prompts of another call show.
func (x *shows) with(y *shows) {
	x.whole, x.half = withLists(x.whole, y.whole...), withLists(x.half, y.half...)
}

// lists are what the prompts show, a list for each prompt that shows others; nil for none.
func (x *shows) lists() [][]string {
	if len(x.whole) > 0 {
		return x.whole
	}
	return x.half
}

// look notes the demonstrations that messages show which are sent about the question.
func (s *session) look(messages []llm.Message) {
	given := slices.Concat(s.shows.given...)
	if s.shows.pool {
		given = append(given, s.part.kit.deps.Pool.Demos()...)
	}
	if len(given) == 0 {
		return
	}
	var text strings.Builder
	for _, m := range messages {
		text.WriteString(oneLine(m.Text) + "\n")
	}
	whole, half := found(text.String(), oneLine(s.q.Text), given)
	s.shows.whole, s.shows.half = withLists(s.shows.whole, whole), withLists(s.shows.half, half)
}

// stands is a demonstration in a text.
type stands struct {
	id string
	at int
}

// found returns the ids of the demonstrations of which a text has question and SQL, and of those of which it has one, in the
// order of the text. Of demonstrations that the text cannot tell apart the first given is the one, and the question that is
// asked is none's.
func found(text, asked string, given []exemplar.Demo) (whole, half []string) {
	words := map[string]bool{} // of few demonstrations none: looking is quicker
	if len(given) > 64 {
		for w := range strings.FieldsSeq(text) {
			words[w] = true
		}
	}
	var both, one []stands
	known, texts := map[string]bool{}, map[string]bool{}
	for _, d := range given {
		if known[d.ID] {
			continue
		}
		known[d.ID] = true
		question, query := spot(text, words, d.Question), spot(text, words, strings.TrimRight(d.SQL, "; \n"))
		alone := oneLine(d.Question)
		if question < 0 {
			alone = oneLine(d.SQL)
		}
		switch {
		case question >= 0 && query >= 0:
			both = append(both, stands{d.ID, question})
		case max(question, query) >= 0 && alone != asked && !texts[alone]:
			texts[alone] = true
			one = append(one, stands{d.ID, max(question, query)})
		}
	}
	return inOrder(both), inOrder(one)
}

// spot is where a text has a part, in bytes; -1 where it has not. words are the text's, or none: a part is looked for only
// where its inner words are among them, since of thousands of parts the text has a few.
func spot(text string, words map[string]bool, part string) int {
	n, inner := 0, ""
	for w := range strings.FieldsSeq(part) {
		if n > 1 && len(words) > 0 && !words[inner] {
			return -1
		}
		n, inner = n+1, w // the first and the last may stand at a quotation mark
	}
	if n == 0 {
		return -1
	}
	return strings.Index(text, oneLine(part))
}

// inOrder returns the ids by their places.
func inOrder(all []stands) (ids []string) {
	slices.SortStableFunc(all, func(a, b stands) int { return cmp.Compare(a.at, b.at) })
	for _, s := range all {
		ids = append(ids, s.id)
	}
	return ids
}

// withLists adds the lists that are neither empty nor there.
func withLists(have [][]string, more ...[]string) [][]string {
	for _, ids := range more {
		known := slices.ContainsFunc(have, func(l []string) bool { return slices.Equal(l, ids) })
		if len(ids) > 0 && !known && len(have) < mostDraws {
			have = append(have, ids)
		}
	}
	return have
}
