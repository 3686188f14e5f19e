package exemplar

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNoteSQL(t *testing.T) {
	check := func(note string, sql []string, want string, read ...string) {
		t.Helper()
		got := NoteSQL(note, sql)
		if got != want {
			t.Errorf("note %q, want %q", got, want)
		}
		if diff := cmp.Diff(read, NotedSQL(got)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", got, diff)
		}
	}
	check("", nil, "")
	check("cut off", nil, "cut off")
	check("two\nlines", nil, "two\nlines")
	check("", []string{"SELECT 1"}, "1 examples in the prompt:\nSELECT 1", "SELECT 1")
	check("cut off", []string{"SELECT\n 1", "SELECT 2"}, "cut off; 2 examples in the prompt:\nSELECT 1\nSELECT 2", "SELECT 1", "SELECT 2")
}
