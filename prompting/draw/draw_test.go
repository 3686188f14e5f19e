package draw

import "testing"

func TestRand(t *testing.T) {
	first := func(seed int64, purpose ...string) uint64 { return Rand(seed, purpose...).Uint64() }
	check := func(what string, ok bool) {
		t.Helper()
		if !ok {
			t.Error(what)
		}
	}
	again := first(7, "schema", "spider/dev/a")
	check("equal arguments, equal draws", first(7, "schema", "spider/dev/a") == again)
	check("the seed matters", first(7, "schema") != first(8, "schema"))
	check("the purpose matters", first(7, "schema") != first(7, "exemplar"))
	check("parts do not run together", first(7, "ab", "c") != first(7, "a", "bc"))
	check("pinned: a change here changes every run", first(0, "exemplar") == 12620144690266252087)
}
