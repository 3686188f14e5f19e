package script

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"assay/prompting/script/jinja"
)

// Doubt is something in a folder's files that is likely a mistake.
type Doubt struct {
	Place string // file, and line where there is one: "mine/draft.jinja:3"
	Text  string
	Wrong bool // it fails as soon as it is reached
}

// Doubts looks the folder's files over without running them: for params that no file reads, templates and files that
// nothing uses, variables that are passed and not read or read and not passed, and features of demonstrations that are read without being asked for. What it cannot follow it takes for right.
func (f *Folder) Doubts() []Doubt {
	l := &looker{f: f, code: f.code(), paths: map[string][]jinja.Path{}}
	for name, t := range f.templates {
		l.paths[name] = t.Paths()
	}
	for _, look := range []func(){l.files, l.params, l.calls, l.systemAlone, l.passed, l.missing, l.features} {
		look()
	}
	slices.SortStableFunc(l.out, func(a, b Doubt) int { return strings.Compare(a.Place, b.Place) })
	return l.out
}

// looker is a folder that is looked over.
type looker struct {
	f     *Folder
	code  *code
	paths map[string][]jinja.Path // what each template reads
	out   []Doubt
}

func (l *looker) doubt(wrong bool, file string, line int, format string, args ...any) {
	place := path.Join(l.f.dir, file)
	if line > 0 {
		place = fmt.Sprintf("%s:%d", place, line)
	}
	l.out = append(l.out, Doubt{place, fmt.Sprintf(format, args...), wrong})
}

// templates lists the folder's templates, sorted.
func (l *looker) templates() []string { return slices.Sorted(maps.Keys(l.f.templates)) }

// files doubts Starlark that is not loaded and templates that are not filled. A name in any text may be filled, and any
// template where a name is made while the method runs.
func (l *looker) files() {
	for _, name := range slices.Sorted(maps.Keys(l.f.files)) {
		if strings.HasSuffix(name, ".star") && name != methodFile && l.f.files[methodFile] != nil && !l.code.loaded[name] {
			l.doubt(false, name, 0, "no file loads it")
		}
	}
	used := map[string]bool{}
	for text := range l.code.texts {
		used[strings.TrimSuffix(text, ".jinja")] = true
	}
	for _, t := range l.f.templates {
		for _, name := range t.Texts() {
			used[strings.TrimSuffix(name, ".jinja")] = true
		}
	}
	if l.f.files[methodFile] == nil {
		used["prompt"], used["schema"] = true, true
	}
	if slices.Contains(l.f.parts, Schema) {
		used["schema"], used["question"] = true, true
	}
	for _, name := range l.templates() {
		if !used[name] && !l.code.unclear {
			l.doubt(false, name+".jinja", 0, "nothing fills this template: fill it with ask(%q) or text(%q), or remove it", name, name)
		}
	}
}

// params doubts those that neither the code nor a template reads.
func (l *looker) params() {
	if l.code.wholeParams {
		return
	}
	read := maps.Clone(l.code.params)
	for _, paths := range l.paths {
		for _, p := range paths {
			if p.Text == "params" {
				return
			}
			if rest, ok := strings.CutPrefix(p.Text, "params."); ok {
				read[(jinja.Path{Text: rest}).Root()] = true
			}
		}
	}
	for _, p := range l.f.defaults {
		if !read[p.Name] {
			l.doubt(false, methodFile, l.code.paramLine, "no file reads params.%s: an experiment that sets it changes nothing", p.Name)
		}
	}
}

// calls doubts names of templates that are not there, and templates that cannot be messages.
func (l *looker) calls() {
	told := map[string]bool{}
	for _, c := range l.code.fills {
		t := l.f.templates[c.template]
		switch {
		case t == nil:
			l.doubt(true, c.file, c.line, "%s(%q): the folder has no template %q: there are %s", c.by, c.template, c.template+".jinja", strings.Join(l.templates(), ", "))
		case c.by != "text" && !told[c.template]:
			told[c.template] = true
			var e *jinja.Error
			if errors.As(t.Roles(), &e) {
				l.doubt(true, c.template+".jinja", e.Line, "%s", e.Text)
			}
		}
	}
}

