package compare

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"assay/configs"
	"assay/experiments/record"

	"github.com/google/go-cmp/cmp"
)

// withBlocks knows folders named mine, which have blocks and a param, and others, which have none.
var withBlocks = configs.Known{Folder: func(dir string) (configs.Method, error) {
	m := configs.Method{Choice: configs.Choice{ID: filepath.Base(dir)}, Parts: []string{"answer"}, Dir: dir}
	if m.ID == "mine" {
		m.Blocks, m.Params = []string{"rules", "hint", "end"}, []configs.Param{{Name: "rounds", Default: int64(1)}}
	}
	m.Digest = m.ID
	return m, nil
}}

// arm is one with a method's folder, and params and blocks as key and value in turn.
func arm(name, method string, open ...string) configs.Arm {
	a := configs.Arm{Name: name, Method: method}
	for i := 0; i < len(open); i += 2 {
		if key, ok := strings.CutPrefix(open[i], "params."); ok {
			a.Params = map[string]any{key: open[i+1]}
			continue
		}
		if a.Blocks == nil {
			a.Blocks = map[string]any{}
		}
		a.Blocks[strings.TrimPrefix(open[i], "blocks.")] = open[i+1]
	}
	return a
}

func axis(key string, values ...string) configs.Axis { return configs.Axis{Key: key, Values: values} }

// ablationRun has a line of scores for each cell, in the order of configs.Experiment.Cells. The prompt of an answer has 100 tokens,
// 10 less for each of its cell's values that is off.
func ablationRun(arms []configs.Arm, axes []configs.Axis, scores ...string) *record.Run {
	r := &record.Run{Resolved: configs.Experiment{Arms: arms, Sweep: axes, Known: withBlocks},
		Manifest: record.Manifest{Experiment: "e", ID: "i", Metrics: []record.Metric{{ID: "ex"}}}}
	for _, a := range axes {
		r.Manifest.Axes = append(r.Manifest.Axes, a.Key)
	}
	for i, c := range r.Resolved.Cells() {
		off := strings.Count(strings.Join(c.Values(), " "), "off")
		for k, s := range scores[i] {
			it := record.Item{Item: fmt.Sprint(k), DB: "d", Arm: c.Arm.Name, Point: c.Values(), PromptTokens: record.CountOf(100 - 10*off), Values: []record.Value{{}}}
			if s != '?' {
				it.Values[0] = record.Value{V: float64(s - '0'), OK: true}
			}
			r.Items = append(r.Items, it)
		}
	}
	return r
}

