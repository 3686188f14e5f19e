package sqlite

import (
	"path/filepath"
	"strings"
	"testing"

	"assay/prompting/sql/engine"
	"assay/prompting/sql/enginetest"
)

func TestConform(t *testing.T) {
	s := enginetest.Shelf
	var rows []string
	for i, title := range s.Titles {
		rows = append(rows, "("+engine.OfInt(int64(i+1)).String()+", "+Literal(engine.OfText(title))+")")
	}
	path := filepath.Join(t.TempDir(), "a#b %.sqlite")
	script := "CREATE TABLE " + Quote(s.Table) + " (" + s.Key + " INTEGER PRIMARY KEY, " + s.Text + " TEXT); INSERT INTO " + Quote(s.Table) + " VALUES " + strings.Join(rows, ", ")
	if err := Create(t.Context(), path, script); err != nil {
		t.Fatal(err)
	}
	enginetest.Conform(t, DB(path))
}
