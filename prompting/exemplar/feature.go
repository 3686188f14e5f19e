package exemplar

import (
	"fmt"
	"slices"
	"strings"
)

// Feature is something that a demonstration may have and a method may show, by the name that methods' needs and takes use.
type Feature struct {
	ID   string
	Said string // in errors: "no ..."
	Has  func(Demo) bool
}

// Features are all of them.
var Features = []Feature{
	{"cot", "cot text", func(d Demo) bool { return strings.TrimSpace(d.CoT) != "" }},
	{"steps", "steps", func(d Demo) bool { return len(d.Steps) > 0 }},
	{"steps.sql", "steps with SQL", func(d Demo) bool {
		return len(d.Steps) > 0 && !slices.ContainsFunc(d.Steps, func(s Step) bool { return strings.TrimSpace(s.SQL) == "" })
	}},
	// Columns derived from SQL that reads none, such as a count of rows, are complete all the same.
	{"steps.columns", "steps with columns", func(d Demo) bool {
		return slices.ContainsFunc(d.Steps, func(s Step) bool { return s.Columns != "" || d.By.Columns == Rule })
	}},
	{"plan", "query plan", func(d Demo) bool { return strings.TrimSpace(d.Plan) != "" }},
	{"division", "division", func(d Demo) bool { return d.Division != nil && len(d.Division.Parts) > 0 }},
	{"dialogue", "dialogue", func(d Demo) bool { return len(d.Dialogue) > 0 }},
}

// FeatureOf returns the feature of that name.
func FeatureOf(id string) (Feature, error) {
	var ids []string
	for _, f := range Features {
		if f.ID == id {
			return f, nil
		}
		ids = append(ids, f.ID)
	}
	return Feature{}, fmt.Errorf("a demonstration has no %q (there are %s)", id, strings.Join(ids, ", "))
}
