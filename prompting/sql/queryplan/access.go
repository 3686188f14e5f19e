package queryplan

import (
	"regexp"
	"strconv"
	"strings"

	"assay/prompting/sql/schema"
)

// access is a scan or search, as a note of EXPLAIN QUERY PLAN announces it.
type access struct {
	kind   string // "SCAN", "SEARCH" or "BLOOM"
	name   string // alias, table or sub-query
	terms  []term // of a search
	index  string
	left   bool // of a LEFT JOIN
	exists bool // of an EXISTS that SQLite made a join: one row is enough
	auto   bool // by an index that SQLite makes for this query
}

// term is one column of a search: "a=?" or "b>?".
type term struct{ column, sign string }

var (
	accessNote = regexp.MustCompile(`^(SCAN|SEARCH|BLOOM FILTER ON) (.*?)(?: USING (AUTOMATIC )?(?:PARTIAL )?(COVERING )?(?:INDEX(?: ([^(]+?))?|INTEGER PRIMARY KEY|PRIMARY KEY))?( \(.*\))?( (?:LEFT|RIGHT|FULL)-JOIN| EXISTS| VIRTUAL TABLE INDEX .*)?$`)
	termNote   = regexp.MustCompile(`(.+?)(=|>|<)\?`)
)

// readAccess parses a note such as "SEARCH T2 USING INDEX i (a=? AND b>?)".
func readAccess(note string) (access, bool) {
	m := accessNote.FindStringSubmatch(note)
	if m == nil {
		return access{}, false
	}
	a := access{kind: strings.Fields(m[1])[0], name: m[2], auto: m[3] != "", index: m[5], left: strings.Contains(m[7], "LEFT")}
	a.name, a.exists = strings.CutSuffix(a.name, " EXISTS")
	a.exists = a.exists || strings.Contains(m[7], "EXISTS")
	for _, t := range strings.Split(strings.Trim(m[6], " ()"), " AND ") {
		if t := termNote.FindStringSubmatch(t); t != nil {
			a.terms = append(a.terms, term{strings.TrimSpace(t[1]), t[2]})
		}
	}
	return a, true
}

func num(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}

// access follows an instruction that opens a cursor or moves one, and reports whether o is one.
func (r *reader) access(o op) bool {
	switch o.code {
	case "OpenRead", "ReopenIdx", "OpenWrite":
		r.open(o.p1, &cursor{tree: r.tree(o.p2)})
	case "VOpen":
		r.open(o.p1, &cursor{tree: &stored{table: "a virtual table"}})
	case "OpenEphemeral", "OpenAutoindex", "SorterOpen", "OpenDup":
		r.openTemporary(o)
	case "OpenPseudo":
		r.cursors[o.p1] = &cursor{}
	case "Rewind", "Last", "Sort", "SorterSort", "VFilter":
		r.start(o)
	case "SeekGE", "SeekGT", "SeekLE", "SeekLT", "SeekRowid", "NotExists":
		r.search(o)
	case "DeferredSeek":
		r.together(r.cursors[o.p1], r.cursors[o.p3])
	case "Next", "Prev", "SorterNext", "VNext":
		r.next(o)
	default:
		return false
	}
	return true
}

// tree returns what is stored at a root page. Page 1 is the schema table.
func (r *reader) tree(root int) *stored {
	if t := r.trees[root]; t != nil {
		return t
	}
	if root == 1 {
		return &stored{table: "sqlite_schema", columns: []string{"type", "name", "tbl_name", "rootpage", "sql"}}
	}
	return &stored{table: "a table"}
}

func (r *reader) open(n int, c *cursor) {
	r.cursors[n] = c
	r.made = append(r.made, c)
}

// openTemporary opens a temporary b-tree.
func (r *reader) openTemporary(o op) {
	if o.code == "OpenDup" {
		r.cursors[o.p1] = r.cursors[o.p2]
		return
	}
	if old := r.cursors[o.p1]; old != nil && old.tree == nil && old.purpose != "" {
		return // emptied for the next group
	}
	c := &cursor{keys: keysOf(o.text)}
	if o.code == "SorterOpen" || r.sorts(o.p1) {
		c.purpose = "sorting"
		if r.groups(o.p1) {
			c.purpose = "grouping"
		}
	}
	if o.code == "OpenAutoindex" {
		c.purpose = "a temporary index"
		r.announce(o)
	}
	r.open(o.p1, c)
}

// announce finds the search for which a temporary index is made: its note comes after the instructions that fill the
// index.
func (r *reader) announce(o op) {
	for _, n := range r.ops[o.addr:] {
		for _, text := range n.notes {
			if a, ok := readAccess(text); ok && a.auto {
				r.seek = &a
				return
			}
		}
	}
}