// systemAlone doubts prompts without a message of the user's, which most servers refuse.
func (l *looker) systemAlone() {
	sent := map[string]bool{}
	if l.f.files[methodFile] == nil {
		sent["prompt"] = true
	}
	for _, c := range l.code.fills {
		if c.by == "ask" || c.by == "call" {
			sent[c.template] = true
		}
	}
	for _, name := range l.templates() {
		blocks := l.f.templates[name].Blocks()
		if sent[name] && slices.Contains(blocks, "system") && !slices.Contains(blocks, "user") {
			l.doubt(false, name+".jinja", 0, "there is a block system and no block user: most servers want a message of the user's")
		}
	}
}

// passed doubts variables that a template does not read.
func (l *looker) passed() {
	for _, c := range l.code.fills {
		if l.f.templates[c.template] == nil {
			continue
		}
		for _, v := range c.vars {
			if !slices.ContainsFunc(l.paths[c.template], func(p jinja.Path) bool { return p.Root() == v }) {
				l.doubt(false, c.file, c.line, "%s(%q): %s is passed, and the template does not read it", c.by, c.template, v)
			}
		}
	}
}

// missing doubts what a template reads and no call passes. Templates that others fill, or that are filled under a name made
// while the method runs, are passed over.
func (l *looker) missing() {
	for _, name := range l.templates() {
		given, open := map[string]bool{}, len(l.code.fills) == 0
		filled := false
		for _, c := range l.code.fills {
			if c.template == name {
				filled, open = true, open || c.open
				for _, v := range c.vars {
					given[v] = true
				}
			}
		}
		if !filled || open || l.code.unclear {
			continue
		}
		told := map[string]bool{}
		for _, p := range l.paths[name] {
			if root := p.Root(); !given[root] && !slices.Contains(scopeNames, root) && !told[root] && !p.Tested {
				told[root] = true
				l.doubt(false, name+".jinja", p.Line, "%s is read, and no call passes it", root)
			}
		}
	}
}

// featuresRead says which feature a demonstration needs for an attribute to be there, by the path below the demonstration.
var featuresRead = []struct{ path, needs string }{
	{"cot", "cot"}, {"plan", "plan"}, {"division", "division"}, {"dialogue", "dialogue"}, {"steps[].sql", "steps.sql"}, {"steps[].columns", "steps.columns"},
	{"steps", "steps"}, {"needed", "steps"},
}

// features doubts attributes of demonstrations that not every demonstration has, where the method does not say so.
func (l *looker) features() {
	said := map[string]bool{}
	for _, x := range slices.Concat(l.f.needs, l.f.takes) {
		said[x.ID] = true
		if strings.HasPrefix(x.ID, "steps.") {
			said["steps"] = true
		}
	}
	told := map[string]bool{}
	tell := func(file string, line int, needs, read string) {
		if !said[needs] && !told[needs] {
			told[needs] = true
			l.doubt(false, file, line, "%s is read, which not every demonstration has: say needs = [%q] (all must have it) or takes = [%q] (those without are left out)", read, needs, needs)
		}
	}
	for _, r := range l.code.demoReads {
		for _, f := range featuresRead {
			if r.attr == f.path && !l.code.demoAsked[r.attr] {
				tell(r.file, r.line, f.needs, r.attr)
			}
		}
	}
	for _, name := range l.templates() {
		for _, v := range l.demosOf(name) {
			l.readsOf(name, v+"[].", tell)
		}
	}
}

// readsOf tells the features that a template reads of demonstrations, unless it asks first whether they are there.
func (l *looker) readsOf(template, prefix string, tell func(file string, line int, needs, read string)) {
	tested := map[string]bool{}
	for _, p := range l.paths[template] {
		if p.Tested {
			tested[p.Text] = true
		}
	}
	for _, p := range l.paths[template] {
		below, ok := strings.CutPrefix(p.Text, prefix)
		if !ok || tested[p.Text] {
			continue
		}
		for _, f := range featuresRead {
			if below == f.path || strings.HasPrefix(below, f.path+".") {
				tell(template+".jinja", p.Line, f.needs, p.Text)
			}
		}
	}
}

// demosOf lists the variables of a template that hold demonstrations.
func (l *looker) demosOf(template string) (out []string) {
	if l.f.files[methodFile] == nil {
		return []string{"demos"}
	}
	for _, c := range l.code.fills {
		if c.template == template {
			out = append(out, c.demos...)
		}
	}
	return out
}
