package baseline

import (
	"strconv"
	"strings"
)

// star is the column number of "*".
const star = -1

// expr is a column, or an aggregate of one.
type expr struct {
	agg      string // empty, count, sum, avg, min, max
	distinct bool
	col      int
}

// cond is one condition: left op right, where right is a literal or the result of sub.
type cond struct {
	left  expr
	op    string // =, !=, <, >, <=, >=, LIKE, BETWEEN, IN, NOT IN
	right string // SQL literal
	sub   *query
	or    bool // joined to the condition before by OR
}

// sortKey is one ORDER BY term.
type sortKey struct {
	e    expr
	desc bool
}

// query is a query of the parser's small grammar. Its FROM clause follows from the columns used.
type query struct {
	tables   []int // tables that must be joined, in order of mention
	sel      []expr
	distinct bool
	where    []cond
	group    []int
	having   []cond
	order    []sortKey
	limit    int
	setOp    string // INTERSECT, UNION, EXCEPT
	right    *query
}

// copy returns a query whose slices can be appended to without changing q's.
func (q query) copy() query {
	q.tables = append([]int(nil), q.tables...)
	q.sel = append([]expr(nil), q.sel...)
	q.where = append([]cond(nil), q.where...)
	q.group = append([]int(nil), q.group...)
	q.having = append([]cond(nil), q.having...)
	q.order = append([]sortKey(nil), q.order...)
	return q
}

// columns calls f with every column number used outside sub-queries and set operands.
func (q *query) columns(f func(int)) {
	visit := func(e expr) {
		if e.col != star {
			f(e.col)
		}
	}
	for _, e := range q.sel {
		visit(e)
	}
	for _, c := range q.where {
		visit(c.left)
	}
	for _, c := range q.group {
		f(c)
	}
	for _, c := range q.having {
		visit(c.left)
	}
	for _, o := range q.order {
		visit(o.e)
	}
}

// from returns the tables that the query needs, in order of first use.
func (q *query) from(b *base) []int {
	var out []int
	seen := make([]bool, len(b.tables))
	add := func(t int) {
		if t >= 0 && !seen[t] {
			seen[t] = true
			out = append(out, t)
		}
	}
	q.columns(func(c int) { add(b.cols[c].table) })
	for _, t := range q.tables {
		add(t)
	}
	return out
}

// printer prints one query, with its aliases.
type printer struct {
	b     *base
	alias map[int]string // table -> T1, ...; empty for a single table
}

// print returns the query as SQL on one line.
func (q *query) print(b *base) string {
	p := printer{b: b, alias: map[int]string{}}
	var s strings.Builder
	s.WriteString("SELECT ")
	from := p.from(q)
	if q.distinct {
		s.WriteString("DISTINCT ")
	}
	s.WriteString(p.list(q.sel))
	s.WriteString(" FROM " + from)
	if len(q.where) > 0 {
		s.WriteString(" WHERE " + p.conds(q.where))
	}
	if len(q.group) > 0 {
		var cols []expr
		for _, c := range q.group {
			cols = append(cols, expr{col: c})
		}
		s.WriteString(" GROUP BY " + p.list(cols))
	}
	if len(q.having) > 0 {
		s.WriteString(" HAVING " + p.conds(q.having))
	}
	s.WriteString(p.tail(q))
	if q.right != nil {
		s.WriteString(" " + q.setOp + " " + q.right.print(b))
	}
	return s.String()
}

// from prints the FROM clause and sets the aliases.
func (p *printer) from(q *query) string {
	order, edges, _, ok := p.b.tree(q.from(p.b))
	if len(order) == 0 {
		return "sqlite_master" // a query without any table: nothing was understood, but an answer must be SQL
	}
	if !ok {
		for _, t := range q.from(p.b) { // no join path: list every table all the same
			if !contains(order, t) {
				order, edges = append(order, t), append(edges, joint{-1, -1, 0})
			}
		}
	}
	if len(order) == 1 {
		return ident(p.b.tables[order[0]].name)
	}
	for i, t := range order {
		p.alias[t] = "T" + strconv.Itoa(i+1)
	}
	var s strings.Builder
	for i, t := range order {
		if i > 0 {
			s.WriteString(" JOIN ")
		}
		s.WriteString(ident(p.b.tables[t].name) + " AS " + p.alias[t])
		if i > 0 && edges[i].a >= 0 {
			s.WriteString(" ON " + p.column(edges[i].a) + " = " + p.column(edges[i].b))
		}
	}
	return s.String()
}

func contains(list []int, x int) bool {
	for _, v := range list {
		if v == x {
			return true
		}
	}
	return false
}

func (p *printer) column(c int) string {
	if c == star {
		return "*"
	}
	col := &p.b.cols[c]
	if a := p.alias[col.table]; a != "" {
		return a + "." + ident(col.name)
	}
	return ident(col.name)
}

func (p *printer) expr(e expr) string {
	s := p.column(e.col)
	if e.agg == "" {
		return s
	}
	if e.distinct {
		s = "DISTINCT " + s
	}
	return e.agg + "(" + s + ")"
}

func (p *printer) list(es []expr) string {
	var out []string
	for _, e := range es {
		out = append(out, p.expr(e))
	}
	return strings.Join(out, ", ")
}

func (p *printer) conds(cs []cond) string {
	var s strings.Builder
	for i, c := range cs {
		switch {
		case i > 0 && c.or:
			s.WriteString(" OR ")
		case i > 0:
			s.WriteString(" AND ")
		}
		s.WriteString(p.expr(c.left) + " " + c.op + " ")
		if c.sub != nil {
			s.WriteString("(" + c.sub.print(p.b) + ")")
		} else {
			s.WriteString(c.right)
		}
	}
	return s.String()
}

// tail prints ORDER BY and LIMIT.
func (p *printer) tail(q *query) string {
	var s strings.Builder
	for i, o := range q.order {
		s.WriteString(map[bool]string{true: " ORDER BY ", false: ", "}[i == 0] + p.expr(o.e))
		s.WriteString(map[bool]string{true: " DESC", false: " ASC"}[o.desc])
	}
	if q.limit > 0 {
		s.WriteString(" LIMIT " + strconv.Itoa(q.limit))
	}
	return s.String()
}

var reserved = set(`order group by select from where having limit table index join on as and or not in is like between union
	intersect except all distinct case when then else end values set to default check primary foreign key references
	create drop insert update delete transaction add alter column commit constraint escape exists null unique using cross natural left right inner outer full`)

// ident quotes a name unless it is a plain identifier.
func ident(name string) string {
	plain := name != "" && !reserved[strings.ToLower(name)] && !isDigit(name[0])
	for i := 0; plain && i < len(name); i++ {
		c := name[i]
		plain = c == '_' || isDigit(c) || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
	}
	if plain {
		return name
	}
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}

// literal writes a value as SQL: numbers bare, everything else in single quotes.
func literal(v string, number bool) string {
	if number {
		return v
	}
	return "'" + strings.ReplaceAll(v, "'", "''") + "'"
}
