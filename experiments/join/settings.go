package join

import (
	"maps"
	"slices"

	"assay/experiments/compare"
	"assay/experiments/record"
)

// Settings are the keys whose values are not the same in all runs, in the order in which they are found, with one
// value per run; "" where a run has none. It reads the runs' manifests and configs alone.
func Settings(runs []*record.Run) (order []string, values map[string][]string) {
	values = map[string][]string{}
	for i, r := range runs[1:] {
		for _, d := range differences(runs[0], r) {
			if values[d.Key] == nil {
				order = append(order, d.Key)
				values[d.Key] = slices.Repeat([]string{d.A}, len(runs))
			}
			values[d.Key][i+1] = d.B
		}
	}
	return order, values
}

// differences returns the settings in which two runs differ: those outside arms, such as the dataset's, and those of the arms
// as resolved. The top-level tables that arms inherit from are left out, as each resolved arm contains their values.
func differences(a, b *record.Run) []compare.Difference {
	a, b = placeless(a, b)
	out := compare.Configs(apartFromArms(a), apartFromArms(b), nil)
	return append(out, ofArms(arms(a), arms(b))...)
}

// ofArms compares the arms that both runs have, by name; runs that share none are compared in the settings
// that all arms of each have in common.
func ofArms(a, b map[string]map[string]string) []compare.Difference {
	var names []string
	for _, n := range slices.Sorted(maps.Keys(a)) {
		if b[n] != nil {
			names = append(names, n)
		}
	}
	if len(names) == 0 {
		return differ("", uniform(a), uniform(b))
	}
	first := differ("", a[names[0]], b[names[0]])
	for _, n := range names[1:] {
		if !slices.Equal(differ("", a[n], b[n]), first) {
			return armByArm(a, b, names)
		}
	}
	return first
}

func armByArm(a, b map[string]map[string]string, names []string) (out []compare.Difference) {
	for _, n := range names {
		out = append(out, differ("arm."+n+".", a[n], b[n])...)
	}
	return out
}

// differ lists the keys whose values differ, sorted.
func differ(prefix string, a, b map[string]string) (out []compare.Difference) {
	keys := maps.Clone(a)
	maps.Copy(keys, b)
	for _, k := range slices.Sorted(maps.Keys(keys)) {
		if a[k] != b[k] {
			out = append(out, compare.Difference{Key: prefix + k, A: a[k], B: b[k]})
		}
	}
	return out
}

// ArmNames returns the arms of a run's experiment.
func ArmNames(r *record.Run) (out []string) {
	for _, t := range tables(r) {
		name, _ := t["name"].(string)
		out = append(out, name)
	}
	return out
}

// uniform returns the settings, except the method, that are equal in all arms.
func uniform(arms map[string]map[string]string) map[string]string {
	var out map[string]string
	for _, n := range slices.Sorted(maps.Keys(arms)) {
		if out == nil {
			out = maps.Clone(arms[n])
			delete(out, "method")
			delete(out, "generators")
		}
		for k, v := range out {
			if arms[n][k] != v {
				delete(out, k)
			}
		}
	}
	return out
}

// placeless is two runs, with settings that do not depend on where their files lie.
func placeless(a, b *record.Run) (x, y *record.Run) {
	x, y = &record.Run{Manifest: a.Manifest}, &record.Run{Manifest: b.Manifest}
	x.Config, y.Config = compare.Placeless(a, b)
	return x, y
}

// unsaid are the keys of an arm that change no number: its name and label, and where its API key is.
var unsaid = []string{"name", "label", "published", "model.key_env", "model.key_file", "selection.key_env", "selection.key_file", "embeddings.key_env", "embeddings.key_file"}

// arms returns a run's arms by name, each with its settings by key.
func arms(r *record.Run) map[string]map[string]string {
	out := map[string]map[string]string{}
	for _, t := range tables(r) {
		name, _ := t["name"].(string)
		flat := map[string]string{}
		for _, d := range compare.Configs(t, nil, nil) {
			if !slices.Contains(unsaid, d.Key) {
				flat[d.Key] = d.A
			}
		}
		out[name] = flat
	}
	return out
}

func tables(r *record.Run) []map[string]any {
	list, _ := r.Config["arm"].([]map[string]any)
	return list
}

// apartFromArms returns a run's settings outside arms, without its name and those that change no number.
func apartFromArms(r *record.Run) map[string]any {
	out := maps.Clone(r.Config)
	for _, k := range []string{"arm", "name", "shows", "report", "table", "limits", "budget", "workers", "metrics"} {
		delete(out, k)
	}
	for _, t := range tables(r) {
		for k := range t {
			delete(out, k) // inherited
		}
	}
	return out
}
