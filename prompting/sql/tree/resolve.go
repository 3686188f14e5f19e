package tree

import (
	"strings"

	"assay/prompting/sql/schema"
)

// Meaning is what a name in the text refers to.
type Meaning int

// The meanings of a name.
const (
	BaseColumn    Meaning = iota // a column of a table: Table and Column are set
	DerivedColumn                // a column of a sub-query, a CTE or a table function, or an alias of a result column
	TextLiteral                  // a double-quoted name that is no column, which SQLite treats as a string
	UnknownColumn                // no source has such a column; Column is the name as written
)

// Ref is one use of a name.
type Ref struct {
	Expr    *Expr // the Name or Star; nil for a column named by USING or NATURAL
	Meaning Meaning
	// ColumnName is spelled as in the schema where that has it. Table is never an alias, and is empty where the name is no
	// column of a table; Column is "*" for a star over the table.
	schema.ColumnName
}

// Resolve returns the meaning of each name of the statement, in the order of the text, by SQLite's rules: names ignore
// case, the innermost query has precedence, and a double-quoted name that matches no column is a string. The schema may be
// nil: then an unqualified name belongs to the only table in scope, and a double-quoted name is a string. A star that a
// select list repeats has no meaning of its own.
func Resolve(s *Stmt, db *schema.Database) []Ref {
	if s == nil || s.Query == nil {
		return nil
	}
	r := &resolver{tables: map[string]*schema.Table{}}
	if db != nil {
		for i := range db.Tables {
			r.tables[strings.ToLower(db.Tables[i].Name)] = &db.Tables[i]
		}
	}
	r.query(s.Query, nil, nil)
	return r.refs
}

// Columns returns the columns that the statement uses, each once, in order of first use. A star in a select list counts as
// every column of its table, or as one "*" where the schema lacks the table; count(*) uses no column. A column of unknown
// table has an empty Table.
func Columns(s *Stmt, db *schema.Database) []schema.ColumnName {
	var out []schema.ColumnName
	seen := map[schema.ColumnName]bool{}
	add := func(name schema.ColumnName) {
		if key := name.Folded(); !seen[key] {
			seen[key] = true
			out = append(out, name)
		}
	}
	for _, ref := range Resolve(s, db) {
		t := db.Table(ref.Table)
		switch {
		case ref.Meaning == DerivedColumn || ref.Meaning == TextLiteral:
		case ref.Column == "*" && t != nil:
			for _, c := range t.Names() {
				add(schema.ColumnName{Table: t.Name, Column: c})
			}
		default:
			add(ref.ColumnName)
		}
	}
	return out
}

// Tables returns the tables that the statement reads, each once, in order of first use, without CTEs. Names are spelled as
// in the schema where that has them; the schema may be nil.
func Tables(s *Stmt, db *schema.Database) []string {
	if s == nil || s.Query == nil {
		return nil
	}
	var out []string
	seen := map[string]bool{}
	r := &resolver{tables: map[string]*schema.Table{}, table: func(name string) {
		if t := db.Table(name); t != nil {
			name = t.Name
		}
		if key := strings.ToLower(name); !seen[key] {
			seen[key] = true
			out = append(out, name)
		}
	}}
	r.query(s.Query, nil, nil)
	return out
}

// binding is one source in scope: a base table, or a sub-query, CTE or table function with named outputs.
type binding struct {
	name    string            // in lower case: the alias, or the table's name
	table   string            // of a base table; empty for every other source
	columns map[string]string // names as spelled, by name in lower case
	any     bool              // the columns are not known: any name may be one of them
}

// scope has the sources that names can refer to in one arm; outer is the scope of the enclosing query.
type scope struct {
	outer   *scope
	sources []*binding
	aliases map[string]bool
}

// ctes is the chain of common table expressions in scope, the innermost first.
type ctes struct {
	outer *ctes
	name  string
	bind  *binding
}

func (c *ctes) find(name string) *binding {
	for ; c != nil; c = c.outer {
		if c.name == name {
			return c.bind
		}
	}
	return nil
}

type resolver struct {
	tables  map[string]*schema.Table
	refs    []Ref
	table   func(name string) // called for each base table, unless nil
	derived int               // names that stars gave to sub-queries
}

