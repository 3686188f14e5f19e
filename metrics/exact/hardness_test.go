package exact

import (
	"testing"

	"assay/prompting/sql/schema"

	"github.com/google/go-cmp/cmp"
)

func TestHardnessOfSpiderDev(t *testing.T) {
	verdicts, all, gold := table(t, "verdicts/spider_dev_ts_default/dail_gpt4.tsv"), schemas(t), questions(t, "spider/dev.json")
	check := func(name string, schema func(db string) *schema.Database) {
		t.Helper()
		got := map[string]int{}
		for i, g := range gold {
			label, official, err := hardnessOf(g.Query, schema(g.DB))
			if want := verdicts[i]["hardness"]; err != nil || label != want || !official {
				t.Errorf("%s: item %d %q: got %s (official %t, %v), want %s", name, i, g.Query, label, official, err, want)
			}
			got[label]++
		}
		want := map[string]int{easy: 248, medium: 446, hard: 174, extra: 166}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", name, diff)
		}
	}
	check("with the schema", func(db string) *schema.Database { return all[db] })
	check("without", func(string) *schema.Database { return nil })
}

func TestHardnessOfSpiderTrain(t *testing.T) {
	all := schemas(t)
	official, bare := 0, 0
	list := questions(t, "spider/train_spider.min.json")
	for _, g := range list {
		with, exact, err := hardnessOf(g.Query, all[g.DB])
		if err != nil {
			t.Error(err)
		}
		official += count(exact)
		without, err := Hardness(g.Query, nil)
		if err != nil {
			t.Error(err)
		}
		bare += count(with == without)
	}
	t.Logf("%d of %d train gold queries are in Spider's grammar; %d have the same label without the schema", official, len(list), bare)
	if official < 6990 {
		t.Errorf("only %d of %d train gold queries are in Spider's grammar", official, len(list))
	}
}

// The fallback is not the official count, but over queries that both grammars read it should be near it.
func TestTreeCountsAreNearTheOfficialOnes(t *testing.T) {
	same := 0
	list := questions(t, "spider/dev.json")
	for _, g := range list {
		q, err := parse(g.Query, &names{})
		if err != nil {
			t.Fatal(err)
		}
		got := mustTree(t, g.Query).level()
		if want := level(q); got != want {
			t.Logf("%q: %s over SQLite's grammar, %s over Spider's", g.Query, got, want)
			continue
		}
		same++
	}
	t.Logf("%d of %d alike", same, len(list))
	if same < 1000 {
		t.Errorf("only %d of %d alike", same, len(list))
	}
}

func TestHardness(t *testing.T) {
	check := func(sql, want string, official bool) {
		t.Helper()
		got, ok, err := hardnessOf(sql, nil)
		if err != nil || got != want || ok != official {
			t.Errorf("%q: got %s %t %v, want %s %t", sql, got, ok, err, want, official)
		}
	}
	check("SELECT a FROM t", easy, true)
	check("SELECT a, b FROM t WHERE c = 'x'", medium, true)
	check("SELECT a FROM t WHERE b IN (SELECT c FROM u)", hard, true)
	check("SELECT a FROM t WHERE b = 1 UNION SELECT c FROM u WHERE d = 2", hard, true)
	check("SELECT a, b FROM t WHERE c = 1 ORDER BY d LIMIT 3", hard, true) // three clauses, and one other: several columns
	check("SELECT T1.a FROM t AS T1 JOIN u AS T2 ON T1.x = T2.x JOIN v AS T3 ON T2.y = T3.y WHERE T1.b = 1 ORDER BY T3.c", extra, true)
	check("SELECT CASE WHEN a THEN 1 END FROM t", easy, false)
	check("SELECT a, rank() OVER (ORDER BY b) FROM t LEFT JOIN u USING (c)", medium, false)
	check("WITH c AS (SELECT 1 AS x) SELECT x FROM c", hard, false)
	check("SELECT 1", easy, false)
	for _, bad := range []string{"", "DELETE FROM t", "SELECT", "SELECT 1; SELECT 2"} {
		if label, _, err := hardnessOf(bad, nil); err == nil {
			t.Errorf("%q: got %s, want an error", bad, label)
		}
	}
}
