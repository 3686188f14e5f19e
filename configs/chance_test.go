package configs

import (
	"strings"
	"testing"
)

// TestChance: a source of chance is an error where no arm has a use for it at any sweep point.
func TestChance(t *testing.T) {
	check := func(body, want string) {
		t.Helper()
		text := "name = \"x\"\n" + body + "\n[dataset]\nkind = \"spider\"\npath = \"/tmp\"\n[[arm]]\nname = \"a\"\nmethod = \"standard\"\n"
		if at := strings.Index(body, "[sweep]"); at >= 0 {
			text = strings.Replace(text, body[at:], "", 1) + body[at:]
		}
		_, err := parse(text, Options{})
		switch {
		case want == "" && err != nil:
			t.Errorf("%s: %v", body, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %v, want %q", body, err, want)
		}
	}
	check("[exemplars]\nk = 8\npool_size = 200\npool_seed = 1\ndraw = 2\norder = 3", "")
	check("[exemplars]\nk = 1\norder = 3", "exemplars.order has no effect at any sweep point: state an exemplars.k above 1")
	check("[exemplars]\nk = 0\ndraw = 3", "exemplars.draw has no effect")
	check("[exemplars]\nk = 4\nstrategy = \"similarity\"\ndraw = 3", "exemplars.draw has no effect")
	check("[exemplars]\nk = 4\nstrategy = \"similarity\"\norder = 3", "")
	check("[exemplars]\nk = 4\npool_seed = 3", "exemplars.pool_seed has no effect at any sweep point: state exemplars.pool_size")
	check("[exemplars]\npool_size = 30", "exemplars.pool_size has no effect")
	check("[exemplars]\ndraw = 3\n[sweep]\nk = [0, 1]", "")
	check("[exemplars]\nk = 1\n[sweep]\n\"exemplars.order\" = [0, 1]", "sweep: exemplars.order has no effect")
	check("[exemplars]\nk = 4\n[sweep]\n\"exemplars.order\" = [0, 1]\n\"exemplars.draw\" = [0, 1]", "")
}
