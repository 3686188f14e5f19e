package compare

import (
	"os"
	"path/filepath"
	"testing"

	"assay/configs"
	"assay/experiments/record"

	"github.com/google/go-cmp/cmp"
)

// TestSourcesAreToldApart: a folder and a block's file differ between runs by what their copies hold, not by where they lie.
func TestSourcesAreToldApart(t *testing.T) {
	known := configs.Known{Folder: func(dir string) (configs.Method, error) {
		text, err := os.ReadFile(filepath.Join(dir, "method.star"))
		return configs.Method{Digest: "sha256:0123456789" + string(text)}, err
	}}
	made := func(block string, copies record.Copies) *record.Run {
		r := &record.Run{Dir: t.TempDir(), Resolved: configs.Experiment{Known: known}, Config: map[string]any{"arm": []map[string]any{{
			"name": "a", "method": "methods/mine", "schema": map[string]any{"format": "bird"}, "blocks": map[string]any{"rules": "methods/blocks/rules.txt", "hint": block}}}}}
		if err := copies.Write(r.Dir); err != nil {
			t.Fatal(err)
		}
		return r
	}
	pairs := [][2]string{{"a", "a"}}
	a := made("kept", record.Copies{"methods/mine/method.star": []byte("1"), "methods/blocks/rules.txt": []byte("one")})
	check := func(b *record.Run, want ...Difference) {
		t.Helper()
		x, y := Placeless(a, b)
		if d := cmp.Diff(want, Configs(x, y, pairs)); d != "" {
			t.Error(d)
		}
	}
	check(made("kept", record.Copies{"methods/mine/method.star": []byte("1"), "methods/blocks/rules.txt": []byte("one")}))
	check(made("", record.Copies{"methods/mine/method.star": []byte("1"), "methods/blocks/rules.txt": []byte("two")}),
		Difference{"arm.a.blocks.hint", "kept", "off"}, Difference{"arm.a.blocks.rules", "rules.txt (7692c3ad)", "rules.txt (3fc4ccfe)"})
	check(made("kept", record.Copies{"methods/blocks/rules.txt": []byte("one")}), Difference{"arm.a.method", "mine (01234567)", "mine"})
}
