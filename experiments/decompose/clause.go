package decompose

import (
	"strings"

	"assay/prompting/sql/schema"
	"assay/prompting/sql/tree"
)

// teller words the queries of one statement, also queries made of its parts. The first obstacle that it meets is kept in
// refused, and the text is worthless then.
type teller struct {
	stmt    *tree.Stmt
	db      *schema.Database
	refs    map[*tree.Expr]tree.Ref
	depth   int // queries inside queries
	refused *Refusal
}

func newTeller(stmt *tree.Stmt, db *schema.Database) *teller {
	t := &teller{stmt: stmt, db: db, refs: map[*tree.Expr]tree.Ref{}}
	for _, ref := range tree.Resolve(stmt, db) {
		t.refs[ref.Expr] = ref
	}
	return t
}

// refuse notes an obstacle, unless there was one before.
func (t *teller) refuse(why Reason, at tree.Span) string {
	if t.refused == nil {
		t.refused = &Refusal{Reason: why, Detail: t.stmt.Text(at)}
	}
	return ""
}

// entity is a table of a FROM clause with what the query does to it.
type entity struct {
	name   string // by which columns name it, in lower case: the alias or the table
	table  *schema.Table
	source *tree.Source
	links  []link
	conds  []*tree.Expr // of WHERE and ON, about columns of this table alone
	shown  bool         // a column of it is selected
}

// link is a join along a key, seen from one of its two tables.
type link struct {
	to       *entity
	one      bool // each row here has at most one there
	loose    bool // neither side is a key: the join is of equal values
	own, far *tree.Expr
	on       *tree.Expr // the condition
}

// clause is one arm of a query, understood: its tables as a tree of joins.
type clause struct {
	q        *tree.Query
	arm      *tree.Select
	entities []*entity
}

// clause reads one arm of a query. It refuses joins that are no tree.
func (t *teller) clause(q *tree.Query, arm *tree.Select) *clause {
	c := &clause{q: q, arm: arm}
	if len(q.CTEs) > 0 || len(arm.Values) > 0 || len(arm.From) == 0 || len(arm.Windows) > 0 {
		t.refuse(Form, arm.Span)
		return c
	}
	var conds []*tree.Expr
	for _, f := range flat(arm.From) {
		conds = append(conds, t.addSource(c, f)...)
	}
	if t.refused != nil {
		return c
	}
	for _, e := range append(conds, conjuncts(arm.Where)...) {
		if !t.addLink(c, e) {
			t.addCond(c, e)
		}
	}
	for _, r := range arm.Columns {
		for _, e := range t.entitiesOf(c, r.Expr) {
			e.shown = true
		}
	}
	if t.refused == nil && !connected(c.entities) {
		t.refuse(Unjoined, arm.Span)
	}
	return c
}

// flat returns the sources of a FROM clause, those in parentheses one by one.
func flat(list []*tree.Source) []*tree.Source {
	var out []*tree.Source
	for _, f := range list {
		if len(f.List) > 0 {
			out = append(out, flat(f.List)...)
		} else {
			out = append(out, f)
		}
	}
	return out
}

// addSource adds a table, and returns the conditions of its ON.
func (t *teller) addSource(c *clause, f *tree.Source) []*tree.Expr {
	table := t.db.Table(f.Table)
	switch {
	case f.Query != nil, f.Args != nil:
		t.refuse(Derived, f.Span)
	case strings.Contains(f.Join, "LEFT"), strings.Contains(f.Join, "NATURAL"),
		strings.Contains(f.Join, "RIGHT"), strings.Contains(f.Join, "FULL"):
		t.refuse(Outer, f.Span)
	case table == nil:
		t.refuse(Unknown, f.Span)
	}
	if t.refused != nil {
		return nil
	}
	name := strings.ToLower(f.Alias)
	if name == "" {
		name = strings.ToLower(f.Table)
	}
	for _, e := range c.entities {
		if e.name == name {
			t.refuse(SelfJoin, f.Span)
			return nil
		}
	}
	added := &entity{name: name, table: table, source: f}
	conds := conjuncts(f.On)
	for _, u := range f.Using {
		for _, e := range c.entities {
			if col := e.table.Column(u); col != nil && table.Column(u) != nil {
				on := &tree.Expr{Kind: tree.Binary, Op: "=", Args: []*tree.Expr{t.nameOf(e, u), t.nameOf(added, u)}}
				conds = append(conds, on)
				break
			}
		}
	}
	c.entities = append(c.entities, added)
	return conds
}

// nameOf makes the name of a column that the text does not have.
func (t *teller) nameOf(e *entity, column string) *tree.Expr {
	name := &tree.Expr{Kind: tree.Name, Table: e.name, Name: column}
	t.refs[name] = tree.Ref{Expr: name, Meaning: tree.BaseColumn,
		ColumnName: schema.ColumnName{Table: e.table.Name, Column: e.table.Column(column).Name}}
	return name
}

// conjuncts returns the conditions that an AND connects.
func conjuncts(e *tree.Expr) []*tree.Expr { return operands(e, "AND") }

// operands returns what a chain of one operator connects.
func operands(e *tree.Expr, op string) []*tree.Expr {
	switch {
	case e == nil:
		return nil
	case e.Kind == tree.Binary && e.Op == op:
		return append(operands(e.Args[0], op), operands(e.Args[1], op)...)
	}
	return []*tree.Expr{e}
}

