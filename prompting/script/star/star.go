// Package star runs Starlark that nobody has vouched for: the control half of a method that is a folder of files.
//
// Data flows in this order. [Load] reads method.star through the caller's [Source], rewrites its syntax tree so that every
// operation whose cost the interpreter does not count goes through a checked one, runs the file, and freezes its globals;
// load() does the same with the files it names, each once. [Program.Call] then runs one function in a thread of its own,
// under limits on steps, on the bytes built, and on the size and nesting of each value. What fails is an [*Error] that
// tells place, cause, remedy and call stack.
//
// The package knows nothing of prompts, questions or models: those are functions and values that the caller hands in
// ([Options.Host]). It must never let a file read a clock, the environment, the network or a file that Source does not
// give, draw a random number, or end or exhaust the process, whatever the file says. One Starlark thing is not as in
// Python and stays so: texts are indexed and sliced by bytes, and clip(text, n) is there for characters.
package star

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"strings"
	"sync"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// Source reads a file that load() or the caller names: "method.star" of the folder, "@assay//choose.star" of the shared
// helpers. It is asked only for clean slash-separated names that end in .star and do not leave the folder.
type Source func(name string) ([]byte, error)

// Options say what a program is made of.
type Options struct {
	// Name is how errors name the folder: "methods/mine" gives "methods/mine/method.star:3:5". Empty: the file alone.
	Name string
	// Source reads the files; it must be set.
	Source Source
	// Host is what the files find predeclared beside the package's own helpers; on equal names Host wins.
	Host starlark.StringDict
	// Compiled keeps what was compiled for loads of the same folder with the same names in Host; nil: nothing is kept.
	Compiled *Compiled
}

// Compiled holds the compiled files of one folder, so that it is parsed once however often it is loaded with other values
// of the host. Its zero value is empty. It is safe for concurrent use.
type Compiled struct{ files sync.Map } // a unit by name

// unit is one compiled file.
type unit struct {
	text    string
	program *starlark.Program
	doc     string
}

// get returns a file that was compiled from this text.
func (c *Compiled) get(name string, text []byte) (unit, bool) {
	if c == nil {
		return unit{}, false
	}
	v, ok := c.files.Load(name)
	if !ok || v.(unit).text != string(text) {
		return unit{}, false
	}
	return v.(unit), true
}

// put keeps a compiled file.
func (c *Compiled) put(name string, f unit) {
	if c != nil {
		c.files.Store(name, f)
	}
}

// HostKey is the key of [starlark.Thread.Local] under which functions of [Options.Host] find the local value of
// [Program.Call]; while a file is loaded there is none.
const HostKey = "host"

// shared is the prefix of the helpers that do not belong to a folder.
const shared = "@assay//"

// Program is a folder's file and what it loads: run once, its globals frozen, so that it is safe for concurrent use.
type Program struct {
	name    string
	doc     string
	globals starlark.StringDict
}

// Load compiles the file and what it loads, and runs their statements under the limits of one call. The error is an [*Error].
func Load(file string, o Options) (p *Program, err error) {
	l := &loader{o: o, files: map[string]*loaded{}, meter: &meter{loading: true}}
	defer func() { err = recovered(recover(), err) }()
	got, err := l.file(l.thread(file), file)
	if err != nil {
		return nil, l.failed(file, err)
	}
	return &Program{name: o.Name, doc: got.doc, globals: got.globals}, nil
}

// Doc returns the text at the head of the file, "" where there is none.
func (p *Program) Doc() string { return p.doc }

// Global returns what a top-level name of the file stands for, nil where there is none. It is frozen.
func (p *Program) Global(name string) starlark.Value { return p.globals[name] }

// Globals returns the file's top-level names, sorted.
func (p *Program) Globals() []string { return p.globals.Keys() }

// Function returns the function of that name that the file defines, nil where there is none.
func (p *Program) Function(name string) *starlark.Function {
	fn, _ := p.globals[name].(*starlark.Function)
	return fn
}

// Call runs a function of the program, or any callable value that it made, in a new thread with limits of its own. Functions
// of the host find local by thread.Local(HostKey). hold is asked for so many bytes more before the call builds them, and
// may wait or refuse; nil grants all that the limits allow. Where ctx ends, the call ends at its next step, with ctx's
// cause. The error is an [*Error].
func (p *Program) Call(ctx context.Context, fn starlark.Callable, local any, hold func(bytes int) error, args starlark.Tuple, named []starlark.Tuple) (v starlark.Value, err error) {
	defer func() { err = recovered(recover(), err) }()
	if ctx.Err() != nil {
		return nil, &Error{Message: fn.Name() + " was not begun: " + context.Cause(ctx).Error(), cause: context.Cause(ctx)}
	}
	m := &meter{hold: hold}
	thread := newThread(p.name, m)
	thread.SetLocal(HostKey, local)
	defer context.AfterFunc(ctx, func() { thread.Cancel("the run ended") })()
	v, err = starlark.Call(thread, fn, args, named)
	if err != nil {
		return nil, explain(ctx, m, err)
	}
	return v, nil
}

