package agent

import (
	"strings"
	"testing"
	"unicode/utf8"

	"assay/prompting/tools"
)

func TestReadTurn(t *testing.T) {
	check := func(completion, thought, action, text string) {
		t.Helper()
		got := readTurn(completion)
		a := ""
		if got.Err == nil {
			a = got.Action.String()
		}
		if got.Thought != thought || a != action || got.Text != text {
			t.Errorf("%q: thought %q, action %q (%v), text %q", completion, got.Thought, a, got.Err, got.Text)
		}
	}
	check("Thought: one.\nAction: Done()", "one.", "Done()", "Thought: one.\nAction: Done()")
	check("Thought: one.\nAction: Done()  \n\n", "one.", "Done()", "Thought: one.\nAction: Done()")
	check(" Thought 1: a\nb\nAction 1: SearchValue(\"x\ny\")\nObservation 1: z", "a\nb", `SearchValue('x\ny')`, "Thought 1: a\nb\nAction 1: SearchValue(\"x\ny\")")
	check("**Thought:** so\n**Action:** `Done()`", "so", "Done()", "**Thought:** so\n**Action:** `Done()")
	check("one.\nACTION: Done() and then Done()", "one.", "Done()", "one.\nACTION: Done()")
	check("Action: Done()\nAction: ExecuteSQL('x')", "", "Done()", "Action: Done()")
	check("I look.\nSearchColumn('a')", "I look.", "SearchColumn('a')", "I look.\nSearchColumn('a')")
	check("```\nAction: Done()\n```", "", "Done()", "```\nAction: Done()")
	check("Action:\nDone()", "", "Done()", "Action:\nDone()")
	check("<think>Action: Done()</think>\nAction: ExecuteSQL('SELECT 1')", "", "ExecuteSQL('SELECT 1')", "Action: ExecuteSQL('SELECT 1')")
	check("Thought: nothing", "nothing", "", "Thought: nothing")
	check("Observation: [(1,)]\nAction: Done()", "", "", "Observation: [(1,)]\nAction: Done()")
	check("Thought: a\nAction: ExecuteSQL(\"SELECT 'it)s'\")", "a", `ExecuteSQL("SELECT 'it)s'")`, "Thought: a\nAction: ExecuteSQL(\"SELECT 'it)s'\")")
	check("Action: ExecuteSQL(", "", "", "Action: ExecuteSQL(")
	check("", "", "", "")
	check("Action: __import__('os').system('true')", "", "__import__('os')", "Action: __import__('os')")
	if got := readTurn(strings.Repeat("a", 1<<20)); len(got.Text) != maxKept {
		t.Errorf("%d bytes kept", len(got.Text))
	}
}

func FuzzReadTurn(f *testing.F) {
	for _, s := range []string{"Thought: a\nAction: Done()", "Action: ExecuteSQL(\"\"\"a\n\"\"\")\nObservation: b", "```\nSearchValue('a', table=None)\n```",
		"Action: SearchColumn(['a', \"b\"])", "<think>x</think>Action:", "Action 2: Done(\x00\xff)", "Thought:\nThought:\nAction:\nAction:"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := readTurn(s)
		if !utf8.ValidString(got.Text) || len(got.Text) > 3*maxRead {
			t.Fatalf("text %q", got.Text)
		}
		if got.Err != nil {
			return
		}
		again := readTurn(got.Text)
		if again.Err != nil || again.Action.String() != got.Action.String() || again.Text != got.Text {
			t.Fatalf("%q reads otherwise again: %+v, %+v", s, got, again)
		}
		if a, err := tools.Parse(got.Action.String()); err != nil || a.String() != got.Action.String() {
			t.Fatalf("%q: %v", got.Action.String(), err)
		}
	})
}
