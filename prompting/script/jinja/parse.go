package jinja

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// node is a part of a file that prints or sets something.
type node struct {
	pos
	block  string // its name, if it is a block
	prints bool   // more than blanks
	exec   func(r *run, s *scope)
}

// parser compiles the pieces of one file, or of one replacement, into nodes.
type parser struct {
	src    *source
	pieces []piece
	i      int     // the next piece
	toks   []token // of the tag that is read
	t      int     // the next token
	depth  int
	layers []map[string]Block // the replacements that hold here; a later one goes before
	found  *found
	names  *names
	line   int // of the last name that was read, from 0
	lineAt int // its offset
}

// found is what a file and its replacements hold.
type found struct {
	blocks []string
	at     map[string]pos  // where the blocks are
	used   map[string]bool // of the last layer
	paths  []*Path
	texts  []string // that it fills
}

// lines brings line breaks to "\n".
var lines = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// newSource checks a file's bytes and brings its line breaks to "\n".
func newSource(file, text string) *source {
	src := &source{file: file}
	if len(text) > maxFile {
		pos{src, 0}.stop("the file has more than %d MB", maxFile>>20)
	}
	for i, c := range text {
		if c == utf8.RuneError && !strings.HasPrefix(text[i:], "\uFFFD") {
			src.text = text[:i]
			pos{src, i}.stop("the file is not UTF-8")
		}
	}
	src.text = lines.Replace(text)
	return src
}

// file compiles a whole file.
func (p *parser) file(file, text string) []node {
	p.src = newSource(file, text)
	p.pieces = lex(p.src)
	body, _ := p.body(nil)
	return body
}

// enter counts what stands within one another, up to what it returns.
func (p *parser) enter(at pos) (leave func()) {
	if p.depth++; p.depth > maxNest {
		at.stop("more than %d structures within one another", maxNest)
	}
	return func() { p.depth-- }
}

// body reads up to a tag of one of these names, whose tokens are then the next; to the file's end for none.
func (p *parser) body(opened *piece, ends ...string) ([]node, *piece) {
	var out []node
	for p.i < len(p.pieces) {
		pc := &p.pieces[p.i]
		p.i++
		n := node{pos: pc.pos, prints: true}
		p.toks, p.t = pc.toks, 0
		switch {
		case pc.toks == nil:
			n.prints = strings.TrimFunc(pc.text, isSpace) != ""
			n.exec = func(r *run, _ *scope) { r.print(pc.text) }
		case pc.output:
			n.exec = p.outputTag()
		case slices.Contains(ends, pc.toks[0].text):
			p.t++
			return out, pc
		default:
			p.tag(pc, &n)
		}
		out = append(out, n)
	}
	if opened != nil {
		opened.stop("%s is opened and never closed: write {%% %s %%}", opened.toks[0].text, ends[len(ends)-1])
	}
	return out, nil
}

// inner is the body of a tag that ends, with the end's tag closed.
func (p *parser) inner(pc *piece, end string) []node {
	p.close()
	body, _ := p.body(pc, end)
	p.close()
	return body
}

func (p *parser) outputTag() func(r *run, s *scope) {
	x := p.expression()
	p.close()
	return func(r *run, s *scope) {
		v := r.raw(x, s)
		r.at.pos = x.pos
		r.print(r.str(v))
	}
}

// tag reads a statement.
func (p *parser) tag(pc *piece, n *node) {
	defer p.enter(pc.pos)()
	switch name := p.name("the name of a tag"); {
	case name.text == "if":
		p.ifTag(pc, n)
	case name.text == "for":
		p.forTag(pc, n)
	case name.text == "set":
		p.setTag(n)
	case name.text == "macro":
		p.macroTag(pc, n)
	case name.text == "block":
		p.blockTag(pc, n)
	case strings.HasPrefix(name.text, "end") || name.text == "else" || name.text == "elif":
		name.stop("%s closes nothing that is open here", name.text)
	default:
		name.stop("the tag %s is not offered: %s", name.text, hint(name.text, "there are if, for, set, macro, block and raw"))
	}
}

func (p *parser) ifTag(pc *piece, n *node) {
	var conds []expr
	var bodies [][]node
	n.prints = false
	for end := "if"; end != "endif"; {
		ends := []string{"endif"}
		if end != "else" {
			conds = append(conds, p.condition())
			ends = []string{"elif", "else", "endif"}
		}
		p.close()
		body, tag := p.body(pc, ends...)
		bodies, end = append(bodies, body), tag.toks[0].text
		n.prints = n.prints || slices.ContainsFunc(body, func(n node) bool { return n.prints })
	}
	p.close()
	n.exec = func(r *run, s *scope) {
		i := slices.IndexFunc(conds, func(c expr) bool { return r.test(c, s) })
		if i < 0 {
			i = len(conds)
		}
		if i < len(bodies) {
			r.exec(bodies[i], s)
		}
	}
}

