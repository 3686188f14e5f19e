package paper

import (
	"bytes"
	"testing"

	"assay/experiments/record"
	"assay/plots/table"
	"assay/prompting/goldentest"
)

// chanceRun sweeps pool, draw and order, under two seeds of a model that samples; two draws share six of eight demonstrations.
func chanceRun(t *testing.T) *record.Run {
	t.Helper()
	e := experiment(t, "[0, 1]", `kind = "sample"`, "pool_size = 16\n[model]\nprovider = \"openai\"\nname = \"m\"\ntemperature = 0.7\n"+twoArms+
		"[sweep]\npool = [0, 1]\ndraw = [0, 1, 2]\norder = [0, 1]\n")
	r := fake(e, "sample/dev", []string{"ferry"}, 30, func(int) (string, string) { return "easy", "" })
	return showing(r, func(point []string) []string {
		ids := []string{"a", "b", "c", "d", "e", "f"}
		return append(ids, "x"+point[0]+point[1], "y"+point[0]+point[1])
	})
}

// exemplarsRun sweeps preset, number and format; draws by a preset share nothing.
func exemplarsRun(t *testing.T) *record.Run {
	t.Helper()
	e := experiment(t, "[0, 1]", `kind = "sample"`, twoArms+"[[arm]]\nname = \"l2m\"\nlabel = \"L2M\"\nmethod = \"least-to-most\"\n"+
		"[sweep]\nexemplars.preset = [\"random\", \"G3\", \"similarity\"]\nformat = [\"apidocs\", \"createtable\"]\nk = [0, 2]\n")
	r := fake(e, "sample/dev", []string{"ferry"}, 30, func(int) (string, string) { return "easy", "" })
	return showing(r, func(point []string) []string {
		if point[2] == "0" {
			return nil
		}
		return []string{point[0] + " 1", point[0] + " 2"}
	})
}

// showing gives each answer of a run the demonstrations of its point, of a pool of 57.
func showing(r *record.Run, of func(point []string) []string) *record.Run {
	r.Manifest.Demonstrations = []record.Pool{{Name: "sample", Size: 57, Levels: map[string]int{"easy": 15, "medium": 14, "hard": 14, "extra": 14}}}
	for _, it := range r.Items {
		if ids := of(it.Point); ids != nil {
			r.Shown = append(r.Shown, record.Shown{Item: it.Item, Arm: it.Arm, Point: it.Point, Seed: it.Seed, IDs: record.Listing([][]string{ids})})
		}
	}
	return r
}

// TestStudyOfExemplars pins the tables of a study of exemplars as a terminal has them.
func TestStudyOfExemplars(t *testing.T) {
	check := func(file string, r *record.Run, name string) {
		t.Helper()
		var b bytes.Buffer
		if err := one(t, r, name).Table.WriteText(&b, table.TextOptions{Width: 80}); err != nil {
			t.Fatal(err)
		}
		goldentest.Compare(t, file, b.String())
	}
	check("sources.txt", chanceRun(t), "sources")
	check("demonstrations-draws.txt", chanceRun(t), "demonstrations")
	check("demonstrations.txt", exemplarsRun(t), "demonstrations")
	check("claims.txt", exemplarsRun(t), "tai2023/claims")
}