// query resolves the names of a query and returns its output columns as a binding without a name. The first arm names
// the columns of a compound, and ORDER BY sees the sources of that arm.
func (r *resolver) query(q *Query, outer *scope, with *ctes) *binding {
	if q == nil {
		return &binding{any: true}
	}
	for _, c := range q.CTEs {
		name := strings.ToLower(c.Name)
		self := &ctes{outer: with, name: name, bind: &binding{name: name, any: true}} // a recursive CTE sees itself
		out := r.query(c.Query, outer, self)
		if len(c.Columns) > 0 {
			out = named(c.Columns)
		}
		out.name = name
		with = &ctes{outer: with, name: name, bind: out}
	}
	var first *scope
	var out *binding
	for _, arm := range q.Arms {
		sc, b := r.arm(arm, outer, with)
		if first == nil {
			first, out = sc, b
		}
	}
	for _, t := range q.OrderBy {
		if t.Expr.Kind == Name && t.Expr.Table == "" && first.aliases[strings.ToLower(t.Expr.Name)] {
			r.refs = append(r.refs, Ref{Expr: t.Expr, Meaning: DerivedColumn, ColumnName: schema.ColumnName{Column: t.Expr.Name}})
			continue
		}
		r.expr(t.Expr, first, with)
	}
	r.expr(q.Limit, first, with)
	r.expr(q.Offset, first, with)
	return out
}

func named(columns []string) *binding {
	b := &binding{columns: map[string]string{}}
	for _, c := range columns {
		b.columns[strings.ToLower(c)] = c
	}
	return b
}

func (r *resolver) arm(s *Select, outer *scope, with *ctes) (*scope, *binding) {
	sc := &scope{outer: outer, aliases: map[string]bool{}}
	for _, c := range s.Columns {
		if c.Alias != "" {
			sc.aliases[strings.ToLower(c.Alias)] = true
		}
	}
	start := len(r.refs) // sources are bound first, but their references come after the select list's
	for _, f := range s.From {
		r.bind(f, sc, with)
	}
	for _, f := range s.From {
		r.joins(f, sc, with)
	}
	from := append([]Ref(nil), r.refs[start:]...)
	r.refs = r.refs[:start]
	list := starsOnce(s.Columns)
	for _, c := range list {
		r.expr(c.Expr, sc, with)
	}
	r.refs = append(r.refs, from...)
	r.expr(s.Where, sc, with)
	r.exprs(s.GroupBy, sc, with)
	r.expr(s.Having, sc, with)
	r.exprs(s.Windows, sc, with)
	for _, row := range s.Values {
		r.exprs(row, sc, with)
	}
	return sc, r.outputs(s, list, sc)
}

// starsOnce returns the columns of a select list, each star once: another one means the same columns, and a thousand over
// sixty tables would be sixty thousand references.
func starsOnce(columns []Result) []Result {
	var out []Result
	stars := map[string]bool{} // by the table before the star, in lower case
	for _, c := range columns {
		if c.Expr.Kind == Star {
			table := strings.ToLower(c.Expr.Table)
			if stars[table] {
				continue
			}
			stars[table] = true
		}
		out = append(out, c)
	}
	return out
}

// maxDerived bounds the names that stars give to sub-queries, in all: each of a chain of tables that double has all names
// of the one before.
const maxDerived = 50_000

// outputs returns the names of the columns that an arm returns; list is the select list. Beyond maxDerived names, a star's
// are not known.
func (r *resolver) outputs(s *Select, list []Result, sc *scope) *binding {
	b := &binding{columns: map[string]string{}, any: s.Values != nil}
	for _, c := range list {
		switch {
		case c.Alias != "":
			b.columns[strings.ToLower(c.Alias)] = c.Alias
		case c.Expr.Kind == Name:
			b.columns[strings.ToLower(c.Expr.Name)] = c.Expr.Name
		case c.Expr.Kind == Star:
			for _, src := range sc.sources {
				if c.Expr.Table != "" && src.name != strings.ToLower(c.Expr.Table) {
					continue
				}
				r.derived += len(src.columns)
				if b.any = b.any || src.any || r.derived > maxDerived; r.derived > maxDerived {
					continue
				}
				for k, v := range src.columns {
					b.columns[k] = v
				}
			}
		}
	}
	return b
}

// bind adds a source to the scope, and resolves the sub-query in it. A sub-query in FROM does not see the sources next to
// it, only those of the enclosing query.
func (r *resolver) bind(f *Source, sc *scope, with *ctes) {
	for _, in := range f.List {
		r.bind(in, sc, with)
	}
	if len(f.List) > 0 {
		return
	}
	var b *binding
	switch cte := with.find(strings.ToLower(f.Table)); {
	case f.Query != nil:
		b = r.query(f.Query, sc.outer, with)
	case f.Args != nil:
		b = &binding{name: strings.ToLower(f.Table), any: true}
	case cte != nil && f.Schema == "":
		copied := *cte
		b = &copied
	default:
		b = r.base(f.Table)
	}
	if f.Alias != "" {
		b.name = strings.ToLower(f.Alias)
	}
	sc.sources = append(sc.sources, b)
}

