package paper

import (
	"bytes"
	"embed"
	"fmt"
	"strconv"

	"assay/configs"
	"assay/plots/table"
	"assay/prompting/exemplar"

	"github.com/gocarina/gocsv"
)

//go:embed published/*.csv
var publishedFiles embed.FS

// published is a paper's table: method id -> column -> value as printed.
type published map[string]map[string]string

// readPublished reads an embedded file; its column method names the row.
func readPublished(file string) (published, error) {
	b, err := publishedFiles.ReadFile("published/" + file)
	if err != nil {
		return nil, err
	}
	rows, err := gocsv.CSVToMaps(bytes.NewReader(b))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	p := published{}
	for _, r := range rows {
		p[r["method"]] = r
	}
	return p, nil
}

// cell is a printed value with its deviation, or blank where the paper has none.
func (p published) cell(method, column string, decimals int) table.Cell {
	v, err := strconv.ParseFloat(p[method][column], 64)
	if err != nil {
		return table.Cell{}
	}
	n := table.Number{Value: v, Decimals: decimals}
	if sd, err := strconv.ParseFloat(p[method][column+"_sd"], 64); err == nil {
		n.SD, n.HasSD = sd, true
	}
	return table.Published(n)
}

// has reports whether the table has the method.
func (p published) has(method string) bool { return method != "" && p[method] != nil }

// source is where published numbers come from, and so what a run has to have measured for a difference from them to mean
// anything.
type source struct {
	paper   string
	where   string // "Table 4"
	model   string // who answered
	over    string // the items, as the paper names them
	dataset string // the same as runs name it: bird/dev
	metric  string // the id of the metric that the numbers are of
}

// standing is how a run's numbers stand beside a source's: with their difference where both measure the same.
type standing struct {
	source
	unlike string // why they do not, as a sentence without its end; empty where they do
}

// beside holds the run's headline metric against a source.
func (v *view) beside(s source) standing {
	a := standing{source: s, unlike: v.elsewhere(s.dataset)}
	if headline := v.measured(v.ids[0]); a.unlike == "" && headline != s.metric {
		a.unlike = fmt.Sprintf("This run's metric is %s and the published one is %s", headline, s.metric)
	}
	return a
}

// columns are those of a number beside the paper's.
func (a standing) columns(group, name string) []table.Column {
	cs := numerals(group, name, "published")
	cs[1].Short = "publ."
	if a.unlike == "" {
		cs = append(cs, numerals(group, "difference", "in interval")...)
		cs[2].Short, cs[3].Short = "diff.", "in"
	}
	return cs
}

// cells fills them.
func (a standing) cells(ours, printed table.Cell) []table.Cell {
	if a.unlike != "" {
		return []table.Cell{ours, printed}
	}
	return []table.Cell{ours, printed, difference(ours, printed), within(ours, printed)}
}

// notes say whose the published numbers are, and what stands beside them.
func (a standing) notes() []string {
	s := fmt.Sprintf("Published: %s, %s, with %s on %s; another model, not this run's.", a.paper, a.where, a.model, a.over)
	if a.unlike != "" {
		return []string{s + " " + cannot(a.unlike)}
	}
	return []string{insideNote, s}
}

// taiMethod is the row of Tai et al. that an arm repeats: its method with demonstrations drawn at random, or from
// extra-hard questions alone ("-g3"). Arms with other demonstrations, or none, repeat no row.
func taiMethod(a configs.Arm) string {
	if a.Exemplars.K == 0 {
		return ""
	}
	e, err := exemplar.Settings(a.Exemplars)
	switch {
	case err != nil:
		return ""
	case e.Strategy == "random":
		return a.Method
	case e.Strategy == "hardness-only" && len(e.Levels) == 1 && e.Levels[0] == "extra":
		return a.Method + "-g3"
	}
	return ""
}
