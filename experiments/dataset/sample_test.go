package dataset

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"assay/configs"
	"assay/metrics"
	"assay/metrics/goldcheck"
	"assay/prompting/sql/sandbox"
	"assay/prompting/sql/sqlite"
)

func sampleSet(t *testing.T) *Set {
	t.Helper()
	return mustLoad(t, configs.Dataset{Kind: "sample", Split: "dev"})
}

func TestSampleIsLargeAndMixed(t *testing.T) {
	set := sampleSet(t)
	hardness, dbs, tables := map[string]int{}, map[string]int{}, 0
	for _, x := range set.Examples {
		hardness[x.Hardness]++
		if dbs[x.Question.DB]++; dbs[x.Question.DB] == 1 {
			tables += len(x.Question.Schema.Tables)
		}
	}
	t.Logf("%d questions, %v, %d databases, %d tables", len(set.Examples), hardness, len(dbs), tables)
	if len(set.Examples) < 160 || len(dbs) < 6 {
		t.Errorf("%d questions over %d databases", len(set.Examples), len(dbs))
	}
	for _, level := range []string{"easy", "medium", "hard", "extra"} {
		if hardness[level] < 30 {
			t.Errorf("%d %s questions", hardness[level], level)
		}
	}
	equal(t, "warnings", len(set.Warnings), 0)
	unique(t, set)
}

func unique(t *testing.T, set *Set) {
	t.Helper()
	seen := map[string]bool{}
	for _, id := range ids(set) {
		if seen[id] || !strings.HasPrefix(id, set.Name+"/") {
			t.Errorf("id %q is there twice or has another prefix than %s", id, set.Name)
		}
		seen[id] = true
	}
}

// meantEmpty are the questions marked "empty": their gold returns nothing, and that is the answer.
func meantEmpty(t *testing.T) map[string]bool {
	t.Helper()
	files, err := fs.Glob(sample, "sample/questions/*.json")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]bool{}
	for _, f := range files {
		b, err := sample.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		marked, _, err := parseQuestions([]byte(strings.ReplaceAll(string(b), `"empty": true`, `"difficulty": "empty"`)),
			form{id: []string{"id"}, question: []string{"question"}, gold: []string{"query"}})
		if err != nil {
			t.Fatal(err)
		}
		for _, it := range marked {
			if it.difficulty == "empty" {
				out["sample/dev/"+it.id] = true
			}
		}
	}
	return out
}

func TestSampleGoldQueriesAnswer(t *testing.T) {
	set, empty := sampleSet(t), meantEmpty(t)
	box := sandbox.New(sandbox.Options{})
	for _, x := range set.Examples {
		r, err := box.Run(context.Background(), x.Question.Database, x.Gold)
		switch {
		case err != nil:
			t.Errorf("%s: %v", x.Question.ID, err)
		case (len(r.Rows) == 0) != empty[x.Question.ID]:
			t.Errorf("%s: %d rows, meant to be empty: %v", x.Question.ID, len(r.Rows), empty[x.Question.ID])
		}
	}
}

func TestSampleForeignKeysHold(t *testing.T) {
	files, err := fs.Glob(sample, "sample/databases/*.sql")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		script, err := sample.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "x.sqlite")
		check := "\n;PRAGMA defer_foreign_keys = ON; CREATE TEMP TABLE fk (bad CHECK (bad = 0)); INSERT INTO fk SELECT count(*) FROM pragma_foreign_key_check;"
		if err := sqlite.Create(context.Background(), path, string(script)+check); err != nil {
			t.Errorf("%s: %v", f, err)
		}
	}
}

