package sandbox

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"assay/prompting/sql/engine"
	"assay/prompting/sql/sqlite"
)

// hostile are statements that SQLite itself cannot interrupt, or that want more memory than there is.
var hostile = []struct{ name, sql string }{
	{"ltrim", "SELECT ltrim(hex(zeroblob(499990)), replace(hex(zeroblob(39000)), '0', 'x') || '0')"},
	{"rtrim", "SELECT rtrim(hex(zeroblob(499990)), replace(hex(zeroblob(39000)), '0', 'x') || '0')"},
	{"trim", "SELECT trim(hex(zeroblob(499990)), replace(hex(zeroblob(39000)), '0', 'x') || '0')"},
	{"unhex", "SELECT unhex(hex(zeroblob(499990)), replace(hex(zeroblob(39000)), '0', 'x') || '0')"},
	{"instr", "SELECT instr(hex(zeroblob(499990)), hex(zeroblob(250000)) || '1')"},
	{"replace", "SELECT length(replace(hex(zeroblob(499990)), hex(zeroblob(250000)) || '1', 'x'))"},
	{"like", "SELECT hex(zeroblob(499990)) LIKE '" + strings.Repeat("%0", 499) + "1'"},
	{"json_patch", "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 70000) SELECT json_patch((SELECT json_group_object(i, 1) FROM n), (SELECT json_group_object(i + 100000, 1) FROM n))"},
	{"json_pretty", "SELECT length(json_pretty('[[[[[[[[1]]]]]]]]', hex(zeroblob(499000))))"},
	{"a view of views", doubled(18)},
	{"and more of them", doubled(28)},
	{"case", "SELECT CASE 0 " + whens(40000) + " END"},
	{"endless", "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"},
	{"long keys", "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 5000) SELECT hex(zeroblob(200000)) || i AS k FROM n ORDER BY k"},
	{"wide", "SELECT 1" + strings.Repeat(", hex(zeroblob(499999))", 1999)},
	{"explained", "EXPLAIN " + doubled(18)},
}

// doubled is a query whose every common table expression reads the one before twice: n of them make 2^n copies.
func doubled(n int) string {
	b := strings.Builder{}
	b.WriteString("WITH c0 AS (SELECT 1 AS x)")
	for i := range n {
		fmt.Fprintf(&b, ", c%d AS (SELECT * FROM c%d UNION ALL SELECT * FROM c%d)", i+1, i, i)
	}
	fmt.Fprintf(&b, " SELECT count(*) FROM c%d", n)
	return b.String()
}

func whens(n int) string {
	b := strings.Builder{}
	for i := range n {
		fmt.Fprintf(&b, " WHEN %d THEN %d", i+1, i)
	}
	return b.String()
}

// A statement ends by its deadline, whatever SQLite does at that moment, and leaves the box in working order. How soon it
// ends is measured by BenchmarkHostile: a run that never ended would never end here.
func TestHostileStatements(t *testing.T) {
	box, path := New(Options{Timeout: 300 * time.Millisecond}), library(t)
	before := snapshot(t, path[:strings.LastIndexByte(path, '/')])
	for _, h := range hostile {
		_, err := box.Run(t.Context(), sqlite.DB(path), h.sql)
		if e, ok := errors.AsType[*engine.Error](err); err != nil && (!ok || e.Kind == engine.Unavailable || e.Kind == engine.Rejected) {
			t.Errorf("%s: %.200v", h.name, err)
		}
		if _, err := box.Reads(t.Context(), sqlite.DB(path), strings.TrimPrefix(h.sql, "EXPLAIN ")); err != nil && !errors.As(err, new(*engine.Error)) {
			t.Errorf("%s: its columns: %.200v", h.name, err)
		}
		if res, err := box.Run(t.Context(), sqlite.DB(path), "SELECT count(*) FROM book"); err != nil || show(res) != "integer:3" {
			t.Errorf("after %s: %v, %v", h.name, res, err)
		}
	}
	if after := snapshot(t, path[:strings.LastIndexByte(path, '/')]); len(after) != len(before) {
		t.Errorf("files: %v", after)
	}
}

// BenchmarkHostile measures how long past a deadline of 300 ms a statement ends, in ms/past.
func BenchmarkHostile(b *testing.B) {
	const limit = 300 * time.Millisecond
	box, path := New(Options{Timeout: limit}), library(b)
	for _, h := range hostile {
		b.Run(h.name, func(b *testing.B) {
			worst := time.Duration(0)
			for b.Loop() {
				begun := time.Now()
				box.Run(b.Context(), sqlite.DB(path), h.sql)
				worst = max(worst, time.Since(begun)-limit)
			}
			b.ReportMetric(float64(worst.Microseconds())/1000, "ms/past")
		})
	}
}
