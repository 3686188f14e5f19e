package overview

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"assay/configs"
	"assay/experiments/catalog"
	"assay/experiments/record"
	"assay/experiments/store"
	"assay/metrics"

	"github.com/BurntSushi/toml"
)

// put writes a run whose rows are "arm seed scores", a score a letter: 1, 0, or - for none.
func put(t *testing.T, s store.Store, id, more string, rows ...string) {
	t.Helper()
	e, err := configs.Parse("t.toml", []byte("name = \"t\"\nseeds = [0, 1, 2]\n[dataset]\nkind = \"sample\"\n"+more+"\n[[arm]]\nname = \"x\"\nmethod = \"standard\"\n[[arm]]\nname = \"y\"\nmethod = \"cot\"\n"), catalog.Known)
	if err != nil {
		t.Fatal(err)
	}
	text, err := e.TOML()
	if err != nil {
		t.Fatal(err)
	}
	r := &record.Run{Manifest: record.Manifest{Experiment: "t", ID: id, Complete: true, Revision: "0123456789abcdef", Metrics: []record.Metric{{ID: "ex"}}}}
	if err := toml.Unmarshal(text, &r.Config); err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		var arm, scores string
		var seed int64
		if _, err := fmt.Sscan(row, &arm, &seed, &scores); err != nil {
			t.Fatal(err)
		}
		for i, c := range scores {
			it := record.Item{Item: fmt.Sprint(i), Arm: arm, Seed: seed, Status: metrics.Wrong, Values: []record.Value{{OK: c != '-'}}}
			switch c {
			case '1':
				it.Status, it.Values[0].V = metrics.Correct, 1
			case '-':
				it.Status = metrics.ModelError
			}
			r.Items = append(r.Items, it)
		}
	}
	if err := record.Write(s.RunDir("t", id), r); err != nil {
		t.Fatal(err)
	}
}

func TestOf(t *testing.T) {
	s := store.Open(t.TempDir())
	put(t, s, "1", "", "x 1 1100", "x 2 1-0-", "y 1 1110", "y 2 1111")
	put(t, s, "2", "[model]\nprovider = \"openai\"\nname = \"m\"\ntemperature = 0.5", "x 0 1", "y 0 -")
	put(t, s, "3", "", "x 0 --")
	infos, err := s.List()
	if err != nil {
		t.Fatal(err)
	}
	byID := map[string]Run{}
	for _, r := range Of(infos, catalog.Known) {
		if r.Err != nil {
			t.Fatal(r.Err)
		}
		byID[r.Manifest.ID] = r
	}
	check := func(id, models, headline, differs string) {
		t.Helper()
		r := byID[id]
		var parts []string
		for _, d := range r.Differs {
			parts = append(parts, d.Key+"="+d.Value)
		}
		if m, d := strings.Join(r.Models, " "), strings.Join(parts, " "); m != models || r.Best() != headline || d != differs {
			t.Errorf("%s: %q %q %q\nwant %q %q %q", id, m, r.Best(), d, models, headline, differs)
		}
	}
	// x: mean of 2/4 and 1/2; y: mean of 3/4 and 4/4.
	check("1", "baseline", "ex 87.5 y", "model.name= model.provider=baseline model.temperature=0")
	check("2", "openai/m", "ex 100.0 x", "model.name=m model.provider=openai model.temperature=0.5")
	check("3", "baseline", "", "model.name= model.provider=baseline model.temperature=0")
	if got := byID["1"].Scores; len(got) != 2 || got[0].Scored != 6 || math.Abs(got[1].Mean-0.875) > 1e-12 {
		t.Errorf("%+v", got)
	}
}

// TestWhatNoSettingShows: arms, metrics and identities are listed where they differ.
func TestWhatNoSettingShows(t *testing.T) {
	of := func(change func(*record.Run)) *record.Run {
		r := &record.Run{Config: map[string]any{"arm": []map[string]any{{"name": "x"}}},
			Manifest: record.Manifest{DatasetHash: "sha256:aaaaaaaaaaaa", Revision: "bbbbbbbbbbbb", Metrics: []record.Metric{{ID: "ex"}}}}
		change(r)
		return r
	}
	check := func(want string, change func(*record.Run)) {
		t.Helper()
		order, values := settings([]*record.Run{of(func(*record.Run) {}), of(change)})
		var got []string
		for _, k := range order {
			got = append(got, k+": "+strings.Join(values[k], " | "))
		}
		if s := strings.Join(got, "; "); s != want {
			t.Errorf("%q, want %q", s, want)
		}
	}
	check("", func(*record.Run) {})
	check("data: aaaaaaaa | cccccccc", func(r *record.Run) { r.Manifest.DatasetHash = "sha256:cccccccccc" })
	check("assay: bbbbbbbb | bbbbbbbb+dirty", func(r *record.Run) { r.Manifest.Revision += "+dirty" })
	check("metrics: ex | em ts", func(r *record.Run) { r.Manifest.Metrics = []record.Metric{{ID: "em"}, {ID: "ts"}} })
	check("arms: x | x y", func(r *record.Run) { r.Config["arm"] = []map[string]any{{"name": "x"}, {"name": "y"}} })
}
