package script

import (
	"slices"
	"strings"

	"assay/prompting/script/star"

	"go.starlark.net/syntax"
)

// code is what the Starlark of a folder says, without running it.
type code struct {
	loaded      map[string]bool // files of the folder that load() names, directly or not
	texts       map[string]bool // every text literal
	params      map[string]bool // read as params.NAME
	wholeParams bool            // params is used otherwise, so that any may be read
	paramLine   int             // of the call of defaults()
	fills       []fill
	unclear     bool // a template is filled under a name that is made while the method runs
	demoReads   []demoRead
	demoAsked   map[string]bool // attributes of demonstrations that a condition asks for first
}

// fill is a call that fills a template: by ask, call, prompt or text.
type fill struct {
	by, template string
	file         string
	line         int
	vars, demos  []string // what is passed, and what of it holds demonstrations
	open         bool     // more is passed by **
}

// demoRead is an attribute that is read of a demonstration.
type demoRead struct {
	attr, file string
	line       int
}

// fillers are the functions that fill a template.
var fillers = []string{"ask", "call", "prompt", "text"}

// askArgs are the arguments of ask and call that are no variables of the template.
var askArgs = []string{"stage", "settings", "about", "n", "sample", "temperature", "max_tokens", "stop", "tools", "may_fail"}

// code reads method.star and what it loads from the folder.
func (f *Folder) code() *code {
	c := &code{loaded: map[string]bool{}, texts: map[string]bool{}, params: map[string]bool{}, demoAsked: map[string]bool{}}
	if f.files[methodFile] != nil {
		c.read(f, methodFile)
	}
	return c
}

// read reads one file, and those that it loads.
func (c *code) read(f *Folder, name string) {
	tree, err := star.Parse(name, f.files[name])
	if err != nil {
		return // Open has refused it, or reads it from elsewhere
	}
	w := &codeFile{code: c, name: name, params: "", demos: map[string]bool{}}
	// What holds params and demonstrations is found before it is used, wherever it stands.
	syntax.Walk(tree, w.assigned)
	syntax.Walk(tree, w.looped)
	syntax.Walk(tree, w.used)
	for _, s := range tree.Stmts {
		load, ok := s.(*syntax.LoadStmt)
		if !ok {
			continue
		}
		module := load.ModuleName()
		if f.files[module] != nil && !c.loaded[module] {
			c.loaded[module] = true
			c.read(f, module)
		}
	}
}

// codeFile is one file that is read.
type codeFile struct {
	*code
	name   string
	params string          // the name that holds what defaults() returned
	demos  map[string]bool // names that hold demonstrations, or one of them
	skip   []*syntax.Ident // uses of params that are no more than that
}

// assigned notes names that are given params or demonstrations.
func (w *codeFile) assigned(n syntax.Node) bool {
	a, ok := n.(*syntax.AssignStmt)
	if !ok {
		return true
	}
	to, ok := a.LHS.(*syntax.Ident)
	if !ok {
		return true
	}
	if called(a.RHS) == "defaults" {
		w.params, w.paramLine = to.Name, int(to.NamePos.Line)
		w.skip = append(w.skip, to)
	}
	if w.holdsDemos(a.RHS) {
		w.demos[to.Name] = true
	}
	return true
}

// looped notes names that stand for one demonstration after the other.
func (w *codeFile) looped(n syntax.Node) bool {
	var vars, over syntax.Expr
	switch n := n.(type) {
	case *syntax.ForStmt:
		vars, over = n.Vars, n.X
	case *syntax.ForClause:
		vars, over = n.Vars, n.X
	default:
		return true
	}
	if v, ok := vars.(*syntax.Ident); ok && w.holdsDemos(over) {
		w.demos[v.Name] = true
	}
	return true
}

