package exact

import (
	"context"
	"errors"
	"strings"
	"testing"

	"assay/metrics"
	"assay/prompting/sql/schema"
)

// predictions reads a file of one SQL a line, in the order of the questions.
func predictions(t testing.TB, name string) []string {
	t.Helper()
	lines := strings.Split(strings.TrimRight(string(realFile(t, name)), "\n"), "\n")
	for i, line := range lines {
		line, _, _ = strings.Cut(strings.TrimSpace(line), "\t")
		lines[i] = line
	}
	return lines
}

// parts gives the partial matches as the verdict files have them.
func parts(m Match) string {
	var out []string
	for _, ok := range m.Parts {
		out = append(out, bit(ok))
	}
	return strings.Join(out, ",")
}

func bit(b bool) string {
	if b {
		return "1"
	}
	return "0"
}

// Every verdict of the official evaluators that we have: the total, whether the prediction was read, and the parts.
func TestAgreesWithTheOfficialEvaluators(t *testing.T) {
	all := schemas(t)
	items, differ := 0, 0
	check := func(folder, system, preds, golds string, o Options) {
		t.Helper()
		metric := New(o)
		gold, pred := questions(t, golds), predictions(t, preds+system+".txt")
		for i, want := range table(t, "verdicts/"+folder+"/"+system+".tsv") {
			m, err := metric.Match(pred[i], gold[i].Query, all[gold[i].DB])
			if err != nil {
				t.Errorf("%s %s %d: %v", folder, system, i, err)
				continue
			}
			items++
			expected, ok := want["partial_f1"]
			if bit(m.Exact) != want["em"] || bit(m.Parsed) != want["pred_parsed"] || (ok && parts(m) != expected) {
				differ++
				t.Logf("%s %s %d:\n gold %s\n pred %s\n got  em %s parsed %s %s (%s)\n want em %s parsed %s %s", folder, system, i,
					gold[i].Query, pred[i], bit(m.Exact), bit(m.Parsed), parts(m), m.Why(), want["em"], want["pred_parsed"], expected)
			}
		}
	}
	systems := []string{"c3_chatgpt", "codex_few_shot", "dail_gpt4", "din_gpt4", "graphix_t5", "mac_sql", "tse_dev_02", "tse_dev_10"}
	for _, s := range systems {
		check("spider_dev_ts_default", s, "predictions/spider_dev/", "spider/dev.json", Options{})
		if s != "tse_dev_02" {
			check("spider_dev_orig_eval", s, "predictions/spider_dev/", "spider/dev.json", Options{KeepValue: true})
		}
	}
	check("spider_realistic_ts", "dail_gpt4", "predictions/spider_realistic/", "spider_realistic/spider-realistic.json", Options{})
	t.Logf("%d verdicts, %d differ", items, differ)
	if items != 15*1034+508 || differ > 0 {
		t.Errorf("%d of %d verdicts differ", differ, items)
	}
}

func concertSinger(t testing.TB) *schema.Database {
	t.Helper()
	s := schemas(t)["concert_singer"]
	if s == nil {
		t.Fatal("no concert_singer")
	}
	return s
}

func TestEdgeProbe(t *testing.T) {
	schema, metric := concertSinger(t), New(Options{})
	rows := table(t, "verdicts/edge_probe.tsv")
	for _, row := range rows {
		m, err := metric.Match(row["pred"], row["gold"], schema)
		if strings.HasPrefix(row["em"], "AssertionError") {
			if !errors.Is(err, errGold) {
				t.Errorf("%s: %v, want %s", row["case"], err, row["em"])
			}
			continue
		}
		if err != nil || bit(m.Exact) != row["em"] || bit(m.Parsed) != row["pred_parsed"] {
			t.Errorf("%s: em %t parsed %t (%s, %v), want %s %s", row["case"], m.Exact, m.Parsed, m.Why(), err, row["em"], row["pred_parsed"])
		}
		if label, _, err := hardnessOf(row["gold"], schema); err != nil || label != row["hardness"] {
			t.Errorf("%s: hardness %s %v, want %s", row["case"], label, err, row["hardness"])
		}
	}
	if len(rows) != 49 {
		t.Errorf("%d cases, want 49", len(rows))
	}
}