// addLink adds a condition that joins two tables, and reports whether it does.
func (t *teller) addLink(c *clause, e *tree.Expr) bool {
	if e.Kind != tree.Binary || e.Op != "=" || e.Args[0].Kind != tree.Name || e.Args[1].Kind != tree.Name {
		return false
	}
	a, b := t.entityOf(c, e.Args[0]), t.entityOf(c, e.Args[1])
	if a == nil || b == nil || a == b {
		return false
	}
	if a.table == b.table {
		t.refuse(SelfJoin, e.Span)
		return true
	}
	for _, l := range a.links {
		if l.to == b { // a key of two columns
			t.refuse(Unjoined, e.Span)
			return true
		}
	}
	aOne, bOne := t.refers(b, e.Args[1], a, e.Args[0]), t.refers(a, e.Args[0], b, e.Args[1])
	loose := !aOne && !bOne
	if aOne && bOne { // one to one: the declared direction, or that of the text
		aOne = t.declared(b, e.Args[1], a, e.Args[0]) && !t.declared(a, e.Args[0], b, e.Args[1])
		bOne = !aOne
	}
	a.links = append(a.links, link{to: b, one: bOne, loose: loose, own: e.Args[0], far: e.Args[1], on: e})
	b.links = append(b.links, link{to: a, one: aOne, loose: loose, own: e.Args[1], far: e.Args[0], on: e})
	return true
}

// refers reports whether each row of one table has at most one row of the other, which it is said to have: the schema has
// the foreign key, or the column there is the key of its table and the column here is called after it, or at least is
// neither a key of its own table nor beside one that has the foreign key, and refers to no other table.
func (t *teller) refers(from *entity, own *tree.Expr, to *entity, far *tree.Expr) bool {
	if t.declared(from, own, to, far) {
		return true
	}
	other := t.target(from, own.Name)
	name, key := folded(own.Name), folded(far.Name)
	alike := strings.Contains(name, key) || strings.Contains(key, name)
	after := strings.Contains(name, folded(to.table.Name)) || strings.Contains(name, folded(to.one()))
	free := !from.isKey(own.Name) && (after || other == nil && t.roles(from, to) == 0)
	return to.isKey(far.Name) && (alike || free || other == to.table)
}

// declared reports whether the schema has the foreign key.
func (t *teller) declared(from *entity, own *tree.Expr, to *entity, far *tree.Expr) bool {
	for _, k := range t.db.ForeignKeys {
		if strings.EqualFold(k.Table, from.table.Name) && strings.EqualFold(k.Column, own.Name) &&
			strings.EqualFold(k.RefTable, to.table.Name) && strings.EqualFold(k.RefColumn, far.Name) {
			return true
		}
	}
	return false
}

// addCond adds a condition to the only table that it is about.
func (t *teller) addCond(c *clause, e *tree.Expr) {
	about := t.entitiesOf(c, e)
	switch {
	case t.refused != nil:
	case len(about) == 1:
		about[0].conds = append(about[0].conds, e)
	case len(about) == 2 && about[0].table == about[1].table:
		t.refuse(SelfJoin, e.Span)
	default:
		t.refuse(Expression, e.Span)
	}
}

// entitiesOf returns the tables whose columns an expression names, without those of sub-queries.
func (t *teller) entitiesOf(c *clause, e *tree.Expr) []*entity {
	var out []*entity
	var walk func(*tree.Expr)
	walk = func(e *tree.Expr) {
		if e == nil {
			return
		}
		if e.Kind == tree.Name && t.refs[e].Meaning != tree.TextLiteral {
			found := t.entityOf(c, e)
			if found == nil {
				t.refuse(t.missing(e), e.Span)
				return
			}
			for _, o := range out {
				if o == found {
					return
				}
			}
			out = append(out, found)
		}
		for _, a := range e.Args {
			walk(a)
		}
	}
	walk(e)
	return out
}

// missing says why a clause has no table for a name.
func (t *teller) missing(name *tree.Expr) Reason {
	if t.refs[name].Meaning == tree.BaseColumn && t.db.Table(t.refs[name].Table) != nil {
		return Correlated
	}
	return Unknown
}

// entityOf returns the table of a column, or nil.
func (t *teller) entityOf(c *clause, name *tree.Expr) *entity {
	ref := t.refs[name]
	if ref.Meaning != tree.BaseColumn {
		return nil
	}
	for _, e := range c.entities {
		if name.Table != "" && strings.EqualFold(name.Table, e.name) ||
			name.Table == "" && strings.EqualFold(ref.Table, e.table.Name) {
			if e.table.Column(ref.Column) == nil {
				return nil
			}
			return e
		}
	}
	return nil
}

// connected reports whether the joins make one tree of all tables.
func connected(list []*entity) bool {
	if len(list) == 0 {
		return false
	}
	links := 0
	for _, e := range list {
		links += len(e.links)
	}
	return links == 2*(len(list)-1) && len(reach(list[0], nil, func(link) bool { return true })) == len(list)
}

// reach returns a table and those that links of a kind lead to from it, but not through the table from.
func reach(e, from *entity, follow func(link) bool) []*entity {
	out := []*entity{e}
	seen := map[*entity]bool{e: true, from: true}
	for i := 0; i < len(out); i++ {
		for _, l := range out[i].links {
			if !seen[l.to] && follow(l) {
				seen[l.to] = true
				out = append(out, l.to)
			}
		}
	}
	return out
}

// grain returns the table of which each row of the join has one row of its own: every other is reached along keys.
func (c *clause) grain() *entity {
	for _, e := range c.entities {
		if len(reach(e, nil, func(l link) bool { return l.one })) == len(c.entities) {
			return e
		}
	}
	return nil
}
