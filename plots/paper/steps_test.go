package paper

import (
	"slices"
	"strings"
	"testing"

	"assay/configs"
	"assay/experiments/record"
	"assay/metrics"
	"assay/metrics/exact"

	"github.com/google/go-cmp/cmp"
)

// stepped is a run of an arm in steps, an arm without, and one whose steps are words alone, over four items, worked by hand.
func stepped(t *testing.T) *record.Run {
	t.Helper()
	e := experiment(t, "[0]", "kind = \"sample\"", `[[arm]]
name = "standard"
method = "standard"
[[arm]]
name = "l2m"
method = "least-to-most"
[[arm]]
name = "words"
method = "qdecomp"
`)
	r := &record.Run{Resolved: e, Manifest: record.Manifest{ID: "0123456789", Experiment: "demo", Complete: true, Dataset: "sample/dev", Items: 4,
		Metrics: []record.Metric{{ID: "ts"}, {ID: "ex"}}}}
	status := func(right bool) (metrics.Status, []record.Value) {
		if right {
			return metrics.Correct, []record.Value{{V: 1, OK: true}, {V: 1, OK: true}}
		}
		return metrics.Wrong, []record.Value{{OK: true}, {OK: true}}
	}
	for i, q := range []string{"1", "2", "3", "4"} {
		id := "sample/dev/" + q
		r.Questions = append(r.Questions, record.Question{Item: id, DB: "ferry", Gold: "SELECT 1", Hardness: "easy"})
		for _, arm := range []string{"standard", "l2m", "words"} {
			right := map[string][4]bool{"standard": {true, true, false, true}, "l2m": {true, true, false, false}, "words": {}}[arm][i]
			s, v := status(right)
			r.Items = append(r.Items, record.Item{Item: id, DB: "ferry", Arm: arm, Hardness: "easy", Status: s, Values: v})
			r.Candidates = append(r.Candidates, record.Candidate{Item: id, Arm: arm, Generator: "g", Status: s, Values: v, Chosen: 1})
		}
		n := func(k int) record.Count { return record.CountOf(k) }
		first := record.Step{Item: id, Arm: "l2m", Generator: "g", Step: 1, SQL: "x", Status: "ran", Rows: n(2), Named: n(2), Hit: n(2), Seen: n(2), SeenHit: n(2), Gold: n(4)}
		last := record.Step{Item: id, Arm: "l2m", Generator: "g", Step: 2, SQL: "y", Final: 1, Status: "empty", Rows: n(0), Named: n(2), Hit: n(1), Seen: n(4), SeenHit: n(3), Gold: n(4)}
		if i >= 2 {
			first.Status, first.Error, first.Hit, first.SeenHit = "sql-error", "fails", n(0), n(0)
		}
		r.Steps = append(r.Steps, first, last, record.Step{Item: id, Arm: "words", Generator: "g", Step: 1, Question: "w", Status: "no-query"})
	}
	return r
}

// csvRow returns the cells of a table's row by heading, the row being the first whose beginning is that.
func csvRow(t *testing.T, r *record.Run, name, begins string) map[string]string {
	t.Helper()
	var b strings.Builder
	if err := one(t, r, name).Table.WriteCSV(&b); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")
	for _, l := range lines[1:] {
		if strings.HasPrefix(l, begins) {
			out := map[string]string{}
			cells := strings.Split(l, ",")
			for i, h := range strings.Split(lines[0], ",") {
				out[h] = cells[i]
			}
			return out
		}
	}
	t.Fatalf("%s: no row %q in\n%s", name, begins, b.String())
	return nil
}

