package compare

import (
	"fmt"
	"maps"
	"slices"
)

// Configs lists the keys whose values differ between two resolved experiments, sorted by key. Arms are addressed by
// their names, so that an arm added in the middle does not make every later one differ.
func Configs(a, b map[string]any) []Difference {
	fa, fb := map[string]string{}, map[string]string{}
	flatten(fa, "", a)
	flatten(fb, "", b)
	keys := slices.Collect(maps.Keys(fa))
	for k := range fb {
		if _, ok := fa[k]; !ok {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	var out []Difference
	for _, k := range keys {
		if fa[k] != fb[k] {
			out = append(out, Difference{k, fa[k], fb[k]})
		}
	}
	return out
}

func flatten(out map[string]string, path string, v any) {
	at := func(key string) string {
		if path == "" {
			return key
		}
		return path + "." + key
	}
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			flatten(out, at(k), x)
		}
	case []map[string]any:
		for i, x := range v {
			flatten(out, at(tableName(x, i)), x)
		}
	default:
		out[path] = fmt.Sprint(v)
	}
}

// tableName is how an element of an array of tables is addressed: by its name where it has one.
func tableName(t map[string]any, i int) string {
	if n, ok := t["name"].(string); ok && n != "" {
		return n
	}
	return fmt.Sprint(i)
}
