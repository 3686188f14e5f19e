package configs

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Metric is a metric of the experiment's own: a program that scores cases.
type Metric struct {
	ID      string `toml:"id"`      // unique, a column of items.csv
	Name    string `toml:"name"`    // what tables and figures call it; empty: the id
	Shows   string `toml:"shows"`   // one line of help, which reports print
	Results bool   `toml:"results"` // the program compares results; false: it reads texts alone
	Program
}

// givenEnd ends the ids of columns with the scores by the dataset's own gold queries, see assay/metrics/goldcheck.
const givenEnd = "-given"

// Reserved are the columns of a run's files beside which scores stand, so that no metric can have their names.
var Reserved = []string{"item", "db", "arm", "seed", "hardness", "difficulty", "status", "sql", "prompt_tokens", "completion_tokens", "calls", "cached",
	"choice", "usd", "sample", "generator", "digest", "chosen", "rule", "why", "trigger", "tries", "fixed", "original", "original_status", "by", "group"}

// settleMetrics checks the [[metric]] entries, fills their defaults, and makes them known to the checks after it.
func (l *loader) settleMetrics(d *document) {
	l.known.Own, l.known.Headings = nil, maps.Clone(l.known.Headings)
	first := map[any]int{}
	for i, m := range d.metrics {
		where := fmt.Sprintf("metric %d: ", i+1)
		l.settle(m, metricScope, where)
		for p, k := range metricScope {
			if _, stated := m[p]; !stated && k.def != nil {
				m[p] = value{v: k.def}
			}
			if k.need && l.lacks(m[p], d.metricsAt[i].id+"."+p) {
				l.bad(d.metricsAt[i], "%s%s is missing", where, p)
			}
		}
		if isEmpty(m, "dir") {
			m["dir"] = value{v: l.src.dir, at: d.metricsAt[i]}
		}
		l.checkEnv(m, where)
		id, _ := m["id"].v.(string)
		if j, twice := first[id]; twice && id != "" {
			l.bad(m["id"].at, "metric %q is defined twice, first on line %d", id, l.src.line(d.metricsAt[j].id))
			continue
		}
		first[id] = i
		if why := l.taken(d, id); why != "" && !l.src.ran {
			l.bad(m["id"].at, "metric: id %q %s: choose another", id, why)
			continue
		}
		shows, _ := m["shows"].v.(string)
		if shows == "" {
			shows = "a program of the experiment's own"
		}
		l.known.Own = append(l.known.Own, Choice{id, shows})
		if name, _ := m["name"].v.(string); name != "" && l.known.Headings != nil {
			l.known.Headings[id] = name
		}
	}
}

// taken says what has the id already; empty where nothing has.
func (l *loader) taken(d *document, id string) string {
	switch {
	case l.known.Lists["metrics"].Has(id):
		return "is that of a metric of assay's"
	case strings.HasSuffix(id, givenEnd):
		return "ends as the scores by the dataset's own gold queries do"
	case slices.Contains(Reserved, id):
		return "is the name of a column of a run's files"
	case cells.Has(id) || Features.Has(id) || slices.Contains(dimensions, id):
		return "is the name of a row or cell of tables"
	case slices.ContainsFunc(d.axes, func(a axis) bool { return a.name == id }):
		return "is an axis of the sweep"
	}
	return ""
}

// checkEnv checks the variables that a program's environment is to have.
func (l *loader) checkEnv(in layer, where string) {
	for _, p := range slices.Sorted(maps.Keys(in)) {
		name, env := strings.CutPrefix(p, "env.")
		if v, isText := in[p].v.(string); env && isText && !l.src.ran {
			if why := variableOf(name, v); why != "" {
				l.bad(in[p].at, "%senv.%s %s", where, name, why)
			}
		}
	}
}

// neededMetrics refuses a metric of the file's own that the file does not name: it would never be computed. The command line may
// leave one out.
func (l *loader) neededMetrics(d *document) {
	named := d.top["metrics"]
	for i, m := range d.metrics {
		id, _ := m["id"].v.(string)
		if id != "" && named.at.flag == "" && !slices.Contains(listed(named.v), id) {
			l.bad(d.metricsAt[i], "metric %q is defined and not computed: name it in metrics, as in metrics = [%s]", id, quotedList(append(slices.Clone(listed(named.v)), id)))
		}
	}
}

// quotedList writes texts as elements of a TOML list.
func quotedList(texts []string) string {
	out := make([]string, len(texts))
	for i, s := range texts {
		out[i] = fmt.Sprintf("%q", s)
	}
	return strings.Join(out, ", ")
}

// trees returns layers as nested TOML tables.
func trees(layers []layer) (out []map[string]any) {
	for _, in := range layers {
		tree := map[string]any{}
		for p, v := range in {
			plant(tree, p, v.v)
		}
		out = append(out, tree)
	}
	return out
}

// OwnMetric returns the experiment's own metric of that id; ok is false where it has none.
func (e Experiment) OwnMetric(id string) (m Metric, ok bool) {
	i := slices.IndexFunc(e.OwnMetrics, func(m Metric) bool { return m.ID == id })
	if i < 0 {
		return m, false
	}
	return e.OwnMetrics[i], true
}
