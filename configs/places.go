package configs

import (
	"path/filepath"
)

// Placeless is the tables of a resolved experiment with another text for every path of this machine: of gives what stands
// for the path that a key holds, keys being those of the reference page without an arm's name ("exemplars.file"). What is
// in the files decides a run, and not where they lie, so that paths are no part of its identity.
func (known Known) Placeless(config map[string]any, of func(key, path string) string) map[string]any {
	out := known.placeless(config, "", topScope, of)
	if arms, ok := config["arm"].([]map[string]any); ok {
		own := make([]map[string]any, len(arms))
		for i, a := range arms {
			own[i] = known.placeless(a, "", armScope, of)
		}
		out["arm"] = own
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

func (known Known) placeless(tree map[string]any, prefix string, keys scope, of func(key, path string) string) map[string]any {
	out := make(map[string]any, len(tree))
	for name, v := range tree {
		path := prefix + name
		if sub, ok := v.(map[string]any); ok {
			out[name] = known.placeless(sub, path+".", keys, of)
			continue
		}
		out[name] = keys[path].placeless(path, v, known, of)
	}
	return out
}

// placeless is the value of a key, its paths replaced.
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

// place reports whether a text is where something lies on this machine: not so a word in place of a path, nor a name
// within the dataset's folder.
func (k *key) place(s string, known Known) bool {
	switch {
	case k == nil || s == "":
		return false
	case k.path == "dataset.questions":
		return filepath.IsAbs(s)
	case known.Choices(k.words).Has(s):
		return false
	}
	return k.rel
}
