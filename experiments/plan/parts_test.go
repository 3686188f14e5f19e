package plan_test

import (
	"context"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"assay/configs"
	"assay/experiments/catalog"
	"assay/experiments/plan"
	"assay/prompting/llm"
)

// planOf makes a plan of the sample's first items with these arms.
func planOf(t *testing.T, arms string) (p *plan.Plan, cache string) {
	t.Helper()
	cache = t.TempDir()
	e, err := configs.Parse(filepath.Join(cache, "x.toml"), []byte("name = \"x\"\n[dataset]\nkind = \"sample\"\nlimit = 2\n[exemplars]\nk = 2\n"+arms), catalog.Known)
	if err != nil {
		t.Fatal(err)
	}
	if p, err = plan.Make(context.Background(), e, plan.Options{Cache: cache}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p, cache
}

// TestPools: demonstrations have query plans where an arm prints them, and are there where its examples come from them.
func TestPools(t *testing.T) {
	check := func(arms string, pools int, plans bool) {
		t.Helper()
		p, _ := planOf(t, arms)
		if len(p.Pools) != pools {
			t.Errorf("%s\n%d pools", arms, len(p.Pools))
		}
		for _, pool := range p.Pools {
			if got := pool.Demos()[0].Plan != ""; got != plans {
				t.Errorf("%s\nplans: %v", arms, got)
			}
		}
	}
	check("[[arm]]\nname = \"a\"\nmethod = \"cot\"\n", 1, false)
	check("[[arm]]\nname = \"a\"\nmethod = \"cot\"\n[[arm]]\nname = \"b\"\nmethod = \"qp-cot\"\n", 1, true)
	check("[[arm]]\nname = \"a\"\nmethod = \"pool\"\ngenerators = [\"os\", \"qp-cot\"]\n", 1, true)
	check("[[arm]]\nname = \"a\"\nmethod = \"qp-cot\"\nexemplars.k = 0\n", 0, false)
	check("[[arm]]\nname = \"a\"\nmethod = \"os\"\nexemplars.k = 0\n", 0, false)
	check("[[arm]]\nname = \"a\"\nmethod = \"os\"\nexemplars.k = 0\nsynthetic.source = \"train\"\n", 1, false)
}

// TestSelector: selection asks the model that the arm names, with its identity.
func TestSelector(t *testing.T) {
	reply := func(text string) *llm.Scripted {
		n := 0
		var mu sync.Mutex
		return &llm.Scripted{Reply: func(llm.Request) (string, error) {
			mu.Lock()
			defer mu.Unlock()
			n++
			return strings.ReplaceAll(text, "N", strings.Repeat("1", n)), nil
		}}
	}
	check := func(settings, provider, name string) {
		t.Helper()
		p, _ := planOf(t, "[model]\nprovider = \"openai\"\nname = \"writer\"\nsamples = 2\ntemperature = 1\n[[arm]]\nname = \"a\"\nmethod = \"cot\"\nselection.rule = \"pairwise\"\n"+settings)
		writer, judge := reply("SELECT N"), reply("B")
		m, err := p.MethodWith(p.Cells[0], plan.Models{Model: writer, Selector: judge}, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Answer(t.Context(), p.Set.Examples[0].Question); err != nil {
			t.Fatal(err)
		}
		asked := judge.Asked()
		if provider == "openai" && name == "writer" {
			asked = writer.Asked()[2:]
		}
		if len(asked) == 0 || asked[0].Provider != provider || asked[0].Model != name || asked[0].Params.Temperature != 0 {
			t.Errorf("%q asks %+v", settings, asked)
		}
	}
	check("", "openai", "writer")
	check("selection.name = \"judge\"\n", "openai", "judge")
	check("selection.provider = \"gemini\"\nselection.name = \"judge\"\n", "gemini", "judge")
}

// TestIndexesAreShared: the index of a database is built once for all arms and seeds, beside the built databases.
func TestIndexesAreShared(t *testing.T) {
	p, cache := planOf(t, "[values]\nuse = true\n[[arm]]\nname = \"a\"\nmethod = \"cot\"\n[[arm]]\nname = \"b\"\nmethod = \"standard\"\n[[arm]]\nname = \"c\"\nmethod = \"standard\"\nvalues.columns = \"chess\"\n")
	var group sync.WaitGroup
	for _, c := range p.Cells {
		m, err := p.Method(c, &llm.Scripted{}, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, ex := range p.Set.Examples {
			group.Go(func() {
				if _, err := m.Answer(t.Context(), ex.Question); err != nil {
					t.Error(err)
				}
			})
		}
	}
	group.Wait()
	files, err := filepath.Glob(filepath.Join(cache, "values", "*"))
	if err != nil || len(files) != 2 {
		t.Errorf("index files %v, %v: want one a way of choosing columns", files, err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}
