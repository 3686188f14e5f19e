package configs

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"assay/configs/input"

	"github.com/BurntSushi/toml"
)

// value is a key's value, with the Go type of its kind, and the place where it was stated.
type value struct {
	v  any
	at origin
}

// layer holds the values stated in one place, by path.
type layer map[string]value

// axis is a [sweep] entry.
type axis struct {
	name   string // as written
	values []any
	at     origin
}

// document holds what a file states, before inheritance and defaults.
type document struct {
	top  layer
	arms []layer
	at   []origin // of the arms

	tables    []layer
	tablesAt  []origin
	metrics   []layer
	metricsAt []origin
	axes      []axis
}

// loader reads one experiment and collects its problems.
type loader struct {
	src      *source
	known    Known
	problems []problem
	refused  map[string]bool // ids whose value was refused, so that they are not reported as missing too
	unset    bool            // variables that are not set stay as they are
}

// refuse reports a value of the file that has the wrong type.
func (l *loader) refuse(at origin, format string, args ...any) {
	l.bad(at, format, args...)
	l.refused[at.id] = true
}

// lacks reports whether a required key is not in the file, not even with a refused value.
func (l *loader) lacks(v value, id string) bool {
	table, _, _ := strings.Cut(id, ".")
	return v.v == nil && !l.refused[id] && !l.refused[table]
}

// bad reports a problem.
func (l *loader) bad(at origin, format string, args ...any) {
	l.problems = append(l.problems, problem{at, fmt.Sprintf(format, args...)})
}

// read sorts the file's values into a document. The error is a syntax error.
func (l *loader) read() (*document, error) {
	if err := input.TOML(l.src.text); err != nil {
		return nil, err
	}
	root := map[string]any{}
	md, err := toml.Decode(l.src.text, &root)
	if err != nil {
		return nil, err
	}
	d := &document{top: layer{}}
	l.readSweep(d, root, md)
	d.arms, d.at = l.readList("arm", root, armScope)
	d.tables, d.tablesAt = l.readList("table", root, tableScope)
	d.metrics, d.metricsAt = l.readList("metric", root, metricScope)
	for _, name := range []string{"sweep", "arm", "table", "metric"} {
		delete(root, name)
	}
	l.walk(root, "", "", topScope, d.top)
	return d, nil
}

// readList reads a list of tables: [[arm]], [[table]], [[metric]].
func (l *loader) readList(name string, root map[string]any, s scope) (layers []layer, at []origin) {
	stated, ok := root[name]
	if !ok {
		return nil, nil
	}
	var tables []map[string]any
	switch v := stated.(type) {
	case []map[string]any:
		tables = v
	case []any:
		for _, one := range v {
			if m, ok := one.(map[string]any); ok {
				tables = append(tables, m)
			}
		}
	}
	if len(tables) == 0 {
		l.refuse(origin{id: name}, "%s must be a list of tables: write [[%s]]", name, name)
	}
	for i, m := range tables {
		one := layer{}
		o := origin{id: listID(name, i)}
		l.walk(m, "", o.id+".", s, one)
		layers, at = append(layers, one), append(at, o)
	}
	return layers, at
}

