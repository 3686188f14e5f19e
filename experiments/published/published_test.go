package published

import (
	"strings"
	"testing"
)

func TestRead(t *testing.T) {
	p, err := Read([]byte("method,ex,source\nall,73.01,Table 7\n\"a, b\",,Table 7\nall,1,again\n"))
	if err != nil {
		t.Fatal(err)
	}
	check := func(method, column, text string, number float64, printed bool) {
		t.Helper()
		r := p.Find("method", method)
		if x, ok := r.Number(column); r[column] != text || x != number || ok != printed {
			t.Errorf("%s of %q: %q, %v %v", column, method, r[column], x, ok)
		}
	}
	check("all", "ex", "73.01", 73.01, true) // the first of two
	check("a, b", "ex", "", 0, false)
	check("all", "source", "Table 7", 0, false)
	check("none", "ex", "", 0, false)
	check("all", "none", "", 0, false)
	if !p.Has("ex") || p.Has("none") || len(p.Rows) != 3 || p.Rows[1]["method"] != "a, b" {
		t.Errorf("%+v", p)
	}
	if _, err := Read([]byte("a,b\n1\n")); err == nil || !strings.HasPrefix(err.Error(), "published: read table: ") {
		t.Error(err)
	}
}
