package star

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"sync"

	"go.starlark.net/starlark"
)

// reMembers are the functions of re. A pattern has Go's syntax, which takes time linear in the text.
var reMembers = starlark.StringDict{
	"find":  starlark.NewBuiltin("re.find", reFind),
	"all":   starlark.NewBuiltin("re.all", reAll),
	"split": starlark.NewBuiltin("re.split", reSplit),
}

const (
	maxPattern  = 10_000  // bytes of a pattern
	maxSearched = 1 << 20 // bytes of a text that a pattern is looked for in
	maxProgram  = 20_000  // instructions of a compiled pattern
	maxCompiled = 1_000   // patterns that are kept
	reUnit      = 16      // instructions times bytes that are charged as one step
	reCompile   = 16      // steps for an instruction of the pattern, compiled or kept: a run must not depend on which
)

// pattern is a compiled pattern with its size in instructions.
type pattern struct {
	*regexp.Regexp
	size int
}

// compiled keeps the patterns, which methods write as constants; where there are too many, all are forgotten.
var compiled = struct {
	sync.Mutex
	patterns map[string]*pattern
}{patterns: map[string]*pattern{}}

// compile returns the pattern of a source.
func compile(source string) (*pattern, error) {
	if len(source) > maxPattern {
		return nil, fmt.Errorf("the pattern has %d bytes; %d are the most", len(source), maxPattern)
	}
	compiled.Lock()
	defer compiled.Unlock()
	if p := compiled.patterns[source]; p != nil {
		return p, nil
	}
	tree, err := syntax.Parse(source, syntax.Perl)
	if err != nil {
		return nil, badPattern(source, err)
	}
	program, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return nil, badPattern(source, err)
	}
	if len(program.Inst) > maxProgram {
		return nil, errors.New("the pattern repeats too much")
	}
	re, err := regexp.Compile(source)
	if err != nil {
		return nil, badPattern(source, err)
	}
	if len(compiled.patterns) >= maxCompiled {
		clear(compiled.patterns)
	}
	p := &pattern{Regexp: re, size: len(program.Inst)}
	compiled.patterns[source] = p
	return p, nil
}

// badPattern says what is wrong with a pattern, and where Python's syntax is not Go's.
func badPattern(source string, err error) error {
	for _, d := range []struct{ sign, remedy string }{
		{"(?=", "there is no lookahead: match more and take a group, m[1]"},
		{"(?!", "there is no lookahead: match more and decide in code"},
		{"(?<=", "there is no lookbehind: match more and take a group, m[1]"},
		{"(?<!", "there is no lookbehind: match more and decide in code"},
		{"(?P=", "there is no backreference: match both and compare the groups in code"},
		{"(?>", "there is no atomic group: write (?:...)"},
		{"(?#", "there is no comment in a pattern"},
		{`\Z`, `write \z for the end of the text`},
		{"*+", "there are no possessive quantifiers: write *"},
		{"++", "there are no possessive quantifiers: write +"},
	} {
		if strings.Contains(source, d.sign) {
			return fmt.Errorf("%q: the syntax is Go's, in which %s", clipped(source), d.remedy)
		}
	}
	if backreference.MatchString(source) {
		return fmt.Errorf("%q: the syntax is Go's, in which there is no backreference: match both and compare the groups in code", clipped(source))
	}
	return fmt.Errorf("%q: %s (the syntax is Go's)", clipped(source), strings.TrimPrefix(err.Error(), "error parsing regexp: "))
}

var backreference = regexp.MustCompile(`\\[1-9]`)

// search reads the arguments of a function of re, and charges the search.
func search(t *thread, b *builtin, args tuple, kw []tuple) (*pattern, string, error) {
	var source, s string
	if err := starlark.UnpackArgs(b.Name(), args, kw, "pattern", &source, "text", &s); err != nil {
		return nil, "", err
	}
	p, err := compile(source)
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", b.Name(), err)
	}
	if len(s) > maxSearched {
		return nil, "", fmt.Errorf("%s: the text has %d bytes; %d are the most: cut it first", b.Name(), len(s), maxSearched)
	}
	return p, s, work(t, p.size*reCompile+len(s)*p.size/reUnit)
}

// reFind is re.find(pattern, text): the first match, or None.
func reFind(t *thread, b *builtin, args tuple, kw []tuple) (value, error) {
	p, s, err := search(t, b, args, kw)
	if err != nil {
		return nil, err
	}
	at := p.FindStringSubmatchIndex(s)
	if at == nil {
		return starlark.None, nil
	}
	return &match{s, at}, build(t, sizeOf(at))
}

// reAll is re.all(pattern, text): the matches that do not overlap, as a list.
func reAll(t *thread, b *builtin, args tuple, kw []tuple) (value, error) {
	p, s, err := search(t, b, args, kw)
	if err != nil {
		return nil, err
	}
	var found []value
	for _, at := range p.FindAllStringSubmatchIndex(s, maxItems/(p.NumSubexp()+1)+1) {
		if err := build(t, sizeOf(at)); err != nil {
			return nil, err
		}
		found = append(found, &match{s, at})
	}
	return starlark.NewList(found), work(t, len(found))
}

// reSplit is re.split(pattern, text): what stands between the matches, as a list.
func reSplit(t *thread, b *builtin, args tuple, kw []tuple) (value, error) {
	p, s, err := search(t, b, args, kw)
	if err != nil {
		return nil, err
	}
	var out []value
	for _, part := range p.Split(s, -1) {
		out = append(out, starlark.String(part))
	}
	return starlark.NewList(out), build(t, len(out)*sizeEntry)
}

// sizeOf is what a match is charged.
func sizeOf(at []int) int { return 2*sizeList + 8*len(at) }

// match is what a pattern matched: m[0] the whole, m[1] the first group, "" where a group took no part; m.start and m.end
// are byte offsets of the whole.
type match struct {
	text string
	at   []int // pairs of offsets, -1 where a group took no part
}

var (
	_ starlark.Indexable = (*match)(nil)
	_ starlark.HasAttrs  = (*match)(nil)
)

func (m *match) Len() int { return len(m.at) / 2 }

func (m *match) Index(i int) value {
	if m.at[2*i] < 0 {
		return starlark.String("")
	}
	return starlark.String(m.text[m.at[2*i]:m.at[2*i+1]])
}

func (m *match) Attr(name string) (value, error) {
	switch name {
	case "start":
		return starlark.MakeInt(m.at[0]), nil
	case "end":
		return starlark.MakeInt(m.at[1]), nil
	case "group", "groups", "span":
		return nil, fmt.Errorf("a match has no .%s: write m[0] for the whole, m[1] for the first group, m.start and m.end", name)
	}
	return nil, nil
}

func (m *match) AttrNames() []string { return []string{"end", "start"} }
func (m *match) Freeze()             {}
func (m *match) Hash() (uint32, error) {
	return 0, errors.New("a match is no key: take its text, m[0]")
}
func (m *match) String() string       { return fmt.Sprintf("match(%s)", m.Index(0)) }
func (m *match) Truth() starlark.Bool { return true }
func (m *match) Type() string         { return "match" }
