package compare

import (
	"fmt"
	"testing"
)

func TestWords(t *testing.T) {
	check := func(sql, want string) {
		t.Helper()
		var got, whole string
		for _, w := range Words(sql) {
			got += fmt.Sprintf("%s|", w.Key)
			whole += w.Text
		}
		if got != want || whole != sql {
			t.Errorf("%q: %s of %q, want %s", sql, got, whole, want)
		}
	}
	check("SELECT a FROM B", "select|a|from|b|")
	check("SELECT 'A b', \"C\" -- why\n", "select|'A b'|,|\"C\"|")
	check("", "")
}
