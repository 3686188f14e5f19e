// Package jinja fills prompt text that is written in Jinja, the part of it that prompts need.
//
// Parse cuts a file into text and tags (lex.go) and compiles these into functions (parse.go for
// the tags, expr.go for what stands in them), and notes on the way what the file reads (paths.go);
// Messages and Text run the functions with the values that a method passes. All of it is written
// here, and not by way of a library: what a file may hold is a small part of Jinja, and what it
// accepts must do exactly what Python's jinja2 3.1.6 does with trim_blocks, lstrip_blocks and
// StrictUndefined. testdata holds the comparison. Whatever is not offered is refused when the file
// is parsed, with its place and with what to write instead; where the two could differ by a
// value's type only, the filling fails.
//
// Offered: {{ }}, comments, if, for (with else, a condition, several names and loop), set, macro,
// block (scoped too), raw; the tables filters, tests and methods. There are lists and no tuples;
// what Python gives as an iterator can be walked and filtered only.
//
// A template must never read anything but its text and what it is given, nor panic, hang or
// exhaust the memory, whatever its file holds: sizes, depths and the work done are bounded
// (see run.go). It must never take an undefined name for an empty one, and never print in an
// order that differs from one filling to the next: a map is walked in the order of its keys. Within
// the package an error is a panic with an *Error, as in text/template; none leaves it.
package jinja

import (
	"maps"
	"slices"
	"strings"
	"sync/atomic"
)

// The blocks that are messages.
const (
	systemBlock = "system"
	userBlock   = "user"
)

// Template is one compiled file. It is read-only and safe for concurrent use.
type Template struct {
	file, text string
	layers     []map[string]Block // what With replaces, call by call
	body       []node
	found      *found
	meter      *int
	hold       func(int) error
	last       map[string]*atomic.Int64 // bytes of each message as filled last: the next is about as long
}

// Message is a message of a prompt. Role is "system" or "user".
type Message struct{ Role, Text string }

// Block replaces a block of a template: Text is Jinja of its own and may use the variables that
// the block could use; errors in it name File.
type Block struct{ File, Text string }

// Object is a value with attributes that a template may read. What Attr returns is one of the
// types that Messages takes; ok is false for an attribute that is not there, and then the
// template fails unless it asks "is defined". Printing an Object or walking over it is an error.
type Object interface {
	Attr(name string) (v any, ok bool)
}

// Func is a function that a template may call. Its arguments are of the types that Messages
// takes, and so must be what it returns; named is nil without named arguments.
type Func func(args []any, named map[string]any) (any, error)

// Parse compiles a file. The name is what errors print. Errors are of type *Error.
func Parse(file, text string) (*Template, error) {
	return compile(file, text, nil)
}

// compile parses a file with blocks replaced.
func compile(file, text string, layers []map[string]Block) (t *Template, err error) {
	defer caught(&err)
	p := &parser{found: &found{at: map[string]pos{}, used: map[string]bool{}}, layers: layers}
	p.scope()
	t = &Template{file: file, text: text, layers: layers, body: p.file(file, text), found: p.found}
	t.last = map[string]*atomic.Int64{systemBlock: {}, userBlock: {}}
	return t, nil
}

// Metered is the template with a meter: each filling adds the work that it took, of which the most is 64 M, about a
// second. No filling makes more bytes than its work; before it makes more than a few, hold is asked for them, and may wait
// or refuse. What was granted is over when the filling is. hold may be nil. The copy is safe for concurrent use only with
// a meter of its own.
func (t *Template) Metered(work *int, hold func(bytes int) error) *Template {
	out := *t
	out.meter, out.hold = work, hold
	return &out
}

// Blocks are the names of the blocks, in the file's order, those within others included.
func (t *Template) Blocks() []string { return slices.Clone(t.found.blocks) }

// Messages fills the template: the blocks "system" and "user" are messages of these roles, in
// that order, and an absent or empty "system" is no message. A file with neither is one user
// message; in a file with either, text outside them is an error, because it would be lost. The
// last line break of a message is dropped. The values of vars, and all that is reached through
// them, are nil, bool, int, int64, float64, string, []any, map[string]any, Object or Func.
// Errors are of type *Error.
func (t *Template) Messages(vars map[string]any) ([]Message, error) {
	roles, err := t.roles()
	if err != nil {
		return nil, err
	}
	text, err := t.fill(vars, roles)
	if err != nil {
		return nil, err
	}
	if len(roles) == 0 {
		return []Message{{userBlock, text}}, nil
	}
	var out []Message
	for _, role := range []string{systemBlock, userBlock} {
		b, ok := roles[role]
		if !ok {
			continue
		}
		t.last[role].Store(int64(b.Len()))
		if text := strings.TrimSuffix(b.String(), "\n"); text != "" || role == userBlock {
			out = append(out, Message{role, text})
		}
	}
	return out, nil
}

// Text fills the whole file as one text; its last line break is dropped. For vars and errors see Messages.
func (t *Template) Text(vars map[string]any) (string, error) { return t.fill(vars, nil) }

// fill gives what is printed outside the messages.
func (t *Template) fill(vars map[string]any, roles map[string]*strings.Builder) (text string, err error) {
	defer caught(&err)
	r := &run{out: &strings.Builder{}, roles: roles, hold: t.hold, held: share}
	defer func() {
		if t.meter != nil {
			*t.meter += r.work
		}
	}()
	r.exec(t.body, &scope{vars: vars})
	return strings.TrimSuffix(r.out.String(), "\n"), nil
}

// maxRoom bounds the bytes that a message has room for before it is filled.
const maxRoom = 256 << 10

// roles are the messages that the file has, each with where it prints.
func (t *Template) roles() (map[string]*strings.Builder, error) {
	roles := map[string]*strings.Builder{}
	var stray *node
	for i, n := range t.body {
		if last, ok := t.last[n.block]; ok {
			roles[n.block] = &strings.Builder{}
			roles[n.block].Grow(int(min(last.Load(), maxRoom)))
		} else if stray == nil && n.prints {
			stray = &t.body[i]
		}
	}
	if stray != nil && len(roles) > 0 {
		return nil, stray.fail("this stands outside the blocks system and user, and would be lost: move it into one of them")
	}
	return roles, nil
}

// With is a copy of the template in which blocks are replaced. An empty Text switches a block
// off. A replacement ends in a line break where the block's own text does, and not elsewhere,
// whatever its own end. A name that the template does not have is an error, and so is one within
// another block that is replaced.
func (t *Template) With(blocks map[string]Block) (*Template, error) {
	start := pos{&source{file: t.file}, 0}
	names := slices.Sorted(maps.Keys(blocks))
	for _, name := range names {
		if !slices.Contains(t.found.blocks, name) {
			return nil, start.fail("there is no block %q: there are %s", name, strings.Join(t.found.blocks, ", "))
		}
	}
	with, err := compile(t.file, t.text, append(slices.Clip(t.layers), blocks))
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if !with.found.used[name] {
			return nil, start.fail("block %q stands within another that is replaced: replace one of them", name)
		}
	}
	return with, nil
}
