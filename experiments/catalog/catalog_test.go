package catalog

import (
	"slices"
	"strings"
	"testing"

	"assay/configs"
	"assay/prompting"
	"assay/prompting/exemplar"
	"assay/prompting/llm"
	"assay/prompting/methodtest"
	"assay/prompting/pipeline"
	"assay/prompting/sql/sandbox"

	"github.com/google/go-cmp/cmp"
)

// TestMethods: every method that an experiment may name can be made, alone and in a pool, with every part around it.
func TestMethods(t *testing.T) {
	d := prompting.Deps{Model: &llm.Scripted{}, Pool: methodtest.Pool(12), Box: sandbox.New(sandbox.Options{}), Program: &noting{}}
	var pooled []string
	for _, c := range Known.Methods {
		if c.Imported {
			continue
		}
		for _, full := range []bool{false, true} {
			arm := methodtest.Arm(c.ID, "bird", 2)
			if c.Pool {
				arm.Generators = Known.Choices("generators").IDs()
			} else if !c.Program {
				pooled = append(pooled, c.ID)
			}
			if full {
				arm.Values.Use, arm.Columns.Use, arm.Fixer.Tries, arm.Selection.Rule = true, "each", 3, "pairwise"
			}
			Known.Attach(&arm)
			if _, err := Method(d, arm, 1); err != nil {
				t.Errorf("%s, all parts %v: %v", c.ID, full, err)
			}
		}
	}
	if diff := cmp.Diff(Known.Choices("generators").IDs(), slices.Compact(pooled)); diff != "" {
		t.Errorf("generators (-configs +made):\n%s", diff)
	}
	if _, err := Method(d, methodtest.Arm("magic", "bird", 0), 1); err == nil {
		t.Error("an unknown method was made")
	}
}

// TestAnnotated: demonstrations as a training split has them, with what SQL tells of itself and no more, are refused by
// those methods whose rows say that they need a person's annotations, and by no other.
func TestAnnotated(t *testing.T) {
	var demos []exemplar.Demo
	for _, d := range methodtest.Pool(12).Demos() {
		d.Steps, d.Division = nil, nil
		demos = append(demos, d)
	}
	pool, err := exemplar.NewPool(demos)
	if err != nil {
		t.Fatal(err)
	}
	d := prompting.Deps{Model: &llm.Scripted{}, Pool: pool, Box: sandbox.New(sandbox.Options{})}
	check := func(arm configs.Arm, refused bool) {
		t.Helper()
		if _, err := Method(d, arm, 1); refused != (err != nil) {
			t.Errorf("%s %v, k %d: refused %v, want %v", arm.Method, arm.Generators, arm.Exemplars.K, err, refused)
		}
	}
	for _, id := range Known.Choices("generators").IDs() {
		// The demonstrations have neither sub-questions nor a division, and a description of their SQL.
		lacking := slices.ContainsFunc(Known.Method(id).Features, func(f string) bool { return strings.HasPrefix(f, "steps") || f == "division" })
		check(methodtest.Arm(id, "bird", 2), lacking)
		check(methodtest.Arm(id, "bird", 0), false)
		pool := methodtest.Arm(pipeline.Pool.ID, "bird", 2)
		pool.Generators = []string{"standard", id}
		Known.Attach(&pool)
		check(pool, lacking)
	}
}
