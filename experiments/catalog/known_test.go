package catalog

import (
	"slices"
	"testing"

	"assay/configs"
)

// TestKnown: a name is once in its list, with a line of help, and has the traits that others rely on.
func TestKnown(t *testing.T) {
	lists := []string{"kinds", "providers", "methods", "strategies", "sources"}
	for list := range Known.Lists {
		lists = append(lists, list)
	}
	for _, list := range lists {
		all := Known.Choices(list)
		if len(all) == 0 {
			t.Errorf("there are no %s", list)
		}
		for i, c := range all {
			if c.ID == "" || c.Shows == "" || slices.ContainsFunc(all[:i], func(b configs.Choice) bool { return b.ID == c.ID }) {
				t.Errorf("%s: %+v", list, c)
			}
		}
	}
	only := func(what string, n int) {
		t.Helper()
		if n != 1 {
			t.Errorf("%d %s, want one", n, what)
		}
	}
	count := func(has func(configs.Method) bool) (n int) {
		for _, m := range Known.Methods {
			if has(m) {
				n++
			}
		}
		return n
	}
	only("methods that gather", count(func(m configs.Method) bool { return m.Pool }))
	only("methods of predictions that others made", count(func(m configs.Method) bool { return m.Imported }))
	if !Known.Kinds[0].Embedded {
		t.Errorf("the default of --dataset is %s, which needs files", Known.Kinds[0].ID)
	}
	for _, p := range providers {
		if p.Local && (p.version == nil || p.base != "" || p.keyEnv != "") || !p.Local && p.open != nil && ((p.base == "") != p.Address || p.own != (p.keyEnv != "" && p.base != "")) {
			t.Errorf("provider %s: %+v", p.ID, p.Provider)
		}
	}
}
