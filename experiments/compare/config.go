package compare

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"assay/configs"
	"assay/experiments/record"
)

// Configs lists the keys whose values differ between two resolved experiments, sorted by key. Arms are compared as
// they are paired, under A's name; an arm without a partner is a single line.
func Configs(a, b map[string]any, pairs [][2]string) []Difference {
	armsA, armsB := armTables(a), armTables(b)
	out := differ("", without(a, "arm"), without(b, "arm"))
	inA, inB := maps.Clone(armsA), maps.Clone(armsB)
	for _, p := range pairs {
		out = append(out, differ("arm."+p[0], armsA[p[0]], armsB[p[1]])...)
		delete(armsA, p[0])
		delete(armsB, p[1])
	}
	for name := range armsA {
		if inB[name] != nil { // in both, but paired with another or none
			delete(armsA, name)
		}
	}
	for name := range armsB {
		if inA[name] != nil {
			delete(armsB, name)
		}
	}
	for name := range armsA {
		out = append(out, Difference{"arm." + name, "present", ""})
	}
	for name := range armsB {
		out = append(out, Difference{"arm." + name, "", "present"})
	}
	slices.SortFunc(out, func(x, y Difference) int { return cmp.Or(strings.Compare(x.Key, y.Key), strings.Compare(x.A, y.A)) })
	return out
}

// Placeless returns the resolved experiments of two runs without the places of files, which are no difference between runs. It
// keeps the last name of a path, and no path of the dataset where its files are the same in both runs. The sources of methods
// and blocks, which the run folders have copies of, are named with the beginning of their digest, and blocks that are switched
// off say so.
func Placeless(a, b *record.Run) (x, y map[string]any) {
	ma, mb := a.Manifest, b.Manifest
	of := func(r *record.Run) map[string]any {
		config := r.Resolved.Known.Placeless(r.Config, func(key, path string) string {
			hashed := strings.HasPrefix(key, "dataset.") && key != "dataset.overrides"
			switch {
			case hashed && ma.DatasetHash == mb.DatasetHash || strings.HasSuffix(key, ".key_file"):
				return ""
			case configs.IsSource(key):
				return sourceName(r, key, path)
			}
			return filepath.Base(path)
		})
		withPrograms(config, r.Manifest.Programs)
		return withOff(config)
	}
	return of(a), of(b)
}

// withPrograms names the sources of the arms' programs by what they hold, and the versions that the programs declare.
func withPrograms(config map[string]any, programs []record.Program) {
	arms, _ := config["arm"].([]map[string]any)
	for _, p := range programs {
		for _, t := range arms {
			if t["name"] != p.Arm {
				continue
			}
			delete(t, "sources")
			if len(p.Files) > 0 {
				t["sources"] = p.Named()
			}
			if p.Version != "" {
				t["version"] = p.Version
			}
		}
	}
}

// withOff names the blocks that are switched off: an empty text would read as a key that is not there.
func withOff(config map[string]any) map[string]any {
	tables := []map[string]any{config}
	if arms, ok := config["arm"].([]map[string]any); ok {
		tables = append(tables, arms...)
	}
	for _, t := range tables {
		if v, ok := t["blocks"]; ok {
			t["blocks"] = offFor(v)
		}
	}
	if sweep, ok := config["sweep"].(map[string]any); ok {
		for key, v := range sweep {
			if strings.HasPrefix(key, "blocks.") {
				sweep[key] = offFor(v)
			}
		}
	}
	return config
}

// offFor replaces the empty texts of a block's value, of an axis, or of a table of them.
func offFor(v any) any {
	switch v := v.(type) {
	case string:
		if v == "" {
			return configs.BlockOff
		}
	case []any:
		for i := range v {
			v[i] = offFor(v[i])
		}
	case map[string]any:
		for key := range v {
			v[key] = offFor(v[key])
		}
	}
	return v
}

// sourceName names a copy in a run folder by its last name and its content: "mine (0a1b2c3d)".
func sourceName(r *record.Run, key, path string) string {
	if !filepath.IsAbs(path) {
		path = filepath.Join(r.Dir, path)
	}
	name := filepath.Base(path)
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	if digest := strings.TrimPrefix(r.Resolved.Known.DigestOf(key, path), "sha256:"); digest != "" {
		name += " (" + digest[:min(8, len(digest))] + ")"
	}
	return name
}

// withoutRenames keeps one line of all those that say that two imported runs have different names: an import has no setting
// of the system that made the predictions, so the name differs under every key that repeats it.
func withoutRenames(all []Difference, a, b map[string]any, pairs [][2]string, known configs.Known) []Difference {
	armsA, armsB := armTables(a), armTables(b)
	imported := func(t any) bool {
		arm, _ := t.(map[string]any)
		id, _ := arm["method"].(string)
		return known.Method(id).Imported
	}
	names, whole := []string{"name"}, len(pairs) == len(armsA) && len(pairs) == len(armsB)
	for _, p := range pairs {
		if !imported(armsA[p[0]]) || !imported(armsB[p[1]]) {
			whole = false
			continue
		}
		for _, key := range []string{"name", "label", "model.name"} {
			names = append(names, "arm."+p[0]+"."+key)
		}
	}
	if whole {
		names = append(names, "model.name")
	}
	first := slices.IndexFunc(names, func(n string) bool { return slices.ContainsFunc(all, func(d Difference) bool { return d.Key == n }) })
	return slices.DeleteFunc(all, func(d Difference) bool { return slices.Index(names, d.Key) > first })
}

// differ compares two tables key by key.
func differ(path string, a, b any) (out []Difference) {
	fa, fb := map[string]string{}, map[string]string{}
	flatten(fa, path, a)
	flatten(fb, path, b)
	keys := maps.Clone(fa)
	maps.Copy(keys, fb)
	for k := range keys {
		if fa[k] != fb[k] {
			out = append(out, Difference{k, fa[k], fb[k]})
		}
	}
	return out
}

// armTables returns an experiment's arms by name.
func armTables(config map[string]any) map[string]any {
	out := map[string]any{}
	list, _ := config["arm"].([]map[string]any)
	for i, t := range list {
		out[tableName(t, i)] = t
	}
	return out
}

func without(config map[string]any, key string) map[string]any {
	rest := maps.Clone(config)
	delete(rest, key)
	return rest
}

// flatten adds the leaves of a table to out by their dotted path.
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
		if t, ok := v.(string); ok && strings.ContainsAny(t, "\n\t") {
			v = strconv.Quote(t)
		}
		out[path] = fmt.Sprint(v)
	}
}

// tableName addresses an element of an array of tables: by its name where it has one, as positions change when arms are
// added.
func tableName(t map[string]any, i int) string {
	for _, key := range []string{"name", "id"} { // a metric has an id
		if n, ok := t[key].(string); ok && n != "" {
			return n
		}
	}
	return fmt.Sprint(i)
}
