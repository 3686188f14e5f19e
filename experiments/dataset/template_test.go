package dataset

import "testing"

// TestTemplate: queries have one template where they differ in values, case and blanks alone.
func TestTemplate(t *testing.T) {
	check := func(a, b string, same bool) {
		t.Helper()
		if (template(a) == template(b)) != same {
			t.Errorf("%s | %s: one template %v, want %v", a, b, !same, same)
		}
	}
	check("SELECT a FROM t WHERE b = 'x'", "select  a from T where b='y';", true)
	check(`SELECT a FROM t WHERE b = "x"`, "SELECT a FROM t WHERE b = 'y'", true)
	check("SELECT a FROM t LIMIT 1", "SELECT a FROM t LIMIT 20", true)
	check("SELECT a FROM t", "SELECT b FROM t", false)
	check("SELECT a FROM t", "SELECT a FROM t WHERE 1", false)
	if got := template(""); got != "" {
		t.Errorf("no query: %q", got)
	}
}

// TestApart: what must not be shown with a question of text2sql-data: its query's other sentences, and its fold.
func TestApart(t *testing.T) {
	const set = `[{"sql": ["SELECT 1"], "query-split": "0", "sentences": [{"text": "one", "question-split": "0"}, {"text": "uno", "question-split": "1"}]},
		{"sql": ["SELECT 2"], "query-split": "exclude", "sentences": [{"text": "two", "question-split": "exclude"}]}]`
	items, _, err := parseText2SQL([]byte(set), "films", "all", "question")
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "one", items[0].apart, []string{"films entry 1", "films fold 0"})
	equal(t, "its paraphrase", items[1].apart, []string{"films entry 1", "films fold 1"})
	equal(t, "outside of the folds", items[2].apart, []string{"films entry 2", "films fold exclude"})
	if _, _, err = parseText2SQL([]byte(set), "films", "train", "question"); err == nil {
		t.Error("a set of folds has no split train")
	}
}
