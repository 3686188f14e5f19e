package catalog

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"assay/prompting"
	"assay/prompting/exemplar"
	"assay/prompting/llm"
	"assay/prompting/methodtest"
	"assay/prompting/sql/sandbox"
)

// TestHiddenEvidence: with hide_evidence the word appears in no prompt of any method or part, and without it in some.
func TestHiddenEvidence(t *testing.T) {
	const word = "heavyweight"
	box := sandbox.New(sandbox.Options{})
	demos := methodtest.Pool(12).Demos()
	for i := range demos {
		demos[i].Evidence = word + " is a demonstration's"
	}
	pool, err := exemplar.NewPool(demos)
	if err != nil {
		t.Fatal(err)
	}
	asked := func(method string, hide bool) int {
		t.Helper()
		arm := methodtest.Arm(method, "createtable", 2)
		arm.Schema.HideEvidence, arm.Columns.Use = hide, "one-call"
		model := &llm.Scripted{Reply: func(llm.Request) (string, error) { return "SELECT 1", nil }}
		m, err := Method(prompting.Deps{Model: model, Author: llm.Author{Provider: "scripted", Model: "one"}, Pool: pool, Box: box}, arm, 1)
		if err != nil {
			t.Fatal(err)
		}
		q := methodtest.Question()
		q.Evidence = word + " means above 500"
		if _, err := m.Answer(t.Context(), q); err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, r := range model.Asked() {
			n += strings.Count(fmt.Sprint(r.Messages), word)
		}
		return n
	}
	for _, c := range Known.Methods {
		if c.Pool || c.Imported || c.Program {
			continue
		}
		if n := asked(c.ID, true); n != 0 {
			t.Errorf("%s shows hidden evidence %d times", c.ID, n)
		}
		if asked(c.ID, false) == 0 {
			t.Errorf("%s never shows evidence", c.ID)
		}
	}
}

// noting is the program of an arm: it notes the evidence that it sees.
type noting struct{ evidence []string }

// Answer implements prompting.Method.
func (n *noting) Answer(_ context.Context, q prompting.Question) (prompting.Answer, error) {
	n.evidence = append(n.evidence, q.Evidence)
	return prompting.Answer{Candidates: []prompting.Candidate{{SQL: "SELECT 1"}, {SQL: "SELECT 2"}}, Chosen: 1, Why: "so"}, nil
}

// TestHiddenEvidenceOfPrograms: a program does not see evidence that is hidden, and its choice stands.
func TestHiddenEvidenceOfPrograms(t *testing.T) {
	program := &noting{}
	for _, hide := range []bool{true, false} {
		arm := methodtest.Arm("command", "createtable", 0)
		arm.Schema.HideEvidence, arm.Selection.Rule = hide, "first"
		Known.Attach(&arm)
		m, err := Method(prompting.Deps{Model: &llm.Scripted{}, Program: program}, arm, 1)
		if err != nil {
			t.Fatal(err)
		}
		q := methodtest.Question()
		q.Evidence = "shown"
		if a, err := m.Answer(t.Context(), q); err != nil || a.Chosen != 1 || a.Why != "so" {
			t.Errorf("%+v, %v", a, err)
		}
	}
	if want := []string{"", "shown"}; !slices.Equal(program.evidence, want) {
		t.Errorf("%q, want %q", program.evidence, want)
	}
}
