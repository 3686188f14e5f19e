package cost

import (
	"fmt"
	"iter"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"assay/configs"

	"github.com/pkoukk/tiktoken-go"
	loader "github.com/pkoukk/tiktoken-go-loader"
)

// Message is one turn of a prompt.
type Message struct{ Role, Text string }

// The tokens that a chat adds to its texts, by the notebook "How to count tokens with tiktoken" of OpenAI's public
// cookbook, which states them for the gpt-3.5-turbo, gpt-4, gpt-4o and gpt-4o-mini families. Each message's role counts
// as text too.
const (
	perMessage = 3 // around each message
	perReply   = 3 // the start of the assistant's turn, which primes the reply
)

// charsPerToken is the rule of thumb for English text. The Gemini API's page "Understand and count tokens" gives it for
// its models, and package llm uses it for the baseline.
const charsPerToken = 4

// families are OpenAI's models by the beginning of their names, with their vocabularies; the first match applies.
var families = []struct {
	prefix string
	vocab  string
}{
	{"gpt-5", tiktoken.MODEL_O200K_BASE}, {"gpt-4.1", tiktoken.MODEL_O200K_BASE}, {"gpt-4o", tiktoken.MODEL_O200K_BASE},
	{"chatgpt-4o", tiktoken.MODEL_O200K_BASE}, {"o1", tiktoken.MODEL_O200K_BASE}, {"o3", tiktoken.MODEL_O200K_BASE}, {"o4", tiktoken.MODEL_O200K_BASE},
	{"gpt-4", tiktoken.MODEL_CL100K_BASE}, {"gpt-3.5-turbo", tiktoken.MODEL_CL100K_BASE}, {"text-embedding-", tiktoken.MODEL_CL100K_BASE},
}

// familial is the provider whose models families are of.
const familial = "openai"

// Tokenizer is the model of that name whose vocabulary counts tokens, whoever answers.
func Tokenizer(name string) configs.Model { return configs.Model{Provider: familial, Name: name} }

// vocabularies are those of the families, each read at its first use and once for all its counters: that takes a tenth of a
// second or three.
var vocabularies = func() map[string]func() (*tiktoken.Tiktoken, error) {
	tiktoken.SetBpeLoader(loader.NewOfflineLoader()) // the embedded vocabularies; the library's default loader uses the network
	out := map[string]func() (*tiktoken.Tiktoken, error){}
	for _, f := range families {
		if out[f.vocab] == nil {
			out[f.vocab] = sync.OnceValues(func() (*tiktoken.Tiktoken, error) { return tiktoken.GetEncoding(f.vocab) })
		}
	}
	return out
}()

// Counter counts prompt tokens offline, as one model does. It is safe for concurrent use.
type Counter struct {
	how   string
	exact bool
	codec *tiktoken.Tiktoken // nil: an estimate by length
	runes bool               // the estimate counts characters, not bytes
	lines memo[int64]
	cuts  memo[[]int] // see ends
}

// NewCounter returns the counter of a model: by its vocabulary if the name belongs to an OpenAI family ("gpt-4o-mini",
// fine-tuned "ft:gpt-4o-mini:...", or as gateways write it whoever answers, "openai/gpt-4o-mini"), and by length for any
// other. The name of a deployment, as of Azure's, says nothing of its model.
func NewCounter(m configs.Model) (*Counter, error) {
	if m.Local {
		return &Counter{how: fmt.Sprintf("the baseline's own rule, %d bytes a token", charsPerToken), exact: true}, nil
	}
	name, gateways := strings.CutPrefix(m.Name, "openai/")
	name = strings.TrimPrefix(name, "ft:")
	for _, f := range families {
		if m.Provider != familial && !gateways || !strings.HasPrefix(name, f.prefix) {
			continue
		}
		codec, err := vocabularies[f.vocab]()
		if err != nil {
			return nil, fmt.Errorf("cost: count tokens of %q: vocabulary %s: %w", m.Name, f.vocab, err)
		}
		how := fmt.Sprintf("vocabulary %s, plus %d per message and %d per reply", f.vocab, perMessage, perReply)
		return &Counter{how: how, exact: true, codec: codec}, nil
	}
	return &Counter{how: fmt.Sprintf("an estimate, %d characters per token", charsPerToken), runes: true}, nil
}