func TestScore(t *testing.T) {
	metric := New(Options{})
	check := func(pred, gold string, s *schema.Database, value float64, status metrics.Status, why string) {
		t.Helper()
		got, err := metric.Score(context.Background(), metrics.Case{Predicted: pred, Gold: gold, Schema: s})
		if err != nil || got.Value != value || got.Status != status || !strings.Contains(got.Why, why) {
			t.Errorf("%q: got %+v %v, want %v %s %q", pred, got, err, value, status, why)
		}
	}
	const gold = "SELECT name FROM singer WHERE age > 20"
	check("select T1.Name from singer as T1 where T1.age > 30", gold, singers, 1, metrics.Correct, "")
	check("SELECT name FROM singer WHERE age >= 20", gold, singers, 0, metrics.Wrong, "differs in where")
	check("SELECT name FROM concert", "SELECT name FROM singer", singers, 0, metrics.Wrong, "differs in select")
	check("SELECT name AS n FROM singer", gold, singers, 0, metrics.Wrong, "outside the grammar")
	check(" ", gold, singers, 0, metrics.NoSQL, "outside the grammar")
	check(gold, "SELECT 1", singers, 0, metrics.GoldError, "no FROM")
	if _, err := metric.Score(context.Background(), metrics.Case{Predicted: gold, Gold: gold}); err == nil {
		t.Error("a case without a schema is judged")
	}
	stopped, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := metric.Score(stopped, metrics.Case{Schema: singers}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want context.Canceled", err)
	}
}

func TestValueWord(t *testing.T) {
	s := new(schema.Database).Add("t", "value")
	check := func(keep, want bool, warnings int) {
		t.Helper()
		got, err := New(Options{KeepValue: keep}).Score(context.Background(),
			metrics.Case{Predicted: "SELECT value FROM t", Gold: "SELECT value FROM t", Schema: s})
		if err != nil || (got.Status == metrics.Correct) != want || len(got.Warnings) != warnings {
			t.Errorf("keep %t: %+v %v", keep, got, err)
		}
	}
	check(true, true, 0)
	check(false, false, 1)
}

// The rules that are easy to get wrong, on a small schema with one foreign key.
func TestMatch(t *testing.T) {
	schema := &schema.Database{Tables: singers.Tables, ForeignKeys: []schema.ForeignKey{
		{Table: "concert", Column: "Singer_ID", RefTable: "singer", RefColumn: "Singer_ID"}}}
	metric := New(Options{})
	check := func(pred, gold string, want bool) {
		t.Helper()
		m, err := metric.Match(pred, gold, schema)
		if err != nil || m.Exact != want {
			t.Errorf("%q for %q: got %t (%s, %v)", pred, gold, m.Exact, m.Why(), err)
		}
	}
	const join = " FROM singer AS T1 JOIN concert AS T2 ON T1.singer_id = T2.singer_id"
	check("SELECT T1.singer_id"+join, "SELECT T2.singer_id"+join, true)
	check("SELECT singer_id FROM concert", "SELECT singer_id FROM singer", false) // equal columns, other tables
	check("SELECT T1.name"+join+" GROUP BY T1.name", "SELECT T1.name"+join+" GROUP BY T2.name", false)
	check("SELECT age, name FROM singer", "SELECT name, age FROM singer", true)
	check("SELECT DISTINCT count(DISTINCT name) FROM singer", "SELECT count(name) FROM singer", true)
	check("SELECT name FROM singer ORDER BY age LIMIT 1", "SELECT name FROM singer ORDER BY age LIMIT 5", true)
	check("SELECT name FROM singer ORDER BY age", "SELECT name FROM singer ORDER BY age LIMIT 5", false)
	check("SELECT name FROM singer ORDER BY age DESC", "SELECT name FROM singer ORDER BY age", false)
	check("SELECT name FROM singer WHERE age IN (SELECT max(age) FROM singer WHERE name = 'a')",
		"SELECT name FROM singer WHERE age IN (SELECT max(age) FROM singer WHERE name = 'b')", true)
	check("SELECT count(*) FROM (SELECT name FROM singer WHERE age = 1)",
		"SELECT count(*) FROM (SELECT name FROM singer WHERE age = 2)", false) // values count in a FROM sub-query
	check("SELECT name FROM singer INTERSECT SELECT name FROM concert", "SELECT name FROM singer EXCEPT SELECT name FROM concert", false)
}

func TestMatchOfDeepSubqueries(t *testing.T) {
	const open = "SELECT name FROM singer WHERE age IN ("
	deep := strings.Repeat(open, 200) + "SELECT age FROM singer" + strings.Repeat(")", 200)
	m, err := New(Options{}).Match(deep, deep, singers)
	if err != nil || !m.Exact {
		t.Errorf("%+v %v", m, err)
	}
}

func BenchmarkMatch(b *testing.B) {
	metric := New(Options{})
	const sql = "SELECT T1.name, count(*) FROM singer AS T1 JOIN concert AS T2 ON T1.singer_id = T2.singer_id WHERE T1.age > 3 GROUP BY T1.name"
	for b.Loop() {
		if _, err := metric.Match(sql, sql, singers); err != nil {
			b.Fatal(err)
		}
	}
}
