package methods

import "testing"

// TestOwnFoldersRaiseNoDoubt: what is embedded has no param, template or variable without a use.
func TestOwnFoldersRaiseNoDoubt(t *testing.T) {
	for _, ids := range [][]string{generators, parts} {
		for _, id := range ids {
			f, err := Open(id)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range f.Doubts() {
				t.Errorf("%s: %s", d.Place, d.Text)
			}
		}
	}
}
