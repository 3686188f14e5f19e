package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"assay/experiments/record"
	"assay/plots/paper"

	"github.com/jedib0t/go-pretty/v6/text"
)

// listed is one table or figure as --json lists it.
type listed struct {
	Run    string `json:"run,omitempty"` // empty: of no run, but all there is
	Name   string `json:"name"`
	Kind   string `json:"kind"` // table or figure
	Title  string `json:"title"`
	Source string `json:"source"`
	WhyNot string `json:"why_not,omitempty"` // why the run cannot give it
}

// listPapers names what can be made of each run, or all there is where there is none.
func (a *app) listPapers(runs []*record.Run) error {
	var all []listed
	if len(runs) == 0 {
		all = listedOf(nil)
	}
	for _, r := range runs {
		all = append(all, listedOf(r)...)
	}
	if a.json {
		return json.NewEncoder(a.out).Encode(all)
	}
	_, err := fmt.Fprint(a.out, listText(all, cmp.Or(a.textOptions().Width, 80), len(runs) > 1))
	return err
}

func listedOf(r *record.Run) (out []listed) {
	run := ""
	if r != nil {
		run = r.Manifest.Experiment + "-" + r.Manifest.ID
	}
	for _, in := range paper.List(r) {
		kind := "table"
		if in.Figure {
			kind = "figure"
		}
		out = append(out, listed{run, in.Name, kind, in.Title, in.Source, in.Why})
	}
	return out
}

// widestName is the longest name that others are aligned with; a longer one has a line to itself.
const widestName = 24

// listText is three columns, name, kind and title, in lines of at most that width, with the reason below where a run
// cannot give the thing; heads says to name each run above its own.
func listText(all []listed, width int, heads bool) string {
	names, run := 0, ""
	for _, l := range all {
		if n := text.StringWidth(l.Name); n <= widestName {
			names = max(names, n)
		}
	}
	var b strings.Builder
	for i, l := range all {
		if heads && (i == 0 || l.Run != run) {
			b.WriteString(strings.Repeat("\n", min(i, 1)) + l.Run + "\n")
		}
		run = l.Run
		first := text.Pad(l.Name, names, ' ')
		if text.StringWidth(l.Name) > names {
			b.WriteString(l.Name + "\n")
			first = strings.Repeat(" ", names)
		}
		first += fmt.Sprintf("  %-6s  ", l.Kind)
		says := []string{l.Title}
		if l.WhyNot != "" {
			says = append(says, "not of this run: "+l.WhyNot)
		}
		for _, s := range says {
			for _, line := range strings.Split(text.WrapSoft(s, max(20, width-text.StringWidth(first))), "\n") {
				b.WriteString(strings.TrimRight(first+strings.TrimRight(line, " "), " ") + "\n")
				first = strings.Repeat(" ", text.StringWidth(first))
			}
		}
	}
	return b.String()
}