func TestAblations(t *testing.T) {
	check := func(r *record.Run, want ...string) {
		t.Helper()
		as, err := Ablations(r.Index(), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if Ablates(r.Index()) != (len(want) > 0) {
			t.Errorf("Ablates is %v", len(want) == 0)
		}
		var got []string
		for _, a := range as {
			var changed []string
			for _, d := range a.Changed {
				changed = append(changed, d.Key+" "+d.A+"->"+d.B)
			}
			got = append(got, fmt.Sprintf("%s@%s %s@%s %s: n=%d %+.3f -%d +%d p=%.3f holm=%.3f %v saved %d", a.ArmA, strings.Join(a.PointA, ","), a.ArmB, strings.Join(a.PointB, ","),
				strings.Join(changed, " "), a.Items, a.Diff, a.OnlyA, a.OnlyB, a.P, a.Holm, a.Significant, a.SpentA.Prompt.N-a.SpentB.Prompt.N))
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
	}
	mine := []configs.Arm{arm("a", "/mine")}
	rules := axis("blocks.rules", "off", "kept")
	// Kept is the reference though it is not first. Without the rules 7 of 8 items are lost: p = 2/2^7.
	check(ablationRun(mine, []configs.Axis{rules}, "00000001", "11111111"),
		"a@kept a@off blocks.rules kept->off: n=8 -0.875 -7 +0 p=0.016 holm=0.016 true saved 80")
	// Each block with the other kept, then both off. p: 2/2^7; one item that differs says nothing, 1; 2/2^8. Holm over three:
	// 3 x 0.0078, then 2 x 0.0156, then 1.
	check(ablationRun(mine, []configs.Axis{rules, axis("blocks.hint", "kept", "off")}, "00000001", "00000000", "11111111", "01111111"),
		"a@kept,kept a@off,kept blocks.rules kept->off: n=8 -0.875 -7 +0 p=0.016 holm=0.031 true saved 80",
		"a@kept,kept a@kept,off blocks.hint kept->off: n=8 -0.125 -1 +0 p=1.000 holm=1.000 false saved 80",
		"a@kept,kept a@off,off blocks.hint kept->off blocks.rules kept->off: n=8 -1.000 -8 +0 p=0.008 holm=0.023 true saved 160")
	// At each point of another axis, for the arms that have the block; the first value is the reference where none is kept.
	check(ablationRun(append(mine, arm("b", "/plain")), []configs.Axis{axis("temperature", "0", "1"), axis("blocks.rules", "off", "my.txt")},
		"0011", "1111", "0111", "1111", "0000", "1111", "0010", "1111"),
		"a@0,off a@0,my.txt blocks.rules off->my.txt: n=4 +0.250 -0 +1 p=1.000 holm=1.000 false saved -40",
		"a@1,off a@1,my.txt blocks.rules off->my.txt: n=4 +0.250 -0 +1 p=1.000 holm=1.000 false saved -40")
	// A param with blocks kept, and blocks at the param's first value. The pair without a score on both sides is no test.
	check(ablationRun(mine, []configs.Axis{axis("params.rounds", "2", "1"), rules}, "00", "11", "??", "??"),
		"a@2,kept a@1,kept params.rounds 2->1: n=0 +0.000 -0 +0 p=1.000 holm=1.000 false saved 0",
		"a@2,kept a@2,off blocks.rules kept->off: n=2 -1.000 -2 +0 p=0.500 holm=0.500 false saved 20")
	// Arms: blocks against the one that keeps all, params against the first; not where both differ, or the method does.
	check(ablationRun([]configs.Arm{arm("off", "/mine", "blocks.rules", "", "blocks.hint", ""), arm("whole", "/mine"), arm("file", "/mine", "blocks.rules", "/x/my.txt"),
		arm("two", "/mine", "params.rounds", "2"), arm("both", "/mine", "params.rounds", "2", "blocks.end", ""), arm("plain", "/plain")}, nil,
		"00", "11", "10", "01", "00", "11"),
		"whole@ off@ blocks.hint kept->off blocks.rules kept->off: n=2 -1.000 -2 +0 p=0.500 holm=1.000 false saved 0",
		"whole@ file@ blocks.rules kept->my.txt: n=2 -0.500 -1 +0 p=1.000 holm=1.000 false saved 0",
		"two@ both@ blocks.end kept->off: n=2 -0.500 -1 +0 p=1.000 holm=1.000 false saved 0",
		"whole@ two@ params.rounds 1->2: n=2 -0.500 -1 +0 p=1.000 holm=1.000 false saved 0")
	// Copies of one folder, as runs that are joined have them, and no partner in a folder of another content.
	check(ablationRun([]configs.Arm{arm("a", "/run1/mine"), arm("b", "/run2/mine", "blocks.end", ""), arm("c", "/run2/plain")}, nil, "11", "00", "01"),
		"a@ b@ blocks.end kept->off: n=2 -1.000 -2 +0 p=0.500 holm=0.500 false saved 0")
	check(ablationRun([]configs.Arm{arm("a", "/plain"), arm("b", "/plain")}, []configs.Axis{rules}, "01", "11", "01", "11"))
	check(ablationRun(mine, nil, "01"))
}

// TestSwitchedOffIsNamed: a block that is off does not read as one that is not there.
func TestSwitchedOffIsNamed(t *testing.T) {
	a, b := &record.Run{}, &record.Run{}
	a.Config = map[string]any{"blocks": map[string]any{"fix": map[string]any{"rules": ""}}, "arm": []map[string]any{{"name": "x", "blocks": map[string]any{"hint": ""}}},
		"sweep": map[string]any{"blocks.end": []any{"kept", ""}}}
	b.Config = map[string]any{"arm": []map[string]any{{"name": "x", "blocks": map[string]any{"hint": "/home/me/hint.txt"}}}}
	want := []Difference{{"arm.x.blocks.hint", "off", "hint.txt"}, {"blocks.fix.rules", "off", ""}, {"sweep.blocks.end", "[kept off]", ""}}
	ca, cb := Placeless(a, b)
	if d := cmp.Diff(want, Configs(ca, cb, [][2]string{{"x", "x"}})); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}
