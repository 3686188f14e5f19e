package main

import (
	"cmp"
	"fmt"
	"strings"

	"assay/experiments/record"
	"assay/metrics/process"
	"assay/plots/paper"
)

// steps prints the steps that the answer's completions state, each with what became of its SQL and columns.
func (s *story) steps(a *record.Answer) {
	for i, x := range a.Steps {
		if i == 0 || x.Sample != a.Steps[i-1].Sample || x.Generator != a.Steps[i-1].Generator {
			fmt.Fprintf(s.w, "\nsteps of sample %d", x.Sample)
			if x.Generator != "" {
				fmt.Fprintf(s.w, " (%s)", x.Generator)
			}
			fmt.Fprintln(s.w)
		}
		fmt.Fprintf(s.w, "%s %s: %s%s\n", stepMark(x), cmp.Or(x.Label, fmt.Sprint(x.Step)), cmp.Or(x.Question, "(the question itself)"), stepFindings(x))
		for _, text := range []string{x.Columns, x.SQL} {
			if text != "" {
				fmt.Fprintf(s.w, "    %s\n", strings.Join(strings.Fields(text), " "))
			}
		}
	}
}

// turns prints what each turn of the answer's dialogues did for it.
func (s *story) turns(a *record.Answer) {
	for _, one := range paper.Dialogues(s.index, a) {
		fmt.Fprintf(s.w, "\nturns (what each did for the answer, and its tokens)\n")
		for _, t := range one {
			fmt.Fprintf(s.w, "  %s: %s: %s\n", t.Stage, t.Said(), cmp.Or(t.Action, "no action"))
		}
	}
}

// stepMark is "x" for a step with an error.
func stepMark(x record.Step) string {
	if x.Error != "" {
		return "x"
	}
	return " "
}

// stepFindings says what became of a step, in parentheses.
func stepFindings(x record.Step) string {
	var said []string
	switch {
	case x.Why != "":
		said = append(said, string(x.Status)+": "+strings.Join(strings.Fields(x.Why), " "))
	case x.Rows.OK:
		said = append(said, fmt.Sprintf("%s, %s", x.Status, plural(x.Rows.N, "row")))
	}
	if x.Gold.OK && x.Seen.N > 0 {
		said = append(said, fmt.Sprintf("%d of %s in the gold query, %d of its %d so far", x.Hit.N, plural(x.Named.N, "column"), x.SeenHit.N, x.Gold.N))
	}
	switch {
	case x.RuleStep.OK:
		said = append(said, fmt.Sprintf("returns what step %d of %d of the rule-made decomposition does", x.RuleStep.N, x.RuleSteps.N))
	case x.RuleMade == string(process.No):
		said = append(said, fmt.Sprintf("returns what no step of the rule-made decomposition of %d does", x.RuleSteps.N))
	}
	for _, list := range []struct{ what, cell string }{{"not in the gold query", x.Outside}, {"in no step", x.Missing}, {"not in the database", x.Unknown}} {
		var names []string
		for _, n := range record.Listed(list.cell) {
			names = append(names, strings.Join(n, "."))
		}
		if names != nil && (x.Error != "" || list.what == "not in the database") {
			said = append(said, list.what+": "+strings.Join(names, ", "))
		}
	}
	if said == nil {
		return ""
	}
	return "\n    (" + strings.Join(said, "; ") + ")"
}

// shownStep is the JSON of a step. Its names are those of the columns in steps.csv.
type shownStep struct {
	Sample    int          `json:"sample"`
	Generator string       `json:"generator,omitempty"`
	Step      int          `json:"step"`
	Label     string       `json:"label"`
	Question  string       `json:"question,omitempty"`
	Columns   string       `json:"columns,omitempty"`
	SQL       string       `json:"sql,omitempty"`
	Final     bool         `json:"final,omitempty"`
	Status    string       `json:"status"`
	Rows      record.Count `json:"rows"`
	Named     record.Count `json:"named"`
	Hit       record.Count `json:"hit"`
	Seen      record.Count `json:"named_so_far"`
	SeenHit   record.Count `json:"hit_so_far"`
	Gold      record.Count `json:"gold_columns"`
	Outside   [][]string   `json:"outside,omitempty"`
	Missing   [][]string   `json:"missing,omitempty"`
	Unknown   [][]string   `json:"unknown,omitempty"`
	Error     string       `json:"error,omitempty"`
	Why       string       `json:"why,omitempty"`
	RuleMade  string       `json:"rule_made,omitempty"`
	RuleStep  record.Count `json:"rule_made_step"`
	RuleSteps record.Count `json:"rule_made_steps"`
}

// shownSteps converts steps to their JSON form.
func shownSteps(all []record.Step) (out []shownStep) {
	for _, x := range all {
		out = append(out, shownStep{Sample: x.Sample, Generator: x.Generator, Step: x.Step, Label: x.Label, Question: x.Question,
			Columns: x.Columns, SQL: x.SQL, Final: x.Final == 1, Status: string(x.Status), Rows: x.Rows, Named: x.Named, Hit: x.Hit,
			Seen: x.Seen, SeenHit: x.SeenHit, Gold: x.Gold, Outside: record.Listed(x.Outside), Missing: record.Listed(x.Missing),
			Unknown: record.Listed(x.Unknown), Error: x.Error, Why: x.Why,
			RuleMade: x.RuleMade, RuleStep: x.RuleStep, RuleSteps: x.RuleSteps})
	}
	return out
}