// newThread returns a thread that has the limits of one call.
func newThread(name string, m *meter) *starlark.Thread {
	thread := &starlark.Thread{Name: name}
	thread.SetMaxExecutionSteps(maxSteps)
	thread.OnMaxSteps = func(t *starlark.Thread) {
		m.tooMany = true
		t.Cancel(errSteps.Error())
	}
	thread.SetLocal(meterKey, m)
	return thread
}

// loader runs the files of one program, each once.
type loader struct {
	o     Options
	meter *meter
	files map[string]*loaded // nil while a file runs
}

// loaded is what a file's run left behind.
type loaded struct {
	doc     string
	globals starlark.StringDict
}

// thread returns the thread in which a file is run.
func (l *loader) thread(name string) *starlark.Thread {
	thread := newThread(name, l.meter)
	thread.Load = func(t *starlark.Thread, module string) (starlark.StringDict, error) {
		child := l.thread(module)
		child.Steps = t.Steps // one allowance for all files
		got, err := l.file(child, module)
		t.Steps = child.Steps
		if err != nil {
			return nil, err
		}
		return got.globals, nil
	}
	return thread
}

// file reads, compiles and runs a file, or returns what an earlier load left. Its error is an [*Error] where the file is to
// blame, and not where it cannot be had, which is the fault of who asked for it.
func (l *loader) file(thread *starlark.Thread, name string) (*loaded, error) {
	if got, ok := l.files[name]; ok {
		if got == nil {
			return nil, errors.New("it loads itself, perhaps through another file: move what both need into a third")
		}
		return got, nil
	}
	if err := l.allowed(name); err != nil {
		return nil, err
	}
	text, err := l.o.Source(name)
	if err != nil {
		return nil, err
	}
	l.files[name] = nil
	got, err := l.run(thread, name, text)
	if err != nil {
		return nil, l.failed(name, err)
	}
	l.files[name] = got
	return got, nil
}

// run compiles and runs a file's text, and freezes what it leaves.
func (l *loader) run(thread *starlark.Thread, name string, text []byte) (*loaded, error) {
	names := maps.Clone(predeclared)
	maps.Copy(names, l.o.Host)
	f, known := l.o.Compiled.get(name, text)
	if !known {
		var err error
		if f, err = l.compile(name, text, names); err != nil {
			return nil, err
		}
		l.o.Compiled.put(name, f)
	}
	globals, err := f.program.Init(thread, names)
	if err != nil {
		return nil, err
	}
	return &loaded{doc: f.doc, globals: globals}, freeze(globals)
}

// allowed refuses a name that is not one of the folder's or of the shared helpers.
func (l *loader) allowed(name string) error {
	in := strings.TrimPrefix(name, shared)
	if !fs.ValidPath(in) || path.Ext(in) != ".star" || strings.ContainsAny(in, `\:`) {
		return fmt.Errorf("%q is no file of the method: load a .star file of its folder, as in load(\"helpers.star\", \"f\"), or a shared one, as in load(\"@assay//choose.star\", \"f\")", clipped(name))
	}
	if len(l.files) >= maxFiles {
		return fmt.Errorf("a method loads at most %d files", maxFiles)
	}
	return nil
}

// shown is how errors name a file.
func (l *loader) shown(name string) string {
	if strings.HasPrefix(name, shared) {
		return name
	}
	return path.Join(l.o.Name, name)
}

// failed turns what went wrong with a file into an [*Error].
func (l *loader) failed(name string, err error) error {
	e := explain(context.Background(), l.meter, err)
	if e.File == "" {
		e.File = l.shown(name)
	}
	return e
}

// options are the dialect: while is there, recursion is not, and the top level may loop and decide.
var options = &syntax.FileOptions{Set: true, While: true, TopLevelControl: true}

// compile compiles a file's text, with the names that it finds predeclared.
func (l *loader) compile(name string, text []byte, names starlark.StringDict) (unit, error) {
	if len(text) > maxSource {
		return unit{}, fmt.Errorf("the file has %d bytes; %d are the most", len(text), maxSource)
	}
	tree, err := options.Parse(l.shown(name), text, 0)
	if err != nil {
		return unit{}, hinted(err, text)
	}
	doc := docstring(tree)
	if err := rewrite(tree, names); err != nil {
		return unit{}, hinted(err, text)
	}
	program, err := starlark.FileProgram(tree, names.Has)
	if err != nil {
		return unit{}, hinted(err, text)
	}
	return unit{string(text), program, doc}, nil
}

// Parse reads a file's syntax as [Load] does, and runs nothing; name is how errors and positions call it.
func Parse(name string, text []byte) (*syntax.File, error) {
	if len(text) > maxSource {
		return nil, fmt.Errorf("the file has %d bytes; %d are the most", len(text), maxSource)
	}
	return options.Parse(name, text, 0)
}

// docstring returns the text literal that a file begins with.
func docstring(tree *syntax.File) string {
	if len(tree.Stmts) == 0 {
		return ""
	}
	s, _ := tree.Stmts[0].(*syntax.ExprStmt)
	if s == nil {
		return ""
	}
	lit, _ := s.X.(*syntax.Literal)
	if lit == nil || lit.Token != syntax.STRING {
		return ""
	}
	return lit.Value.(string)
}
