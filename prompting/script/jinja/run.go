package jinja

import (
	"fmt"
	"strings"
)

// The bounds. They lie far above what a prompt needs, and keep what a file costs below about a
// second and some hundred megabytes.
const (
	maxFile   = 1 << 20  // bytes of a file
	maxTokens = 4000     // words of one tag
	maxNest   = 100      // structures or brackets within one another
	maxText   = 16 << 20 // bytes of a text that is made
	maxDepth  = 64       // macros within macros, and values within values
	maxWork   = 64 << 20 // what filling may cost: a byte made or read is 1, a step is nodeCost
	nodeCost  = 16
	share     = 256 << 10 // by how much work at a time a filling takes of the caller's memory; the first is free
)

// run is one filling.
type run struct {
	out   *strings.Builder
	roles map[string]*strings.Builder // where the blocks of messages print, nil when the file is one text
	work  int
	held  int // of that, what hold has granted
	hold  func(int) error
	depth int   // of macros within macros
	macro place // where the outermost one was called, and its name
	at    place // what is run
}

// place is where an error is, and what its text begins with.
type place struct {
	pos
	what string
}

// stop ends the filling with an error at what is run.
func (r *run) stop(format string, args ...any) {
	text := r.at.what + fmt.Sprintf(format, args...)
	if r.macro.what != "" {
		text += fmt.Sprintf(" (in macro %q, called on line %d)", r.macro.what, r.macro.line())
	}
	r.at.stop("%s", text)
}

// stopAt is stop at another place.
func (r *run) stopAt(p pos, format string, args ...any) {
	r.at = place{pos: p}
	r.stop(format, args...)
}

// charge counts what is done, and ends a filling that does too much.
func (r *run) charge(n int) {
	if r.work += n; r.work > maxWork || n < 0 {
		r.stop("the template does too much work: it loops too long or makes too much text")
	}
	if r.work <= r.held || r.hold == nil {
		return
	}
	more := (r.work - r.held + share - 1) / share * share
	if err := r.hold(more); err != nil {
		r.stop("%s", err)
	}
	r.held += more
}

// room is charge for a text of n bytes that is about to be made.
func (r *run) room(n int) {
	if n > maxText || n < 0 {
		r.stop("a text of more than %d MB", maxText>>20)
	}
	r.charge(n)
}

// print adds to the output.
func (r *run) print(s string) {
	if r.out.Len()+len(s) > maxText {
		r.stop("a text of more than %d MB", maxText>>20)
	}
	r.charge(len(s))
	r.out.WriteString(s)
}

// capture runs what prints, and gives the text in place of printing it.
func (r *run) capture(body []node, s *scope) string {
	out := r.out
	r.out = &strings.Builder{}
	r.exec(body, s)
	text := r.out.String()
	r.out = out
	return text
}

// exec runs nodes in order.
func (r *run) exec(body []node, s *scope) {
	outer := r.at
	for i := range body {
		r.at = place{pos: body[i].pos}
		r.charge(nodeCost)
		body[i].exec(r, s)
	}
	r.at = outer
}

// raw evaluates an expression to whatever it is, an iterator or an undefined value included.
func (r *run) raw(e expr, s *scope) any {
	outer := r.at
	r.at = place{e.pos, e.what}
	r.charge(nodeCost)
	v := e.eval(r, s)
	r.at = outer
	return v
}

// maybe evaluates an expression that may be undefined.
func (r *run) maybe(e expr, s *scope) any {
	v := r.raw(e, s)
	if _, ok := v.(stream); ok {
		r.stopAt(e.pos, "an iterator can be walked, filtered and nothing else: write |list behind it")
	}
	return v
}

// value evaluates an expression that must be defined.
func (r *run) value(e expr, s *scope) any {
	v := r.maybe(e, s)
	if u, ok := v.(undefined); ok {
		r.stopAt(e.pos, "%s", u.text)
	}
	return v
}

// test evaluates a condition.
func (r *run) test(e expr, s *scope) bool {
	v, outer := r.raw(e, s), r.at
	r.at = place{pos: e.pos}
	yes := r.truth(v)
	r.at = outer
	return yes
}

// scope holds the names that one structure sets. The outermost holds what the caller passed.
type scope struct {
	parent *scope
	vars   map[string]any // the caller's; nil but in the outermost
	own    []binding
	hidden *scope // where an unscoped block stands, whose names it does not see

	// context marks what an unscoped block within sees: the outermost scope does not need it.
	context bool
}

type binding struct {
	name  string
	value any
}

// get finds a name.
func (s *scope) get(r *run, name string) (any, bool) {
	for ; s != nil; s = s.parent {
		r.charge(len(s.own) / 4)
		for i := len(s.own) - 1; i >= 0; i-- {
			if s.own[i].name == name {
				return s.own[i].value, true
			}
		}
		if v, ok := s.vars[name]; ok {
			return v, true
		}
	}
	return nil, false
}

// set binds a name in this scope.
func (s *scope) set(r *run, name string, value any) {
	r.charge(len(s.own) / 4)
	for i := range s.own {
		if s.own[i].name == name {
			s.own[i].value = value
			return
		}
	}
	s.own = append(s.own, binding{name, value})
}

// around is what an unscoped block sees: the names of the nearest scoped block, or of the file.
func (s *scope) around() *scope {
	for s.parent != nil && !s.context {
		s = s.parent
	}
	return s
}

// withheld says whether a name is set around an unscoped block that does not see it.
func (s *scope) withheld(r *run, name string) bool {
	for ; s != nil; s = s.parent {
		if s.hidden != nil {
			_, ok := s.hidden.get(r, name)
			return ok
		}
	}
	return false
}
