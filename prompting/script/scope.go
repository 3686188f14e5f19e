package script

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"assay/prompting/script/jinja"

	"go.starlark.net/starlark"
)

// template returns a template of the folder, with the arm's blocks.
func (p *Part) template(name string) (*jinja.Template, error) {
	name = strings.TrimSuffix(name, ".jinja")
	t, ok := p.templates[name]
	if ok && !p.filled[name].Load() {
		p.filled[name].Store(true)
	}
	if !ok {
		return nil, fmt.Errorf("the folder has no template %q: there are %s", name+".jinja", strings.Join(slices.Sorted(maps.Keys(p.templates)), ", "))
	}
	return t, nil
}

// scopeNames are the names that every template finds.
var scopeNames = []string{"q", "params", "separator", "cued", "input", "render", "text", "file", "clip"}

// scope returns what a template may name: the caller's variables over the question, the params and the host's functions.
func (s *session) scope(vars map[string]any) map[string]any {
	k := s.part.kit
	all := map[string]any{
		"q": view{s.question()}, "params": view{s.part.params}, "separator": k.arm.Exemplars.Separator, "cued": k.print.cued(),
		"input": jinja.Func(s.inputFor), "render": jinja.Func(s.renderFor), "text": jinja.Func(s.textFor),
		"file": jinja.Func(s.fileFor), "clip": jinja.Func(clipFor),
	}
	if s.part.kind == Schema { // it prints demonstrations, too: what it is about are its variables
		delete(all, "q")
	}
	maps.Copy(all, vars)
	return all
}

// inputFor is input(x, cue = false) in a template: a question or a demonstration with its schema.
func (s *session) inputFor(args []any, named map[string]any) (any, error) {
	if len(args) != 1 {
		return nil, fmt.Errorf("input: want a question or a demonstration")
	}
	cue, _ := named["cue"].(bool)
	o, _ := args[0].(view)
	return s.input(o.v, cue)
}

// input prints a question or a demonstration as the arm's format does. With a shuffle the order of a question's tables and
// columns is drawn from the seed, the item, the part's order and the sample.
func (s *session) input(x any, cue bool) (string, error) {
	switch x := x.(type) {
	case *question:
		k := s.part.kit
		p := print{k, k.shuffled(x.q, s.sample), x.q.Text, x.q.Evidence, cue}
		if k.arm.Schema.Shuffle {
			return p.made()
		}
		return s.item.print(p)
	case *demo:
		v, err := x.Attr("input")
		text, _ := starlark.AsString(v)
		return text, err
	}
	return "", fmt.Errorf("input: want a question or a demonstration")
}

// renderFor is render(schema) in a template.
func (s *session) renderFor(args []any, named map[string]any) (any, error) {
	if len(args) == 1 && len(named) == 0 {
		if o, ok := args[0].(view); ok {
			if d, ok := o.v.(*database); ok {
				return s.part.kit.schema(d.db)
			}
		}
	}
	return nil, fmt.Errorf("render: want a schema, such as q.schema")
}

// textFor is text("name", x = ...) in a template: another template of the folder.
func (s *session) textFor(args []any, named map[string]any) (any, error) {
	if len(args) == 1 {
		if name, ok := args[0].(string); ok {
			return s.text(name, variables{all: named})
		}
	}
	return nil, fmt.Errorf("text: want one template's name first")
}

// fileFor is file("name") in a template: a text of the folder, or one that the experiment supplies.
func (s *session) fileFor(args []any, named map[string]any) (any, error) {
	if len(args) == 1 && len(named) == 0 {
		if name, ok := args[0].(string); ok {
			return s.part.file(name)
		}
	}
	return nil, fmt.Errorf("file: want one name")
}

// clipFor is clip(text, n) in a template: a text on one line, at most n characters long but for the dots.
func clipFor(args []any, named map[string]any) (any, error) {
	if len(args) == 2 && len(named) == 0 {
		text, ok := args[0].(string)
		n, whole := args[1].(int64)
		if ok && whole && n >= 0 {
			return clip(oneLine(text), int(n)), nil
		}
	}
	return nil, fmt.Errorf("clip: want a text and a number of characters")
}

func clip(text string, n int) string {
	r := []rune(text)
	if len(r) <= n {
		return text
	}
	return string(r[:n]) + "..."
}
