package configs

import (
	"bytes"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// mostNested bounds the parts of a key and the depth of values: the library that decodes a file takes time and memory
// quadratic in both.
const mostNested = 32

// nested returns the line of the first key with more parts, or value with more levels, than mostNested; 0 where there is none.
// It reads no more of TOML than strings and comments, so that it holds for texts that are no TOML too.
func nested(text string) int {
	dots, depth, line := 0, 0, 1
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '"', '\'':
			end := quoted(text[i:])
			line += strings.Count(text[i:i+end], "\n")
			i += end - 1
		case '#':
			if end := strings.IndexByte(text[i:], '\n'); end >= 0 {
				i += end - 1 // the line break is next
			} else {
				i = len(text)
			}
		case '.':
			dots++
		case '[', '{':
			depth, dots = depth+1, 0
		case ']', '}':
			depth = max(depth-1, 0)
		case '\n':
			line, dots = line+1, 0
		case '=', ',':
			dots = 0
		}
		if dots >= mostNested || depth > mostNested {
			return line
		}
	}
	return 0
}

// quoted returns the length of the string that a text begins with, with its quotes; all of the text where it has no end.
func quoted(text string) int {
	quote := text[:1]
	if three := strings.Repeat(quote, 3); strings.HasPrefix(text, three) {
		quote = three
	}
	for i := len(quote); i < len(text); i++ {
		switch {
		case text[i] == '\\' && quote[0] == '"':
			i++
		case text[i] == '\n' && len(quote) == 1: // a string of one line that is not closed
			return i
		case strings.HasPrefix(text[i:], quote):
			return i + len(quote)
		}
	}
	return len(text)
}

// positions finds the first line of every key, which the library that decodes a file does not give. Where a text is no TOML
// by this parser, the keys after that place have no line.
func positions(text string) map[string]int {
	x := &finder{text: []byte(text), line: 1, found: map[string]int{}, lists: map[string]int{}}
	x.parser.Reset(x.text)
	var table []string
	for x.parser.NextExpression() {
		e := x.parser.Expression()
		switch e.Kind {
		case unstable.Table, unstable.ArrayTable:
			table = x.key(nil, e)
			if len(table) == 1 && isList(table[0]) {
				x.lists[table[0]]++
			}
			x.note(table)
		case unstable.KeyValue:
			x.value(table, e)
		}
	}
	return x.found
}

// finder walks the expressions of a text in order.
type finder struct {
	parser unstable.Parser
	text   []byte
	at     int // bytes counted
	line   int // of at
	found  map[string]int
	lists  map[string]int // tables so far of each list
}

// key returns the whole key of an expression in a table, and moves to its line.
func (x *finder) key(table []string, e *unstable.Node) []string {
	out := slices.Clone(table)
	for first, parts := true, e.Key(); parts.Next(); first = false {
		n := parts.Node()
		if to := int(n.Raw.Offset); first && to > x.at {
			x.line += bytes.Count(x.text[x.at:to], []byte("\n"))
			x.at = to
		}
		out = append(out, string(n.Data))
	}
	return out
}

// note stores the line of a key that has none yet.
func (x *finder) note(key []string) {
	id := keyID(key, x.lists[key[0]]-1)
	if _, ok := x.found[id]; !ok {
		x.found[id] = x.line
	}
}

// value notes a key with its value and the keys of the inline tables in it.
func (x *finder) value(table []string, e *unstable.Node) {
	key := x.key(table, e)
	v := e.Value()
	if len(key) == 1 && isList(key[0]) {
		x.list(key, v)
		return
	}
	x.note(key)
	x.inline(key, v)
}

// list notes a list of tables that is written as a value, arm = [{...}, {...}], or what stands in its place.
func (x *finder) list(key []string, v *unstable.Node) {
	first := x.lists[key[0]]
	for all := v.Children(); v.Kind == unstable.Array && all.Next(); {
		if all.Node().Kind == unstable.InlineTable {
			x.lists[key[0]]++
			x.note(key)
			x.inline(key, all.Node())
		}
	}
	if x.lists[key[0]] == first {
		x.lists[key[0]]++
		x.note(key)
	}
}

// inline notes the keys of an inline table.
func (x *finder) inline(key []string, v *unstable.Node) {
	if v.Kind != unstable.InlineTable {
		return
	}
	for all := v.Children(); all.Next(); {
		x.value(key, all.Node())
	}
}

// keyID returns the id of a key, as origins have it; i is its table's index in a list of tables.
func keyID(k []string, i int) string {
	if !isList(k[0]) || i < 0 {
		return strings.Join(k, ".")
	}
	return strings.Join(append([]string{listID(k[0], i)}, k[1:]...), ".")
}