// holdsDemos reports whether an expression is the demonstrations, or some of them.
func (w *codeFile) holdsDemos(x syntax.Expr) bool {
	switch x := x.(type) {
	case *syntax.Ident:
		return w.demos[x.Name]
	case *syntax.CallExpr:
		name := called(x)
		return name == "demos" || name == "pool" || slices.Contains([]string{"sorted", "reversed", "list"}, name) && len(x.Args) > 0 && w.holdsDemos(x.Args[0])
	case *syntax.SliceExpr:
		return w.holdsDemos(x.X)
	case *syntax.ParenExpr:
		return w.holdsDemos(x.X)
	case *syntax.BinaryExpr:
		return x.Op == syntax.PLUS && (w.holdsDemos(x.X) || w.holdsDemos(x.Y))
	case *syntax.Comprehension:
		clause, ok := x.Clauses[0].(*syntax.ForClause)
		if !ok || !w.holdsDemos(clause.X) {
			return false
		}
		v, isName := clause.Vars.(*syntax.Ident)
		body, same := x.Body.(*syntax.Ident)
		return isName && same && v.Name == body.Name
	}
	return false
}

// called is the name of the function that an expression calls; empty where it is none.
func called(x syntax.Expr) string {
	c, ok := x.(*syntax.CallExpr)
	if !ok {
		return ""
	}
	fn, ok := c.Fn.(*syntax.Ident)
	if !ok {
		return ""
	}
	return fn.Name
}

// used notes what the file reads, says and fills.
func (w *codeFile) used(n syntax.Node) bool {
	switch n := n.(type) {
	case *syntax.Literal:
		if s, ok := n.Value.(string); ok {
			w.texts[s] = true
		}
	case *syntax.Ident:
		if w.params != "" && n.Name == w.params && !slices.Contains(w.skip, n) {
			w.wholeParams = true
		}
	case *syntax.DotExpr:
		if x, ok := n.X.(*syntax.Ident); ok {
			w.attribute(x, n)
		}
	case *syntax.IfStmt:
		w.asked(n.Cond)
	case *syntax.IfClause:
		w.asked(n.Cond)
	case *syntax.CondExpr:
		w.asked(n.Cond)
	case *syntax.CallExpr:
		if by := called(n); slices.Contains(fillers, by) && len(n.Args) > 0 {
			w.fill(by, n)
		}
	}
	return true
}

// attribute notes a read of params or of a demonstration.
func (w *codeFile) attribute(x *syntax.Ident, n *syntax.DotExpr) {
	switch {
	case w.params != "" && x.Name == w.params:
		w.code.params[n.Name.Name] = true
		w.skip = append(w.skip, x)
	case w.demos[x.Name]:
		w.demoReads = append(w.demoReads, demoRead{n.Name.Name, w.name, int(n.Dot.Line)})
	}
}

// asked notes the attributes of demonstrations of which a condition asks whether they are there.
func (w *codeFile) asked(cond syntax.Expr) {
	switch x := cond.(type) {
	case *syntax.ParenExpr:
		w.asked(x.X)
	case *syntax.UnaryExpr:
		w.asked(x.X)
	case *syntax.BinaryExpr:
		if x.Op == syntax.AND || x.Op == syntax.OR {
			w.asked(x.X)
			w.asked(x.Y)
		}
	case *syntax.DotExpr:
		if of, ok := x.X.(*syntax.Ident); ok && w.demos[of.Name] {
			w.demoAsked[x.Name.Name] = true
		}
	}
}

// fill notes a call that fills a template. One whose first argument is no literal may fill any.
func (w *codeFile) fill(by string, n *syntax.CallExpr) {
	lit, ok := n.Args[0].(*syntax.Literal)
	name, isText := "", false
	if ok {
		name, isText = lit.Value.(string)
	}
	if !isText {
		w.unclear = w.unclear || called(n.Args[0]) == "" // messages that a call makes are filled by that call
		return
	}
	at, _ := n.Span()
	f := fill{by: by, template: strings.TrimSuffix(name, ".jinja"), file: w.name, line: int(at.Line)}
	for _, arg := range n.Args[1:] {
		b, ok := arg.(*syntax.BinaryExpr)
		if !ok || b.Op != syntax.EQ {
			f.open = true
			continue
		}
		key, ok := b.X.(*syntax.Ident)
		if !ok || (by == "ask" || by == "call") && slices.Contains(askArgs, key.Name) {
			continue
		}
		if f.vars = append(f.vars, key.Name); w.holdsDemos(b.Y) {
			f.demos = append(f.demos, key.Name)
		}
	}
	w.fills = append(w.fills, f)
}
