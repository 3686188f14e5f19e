package diagnosis

import (
	"slices"
	"strconv"
	"strings"

	"assay/prompting/sql/schema"
	"assay/prompting/sql/tree"
)

// atom is one condition of a WHERE, HAVING or ON.
type atom struct {
	text    string // in normal form
	columns []schema.ColumnName
	values  []string // the literals that it compares with
	join    bool     // an equality of two columns
}

// shape is the facts of a statement that the rules use. Names are in lower case.
type shape struct {
	tables   []string
	selected []string            // the result columns of the first arm, in normal form
	shown    []schema.ColumnName // the columns named in those
	filters  []atom
	joins    []string
	outer    int // outer joins
	calls    []string
	group    string
	order    []string
	keys     []string // the order without its direction
	limit    string
	sets     string
	nested   int
	distinct int
	either   int                    // ORs
	extremes int                    // sub-queries that select max or min alone
	crossed  bool                   // an arm joins tables and has too few conditions for them
	equal    [][2]schema.ColumnName // columns that joins equate
	bare     string
}

// reader builds the shape of one statement.
type reader struct {
	refs    map[*tree.Expr]tree.Ref
	aliases map[string]*tree.Expr
	shape   shape
	depth   int
	chasing bool // an alias's expression is being read
}

// mostTokens bounds the statements that are read: each part of one is compared with each of another. The longest gold
// query of Spider and BIRD is far below it.
const mostTokens = 1000

// shapeOf parses a statement; nil where it is no SELECT, does not parse, or is too long to be read. The schema may be nil.
func shapeOf(sql string, db *schema.Database) *shape {
	stmt, err := tree.Parse(sql)
	if err != nil || stmt.Query == nil || len(tree.Tokens(sql)) > mostTokens {
		return nil
	}
	r := &reader{refs: map[*tree.Expr]tree.Ref{}, aliases: map[string]*tree.Expr{}}
	for _, ref := range tree.Resolve(stmt, db) {
		if ref.Expr != nil {
			r.refs[ref.Expr] = ref
		}
	}
	for _, t := range tree.Tables(stmt, db) {
		r.shape.tables = append(r.shape.tables, strings.ToLower(t))
	}
	slices.Sort(r.shape.tables)
	tree.Walk(stmt.Query, tree.Visitor{Query: r.query, Select: r.arm, Source: r.source, Expr: r.expr})
	r.outermost(stmt.Query)
	f := tree.Count(stmt)
	r.shape.nested, r.shape.distinct = f.Subqueries+f.CTEs, f.Distincts
	slices.Sort(r.shape.calls)
	slices.Sort(r.shape.joins)
	r.shape.bare = r.text(stmt.Query)
	return &r.shape
}

// outermost reads what only the outermost query decides: the result columns and their order.
func (r *reader) outermost(q *tree.Query) {
	s := &r.shape
	s.sets = strings.Join(q.Ops, " ")
	for _, c := range q.Arms[0].Columns {
		s.selected = append(s.selected, r.norm(c.Expr))
		s.shown = append(s.shown, r.columns(c.Expr)...)
	}
	for _, t := range q.OrderBy {
		key := counted(r.norm(r.unalias(t.Expr)))
		s.keys = append(s.keys, key)
		if t.Desc {
			key += " desc"
		}
		s.order = append(s.order, key)
	}
	if q.Limit != nil {
		s.limit = r.norm(q.Limit)
	}
	var group []string
	for _, g := range q.Arms[0].GroupBy {
		group = append(group, r.norm(r.unalias(g)))
	}
	slices.Sort(group)
	s.group = strings.Join(group, ", ")
}

// counted replaces count(x) by count(*): as sort keys they differ by NULLs alone.
func counted(key string) string {
	if strings.HasPrefix(key, "count(") && strings.Count(key, "(") == 1 {
		return "count(*)"
	}
	return key
}

