package methods_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"assay/configs"
	"assay/prompting"
	"assay/prompting/exemplar"
	"assay/prompting/goldentest"
	"assay/prompting/llm"
	"assay/prompting/methods"
	"assay/prompting/methodtest"
	"assay/prompting/render"
	"assay/prompting/sql/sandbox"
)

// oneCall are the methods that send one prompt, with demonstrations in the form of its answer.
var oneCall = []string{"standard", "cot", "qdecomp", "qdecomp-intercol", "bird-cot", "dc-cot", "qp-cot"}

// unseeded are the methods whose demonstrations are the same whatever the seed: they show none, or those nearest to the question.
var unseeded = []string{"c3", "resdsql", "dail-sql"}

// TestConform: every method keeps the contract.
func TestConform(t *testing.T) {
	box := sandbox.New(sandbox.Options{})
	make := func(d prompting.Deps, arm configs.Arm, seed int64) (prompting.Method, error) {
		d.Box, arm.Agent = box, &configs.Agent{Votes: 1}
		return generator(d, arm, seed)
	}
	for _, row := range methods.Methods() {
		var traits []methodtest.Trait
		if row.Agent || slices.Contains(unseeded, row.ID) {
			traits = append(traits, methodtest.FixedDemos)
		}
		t.Run(row.ID, func(t *testing.T) { methodtest.Conform(t, row.ID, make, traits...) })
	}
}

// TestPrompts pins every method of one call in every format, with two demonstrations and with none.
func TestPrompts(t *testing.T) {
	for _, name := range oneCall {
		for _, format := range render.Formats().IDs() {
			for k, suffix := range map[int]string{0: "-zero", 2: ""} {
				_, asked := ask(t, prompting.Deps{Pool: methodtest.Pool(12)}, methodtest.Arm(name, format, k), 3, methodtest.Question(), nil)
				if len(asked) != 1 {
					t.Fatalf("%s: %d calls", name, len(asked))
				}
				goldentest.Compare(t, name+"-"+format+suffix+".golden", methodtest.Text(asked[0].Messages))
			}
		}
	}
}

// target returns a demonstration's answer in a method's own form: what stands between its question and the next.
func target(t *testing.T, name string, d exemplar.Demo) string {
	t.Helper()
	pool, err := exemplar.NewPool([]exemplar.Demo{d})
	if err != nil {
		t.Fatal(err)
	}
	arm := methodtest.Arm(name, "createtable", 1)
	arm.Exemplars.Separator = "\n<end of the demonstration>\n"
	_, asked := ask(t, prompting.Deps{Pool: pool}, arm, 1, methodtest.Question(), nil)
	shown, _, ended := strings.Cut(asked[0].Messages[1].Text, arm.Exemplars.Separator)
	input, err := render.Input(render.Ask{DB: d.Schema, Question: d.Question, Evidence: d.Evidence}, arm.Schema)
	if err != nil {
		t.Fatal(err)
	}
	answer, shows := strings.CutPrefix(shown, input+"\n")
	if !ended || !shows {
		t.Fatalf("%s: no demonstration in\n%s", name, asked[0].Messages[1].Text)
	}
	return answer
}

