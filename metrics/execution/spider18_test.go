package execution

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/metrics"
	"assay/prompting/sql/sandbox"
	"assay/prompting/sql/schema"
)

var orchardNames = new(schema.Database).Add("tree", "id", "kind", "height", "value").Add("shed", "id")

func TestSpider18(t *testing.T) {
	box := sandbox.New(sandbox.Options{})
	base := orchard(t)
	base.Schema = orchardNames
	m := newMetric(t, "ex-spider18", box)
	check := func(want metrics.Status, gold, pred string) {
		t.Helper()
		c := base
		c.Gold, c.Predicted = gold, pred
		s, err := m.Score(t.Context(), c)
		if err != nil || s.Status != want || (s.Value == 1) != (want == metrics.Correct) || (want == metrics.Correct) != (s.Why == "") {
			t.Errorf("%q: %+v, %v, want %s", pred, s, err, want)
		}
	}
	check(metrics.Correct, "SELECT id, kind FROM tree", "SELECT kind, id FROM tree")
	check(metrics.Wrong, "SELECT id FROM tree", "SELECT id FROM tree ORDER BY id DESC") // rows count in their order
	check(metrics.Wrong, "SELECT id FROM tree", "SELECT id FROM tree WHERE id < 3")
	check(metrics.Wrong, "SELECT id FROM tree", "SELECT id, kind FROM tree")
	check(metrics.Wrong, "SELECT id FROM tree WHERE id = 3", "SELECT count(*) FROM tree")          // both are 3
	check(metrics.Wrong, "SELECT id FROM tree WHERE id > 9", "SELECT kind FROM tree WHERE id > 9") // both are empty
	check(metrics.Correct, "SELECT id FROM tree WHERE id > 9", "SELECT id FROM tree WHERE id > 99")
	check(metrics.Correct, "SELECT max(height), min(height) FROM tree", "SELECT height, min(height) FROM tree WHERE id = 3")
	check(metrics.Wrong, "SELECT max(height), min(height) FROM tree", "SELECT min(height), max(height) FROM tree")
	check(metrics.Correct, "SELECT * FROM tree WHERE id = 3", "SELECT count(*) FROM tree") // the first column alone
	check(metrics.Correct, "SELECT value FROM tree", "SELECT T1.value FROM tree AS T1")
	check(metrics.Correct, "SELECT height FROM tree WHERE id = 2", "SELECT sum(height) FROM tree WHERE id = 2") // 4.0, 4.0
	check(metrics.Wrong, "SELECT id FROM tree", "SELECT T.id FROM tree T")                                      // not in the grammar
	check(metrics.Wrong, "SELECT id FROM tree", "SELECT id kind FROM tree")                                     // two names, one column
	check(metrics.Wrong, "SELECT id kind FROM tree", "SELECT id, kind FROM tree")
	check(metrics.Wrong, "SELECT kind FROM tree", "SELECT CAST(x'ff' AS TEXT) FROM tree")
	check(metrics.Wrong, "SELECT kind FROM tree", "SELECT kind FROM tree UNION SELECT CAST(x'ff' AS TEXT)")
	check(metrics.SQLError, "SELECT id FROM tree", "SELECT size FROM tree")
	check(metrics.Rejected, "SELECT id FROM tree", "DELETE FROM tree")
	check(metrics.Rejected, "SELECT id FROM tree", "SELECT id FROM tree; SELECT id FROM tree")
	check(metrics.NoSQL, "SELECT id FROM tree", " ")
	check(metrics.GoldError, "SELECT T.id FROM tree T", "SELECT id FROM tree")
	check(metrics.GoldError, "SELECT id FROM tree WHERE id", "SELECT id FROM tree")
	base.Schema = new(schema.Database).Add("tree", "size")
	check(metrics.GoldError, "SELECT size FROM tree", "SELECT id FROM tree")
	base.Schema = nil
	if _, err := m.Score(t.Context(), base); err == nil || !strings.Contains(err.Error(), "no schema") {
		t.Errorf("without a schema: %v", err)
	}
}

func TestParitySpider18(t *testing.T) {
	parity{metric: "ex-spider18", verdicts: "verdicts/spider_dev_orig_eval", column: "ex_orig", preds: "predictions/spider_dev",
		gold: spiderDevGold, database: "spider/database", schemas: spiderSchemas(t),
		files: systems("dail_gpt4", "graphix_t5", "tse_dev_10", "mac_sql", "c3_chatgpt", "din_gpt4", "codex_few_shot"),
	}.run(t)
}

// spiderSchemas is Spider's tables.json.
func spiderSchemas(t *testing.T) map[string]*schema.Database {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(real, "spider/tables.json"))
	if err != nil {
		t.Skipf("the data sets are not here: %v", err)
	}
	var list []struct {
		DB      string   `json:"db_id"`
		Tables  []string `json:"table_names_original"`
		Columns [][2]any `json:"column_names_original"`
		Foreign [][2]int `json:"foreign_keys"`
	}
	if err := json.Unmarshal(raw, &list); err != nil {
		t.Fatal(err)
	}
	out := map[string]*schema.Database{}
	for _, e := range list {
		s := &schema.Database{}
		for _, name := range e.Tables {
			s.Tables = append(s.Tables, schema.Table{Name: name})
		}
		refs := make([]schema.ColumnName, len(e.Columns))
		for i, c := range e.Columns {
			if at := int(c[0].(float64)); at >= 0 {
				tab := &s.Tables[at]
				tab.Columns = append(tab.Columns, schema.Column{Name: c[1].(string)})
				refs[i] = schema.ColumnName{Table: tab.Name, Column: c[1].(string)}
			}
		}
		for _, f := range e.Foreign {
			from, to := refs[f[0]], refs[f[1]]
			s.ForeignKeys = append(s.ForeignKeys, schema.ForeignKey{Table: from.Table, Column: from.Column, RefTable: to.Table, RefColumn: to.Column})
		}
		out[e.DB] = s
	}
	return out
}