// How describes how the counter counts.
func (c *Counter) How() string { return c.how }

// Exact reports whether the count is the provider's own, and not an estimate.
func (c *Counter) Exact() bool { return c.exact }

// Prompt returns the number of prompt tokens of the messages.
func (c *Counter) Prompt(messages []Message) int64 {
	var n int64
	for _, m := range messages {
		switch {
		case c.codec == nil && c.runes:
			n += int64(utf8.RuneCountInString(m.Text))
		case c.codec == nil:
			n += int64(len(m.Text))
		default:
			n += c.text(m.Role) + c.text(m.Text)
			n += perMessage
		}
	}
	if c.codec == nil {
		return (n + charsPerToken - 1) / charsPerToken
	}
	return n + perReply
}

// Text returns the number of tokens of a text alone, a completion or a part of a prompt.
func (c *Counter) Text(text string) int64 {
	if c.codec == nil {
		return c.Prompt([]Message{{Text: text}})
	}
	return c.text(text)
}

// text counts a text line by line, and each distinct line once, because prompts share most of their lines.
//
// This is exact: the vocabularies' rules split a text into pieces before they look anything up, and no piece continues
// from a line break to a printable character other than "/". So a text may be split there and its parts counted
// separately.
func (c *Counter) text(s string) (n int64) {
	for part := range pieces(s) {
		n += c.short(part)
	}
	return n
}

// pieces yields the parts of a text that are counted on their own: its lines, and of a longer one stretches, as merging the
// bytes of a piece takes quadratic time. It is exact unless a piece of the vocabulary's rules, such as a word or a run of
// signs, is longer than a stretch.
func pieces(s string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for s != "" {
			end := lineEnd(s)
			for line := s[:end]; line != ""; {
				at := len(line)
				if at > memoBytes {
					at = stretch(line)
				}
				if !yield(line[:at]) {
					return
				}
				line = line[at:]
			}
			s = s[end:]
		}
	}
}

// lineEnd returns the length of a text up to the first place where it may be split.
func lineEnd(s string) int {
	for i := 0; ; {
		n := strings.IndexByte(s[i:], '\n')
		if i += n + 1; n < 0 || i == len(s) {
			return len(s)
		}
		if s[i] > ' ' && s[i] < 0x7f && s[i] != '/' {
			return i
		}
	}
}

// stretch returns the length of what is counted next of a text longer than memoBytes: up to a blank between a sign and a
// letter, where one piece ends and the next begins, or else up to a character.
func stretch(s string) int {
	for i := memoBytes - 1; i > 0; i-- {
		if letter := s[i+1] | 0x20; s[i] == ' ' && s[i-1] > ' ' && s[i-1] < 0x7f && letter >= 'a' && letter <= 'z' {
			return i
		}
	}
	at := memoBytes
	for at > memoBytes-utf8.UTFMax && !utf8.RuneStart(s[at]) {
		at--
	}
	return at
}

// short counts a text of memoBytes at most. Bytes that are not UTF-8 count as U+FFFD, as in tiktoken and as in what is sent.
func (c *Counter) short(s string) int64 {
	if n, ok := c.lines.get(s); ok {
		return n
	}
	n := int64(len(c.codec.EncodeOrdinary(s)))
	c.lines.put(s, n, memoLines)
	return n
}

// memo stores what was counted of lines, up to a bound. Its zero value is empty.
type memo[V any] struct {
	m    sync.Map // string -> V
	size atomic.Int64
}

// The bounds of a memo: about 64 MB at most.
const (
	memoLines = 1 << 16
	memoBytes = 1 << 10 // per line
)

func (m *memo[V]) get(s string) (v V, ok bool) {
	x, ok := m.m.Load(s)
	if !ok {
		return v, false
	}
	return x.(V), true
}

// put stores v where fewer than most are.
func (m *memo[V]) put(s string, v V, most int64) {
	if m.size.Load() >= most {
		return
	}
	if _, known := m.m.LoadOrStore(strings.Clone(s), v); !known {
		m.size.Add(1)
	}
}
