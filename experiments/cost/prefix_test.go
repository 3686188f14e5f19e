package cost

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"assay/configs"
)

// tokensOf returns a prompt's tokens one by one, those that a chat adds included, without any of the counter's short cuts.
func tokensOf(c *Counter, messages []Message) (out []string) {
	for _, m := range messages {
		for i := range len(c.codec.EncodeOrdinary(m.Role)) + perMessage {
			out = append(out, fmt.Sprint(m.Role, " ", i))
		}
		for _, t := range c.codec.EncodeOrdinary(m.Text) {
			out = append(out, c.codec.Decode([]int{t}))
		}
	}
	return out
}

// shared is how many tokens two prompts start with alike, down to a beginning of the rule.
func shared(a, b []string, r Rule) (n int64) {
	same := int64(0)
	for same < int64(min(len(a), len(b))) && a[same] == b[same] {
		same++
	}
	for at := r.Least; at <= same; at = r.after(at) {
		n = at
	}
	return n
}

// TestBeginningsAreSharedTokens: the longest beginning that two prompts have in common is what they share by brute force, token by
// token.
func TestBeginningsAreSharedTokens(t *testing.T) {
	c, err := NewCounter(openai("gpt-4o-mini"))
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	words := []string{"SELECT", " name", " FROM", " singer\n", "CREATE TABLE t (\n", "  größe INT,\n", "日本", " 1234567", "\n\n", "/* c */", "'s", " "}
	text := func(n int) string {
		var b strings.Builder
		for range n {
			b.WriteString(words[rng.IntN(len(words))])
		}
		return b.String()
	}
	base := []Message{{"system", text(300)}, {"user", text(900)}}
	var prompts [][]Message
	for i := range 30 {
		p := slices.Clone(base)
		switch at := rng.IntN(len(base[1].Text)); i % 5 {
		case 0:
			p[1].Text = p[1].Text[:at] + text(40)
		case 1:
			p = append(p, Message{"assistant", text(60)}, Message{"user", text(200)})
		case 2:
			p[0].Text += text(2)
		case 3:
			p[1].Role = "assistant"
		}
		prompts = append(prompts, p)
	}
	var tokens [][]string
	for _, p := range prompts {
		tokens = append(tokens, tokensOf(c, p))
	}
	equal, some := 0, 0
	for _, r := range []Rule{{Least: 64, Step: 16}, {Least: 256, Step: 128}, {Least: 100}} {
		for i, a := range prompts {
			na, inA := c.Beginnings(a, r)
			if na != c.Prompt(a) {
				t.Errorf("prompt %d: %d tokens, want %d", i, na, c.Prompt(a))
			}
			for j, b := range prompts[:i] {
				_, inB := c.Beginnings(b, r)
				var got int64
				for k := 0; k < min(len(inA), len(inB)) && inA[k] == inB[k]; k++ {
					got = inA[k].Tokens
				}
				want := shared(tokens[i], tokens[j], r)
				if got > want || got < want-max(r.Step, Grain) { // one step less where a chat's own tokens stand there
					t.Errorf("%+v: %d tokens shared, by brute force %d", r, got, want)
				}
				some++
				if got == want {
					equal++
				}
			}
		}
	}
	if equal < some*98/100 {
		t.Errorf("%d of %d pairs are exact", equal, some)
	}
}

// TestBeginningsWorkedByHand: of 4 characters a token, and of whole prompts.
func TestBeginningsWorkedByHand(t *testing.T) {
	c, err := NewCounter(configs.Model{Provider: "gemini", Name: "gemini-2.5-flash"})
	if err != nil {
		t.Fatal(err)
	}
	lengths := func(r Rule, messages ...Message) (out []int64) {
		_, all := c.Beginnings(messages, r)
		for _, b := range all {
			out = append(out, b.Tokens)
		}
		return out
	}
	check := func(got []int64, want ...int64) {
		t.Helper()
		if !slices.Equal(got, want) {
			t.Errorf("%d, want %d", got, want)
		}
	}
	é := func(n int) Message { return Message{"user", strings.Repeat("é", n)} }
	check(lengths(Rule{Least: 10, Step: 5}, é(39)))
	check(lengths(Rule{Least: 10, Step: 5}, é(40)), 10)
	check(lengths(Rule{Least: 10, Step: 5}, é(39), é(41)), 10, 15, 20)
	check(lengths(Rule{Least: 10}, é(4*(10+2*Grain))), 10, 10+Grain, 10+2*Grain)
	check(lengths(Rule{Least: 10, Whole: true}, é(39), é(41), é(3)), 20, 20)
	check(lengths(Rule{Least: 10, Whole: true}, é(20)))
	if r := (Rule{Least: 1024, Step: 128}); r.after(1024) != 1152 || r.after(16384) != 16384+256 {
		t.Errorf("after 1024 comes %d, after 16384 %d", r.after(1024), r.after(16384))
	}
	_, many := c.Beginnings([]Message{é(4_000_000)}, Rule{Least: 1, Step: 1})
	if len(many) > 1100 {
		t.Errorf("%d beginnings of a million tokens", len(many))
	}
}