func TestSteps(t *testing.T) {
	check := func(name, begins string, want map[string]string) {
		t.Helper()
		row := csvRow(t, stepped(t), name, begins)
		for h, w := range want {
			if row[h] != w {
				t.Errorf("%s %s: %s is %q, want %q in %v", name, begins, h, row[h], w, row)
			}
		}
	}
	check("steps", "l2m,1,", map[string]string{"steps": "4", "with_an_error_pct": "50", "sql_ran_pct": "50", "sql_empty_pct": "0", "sql_fails_pct": "50",
		"columns_precision_pct": "50", "columns_so_far_precision_pct": "50", "columns_so_far_recall_pct": "25"})
	check("steps", "l2m,the question,", map[string]string{"with_an_error_pct": "0", "sql_empty_pct": "100", "columns_precision_pct": "50", "columns_so_far_precision_pct": "75",
		"columns_so_far_recall_pct": "75", "columns_so_far_f1_pct": "75"})
	check("steps", "l2m,all,", map[string]string{"steps": "8", "with_an_error_pct": "25"})
	check("steps", "words,1,", map[string]string{"steps": "4", "with_an_error_pct": "", "sql_ran_pct": ""})
	check("first-errors", "l2m,", map[string]string{"answers": "4", "no_error_pct": "50", "first_error_at_step_1_pct": "50", "first_error_at_step_2_pct": "0", "which_fails": "2", "which_outside": "0"})
	// Both answers after an error are wrong, neither of the others; standard is right in one of the first and both of the second.
	check("propagation", "l2m,", map[string]string{"answers_with_an_error": "2", "answers_without": "2", "wrong_pct_with_an_error": "100", "wrong_pct_without": "0",
		"difference_points": "100", "difference_same_level": "100", "gain_over_an_arm_without_steps_with_an_error": "-50", "gain_over_an_arm_without_steps_without": "0",
		"gain_over_an_arm_without_steps_difference": "-50"})
	for _, want := range []string{"l2m: answers are wrong in 100.0 % of 2 after an error in a step and in 0.0 % of 2 without, 100.0 points more",
		"Against standard on the same items l2m has -50.0 points after an error and 0.0 without", "Without steps, and so without a row: standard.",
		"Steps in words alone, which cannot be judged: words."} {
		if got := said(t, stepped(t), "propagation"); !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

// The arm without steps is one of the same model; in runs that are joined, of the same seeds.
func TestStepless(t *testing.T) {
	check := func(change func(configs.Arm) configs.Arm, seed int64, want string) {
		t.Helper()
		r := stepped(t)
		arms := r.Resolved.Arms
		r.Resolved.Arms = nil
		for _, a := range arms { // the other run comes first
			b := change(a)
			b.Name, b.Label = a.Name+"-2", a.Name+"-2"
			r.Resolved.Arms = append(r.Resolved.Arms, b)
		}
		r.Resolved.Arms = append(r.Resolved.Arms, arms...)
		for _, it := range slices.Clone(r.Items) {
			it.Arm, it.Seed = it.Arm+"-2", seed
			r.Items = append([]record.Item{it}, r.Items...)
		}
		if got := said(t, r, "propagation"); !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	check(func(a configs.Arm) configs.Arm { a.Model.Name = "other"; return a }, 0, "Against standard on the same items l2m")
	check(func(a configs.Arm) configs.Arm { return a }, 1, "Against standard on the same items l2m")
}

// A question that was not divided has no step in which an error could be.
func TestUndivided(t *testing.T) {
	r := stepped(t)
	r.Steps = slices.DeleteFunc(r.Steps, func(s record.Step) bool { return s.Item == "sample/dev/1" && s.Final == 0 })
	if row := csvRow(t, r, "first-errors", "l2m,"); row["answers"] != "3" || row["first_error_at_step_1_pct"] != "66.66666666666667" {
		t.Error(row)
	}
	if row := csvRow(t, r, "propagation", "l2m,"); row["answers_with_an_error"] != "2" || row["answers_without"] != "1" {
		t.Error(row)
	}
	if row := csvRow(t, r, "steps", "l2m,the question,"); row["steps"] != "4" {
		t.Error(row)
	}
}

// A run without steps, or with steps of words alone, is told so.
func TestNoSteps(t *testing.T) {
	check := func(r *record.Run, name, want string) {
		t.Helper()
		rep, err := Make(r, Options{Names: []string{name}})
		if err != nil || len(rep.Missing) != 1 || !strings.Contains(rep.Missing[0].Err.Error(), want) {
			t.Errorf("%s: %v, %v: want %q", name, err, rep.Missing, want)
		}
	}
	r := stepped(t)
	r.Steps = nil
	check(r, "steps", "older than steps.csv")
	check(r, "propagation", "older than steps.csv")
	check(r, "components", "needs the metric em")
	check(r, "turns", "no arm of it works in turns")
	r = stepped(t)
	for i := range r.Steps {
		r.Steps[i].SQL, r.Steps[i].Status = "", "no-query"
	}
	check(r, "first-errors", "neither SQL nor columns")
	// Traces of candidates that the run does not have count nowhere.
	r = stepped(t)
	r.Candidates = nil
	if got := said(t, r, "propagation"); !strings.Contains(got, "nothing can be said of propagation") {
		t.Error(got)
	}
}

func TestComponents(t *testing.T) {
	r := stepped(t)
	r.Manifest.Metrics = append(r.Manifest.Metrics, record.Metric{ID: "em"})
	for i := range r.Items {
		r.Items[i].Values = append(r.Items[i].Values, record.Value{OK: true})
	}
	for i := range r.Candidates {
		r.Candidates[i].Values = append(r.Candidates[i].Values, record.Value{OK: true})
	}
	for i, right := range []bool{true, true, false} {
		var m exact.Counted
		m.Parsed = i < 2
		m.Predicted[exact.SelectPart], m.Gold[exact.SelectPart], m.Right[exact.SelectPart] = m.Parsed, true, right
		m.Predicted[exact.WherePart], m.Gold[exact.WherePart] = m.Parsed, true
		c := record.Component{Item: r.Questions[i].Item, Arm: "standard"}
		c.SetCounted(m)
		r.Components = append(r.Components, c)
	}
	for begins, want := range map[string][3]string{"standard,easy,prec.": {"100", "0", ""}, "standard,easy,recall": {"66.66666666666666", "0", ""}, "standard,all,F1": {"80", "0", ""}} {
		row := csvRow(t, r, "components", begins)
		if got := [3]string{row["select"], row["where"], row["group"]}; got != want {
			t.Errorf("%s: %v, want %v", begins, got, want)
		}
	}
	if got := said(t, r, "components"); !strings.Contains(got, "1 answer is outside Spider's grammar") {
		t.Error(got)
	}
}

func TestDialogues(t *testing.T) {
	call := func(stage, note, seen string) record.Call {
		return record.Call{Item: "i", Arm: "a", Stage: stage, Note: note, Observation: seen, PromptTokens: record.CountOf(10), CompletionTokens: record.CountOf(1)}
	}
	r := &record.Run{Manifest: record.Manifest{ID: "0123456789"}, Questions: []record.Question{{Item: "i", DB: "d"}}}
	r.Items = []record.Item{{Item: "i", DB: "d", Arm: "a", SQL: "SELECT name  FROM ferry"}}
	r.Calls = []record.Call{call("keywords", "", ""), call("turn 1", "SearchColumn('x')", `{"column":"name","table":"ferry"}`), call("turn 1", "not taken: Done()", ""),
		call("turn 2", "no action", "Error: no"), call("redo 1: turn 1", "ExecuteSQL('SELECT name FROM ferry')", "[]"), call("redo 1: turn 2", "Done() (end: done)", ""), call("fix 1", "", "")}
	x := r.Index()
	var got [][]string
	for _, one := range Dialogues(x, &x.Answers[0]) {
		var turns []string
		for _, t := range one {
			turns = append(turns, t.Stage+" "+t.Action+": "+t.Said())
		}
		got = append(got, turns)
	}
	want := [][]string{{"turn 1 SearchColumn('x'): used, 22 tokens", "turn 2 : failed, 11 tokens"},
		{"redo 1: turn 1 ExecuteSQL('SELECT name FROM ferry'): answer, 11 tokens", "redo 1: turn 2 Done(): end, 11 tokens"}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestGeneratorPairs(t *testing.T) {
	r := stepped(t)
	r.Items, r.Candidates, r.Steps = r.Items[:0], nil, nil
	e := experiment(t, "[0]", "kind = \"sample\"", "[[arm]]\nname = \"pool\"\nmethod = \"pool\"\ngenerators = [\"dc-cot\", \"qp-cot\", \"os\"]\n")
	r.Resolved = e
	for i, q := range r.Questions { // dc-cot solves 1 and 2, qp-cot 2 and 3, os 1
		r.Items = append(r.Items, record.Item{Item: q.Item, DB: "ferry", Arm: "pool", Status: metrics.Wrong, Values: []record.Value{{OK: true}, {OK: true}}})
		for g, solves := range [][4]bool{{true, true}, {false, true, true}, {true}} {
			c := record.Candidate{Item: q.Item, Arm: "pool", Generator: []string{"dc-cot", "qp-cot", "os"}[g], Status: metrics.Wrong, Values: []record.Value{{OK: true}, {OK: true}}}
			if solves[i] {
				c.Status = metrics.Correct
			}
			r.Candidates = append(r.Candidates, c)
		}
	}
	check := func(name, begins string, want map[string]string) {
		t.Helper()
		row := csvRow(t, r, name, begins)
		for h, w := range want {
			if row[h] != w {
				t.Errorf("%s %s: %s is %q, want %q in %v", name, begins, h, row[h], w, row)
			}
		}
	}
	check("generator-pairs", "pool,dc-cot,qp-cot", map[string]string{"items_that_solve_both": "1", "items_that_solve_first_only": "1", "items_that_solve_second_only": "1", "items_that_solve_neither": "1",
		"percent_first": "50", "percent_oracle": "75", "percent_gain_over_the_better": "25"})
	check("generator-pairs", "pool,qp-cot,os", map[string]string{"items_that_solve_both": "0", "percent_oracle": "75", "percent_gain_over_the_better": "25", "percent_second": "25"})
	check("generator-pairs", "pool,dc-cot,os", map[string]string{"percent_oracle": "50", "percent_gain_over_the_better": "0"})
	check("generator-order", "pool,dc-cot", map[string]string{"items_solved": "2", "items_alone": "0", "percent_added": "50", "percent_oracle_so_far": "50"})
	check("generator-order", "pool,qp-cot", map[string]string{"items_solved": "2", "items_alone": "1", "percent_added": "25", "percent_oracle_so_far": "75"})
	check("generator-order", "pool,os", map[string]string{"items_alone": "0", "percent_added": "0", "percent_oracle_so_far": "75"})
}
