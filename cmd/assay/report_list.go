package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"assay/experiments/record"
	"assay/plots/paper"
	"assay/plots/terminal"

	"github.com/jedib0t/go-pretty/v6/text"
)

// listed is one table or figure as --json lists it.
type listed struct {
	Run    string `json:"run,omitempty"` // empty in the list of all tables and figures
	Name   string `json:"name"`
	Kind   string `json:"kind"` // table or figure
	Title  string `json:"title"`
	Source string `json:"source"`
	WhyNot string `json:"why_not,omitempty"` // why the run cannot give it
}

// listPapers lists the tables and figures of each run; without runs, all of them.
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
	_, err := fmt.Fprint(a.out, listText(all, cmp.Or(a.textOptions().Width, helpWidth), len(runs) > 1))
	return err
}

// listedOf lists the tables and figures with the reason why the run cannot give one; nil means no particular run.
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

// widestName bounds the column of names, in characters. A longer name gets a line of its own, so that one of them does not
// squeeze all titles.
const widestName = 24

// listText prints three columns, name, kind and title, in lines of at most width characters. Below an entry is the reason
// where a run cannot give it. heads prints each run's name above its entries.
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
			says = append(says, "not from this run: "+l.WhyNot)
		}
		for _, s := range says {
			rest := strings.Repeat(" ", text.StringWidth(first))
			b.WriteString(strings.Join(terminal.Hang(first, rest, s, width), "\n") + "\n")
			first = rest
		}
	}
	return b.String()
}
