package configs

import (
	"path/filepath"
)

// Placeless returns the tables of a resolved experiment with every path of this machine replaced by what of returns for it.
// of gets the key as the reference page has it, without an arm's name ("exemplars.file"). The contents of files decide a
// run's numbers and their places do not, so that paths must be no part of its identity.
func (known Known) Placeless(config map[string]any, of func(key, path string) string) map[string]any {
	out := known.placeless(config, "", topScope, of)
	if arms, ok := config["arm"].([]map[string]any); ok {
		out["arm"] = known.listed(arms, armScope, of)
	}
	if metrics, ok := config["metric"].([]map[string]any); ok {
		out["metric"] = known.listed(metrics, metricScope, func(key, path string) string { return of("metric."+key, path) })
	}
	if sweep, ok := config["sweep"].(map[string]any); ok {
		axes := map[string]any{}
		for name, values := range sweep {
			path, k, _ := axisKey(name)
			axes[name] = k.placeless(path, values, known, of)
		}
		out["sweep"] = axes
	}
	return out
}

// listed replaces the paths in each table of a list.
func (known Known) listed(tables []map[string]any, keys scope, of func(key, path string) string) []map[string]any {
	out := make([]map[string]any, len(tables))
	for i, t := range tables {
		out[i] = known.placeless(t, "", keys, of)
	}
	return out
}

// placeless replaces the paths in one table and the tables below it.
func (known Known) placeless(tree map[string]any, prefix string, keys scope, of func(key, path string) string) map[string]any {
	out := make(map[string]any, len(tree))
	for name, v := range tree {
		path := prefix + name
		if sub, ok := v.(map[string]any); ok {
			out[name] = known.placeless(sub, path+".", keys, of)
			continue
		}
		out[name] = keys.find(path).placeless(path, v, known, of)
	}
	return out
}

// placeless returns the value of a key with its paths replaced.
func (k *key) placeless(path string, v any, known Known, of func(key, path string) string) any {
	text := func(s string) string {
		if k.place(s, known) {
			return of(path, s)
		}
		return s
	}
	switch v := v.(type) {
	case []any:
		out := make([]any, len(v))
		for i, x := range v {
			if out[i] = x; k != nil {
				out[i] = k.placeless(path, x, known, of)
			}
		}
		return out
	default:
		return mapText(v, text)
	}
}

// place reports whether a text is a path on this machine. A word such as "train" in place of a path is not, nor is a file
// name relative to the dataset's folder.
func (k *key) place(s string, known Known) bool {
	switch {
	case k == nil || s == "":
		return false
	case k.path == "dataset.questions":
		return filepath.IsAbs(s)
	case known.Choices(k.words).Has(s):
		return false
	case k.kind == blocks:
		return s != BlockKept
	case k.kind == variables || k.path == "arm.command":
		return filepath.IsAbs(s)
	case k.part != "":
		return isPath(s)
	}
	return k.rel
}
