package single

import (
	"context"
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
	for _, name := range configs.ChoicesOf(kinds).IDs() {
		t.Run(name, func(t *testing.T) {
			methodtest.Conform(t, name, func(d prompting.Deps, a configs.Arm, seed int64) (prompting.Method, error) {
				return New(name, d, a, seed)
			})
		})
	}
}

// TestPrompts pins every method in every format, with two demonstrations and with none.
func TestPrompts(t *testing.T) {
	deps := prompting.Deps{Model: &llm.Scripted{}, Pool: methodtest.Pool(12)}
	for _, name := range configs.ChoicesOf(kinds).IDs() {
		if name == osName { // TestSynthetic pins its prompts
			continue
		}
		for _, format := range render.Formats().IDs() {
			for _, k := range []int{0, 2} {
				m, err := New(name, deps, methodtest.Arm(name, format, k), 3)
				if err != nil {
					t.Fatal(err)
				}
				messages, err := m.Prompts(methodtest.Question())
				if err != nil {
					t.Fatal(err)
				}
				suffix := map[int]string{0: "-zero", 2: ""}[k]
				goldentest.Compare(t, name+"-"+format+suffix+".golden", methodtest.Text(messages))
			}
		}
	}
}

// TestRoundTrip feeds each method's own form of answer back to it.
func TestRoundTrip(t *testing.T) {
	pool := methodtest.Pool(12)
	for _, name := range configs.ChoicesOf(kinds).IDs() {
		if name == osName { // it shows no demonstration of its own form
			continue
		}
		arm := methodtest.Arm(name, "createtable", 0)
		made, err := newMethod(name, prompting.Deps{Model: &llm.Scripted{}, Pool: pool}, arm, 1)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range pool.Demos() {
			answer, err := made.target(d)
			if err != nil {
				t.Fatal(err)
			}
			m, err := New(name, prompting.Deps{Model: &llm.Scripted{Reply: func(llm.Request) (string, error) { return answer, nil }}}, arm, 1)
			if err != nil {
				t.Fatal(err)
			}
			a, err := m.Answer(context.Background(), methodtest.Question())
			if err != nil || a.Candidates[0].SQL != d.SQL {
				t.Errorf("%s: got %+v, %v of\n%s", name, a, err, answer)
			}
			if name == "dc-cot" && a.Trace[0].Note != "1 the number fits" {
				t.Errorf("%s: the trace's note is %q", name, a.Trace[0].Note)
			}
			if strings.HasPrefix(name, "qdecomp") && !strings.Contains(a.Trace[0].Note, d.Question) {
				t.Errorf("%s: the trace's note is %q", name, a.Trace[0].Note)
			}
		}
	}
}

// TestContinuation: in the formats that end in SELECT the completion may go on after it, for bare SQL alone.
func TestContinuation(t *testing.T) {
	check := func(name, format, completion, want, rule string) {
		t.Helper()
		model := &llm.Scripted{Reply: func(llm.Request) (string, error) { return completion, nil }}
		m, err := New(name, prompting.Deps{Model: model}, methodtest.Arm(name, format, 0), 1)
		if err != nil {
			t.Fatal(err)
		}
		a, err := m.Answer(context.Background(), methodtest.Question())
		if c := a.Candidates[0]; err != nil || c.SQL != want || c.Rule != rule {
			t.Errorf("%s in %s: got %+v, %v", name, format, c, err)
		}
		if strings.HasSuffix(model.Asked()[0].Messages[1].Text, "\nSELECT") != (name == "standard" && format != "apidocs") {
			t.Errorf("%s in %s ends wrongly", name, format)
		}
	}
	check("standard", "bird", " name FROM ship", "SELECT name FROM ship", "continuation")
	check("standard", "createtable", "SELECT name FROM ship", "SELECT name FROM ship", "statement")
	check("standard", "apidocs", " name FROM ship", "", "none")
	check("cot", "bird", " name FROM ship", "", "none")
}

