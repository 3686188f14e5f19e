package dataset

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"assay/configs"
	"assay/experiments/axes"

	"github.com/google/go-cmp/cmp"
)

// gold makes an item whose gold reads n tables.
func gold(id string, n int) item {
	from := make([]string, n)
	for i := range from {
		from[i] = fmt.Sprintf("t%d", i)
	}
	return item{id: id, db: "shop", gold: "SELECT 1 FROM " + strings.Join(from, ", ")}
}

func drawn(t *testing.T, s configs.Strata, items []item) (got, short []string) {
	t.Helper()
	l := &loader{cfg: configs.Dataset{Strata: s}}
	kept, err := l.drawItems("sample/dev", items)
	if err != nil {
		t.Fatal(err)
	}
	for _, it := range kept {
		got = append(got, it.id)
	}
	for _, w := range l.warnings {
		short = append(short, w.Text)
	}
	return got, short
}

func TestDraw(t *testing.T) {
	var items []item
	for i := range 60 {
		items = append(items, gold(fmt.Sprintf("i%02d", i), 1+i%4)) // 15 of each
	}
	s := configs.Strata{By: "tables", Levels: []string{"1", "2", "3+"}, Size: 5, Seed: 1}
	five, short := drawn(t, s, items)
	count := func(ids []string, of string) (n int) {
		for _, it := range items {
			if slices.Contains(ids, it.id) && axes.Features(it.gold) == of {
				n++
			}
		}
		return n
	}
	if len(five) != 15 || len(short) != 0 || count(five, "tables=1") != 5 || count(five, "joins=1 tables=2") != 5 {
		t.Errorf("%d items: %v, warnings %v", len(five), five, short)
	}
	if !slices.IsSorted(five) {
		t.Errorf("the dataset's order is lost: %v", five)
	}
	again, _ := drawn(t, s, items)
	equal(t, "same seed", again, five)

	turned := slices.Clone(items)
	slices.Reverse(turned)
	back, _ := drawn(t, s, turned)
	slices.Reverse(back)
	equal(t, "order does not matter", back, five)

	s.Seed = 2
	if other, _ := drawn(t, s, items); cmp.Equal(other, five) {
		t.Error("another seed draws the same")
	}
	s.Seed, s.Size = 1, 8
	eight, _ := drawn(t, s, items)
	for _, id := range five {
		if !slices.Contains(eight, id) {
			t.Errorf("a larger size loses %s", id)
		}
	}
	// Without levels the strata are the groups 1, 2, 3 and 4+, of 15 items each.
	all, short := drawn(t, configs.Strata{By: "tables", Size: 20}, append(items, item{id: "odd", gold: "SELEC"}))
	if len(all) != 60 || len(short) != 4 || short[3] != "stratum tables 4+ has 15 items, not 20: all of them are taken" {
		t.Errorf("%d items, %v", len(all), short)
	}
	whole, _ := drawn(t, configs.Strata{}, items)
	equal(t, "no strata", len(whole), 60)
}

func TestDrawFaults(t *testing.T) {
	fail := func(s configs.Strata, want string) {
		t.Helper()
		l := &loader{cfg: configs.Dataset{Strata: s}}
		if _, err := l.drawItems("sample/dev", []item{gold("a", 1), gold("b", 2)}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", s, err, want)
		}
	}
	fail(configs.Strata{By: "tables", Levels: []string{"3"}, Size: 1}, `no item has tables "3"`)
	fail(configs.Strata{By: "tables", Levels: []string{"one"}, Size: 1}, `no item has tables "one"`)
	fail(configs.Strata{By: "tables", Levels: []string{"1+", "2"}, Size: 1}, `item sample/dev/b is of both "1+" and "2"`)
	fail(configs.Strata{By: "tabels", Size: 1}, `did you mean "tables"?`)
}

// TestStrataOfADataset: strata are drawn after the filter and before the limit, those of hardness too.
func TestStrataOfADataset(t *testing.T) {
	dir := unpack(t, "spider.txtar")
	check := func(cfg configs.Dataset, warning string, want ...string) {
		t.Helper()
		cfg.Kind, cfg.Path, cfg.Split = "spider", dir, "dev"
		set := mustLoad(t, cfg)
		var got []string
		for _, id := range ids(set) {
			got = append(got, strings.TrimPrefix(id, "spider/dev/"))
		}
		equal(t, fmt.Sprint(cfg.Strata), got, want)
		if !strings.Contains(strings.Join(warnings(set.Warnings), "\n"), warning) {
			t.Errorf("no %q in %q", warning, warnings(set.Warnings))
		}
	}
	hardness := configs.Strata{By: "hardness", Levels: []string{"easy", "medium"}, Size: 3}
	check(configs.Dataset{Strata: hardness}, "stratum hardness medium has 1 items, not 3", "pets-5f3d3b7b", "pets-80fa2f5f", "pets-5f3d3b7b-2", "gone-46ffc947")
	check(configs.Dataset{Strata: hardness, Limit: 2}, "", "pets-5f3d3b7b", "pets-80fa2f5f")
	check(configs.Dataset{Strata: configs.Strata{By: "database", Size: 9}, Filter: configs.Filter{Features: []string{"aggregates=0"}}},
		"stratum database gone has 1 items, not 9", "pets-80fa2f5f", "gone-46ffc947", "nowhere-a42b2f0d")
}

// TestRealStrata is the sample of an ablation of join finding: 50 items of 2, of 3, and of more tables. Of the last,
// Spider dev has 16.
func TestRealStrata(t *testing.T) {
	cfg := configs.Dataset{Kind: "spider", Path: real(t, "spider"), Split: "dev",
		Strata: configs.Strata{By: "joined", Levels: []string{"2", "3", "4+"}, Size: 50}}
	set, err := Load(t.Context(), cfg, Options{Cache: t.TempDir(), Names: true})
	if err != nil {
		t.Fatal(err)
	}
	if text := strings.Join(warnings(set.Warnings), "\n"); len(set.Examples) != 116 || !strings.Contains(text, "stratum joined 4+ has 16 items, not 50") {
		t.Errorf("%d items, %s", len(set.Examples), text)
	}
}
