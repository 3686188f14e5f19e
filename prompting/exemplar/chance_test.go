package exemplar

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"assay/configs"
	"assay/prompting/sql/schema"
)

// TestSourcesOfChance: pool, draw and order depend on their own seeds alone, or else on the run's.
func TestSourcesOfChance(t *testing.T) {
	whole := pool(t, 80)
	seed := func(n int64) *int64 { return &n }
	choose := func(run int64, x configs.Exemplars) []string {
		t.Helper()
		x.Strategy, x.K = "random", 6
		p, err := whole.Drawn(x, run)
		if err != nil {
			t.Fatal(err)
		}
		demos, err := p.Select(context.Background(), Query{DB: "elsewhere"}, run, x)
		if err != nil {
			t.Fatal(err)
		}
		return ids(demos)
	}
	check := func(what string, ok bool) {
		t.Helper()
		if !ok {
			t.Error(what)
		}
	}
	of := func(ids []string) []string { return slices.Sorted(slices.Values(ids)) }
	check("a stated draw is the run's of that seed", slices.Equal(choose(5, configs.Exemplars{Draw: seed(2)}), choose(2, configs.Exemplars{})))
	check("a stated draw holds under every run", slices.Equal(choose(5, configs.Exemplars{Draw: seed(2)}), choose(6, configs.Exemplars{Draw: seed(2)})))
	a, b := choose(1, configs.Exemplars{Order: seed(1)}), choose(1, configs.Exemplars{Order: seed(2)})
	check("an order changes no choice", slices.Equal(of(a), of(b)) && slices.Equal(of(a), of(choose(1, configs.Exemplars{}))))
	check("orders differ", !slices.Equal(a, b))
	part, err := whole.Drawn(configs.Exemplars{PoolSize: 20, PoolSeed: seed(3)}, 1)
	check("a pool has its size", err == nil && len(part.Demos()) == 20)
	again, _ := whole.Drawn(configs.Exemplars{PoolSize: 20}, 3)
	check("a pool without a seed follows the run", again == part)
	larger, _ := whole.Drawn(configs.Exemplars{PoolSize: 40, PoolSeed: seed(3)}, 1)
	inside := func(d Demo) bool { return slices.Contains(ids(larger.Demos()), d.ID) }
	check("a larger pool has the smaller", !slices.ContainsFunc(part.Demos(), func(d Demo) bool { return !inside(d) }))
	all, _ := whole.Drawn(configs.Exemplars{}, 1)
	check("without a size the pool is whole", all == whole)
	_, err = whole.Drawn(configs.Exemplars{PoolSize: 81}, 1)
	check("a size beyond the pool", err != nil && strings.Contains(err.Error(), "pool_size = 81 is more than the 80"))
	fixed := configs.Exemplars{PoolSize: 20, PoolSeed: seed(3)}
	for run := range int64(4) {
		for _, id := range choose(run, fixed) {
			check("a draw stays in its pool", slices.Contains(ids(part.Demos()), id))
		}
	}
}

// TestSameDatabase: where demonstrations of the question's own database are allowed, none is the question, or has its labels.
func TestSameDatabase(t *testing.T) {
	db := schema.New("geo", []schema.Table{{Name: "t", Columns: []schema.Column{{Name: "a"}}}}, nil)
	one := func(id, question string, apart ...string) Demo {
		return Demo{ID: id, DB: "geo", Question: question, SQL: "SELECT 1", Schema: db, Apart: apart}
	}
	p, err := NewPool([]Demo{one("same", "Which rivers are in  Iowa?"), one("paraphrase", "rivers of iowa", "query 1"),
		one("fold", "lakes of ohio", "fold 2"), one("other", "cities of utah", "query 7", "fold 3"), one("free", "hills")})
	if err != nil {
		t.Fatal(err)
	}
	check := func(what string, q Query, x configs.Exemplars, want ...string) {
		t.Helper()
		if got := ids(p.Open(q, x)); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
		for _, strategy := range []string{"random", "similarity"} {
			x.Strategy, x.K = strategy, len(want)
			demos, err := p.Select(context.Background(), q, 1, x)
			if got := slices.Sorted(slices.Values(ids(demos))); err != nil || !slices.Equal(got, want) {
				t.Errorf("%s, %s: %v, %v", what, strategy, got, err)
			}
			x.K++
			if _, err := p.Select(context.Background(), q, 1, x); err == nil {
				t.Errorf("%s, %s: there is one more", what, strategy)
			}
		}
	}
	q := Query{Text: "which rivers are in iowa", DB: "GEO", Apart: []string{"query 1", "fold 2"}}
	check("its own database is not shown", q, configs.Exemplars{})
	check("its own database is shown", q, configs.Exemplars{SameDatabase: true}, "free", "other")
	check("labels hold across databases", Query{Text: "x", DB: "far", Apart: []string{"query 7"}}, configs.Exemplars{}, "fold", "free", "paraphrase", "same")
}

// TestOwnDatabase: of several databases' demonstrations those of the question's own are shown alone, as long as there are enough.
func TestOwnDatabase(t *testing.T) {
	var all []Demo
	for i := range 20 {
		db := []string{"geo", "imdb"}[i%2]
		all = append(all, Demo{ID: fmt.Sprintf("%s %02d", db, i), DB: db, Question: fmt.Sprint("number ", i), SQL: "SELECT 1", Hardness: Levels[i/2%4],
			Schema: schema.New(db, []schema.Table{{Name: "t", Columns: []schema.Column{{Name: "a"}}}}, nil)})
	}
	p, err := NewPool(all)
	if err != nil {
		t.Fatal(err)
	}
	check := func(strategy string, k int, own bool) {
		t.Helper()
		x := configs.Exemplars{Strategy: strategy, K: k, SameDatabase: true}
		q := Query{Text: "how many", DB: "geo"}
		demos, err := p.Select(context.Background(), q, 3, x)
		only := func(d Demo) bool { return d.DB != "geo" }
		if err != nil || len(demos) != k || slices.ContainsFunc(demos, only) == own || slices.ContainsFunc(p.Open(q, x), only) == own {
			t.Errorf("%s, k = %d: %v, %v", strategy, k, ids(demos), err)
		}
	}
	check("random", 8, true)
	check("similarity", 8, true)
	check("hardness-balanced", 8, true)
	check("random", 10, true)
	check("random", 11, false)
	check("similarity", 20, false)
}
