package exemplar

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"assay/configs"
	"assay/prompting/sql/schema"

	"github.com/google/go-cmp/cmp"
)

// pool holds n demonstrations, ten a database, hardness going round.
func pool(t testing.TB, n int) *Pool {
	t.Helper()
	var demos []Demo
	for i := range n {
		db := schema.New(fmt.Sprintf("db%d", i/10), []schema.Table{{Name: "t", Columns: []schema.Column{{Name: "a"}}}}, nil)
		demos = append(demos, Demo{ID: fmt.Sprintf("d%03d", i), DB: db.Name, Question: fmt.Sprintf("Q%d?", i), SQL: "SELECT 1", Hardness: Levels[i%4], Schema: db})
	}
	p, err := NewPool(demos)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func ids(demos []Demo) []string {
	var out []string
	for _, d := range demos {
		out = append(out, d.ID)
	}
	return out
}

func TestRandom(t *testing.T) {
	p := pool(t, 40)
	choose := func(db string, seed int64, k int) []string {
		t.Helper()
		demos, err := p.Select(context.Background(), Query{DB: db}, seed, configs.Exemplars{Strategy: "random", K: k})
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range demos {
			if strings.EqualFold(d.DB, db) {
				t.Errorf("%s is of the question's database", d.ID)
			}
		}
		return ids(demos)
	}
	check := func(what string, ok bool) {
		t.Helper()
		if !ok {
			t.Error(what)
		}
	}
	eight := choose("elsewhere", 1, 8)
	check("eight", len(eight) == 8)
	check("the same for another item", cmp.Equal(eight, choose("nowhere", 1, 8)))
	check("not for another seed", !cmp.Equal(eight, choose("elsewhere", 2, 8)))
	check("a larger k goes on from a smaller", cmp.Equal(eight[:3], choose("elsewhere", 1, 3)))
	lost := "db" + eight[0][1:3] // in ids d000 to d039 the first two digits are the database
	lost = strings.Replace(lost, "db0", "db", 1)
	own := choose(strings.ToUpper(lost), 1, 8) // file names may differ in case
	kept := 0
	for _, id := range own {
		if strings.Contains(strings.Join(eight, " "), id) {
			kept++
		}
	}
	want := 0
	for _, id := range eight {
		if id[:3] != eight[0][:3] {
			want++
		}
	}
	check("only those of the question's database gave way", kept == want && want < 8)
	// Another arrangement of the same demonstrations is the same pool.
	demos := p.Demos()
	demos[0], demos[39] = demos[39], demos[0]
	q, err := NewPool(demos)
	if err != nil {
		t.Fatal(err)
	}
	other, _ := q.Select(context.Background(), Query{DB: "elsewhere"}, 1, configs.Exemplars{Strategy: "random", K: 8})
	check("the file's order does not matter", cmp.Equal(eight, ids(other)) && p.Hash() == q.Hash())
	// Neither is one that was reviewed, and kept as it is.
	demos[0].Reviewed, demos[0].Note, demos[0].Naturalness, demos[0].By.Steps = true, "fine", 0.5, Rule
	if q, err = NewPool(demos); err != nil {
		t.Fatal(err)
	}
	check("nor does a review", p.Hash() == q.Hash())
	demos[0].CoT += "."
	if q, err = NewPool(demos); err != nil {
		t.Fatal(err)
	}
	check("a text does", p.Hash() != q.Hash())
}

func TestLevels(t *testing.T) {
	p := pool(t, 40)
	check := func(cfg configs.Exemplars, want map[string]int) {
		t.Helper()
		demos, err := p.Select(context.Background(), Query{DB: "db1"}, 5, cfg)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]int{}
		for _, d := range demos {
			got[d.Hardness]++
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", cfg, diff)
		}
	}
	check(configs.Exemplars{Strategy: "hardness-balanced", K: 8}, map[string]int{"easy": 2, "medium": 2, "hard": 2, "extra": 2})
	check(configs.Exemplars{Preset: "G1", K: 6}, map[string]int{"easy": 2, "medium": 2, "hard": 1, "extra": 1})
	check(configs.Exemplars{Preset: "G2", K: 8}, map[string]int{"hard": 4, "extra": 4})
	check(configs.Exemplars{Preset: "G3", Strategy: "random", K: 7}, map[string]int{"extra": 7})
	check(configs.Exemplars{Strategy: "hardness-balanced", Levels: []string{"extra", "easy"}, K: 3}, map[string]int{"extra": 2, "easy": 1})
	check(configs.Exemplars{Strategy: "none", K: 8}, map[string]int{})
	check(configs.Exemplars{Strategy: "random", K: 0}, map[string]int{})
}