func (r *reader) query(q *tree.Query, depth int) {
	if depth == 0 || len(q.Arms) != 1 || len(q.Arms[0].Columns) != 1 {
		return
	}
	if e := q.Arms[0].Columns[0].Expr; e.Kind == tree.Call && (e.Name == "max" || e.Name == "min") {
		r.shape.extremes++
	}
}

func (r *reader) arm(s *tree.Select) {
	for _, c := range s.Columns {
		if c.Alias != "" {
			r.aliases[strings.ToLower(c.Alias)] = c.Expr
		}
	}
	before := len(r.shape.joins)
	r.atoms(s.Where)
	conditions := len(r.shape.joins) - before
	sources, joined := joinedIn(s.From)
	r.shape.crossed = r.shape.crossed || sources-1 > joined+conditions
	r.atoms(s.Having)
}

// joinedIn counts the sources of a FROM and those that have a condition of their own.
func joinedIn(list []*tree.Source) (sources, joined int) {
	for _, f := range list {
		if f.On != nil || len(f.Using) > 0 || strings.Contains(f.Join, "NATURAL") {
			joined++
		}
		if len(f.List) > 0 {
			n, j := joinedIn(f.List)
			sources, joined = sources+n, joined+j
			continue
		}
		sources++
	}
	return sources, joined
}

func (r *reader) source(s *tree.Source) {
	if strings.Contains(s.Join, "LEFT") || strings.Contains(s.Join, "FULL") || strings.Contains(s.Join, "RIGHT") {
		r.shape.outer++
	}
	r.atoms(s.On)
}

func (r *reader) expr(e *tree.Expr) {
	switch {
	case e.Kind == tree.Call:
		r.shape.calls = append(r.shape.calls, e.Name)
	case e.Kind == tree.Cast:
		r.shape.calls = append(r.shape.calls, "cast")
	case e.Kind == tree.Binary && e.Op == "OR":
		r.shape.either++
	}
}

// atoms splits a condition at its ANDs, ORs and NOTs.
func (r *reader) atoms(e *tree.Expr) {
	if e == nil {
		return
	}
	if e.Kind == tree.Binary && (e.Op == "AND" || e.Op == "OR") || e.Kind == tree.Unary && e.Op == "NOT" {
		for _, a := range e.Args {
			r.atoms(a)
		}
		return
	}
	a := atom{text: r.norm(e)}
	a.columns, a.values = r.columns(e), r.values(e)
	if e.Kind == tree.Binary && e.Op == "=" && r.isColumn(e.Args[0]) && r.isColumn(e.Args[1]) {
		a.join = true
		r.shape.joins = append(r.shape.joins, a.text)
		if len(a.columns) == 2 {
			r.shape.equal = append(r.shape.equal, [2]schema.ColumnName{a.columns[0], a.columns[1]})
		}
		return
	}
	if e.Kind == tree.In && e.Query != nil {
		a.columns = nil // x IN (SELECT y ...) joins x and y, as an ON would
	}
	r.shape.filters = append(r.shape.filters, a)
}

func (r *reader) isColumn(e *tree.Expr) bool {
	return e.Kind == tree.Name && r.refs[e].Meaning != tree.TextLiteral
}

// columns returns the columns that the expression names outside its sub-queries.
func (r *reader) columns(e *tree.Expr) (out []schema.ColumnName) {
	r.shallow(e, func(e *tree.Expr) {
		ref := r.refs[e]
		switch {
		case e.Kind == tree.Star:
			out = append(out, schema.ColumnName{Table: ref.Table, Column: "*"}.Folded())
		case r.isColumn(e):
			if x := r.unalias(e); x != e && !r.chasing { // an alias may have the name of its own column
				r.chasing = true
				out = append(out, r.columns(x)...)
				r.chasing = false
				return
			}
			c := schema.ColumnName{Table: ref.Table, Column: e.Name}.Folded()
			if !slices.Contains(out, c) {
				out = append(out, c)
			}
		}
	})
	return out
}

