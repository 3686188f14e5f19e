package steps

import (
	"fmt"
	"strings"
	"testing"

	"assay/prompting"

	"github.com/google/go-cmp/cmp"
)

// show prints steps as "label question [columns] sql", with marks.
func show(all []prompting.Step) (out []string) {
	for _, s := range all {
		line := s.Label + " " + s.Question
		if s.Columns != "" {
			line += " [" + s.Columns + "]"
		}
		if s.SQL != "" {
			line += " {" + s.SQL + "}"
		}
		if s.Solved {
			line += " solved"
		}
		if s.Final {
			line += " final"
		}
		out = append(out, line)
	}
	return out
}

func TestRead(t *testing.T) {
	check := func(stage, completion string, want ...string) {
		t.Helper()
		if d := cmp.Diff(want, show(Read(stage, completion, false))); d != "" {
			t.Errorf("%q: %s", completion, d)
		}
	}
	check("generate", "decompose the question\n1.  Which ferries?\nSQL table (column):  ferry (name, id), trip (id)\n2) How many?\n# Thus, the answer for the question is:  How many?\nSELECT 1",
		"1 Which ferries? [ferry (name, id), trip (id)]", "2 How many?")
	check("generate", "1. Which ferries?\r\nSQL: SELECT name FROM ferry;\r\nThus, the answer is\nSELECT 1", "1 Which ferries? {SELECT name FROM ferry}")
	check("generate", "**1. Which ferries?**\nsql table (columns): ferry (name)", "1 Which ferries? [ferry (name)]") // cut short
	check("generate", "<think>\n1. Hm\nThus, no\n</think>\n1. Which?\nThus, x", "1 Which?")
	check("generate", "1. Scan ferry\n2. Sort it\nSELECT name FROM ferry") // a plan is no decomposition
	check("generate", "SELECT 1")
	check("generate", "")
	check("generate", "Thus, the answer:\n1. SELECT 1")
	check("solve 2", "```sql\nSELECT name FROM ferry;\n```", "2  {SELECT name FROM ferry} solved")
	check("least-to-most: solve 1", "I do not know.", "1  solved")
	check("resolve 1", "1. x")
	check("least-to-most: reduce", "1. Which?\nSQL: SELECT 1\nThus, x") // its sub-questions are the solved ones

	division := "**1. Divide and Conquer:**\n* **Main Question:** How many?\n* **Pseudo SQL:** SELECT words\n  * **Sub-question 1:** which\n**2. Assembling SQL:**\n" +
		"* **Sub-question 1.1 (the (old) ones):** SELECT id\nFROM ferry;\n* **Sub-question 1 (which: all):** `SELECT 2`\n* **Main Question:** SELECT 3\n" +
		"**3. Simplification and Optimization:**\n* none\n<FINAL_ANSWER>\nSELECT 4\n</FINAL_ANSWER>"
	check("dc-cot: generate", division, "1.1 the (old) ones {SELECT id\nFROM ferry} solved", "1 which: all {SELECT 2} solved", "main  {SELECT 3} solved final")
	check("generate", "## Assembling the SQL\nSub-question 1: SELECT 1\n```sql\nSELECT 2\n```\nMain question:", "1  {SELECT 1\n\nSELECT 2} solved", "main  solved final")
	check("generate", "2. Assembling SQL:\n")
}

// A continuation of the prompt's SELECT is a query.
func TestContinuation(t *testing.T) {
	if got := show(Read("solve 1", " name FROM ferry", true)); len(got) != 1 || got[0] != "1  {SELECT name FROM ferry} solved" {
		t.Errorf("%q", got)
	}
}

func TestOf(t *testing.T) {
	call := func(sample int, stage, note, text string) prompting.Call {
		return prompting.Call{Sample: sample, Stage: stage, Note: note, Steps: Read(stage, text, false)}
	}
	check := func(trace []prompting.Call, want ...string) {
		t.Helper()
		var got []string
		for _, n := range Of(trace) {
			got = append(got, fmt.Sprintf("%d %s%d: %s", n.Sample, n.Generator, n.Number, show([]prompting.Step{n.Step})[0]))
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
	}
	check([]prompting.Call{call(0, "reduce", "a | b (3 more left out)", ""), call(0, "solve 1", "", "SELECT 1"), call(0, "solve 2", "", "SELECT 2"), call(0, "solve 3", "", "SELECT 3")},
		"0 1: 1 a {SELECT 1} solved", "0 2: 2 b {SELECT 2} solved", "0 3: 3  {SELECT 3} solved final")
	// A trace that is cut short has no step that answers the question itself.
	check([]prompting.Call{call(0, "reduce", "a | b", ""), call(0, "solve 1", "", "SELECT 1")}, "0 1: 1 a {SELECT 1} solved")
	check([]prompting.Call{call(1, "l: reduce", "no sub-questions", ""), call(1, "l: solve 1", "", "SELECT 1"), call(0, "q: generate", "", "1. x\nThus, y")},
		"1 l1: 1  {SELECT 1} solved final", "0 q1: 1 x")
	check([]prompting.Call{call(0, "solve 7", "", "SELECT 1")}, "0 1: 7  {SELECT 1} solved")
	check(nil)
}

// However long a completion is, it has at most so many steps, and is read in time.
func TestHuge(t *testing.T) {
	for _, line := range []string{"1. x\nThus, y\n1. z\n", "9. x\nSQL table (column): t (c)\n", "* **Sub-question 1 (", "1. " + strings.Repeat("x", 5000) + "\n", "**", "(((", "SQL: "} {
		text := "Assembling SQL\n" + strings.Repeat(line, 2_000_000/len(line))
		for _, s := range [][]prompting.Step{Read("generate", text, false), Read("generate", text[15:], false), Read("solve 1", text, false)} {
			if len(s) > mostSteps {
				t.Errorf("%.20q: %d steps", line, len(s))
			}
			for _, x := range s {
				if len(x.Question) > mostWords || len(x.Columns) > mostWords {
					t.Errorf("%.20q: a question of %d bytes", line, len(x.Question))
				}
			}
		}
	}
	trace := make([]prompting.Call, 500)
	for i := range trace {
		trace[i] = prompting.Call{Stage: "solve 1", Steps: []prompting.Step{{Label: "1"}, {Label: "2"}}}
	}
	if n := len(Of(trace)); n != mostSteps {
		t.Errorf("%d steps of an answer, want %d", n, mostSteps)
	}
}

func FuzzRead(f *testing.F) {
	f.Add("generate", "decompose the question\n1. x\nSQL table (column): t (c)\nThus, y")
	f.Add("generate", "Assembling SQL\n* **Sub-question 1 (x):** `SELECT 1`\n* Main Question: ```sql\nSELECT 2\n```")
	f.Add("solve 3", "A: SELECT 1;")
	f.Fuzz(func(t *testing.T, stage, text string) {
		all := Read(stage, text, len(text)%2 == 1)
		if len(all) > mostSteps {
			t.Fatalf("%d steps", len(all))
		}
		Of([]prompting.Call{{Stage: stage, Note: text, Steps: all}, {Stage: stage, Steps: all}})
	})
}