func (r *resolver) base(name string) *binding {
	if r.table != nil {
		r.table(name)
	}
	key := strings.ToLower(name)
	t := r.tables[key]
	if t == nil {
		return &binding{name: key, table: name, any: true}
	}
	b := named(t.Names())
	b.name, b.table = key, t.Name
	return b
}

// joins resolves the arguments and the join condition of a source, and the columns of USING in every source that has them.
func (r *resolver) joins(f *Source, sc *scope, with *ctes) {
	for _, in := range f.List {
		r.joins(in, sc, with)
	}
	r.exprs(f.Args, sc, with)
	r.expr(f.On, sc, with)
	for _, u := range f.Using {
		key := strings.ToLower(u)
		for _, b := range sc.sources {
			if col, ok := b.columns[key]; ok && b.table != "" {
				r.refs = append(r.refs, Ref{ColumnName: schema.ColumnName{Table: b.table, Column: col}})
			}
		}
	}
}

func (r *resolver) exprs(list []*Expr, sc *scope, with *ctes) {
	for _, e := range list {
		r.expr(e, sc, with)
	}
}

func (r *resolver) expr(e *Expr, sc *scope, with *ctes) {
	if e == nil {
		return
	}
	switch e.Kind {
	case Name:
		r.refs = append(r.refs, r.name(e, sc))
		return
	case Star:
		r.star(e, sc)
		return
	}
	r.exprs(e.Args, sc, with)
	if e.Query != nil {
		r.query(e.Query, sc, with)
	}
	if e.Kind == In && e.Table != "" && with.find(strings.ToLower(e.Table)) == nil {
		r.base(e.Table)
	}
	r.exprs(e.Over, sc, with)
}

func (r *resolver) star(e *Expr, sc *scope) {
	for _, b := range sc.sources {
		if e.Table != "" && b.name != strings.ToLower(e.Table) {
			continue
		}
		ref := Ref{Expr: e, Meaning: DerivedColumn, ColumnName: schema.ColumnName{Column: "*"}}
		if b.table != "" {
			ref.Meaning, ref.Table = BaseColumn, b.table
		}
		r.refs = append(r.refs, ref)
	}
}

// name determines the meaning of a name, from the innermost scope outwards.
func (r *resolver) name(e *Expr, sc *scope) Ref {
	key, qualifier := strings.ToLower(e.Name), strings.ToLower(e.Table)
	for s := sc; s != nil; s = s.outer {
		if b := s.find(qualifier, key, e.Quote == '"'); b != nil {
			ref := Ref{Expr: e, Meaning: DerivedColumn, ColumnName: schema.ColumnName{Column: e.Name}}
			if known := b.columns[key]; known != "" {
				ref.Column = known
			}
			if b.table != "" {
				ref.Meaning, ref.Table = BaseColumn, b.table
			}
			return ref
		}
		if qualifier == "" && s.aliases[key] {
			return Ref{Expr: e, Meaning: DerivedColumn, ColumnName: schema.ColumnName{Column: e.Name}}
		}
	}
	if qualifier == "" && e.Quote == '"' {
		return Ref{Expr: e, Meaning: TextLiteral, ColumnName: schema.ColumnName{Column: e.Name}}
	}
	return Ref{Expr: e, Meaning: UnknownColumn, ColumnName: schema.ColumnName{Column: e.Name}}
}

// find returns the source of a scope that has the column. A source of unknown columns matches only a qualified name, or
// any name without double quotes if it is the only source.
func (s *scope) find(qualifier, column string, quoted bool) *binding {
	for _, b := range s.sources {
		if qualifier != "" && b.name != qualifier {
			continue
		}
		if _, ok := b.columns[column]; ok || (qualifier != "" && (b.any || rowid(column))) {
			return b
		}
	}
	if qualifier == "" && len(s.sources) == 1 && !s.aliases[column] {
		if b := s.sources[0]; (b.any && !quoted) || (b.table != "" && rowid(column)) {
			return b
		}
	}
	return nil
}

// rowid reports whether SQLite accepts a name for the row id of a table that declares no such column.
func rowid(column string) bool { return column == "rowid" || column == "oid" || column == "_rowid_" }
