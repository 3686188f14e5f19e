package plan_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"assay/configs"
	"assay/experiments/catalog"
	"assay/experiments/plan"
	"assay/experiments/record"

	"github.com/google/go-cmp/cmp"
)

// withFolders is the catalog with a compiler that takes every folder for a method and a fixer of two blocks and one param.
func withFolders() configs.Known {
	k := catalog.Known
	k.Folder = func(dir string) (configs.Method, error) {
		m := configs.Method{Choice: configs.Choice{ID: filepath.Base(dir)}, Dir: dir, Parts: []string{"answer", "fix"}, Blocks: []string{"rules"},
			Params: []configs.Param{{Name: "rounds", Default: int64(1)}}}
		h := sha256.New()
		err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			text, err := os.ReadFile(filepath.Join(dir, name))
			fmt.Fprintf(h, "%q %q\n", name, text)
			return err
		})
		m.Digest = "sha256:" + hex.EncodeToString(h.Sum(nil))
		return m, err
	}
	k.Files = func(id string) (fs.FS, error) {
		switch {
		case filepath.IsAbs(id):
			return os.DirFS(id), nil
		case id == "cot":
			return fstest.MapFS{"method.star": {Data: []byte("built in")}}, nil
		}
		return nil, fs.ErrNotExist
	}
	return k
}

// scripted are an experiment with folders, and what it names.
var scripted = map[string]string{
	"x.toml": `name = "x"
[dataset]
kind = "sample"
limit = 2
[[arm]]
name = "a"
method = "m/mine"
fix = "n/mine"
params.rounds = 2
blocks.rules = "rules.txt"
[[arm]]
name = "b"
method = "cot"
[sweep]
"blocks.fix.rules" = ["kept", "", "strict.txt"]
`,
	"m/mine/method.star": "def answer(q): return 1\n",
	"m/mine/lib/a.star":  "a = 1\n",
	"n/mine/method.star": "def fix(q, c): return c\n",
	"rules.txt":          "Be brief.\n",
	"strict.txt":         "Be strict.\n",
}

func planned(t *testing.T, e configs.Experiment, err error) *plan.Plan {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.Make(context.Background(), e, plan.Options{Cache: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

// scriptedPlan is the plan of the experiment with some of its files changed, in a folder of its own.
func scriptedPlan(t *testing.T, changed map[string]string, set ...string) *plan.Plan {
	t.Helper()
	dir := t.TempDir()
	lay(t, dir, scripted)
	lay(t, dir, changed)
	e, err := configs.Load(filepath.Join(dir, "x.toml"), withFolders(), configs.Options{Set: set})
	return planned(t, e, err)
}

// TestMethodsAreInTheIdentity: the id is of the bytes of folders and block files, not of where they lie.
func TestMethodsAreInTheIdentity(t *testing.T) {
	first := scriptedPlan(t, nil).Manifest
	if again := scriptedPlan(t, nil).Manifest; again.ID != first.ID || again.PromptHash != first.PromptHash {
		t.Errorf("two places of one folder: %s and %s", first.ID, again.ID)
	}
	ids := map[string]string{first.ID: "the files"}
	check := func(what string, prompts bool, changed map[string]string, set ...string) {
		t.Helper()
		m := scriptedPlan(t, changed, set...).Manifest
		if other, known := ids[m.ID]; known || prompts == (m.PromptHash == first.PromptHash) {
			t.Errorf("%s: %s, as %s; prompt hash %s", what, m.ID, other, m.PromptHash)
		}
		ids[m.ID] = what
	}
	check("one byte of a method", true, map[string]string{"m/mine/lib/a.star": "a = 2\n"})
	check("one byte of a fixer", true, map[string]string{"n/mine/method.star": "def fix(q, c): return q\n"})
	check("folders exchanged", false, map[string]string{"x.toml": strings.NewReplacer(`"m/mine"`, `"n/mine"`, `"n/mine"`, `"m/mine"`).Replace(scripted["x.toml"])})
	check("one byte of a block", true, map[string]string{"rules.txt": "Be brie.\n"})
	check("one byte of a swept block", true, map[string]string{"strict.txt": "Be strict!\n"})
	check("a param", false, nil, "arm.a.params.rounds=3")
	check("a block that is off", true, nil, "arm.a.blocks.rules=")
	check("other swept values", false, map[string]string{"x.toml": strings.Replace(scripted["x.toml"], `"kept", `, "", 1)})
}

// TestRunFolderHasTheSources: a run is planned again from its folder alone, as the same run, where the originals are gone.
func TestRunFolderHasTheSources(t *testing.T) {
	root := t.TempDir()
	lay(t, root, scripted)
	e, err := configs.Load(filepath.Join(root, "x.toml"), withFolders(), configs.Options{})
	p := planned(t, e, err)
	want := []string{"methods/2/mine/method.star", "methods/blocks/rules.txt", "methods/blocks/strict.txt", "methods/cot/method.star", "methods/mine/lib/a.star", "methods/mine/method.star"}
	if d := cmp.Diff(want, slices.Sorted(maps.Keys(p.Copies))); d != "" {
		t.Error(d)
	}
	run := filepath.Join(t.TempDir(), "moved", "x-run")
	if err := record.Write(run, &record.Run{Manifest: p.Manifest, Config: p.Config}); err != nil {
		t.Fatal(err)
	}
	lay(t, run, map[string]string{"methods/old/method.star": "gone"})
	if err := p.Copies.Write(run); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(root); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(run, record.ManifestFile))
	if err != nil || strings.Contains(string(text), root) || !strings.Contains(string(text), `"methods/2/mine"`) {
		t.Errorf("%v\n%s", err, text)
	}
	if _, err := os.Stat(filepath.Join(run, "methods/old/method.star")); !os.IsNotExist(err) {
		t.Errorf("an old copy is left: %v", err)
	}
	e, err = record.Again(run, withFolders(), configs.Options{})
	again := planned(t, e, err)
	if again.Manifest.ID != p.Manifest.ID {
		t.Errorf("run again: %s, was %s", again.Manifest.ID, p.Manifest.ID)
	}
	if d := cmp.Diff(p.Copies, again.Copies); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(p.Config, again.Config); d != "" {
		t.Error(d)
	}
	var points []string
	for _, c := range again.Cells {
		points = append(points, c.Values()...)
	}
	if want := []string{"kept", "kept", "off", "off", "strict.txt", "strict.txt"}; !slices.Equal(points, want) {
		t.Errorf("points %q", points)
	}
	checkDamaged(t, run)
}

// checkDamaged checks that a run whose copies are damaged is read, and not run again.
func checkDamaged(t *testing.T, run string) {
	t.Helper()
	if err := os.RemoveAll(filepath.Join(run, "methods")); err != nil {
		t.Fatal(err)
	}
	r, err := record.Read(run, withFolders())
	if err != nil {
		t.Fatal(err)
	}
	if a := r.Resolved.Arms[0]; a.Row.ID != "" || a.Params["rounds"] != int64(2) || len(r.Resolved.Cells()) != 6 {
		t.Errorf("%+v", a)
	}
	_, err = record.Again(run, withFolders(), configs.Options{})
	if err == nil || !strings.Contains(err.Error(), `arm "a": method cannot be used`) || !strings.Contains(err.Error(), "run.toml") {
		t.Error(err)
	}
}
