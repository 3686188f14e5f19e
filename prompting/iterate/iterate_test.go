package iterate

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"assay/configs"
	"assay/prompting"
	"assay/prompting/exemplar"
	"assay/prompting/goldentest"
	"assay/prompting/llm"
	"assay/prompting/methodtest"
	"assay/prompting/render"

	"github.com/google/go-cmp/cmp"
)

func TestConform(t *testing.T) {
	methodtest.Conform(t, "least-to-most", func(d prompting.Deps, a configs.Arm, seed int64) (prompting.Method, error) {
		return New("least-to-most", d, a, seed)
	})
}

// reply answers a reduction with two sub-questions and each of the three solving calls with its own number.
func reply(r llm.Request) (string, error) {
	text := r.Messages[1].Text
	if !strings.HasSuffix(text, "\nA:") {
		return `# To answer the question "Which home ports ...", we need to know: "Which trips have more than 100 guests?", "Which routes do they follow?".`, nil
	}
	_, chain, _ := strings.Cut(text, "-- Which home ports")
	if _, after, ok := strings.Cut(text, "### Question:  Which home ports"); ok {
		chain = after
	}
	return fmt.Sprintf(" SELECT %d\n\nQ: What else?\nA: SELECT 9", strings.Count(chain, "\nA:")), nil
}

// TestChain pins every prompt of a chain, in every format, with two demonstrations and with none.
func TestChain(t *testing.T) {
	for _, format := range render.Formats().IDs() {
		for _, k := range []int{0, 2} {
			model := &llm.Scripted{Reply: reply}
			m, err := New("least-to-most", prompting.Deps{Model: model, Pool: methodtest.Pool(12)}, methodtest.Arm("least-to-most", format, k), 3)
			if err != nil {
				t.Fatal(err)
			}
			a, err := m.Answer(context.Background(), methodtest.Question())
			if err != nil {
				t.Fatal(err)
			}
			var stages []string
			for _, c := range a.Trace {
				stages = append(stages, c.Stage)
			}
			if diff := cmp.Diff([]string{"reduce", "solve 1", "solve 2", "solve 3"}, stages); diff != "" {
				t.Errorf("%s: one call and one more a sub-question (-want +got):\n%s", format, diff)
			}
			if c := a.Candidates[0]; c.SQL != "SELECT 3" || c.Rule != "statement" {
				t.Errorf("%s: the candidate is %+v, not the last answer", format, c)
			}
			if want := "Which trips have more than 100 guests? | Which routes do they follow?"; a.Trace[0].Note != want {
				t.Errorf("%s: the note is %q", format, a.Trace[0].Note)
			}
			var all strings.Builder
			for i, r := range model.Asked() {
				fmt.Fprintf(&all, "======== %s\n%s", stages[i], methodtest.Text(r.Messages))
			}
			goldentest.Compare(t, format+map[int]string{0: "-zero", 2: ""}[k]+".golden", all.String())
		}
	}
}

// TestFailedSolve: a completion refused on the way ends the chain with that failure, and no further call.
func TestFailedSolve(t *testing.T) {
	model := &llm.Scripted{Reply: func(r llm.Request) (string, error) {
		if strings.Contains(r.Messages[1].Text, "A: SELECT 1") {
			return "", &llm.Failure{Reason: "empty"}
		}
		return reply(r)
	}}
	m, err := New("least-to-most", prompting.Deps{Model: model}, methodtest.Arm("least-to-most", "apidocs", 0), 3)
	if err != nil {
		t.Fatal(err)
	}
	a, err := m.Answer(context.Background(), methodtest.Question())
	if c := a.Candidates[0]; err != nil || c.Failure != "empty" || c.SQL != "" || len(a.Trace) != 3 || a.Trace[2].Failure != "empty" {
		t.Errorf("got %+v, %v", a, err)
	}
}

func TestSubQuestions(t *testing.T) {
	check := func(completion string, want ...string) {
		t.Helper()
		if diff := cmp.Diff(want, subQuestions(completion)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", completion, diff)
		}
	}
	check(`# To answer the question "Q?", we need to know: "A?".`, "A?")
	check(`# To answer the question "Q?", we need to know: "A?", "B?".`, "A?", "B?")
	check(`To answer the question "Q?", we need to know: "A?","B?", and "C?".`, "A?", "B?", "C?")
	check("# To answer the question \"Q?\", we need to know:\n\"A?\",\n\"B?\".", "A?", "B?")
	check(`# To answer the question "Who is "X"?", we need to know: "Who wrote "Y, or Z"?", "And "X"?".`, `Who wrote "Y, or Z"?`, `And "X"?`)
	check("# To answer the question “Q?”, we need to know: “A?”, “B?”.", "A?", "B?")
	check("# To answer the question \"Q?\", we need to know: \"A?\".\n### SQLite SQL tables, with their properties:\n# To answer the question \"R?\", we need to know: \"S?\".", "A?")
	check("Sub-questions:\n1. A?\n2. B?", "A?", "B?")
	check("- \"A?\"\n- \"B?\"", "A?", "B?")
	check("I do not know.")
	check("")
	check("we need to know: \"\"")
}

func TestPlan(t *testing.T) {
	check := func(completion, note string, want ...string) {
		t.Helper()
		got, said := plan(completion, "The  question?")
		if diff := cmp.Diff(want, got); diff != "" || said != note {
			t.Errorf("%q: note %q (-want +got):\n%s", completion, said, diff)
		}
	}
	check("nothing", "no sub-questions", "The question?")
	check(`we need to know: "the question?".`, "no sub-questions", "The question?")
	check(`we need to know: "A?", "a?", "The question?", "B?".`, "A? | B?", "A?", "B?", "The question?")
	long := "we need to know: "
	for i := range 30 {
		long += fmt.Sprintf("%q, ", fmt.Sprint(i))
	}
	got, said := plan(long, "Q?")
	if len(got) != maxQuestions || got[maxQuestions-1] != "Q?" || !strings.HasSuffix(said, "(21 more left out)") {
		t.Errorf("got %v, %q", got, said)
	}
}

func TestLackingSQL(t *testing.T) {
	demos := methodtest.Pool(3).Demos()
	demos[1].Steps = []exemplar.Step{{Question: "A?"}, {Question: demos[1].Question, SQL: demos[1].SQL}}
	pool, err := exemplar.NewPool(demos)
	if err != nil {
		t.Fatal(err)
	}
	_, err = New("least-to-most", prompting.Deps{Model: &llm.Scripted{}, Pool: pool}, methodtest.Arm("least-to-most", "apidocs", 2), 1)
	if want := `iterate: method "least-to-most": exemplars.file = "": 1 of 3 demonstrations have no steps with SQL, which the method shows: ` + demos[1].ID +
		`; annotate them, or take those of exemplars.file = "sample", or none (exemplars.k = 0)`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %q", err, want)
	}
	if _, err := New("most-to-least", prompting.Deps{}, configs.Arm{}, 1); err == nil || !strings.Contains(err.Error(), "there are least-to-most") {
		t.Errorf("got %v", err)
	}
}

func FuzzSubQuestions(f *testing.F) {
	f.Add(`# To answer the question "Q?", we need to know: "A?", "B?".`)
	f.Add("1. A?\n- B?")
	f.Fuzz(func(t *testing.T, s string) {
		questions, _ := plan(s, "Q?")
		if n := len(questions); n == 0 || n > maxQuestions || questions[n-1] != "Q?" {
			t.Fatalf("%q", questions)
		}
		for _, q := range questions {
			if q == "" || strings.ContainsAny(q, "\r\n") {
				t.Fatalf("%q", q)
			}
		}
	})
}