func (r *reader) values(e *tree.Expr) (out []string) {
	r.shallow(e, func(e *tree.Expr) {
		switch {
		case e.Kind == tree.Literal && e.Lit != tree.Null:
			out = append(out, strings.Trim(e.Name, "% "))
		case e.Kind == tree.Name && r.refs[e].Meaning == tree.TextLiteral:
			out = append(out, strings.Trim(e.Name, "% "))
		}
	})
	return out
}

func (r *reader) shallow(e *tree.Expr, f func(*tree.Expr)) {
	if e == nil {
		return
	}
	f(e)
	for _, a := range e.Args {
		r.shallow(a, f)
	}
}

// unalias returns the expression behind an alias of a result column, otherwise e itself.
func (r *reader) unalias(e *tree.Expr) *tree.Expr {
	if e.Kind == tree.Name && e.Table == "" && r.refs[e].Meaning == tree.DerivedColumn {
		if x := r.aliases[strings.ToLower(e.Name)]; x != nil && x.Kind != tree.Name {
			return x
		}
	}
	return e
}

// text is a query in normal form: no DISTINCT, no aliases, tables and conditions sorted, ON with WHERE.
func (r *reader) text(q *tree.Query) string {
	if q == nil || r.depth > 100 {
		return ""
	}
	r.depth++
	defer func() { r.depth-- }()
	var parts []string
	for _, c := range q.CTEs {
		parts = append(parts, "with "+r.text(c.Query))
	}
	for i, s := range q.Arms {
		if i > 0 {
			parts = append(parts, q.Ops[i-1])
		}
		parts = append(parts, r.armText(s))
	}
	for _, t := range q.OrderBy {
		parts = append(parts, "order", r.norm(r.unalias(t.Expr)), strconv.FormatBool(t.Desc))
	}
	if q.Limit != nil {
		parts = append(parts, "limit", r.norm(q.Limit), r.norm(q.Offset))
	}
	return strings.Join(parts, " ")
}

func (r *reader) armText(s *tree.Select) string {
	var columns, from, where, group []string
	for _, c := range s.Columns {
		columns = append(columns, r.norm(c.Expr))
	}
	for _, f := range s.From {
		from, where = r.sourceText(f, from, where)
	}
	where = r.conjuncts(s.Where, where)
	for _, g := range s.GroupBy {
		group = append(group, r.norm(r.unalias(g)))
	}
	slices.Sort(from)
	slices.Sort(where)
	slices.Sort(group)
	for _, row := range s.Values {
		columns = append(columns, r.norms(row))
	}
	return strings.Join([]string{"select", strings.Join(columns, ", "), "from", strings.Join(from, ", "), "where",
		strings.Join(where, " and "), "group", strings.Join(group, ", "), "having", r.norm(s.Having)}, " ")
}

func (r *reader) sourceText(f *tree.Source, from, where []string) (sources, conditions []string) {
	name := strings.ToLower(f.Table)
	if f.Query != nil {
		name = "(" + r.text(f.Query) + ")"
	}
	if strings.Contains(f.Join, "LEFT") || strings.Contains(f.Join, "FULL") || strings.Contains(f.Join, "RIGHT") {
		name = strings.ToLower(f.Join) + " " + name
	}
	if len(f.List) == 0 {
		from = append(from, name)
	}
	for _, in := range f.List {
		from, where = r.sourceText(in, from, where)
	}
	for _, u := range f.Using {
		where = append(where, "using "+strings.ToLower(u))
	}
	return from, r.conjuncts(f.On, where)
}

func (r *reader) conjuncts(e *tree.Expr, to []string) []string {
	switch {
	case e == nil:
		return to
	case e.Kind == tree.Binary && e.Op == "AND":
		return r.conjuncts(e.Args[1], r.conjuncts(e.Args[0], to))
	}
	return append(to, r.norm(e))
}