// walk reads the table m at path in a scope; ids of its keys begin with prefix.
func (l *loader) walk(m map[string]any, path, prefix string, s scope, into layer) {
	for _, name := range slices.Sorted(maps.Keys(m)) {
		p, at := join(path, name), origin{id: prefix + join(path, name)}
		k := s.find(p)
		if strings.Contains(name, ".") { // a quoted key, not a path
			k = nil
		}
		sub, isTable := m[name].(map[string]any)
		switch {
		case k != nil && k.kind == free && len(sub) > 0:
			l.walk(sub, p, prefix, s, into)
		case k != nil:
			v, why := k.convert(m[name])
			if why != "" {
				l.refuse(at, "%s %s", p, why)
				continue
			}
			into[p] = value{v, at}
		case strings.Contains(name, ".") && s.around(p) != nil:
			l.bad(at, "%s: the name of a field may hold no dot: %q", p, name)
		case isTable && s.table(p):
			l.walk(sub, p, prefix, s, into)
		case s.table(p):
			l.refuse(at, "%s must be a table: write [%s]", p, p)
		case strings.Contains(name, ".") && s.find(p) != nil:
			l.bad(at, "%q is one quoted name: write %s without the quotes", p, p)
		default:
			l.bad(at, "unknown key %q%s", p, s.didYouMean(p))
		}
	}
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// didYouMean suggests a key for an unknown path: by the whole path, then by its last part, since the usual mistake is the
// right key in the wrong table.
func (s scope) didYouMean(path string) string {
	if path == "prompt" || path == "model.prompt" {
		return `; a prompt of your own is a method: method = "./mine.jinja", or a folder`
	}
	known := map[string]bool{}
	for p := range s {
		for known[p] = true; strings.Contains(p, "."); known[p] = true {
			p = p[:strings.LastIndexByte(p, '.')]
		}
	}
	if s["kind"] == nil && s["name"] != nil && s["seeds"] != nil {
		known["sweep"], known["arm"], known["table"], known["metric"] = true, true, true, true
	}
	all := slices.Sorted(maps.Keys(known))
	last := func(p string) string { return p[strings.LastIndexByte(p, '.')+1:] }
	meant := ""
	if last(path) != path {
		meant = Nearest(path, all)
	}
	if meant == "" { // the right name in the wrong table
		i := slices.IndexFunc(all, func(p string) bool { return last(p) == last(path) })
		if i >= 0 {
			meant = all[i]
		}
	}
	if meant == "" {
		meant = Nearest(path, all)
	}
	for _, p := range all {
		if meant == "" && Nearest(last(path), []string{last(p)}) != "" {
			meant = p
		}
	}
	if meant == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", meant)
}

// readSweep reads the axes in the file's order, which decides the order of cells. An axis may be written dotted, quoted or
// as a table.
func (l *loader) readSweep(d *document, root map[string]any, md toml.MetaData) {
	stated, ok := root["sweep"]
	if !ok {
		return
	}
	m, isTable := stated.(map[string]any)
	if !isTable {
		l.bad(origin{id: "sweep"}, "sweep must be a table: write [sweep]")
		return
	}
	order := map[string]int{}
	for i, k := range md.Keys() {
		if k[0] == "sweep" {
			order[strings.Join(k[1:], ".")] = i
		}
	}
	l.walkSweep(d, m, "")
	slices.SortStableFunc(d.axes, func(a, b axis) int { return order[a.name] - order[b.name] })
}

// walkSweep reads the axes of one table and of the tables below it.
func (l *loader) walkSweep(d *document, m map[string]any, path string) {
	for _, name := range slices.Sorted(maps.Keys(m)) {
		p := join(path, name)
		at := origin{id: "sweep." + p}
		if sub, isTable := m[name].(map[string]any); isTable && len(sub) > 0 {
			l.walkSweep(d, sub, p)
			continue
		}
		l.addAxis(d, p, m[name], at)
	}
}

// addAxis reads one axis and replaces an axis of the same name. A setting of the command line without values removes it.
func (l *loader) addAxis(d *document, name string, stated any, at origin) {
	_, k, ok := axisKey(name)
	if list := armScope[name]; !ok && list != nil && list.part != "" {
		l.bad(at, "sweep: %s is a list, which cannot be swept: write an arm for each", name)
		return
	}
	if !ok {
		l.bad(at, "sweep: unknown parameter %q%s", name, didYouMean(name, axisNames(name)))
		return
	}
	values, isList := stated.([]any)
	if !isList {
		l.bad(at, "sweep: %s wants a list of values, not %s", name, show(stated))
		return
	}
	a := axis{name: name, at: at}
	for _, one := range values {
		v, why := k.convert(one)
		if why != "" {
			l.bad(at, "sweep: %s %s", name, why)
			return
		}
		a.values = append(a.values, v)
	}
	i := slices.IndexFunc(d.axes, func(b axis) bool { return b.name == name })
	switch {
	case i < 0:
		d.axes = append(d.axes, a)
	case at.flag != "" && len(a.values) == 0:
		d.axes = slices.Delete(d.axes, i, i+1)
	default:
		d.axes[i] = a
	}
}

// axisNames lists what a sweep may name: short names first, then paths, of open tables the entry that meant would be in them.
func axisNames(meant string) []string {
	var short, paths []string
	for _, p := range slices.Sorted(maps.Keys(sweepScope)) {
		if k := sweepScope[p]; k.short != "" {
			short = append(short, k.short)
		}
		if _, entry, below := strings.Cut(meant, "."); below && sweepScope[p].open() {
			p = join(p, entry)
		}
		paths = append(paths, p)
	}
	return append(short, paths...)
}

// convert returns the value with the Go type of the key's kind, or says why it is not of that kind.
func (k *key) convert(v any) (any, string) {
	wrong := func() (any, string) { return nil, fmt.Sprintf("wants %s, not %s", k.kind.wanted(), show(v)) }
	switch k.kind {
	case text, duration, variables, blocks:
		if s, ok := v.(string); ok {
			return s, ""
		}
	case integer:
		if n, ok := v.(int64); ok {
			return n, ""
		}
	case number:
		switch n := v.(type) {
		case int64:
			return float64(n), ""
		case float64:
			if math.IsNaN(n) || math.IsInf(n, 0) {
				return nil, fmt.Sprintf("wants a number, not %v", n)
			}
			return n + 0, "" // -0 becomes 0, so that both print alike
		}
	case effort:
		switch v := v.(type) {
		case string:
			return v, ""
		case int64:
			return strconv.FormatInt(v, 10), ""
		}
	case free:
		if isFree(v, mostFree) {
			return v, ""
		}
	case boolean:
		if b, ok := v.(bool); ok {
			return b, ""
		}
	case texts:
		return convertList[string](v, wrong)
	case integers:
		return convertList[int64](v, wrong)
	case params:
		if isParam(v) {
			return v, ""
		}
	}
	return wrong()
}

// isParam reports whether a value has a type that a param can have.
func isParam(v any) bool {
	all, isList := v.([]any)
	if !isList {
		return isPlain(v)
	}
	return !slices.ContainsFunc(all, func(one any) bool { return !isPlain(one) || kindOf(one) != kindOf(all[0]) })
}

// isPlain reports whether a value is a text, a finite number, or true or false.
func isPlain(v any) bool {
	f, isFloat := v.(float64)
	_, isList := v.([]any)
	return kindOf(v) != "" && !isList && !(isFloat && (math.IsNaN(f) || math.IsInf(f, 0)))
}

// kindOf names the type of a param's value, as errors print it; empty where no param can have it.
func kindOf(v any) string {
	switch v.(type) {
	case string:
		return "text"
	case int64:
		return "an integer"
	case float64:
		return "a number"
	case bool:
		return "true or false"
	case []any:
		return "a list"
	}
	return ""
}

// convertList converts a list whose elements all have type T.
func convertList[T any](v any, wrong func() (any, string)) (any, string) {
	all, ok := v.([]any)
	if !ok {
		return wrong()
	}
	out := make([]T, len(all))
	for i, one := range all {
		if out[i], ok = one.(T); !ok {
			_, why := wrong()
			return nil, strings.Replace(why, "not a list", "not one with "+show(one), 1)
		}
	}
	return out, ""
}