func TestLackingAnnotations(t *testing.T) {
	var demos []exemplar.Demo
	for i, d := range methodtest.Pool(4).Demos() {
		if i == 1 {
			d.CoT, d.Steps = "", nil
		}
		if i == 2 {
			d.Steps = []exemplar.Step{{Question: d.Question, SQL: d.SQL}}
		}
		demos = append(demos, d)
	}
	pool, err := exemplar.NewPool(demos)
	if err != nil {
		t.Fatal(err)
	}
	check := func(name string, k int, want string) {
		t.Helper()
		arm := methodtest.Arm(name, "apidocs", k)
		arm.Exemplars.File = "mine.toml"
		_, err := New(name, prompting.Deps{Model: &llm.Scripted{}, Pool: pool}, arm, 1)
		if want == "" && err != nil || want != "" && (err == nil || err.Error() != want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	check("standard", 2, "")
	lacking := func(method, n, want, ids string) string {
		return `single: method "` + method + `": exemplars.file = "mine.toml": ` + n + ` of 4 demonstrations have no ` + want + `, which the method shows: ` + ids +
			`; annotate them, or take those of exemplars.file = "sample", or none (exemplars.k = 0)`
	}
	check("cot", 2, lacking("cot", "1", "cot text", demos[1].ID))
	check("cot", 0, "")
	check("qdecomp", 2, lacking("qdecomp", "1", "steps", demos[1].ID))
	check("qdecomp-intercol", 2, lacking("qdecomp-intercol", "2", "steps with columns", demos[1].ID+", "+demos[2].ID))
	check("nothing", 0, `single: method "nothing": unknown (there are standard, cot, qdecomp, qdecomp-intercol, bird-cot, dc-cot, qp-cot, os)`)
}

// TestTakes: dc-cot and qp-cot draw on the demonstrations that they can print, and say what is missing where these are
// too few.
func TestTakes(t *testing.T) {
	demos := methodtest.Pool(6).Demos()
	for i := range demos {
		if i != 1 && i != 4 {
			demos[i].Division = nil
		}
		if i > 2 {
			demos[i].Plan = ""
		}
	}
	pool, err := exemplar.NewPool(demos)
	if err != nil {
		t.Fatal(err)
	}
	check := func(name string, k int, want string) {
		t.Helper()
		m, err := New(name, prompting.Deps{Model: &llm.Scripted{}, Pool: pool}, methodtest.Arm(name, "apidocs", k), 1)
		if want != "" {
			if err == nil || err.Error() != want {
				t.Errorf("got %v, want %q", err, want)
			}
			return
		}
		if err != nil {
			t.Error(err)
			return
		}
		if messages, err := m.Prompts(methodtest.Question()); err != nil || strings.Count(messages[1].Text, "</FINAL_ANSWER>") != k {
			t.Errorf("%s: %v\n%s", name, err, messages[1].Text)
		}
	}
	check("dc-cot", 2, "")
	check("qp-cot", 3, "")
	check("qp-cot", 0, "")
	check("dc-cot", 3, `single: method "dc-cot": exemplar: check: k = 3 is more than the pool's 2 demonstrations (2 of 6 demonstrations have a division; those of exemplars.file = "sample" do)`)
	check("qp-cot", 4, `single: method "qp-cot": exemplar: check: k = 4 is more than the pool's 3 demonstrations (3 of 6 demonstrations have a query plan; those of exemplars.file = "sample" do)`)
}

// TestGeneratorsShuffleApart: with a shuffle, the same samples of two generators see different orders.
func TestGeneratorsShuffleApart(t *testing.T) {
	orders := map[string]bool{}
	for _, name := range []string{"bird-cot", "dc-cot", "qp-cot"} {
		arm := methodtest.Arm(name, "createtable", 0)
		arm.Schema.Shuffle = true
		m, err := newMethod(name, prompting.Deps{Model: &llm.Scripted{}}, arm, 1)
		if err != nil {
			t.Fatal(err)
		}
		seen := ""
		for sample := range 8 {
			text, err := m.input(methodtest.Question(), sample)
			if err != nil {
				t.Fatal(err)
			}
			seen += text
		}
		orders[seen] = true
	}
	if len(orders) != 3 {
		t.Errorf("three generators saw %d sequences of orders", len(orders))
	}
}

func TestSteps(t *testing.T) {
	check := func(completion string, want []exemplar.Step) {
		t.Helper()
		if diff := cmp.Diff(want, steps(completion)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", completion, diff)
		}
	}
	check("", nil)
	check("SELECT 1", nil)
	check("decompose the question\n1.  A?\nSQL table (column):  t (a), u (b)\n2.  B?\n# Thus, the answer for the question is:  B?\nSELECT 1\n3. C?",
		[]exemplar.Step{{Question: "A?", Columns: "t (a), u (b)"}, {Question: "B?"}})
	check("1) A?\n**2. B?**\nsql table (columns): t (a)", []exemplar.Step{{Question: "A?"}, {Question: "B?", Columns: "t (a)"}})
	check("SQL table (column): t (a)\n1. A?", []exemplar.Step{{Question: "A?"}})
}

func TestPromptHash(t *testing.T) {
	if h := PromptHash(); !strings.HasPrefix(h, "sha256:") || len(h) != 71 || h != PromptHash() {
		t.Errorf("got %q", h)
	}
}

func FuzzSteps(f *testing.F) {
	f.Add("1. a\nSQL table (column): t (a)\n# Thus,")
	f.Fuzz(func(t *testing.T, s string) {
		for _, step := range steps(s) {
			if !strings.Contains(s, step.Question) || !strings.Contains(s, step.Columns) {
				t.Fatalf("%+v is not of the text", step)
			}
		}
	})
}
