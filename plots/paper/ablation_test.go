package paper

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"assay/configs"
	"assay/experiments/catalog"
	"assay/experiments/record"
	"assay/metrics"
	"assay/plots/figure"
)

// scoredCells is a run of an experiment whose arms may name the folder METHOD, with the blocks rules and hint; the answers are
// those of each cell in turn, as in scoredRun. A prompt has 100 tokens, 20 less for each block that is swept and off.
func scoredCells(t *testing.T, rest string, answers ...string) *record.Run {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"mine/prompt.jinja": "{% block rules %}Be brief.{% endblock %}\n{{ input(q) }}\n{% block hint %}Think.{% endblock %}",
		"strict.txt":        "Be exact.\n"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text := "name = \"parts\"\nmetrics = [\"ex\"]\n[dataset]\nkind = \"sample\"\n" + rest
	e, err := configs.Parse("test.toml", []byte(strings.ReplaceAll(text, "DIR", dir)), catalog.Known)
	if err != nil {
		t.Fatal(err)
	}
	r := &record.Run{Resolved: e, Manifest: record.Manifest{ID: "x", Experiment: e.Name, Complete: true, Dataset: "sample/dev", Items: len(answers[0]), Metrics: []record.Metric{{ID: "ex"}}}}
	for _, a := range e.Sweep {
		r.Manifest.Axes = append(r.Manifest.Axes, a.Key)
	}
	for i, c := range e.Cells() {
		off := strings.Count(strings.Join(c.Values(), " "), "off")
		for k, s := range answers[i] {
			it := record.Item{Item: fmt.Sprint(k), DB: "x", Arm: c.Arm.Name, Point: c.Values(), PromptTokens: record.CountOf(100 - 20*off),
				Status: metrics.Wrong, Values: []record.Value{{OK: true}}}
			if s == '+' {
				it.Status, it.Values[0].V = metrics.Correct, 1
			}
			r.Items = append(r.Items, it)
		}
	}
	return r
}

const mineArm = `
[[arm]]
name = "mine"
label = "Mine"
method = "DIR/mine"
`

// ablationRun sweeps two blocks. Of ten items all are right with both kept. Without the rules eight are lost (p = 2/2^8 =
// 0.0078), without the hint one (p = 1), without both nine (p = 2/2^9 = 0.0039). Holm over three: 2 x 0.0078 = 0.016, 1, and
// 3 x 0.0039 = 0.012. The other arm has no such blocks.
func ablationRun(t *testing.T) *record.Run {
	return scoredCells(t, mineArm+"[[arm]]\nname = \"standard\"\nmethod = \"standard\"\n[sweep]\nblocks.rules = [\"\", \"kept\"]\nblocks.hint = [\"kept\", \"\"]\n",
		"++--------", "+-+-+-+-+-", "+---------", "+-+-+-+-+-", "++++++++++", "+-+-+-+-+-", "+++++++++-", "+-+-+-+-+-")
}

func TestAblation(t *testing.T) {
	r := ablationRun(t)
	x := one(t, r, "ablation").Table
	check := func(row int, want ...string) {
		t.Helper()
		var got []string
		for _, c := range x.Rows[row] {
			got = append(got, c.String())
		}
		got = slices.Delete(got, 7, 8) // the interval is compare's
		if !slices.Equal(got, want) {
			t.Errorf("row %d is %q, want %q", row, got, want)
		}
	}
	check(0, "Mine", "blocks.rules", "off", "kept", "10", "100.0", "20.0", "8", "0", "0.016", "20.0")
	check(1, "Mine", "blocks.hint", "off", "kept", "10", "100.0", "90.0", "1", "0", "~ 1.000", "20.0")
	check(2, "Mine", "blocks.hint, rules", "off", "kept", "10", "100.0", "10.0", "9", "0", "0.012", "40.0")
	if len(x.Rows) != 3 {
		t.Errorf("%d rows", len(x.Rows))
	}
	f := drawn[*figure.Forest](t, r, "forest-ablation")
	if e := f.Rows[0]; e.Name != "blocks.rules: off for kept" || e.Group != "Mine" || e.Value != -80 || !e.Significant {
		t.Errorf("%+v", e)
	}
}

// TestAblationOfArms: arms that differ in blocks alone stand beside the one that keeps them, with no path.
func TestAblationOfArms(t *testing.T) {
	r := scoredCells(t, "[[arm]]\nname = \"strict\"\nmethod = \"DIR/mine\"\nblocks.rules = \"DIR/strict.txt\"\nblocks.hint = \"\"\n"+mineArm, "+-", "++")
	x := one(t, r, "ablation").Table
	if row := x.Rows[0]; len(x.Rows) != 1 || row[0].Text != "strict" || row[1].Text != "blocks.hint, rules" || row[2].Text != "off, strict.txt" || row[3].Text != "kept" {
		t.Errorf("%+v", x.Rows)
	}
	if notes := strings.Join(x.Notes, "\n"); !strings.Contains(notes, "Compared with the arm Mine: strict (blocks.hint, rules).") {
		t.Error(notes)
	}
	var b strings.Builder
	if err := x.WriteCSV(&b); err != nil || strings.Contains(b.String(), "/") {
		t.Error(err, b.String())
	}
}

// TestNoAblation: a run that says nothing of parts has no such table, and says why.
func TestNoAblation(t *testing.T) {
	r := sampleRun(t)
	if _, err := made(r, "ablation"); err == nil || !strings.Contains(err.Error(), "it sweeps no blocks or params that an arm has") {
		t.Error(err)
	}
	for _, name := range []string{"ablation", "forest-ablation"} {
		if slices.Contains(Default(r), name) || !slices.Contains(Default(ablationRun(t)), name) {
			t.Errorf("%s is in the wrong reports", name)
		}
	}
}
