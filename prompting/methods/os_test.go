package methods_test

import (
	"slices"
	"strings"
	"testing"

	"assay/configs"
	"assay/prompting"
	"assay/prompting/exemplar"
	"assay/prompting/extract"
	"assay/prompting/goldentest"
	"assay/prompting/llm"
	"assay/prompting/methodtest"
	"assay/prompting/render"
	"assay/prompting/sql/schema"

	"github.com/google/go-cmp/cmp"
)

// written answers every stage of method os.
func written(r llm.Request) (string, error) {
	switch system := r.Messages[0].Text; {
	case strings.HasPrefix(system, "You choose"):
		return `{"Trip": ["Guests"]}`, nil
	case strings.Contains(system, "nested joins"):
		return "{\"input\": \"How many routes are there?\", \"output\": \"SELECT count(*) FROM Route\"}\n{\"input\": \"Ports?\", \"output\": \"SELECT \\\"Home Port\\\" FROM Route\"}", nil
	case strings.HasPrefix(system, "You write examples"):
		return "{\"input\": \"How many guests?\", \"output\": \"SELECT sum(Guests) FROM Trip\"}\n{\"input\": \"How many routes are there?\", \"output\": \"SELECT count(*) FROM Route\"}", nil
	case strings.HasPrefix(system, "You are given the tables of a database. Think"):
		return "{\"input\": \"Which trips?\", \"output\": \"SELECT * FROM Trip\"}", nil
	}
	return "Steps.\n<FINAL_ANSWER>\nSELECT 1\n</FINAL_ANSWER>", nil
}

// osName is the method whose examples the model writes.
const osName = "os"

func osArm(format string, k int, change func(*configs.Synthetic)) configs.Arm {
	arm := methodtest.Arm(osName, format, k)
	if change != nil {
		change(&arm.Synthetic)
	}
	return arm
}

