package cost

import (
	"hash/maphash"
	"unicode/utf8"
)

// Beginning is a beginning of a prompt that a provider's prompt cache may hold. Prompts with an equal one start with the same
// tokens.
type Beginning struct {
	Sum    uint64 // of its roles and bytes; it differs from process to process
	Tokens int64
}

// Rule says which beginnings of prompts a provider caches.
type Rule struct {
	Least int64 // tokens of the shortest
	Step  int64 // tokens by which the next is longer; 0: the provider states none, and Grain stands in
	Whole bool  // only whole prompts are kept, which a later prompt finds that goes on with further messages
}

// Rule returns how the provider of a model of that price caches; ok is false where the list does not say it.
func (p Price) Rule() (r Rule, ok bool) {
	return Rule{int64(p.CacheLeast), int64(p.CacheStep), p.CacheMarked}, p.CacheLeast > 0 && p.Cached != nil
}

const (
	// Grain is the step where a provider states none.
	Grain = 32
	// coarse bounds the beginnings of a long prompt: each is longer than the one before by a 64th at least. A prompt of a
	// million tokens has about 500, and what is counted falls short of what is shared by less than 2 %.
	coarse = 64
)

// after returns the tokens of the beginning that follows one of n.
func (r Rule) after(n int64) int64 {
	step := r.Step
	if step == 0 {
		step = Grain
	}
	return n + max(step, n/coarse/step*step)
}

var seed = maphash.MakeSeed()

// Beginnings returns the tokens of a prompt, as [Counter.Prompt] does, and those of its beginnings that a provider of that rule
// caches, the shortest first.
func (c *Counter) Beginnings(messages []Message, r Rule) (tokens int64, out []Beginning) {
	k := &cutter{counter: c, rule: r, per: 1, goal: r.Least}
	if c.codec == nil {
		k.per = charsPerToken
	}
	k.hash.SetSeed(seed)
	for _, m := range messages {
		k.head(m.Role)
		if c.codec == nil {
			k.characters(m.Text)
		} else {
			for s := range pieces(m.Text) {
				k.piece(s)
			}
		}
		if at := k.at / k.per; r.Whole && at >= r.Least {
			k.out = append(k.out, Beginning{k.hash.Sum64(), at})
		}
	}
	if c.codec == nil {
		return (k.at + charsPerToken - 1) / charsPerToken, k.out
	}
	return k.at + perReply, k.out
}

// cutter walks through a prompt and notes its beginnings.
type cutter struct {
	counter *Counter
	rule    Rule
	per     int64 // units that are a token: the prompt is measured in tokens, or where these are an estimate, in characters
	at      int64 // units so far
	goal    int64 // tokens of the next beginning
	hash    maphash.Hash
	out     []Beginning
}

// due returns how many units further on the next beginning ends; ok is false where that is not within n units.
func (k *cutter) due(n int64) (further int64, ok bool) {
	further = k.goal*k.per - k.at
	return further, !k.rule.Whole && further <= n
}

// note adds the beginning that ends here.
func (k *cutter) note() {
	k.out = append(k.out, Beginning{k.hash.Sum64(), k.goal})
	k.goal = k.rule.after(k.goal)
}

// head adds what stands before a message's text. A beginning that ends within it ends after it, as roles are few.
func (k *cutter) head(role string) {
	_, _ = k.hash.WriteString("\x00" + role + "\x00")
	if k.counter.codec == nil {
		return
	}
	n := k.counter.text(role) + perMessage
	for _, ok := k.due(n); ok; _, ok = k.due(n) {
		k.note()
	}
	k.at += n
}

// characters adds a text that is measured in characters.
func (k *cutter) characters(s string) {
	n := int64(len(s))
	if k.counter.runes {
		n = int64(utf8.RuneCountInString(s))
	}
	for further, ok := k.due(n); ok; further, ok = k.due(n) {
		at := int(further)
		if k.counter.runes {
			at = bytesOf(s, further)
		}
		_, _ = k.hash.WriteString(s[:at])
		k.note()
		s, n, k.at = s[at:], n-further, k.at+further
	}
	_, _ = k.hash.WriteString(s)
	k.at += n
}

// bytesOf returns the length of a text's first n characters.
func bytesOf(s string, n int64) (at int) {
	for ; n > 0 && at < len(s); n-- {
		_, size := utf8.DecodeRuneInString(s[at:])
		at += size
	}
	return at
}

// piece adds a text of memoBytes at most that is measured in tokens.
func (k *cutter) piece(s string) {
	n, from := k.counter.short(s), 0
	for further, ok := k.due(n); ok; further, ok = k.due(n) {
		at := from
		if further > 0 {
			at = max(from, k.counter.ends(s)[further-1])
		}
		_, _ = k.hash.WriteString(s[from:at])
		k.note()
		from = at
	}
	_, _ = k.hash.WriteString(s[from:])
	k.at += n
}

// ends returns where each token of a text of memoBytes at most ends.
func (c *Counter) ends(s string) []int {
	if ends, ok := c.cuts.get(s); ok {
		return ends
	}
	var ends []int
	at := 0
	for _, token := range c.codec.EncodeOrdinary(s) {
		at = min(at+len(c.codec.Decode([]int{token})), len(s)) // a byte that is not UTF-8 is counted as three
		ends = append(ends, at)
	}
	c.cuts.put(s, ends, memoLines/8)
	return ends
}
