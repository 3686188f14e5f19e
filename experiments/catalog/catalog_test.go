package catalog

import (
	"slices"
	"testing"

	"assay/configs"
	"assay/prompting"
	"assay/prompting/choose"
	"assay/prompting/llm"
	"assay/prompting/methodtest"
	"assay/prompting/sandbox"

	"github.com/google/go-cmp/cmp"
)

// TestMethods: every method that an experiment may name can be made, alone and in a pool, with every part around it.
func TestMethods(t *testing.T) {
	d := prompting.Deps{Model: &llm.Scripted{}, Pool: methodtest.Pool(12), Box: sandbox.New(sandbox.Options{})}
	var pooled []string
	for _, c := range configs.Methods {
		if c.ID == configs.Imported {
			continue
		}
		for _, full := range []bool{false, true} {
			arm := methodtest.Arm(c.ID, "bird", 2)
			if c.ID == configs.Pool {
				arm.Generators = configs.Generators.IDs()
			} else {
				pooled = append(pooled, c.ID)
			}
			if full {
				arm.Values.Use, arm.Columns.Use, arm.Fixer.Tries, arm.Selection.Rule = true, "each", 3, "pairwise"
			}
			m, err := Method(d, arm, 1)
			if err != nil {
				t.Errorf("%s, all parts %v: %v", c.ID, full, err)
				continue
			}
			if _, ok := m.(prompting.Forecaster); !ok {
				t.Errorf("%s, all parts %v: it foretells nothing", c.ID, full)
			}
		}
	}
	if diff := cmp.Diff(configs.Generators.IDs(), slices.Compact(pooled)); diff != "" {
		t.Errorf("generators (-configs +made):\n%s", diff)
	}
	if _, err := Method(d, methodtest.Arm("magic", "bird", 0), 1); err == nil {
		t.Error("an unknown method was made")
	}
}

// TestNames: what an experiment may choose is what there is.
func TestNames(t *testing.T) {
	if diff := cmp.Diff(configs.SelectionRules.IDs(), choose.Rules()); diff != "" {
		t.Errorf("selection rules (-configs +choose):\n%s", diff)
	}
}