// TestSynthetic pins every prompt of method os, by source, with demonstrations and without.
func TestSynthetic(t *testing.T) {
	check := func(name string, k int, change func(*configs.Synthetic), stages ...string) {
		t.Helper()
		for _, format := range render.Formats().IDs() {
			a, asked := ask(t, prompting.Deps{Pool: methodtest.Pool(12)}, osArm(format, k, change), 3, methodtest.Question(), written)
			var got []string
			for _, c := range a.Trace {
				head, _, _ := strings.Cut(c.Note, "\n")
				got = append(got, c.Stage+": "+head)
			}
			if l := a.Linked; (len(l) == 1 && l[0].Stage == "os: columns" && len(l[0].Shown) > 0) != slices.ContainsFunc(stages, func(s string) bool { return strings.HasPrefix(s, "column") }) {
				t.Errorf("linked %+v with stages %q", l, stages)
			}
			if diff := cmp.Diff(stages, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
			if c := a.Candidates[0]; c.SQL != "SELECT 1" || c.Rule != extract.Tag || c.Generator != osName {
				t.Errorf("%s: %+v", name, c)
			}
			if format != "bird" && name != "os" {
				continue // the formats differ in the schema alone
			}
			goldentest.Compare(t, "os-"+name+"-"+format+".golden", conversations(asked, a.Trace))
		}
	}
	chosen, features, tables := `columns: {"Trip": ["Guests"]}`, "features: 2 of 4 examples", "tables: 2 of 3 examples"
	check("os", 2, nil, chosen, features, tables, "generate: 3 examples in the prompt:")
	check("zero", 0, nil, chosen, features, tables, "generate: 3 examples in the prompt:")
	check("all-columns", 0, func(s *configs.Synthetic) { s.Columns = "none" }, features, tables, "generate: 3 examples in the prompt:")
	check("features", 0, func(s *configs.Synthetic) { s.Tables = 0 }, features, "generate: 2 examples in the prompt:")
	check("tables", 0, func(s *configs.Synthetic) { s.Features = 0 }, chosen, tables, "generate: 2 examples in the prompt:")
	check("train", 2, func(s *configs.Synthetic) { s.Source = "train" }, "generate: 7 examples in the prompt:")
	check("codes", 2, func(s *configs.Synthetic) { s.Source = "codes" }, "questions: 1 of 4 examples", "generate: 4 examples in the prompt:")
	check("none", 2, func(s *configs.Synthetic) { s.Source = "none" }, "generate: ")
}

// TestSyntheticColumnByColumn: the columns that examples are written over may be judged one at a time, too.
func TestSyntheticColumnByColumn(t *testing.T) {
	a, _ := ask(t, prompting.Deps{}, osArm("bird", 0, func(s *configs.Synthetic) { s.Columns = "each" }), 1, methodtest.Question(), written)
	var stages []string
	for _, c := range a.Trace {
		stages = append(stages, c.Stage)
	}
	if want := []string{"features", "column", "column", "column", "column", "tables", "generate"}; !slices.Equal(slices.Sorted(slices.Values(stages)), slices.Sorted(slices.Values(want))) {
		t.Errorf("got %q, want %q", stages, want)
	}
}

// TestSyntheticChosenBefore: where columns were chosen for the question, the first kind of examples sees the whole
// schema, the second what is left, and nothing is chosen again.
func TestSyntheticChosenBefore(t *testing.T) {
	q := methodtest.Question()
	q.Whole = q.Schema
	q.Schema = q.Schema.Cut(q.Schema.Joined([]schema.ColumnName{{Table: "Trip", Column: "Guests"}}))
	_, asked := ask(t, prompting.Deps{}, osArm("apidocs", 0, nil), 1, q, written)
	if len(asked) != 3 {
		t.Fatalf("%d calls", len(asked))
	}
	for i, whole := range []bool{true, false, false} {
		if text := asked[i].Messages[1].Text; strings.Contains(text, "# route (") != whole || !strings.Contains(text, "# trip (") {
			t.Errorf("call %d sees\n%s", i, text)
		}
	}
}

// TestSharedExamples: samples share the examples, which are asked for once, and the trace of the first lists them.
func TestSharedExamples(t *testing.T) {
	arm := osArm("bird", 0, nil)
	arm.Model.Samples, arm.Model.Temperature = 3, 0.5
	a, asked := ask(t, prompting.Deps{}, arm, 1, methodtest.Question(), written)
	if len(asked) != 6 || len(a.Candidates) != 3 {
		t.Fatalf("%d calls for %d samples", len(asked), len(a.Candidates))
	}
	for i, c := range a.Trace[3:] {
		if (len(exemplar.NotedSQL(c.Note)) == 3) != (i == 0) {
			t.Errorf("sample %d: note %q", i, c.Note)
		}
	}
}

// TestStops: what ends an answer ends neither examples nor a choice of columns.
func TestStops(t *testing.T) {
	arm := osArm("apidocs", 0, nil)
	arm.Model.Stop = []string{"\n\n"}
	_, asked := ask(t, prompting.Deps{}, arm, 1, methodtest.Question(), written)
	for i, r := range asked {
		if (len(r.Params.Stop) > 0) != (i == 3) {
			t.Errorf("call %d stops at %q", i, r.Params.Stop)
		}
	}
}

// TestRunnable: of the examples that a model writes, those that return rows are kept.
func TestRunnable(t *testing.T) {
	q, box := ferries(t)
	arm := osArm("apidocs", 0, func(s *configs.Synthetic) { s.Runnable, s.Columns = true, "none" })
	a, asked := ask(t, prompting.Deps{Box: box}, arm, 1, q, func(r llm.Request) (string, error) {
		text, err := written(r)
		return strings.NewReplacer("sum(Guests)", "Guests FROM Trip WHERE Guests > 999", `\"Home Port\"`, "port").Replace(text), err
	})
	if got := a.Trace[0].Note + " | " + a.Trace[1].Note; got != "2 of 4 examples, 1 of them return rows | 2 of 3 examples, 1 of them return rows" {
		t.Errorf("notes %q", got)
	}
	if text := asked[2].Messages[1].Text; strings.Count(text, "SQL: ") != 1 {
		t.Errorf("shown:\n%s", text)
	}
	m, err := generator(prompting.Deps{Model: &llm.Scripted{Reply: written}}, arm, 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Answer(t.Context(), q); err == nil || !strings.Contains(err.Error(), "no sandbox") {
		t.Errorf("without a sandbox: %v", err)
	}
}

// TestFailedExamples: what the model refuses to write is left out, and the question is answered.
func TestFailedExamples(t *testing.T) {
	a, _ := ask(t, prompting.Deps{}, osArm("bird", 0, nil), 1, methodtest.Question(), func(r llm.Request) (string, error) {
		if strings.HasPrefix(r.Messages[0].Text, "You write examples") {
			return "", &llm.Failure{Reason: "empty"}
		}
		return written(r)
	})
	if c := a.Candidates[0]; c.SQL != "SELECT 1" || c.Failure != "" || a.Trace[1].Failure != "empty" {
		t.Errorf("got %+v", a)
	}
}

// TestSyntheticSettings: what the files cannot check ends a run with the remedy.
func TestSyntheticSettings(t *testing.T) {
	check := func(want string, change func(*configs.Synthetic)) {
		t.Helper()
		m, err := generator(prompting.Deps{Model: &llm.Scripted{Reply: written}}, osArm("apidocs", 0, change), 1)
		if err == nil {
			_, err = m.Answer(t.Context(), methodtest.Question())
		}
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "os") {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	check(`synthetic.source = "books" is unknown (there are os, train, codes, none)`, func(s *configs.Synthetic) { s.Source = "books" })
	check(`synthetic.source = "train": there are no demonstrations`, func(s *configs.Synthetic) { s.Source = "train" })
	check(`synthetic.columns = "some" is unknown (there are none, one-call, each)`, func(s *configs.Synthetic) { s.Columns = "some" })
}

// filled returns the examples that method os fills from templates, for a seed.
func filled(t *testing.T, n int, seed int64) (out []extract.Example) {
	t.Helper()
	arm := osArm("bird", 0, func(s *configs.Synthetic) { s.Source, s.Features, s.Tables = "codes", 0, n })
	_, asked := ask(t, prompting.Deps{}, arm, seed, methodtest.Question(), written)
	_, text, _ := strings.Cut(asked[0].Messages[1].Text, "### Examples\n")
	text, _, _ = strings.Cut(text, "\n\n")
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i := 0; i+1 < len(lines); i += 2 {
		out = append(out, extract.Example{Question: strings.TrimPrefix(lines[i], "Question: "), SQL: strings.TrimPrefix(lines[i+1], "SQL: ")})
	}
	return out
}

// TestUniversal: templates are filled from the schema, the same ones by the same seed.
func TestUniversal(t *testing.T) {
	got := filled(t, 12, 1)
	if len(got) != 12 {
		t.Fatalf("%d examples", len(got))
	}
	if diff := cmp.Diff(got, filled(t, 12, 1)); diff != "" {
		t.Error("the same seed draws others")
	}
	if cmp.Equal(got, filled(t, 12, 2)) {
		t.Error("another seed draws the same")
	}
	for _, e := range got {
		if found := extract.SQL(e.SQL, extract.Options{}); found.SQL != e.SQL || found.Truncated || e.Question == "" || strings.ContainsAny(e.Question+e.SQL, "{}") {
			t.Errorf("%+v reads as %+v", e, found)
		}
	}
	if n := len(filled(t, 2000, 1)); n < 30 || n > 200 {
		t.Errorf("%d different examples of two small tables", n)
	}
}
