package dataset

import (
	"os"
	"path/filepath"
	"testing"

	"assay/configs"
)

const dataFolder = "../../../shared/data"

// real is a folder of the real data; the test is skipped where it is absent.
func real(t testing.TB, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(dataFolder, name))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Skipf("no %s", path)
	}
	return path
}

func TestRealCounts(t *testing.T) {
	spider := real(t, "spider")
	databases := []string{filepath.Join(spider, "database")}
	bird := []string{real(t, "bird/stand_in/database")}
	for _, c := range []struct {
		cfg      configs.Dataset
		n        int
		hardness []int // easy, medium, hard, extra; nil: not known
		runs     int   // items with a database
	}{
		{configs.Dataset{Kind: "spider", Path: spider, Split: "dev"}, 1034, []int{248, 446, 174, 166}, 1034},
		{configs.Dataset{Kind: "spider", Path: spider, Split: "train"}, 7000, nil, 0},
		{configs.Dataset{Kind: "spider", Path: spider, Split: "train_others"}, 1659, nil, 0},
		{configs.Dataset{Kind: "spider", Path: real(t, "spider_realistic"), Split: "realistic", Databases: databases}, 508, nil, 508},
		{configs.Dataset{Kind: "spider", Path: spider, Split: "syn", Questions: filepath.Join(real(t, "spider_syn"), "dev.json")}, 1034, []int{248, 440, 177, 169}, 1034}, // 52 golds are not dev's
		{configs.Dataset{Kind: "spider", Path: real(t, "spider_syn"), Split: "syn", Databases: databases}, 1034, nil, 1034},
		{configs.Dataset{Kind: "spider", Path: real(t, "spider_dk"), Split: "dk", Databases: databases}, 535, nil, 535},
		{configs.Dataset{Kind: "bird", Path: real(t, "bird/dev"), Split: "dev", Databases: bird}, 1534, nil, 303},
		{configs.Dataset{Kind: "bird", Path: real(t, "bird/mini_dev"), Split: "mini_dev", Databases: bird}, 500, nil, 118},
		{configs.Dataset{Kind: "text2sql", Path: real(t, "classical"), Name: "geography", Split: "all"}, 877, nil, 877},
		{configs.Dataset{Kind: "text2sql", Path: real(t, "classical"), Name: "geography", Split: "test", SplitBy: "question"}, 279, nil, 279},
		{configs.Dataset{Kind: "text2sql", Path: real(t, "classical"), Name: "geography", Split: "test", SplitBy: "query"}, 182, nil, 182},
		{configs.Dataset{Kind: "text2sql", Path: real(t, "classical"), Name: "imdb", Split: "all"}, 131, nil, 0},
		{configs.Dataset{Kind: "text2sql", Path: real(t, "classical"), Name: "yelp", Split: "test"}, 128, nil, 0},
		{configs.Dataset{Kind: "text2sql", Path: real(t, "classical"), Sets: []string{"geography", "imdb", "yelp"}, Split: "test", SplitBy: "query"}, 182 + 131 + 128, nil, 182},
	} {
		set := mustLoad(t, c.cfg)
		levels, runs := map[string]int{}, 0
		for _, x := range set.Examples {
			levels[x.Hardness]++
			if !x.Question.Database.None() {
				runs++
			}
		}
		t.Logf("%s %s%v: %d items, %v, %d with a database, %d warnings", set.Name, c.cfg.Name, c.cfg.Sets, len(set.Examples), levels, runs, len(set.Warnings))
		for i, w := range warnings(set.Warnings) {
			if i < 5 {
				t.Log("  ", w)
			}
		}
		equal(t, set.Name+": items", len(set.Examples), c.n)
		if c.runs > 0 {
			equal(t, set.Name+": with a database", runs, c.runs)
		}
		if c.hardness != nil {
			equal(t, set.Name+": hardness", []int{levels["easy"], levels["medium"], levels["hard"], levels["extra"]}, c.hardness)
		}
		unique(t, set)
	}
}

// TestRealIdsAreStable pins ids, so that a run made today can be compared with one made later.
func TestRealIdsAreStable(t *testing.T) {
	spider := real(t, "spider")
	first := func(cfg configs.Dataset) string {
		t.Helper()
		cfg.Limit = 1
		return mustLoad(t, cfg).Examples[0].Question.ID
	}
	equal(t, "spider", first(configs.Dataset{Kind: "spider", Path: spider, Split: "dev"}), "spider/dev/concert_singer-637fd989")
	equal(t, "realistic", first(configs.Dataset{Kind: "spider", Path: real(t, "spider_realistic"), Split: "realistic", Databases: []string{filepath.Join(spider, "database")}}), "spider/realistic/4ed08c33ecee")
	equal(t, "text2sql", first(configs.Dataset{Kind: "text2sql", Path: real(t, "classical"), Name: "geography", Split: "all"}), "text2sql/all/geography-f296952e")
	equal(t, "bird", first(configs.Dataset{Kind: "bird", Path: real(t, "bird/mini_dev"), Split: "mini_dev", Databases: []string{real(t, "bird/stand_in/database")}, Filter: configs.Filter{DB: []string{"superhero"}}}), "bird/mini_dev/717")
}

func TestRealDescriptionsAreRead(t *testing.T) {
	set := mustLoad(t, configs.Dataset{Kind: "bird", Path: real(t, "bird/mini_dev"), Split: "mini_dev", Databases: []string{real(t, "bird/stand_in/database")}})
	columns, described := 0, 0
	seen := map[string]bool{}
	for _, x := range set.Examples {
		if seen[x.Question.DB] {
			continue
		}
		seen[x.Question.DB] = true
		for _, table := range x.Question.Schema.Tables {
			for _, c := range table.Columns {
				columns++
				if c.Meaning+c.Description+c.Values != "" {
					described++
				}
			}
		}
	}
	t.Logf("%d of %d columns are described", described, columns)
	if described*2 < columns {
		t.Errorf("%d of %d columns are described", described, columns)
	}
}

func TestRealExemplars(t *testing.T) {
	spider := real(t, "spider")
	got, warned := demos(t, configs.Dataset{Kind: "spider", Path: spider, Split: "dev"}, "")
	levels := map[string]int{}
	for _, d := range got {
		levels[d.Hardness]++
	}
	t.Logf("%d demonstrations, %v, %d warnings", len(got), levels, len(warned))
	if len(got) < 40 || levels["easy"] < 8 || levels["medium"] < 8 || levels["hard"] < 8 || levels["extra"] < 8 {
		t.Errorf("%d demonstrations, %v", len(got), levels)
	}
	equal(t, "warnings", warnings(warned), []string(nil))
}

func TestRealTrainingSplitAsExemplars(t *testing.T) {
	if testing.Short() {
		t.Skip("7000 demonstrations")
	}
	got, warned := demos(t, configs.Dataset{Kind: "spider", Path: real(t, "spider"), Split: "dev"}, configs.TrainFile)
	t.Logf("%d demonstrations, %d left out", len(got), len(warned))
	for i, w := range warnings(warned) {
		if i < 5 {
			t.Log(w)
		}
	}
	if len(got) < 6900 {
		t.Errorf("%d demonstrations of 7000", len(got))
	}
}

func BenchmarkLoadSpiderDev(b *testing.B) {
	cfg := configs.Dataset{Kind: "spider", Path: real(b, "spider"), Split: "dev"}
	cache := b.TempDir()
	for b.Loop() {
		if _, err := Load(b.Context(), cfg, Options{Cache: cache}); err != nil {
			b.Fatal(err)
		}
	}
}
