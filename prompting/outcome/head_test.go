package outcome

import (
	"strings"
	"testing"

	"assay/prompting/sql/engine"
)

// A head says what the whole says, and holds no more than it may.
func TestHead(t *testing.T) {
	whole := Outcome{Result: &engine.Result{Columns: []string{"a", "b"}}}
	for i := range 1000 {
		whole.Result.Rows = append(whole.Result.Rows, []engine.Value{engine.OfInt(int64(i)), engine.OfText(strings.Repeat("x", 100))})
	}
	check := func(what string, bytes int64, cells, rows int) {
		t.Helper()
		h := whole.Head(bytes, cells)
		if len(h.Result.Rows) != rows || rows < 1000 && h.Result.Bytes() > bytes {
			t.Errorf("%s: %d rows of %d bytes, want %d", what, len(h.Result.Rows), h.Result.Bytes(), rows)
		}
		if h.Text() != whole.Text() || h.MultisetDigest() != whole.MultisetDigest() || h.SetDigest() != whole.SetDigest() || h.PermutedDigest() != whole.PermutedDigest() || h.Empty() {
			t.Errorf("%s: it says another thing than the whole", what)
		}
		if !strings.HasSuffix(h.Preview(2), "(the first 2 of 1000 rows)") && rows >= 2 {
			t.Errorf("%s: preview %q", what, h.Preview(2))
		}
	}
	size := whole.Result.Bytes()
	check("a small result is kept whole", size, 10, 1000)
	check("bytes", size/10, 1<<20, 100)
	check("cells", size-1, 20, 10)
	check("not even one row", 10, 20, 0)
}
