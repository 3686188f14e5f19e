package configs

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Params and blocks are the two open tables: their names are those of the methods and parts that an arm uses, so that they
// are checked after the experiment is resolved.

// entry is a key of an open table: params.rounds, blocks.fix.rules.
type entry struct {
	k    *key
	path string
	part string // as Arm.ParamsOf has it
	name string
}

// entryAt parses the path of a key; ok is false where it is in no open table.
func entryAt(path string) (e entry, ok bool) {
	k := armScope.find(path)
	if k == nil || !k.open() {
		return e, false
	}
	_, rest, _ := strings.Cut(path, ".")
	part, name, deeper := strings.Cut(rest, ".")
	if !deeper {
		part, name = "", rest
	}
	return entry{k, path, part, name}, true
}

// names lists what the methods have for entries of this table.
func (e entry) names(ms []Method) (out []string) {
	for _, m := range ms {
		if e.k.kind == blocks {
			out = append(out, m.Blocks...)
			continue
		}
		for _, p := range m.Params {
			out = append(out, p.Name)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// having keeps the methods that have the entry.
func (e entry) having(ms []Method) (out []Method) {
	for _, m := range ms {
		if slices.Contains(e.names([]Method{m}), e.name) {
			out = append(out, m)
		}
	}
	return out
}

// fit returns the value with the type that the methods' params have, or says which method wants another. Every method has
// the entry.
func (e entry) fit(v any, ms []Method) (any, string) {
	if e.k.kind == blocks {
		return v, ""
	}
	float := len(ms) > 0
	for _, m := range ms {
		i := slices.IndexFunc(m.Params, func(p Param) bool { return p.Name == e.name })
		def := m.Params[i].Default
		if !fits(def, v) {
			return v, fmt.Sprintf("wants %s, not %s: its default in %s is %s", typeOf(def), shownType(v), m.ID, plain(def))
		}
		_, isFloat := def.(float64)
		float = float && isFloat
	}
	if n, isInt := v.(int64); isInt && float {
		return float64(n), ""
	}
	return v, ""
}

// typeOf names the type of a param's value, that of a list by its elements.
func typeOf(v any) string {
	if list, ok := v.([]any); ok && len(list) > 0 {
		return map[string]string{"text": "a list of texts", "an integer": "a list of integers", "a number": "a list of numbers",
			"true or false": "a list of true or false"}[kindOf(list[0])]
	}
	return kindOf(v)
}

// shownType prints a value for an error: a list by its type.
func shownType(v any) string {
	if _, isList := v.([]any); isList {
		return typeOf(v)
	}
	return show(v)
}

// fits reports whether a value has the type of a param's default.
func fits(def, v any) bool {
	want, isList := def.([]any)
	got, gotList := v.([]any)
	if isList && gotList {
		return !slices.ContainsFunc(got, func(one any) bool { return len(want) > 0 && !fits(want[0], one) })
	}
	_, isFloat := def.(float64)
	_, isInt := v.(int64)
	return kindOf(def) == kindOf(v) || isFloat && isInt
}

// cast is the methods and parts that an arm uses in any of its cells, by part as Arm.ParamsOf has it.
type cast map[string][]Method

// player is a method or part under the name by which an arm uses it.
type player struct {
	Method
	id string
}

// playing lists what an arm uses for a part, as Arm.ParamsOf has it. A program is known by its arm alone.
func (known Known) playing(a Arm, part string) (out []player) {
	if part == "" && a.Row.Program {
		return []player{{a.Row, a.Row.ID}}
	}
	for _, id := range a.used(part) {
		out = append(out, player{known.find(part, id), id})
	}
	return out
}

// casts gathers those of every arm.
func (e Experiment) casts() []cast {
	out := make([]cast, len(e.Arms))
	type role struct {
		arm      int
		part, id string
	}
	seen := map[role]bool{}
	for i, c := range e.cells() {
		at := i % len(e.Arms)
		if out[at] == nil {
			out[at] = cast{}
		}
		for _, part := range append([]string{""}, partNames...) {
			for _, m := range e.Known.playing(c.Arm, part) {
				if r := (role{at, part, m.id}); !seen[r] {
					seen[r] = true
					out[at][part] = append(out[at][part], m.Method)
				}
			}
		}
	}
	return out
}

// checkOpen checks the params and blocks of a new experiment against the methods and parts that its arms use, and drops the
// defaults that an arm has no use for. A stored run's were checked before it was stored.
func (l *loader) checkOpen(d *document, e *Experiment) {
	if l.src.ran || !d.opens() {
		return
	}
	casts := e.casts()
	for i := range e.Arms {
		for _, p := range slices.Sorted(maps.Keys(d.arms[i])) {
			if entry, ok := entryAt(p); ok {
				l.checkEntry(d, e, i, entry, casts[i])
			}
		}
		e.Arms[i].Params, e.Arms[i].Blocks = trimmed(e.Arms[i].Params), trimmed(e.Arms[i].Blocks)
	}
	for _, p := range slices.Sorted(maps.Keys(d.top)) {
		if entry, ok := entryAt(p); ok {
			l.checkShared(d.top[p].at, "", entry, casts)
		}
	}
	for i, a := range d.axes {
		if entry, ok := entryAt(a.name); ok {
			l.checkOpenAxis(a, &e.Sweep[i], entry, casts)
		}
	}
}

// opens reports whether the file states a param or a block anywhere.
func (d *document) opens() bool {
	is := func(p string) bool { _, ok := entryAt(p); return ok }
	for _, in := range append([]layer{d.top}, d.arms...) {
		for p := range in {
			if is(p) {
				return true
			}
		}
	}
	return slices.ContainsFunc(d.axes, func(a axis) bool { return is(a.name) })
}

// checkEntry checks an entry of arm i, gives it the type that the methods want, and drops an inherited one that none has.
func (l *loader) checkEntry(d *document, e *Experiment, i int, entry entry, c cast) {
	in := d.arms[i][entry.path]
	above, shared := d.top[entry.path]
	inherited := shared && above.at == in.at
	_, rest, _ := strings.Cut(entry.path, ".")
	table := e.Arms[i].Params
	if entry.k.kind == blocks {
		table = e.Arms[i].Blocks
	}
	have := entry.having(c[entry.part])
	switch {
	case len(have) > 0:
		v, why := entry.fit(in.v, have)
		if why != "" {
			l.bad(in.at, "arm %q: %s %s", e.Arms[i].Name, entry.path, why)
		}
		plant(table, rest, v)
	case inherited:
		plant(table, rest, nil)
	default:
		l.bad(in.at, "arm %q: %s", e.Arms[i].Name, entry.unknown(c[entry.part]))
	}
}

// checkShared refuses an entry of the top or of the sweep that no arm has a use for.
func (l *loader) checkShared(at origin, where string, entry entry, casts []cast) {
	var all []Method
	for _, c := range casts {
		all = append(all, c[entry.part]...)
	}
	if len(entry.having(all)) == 0 {
		l.bad(at, "%s%s", where, entry.unknown(all))
	}
}

// checkOpenAxis checks an axis of params or blocks, and gives its values the type that the methods want.
func (l *loader) checkOpenAxis(a axis, to *Axis, entry entry, casts []cast) {
	l.checkShared(a.at, "sweep: ", entry, casts)
	var have []Method
	for _, c := range casts {
		have = append(have, entry.having(c[entry.part])...)
	}
	*to = Axis{Key: to.Key}
	for _, v := range a.values {
		v, why := entry.fit(v, have)
		if why != "" {
			l.bad(a.at, "sweep: %s %s", entry.path, why)
		}
		to.add(v)
	}
}

// unknown says that no method has the entry, with the nearest name that one has.
func (e entry) unknown(ms []Method) string {
	var ids []string
	for _, m := range ms {
		if !slices.Contains(ids, m.ID) {
			ids = append(ids, m.ID)
		}
	}
	what := map[kind]string{params: "param", blocks: "block"}[e.k.kind]
	if len(ids) == 0 {
		return fmt.Sprintf("%s has no effect: no part of that kind is used", e.path)
	}
	known := e.names(ms)
	hint := didYouMean(e.name, known)
	if len(known) == 0 {
		hint = ": there is none"
	}
	return fmt.Sprintf("unknown %s %q of %s%s", what, e.path, and(ids), hint)
}

// dropForeign removes from an arm the params and blocks that no method or part of its has, which an arm with a swept method
// and a sweep over arms with several methods bring. Where a folder cannot be read its names are not known, and all are kept.
func (known Known) dropForeign(a *Arm) {
	if len(a.Params)+len(a.Blocks) == 0 {
		return
	}
	a.Params, a.Blocks = known.ownOf(*a, "params", a.Params), known.ownOf(*a, "blocks", a.Blocks)
}

// ownOf returns the entries of an open table that the arm's methods and parts have.
func (known Known) ownOf(a Arm, head string, table map[string]any) map[string]any {
	out := map[string]any{}
	for _, part := range append([]string{""}, partNames...) {
		var ms []Method
		unknown := false
		for _, m := range known.playing(a, part) {
			ms, unknown = append(ms, m.Method), unknown || m.ID == ""
		}
		for name, v := range openOf(table, part) {
			path := name
			if part != "" {
				path = part + "." + name
			}
			if e, ok := entryAt(head + "." + path); unknown || ok && len(e.having(ms)) > 0 {
				plant(out, path, v)
			}
		}
	}
	return trimmed(out)
}

// trimmed removes empty tables; nil where nothing is left.
func trimmed(table map[string]any) map[string]any {
	maps.DeleteFunc(table, func(_ string, v any) bool { sub, isTable := v.(map[string]any); return isTable && len(sub) == 0 })
	if len(table) == 0 {
		return nil
	}
	return table
}
