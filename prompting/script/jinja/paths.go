package jinja

import (
	"maps"
	"slices"
	"strings"
)

// Path is what a template reads of the values that it is given: "q.question", "demos[].steps[].sql". A loop's name stands
// for the items of what it walks. What goes deeper than some 200 bytes is left off.
type Path struct {
	Text   string
	Line   int
	Tested bool // only asked for: by "is defined", by default(), or as the condition of an if
}

// Root is the name that the path begins with.
func (p Path) Root() string {
	if i := strings.IndexAny(p.Text, ".["); i >= 0 {
		return p.Text[:i]
	}
	return p.Text
}

// Offered lists what a template may call, by its kind and sorted.
func Offered() map[string][]string {
	return map[string][]string{
		"filters": slices.Sorted(maps.Keys(filters)), "tests": slices.Sorted(maps.Keys(checks)),
		"functions of texts": slices.Sorted(maps.Keys(textMethods)), "functions of maps": slices.Sorted(maps.Keys(mapMethods)),
	}
}

// Paths are what the template reads, in the file's order, a path as often as it is read. Names that the template makes
// itself are left out. Where a name is made in one way of an if alone, it counts as made.
func (t *Template) Paths() []Path {
	out := make([]Path, len(t.found.paths))
	for i, p := range t.found.paths {
		out[i] = *p
	}
	return out
}

// Texts are the templates that this one fills by text("name").
func (t *Template) Texts() []string { return slices.Clone(t.found.texts) }

// Roles says what keeps the template from being messages; nil where nothing does.
func (t *Template) Roles() error {
	_, err := t.roles()
	return err
}

// names are those that a structure of the template makes, with the paths that they stand for; empty for other values.
type names struct {
	parent *names
	own    map[string]string
}

// scope begins a structure with names of its own, up to what it returns.
func (p *parser) scope() (leave func()) {
	p.names = &names{p.names, map[string]string{}}
	return func() { p.names = p.names.parent }
}

// reads notes a name that is read, and returns its path; nil for a name that stands for none.
func (p *parser) reads(t token) *Path {
	text := t.text
	for n := p.names; n != nil; n = n.parent {
		if of, own := n.own[text]; own && of == "" {
			return nil
		} else if own {
			text = of
			break
		}
	}
	p.line += strings.Count(p.src.text[p.lineAt:t.off], "\n") // and not t.line(), which begins at the file's start
	p.lineAt = t.off
	path := &Path{Text: text, Line: 1 + p.line}
	p.found.paths = append(p.found.paths, path)
	return path
}

// maxPath bounds a path: that of a name that is made of itself again and again would fill the memory.
const maxPath = 200

// step adds to the path that is read.
func (p *Path) step(more string) *Path {
	if p == nil || len(p.Text)+len(more) > maxPath {
		return nil
	}
	p.Text += more
	return p
}

// text is the path of a value; empty for another one.
func (p *Path) text() string {
	if p == nil {
		return ""
	}
	return p.Text
}

// test notes that the path is only asked for; what comes of that stands for no path.
func (p *Path) test() *Path {
	if p != nil {
		p.Tested = true
	}
	return nil
}

// condition reads an expression of which the paths are only asked for.
func (p *parser) condition() expr {
	from := len(p.found.paths)
	x := p.orExpr()
	for _, path := range p.found.paths[from:] {
		path.test()
	}
	return x
}

// literal is the string that is the whole of the next argument or index.
func (p *parser) literal() (string, bool) {
	t := p.peek()
	return t.text, t.kind == stringToken && slices.ContainsFunc([]string{",", ")", "]"}, p.toks[p.t+1].is)
}

// fills notes the template that a call of text fills.
func (p *parser) fills(f expr) {
	if name, ok := p.literal(); ok && f.path.text() == "text" {
		p.found.texts = append(p.found.texts, name)
	}
}
