package methods_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"assay/configs"
	"assay/prompting"
	"assay/prompting/llm"
	"assay/prompting/methodtest"
	"assay/prompting/sql/sandbox"
)

// turn is what a dialogue makes of a completion: its action in canonical form, and what the next prompt repeats of it.
func turn(t *testing.T, box *sandbox.Box, completion string) (action, text string) {
	t.Helper()
	m := &llm.Scripted{Reply: always(completion)}
	p, err := generator(prompting.Deps{Model: m, Box: box}, agentArm(func(a *configs.Agent) { a.Turns, a.Bad = 2, 9 }), 1)
	if err != nil {
		t.Fatal(err)
	}
	a, err := p.Answer(t.Context(), methodtest.Question())
	if err != nil {
		t.Fatal(err)
	}
	action, _, _ = strings.Cut(a.Trace[0].Note, " (end: ")
	if i := strings.LastIndex(action, "; "); i >= 0 && strings.HasPrefix(action, "the answer is empty") {
		action = action[i+2:]
	}
	if asked := m.Asked(); len(asked) > 1 {
		messages := asked[1].Messages
		text = messages[len(messages)-2].Text
	}
	return strings.TrimSuffix(action, "no action"), text
}

func TestReadTurn(t *testing.T) {
	box := sandbox.New(sandbox.Options{})
	check := func(completion, action, text string) {
		t.Helper()
		if a, s := turn(t, box, completion); a != action || s != text {
			t.Errorf("%q: action %q, text %q, want %q, %q", completion, a, s, action, text)
		}
	}
	check("Thought: one.\nAction: Done()", "Done()", "Thought: one.\nAction: Done()")
	check("Thought: one.\nAction: Done()  \n\n", "Done()", "Thought: one.\nAction: Done()")
	check(" Thought 1: a\nb\nAction 1: SearchValue(\"x\ny\")\nObservation 1: z", `SearchValue('x\ny')`, "Thought 1: a\nb\nAction 1: SearchValue(\"x\ny\")")
	check("**Thought:** so\n**Action:** `Done()`", "Done()", "**Thought:** so\n**Action:** `Done()")
	check("one.\nACTION: Done() and then Done()", "Done()", "one.\nACTION: Done()")
	check("Action: Done()\nAction: ExecuteSQL('x')", "Done()", "Action: Done()")
	check("I look.\nSearchColumn('a')", "SearchColumn('a')", "I look.\nSearchColumn('a')")
	check("```\nAction: Done()\n```", "Done()", "```\nAction: Done()")
	check("Action:\nDone()", "Done()", "Action:\nDone()")
	check("<think>Action: Done()</think>\nAction: ExecuteSQL('SELECT 1')", "ExecuteSQL('SELECT 1')", "Action: ExecuteSQL('SELECT 1')")
	check("Thought: nothing", "", "Thought: nothing")
	check("Observation: [(1,)]\nAction: Done()", "", "Observation: [(1,)]\nAction: Done()")
	check("Thought: a\nAction: ExecuteSQL(\"SELECT 'it)s'\")", `ExecuteSQL("SELECT 'it)s'")`, "Thought: a\nAction: ExecuteSQL(\"SELECT 'it)s'\")")
	check("Action: ExecuteSQL(", "", "Action: ExecuteSQL(")
	check("", "", "")
	check("Action: __import__('os').system('true')", "__import__('os')", "Action: __import__('os')")
	if _, text := turn(t, box, strings.Repeat("a", 1<<20)); len(text) != 4<<10 {
		t.Errorf("%d bytes kept", len(text))
	}
}

func FuzzTurn(f *testing.F) {
	for _, s := range []string{"Thought: a\nAction: Done()", "Action: ExecuteSQL(\"\"\"a\n\"\"\")\nObservation: b", "```\nSearchValue('a', table=None)\n```",
		"Action: SearchColumn(['a', \"b\"])", "<think>x</think>Action:", "Action 2: Done(\x00\xff)", "Thought:\nThought:\nAction:\nAction:"} {
		f.Add(s)
	}
	box := sandbox.New(sandbox.Options{})
	f.Fuzz(func(t *testing.T, s string) {
		action, text := turn(t, box, s)
		if !utf8.ValidString(text) || len(text) > 3*(64<<10) {
			t.Fatalf("text %q", text)
		}
		if again, _ := turn(t, box, text); text != "" && again != action {
			t.Fatalf("%q is %s, and read again %s", s, action, again)
		}
	})
}