func (p *parser) setTag(n *node) {
	name := p.target()
	if !p.op("=") {
		p.peek().stop("write {%% set x = ... %%}, with one name; for a longer text a macro, or make it in method.star")
	}
	x := p.expression()
	p.close()
	p.names.own[name.text] = x.path.text()
	n.prints = false
	n.exec = func(r *run, s *scope) { s.set(r, name.text, r.maybe(x, s)) }
}

// blockTag reads a block, whose body is another if it is replaced.
func (p *parser) blockTag(pc *piece, n *node) {
	name := p.target()
	if before, ok := p.found.at[name.text]; ok {
		name.stop("block %q is there twice, first at %s:%d", name.text, before.src.file, before.line())
	}
	p.found.at[name.text] = name.pos
	p.found.blocks = append(p.found.blocks, name.text)
	if (name.text == systemBlock || name.text == userBlock) && p.depth > 1 {
		name.stop("block %q is a message: it stands at the top of the file, and in nothing else", name.text)
	}
	scoped := p.word("scoped")
	p.close()
	defer p.scope()()
	body := p.blockBody(pc, name.text)
	n.block = name.text
	n.exec = func(r *run, s *scope) { r.block(n.block, scoped, body, s) }
	if t := p.peek(); t.kind == nameToken && t.text != n.block {
		t.stop("this closes %q, not %q", n.block, t.text)
	}
	p.word(n.block)
	p.close()
}

// blockBody is what a block holds: its own text, or the replacement that comes last.
func (p *parser) blockBody(pc *piece, name string) []node {
	i := len(p.layers) - 1
	for ; i >= 0; i-- {
		if _, ok := p.layers[i][name]; ok {
			break
		}
	}
	if i < 0 {
		body, _ := p.body(pc, "endblock")
		return body
	}
	layers, all := p.layers, p.found
	p.layers, p.found = nil, &found{at: map[string]pos{}}
	_, end := p.body(pc, "endblock")
	p.layers, p.found = layers, all
	if i == len(layers)-1 {
		p.found.used[name] = true
	}
	by := layers[i][name]
	if by.Text == "" {
		return nil
	}
	text := strings.TrimSuffix(lines.Replace(by.Text), "\n")
	own := strings.TrimRight(p.src.text[pc.end:end.off], " \t")
	if end.sign != '-' && strings.HasSuffix(own, "\n") {
		text += "\n"
	}
	sub := &parser{depth: p.depth, layers: layers[i+1:], found: p.found, names: p.names}
	return sub.file(by.File, text)
}

// block prints a block into the message that it is, or where it stands.
func (r *run) block(name string, scoped bool, body []node, s *scope) {
	sub := &scope{parent: &scope{parent: s, context: true}}
	if !scoped {
		sub.parent = s.around()
		if sub.parent != s {
			sub.hidden = s
		}
	}
	out := r.out
	if role, ok := r.roles[name]; ok {
		r.out = role
	}
	r.exec(body, sub)
	r.out = out
}

// close is the end of a tag.
func (p *parser) close() {
	if t := p.peek(); t.kind != endToken {
		t.stop("%s is not expected here: the tag should end", t.shown())
	}
}

func (p *parser) peek() token { return p.toks[p.t] }

// is says whether a token is this sign.
func (t token) is(sign string) bool { return t.kind == opToken && t.text == sign }

// op takes this sign if it is next.
func (p *parser) op(sign string) bool {
	if !p.peek().is(sign) {
		return false
	}
	p.t++
	return true
}

// word takes this word if it is next.
func (p *parser) word(word string) bool {
	if t := p.peek(); t.kind != nameToken || t.text != word {
		return false
	}
	p.t++
	return true
}

// name takes a name.
func (p *parser) name(what string) token {
	t := p.peek()
	if t.kind != nameToken {
		t.stop("%s is needed here, not %s", what, t.shown())
	}
	p.t++
	return t
}

// target takes a name that is given a value.
func (p *parser) target() token {
	t := p.name("a name")
	_, refused := refusedNames[t.text]
	if _, constant := constants[t.text]; constant || refused || slices.Contains(words, t.text) {
		t.stop("%q has a meaning of its own: take another name", t.text)
	}
	return t
}

// separated takes the comma in brackets that end in this sign, or leaves that.
func (p *parser) separated(end string) {
	if t := p.peek(); !p.op(",") && !t.is(end) {
		t.stop("a comma or %s is needed here, not %s", end, t.shown())
	}
}

// shown is a token as errors print it.
func (t token) shown() string {
	switch t.kind {
	case endToken:
		return "the end of the tag"
	case stringToken:
		return "a string"
	}
	return "\"" + t.text + "\""
}
