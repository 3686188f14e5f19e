package main

import (
	"strings"
	"testing"
)

func TestItemAt(t *testing.T) {
	ids := []string{"bird/dev/12", "bird/dev/120", "bird/dev/1", "bird/dev/film-a", "bird/dev/film-b"}
	check := func(named string, want int) {
		t.Helper()
		if got, err := itemAt(ids, named, "x"); err != nil || got != want {
			t.Errorf("%s: %d, %v", named, got, err)
		}
	}
	check("bird/dev/1", 2)
	check("dev/1", 2)
	check("1", 2)  // the id goes before the place
	check("12", 0) // and before the start of another
	check("3", 3)  // a place
	check("0", 0)
	check("film-b", 4)
	check("bird/dev/film-a", 3)
	refused := func(named string, want ...string) {
		t.Helper()
		_, err := itemAt(ids, named, "x")
		for _, w := range want {
			if err == nil || !strings.Contains(err.Error(), w) {
				t.Errorf("%s: %v, want %s", named, err, w)
			}
		}
	}
	refused("film", `2 items of x begin with "film"`, "bird/dev/film-a, bird/dev/film-b")
	refused("99", "no item 99", "the last of its 5 items is 4")
	refused("-1", `no item "-1"`, "a place from 0 to 4")
	refused("", `no item ""`)
	refused("none", `ids look like "bird/dev/12"`)
	if _, err := itemAt(nil, "1", "x"); err == nil {
		t.Error("an item of none")
	}
}
