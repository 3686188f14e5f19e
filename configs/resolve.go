package configs

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// mostCells bounds arms times sweep points times seeds, each of which is a method that a run constructs, so that a mistyped axis
// is an error and does not fill the memory.
const mostCells = 10000

// checkSize refuses an experiment of more cells than mostCells, and says what they are made of.
func (l *loader) checkSize(d *document) {
	seeds, _ := d.top["seeds"].v.([]int64)
	if l.src.ran { // the bound was once without seeds
		seeds = nil
	}
	at, cells := origin{id: "seeds"}, max(len(seeds), 1)*len(d.arms)
	made := fmt.Sprintf("%d arms times %d seeds", len(d.arms), len(seeds))
	for _, a := range d.axes {
		at, cells = origin{id: "sweep"}, min(cells, mostCells+1)*len(a.values)
		made += fmt.Sprintf(" times %d of %s", len(a.values), a.name)
	}
	if cells > mostCells {
		l.bad(at, "the experiment is too large: %s are more than %d: shorten the sweep, or divide it into several experiments", made, mostCells)
	}
}

// resolve turns what was stated into what a run uses: it expands variables, checks values, makes paths absolute, fills
// defaults and lets arms inherit. The order matters: fillSettings must see what is stated before fill adds defaults.
func (l *loader) resolve(d *document) {
	l.dropUnused(d)
	l.settleMetrics(d)
	l.settle(d.top, topScope, "")
	l.sole(d.top, "")
	for i, a := range d.arms {
		l.settle(a, armScope, armName(d, i))
		l.sole(a, armName(d, i))
	}
	l.settleTables(d)
	l.settleAxes(d)
	l.programs(d)
	l.fillSettings(d)
	l.fill(d.top)
	for i, a := range d.arms {
		l.inherit(a, d.top)
		l.known.fillAgent(a)
		if label, _ := a["label"].v.(string); label == "" {
			a["label"] = value{v: a["name"].v, at: d.at[i]}
		}
	}
	l.known.fillAgent(d.top)
	l.needed(d)
	l.neededMetrics(d)
	l.neededTables(d)
	l.neededReports(d)
}

// dropUnused removes the keys that an embedded dataset does not use, so that an experiment written for another dataset
// runs on the sample without that dataset's folders and variables.
func (l *loader) dropUnused(d *document) {
	if !l.kindOf(d.top).Embedded {
		return
	}
	for _, p := range []string{"path", "split", "name", "sets", "split_by", "questions", "databases", "suite"} {
		delete(d.top, "dataset."+p)
	}
}

// kindOf returns the dataset kind that the file states; the zero Kind where it is missing or unknown.
func (l *loader) kindOf(top layer) Kind {
	id, _ := top["dataset.kind"].v.(string)
	return l.known.Kind(id)
}

// settle expands and checks the values of a layer, and makes its paths absolute.
func (l *loader) settle(in layer, s scope, arm string) {
	for _, p := range slices.Sorted(maps.Keys(in)) {
		v, why := l.final(s.find(p), in[p])
		if why != "" {
			l.bad(in[p].at, "%s%s %s", arm, p, why)
		}
		in[p] = value{v, in[p].at}
	}
}

// final expands a value's variables, checks it, and makes it absolute where it is a path.
func (l *loader) final(k *key, val value) (any, string) {
	dir := l.src.dir
	if val.at.flag != "" {
		dir = ""
	}
	v, why := expand(val.v, l.unset)
	if why != "" {
		return v, why
	}
	if why = k.allowed(v, l.known); why != "" {
		return v, why + l.known.besides(k, v, dir)
	}
	v = mapText(v, func(s string) string {
		if k.place(s, l.known) {
			return absolute(dir, s)
		}
		return s
	})
	if l.src.ran { // its folders and files may be gone
		return v, ""
	}
	return v, l.known.unread(k, v)
}

// absolute makes a path absolute against a folder; an empty path stays empty, because it means "not stated".
func absolute(dir, path string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	if abs, err := filepath.Abs(filepath.Join(dir, path)); err == nil {
		return abs
	}
	return path
}

