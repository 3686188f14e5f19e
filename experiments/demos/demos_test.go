package demos

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/configs"
	"assay/experiments/dataset"
	"assay/prompting/exemplar"
	"assay/prompting/llm"
	"assay/prompting/sql/engine"
	"assay/prompting/sql/sandbox"
	"assay/prompting/tools"
	"assay/prompting/values"

	"github.com/google/go-cmp/cmp"
)

// sample reads the questions of the sample's demonstrations, and makes a checker for them.
func sample(t *testing.T) ([]dataset.Sourced, *Checker) {
	t.Helper()
	dir := t.TempDir()
	questions, warnings, err := dataset.Questions(context.Background(), configs.Dataset{Kind: "sample", Split: "dev"}, dataset.Options{Cache: dir})
	if err != nil || len(warnings) > 0 {
		t.Fatal(err, warnings)
	}
	cache := tools.NewCache(0)
	t.Cleanup(func() { _ = cache.Close() })
	return questions, &Checker{Box: sandbox.New(sandbox.Options{Timeout: 10 * time.Second}), Tools: tools.Options{Cache: cache, Index: values.Options{Dir: dir}}}
}

// made makes demonstrations of the sample.
func made(t *testing.T, o Options) []Made {
	t.Helper()
	questions, checker := sample(t)
	o.Checker = checker
	out, err := Make(context.Background(), questions, o)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestMakeAnnotatesTheSample(t *testing.T) {
	all := made(t, Options{What: Kinds.IDs(), Workers: 4})
	s := Summarise(all)
	last := s.Levels[len(s.Levels)-1]
	if last.Tried != 57 || last.Kept < 50 || last.With[Dialogue] != last.Kept || last.With[Plan] != last.Kept || last.With[CoT] != last.Kept {
		t.Errorf("%+v, failures %+v", last, s.Failures)
	}
	for _, m := range all {
		if m.Kept != (len(m.Steps) > 0) || m.Kept && m.By.Of(Steps) != exemplar.Rule {
			t.Errorf("%s: kept %v with %d steps by %s: %v", m.ID, m.Kept, len(m.Steps), m.By.Of(Steps), m.Failures)
		}
		for _, turn := range m.Dialogue[:max(len(m.Dialogue)-1, 0)] {
			if turn.Observation == "" || turn.Thought == "" {
				t.Errorf("%s: %+v", m.ID, turn)
			}
		}
	}
}

func TestMakeIsTheSameWhateverTheWorkers(t *testing.T) {
	one := made(t, Options{What: []string{Steps, Dialogue}, Limit: 12, Seed: 3, Workers: 1})
	four := made(t, Options{What: []string{Steps, Dialogue}, Limit: 12, Seed: 3, Workers: 4})
	text := func(all []Made) string {
		var b bytes.Buffer
		if err := WriteCSV(&b, Rows(all)); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	if diff := cmp.Diff(text(one), text(four)); diff != "" {
		t.Error(diff)
	}
}

func TestTheChoiceHasTheHardnessThatIsAskedFor(t *testing.T) {
	check := func(hardness string, limit int, want ...int) {
		t.Helper()
		got := make([]int, 4)
		for _, m := range made(t, Options{What: []string{CoT}, Hardness: hardness, Limit: limit}) {
			got[slices.Index(exemplar.Levels, m.Hardness)]++
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s %d: got %v, want %v", hardness, limit, got, want)
		}
	}
	check(Natural, 0, 15, 15, 14, 13)
	check("", 12, 3, 3, 3, 3) // of 57: 3.16, 3.16, 2.95, 2.74
	check(Balanced, 10, 3, 3, 2, 2)
	check("hard, extra", 6, 0, 0, 3, 3)
	_, err := newChoice(nil, Options{Hardness: "harder"})
	if err == nil || !strings.Contains(err.Error(), `hardness "harder": want natural, balanced, or some of easy,medium,hard,extra`) {
		t.Errorf("got %v", err)
	}
}

// TestCheck: what is wrong with an annotation is found, and named.
func TestCheck(t *testing.T) {
	all := made(t, Options{What: Kinds.IDs()})
	_, checker := sample(t)
	at := slices.IndexFunc(all, func(m Made) bool { return len(m.Steps) > 1 && len(m.Dialogue) > 3 })
	check := func(what, kind, reason string, spoil func(*exemplar.Demo)) {
		t.Helper()
		one := all[at].Sourced
		one.Steps, one.Dialogue = slices.Clone(one.Steps), slices.Clone(one.Dialogue)
		spoil(&one.Demo)
		got, err := checker.Check(context.Background(), one)
		switch {
		case err != nil:
			t.Fatal(err)
		case reason == "" && len(got) > 0, reason != "" && (len(got) != 1 || got[0].Kind != kind || got[0].Reason != reason):
			t.Errorf("%s: got %v, want %s: %s", what, got, kind, reason)
		}
	}
	check("as it was made", "", "", func(*exemplar.Demo) {})
	check("another last step", Steps, "the last step is not the gold query", func(d *exemplar.Demo) { d.Steps[len(d.Steps)-1].SQL = "SELECT 1" })
	check("a step that does not run", Steps, notRun, func(d *exemplar.Demo) { d.Steps[0].SQL = "SELECT nothing FROM nowhere" })
	check("a column that is not there", Steps, noColumn, func(d *exemplar.Demo) { d.Steps[0].Columns = "nowhere (nothing)" })
	check("columns in no form", Steps, noColumn, func(d *exemplar.Demo) { d.Steps[0].Columns = "name" })
	check("another gold query", "", "gold query: "+notRun, func(d *exemplar.Demo) { d.SQL = "SELEC" })
	check("other rows", Division, "what is put together gives other rows than the gold query", func(d *exemplar.Demo) {
		d.Division = &exemplar.Division{Parts: []exemplar.Part{{SQL: "SELECT 'other'"}}}
	})
	check("no action", Dialogue, "an action cannot be read", func(d *exemplar.Demo) { d.Dialogue[0].Action = "look" })
	check("no such tool", Dialogue, "an action fails", func(d *exemplar.Demo) { d.Dialogue[0].Action = "Drop('x')" })
	check("another observation", Dialogue, "an action gives another observation", func(d *exemplar.Demo) { d.Dialogue[0].Observation = "nothing" })
	check("no end", Dialogue, "the dialogue does not end with the gold query and Done()", func(d *exemplar.Demo) { d.Dialogue = d.Dialogue[:1] })
	check("turns after the end", Dialogue, "there are turns after Done()", func(d *exemplar.Demo) { d.Dialogue = append(d.Dialogue, d.Dialogue[0]) })
}

func TestReviewIsReadBack(t *testing.T) {
	var kept []exemplar.Demo
	all := made(t, Options{What: Kinds.IDs(), Limit: 8})
	for _, m := range all {
		if m.Kept {
			kept = append(kept, m.Demo)
		}
	}
	var file bytes.Buffer
	if err := WriteCSV(&file, Rows(all)); err != nil {
		t.Fatal(err)
	}
	rows, err := ReadCSV(file.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	got, done, err := Apply(kept, rows)
	if diff := cmp.Diff(kept, got); err != nil || diff != "" || done != (Applied{}) {
		t.Errorf("a review without verdicts changes nothing: %v %+v %s", err, done, diff)
	}
	change := func(id, part string, how func(*Row)) {
		i := slices.IndexFunc(rows, func(r Row) bool { return r.ID == id && r.Part == part })
		if i < 0 {
			t.Fatalf("no row %s %s", id, part)
		}
		how(&rows[i])
	}
	change(kept[0].ID, "question", func(r *Row) { r.Verdict, r.Note = Keep, "fine" })
	change(kept[0].ID, CoT, func(r *Row) { r.Text = "It reads." })
	change(kept[1].ID, "question", func(r *Row) { r.Verdict = Drop })
	change(kept[2].ID, Dialogue, func(r *Row) { r.Verdict = Drop })
	got, done, err = Apply(kept, rows)
	if err != nil || done != (Applied{Kept: 1, Dropped: 1, Edited: 1, Removed: 1}) || len(got) != len(kept)-1 {
		t.Fatalf("%v %+v, %d demonstrations", err, done, len(got))
	}
	if d := got[0]; !d.Reviewed || d.Note != "fine" || d.CoT != "It reads." || d.By.Of(CoT) != exemplar.Hand || d.By.Of(Steps) != exemplar.Rule {
		t.Errorf("%+v", d)
	}
	if d := got[1]; d.ID != kept[2].ID || d.Dialogue != nil || len(d.Steps) == 0 {
		t.Errorf("%+v", d)
	}
}

func TestAReviewThatDoesNotFitIsRefused(t *testing.T) {
	d := exemplar.Demo{ID: "a", Question: "Q?", SQL: "SELECT 1", CoT: "c"}
	check := func(want string, rows ...Row) {
		t.Helper()
		if _, _, err := Apply([]exemplar.Demo{d}, rows); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	check(`there is no demonstration "b"`, Row{ID: "b", Part: "question"})
	check("question and gold query belong to the dataset", Row{ID: "a", Part: "question", Text: "Q?", SQL: "SELECT 2"})
	check("the demonstration has 0 steps", Row{ID: "a", Part: "step 1"})
	check("the division has no such part", Row{ID: "a", Part: "part 1"})
	check("there is no such part: want question", Row{ID: "a", Part: "thing"})
	check("it is empty: the verdict drop takes it out", Row{ID: "a", Part: CoT})
	check("it stands twice in the review", Row{ID: "a", Part: "question", Verdict: Keep}, Row{ID: "a", Part: "question", Verdict: Drop})
	d.Steps = []exemplar.Step{{Question: "Part?", SQL: "SELECT 0"}, {Question: "Q?", SQL: "SELECT 1"}}
	check("question and gold query belong to the dataset", Row{ID: "a", Part: "step 2", Text: "Q?", SQL: "SELECT 2"})
	check("question and gold query belong to the dataset", Row{ID: "a", Part: "step 2", Text: "Another?", SQL: "SELECT 1"})
	d.Division = &exemplar.Division{Parts: []exemplar.Part{{Question: "Q?", SQL: "SELECT 1"}}}
	check("question and gold query belong to the dataset", Row{ID: "a", Part: "part", Text: "Another?", SQL: "SELECT 1"})
	read := func(text, want string) {
		t.Helper()
		if _, err := ReadCSV([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	read("", "the header of the review is missing")
	read("id,part,text,sql,verdict\n", "it has no row below its header")
	read("id,part,text,sql,verdict,note\ra,question,Q?,SELECT 1,keep,\r", "it has no row below its header")
	read("id,part\n", `there is no column "text"`)
	read("id,part,text,sql,verdict\na,question,Q,S,maybe\n", `row 2: verdict "maybe" of "a": want keep, drop, or nothing`)
}

// TestAnEditedStep: what a rule said of it goes, its score and its columns.
func TestAnEditedStep(t *testing.T) {
	d := exemplar.Demo{ID: "a", Question: "How many cakes?", SQL: "SELECT 1", Naturalness: 0.2, By: exemplar.Provenance{Steps: exemplar.Rule, Columns: exemplar.Rule},
		Steps: []exemplar.Step{{Question: "T whose c is x?", SQL: "SELECT 0", Columns: "t (c)"}, {Question: "How many cakes?", SQL: "SELECT 1", Columns: "t (d)"}}}
	got, _, err := Apply([]exemplar.Demo{d}, []Row{{ID: "a", Part: "step 1", Text: "Which cakes are there?", SQL: "SELECT 2"}})
	if err != nil {
		t.Fatal(err)
	}
	if e := got[0]; e.Steps[0].Columns+e.Steps[1].Columns != "" || e.By.Columns != exemplar.Rule || e.By.Of(Steps) != exemplar.Hand || e.Naturalness != 1 {
		t.Errorf("%+v", e)
	}
	if d.Steps[0].Columns == "" {
		t.Error("the argument is changed")
	}
}

// TestReviewsOfOtherSpreadsheets: cells split at semicolons or tabs, a mark of the byte order, and both characters at a line's end.
func TestReviewsOfOtherSpreadsheets(t *testing.T) {
	check := func(text string) {
		t.Helper()
		rows, err := ReadCSV([]byte(text))
		if err != nil || len(rows) != 1 || rows[0].Verdict != Keep || rows[0].Text != "How many, and why?" {
			t.Errorf("%q: %v %+v", text, err, rows)
		}
	}
	check("id;part;text;sql;verdict\r\na;question;How many, and why?;SELECT 1;KEEP\r\n")
	check("\ufeffid\tpart\ttext\tsql\tverdict\na\tquestion\tHow many, and why?\tSELECT 1\tkeep\n")
	check("\ufeffverdict,id,part,text,sql\r\nkeep ,a,question,\"How many, and why?\",SELECT 1\r\n")
}

// model answers drafts with texts, one a call, the last one again and again.
type model struct {
	text string
	err  error
}

func (m model) Generate(_ context.Context, r llm.Request) (llm.Response, error) {
	if !strings.Contains(r.Messages[len(r.Messages)-1].Text, "SQL: SELECT") {
		return llm.Response{}, errors.New("the prompt has no gold query")
	}
	return llm.Response{Text: m.text}, m.err
}

func TestDraft(t *testing.T) {
	questions, checker := sample(t)
	check := func(m model, want string) {
		t.Helper()
		d, err := NewDrafter(Voice{Model: m, Author: llm.Author{Provider: "p", Model: "m"}})
		if err != nil {
			t.Fatal(err)
		}
		got, err := Make(context.Background(), questions[:1], Options{What: []string{Steps, CoT}, Draft: d, Checker: checker})
		if err != nil {
			t.Fatal(err)
		}
		switch one := got[0]; {
		case want == "" && (!one.Kept || one.By.Of(Steps) != "model p/m" || one.CoT == "" || one.Steps[len(one.Steps)-1].SQL != one.SQL):
			t.Errorf("%q: %+v", m.text, one)
		case want != "" && (one.Kept || !slices.ContainsFunc(one.Failures, func(f Failure) bool { return f.Reason == want })):
			t.Errorf("%q: got %v, want %q", m.text, one.Failures, want)
		}
	}
	check(model{text: "Sure:\n```json\n{\"steps\": [], \"cot\": \"It reads.\"}\n```"}, "")
	check(model{text: `{"steps": [{"question": "How many are there?", "sql": "SELECT count(*) FROM products;"}], "cot": "It\nreads."}`}, "")
	check(model{text: `{"steps": [{"question": "How many?", "sql": "SELECT missing(name) FROM products"}], "cot": "x"}`}, notRun)
	check(model{text: `{"steps": [{"question": "", "sql": "SELECT 1"}], "cot": "x"}`}, "a step lacks its question or its SQL")
	check(model{text: `{"steps": [], "cot": "x", "more": 1}`}, "the answer is not the JSON that was asked for")
	check(model{text: `{"steps": []}`}, "the answer is not the JSON that was asked for")
	check(model{text: `{"cot": "x"}`}, "the answer is not the JSON that was asked for")
	check(model{text: `{"steps": [{"question": "Gone?", "sql": "DROP TABLE products"}], "cot": "x"}`}, notRead)
	check(model{text: "I cannot."}, "the answer holds no JSON object")
	check(model{err: &llm.Failure{Reason: "http 500"}}, "the model gives no answer")
}

// TestADraftIsAskedForWhereTheGoldQueryRuns: no call is paid for a question that is not kept anyhow.
func TestADraftIsAskedForWhereTheGoldQueryRuns(t *testing.T) {
	questions, checker := sample(t)
	check := func(what, reason string, spoil func(*dataset.Sourced)) {
		t.Helper()
		one := questions[0]
		spoil(&one)
		d, err := NewDrafter(Voice{Model: model{err: errors.New("it is asked")}})
		if err != nil {
			t.Fatal(err)
		}
		got, err := Make(t.Context(), []dataset.Sourced{one}, Options{What: []string{Steps}, Draft: d, Checker: checker})
		if err != nil || len(got) != 1 || got[0].Kept || len(got[0].Failures) != 1 || got[0].Failures[0].Reason != reason {
			t.Errorf("%s: %v %+v", what, err, got)
		}
	}
	check("no file", NoFile, func(s *dataset.Sourced) { s.Database = engine.DB{} })
	check("another query", "gold query: "+notRun, func(s *dataset.Sourced) { s.SQL = "SELECT nothing FROM nowhere" })
}

// scores answers with a text, and counts.
type scores struct {
	text string
	n    *int
}

func (m scores) Generate(context.Context, llm.Request) (llm.Response, error) {
	*m.n++
	return llm.Response{Text: m.text}, nil
}

func TestScore(t *testing.T) {
	questions, checker := sample(t)
	check := func(text, by string, natural float64, reason string) {
		t.Helper()
		n := 0
		s, err := NewScorer(Voice{Model: scores{text, &n}, Author: llm.Author{Provider: "p", Model: "m"}})
		if err != nil {
			t.Fatal(err)
		}
		all, err := Make(t.Context(), questions, Options{What: []string{Steps}, Score: s, Checker: checker})
		if err != nil {
			t.Fatal(err)
		}
		asked := 0
		for _, m := range all {
			switch {
			case !m.Kept:
			case len(m.Steps) < 2:
				if m.By.Naturalness != exemplar.Rule || m.Naturalness != 1 {
					t.Errorf("%s: %+v", m.ID, m)
				}
			default:
				asked++
				failed := slices.ContainsFunc(m.Failures, func(f Failure) bool { return f.Kind == Score && f.Reason == reason })
				if m.By.Naturalness != by || natural > 0 && m.Naturalness != natural || failed != (reason != "") {
					t.Errorf("%q: %s: %v by %q: %v", text, m.ID, m.Naturalness, m.By.Naturalness, m.Failures)
				}
			}
		}
		if asked == 0 || n != asked {
			t.Errorf("%q: %d calls for %d", text, n, asked)
		}
	}
	check(`{"score": 4, "why": "wordy"}`, "model p/m", 0.8, "")
	check("```json\n{\"score\": 5, \"why\": \"\"}\n```\nThat is {all}.", "model p/m", 1, "")
	check(`{"score": 7, "why": ""}`, exemplar.Rule, 0, otherJSON)
	check(`{"why": "wordy"}`, exemplar.Rule, 0, otherJSON)
	check(`{"score": 3.5, "why": ""}`, exemplar.Rule, 0, otherJSON)
	check(`{"score": 3}{"score": 4}`, exemplar.Rule, 0, otherJSON)
	check("four", exemplar.Rule, 0, noJSON)
}

func FuzzReadScore(f *testing.F) {
	f.Add(`{"score": 4, "why": "wordy"}`)
	f.Fuzz(func(t *testing.T, text string) {
		if score, _, reason, _ := readScore(text); reason == "" && (score < 1 || score > best) {
			t.Error(score)
		}
	})
}

func FuzzReadDraft(f *testing.F) {
	f.Add(`{"steps": [{"question": "a", "sql": "b"}], "cot": "c"}`)
	f.Add("}{")
	f.Fuzz(func(_ *testing.T, text string) { readDraft(text, true, true) })
}

func FuzzReadCSV(f *testing.F) {
	f.Add("id,part,text,sql,verdict\na,question,Q?,SELECT 1,keep\na,step 1,x,y,\n")
	f.Fuzz(func(_ *testing.T, text string) {
		rows, err := ReadCSV([]byte(text))
		if err == nil {
			_, _, _ = Apply([]exemplar.Demo{{ID: "a", Question: "Q?", SQL: "SELECT 1", Steps: []exemplar.Step{{}}}}, rows)
		}
	})
}
