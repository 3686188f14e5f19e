package catalog

import (
	"fmt"
	"strings"
	"testing"

	"assay/prompting"
	"assay/prompting/llm"
	"assay/prompting/methodtest"
)

// TestHiddenEvidence: with hide_evidence the word appears in no prompt of any method, and without it in some.
func TestHiddenEvidence(t *testing.T) {
	const word = "heavyweight"
	asked := func(method string, hide bool) int {
		t.Helper()
		arm := methodtest.Arm(method, "createtable", 2)
		arm.Schema.HideEvidence = hide
		pool := methodtest.Pool(12)
		model := &llm.Scripted{Reply: func(llm.Request) (string, error) { return "SELECT 1", nil }}
		m, err := Method(prompting.Deps{Model: model, Author: llm.Author{Provider: "scripted", Model: "one"}, Pool: pool}, arm, 1)
		if err != nil {
			t.Fatal(err)
		}
		q := methodtest.Question()
		q.Evidence = word + " means above 500"
		if _, err := m.Answer(t.Context(), q); err != nil {
			t.Fatal(err)
		}
		first, err := m.Prompts(q)
		if err != nil {
			t.Fatal(err)
		}
		requests := model.Asked()
		requests = append(requests, llm.Request{Messages: first})
		n := 0
		for _, r := range requests {
			n += strings.Count(fmt.Sprint(r.Messages), word)
		}
		return n
	}
	for _, c := range Known.Methods {
		if c.Pool || c.Imported {
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