func TestSelectErrors(t *testing.T) {
	p := pool(t, 12) // ten of db0, two of db1; three of each level
	check := func(db, want string, cfg configs.Exemplars) {
		t.Helper()
		demos, err := p.Select(context.Background(), Query{DB: db}, 1, cfg)
		if err == nil || !strings.HasPrefix(err.Error(), "exemplar: select for database") || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, %v; want %q", ids(demos), err, want)
		}
	}
	check("x", "k = 13 is more than the pool's 12 demonstrations", configs.Exemplars{Strategy: "random", K: 13})
	check("x", "k = 13 is more than the pool's 12 demonstrations", configs.Exemplars{Strategy: "similarity", K: 13})
	check("x", "k = 4 is more than the pool's 3 demonstrations of level extra", configs.Exemplars{Preset: "G3", K: 4})
	check("x", `k = 13 needs 4 demonstrations of level "easy", the pool has 3`, configs.Exemplars{Preset: "G1", K: 13})
	check("db0", "k = 3, but only 2 demonstrations that random may take are of other databases", configs.Exemplars{Strategy: "random", K: 3})
	check("db0", "k = 3, but only 2 demonstrations of level", configs.Exemplars{Strategy: "hardness-only", Levels: Levels, K: 3})
	check("x", `strategy "hardness-only" needs levels`, configs.Exemplars{Strategy: "hardness-only", K: 1})
	check("x", `level "simple" is unknown`, configs.Exemplars{Strategy: "hardness-only", Levels: []string{"simple"}, K: 1})
	check("x", `preset "G4" is unknown (there are G1, G2, G3, random, similarity)`, configs.Exemplars{Preset: "G4", K: 1})
	check("x", `strategy "best" is unknown (there are none, random,`, configs.Exemplars{Strategy: "best"})
	if _, err := (*Pool)(nil).Select(context.Background(), Query{}, 1, configs.Exemplars{}); err != nil {
		t.Errorf("no pool, and none needed: %v", err)
	}
}

func TestNewPool(t *testing.T) {
	whole := pool(t, 1).Demos()[0]
	check := func(want string, change func(*Demo)) {
		t.Helper()
		d := whole
		change(&d)
		if _, err := NewPool([]Demo{whole, d}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	check(`two demonstrations have the id "d000"`, func(*Demo) {})
	check("has no id", func(d *Demo) { d.ID = "" })
	check(`"e" has no question or no SQL`, func(d *Demo) { d.ID, d.SQL = "e", "" })
	check(`"e" has no description of its database "db0"`, func(d *Demo) { d.ID, d.Schema = "e", nil })
}

func TestSimilarity(t *testing.T) {
	db := func(name string, columns ...string) *schema.Database {
		table := schema.Table{Name: name}
		for _, c := range columns {
			table.Columns = append(table.Columns, schema.Column{Name: c})
		}
		return schema.New(name, []schema.Table{table}, nil)
	}
	farm, zoo := db("farm", "farm_name", "acres"), db("zoo", "visitorCount", "city")
	p, err := NewPool([]Demo{
		{ID: "count", DB: "farm", Question: "How many farms are there?", SQL: "s", Schema: farm},
		{ID: "most", DB: "farm", Question: "Which farm has the most acres?", SQL: "s", Schema: farm},
		{ID: "average", DB: "zoo", Question: "What is the average visitor count of zoos in each city?", SQL: "s", Schema: zoo},
		{ID: "value", DB: "zoo", Question: "List the zoos whose city is 'Oakmere'.", SQL: "s", Schema: zoo},
		{ID: "own", DB: "ship", Question: "Which ship has the most tons?", SQL: "s", Schema: farm},
	})
	if err != nil {
		t.Fatal(err)
	}
	ship := db("ship", "tons", "port")
	nearest := func(question string) string {
		t.Helper()
		got, err := p.Select(context.Background(), Query{Text: question, DB: "ship", Schema: ship}, 1, configs.Exemplars{Strategy: "similarity", K: 2})
		if err != nil || len(got) != 2 {
			t.Fatalf("got %v, %v", ids(got), err)
		}
		again, _ := p.Select(context.Background(), Query{Text: question, DB: "ship", Schema: ship}, 99, configs.Exemplars{Strategy: "similarity", K: 2})
		if !cmp.Equal(ids(got), ids(again)) {
			t.Error("the seed mattered")
		}
		return got[1].ID // the nearest is last
	}
	check := func(question, want string) {
		t.Helper()
		if got := nearest(question); got != want {
			t.Errorf("%q: got %s, want %s", question, got, want)
		}
	}
	check("How many ships are there?", "count")
	check("Which port has the most ships?", "most")
	check("What is the average tons of ships in each port?", "average")
	check("List the ships whose port is \"Sund\".", "value")
	check("", "average") // nothing in common with any: ties go by id, the first id last
}

func TestTerms(t *testing.T) {
	db := schema.New("x", []schema.Table{{Name: "SingerCities", Columns: []schema.Column{{Name: "home_country"}}}}, nil)
	got := terms("Which singers of country 7 like 'Blue Moon' or Anna's city?", db)
	want := []string{"which", "<name>", "of", "<name>", "<value>", "like", "<value>", "or", "<value>", "<name>"}
	if diff := cmp.Diff(want, got[:10]); diff != "" || got[10] != "which <name>" || len(got) != 19 {
		t.Errorf("%v (-want +got):\n%s", got, diff)
	}
}

// TestRows: every annotation file that an experiment may name is shipped.
func TestRows(t *testing.T) {
	files, err := annotations.ReadDir("annotations")
	if err != nil || len(files) != len(Shipments) {
		t.Errorf("%d files, %d rows, %v", len(files), len(Shipments), err)
	}
	for _, s := range Shipments {
		if demos, err := Shipped(s.ID); err != nil || len(demos) == 0 {
			t.Errorf("%s: %d demonstrations, %v", s.ID, len(demos), err)
		}
	}
}

func BenchmarkSimilarity(b *testing.B) {
	p := pool(b, 7000)
	for b.Loop() {
		if _, err := p.Select(context.Background(), Query{Text: "How many Q17 are there of each?", DB: "x"}, 1, configs.Exemplars{Strategy: "similarity", K: 8}); err != nil {
			b.Fatal(err)
		}
	}
}