// keysOf returns the collations in "k(2,-B,B)".
func keysOf(text string) string {
	_, keys, _ := strings.Cut(strings.TrimSuffix(text, ")"), ",")
	return keys
}

// sorts reports whether cursor n is read in order later.
func (r *reader) sorts(n int) bool {
	for _, o := range r.ops {
		if (o.code == "Sort" || o.code == "SorterSort") && o.p1 == n {
			return true
		}
	}
	return false
}

// groups reports whether the sorted rows of cursor n are compared with their neighbours.
func (r *reader) groups(n int) bool {
	for _, o := range r.ops {
		if o.code != "SorterSort" && o.code != "Sort" || o.p1 != n {
			continue
		}
		for a := o.addr + 1; a < r.begin && a < o.p2; a++ {
			switch r.ops[a].code {
			case "Compare":
				return true
			case "SorterNext", "Next":
				return false
			}
		}
	}
	return false
}

// start begins to read a cursor from one of its ends.
func (r *reader) start(o op) {
	c := r.cursors[o.p1]
	switch {
	case c == nil:
	case o.code == "Sort", o.code == "SorterSort":
		r.sorted(o, c)
	case c.tree == nil && c.purpose == "":
		if r.seek != nil && r.seek.kind == "SEARCH" && r.loopOf(o) {
			r.say("Take the values of ", c.set(), " one by one.")
		} else if r.loopOf(o) && (r.seek != nil || c.filled != "") {
			r.seek = nil
			r.begins(o, "Go through the rows of ", c.set(), " one by one.")
		}
	case c.tree != nil:
		r.scan(o, c)
	}
}

// loopOf reports whether a loop over the cursor follows at once.
func (r *reader) loopOf(o op) bool {
	for _, l := range r.loops {
		if l.cursor == o.p1 && l.start > o.addr && l.start <= o.addr+2 {
			return true
		}
	}
	return false
}

// begins adds the step of a loop's beginning, and notes that its end needs a step too.
func (r *reader) begins(o op, parts ...string) {
	for _, l := range r.loops {
		if l.cursor == o.p1 && l.start > o.addr && l.start <= o.addr+2 {
			r.reported[l.end] = true
		}
	}
	r.say(parts...)
}

func (r *reader) scan(o op, c *cursor) {
	a := r.seek
	if a == nil {
		a = &access{}
	}
	r.name(c, a)
	if a.auto && a.kind == "SEARCH" { // the search itself follows
		r.say("Read ", c.String(), " once, to make a temporary index of it by ", a.columnList(), ".")
		return
	}
	r.seek = nil
	order := ""
	if c.tree.index != "" || a.index != "" {
		order = ", in the order of its index"
		if by := r.orderOf(c); by != "" {
			order += " by " + by
		}
	}
	if o.code == "Last" {
		order += ", from the end"
	}
	if !r.loopOf(o) {
		r.say("Go to the first row of ", c.String(), order, ".")
		return
	}
	r.begins(o, "Go through ", c.String(), " row by row", order, ".", a.outer(c))
}

// orderOf names the columns of the index in whose order a cursor moves.
func (r *reader) orderOf(c *cursor) string {
	var by []string
	for _, name := range c.tree.columns {
		if c.tree.index != "" && name != "" {
			by = append(by, schema.Quote(name))
		}
	}
	return strings.Join(by, ", ")
}

// outer returns the sentence that a LEFT JOIN or an EXISTS adds.
func (a *access) outer(c *cursor) string {
	switch {
	case a.exists:
		return " (One that fits is enough.)"
	case !a.left:
		return ""
	}
	return " (Left join: where no row of " + c.short() + " fits, go on once with NULL for its columns.)"
}

func (a *access) columnList() string {
	var cols []string
	for _, t := range a.terms {
		cols = append(cols, t.column)
	}
	return strings.Join(cols, ", ")
}

// name gives the cursor the alias in the note.
func (r *reader) name(c *cursor, a *access) {
	if a.name != "" && c.label == "" {
		c.label = a.name
	}
}

// together links the cursors of an index and its table.
func (r *reader) together(index, table *cursor) {
	if index == nil || table == nil || table.tree == nil || index == table {
		return
	}
	if table.label == "" {
		table.label = index.label
	}
	for _, name := range index.columns {
		table.named(name)
	}
	index.owner, index.columns = table, nil
}

// next follows the end of one pass of a loop.
func (r *reader) next(o op) {
	r.force(o)
	if !r.reported[o.addr] || r.inMerge(o.addr) {
		return
	}
	if c := r.cursors[o.p1]; c != nil && c.tree != nil {
		r.say("Take the next row of ", c.short(), " and go on in the same way, until all are read.")
	}
}
