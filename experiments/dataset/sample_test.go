package dataset

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"assay/configs"
	"assay/prompting/sandbox"
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
			t.Errorf("id %q stands twice or has another prefix than %s", id, set.Name)
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

func TestSampleGoldsAnswer(t *testing.T) {
	set, empty := sampleSet(t), meantEmpty(t)
	box := sandbox.New(sandbox.Options{})
	defer box.Close()
	for _, x := range set.Examples {
		r, err := box.Run(context.Background(), x.Question.Path, x.Gold)
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
		if err := runScript(context.Background(), path, string(script)+check); err != nil {
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
	path := first.Examples[0].Question.Path
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	load()
	if after, _ := os.Stat(path); !os.SameFile(before, after) || !after.ModTime().Equal(before.ModTime()) {
		t.Error("built again though sound")
	}
	good, err := readHash(path)
	if err != nil {
		t.Fatal(err)
	}
	damage := func(what string, do func() error) {
		t.Helper()
		if err := do(); err != nil {
			t.Fatal(err)
		}
		set := load()
		if h, _ := readHash(path); h != good || set.Hash != first.Hash {
			t.Errorf("%s: not mended", what)
		}
	}
	damage("cut short", func() error { return os.Truncate(path, 4096) })
	damage("changed", func() error { return runScript(context.Background(), path, "CREATE TABLE intruder (a)") })
	damage("removed", func() error { return os.Remove(path) })
	damage("without its hash", func() error { return os.Remove(path + ".sha256") })
	damage("folder emptied", func() error { return os.RemoveAll(filepath.Dir(path)) })
	left, _ := filepath.Glob(filepath.Join(cache, "sample", ".*"))
	equal(t, "building folders left", len(left), 0)
	equal(t, "its suite", first.Examples[0].Suite, []string{path})
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
