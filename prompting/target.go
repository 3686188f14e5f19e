package prompting

import (
	"fmt"
	"strings"
	"text/template"

	"assay/prompting/exemplar"
)

// StepView is a step as templates see it.
type StepView struct {
	Number                 int // from 1
	Question, Columns, SQL string
}

// TargetView is a demonstration as templates see it. All but SQL is on one line.
type TargetView struct {
	Question, CoT, SQL string
	Steps              []StepView
	Needed             string // the sub-questions before the last, quoted and separated by commas; the last where it is alone

	Parts    []PartView // of a divided demonstration, each before those within it
	Assembly []PartView // the same, each after those within it
	Simplify string
	Plan     string // steps of the query plan, one per line, without a line break at its end
}

// PartView is a part of a divided demonstration as templates see it, each text on one line.
type PartView struct {
	Label  string // "Main Question", "Sub-question 1.1"
	Indent string // two spaces per level; empty for the question itself

	Question, Analysis, Pseudo, SQL string
}

// Target makes the view of a demonstration.
func Target(d exemplar.Demo) TargetView {
	v := TargetView{Question: OneLine(d.Question), CoT: OneLine(d.CoT), SQL: strings.TrimSpace(d.SQL)}
	for i, s := range d.Steps {
		v.Steps = append(v.Steps, StepView{i + 1, OneLine(s.Question), OneLine(s.Columns), strings.TrimSpace(s.SQL)})
	}
	before := v.Steps
	if len(before) > 1 {
		before = before[:len(before)-1]
	}
	var quoted []string
	for _, s := range before {
		quoted = append(quoted, `"`+s.Question+`"`)
	}
	v.Needed = strings.Join(quoted, ", ")
	v.Plan = strings.TrimSpace(d.Plan)
	if d.Division != nil {
		v.Simplify = OneLine(d.Division.Simplify)
		v.Parts, v.Assembly = partViews(d.Division.Parts), partViews(d.Division.Assembly())
	}
	return v
}

func partViews(parts []exemplar.Part) (out []PartView) {
	for _, p := range parts {
		v := PartView{Label: "Main Question", Question: OneLine(p.Question), Analysis: OneLine(p.Analysis), Pseudo: OneLine(p.Pseudo), SQL: OneLine(p.SQL)}
		if p.Number != "" {
			v.Label, v.Indent = "Sub-question "+p.Number, strings.Repeat("  ", 1+strings.Count(p.Number, "."))
		}
		out = append(out, v)
	}
	return out
}

// OneLine replaces each run of white space by one space.
func OneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// Fill executes one of a template's definitions.
func Fill(t *template.Template, name string, data any) (string, error) {
	var b strings.Builder
	if err := t.ExecuteTemplate(&b, name, data); err != nil {
		return "", fmt.Errorf("template %q: %w", name, err)
	}
	return b.String(), nil
}
