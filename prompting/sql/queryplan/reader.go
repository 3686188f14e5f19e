package queryplan

import (
	"slices"
	"strconv"
	"strings"

	"assay/prompting/sql/engine"
	"assay/prompting/sql/schema"
)

// cursor is one of the program's cursors, with what it reads.
type cursor struct {
	tree    *stored // nil for a temporary b-tree
	label   string  // the alias, or the table's name
	owner   *cursor // of an index: the cursor of its table, once the two are known to move together
	columns []string
	values  []value  // of a temporary b-tree: the value stored in each column
	listed  []string // of a list: its constants
	filled  string   // the sub-query that fills it
	keys    string   // how it sorts, as "-B,B"
	purpose string   // what the temporary b-tree is for
	limit   string   // most rows kept
}

// reader walks a program once, in the order of its addresses.
type reader struct {
	ops    []op
	begin  int // where the program sets its constants, which is the end of everything else
	names  []string
	loops  []loop
	trees  map[int]*stored
	rowids map[string]string

	regs     map[int]value
	records  map[int][]value // rows made by MakeRecord
	cursors  map[int]*cursor
	made     []*cursor // in the order they were opened
	seek     *access   // an announced scan or search that has not begun yet
	tests    [][]test  // conditional jumps without a step yet, one list per open sub-query
	cases    []choice
	subs     []*sub
	count    int    // number of sub-queries that have a step
	merges   []loop // the addresses at which two sorted parts are merged
	unique   bool
	grouped  bool
	either   bool         // within the alternatives of an OR
	used     map[int]bool // addresses of notes that were used before they were reached
	reported map[int]bool // ends of the loops of which the beginning has a step
	limits   map[int]limit

	matching []string
	wanted   []string // literals
	outputs  []string
	orders   []string
	bounds   []string
}

// limit is a LIMIT with its OFFSET.
type limit struct{ most, skip string }

func newReader(x *engine.Explanation) *reader {
	r := &reader{
		ops: program(x), names: x.Columns, regs: map[int]value{}, records: map[int][]value{}, cursors: map[int]*cursor{},
		tests: make([][]test, 1), reported: map[int]bool{}, used: map[int]bool{}, limits: map[int]limit{},
	}
	r.trees, r.rowids = catalog(x)
	r.loops = loops(r.ops)
	r.begin = len(r.ops)
	if len(r.ops) > 0 && r.ops[0].code == "Init" && r.ops[0].p2 > 0 && r.ops[0].p2 < len(r.ops) {
		r.begin = r.ops[0].p2
	}
	return r
}

// walk reads the constants, which the program sets at its end, and then the instructions from the first on.
func (r *reader) walk() {
	for _, o := range r.ops[r.begin:] {
		r.evaluate(o)
		if v, ok := r.regs[o.p2]; ok && v.literal && isConstant[o.code] {
			r.want(v)
		}
	}
	for pc := 1; pc < r.begin; {
		o := r.ops[pc]
		r.arrive(o)
		for _, n := range o.notes {
			r.note(n, o)
		}
		if next := r.skipped(o); next > pc {
			pc = next
			continue
		}
		r.step(o)
		pc++
	}
}

// skipped returns the address after instructions that say nothing about the query, or 0 where o must be read.
func (r *reader) skipped(o op) int {
	if o.code == "NotNull" && r.regs[o.p1].nullish && o.p2 > o.addr { // NOT IN looks for a NULL in its list
		return o.p2
	}
	if o.code == "Rewind" && r.bloom(o) {
		return o.addr + 1 + r.span(o)
	}
	return 0
}

// span returns the number of instructions of the loop that begins at o.
func (r *reader) span(o op) int {
	for _, l := range r.loops {
		if l.cursor == o.p1 && l.start == o.addr+1 {
			return l.end - o.addr
		}
	}
	return 0
}

// bloom reports whether the loop that begins at o only fills a Bloom filter, which changes no result.
func (r *reader) bloom(o op) bool {
	fills := false
	for a := o.addr + 1; a <= o.addr+r.span(o); a++ {
		switch r.ops[a].code {
		case "FilterAdd":
			fills = true
		case "IdxInsert":
			return false
		}
	}
	return fills
}

func (r *reader) step(o op) {
	switch {
	case r.evaluate(o), r.test(o), r.access(o), r.row(o):
	}
}

// say adds a step to the middle part.
func (r *reader) say(parts ...string) {
	if s := sentence(parts...); len(r.matching) == 0 || r.matching[len(r.matching)-1] != s {
		r.matching = append(r.matching, s)
	}
}

// want adds a literal to the values that the preparation lists.
func (r *reader) want(v value) {
	if v.text != "" && v.text != "NULL" && !slices.Contains(r.wanted, v.text) {
		r.wanted = append(r.wanted, v.text)
	}
}

// at returns the instruction at addr, or an empty one outside the program.
func (r *reader) at(addr int) op {
	if addr < 0 || addr >= len(r.ops) {
		return op{}
	}
	return r.ops[addr]
}

// get returns the values of n registers from first.
func (r *reader) get(first, n int) []value {
	out := make([]value, 0, max(0, min(n, len(r.ops)+8)))
	for i := first; i < first+n && len(out) < cap(out); i++ {
		out = append(out, r.regs[i])
	}
	return out
}

func texts(vs []value) []string {
	out := make([]string, len(vs))
	for i, v := range vs {
		out[i] = v.String()
	}
	return out
}

// String names the cursor's rows: "concert (T1)".
func (c *cursor) String() string {
	switch {
	case c.tree == nil && c.label != "":
		return c.label
	case c.tree == nil:
		return "the rows kept"
	case c.label == "" || strings.EqualFold(c.label, c.tree.table):
		return schema.Quote(c.tree.table)
	}
	return schema.Quote(c.tree.table) + " (" + c.label + ")"
}

func (c *cursor) short() string {
	if c.label != "" {
		return schema.Quote(c.label)
	}
	if c.tree != nil {
		return schema.Quote(c.tree.table)
	}
	return ""
}

// column returns the value of the i-th column of a cursor.
func (r *reader) column(c *cursor, i int) value {
	if c == nil {
		return value{}
	}
	if c.tree == nil {
		if len(c.listed) > 0 {
			return value{text: "that value"}
		}
		if i >= 0 && i < len(c.values) {
			return c.values[i]
		}
		return value{}
	}
	name := ""
	switch {
	case i >= 0 && i < len(c.tree.columns):
		name = c.tree.columns[i]
	case len(c.tree.columns) == 0:
		name = "column " + strconv.Itoa(i+1)
	}
	if name == "" {
		return r.rowid(c)
	}
	return c.named(name)
}

func (c *cursor) named(name string) value {
	root := c
	if c.owner != nil {
		root = c.owner
	}
	if !slices.Contains(root.columns, name) {
		root.columns = append(root.columns, name)
	}
	return value{text: c.short() + "." + schema.Quote(name)}
}

// rowid returns the value of the row id, named by its column where an INTEGER PRIMARY KEY declares one.
func (r *reader) rowid(c *cursor) value {
	if c != nil && c.purpose == "a temporary index" && len(c.values) > 0 { // its last column is the row id of the table
		return c.values[len(c.values)-1]
	}
	if c == nil || c.tree == nil {
		return value{}
	}
	if name := r.rowids[strings.ToLower(c.tree.table)]; name != "" {
		return c.named(name)
	}
	return value{text: "the row id of " + c.short()}
}
