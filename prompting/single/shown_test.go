package single

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestShownSQL(t *testing.T) {
	check := func(note string, examples []Example, want string, sql ...string) {
		t.Helper()
		got := withSQL(note, examples)
		if got != want {
			t.Errorf("note %q, want %q", got, want)
		}
		if diff := cmp.Diff(sql, ShownSQL(got)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", got, diff)
		}
	}
	check("", nil, "")
	check("cut off", nil, "cut off")
	check("", []Example{{"q", "SELECT 1"}}, "1 examples in the prompt:\nSELECT 1", "SELECT 1")
	check("cut off", []Example{{"q", "SELECT\n 1"}, {"r", "SELECT 2"}}, "cut off; 2 examples in the prompt:\nSELECT 1\nSELECT 2", "SELECT 1", "SELECT 2")
}
