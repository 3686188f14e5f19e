package methods_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"assay/configs"
	"assay/prompting"
	"assay/prompting/columns"
	"assay/prompting/goldentest"
	"assay/prompting/llm"
	"assay/prompting/methodtest"
	"assay/prompting/script"
	"assay/prompting/sql/engine"
	"assay/prompting/values"

	"github.com/google/go-cmp/cmp"
)

// columnsArm chooses columns in a way of columns.use.
func columnsArm(use string) configs.Arm {
	arm := methodtest.Arm("os", "bird", 0)
	arm.Columns.Use = use
	return arm
}

// linked is what a part that links gave.
type linked struct {
	q     prompting.Question
	calls []prompting.Call
	links []prompting.Linked
	asked []llm.Request
}

// link lets a part link a question.
func link(t *testing.T, id string, d prompting.Deps, arm configs.Arm, q prompting.Question, reply func(llm.Request) (string, error)) linked {
	t.Helper()
	model := &llm.Scripted{Reply: reply}
	d.Model, d.Author = model, scripted
	p, err := part(script.Link, id, d, arm, 1)
	if err != nil {
		t.Fatal(err)
	}
	out, calls, links, err := p.Link(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	return linked{out, calls, links, ordered(t, model.Asked(), calls)}
}

// TestColumnPrompts pins what the model is asked of columns.
func TestColumnPrompts(t *testing.T) {
	for use, n := range map[string]int{"one-call": 1, "each": 4} {
		got := link(t, "columns", prompting.Deps{}, columnsArm(use), methodtest.Question(), nil)
		goldentest.Compare(t, "columns-"+use+".golden", methodtest.Text(got.asked[0].Messages))
		if len(got.asked) != n {
			t.Errorf("%s: %d calls, want %d", use, len(got.asked), n)
		}
	}
	q := methodtest.Question()
	q.Schema.Tables[0].Columns[1].Found = []string{"Sundby"}
	got := link(t, "columns", prompting.Deps{}, columnsArm("each"), q, nil)
	if text := got.asked[1].Messages[1].Text; !strings.Contains(text, "Example values: Sundby, Sund, Nordby\n") {
		t.Errorf("what was found is not shown in\n%s", text)
	}
}

// judged judges columns; of one of them the model says nothing.
func judged(r llm.Request) (string, error) {
	switch text := r.Messages[1].Text; {
	case strings.Contains(text, "Column: Guests"):
		return "", &llm.Failure{Reason: "empty"}
	case strings.Contains(text, "Column: Home Port"):
		return `{"relevant": "Yes"}`, nil
	case strings.Contains(text, "Column: "):
		return `{"relevant": "No"}`, nil
	}
	return `{"route": ["home port"]}`, nil
}

// TestChosenColumns: the schema is cut down to what the model chooses, and no answer removes nothing.
func TestChosenColumns(t *testing.T) {
	check := func(use string, reply func(llm.Request) (string, error), chosen string, tables int, notes ...string) {
		t.Helper()
		whole := methodtest.Question()
		got := link(t, "columns", prompting.Deps{}, columnsArm(use), whole, reply)
		var said []string
		for _, c := range got.calls {
			said = append(said, c.Stage+": "+c.Note)
		}
		if len(got.links) != 1 || got.links[0].Stage != "columns" || columns.Format(got.links[0].Chosen) != chosen {
			t.Errorf("%s: linked %+v, want %s", use, got.links, chosen)
		}
		if diff := cmp.Diff(notes, said); diff != "" || len(got.q.Schema.Tables) != tables {
			t.Errorf("%s: %d tables, notes (-want +got):\n%s", use, len(got.q.Schema.Tables), diff)
		}
		if diff := cmp.Diff(whole.Schema, got.q.Whole); diff != "" {
			t.Errorf("%s: the whole schema is lost:\n%s", use, diff)
		}
		if shown := got.links[0].Shown; !cmp.Equal(shown, got.q.Schema.Columns()) {
			t.Errorf("%s: shown %v", use, shown)
		}
	}
	check("one-call", judged, `{"Route": ["Home Port"]}`, 1, `columns: {"Route": ["Home Port"]}`)
	check("each", judged, `{"Route": ["Home Port"], "Trip": ["Guests"]}`, 2,
		"column: no columns", `column: {"Route": ["Home Port"]}`, "column: no columns", `column: {"Trip": ["Guests"]}: no answer, kept`)
	// What cannot be read removes no column.
	check("one-call", always("I cannot tell."), "", 2, "columns: no columns")
	check("one-call", func(llm.Request) (string, error) { return "", &llm.Failure{Reason: "empty"} }, "", 2, "columns: no columns")
	check("each", always("Perhaps."), `{"Route": ["RouteID", "Home Port"], "Trip": ["Route", "Guests"]}`, 2,
		`column: {"Route": ["RouteID"]}: no answer, kept`, `column: {"Route": ["Home Port"]}: no answer, kept`,
		`column: {"Trip": ["Route"]}: no answer, kept`, `column: {"Trip": ["Guests"]}: no answer, kept`)
	check("each", always("No."), "", 2, "column: no columns", "column: no columns", "column: no columns", "column: no columns")
}

// TestColumnTroubles: what ends a run, and settings that mean nothing.
func TestColumnTroubles(t *testing.T) {
	end := errors.New("no such recording")
	p, err := part(script.Link, "columns", prompting.Deps{Model: &llm.Scripted{Reply: func(llm.Request) (string, error) { return "", end }}}, columnsArm("each"), 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, _, err := p.Link(t.Context(), methodtest.Question()); !errors.Is(err, end) ||
		!strings.HasPrefix(err.Error(), `script: columns link "test/dev/ferry-1": prompting/methods/columns/method.star:`) {
		t.Errorf("got %v", err)
	}
	if _, _, _, err := p.Link(t.Context(), prompting.Question{ID: "bare"}); err == nil || !strings.Contains(err.Error(), "no schema") {
		t.Errorf("a question without a schema: %v", err)
	}
	check := func(id, want string, arm configs.Arm) {
		t.Helper()
		if _, err := part(script.Link, id, prompting.Deps{Model: &llm.Scripted{}}, arm, 1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	check("columns", `columns.use = "some" is unknown (there are one-call, each, none)`, columnsArm("some"))
	arm := methodtest.Arm("standard", "bird", 0)
	arm.Values = configs.Values{Columns: "all", K: 10, Keywords: "rules", Show: "first"}
	check("values", `values.columns = "all" is unknown (there are content, chess)`, arm)
	arm.Values.Columns, arm.Values.Keywords = "chess", "guess"
	check("values", `values.keywords = "guess" is unknown (there are rules, model)`, arm)
}

// TestNamesAreKept: to the columns that the model chooses come those that the question names, where the settings say so.
func TestNamesAreKept(t *testing.T) {
	check := func(names bool, completion string, want ...string) {
		t.Helper()
		arm := columnsArm("one-call")
		arm.Columns.Names = names
		q := methodtest.Question()
		q.Text = "How long is the route with most guests?"
		var got []string
		for _, c := range link(t, "columns", prompting.Deps{}, arm, q, always(completion)).links[0].Chosen {
			got = append(got, c.Table+"."+c.Column)
		}
		if !slices.Equal(got, want) {
			t.Errorf("names %v, %q: got %q, want %q", names, completion, got, want)
		}
	}
	check(false, `{"Route": ["RouteID"]}`, "Route.RouteID")
	check(true, `{"Route": ["RouteID"]}`, "Route.RouteID", "Trip.Route", "Trip.Guests")
	check(true, "none") // the whole schema is shown: nothing is to be kept
}

// TestFoundValues: values are found by rules without a call, or by what the model says to look up.
func TestFoundValues(t *testing.T) {
	q, _ := ferries(t)
	q.Text = "Which trips from Nordbi have more than 100 guests?"
	dir := t.TempDir()
	d := prompting.Deps{Values: func(ctx context.Context, db engine.DB, o values.Options) (*values.Index, error) {
		o.Dir = dir
		x, err := values.Open(ctx, db, o)
		if err == nil {
			t.Cleanup(func() { x.Close() })
		}
		return x, err
	}}
	check := func(by, completion string, want []string, notes ...string) {
		t.Helper()
		arm := methodtest.Arm("standard", "bird", 0)
		arm.Values.Keywords = by
		got := link(t, "values", d, arm, q, func(r llm.Request) (string, error) {
			if completion == "" {
				return "", &llm.Failure{Reason: "empty"}
			}
			return completion, nil
		})
		var said, found []string
		for _, c := range got.calls {
			said = append(said, c.Stage+": "+c.Note)
		}
		if len(got.links) != 1 || got.links[0].Stage != "values" {
			t.Fatalf("linked %+v", got.links)
		}
		for _, v := range got.links[0].Values {
			found = append(found, v.Dotted()+" = "+v.Value)
		}
		if !slices.Equal(found, want) || !slices.Equal(said, notes) || !slices.Equal(got.q.Schema.Tables[0].Columns[1].Found, texts(got.links[0].Values)) {
			t.Errorf("%s, %q: found %q, notes %q", by, completion, found, said)
		}
		if q.Schema.Tables[0].Columns[1].Found != nil {
			t.Error("the shared description changed")
		}
	}
	nordby := []string{"Route.Home Port = Nordby"}
	check("rules", "unasked", nordby)
	check("model", `["Nordby", "guests"]`, nordby, "keywords: Nordby | guests (1 values)")
	check("model", `["Sund"]`, []string{"Route.Home Port = Sund"}, "keywords: Sund (1 values)")
	check("model", "", nordby, "keywords: no keywords: by rules (1 values)")
}

func texts(in []prompting.LinkedValue) (out []string) {
	for _, v := range in {
		out = append(out, v.Value)
	}
	return out
}

// TestNoFile: a question without a database file is answered without values, and nothing is asked.
func TestNoFile(t *testing.T) {
	arm := methodtest.Arm("standard", "bird", 0)
	arm.Values.Keywords = "model"
	if got := link(t, "values", prompting.Deps{}, arm, methodtest.Question(), nil); len(got.calls) > 0 || len(got.links) > 0 {
		t.Errorf("got %+v", got)
	}
}