// TestRoundTrip feeds each method's own form of answer back to it.
func TestRoundTrip(t *testing.T) {
	for _, name := range oneCall {
		for _, d := range methodtest.Pool(12).Demos() {
			answer := target(t, name, d)
			a, _ := ask(t, prompting.Deps{}, methodtest.Arm(name, "createtable", 0), 1, methodtest.Question(), always(answer))
			if a.Candidates[0].SQL != d.SQL {
				t.Errorf("%s: got %+v of\n%s", name, a, answer)
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
		a, asked := ask(t, prompting.Deps{}, methodtest.Arm(name, format, 0), 1, methodtest.Question(), always(completion))
		if c := a.Candidates[0]; c.SQL != want || c.Rule != rule {
			t.Errorf("%s in %s: got %+v", name, format, c)
		}
		if strings.HasSuffix(asked[0].Messages[1].Text, "\nSELECT") != (name == "standard" && format != "apidocs") {
			t.Errorf("%s in %s ends wrongly", name, format)
		}
	}
	check("standard", "bird", " name FROM ship", "SELECT name FROM ship", "continuation")
	check("standard", "createtable", "SELECT name FROM ship", "SELECT name FROM ship", "statement")
	check("standard", "apidocs", " name FROM ship", "", "none")
	check("cot", "bird", " name FROM ship", "", "none")
}

// TestCutOff: the trace says where a completion ends within its SQL.
func TestCutOff(t *testing.T) {
	const said = "the completion ends within the SQL"
	check := func(name, completion string) {
		t.Helper()
		a, _ := ask(t, prompting.Deps{}, methodtest.Arm(name, "apidocs", 0), 1, methodtest.Question(), always(completion))
		if last := a.Trace[len(a.Trace)-1]; !strings.HasSuffix(last.Note, said) {
			t.Errorf("%s: the note is %q", name, last.Note)
		}
	}
	for _, name := range append(slices.Clone(oneCall), "os", "least-to-most") {
		check(name, "SELECT name FROM ship WHERE (")
	}
}

// TestLackingAnnotations: a method names the demonstrations that lack what it shows, and the remedy.
func TestLackingAnnotations(t *testing.T) {
	demos := methodtest.Pool(4).Demos()
	demos[1].CoT, demos[1].Steps = "", nil
	demos[2].Steps = []exemplar.Step{{Question: demos[2].Question, SQL: demos[2].SQL}}
	demos[3].Steps = []exemplar.Step{{Question: "A?", Columns: "t (a)"}, {Question: demos[3].Question, SQL: demos[3].SQL, Columns: "t (b)"}}
	pool, err := exemplar.NewPool(demos)
	if err != nil {
		t.Fatal(err)
	}
	check := func(name string, k int, want string) {
		t.Helper()
		arm := methodtest.Arm(name, "apidocs", k)
		arm.Exemplars.File = "mine.toml"
		_, err := generator(prompting.Deps{Model: &llm.Scripted{}, Pool: pool}, arm, 1)
		if want == "" && err != nil || want != "" && (err == nil || err.Error() != want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	lacking := func(method, n, want, ids string) string {
		return `script: answer "` + method + `": exemplars.file = "mine.toml": ` + n + ` of 4 demonstrations have no ` + want + `, which the method shows: ` + ids +
			`; annotate them, or take those of exemplars.file = "sample", or none (exemplars.k = 0)`
	}
	check("standard", 2, "")
	check("cot", 2, lacking("cot", "1", "cot text", demos[1].ID))
	check("cot", 0, "")
	check("qdecomp", 2, lacking("qdecomp", "1", "steps", demos[1].ID))
	check("qdecomp-intercol", 2, lacking("qdecomp-intercol", "2", "steps with columns", demos[1].ID+", "+demos[2].ID))
	check("least-to-most", 2, lacking("least-to-most", "2", "steps with SQL", demos[1].ID+", "+demos[3].ID))
	check("nothing", 0, `methods: open "nothing": no method or part has this name: file does not exist`)
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
		if want != "" {
			_, err := generator(prompting.Deps{Model: &llm.Scripted{}, Pool: pool}, methodtest.Arm(name, "apidocs", k), 1)
			if err == nil || err.Error() != want {
				t.Errorf("got %v, want %q", err, want)
			}
			return
		}
		_, asked := ask(t, prompting.Deps{Pool: pool}, methodtest.Arm(name, "apidocs", k), 1, methodtest.Question(), nil)
		if text := asked[0].Messages[1].Text; strings.Count(text, "</FINAL_ANSWER>") != k {
			t.Errorf("%s:\n%s", name, text)
		}
	}
	check("dc-cot", 2, "")
	check("qp-cot", 3, "")
	check("qp-cot", 0, "")
	check("dc-cot", 3, `script: answer "dc-cot": exemplar: check: k = 3 is more than the pool's 2 demonstrations (2 of 6 demonstrations have a division; those of exemplars.file = "sample" do)`)
	check("qp-cot", 4, `script: answer "qp-cot": exemplar: check: k = 4 is more than the pool's 3 demonstrations (3 of 6 demonstrations have a query plan; those of exemplars.file = "sample" do)`)
}

// TestGeneratorsShuffleApart: with a shuffle, the same samples of two generators see different orders.
func TestGeneratorsShuffleApart(t *testing.T) {
	orders := map[string]string{}
	for _, name := range []string{"bird-cot", "dc-cot", "qp-cot"} {
		arm := methodtest.Arm(name, "createtable", 0)
		arm.Schema.Shuffle, arm.Model.Samples = true, 8
		_, asked := ask(t, prompting.Deps{}, arm, 1, methodtest.Question(), nil)
		seen := ""
		for _, r := range asked {
			seen += r.Messages[1].Text
		}
		if other, ok := orders[seen]; ok {
			t.Errorf("%s and %s see the same orders", name, other)
		}
		orders[seen] = name
	}
}

// silent is the note of a completion without a text.
const silent = "the answer is empty: the model ended it at once"

// TestStepsNote: what the trace says of a decomposition, whatever form it has.
func TestStepsNote(t *testing.T) {
	check := func(completion, want string) {
		t.Helper()
		for _, name := range []string{"qdecomp", "qdecomp-intercol"} {
			a, _ := ask(t, prompting.Deps{}, methodtest.Arm(name, "apidocs", 0), 1, methodtest.Question(), always(completion))
			if got := a.Trace[0].Note; got != want {
				t.Errorf("%s, %q: got %q, want %q", name, completion, got, want)
			}
		}
	}
	check("", silent)
	check("SELECT 1", "")
	check("decompose the question\n1.  A?\nSQL table (column):  t (a), u (b)\n2.  B?\n# Thus, the answer for the question is:  B?\nSELECT 1\n3. C?", "A? [t (a), u (b)] | B?")
	check("1) A?\n**2. B?**\nsql table (columns): t (a)", "A? | B? [t (a)]")
	check("SQL table (column): t (a)\n1. A?", "A?")
}

// FuzzCompletion: whatever a model writes, a method ends with one candidate and no error.
func FuzzCompletion(f *testing.F) {
	f.Add("1. a\nSQL table (column): t (a)\n# Thus,\nSELECT 1")
	f.Add("* **Sub-question 1.1:** a?\n<FINAL_ANSWER>SELECT 1")
	f.Add(`we need to know: "A?", "B?".`)
	f.Add(`{"input": "How many?", "output": "SELECT 1"}`)
	f.Add(`{"Route": ["Home Port"]}`)
	var made []prompting.Method
	model := &answering{}
	for _, row := range methods.Methods() {
		if row.Agent {
			continue // its own test has turns
		}
		m, err := generator(prompting.Deps{Model: model, Author: scripted, Box: sandbox.New(sandbox.Options{})}, methodtest.Arm(row.ID, "bird", 0), 1)
		if err != nil {
			f.Fatal(err)
		}
		made = append(made, m)
	}
	f.Fuzz(func(t *testing.T, completion string) {
		model.text = completion
		for _, m := range made {
			a, err := m.Answer(t.Context(), methodtest.Question())
			if err != nil || len(a.Candidates) != 1 || a.Candidates[0].Failure != "" || len(a.Trace) > 20 {
				t.Fatalf("%+v, %v", a, err)
			}
		}
	})
}

// answering is a model that says one text, without a memory of what it was asked.
type answering struct{ text string }

// Generate implements llm.Model.
func (m *answering) Generate(_ context.Context, r llm.Request) (llm.Response, error) {
	return llm.Response{Text: m.text, Usage: llm.EstimateUsage(r, m.text)}, nil
}

// TestChain pins every prompt of least-to-most, in every format, with two demonstrations and with none.
func TestChain(t *testing.T) {
	for _, format := range render.Formats().IDs() {
		for k, suffix := range map[int]string{0: "-zero", 2: ""} {
			a, asked := ask(t, prompting.Deps{Pool: methodtest.Pool(12)}, methodtest.Arm("least-to-most", format, k), 3, methodtest.Question(), solving)
			var stages []string
			for _, c := range a.Trace {
				stages = append(stages, c.Stage)
			}
			if want := []string{"reduce", "solve 1", "solve 2", "solve 3"}; !slices.Equal(stages, want) {
				t.Errorf("%s: one call and one more a sub-question: got %q", format, stages)
			}
			if c := a.Candidates[0]; c.SQL != "SELECT 3" || c.Rule != "statement" {
				t.Errorf("%s: the candidate is %+v, not the last answer", format, c)
			}
			if want := "Which trips have more than 100 guests? | Which routes do they follow?"; a.Trace[0].Note != want {
				t.Errorf("%s: the note is %q", format, a.Trace[0].Note)
			}
			goldentest.Compare(t, "least-to-most-"+format+suffix+".golden", conversations(asked, a.Trace))
		}
	}
}

// solving answers a reduction with two sub-questions and each of the three solving calls with its own number.
func solving(r llm.Request) (string, error) {
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

// TestFailedSolve: a completion refused on the way ends the chain with that failure, and no further call.
func TestFailedSolve(t *testing.T) {
	a, _ := ask(t, prompting.Deps{}, methodtest.Arm("least-to-most", "apidocs", 0), 3, methodtest.Question(), func(r llm.Request) (string, error) {
		if strings.Contains(r.Messages[1].Text, "A: SELECT 1") {
			return "", &llm.Failure{Reason: "empty"}
		}
		return solving(r)
	})
	if c := a.Candidates[0]; c.Failure != "empty" || c.SQL != "" || len(a.Trace) != 3 || a.Trace[2].Failure != "empty" {
		t.Errorf("got %+v", a)
	}
}

// TestSubQuestions lists the forms in which a model names sub-questions, and which of them are solved.
func TestSubQuestions(t *testing.T) {
	check := func(completion, note string, want ...string) {
		t.Helper()
		a, asked := ask(t, prompting.Deps{}, methodtest.Arm("least-to-most", "apidocs", 0), 1, methodtest.Question(), func(r llm.Request) (string, error) {
			if strings.HasSuffix(r.Messages[1].Text, "\nA:") {
				return "SELECT 1", nil
			}
			return completion, nil
		})
		var solved []string
		for _, r := range asked[1:] {
			text := strings.TrimSuffix(r.Messages[1].Text, "\nA:")
			solved = append(solved, text[strings.LastIndex(text, "\nQ: ")+len("\nQ: "):])
		}
		if want = append(want, "Which home ports have a trip with more than 100 guests?"); !slices.Equal(solved, want) || a.Trace[0].Note != note {
			t.Errorf("%q: note %q, solved %q, want %q", completion, a.Trace[0].Note, solved, want)
		}
	}
	const none = "no sub-questions"
	check(`# To answer the question "Q?", we need to know: "A?".`, "A?", "A?")
	check(`# To answer the question "Q?", we need to know: "A?", "B?".`, "A? | B?", "A?", "B?")
	check(`To answer the question "Q?", we need to know: "A?","B?", and "C?".`, "A? | B? | C?", "A?", "B?", "C?")
	check("# To answer the question \"Q?\", we need to know:\n\"A?\",\n\"B?\".", "A? | B?", "A?", "B?")
	check(`# To answer the question "Who is "X"?", we need to know: "Who wrote "Y, or Z"?", "And "X"?".`, `Who wrote "Y, or Z"? | And "X"?`, `Who wrote "Y, or Z"?`, `And "X"?`)
	check("# To answer the question “Q?”, we need to know: “A?”, “B?”.", "A? | B?", "A?", "B?")
	check("# To answer the question \"Q?\", we need to know: \"A?\".\n### SQLite SQL tables, with their properties:\n# To answer the question \"R?\", we need to know: \"S?\".", "A?", "A?")
	check("Sub-questions:\n1. A?\n2. B?", "A? | B?", "A?", "B?")
	check("- \"A?\"\n- \"B?\"", "A? | B?", "A?", "B?")
	check("I do not know.", none)
	check("", silent+"; "+none)
	check("we need to know: \"\"", none)
	check(`we need to know: "Which home ports have a trip with more than 100 guests?".`, none)
	check(`we need to know: "A?", "a?", "WHICH home  ports have a trip with more than 100 guests?", "B?".`, "A? | B?", "A?", "B?")
	var many, kept []string
	for i := range 30 {
		many = append(many, fmt.Sprintf("%q", fmt.Sprint(i)))
		if i < 9 {
			kept = append(kept, fmt.Sprint(i))
		}
	}
	check("we need to know: "+strings.Join(many, ", "), strings.Join(kept, " | ")+" (21 more left out)", kept...)
}

// TestMostIsAParam: how many questions are solved is the experiment's to set.
func TestMostIsAParam(t *testing.T) {
	arm := methodtest.Arm("least-to-most", "apidocs", 0)
	arm.Params = map[string]any{"most": int64(2)}
	a, _ := ask(t, prompting.Deps{}, arm, 1, methodtest.Question(), solving)
	if a.Trace[0].Note != "Which trips have more than 100 guests? (1 more left out)" || len(a.Trace) != 3 {
		t.Errorf("got %+v", a.Trace)
	}
}

// TestRows: the rows say what the files check methods by.
func TestRows(t *testing.T) {
	check := func(what string, has func(configs.Method) bool, want ...string) {
		t.Helper()
		var got []string
		for _, row := range methods.Methods() {
			if has(row) {
				got = append(got, row.ID)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", what, got, want)
		}
	}
	shows := func(feature string) func(configs.Method) bool {
		return func(m configs.Method) bool { return slices.Contains(m.Features, feature) }
	}
	check("sub-questions with SQL", shows("steps.sql"), "least-to-most", "din-sql")
	check("plans", shows("plan"), "qp-cot")
	check("divisions", shows("division"), "dc-cot")
	check("agents", func(m configs.Method) bool { return m.Agent }, "interactive")
	check("examples", func(m configs.Method) bool { return m.Examples }, "os")
}
