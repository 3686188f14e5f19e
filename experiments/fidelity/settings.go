package fidelity

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"assay/configs"
)

// settings are an experiment's, of each cell.
type settings struct {
	e      configs.Experiment
	names  []string // as which it counts, see paper.names
	cells  []configs.Cell
	tables []map[string]map[string]any // by cell and name of a table of the arm, read where needed
}

func read(e configs.Experiment) *settings {
	s := &settings{e: e, names: []string{e.Name}, cells: e.Cells()}
	s.tables = make([]map[string]map[string]any, len(s.cells))
	for i := range s.tables {
		s.tables[i] = map[string]map[string]any{}
	}
	return s
}

// derived are what facts compare that no single key of an arm holds, by name.
var derived = map[string]func(e configs.Experiment, a configs.Arm) string{
	"model": func(_ configs.Experiment, a configs.Arm) string { return modelOf(a.Model) },
	"selector": func(_ configs.Experiment, a configs.Arm) string {
		m, own := a.Selector()
		if !own {
			return modelOf(m) + ", not tuned"
		}
		return modelOf(m)
	},
	"embeddings": func(_ configs.Experiment, a configs.Arm) string {
		if !a.Embeddings.On() {
			return configs.Offline
		}
		return cmp.Or(a.Embeddings.As, a.Embeddings.Name)
	},
	// What SearchColumn compares with a description.
	"column text": func(e configs.Experiment, a configs.Arm) string {
		switch {
		case !a.Embeddings.On():
			return "words of name, table and description"
		case strings.HasPrefix(e.Dataset.Kind, "bird"):
			return "a sentence with both names, no description"
		}
		return "a sentence with both names"
	},
	"dataset": func(e configs.Experiment, _ configs.Arm) string {
		if e.Known.Kind(e.Dataset.Kind).Embedded {
			return e.Dataset.Kind
		}
		return strings.TrimSuffix(e.Dataset.Kind+"/"+e.Dataset.Split, "/")
	},
	"sets": func(e configs.Experiment, _ configs.Arm) string {
		if e.Known.Kind(e.Dataset.Kind).Embedded {
			return e.Dataset.Kind
		}
		return strings.Join(e.Dataset.Sets, ", ")
	},
	"split by": func(e configs.Experiment, _ configs.Arm) string { return e.Dataset.SplitBy },
	"suite": func(e configs.Experiment, _ configs.Arm) string {
		if e.Dataset.Suite == "" {
			return "none: one database each"
		}
		return filepath.Base(e.Dataset.Suite)
	},
	"strata":  func(e configs.Experiment, _ configs.Arm) string { return fmt.Sprint(e.Dataset.Strata.Size) },
	"metrics": func(e configs.Experiment, _ configs.Arm) string { return strings.Join(e.Metrics, ", ") },
	"seeds":   func(e configs.Experiment, _ configs.Arm) string { return fmt.Sprint(len(e.Seeds)) },
	"generators": func(_ configs.Experiment, a configs.Arm) string {
		var names []string
		for _, id := range a.Asks() {
			names = append(names, configs.PartName(id))
		}
		return strings.Join(names, ", ")
	},
	"pool": func(_ configs.Experiment, a configs.Arm) string { return fmt.Sprint(a.Row.Pool) },
	"demonstrations": func(_ configs.Experiment, a configs.Arm) string {
		if a.Exemplars.K == 0 {
			return "none"
		}
		return "of " + configs.PartName(cmp.Or(a.Exemplars.File, "assay's own"))
	},
	"correction": func(_ configs.Experiment, a configs.Arm) string {
		if a.Fixer.Tries == 0 && a.Fix == "" {
			return "none"
		}
		return fmt.Sprintf("%d tries at most", a.Fixer.Tries)
	},
	"strategy": func(_ configs.Experiment, a configs.Arm) string {
		if a.Exemplars.K == 0 {
			return "none"
		}
		return cmp.Or(a.Exemplars.Preset, a.Exemplars.Strategy, "random")
	},
	"synthetic examples": func(_ configs.Experiment, a configs.Arm) string {
		return fmt.Sprint(a.Synthetic.Features + a.Synthetic.Tables)
	},
	"synthetic split": func(_ configs.Experiment, a configs.Arm) string {
		return fmt.Sprintf("%d + %d", a.Synthetic.Features, a.Synthetic.Tables)
	},
	"tools": func(_ configs.Experiment, a configs.Arm) string {
		off := a.Agent.OrPaper().Off
		if len(off) == 0 {
			return "all five"
		}
		return "without " + strings.Join(off, ", ")
	},
	"evidence": func(_ configs.Experiment, a configs.Arm) string {
		if a.Schema.HideEvidence {
			return "hidden"
		}
		return "shown"
	},
}

func modelOf(m configs.Model) string {
	if m.Local {
		return "baseline"
	}
	return cmp.Or(m.As, m.Name, m.Provider)
}

// value returns the value of a key in a cell, as text: one of derived, a param of the arm's method, or TABLE.KEY of the arm.
// Empty where the arm has none.
func (s *settings) value(cell int, key string) string {
	a := s.cells[cell].Arm
	if of, ok := derived[key]; ok {
		return of(s.e, a)
	}
	table, name, _ := strings.Cut(key, ".")
	all, ok := s.tables[cell][table]
	if !ok {
		if all = a.Table(table); table == "params" {
			all = paramsOf(s.e.Known, a)
		}
		s.tables[cell][table] = all
	}
	at := any(all)
	for _, step := range strings.Split(name, ".") {
		below, _ := at.(map[string]any)
		at = below[step]
	}
	return plain(at)
}

// paramsOf returns the params of the arm's method and parts with their values, defaults too.
func paramsOf(known configs.Known, a configs.Arm) map[string]any {
	out := map[string]any{}
	for _, s := range known.Open(a) {
		if name, ok := strings.CutPrefix(s.Key, "params."); ok {
			out[name] = s.Value
		}
	}
	return out
}

// plain prints a TOML value: a list as its elements, a path as its last part.
func plain(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		if filepath.IsAbs(v) {
			return filepath.Base(v)
		}
		return strings.ReplaceAll(v, "\n", `\n`)
	case []any:
		var parts []string
		for _, one := range v {
			parts = append(parts, plain(one))
		}
		return strings.Join(parts, ", ")
	}
	return fmt.Sprint(v)
}

// words lists the different values of a key in cells; named adds whose they are.
func (s *settings) words(cells []int, key string, named bool) string {
	var values []string
	arms := map[string][]string{}
	for _, i := range cells {
		v := cmp.Or(s.value(i, key), "not set")
		if !slices.Contains(values, v) {
			values = append(values, v)
		}
		if name := s.cells[i].Arm.Name; !slices.Contains(arms[v], name) {
			arms[v] = append(arms[v], name)
		}
	}
	for i, v := range values {
		if named {
			values[i] = v + " (" + strings.Join(arms[v], ", ") + ")"
		}
	}
	sep := ", "
	if slices.ContainsFunc(values, func(v string) bool { return strings.Contains(v, ", ") }) {
		sep = "; "
	}
	return strings.Join(values, sep)
}