// mapText applies f to a text or to each text of a list; other values are returned as they are.
func mapText(v any, f func(string) string) any {
	switch v := v.(type) {
	case string:
		return f(v)
	case []string:
		out := make([]string, len(v))
		for i, s := range v {
			out[i] = f(s)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, one := range v {
			out[i] = mapText(one, f)
		}
		return out
	}
	return v
}

// expand replaces ${NAME} in texts by the environment's value; $${ is an escaped ${. An unset variable is an error, because an
// empty path would silently mean the working directory; where unset is true it stays as it is.
func expand(v any, unset bool) (out any, why string) {
	out = mapText(v, func(s string) string {
		var b strings.Builder
		for {
			i := strings.IndexByte(s, '$')
			if i < 0 {
				b.WriteString(s)
				return b.String()
			}
			b.WriteString(s[:i])
			s = s[i:]
			switch {
			case strings.HasPrefix(s, "$${"):
				b.WriteString("${")
				s = s[3:]
			case strings.HasPrefix(s, "${"):
				name, rest, closed := strings.Cut(s[2:], "}")
				if !closed || !variableForm.MatchString(name) {
					why = `has a "${" that opens no variable: write ${NAME}, or $${ for the characters themselves`
					return ""
				}
				got := os.Getenv(name)
				if secretName.MatchString(name) {
					why = fmt.Sprintf("asks for the environment variable %s, which looks like a secret: the run's files would hold it", name)
					return ""
				}
				if got == "" && unset {
					got = "${" + name + "}"
				} else if got == "" {
					why = fmt.Sprintf("needs the environment variable %s, which is not set", name)
				}
				b.WriteString(got)
				s = rest
			default:
				b.WriteByte('$')
				s = s[1:]
			}
		}
	})
	return out, why
}

// sole refuses a key next to those that it sets or replaces, where both are in the same layer.
func (l *loader) sole(in layer, arm string) {
	if rule, ok := in["selection.rule"]; ok && rule.v != "" && !isEmpty(in, "choose") {
		l.bad(rule.at, "%sselection.rule is stated next to choose, which replaces it: keep one", arm)
	}
	preset, ok := in["exemplars.preset"]
	if !ok || preset.v == "" {
		return
	}
	for _, p := range []string{"exemplars.strategy", "exemplars.levels"} {
		if other, ok := in[p]; ok && len(elements(other.v)) > 0 && other.v != "" {
			l.bad(other.at, "%s%s is stated next to exemplars.preset, which sets it", arm, p)
		}
	}
}

// fill gives the default to every key at the top that is not stated.
func (l *loader) fill(top layer) {
	for p, k := range topScope {
		if _, stated := top[p]; !stated && k.def != nil {
			top[p] = value{v: k.def}
		}
	}
	if isEmpty(top, "exemplars.preset") && isEmpty(top, "exemplars.strategy") {
		top["exemplars.strategy"] = value{v: usualStrategy}
	}
	if isEmpty(top, "dataset.split") {
		split := cmp.Or(l.kindOf(top).Split, usualSplit)
		top["dataset.split"] = value{v: split}
	}
}

// usualStrategy is the strategy of demonstrations where none is stated.
const usualStrategy = "random"

// isEmpty reports whether a text is not stated or empty.
func isEmpty(in layer, path string) bool { v, ok := in[path]; return !ok || v.v == "" }

// inherit copies into the arm what it does not state. A preset stated in the arm replaces an inherited strategy and its
// levels, a strategy replaces an inherited preset, and choose an inherited rule. An arm that states another model or address
// does not inherit its name for the author (model.as, embeddings.as): the author's name belongs to the model that it was
// stated for; nor does one of another provider inherit model.extra. An arm of a stored run states the params and blocks that
// it has a use for.
func (l *loader) inherit(arm, top layer) {
	skip := map[string]bool{}
	if !isEmpty(arm, "exemplars.preset") {
		skip["exemplars.strategy"], skip["exemplars.levels"] = true, true
	} else if !isEmpty(arm, "exemplars.strategy") {
		skip["exemplars.preset"] = true
	}
	skip["selection.rule"] = !isEmpty(arm, "choose")
	for p := range top {
		skip[p] = skip[p] || foreign(p, arm, top) || l.src.stored() && topScope.find(p).optional()
	}
	for _, table := range []string{"model.", "embeddings."} {
		for _, p := range []string{"provider", "name", "base_url"} {
			if v, stated := arm[table+p]; stated && v.v != top[table+p].v {
				skip[table+"as"] = true
			}
		}
		l.elsewhere(table, arm, top)
	}
	_, runs := arm["command"]
	if runs {
		arm.defaults()
	}
	for p, v := range top {
		e, open := entryAt(p)
		if runs && (unusable(p) || open && e.k.kind == params && e.part == "") {
			continue // a program has the params that its arm states
		}
		if _, stated := arm[p]; !stated && isInherited(p) && !skip[p] && !(open && l.src.ran) {
			arm[p] = v
		}
	}
}

// elsewhere refuses an arm of another provider that would inherit an address or a key: one provider's key must not be sent
// to another, nor one's answers pass for the other's.
func (l *loader) elsewhere(table string, arm, top layer) {
	v, stated := arm[table+"provider"]
	id, _ := v.v.(string)
	if !stated || l.src.stored() || v.v == top[table+"provider"].v || id == Offline || l.known.Provider(id).Local {
		return
	}
	for _, p := range []string{"base_url", "key_env", "key_file"} {
		if _, own := arm[table+p]; !own && !isEmpty(top, table+p) {
			l.bad(v.at, "%sprovider is %q here: state %s%s too, as that of [%s] is for %q; \"\" is the provider's own", table, id, table, p, strings.TrimSuffix(table, "."), top[table+"provider"].v)
		}
	}
}

func armName(d *document, i int) string {
	if s, ok := d.arms[i]["name"].v.(string); ok {
		return fmt.Sprintf("arm %q: ", s)
	}
	return fmt.Sprintf("arm %d: ", i+1)
}

// settleAxes checks the sweep's values, and that no parameter or value is listed twice.
func (l *loader) settleAxes(d *document) {
	taken := map[string]string{}
	for i := range d.axes {
		a := &d.axes[i]
		path, k, _ := axisKey(a.name)
		if other := taken[path]; other != "" {
			l.bad(a.at, "sweep: %s and %s are the same parameter", other, a.name)
		}
		taken[path] = a.name
		if len(a.values) == 0 {
			l.bad(a.at, "sweep: %s has no values", a.name)
		}
		l.settleAxis(a, k)
	}
	if choose, rule := taken["choose"], taken["selection.rule"]; choose != "" && rule != "" {
		l.bad(origin{id: "sweep"}, "sweep: %s and %s exclude each other: choose replaces the rule", choose, rule)
	}
	if preset, strategy := taken["exemplars.preset"], taken["exemplars.strategy"]; preset != "" && strategy != "" {
		l.bad(origin{id: "sweep"}, "sweep: %s and %s exclude each other: a preset sets the strategy", preset, strategy)
	}
}

// settleAxis checks the values of an axis, and reports the first ones that are wrong.
func (l *loader) settleAxis(a *axis, k *key) {
	const most = 3
	seen, wrong := map[string]bool{}, 0
	for j, v := range a.values {
		v, why := l.final(k, value{v, a.at})
		printed := k.shown(v)
		if why == "" && seen[printed] {
			why = fmt.Sprintf("has %s twice%s", printed, renameHint(k, v))
		}
		if why != "" {
			if wrong++; wrong <= most {
				l.bad(a.at, "sweep: %s %s", a.name, why)
			}
		}
		seen[printed] = true
		a.values[j] = v
	}
	if wrong > most {
		l.bad(a.at, "sweep: %s has %d more values that are wrong", a.name, wrong-most)
	}
}

// needed checks what no single value shows: missing keys, arms of the same name, and keys that exclude each other.
func (l *loader) needed(d *document) {
	for i := range keys {
		if k := &keys[i]; k.need && topScope[k.path] != nil && l.lacks(d.top[k.path], k.path) {
			l.bad(origin{id: k.path}, "%s is missing%s", k.path, l.oneOf(k))
		}
	}
	if len(elements(d.top["metrics"].v)) == 0 {
		l.bad(d.top["metrics"].at, "metrics is empty: name at least one")
	}
	l.neededDataset(d.top)
	if len(d.arms) == 0 && !l.refused["arm"] {
		l.bad(origin{id: "arm"}, "there is no arm: add at least one [[arm]] with a name and a method")
	}
	first := map[any]int{}
	for i, a := range d.arms {
		for _, p := range []string{"name", "method"} {
			if l.lacks(a[p], d.at[i].id+"."+p) {
				l.bad(d.at[i], "%s%s is missing%s", armName(d, i), p, l.oneOf(armScope[p]))
			}
		}
		name := a["name"].v
		if j, twice := first[name]; twice && name != nil {
			l.bad(a["name"].at, "arm %q is defined twice, first on line %d", name, l.src.line(d.at[j].id))
		} else {
			first[name] = i
		}
	}
}

// oneOf lists a key's allowed values for an error.
func (l *loader) oneOf(k *key) string {
	if k.choices == "" {
		return ""
	}
	return ": one of " + strings.Join(l.known.Choices(k.choices).IDs(), ", ")
}

func (l *loader) neededDataset(top layer) {
	kind := l.kindOf(top)
	if kind.ID != "" && !kind.Embedded && isEmpty(top, "dataset.path") {
		l.bad(top["dataset.kind"].at, "dataset.path is missing: the folder of the %s dataset (or --data DIR)", kind.ID)
	}
	l.neededStrata(top)
	if !kind.Sets {
		return
	}
	sets := len(elements(top["dataset.sets"].v))
	switch named := !isEmpty(top, "dataset.name"); {
	case named && sets > 0:
		l.bad(top["dataset.sets"].at, "dataset.name and dataset.sets are both stated: keep one")
	case !named && sets == 0:
		l.bad(top["dataset.kind"].at, "dataset.name is missing: which set under the path, such as geography")
	}
}

// checkCells checks what depends on the sweep point, in every cell.
func (l *loader) checkCells(d *document, e Experiment) {
	l.checkChance(d, e)
	authors := map[[2]string]Model{}
	for _, c := range e.Cells() {
		where := fmt.Sprintf("arm %q", c.Arm.Name)
		for _, s := range c.Point {
			where += fmt.Sprintf(", %s=%s", s.Key, s.Value)
		}
		i := slices.IndexFunc(e.Arms, func(a Arm) bool { return a.Name == c.Arm.Name })
		at := d.at[i]
		x := c.Arm.Exemplars
		switch {
		case x.Preset != "" && len(x.Levels) > 0:
			l.bad(at, "%s: exemplars.levels has no effect beside the preset %s: state a strategy too", where, x.Preset)
		case l.known.Strategy(x.Strategy).Levels && len(x.Levels) == 0 && x.K > 0:
			l.bad(at, "%s: exemplars.strategy %s needs exemplars.levels", where, x.Strategy)
		}
		l.checkImported(at, where, c.Arm)
		l.checkProgram(at, where, c.Arm)
		if !c.Arm.Model.Local && c.Arm.Model.Name == "" {
			l.bad(at, "%s: model.name is missing: which model of %s", where, c.Arm.Model.Provider)
		}
		if m, own := c.Arm.Selector(); own && !m.Local && m.Name == "" {
			l.bad(at, "%s: selection.name is missing: which model of %s", where, m.Provider)
		}
		if strings.ContainsAny(c.Arm.Published, "{}") {
			l.bad(at, "%s: published %q: the text in braces is no key of the arm that has a value", where, c.Arm.Published)
		}
		l.checkParts(at, where, c)
		l.checkAPI(at, where, c.Arm)
		l.checkSent(at, where, c.Arm)
		l.checkEmbeddings(at, where, c.Arm.Embeddings)
		l.checkLink(at, where, c.Arm)
		l.checkAuthors(at, where, c.Arm, authors)
	}
}

// checkImported refuses the method and the provider of stored predictions, which have no model to run.
func (l *loader) checkImported(at origin, where string, a Arm) {
	if l.src.ran || l.src.imports {
		return
	}
	selector, _ := a.Selector()
	const remedy = "store predictions by `assay import`, and look at them by report and diff"
	switch {
	case a.Row.Imported:
		l.bad(at, "%s: method %q is of stored predictions, which have no model to run: %s", where, a.Method, remedy)
	case a.Model.Provider == Imported:
		l.bad(at, "%s: model.provider %q is of stored predictions, which have no model to run: %s", where, Imported, remedy)
	case selector.Provider == Imported:
		l.bad(at, "%s: selection.provider %q is of stored predictions, which have no model to run: %s", where, Imported, remedy)
	}
}

// checkAuthors refuses one author's name for two models, because the ledger would answer each with the other's completions.
// known holds the named models of earlier cells.
func (l *loader) checkAuthors(at origin, where string, a Arm, known map[[2]string]Model) {
	selector, _ := a.Selector()
	for _, m := range []Model{a.Model, selector, a.Embeddings.Model()} {
		if m.As == "" || m.Local || l.src.ran {
			continue
		}
		key := [2]string{m.Provider, m.As}
		first, named := known[key]
		if !named {
			known[key] = m
			continue
		}
		if first.Name != m.Name || strings.TrimRight(first.BaseURL, "/") != strings.TrimRight(m.BaseURL, "/") {
			l.bad(at, "%s: model.as %q names two models, %s and %s: one would be answered by the other's completions; give each a name of its own",
				where, m.As, placeOf(first), placeOf(m))
			return
		}
	}
}

// placeOf prints a model with its address.
func placeOf(m Model) string {
	if m.BaseURL == "" {
		return fmt.Sprintf("%q", m.Name)
	}
	return fmt.Sprintf("%q at %s", m.Name, m.BaseURL)
}

// checkParts checks what the parts of a pipeline need of each other.
func (l *loader) checkParts(at origin, where string, c Cell) {
	a := c.Arm
	swept := slices.ContainsFunc(c.Point, func(s Setting) bool { return s.Key == "method" })
	switch {
	case a.Row.Pool && len(a.Generators) == 0:
		l.bad(at, "%s: generators is missing: the methods whose candidates the pool gathers", where)
	case !a.Row.Pool && len(a.Generators) > 0 && !swept:
		pools := choicesWhere(l.known.Methods, func(m Method) bool { return m.Pool }).IDs()
		l.bad(at, "%s: generators is stated for the method %s: only %s gathers generators", where, a.Method, and(pools))
	}
	if name := cmp.Or(alike(a.Generators), alike(a.Link)); name != "" {
		l.bad(at, "%s: two of its generators or linkers have the name %s, and could not be told apart in candidates, draws and traces: rename one", where, name)
	}
	if a.Fixer.Tries > 0 && len(a.Fixer.Triggers) == 0 {
		l.bad(at, "%s: fixer.triggers is empty: name what makes the fixer run", where)
	}
	s := a.Selection
	elsewhere := s.Provider != "" || s.BaseURL != ""
	if !elsewhere && (s.KeyEnv != "" || s.KeyFile != "") {
		l.bad(at, "%s: selection.key_env and selection.key_file have no effect without selection.provider or selection.base_url", where)
	}
	if !elsewhere && s.Name == "" && s.As != "" {
		l.bad(at, "%s: selection.as has no effect without selection.provider, selection.name or selection.base_url", where)
	}
}

// checkLink checks that the parts which an arm states, and the tables that ask for parts, agree.
func (l *loader) checkLink(at origin, where string, a Arm) {
	asked := a.asked()
	for _, part := range []struct{ id, key, on string }{{partValues, "values.use", "true"}, {partColumns, "columns.use", "a column filter"}} {
		listed, wanted := slices.Contains(a.Link, part.id), slices.Contains(asked, part.id)
		switch {
		case len(a.Link) == 0 || listed == wanted:
		case wanted:
			l.bad(at, "%s: link is stated without %q, which %s asks for: add it to link, or state that %s is off", where, part.id, part.key, part.key)
		default:
			l.bad(at, "%s: link names %q, which is off: state %s = %s", where, part.id, part.key, part.on)
		}
	}
	if a.Fix == partFixer && a.Fixer.Tries == 0 {
		l.bad(at, "%s: fix names %q, which is off: state fixer.tries above 0", where, partFixer)
	}
}