func TestSampleIsBuiltOnceAndMended(t *testing.T) {
	cache := t.TempDir()
	load := func() *Set {
		t.Helper()
		set, err := Load(context.Background(), configs.Dataset{Kind: "sample", Limit: 1}, Options{Cache: cache})
		if err != nil {
			t.Fatal(err)
		}
		return set
	}
	first := load()
	path := first.Examples[0].Question.Database.Source
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	load()
	if after, _ := os.Stat(path); !os.SameFile(before, after) || !after.ModTime().Equal(before.ModTime()) {
		t.Error("built again though sound")
	}
	good, err := readHash(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	damage := func(what string, do func() error) {
		t.Helper()
		if err := do(); err != nil {
			t.Fatal(err)
		}
		set := load()
		if h, _ := readHash(t.Context(), path); h != good || set.Hash != first.Hash {
			t.Errorf("%s: not repaired", what)
		}
	}
	damage("cut short", func() error { return os.Truncate(path, 4096) })
	damage("changed", func() error { return sqlite.Create(context.Background(), path, "CREATE TABLE intruder (a)") })
	damage("removed", func() error { return os.Remove(path) })
	damage("without its hash", func() error { return os.Remove(path + ".sha256") })
	damage("folder emptied", func() error { return os.RemoveAll(filepath.Dir(path)) })
	left, _ := filepath.Glob(filepath.Join(cache, "sample", ".*"))
	equal(t, "building folders left", len(left), 0)
}

func TestSampleComesWithItsSuite(t *testing.T) {
	cache := t.TempDir()
	load := func(lean bool) *Set {
		t.Helper()
		set, err := Load(context.Background(), configs.Dataset{Kind: "sample", Limit: 1}, Options{Cache: cache, Names: lean})
		if err != nil {
			t.Fatal(err)
		}
		return set
	}
	set := load(false)
	x := set.Examples[0]
	want := []string{x.Question.Database.Source}
	for _, n := range shipped(t).of(x.Question.DB) {
		want = append(want, filepath.Join(filepath.Dir(x.Question.Database.Source), n.Name))
	}
	slices.Sort(want)
	equal(t, "suite", x.Suite, handles(want...))
	equal(t, "suite where only names are read", load(true).Examples[0].Suite, handles(want...))
	if len(want) < 3 {
		t.Errorf("%d files", len(want))
	}
	near := want[len(want)-1]
	damage := func(what string, do func() error) {
		t.Helper()
		if err := do(); err != nil {
			t.Fatal(err)
		}
		after := load(false)
		equal(t, what, after.Examples[0].Suite, handles(want...))
		equal(t, what+": hash", after.Hash, set.Hash)
		for _, path := range want[1:] {
			if h, err := readHash(t.Context(), path); err != nil || !strings.Contains(string(mustIndex(t)), h) {
				t.Errorf("%s: %s is not repaired: %v", what, filepath.Base(path), err)
			}
		}
	}
	damage("a neighbour changed", func() error { return sqlite.Create(context.Background(), near, "CREATE TABLE intruder (a)") })
	damage("a neighbour cut short", func() error { return os.Truncate(near, 100) })
	damage("a neighbour removed", func() error { return os.Remove(near) })
	damage("one too many", func() error { return os.WriteFile(filepath.Join(filepath.Dir(near), "zz.sqlite"), nil, 0o644) })
	left, _ := filepath.Glob(filepath.Join(cache, "sample", ".*"))
	equal(t, "building folders left", len(left), 0)
}

func mustIndex(t *testing.T) []byte {
	t.Helper()
	b, err := shipped(t).read(suiteIndex)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestSampleHashCoversTheSuite leaves one neighbour out of the suite.
func TestSampleHashCoversTheSuite(t *testing.T) {
	set := sampleSet(t)
	l, err := opened(t.Context(), configs.Dataset{Kind: "sample", Split: "dev"}, Options{Cache: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range set.Examples {
		if _, err := l.bases.get(x.Question.DB); err != nil {
			t.Fatal(err)
		}
	}
	hash := func() string {
		t.Helper()
		h, err := l.hash(set.Examples)
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	equal(t, "hash", hash(), set.Hash)
	b := l.bases.known[set.Examples[0].Question.DB]
	if b.hashes = b.hashes[:len(b.hashes)-1]; hash() == set.Hash {
		t.Error("a neighbour does not reach the hash")
	}
}

// TestSampleTakesAnotherSuite loads the sample with a suite made elsewhere, as assay eval --suite may.
func TestSampleTakesAnotherSuite(t *testing.T) {
	x := sampleSet(t).Examples[0]
	dir := t.TempDir()
	other := filepath.Join(dir, x.Question.DB, "other.sqlite")
	b, err := os.ReadFile(x.Suite[1].Source)
	if err == nil {
		err = writeWhole(other, b)
	}
	if err != nil {
		t.Fatal(err)
	}
	set := mustLoad(t, configs.Dataset{Kind: "sample", Split: "dev", Suite: dir, Limit: 1})
	want := []string{other, set.Examples[0].Question.Database.Source}
	slices.Sort(want)
	equal(t, "suite", set.Examples[0].Suite, handles(want...))
}

// TestSampleGoldQueriesAreSound holds that no gold query depends on a choice of SQLite's, fails, or is empty on all its suite.
// The one rule that finds something is a note. selected-key: these questions ask for the value sorted by ("and how many?").
func TestSampleGoldQueriesAreSound(t *testing.T) {
	var cases []metrics.Case
	for _, x := range sampleSet(t).Examples {
		cases = append(cases, metrics.Case{Item: x.Question.ID, DB: x.Question.DB, Database: x.Question.Database, Suite: x.Suite, Gold: x.Gold, Schema: x.Schema})
	}
	box := sandbox.New(sandbox.Options{})
	found, err := goldcheck.Check(t.Context(), box, cases)
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for _, f := range found {
		if f.Rule != "slow" { // a matter of the machine
			count[f.Rule]++
		}
		if f.Severity != goldcheck.Note {
			t.Errorf("%s: %s: %s", f.Item, f.Rule, f.Text)
		}
	}
	equal(t, "findings", count, map[string]int{"selected-key": 36})
}

func TestSampleIsBuiltByManyAtOnce(t *testing.T) {
	cache := t.TempDir()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if _, err := Load(context.Background(), configs.Dataset{Kind: "sample", Limit: 60}, Options{Cache: cache}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

func TestSampleFaults(t *testing.T) {
	wantError(t, configs.Dataset{Kind: "sample", Split: "train"}, `the sample has one split, dev: there is no "train"`)
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(context.Background(), configs.Dataset{Kind: "sample"}, Options{Cache: file}); err == nil || !strings.Contains(err.Error(), "build the sample database") {
		t.Errorf("a cache that is a file: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Load(ctx, configs.Dataset{Kind: "sample"}, Options{Cache: t.TempDir()}); err == nil {
		t.Error("a cancelled context loads")
	}
}

func BenchmarkSample(b *testing.B) {
	load := func(b *testing.B, cache string) {
		b.Helper()
		if _, err := Load(b.Context(), configs.Dataset{Kind: "sample", Split: "dev"}, Options{Cache: cache}); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("first-use", func(b *testing.B) {
		for b.Loop() {
			load(b, b.TempDir())
		}
	})
	b.Run("later", func(b *testing.B) {
		cache := b.TempDir()
		load(b, cache)
		for b.Loop() {
			load(b, cache)
		}
	})
}
