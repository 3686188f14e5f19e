package methods

import "testing"

// TestFolders opens every folder that is embedded.
func TestFolders(t *testing.T) {
	for _, ids := range [][]string{generators, parts} {
		for _, id := range ids {
			if f, err := Open(id); err != nil {
				t.Errorf("%s: %v", id, err)
			} else if row := f.Row(); row.Shows == "" || len(row.Parts) == 0 {
				t.Errorf("%s: %+v", id, row)
			}
		}
	}
}
