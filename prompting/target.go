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
	return v
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

// Lacking returns an error that names the demonstrations for which lacks holds: at most ten, and how many there are.
func Lacking(demos []exemplar.Demo, want string, lacks func(exemplar.Demo) bool) error {
	var ids []string
	for _, d := range demos {
		if lacks(d) {
			ids = append(ids, d.ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	shown := strings.Join(ids[:min(len(ids), 10)], ", ")
	if len(ids) > 10 {
		shown += ", ..."
	}
	return fmt.Errorf("%d of %d demonstrations have no %s: %s", len(ids), len(demos), want, shown)
}
