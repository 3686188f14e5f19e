package queryplan

import (
	"strings"

	"assay/prompting/sql/engine"
)

// op is one instruction of the program, with the notes of the query plan that come before it.
type op struct {
	addr           int
	code           string
	p1, p2, p3, p5 int
	text           string // P4
	notes          []string
}

// program reads the listing and inserts the notes at their addresses. In the program of EXPLAIN QUERY PLAN each note is an
// instruction, and its address is its id. The program of EXPLAIN lacks nearly all of these instructions, so a note belongs
// earlier there, by the number of missing notes before it.
func program(x *engine.Explanation) []op {
	ops := make([]op, 0, len(x.Program.Rows))
	for _, r := range x.Program.Rows {
		if len(r) < 7 {
			continue
		}
		num := func(i int) int { return int(r[i].Int64()) }
		ops = append(ops, op{addr: len(ops), code: r[1].String(), p1: num(2), p2: num(3), p3: num(4), p5: num(6), text: r[5].Bytes()})
	}
	left := 0
	for _, r := range x.Plan.Rows {
		if len(r) < 4 {
			continue
		}
		at := int(r[0].Int64()) - left
		if at < 0 || at >= len(ops) {
			continue
		}
		ops[at].notes = append(ops[at].notes, r[3].String())
		if ops[at].code != "Explain" {
			left++
		}
	}
	return ops
}

// stored describes the content of one b-tree of the file.
type stored struct {
	table   string
	index   string // empty for a table
	columns []string
	rowid   string // the column that is the row id; empty where there is none
}

// catalog returns the b-trees of the file by root page.
func catalog(x *engine.Explanation) (trees map[int]*stored, rowids map[string]string) {
	trees, rowids = map[int]*stored{}, map[string]string{}
	for _, r := range x.Stored.Rows {
		root := int(r[0].Int64())
		t := trees[root]
		if t == nil {
			t = &stored{table: r[3].String()}
			if r[1].String() == "index" {
				t.index = r[2].String()
			}
			trees[root] = t
		}
		name := ""
		if r[4].Kind() != engine.Null {
			name = r[4].String()
		}
		if t.columns = append(t.columns, name); r[5].Int64() == 1 {
			t.rowid = name
			rowids[strings.ToLower(t.table)] = name
		}
	}
	return trees, rowids
}

// loop spans the instructions from start to the one at end, which jumps back to start.
type loop struct{ start, end, cursor int }

var stepsOn = map[string]bool{"Next": true, "Prev": true, "SorterNext": true, "VNext": true}

// loops finds the loops over a cursor, and those over the rows of a coroutine (cursor -1).
func loops(ops []op) []loop {
	var out []loop
	for _, o := range ops {
		switch {
		case o.p2 < 0 || o.p2 >= o.addr:
		case stepsOn[o.code]:
			out = append(out, loop{o.p2, o.addr, o.p1})
		case o.code == "Goto" && ops[o.p2].code == "Yield" && ops[o.p2].p2 > o.addr:
			out = append(out, loop{o.p2, o.addr, -1})
		}
	}
	return out
}

// around returns the innermost loop that contains addr.
func around(ls []loop, addr int) (loop, bool) {
	best, found := loop{}, false
	for _, l := range ls {
		if l.start <= addr && addr < l.end && (!found || l.end-l.start < best.end-best.start) {
			best, found = l, true
		}
	}
	return best, found
}
