package exact

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"assay/prompting/sql/schema"
)

var (
	aggregates = []string{"none", "max", "min", "count", "sum", "avg"}
	clauses    = []string{"select", "from", "where", "group", "order", "limit", "intersect", "union", "except"}
	joinWords  = []string{"join", "on", "as"}
	condOps    = []string{"not", "between", "=", ">", "<", ">=", "<=", "!=", "in", "like", "is", "exists"}
	unitOps    = []string{"none", "-", "+", "*", "/"}
	setOps     = []string{"intersect", "union", "except"}
)

// maxNesting is about where the official reader runs out of stack.
const maxNesting = 240

// names is what the reader knows of the database; everything is in lower case.
type names struct {
	columns map[string]map[string]bool // by table; nil where there is no schema, and then any identifier will do
	ids     map[string]bool            // "*", "table", "table.column"
}

func namesOf(s *schema.Database) *names {
	if s == nil {
		return &names{}
	}
	n := &names{columns: map[string]map[string]bool{}, ids: map[string]bool{"*": true}}
	for _, t := range s.Tables {
		table := strings.ToLower(t.Name)
		n.columns[table] = map[string]bool{}
		n.ids[table] = true
		for _, c := range t.Columns {
			column := strings.ToLower(c.Name)
			n.columns[table][column] = true
			n.ids[table+"."+column] = true
		}
	}
	return n
}

var identifier = regexp.MustCompile(`^[\pL_][\pL\pN_]*$`)

// reserved are the words that a parse without a schema does not accept as a name.
var reserved = []string{"having", "by", "null", "distinct", "case", "when", "then", "else", "end", "asc", "desc", "left",
	"right", "inner", "outer", "natural", "cross", "full", "using", "all", "and", "or", "with", "over", "values"}

func plainName(word string) bool {
	return identifier.MatchString(word) && !slices.Contains(clauses, word) && !slices.Contains(joinWords, word) &&
		!slices.Contains(condOps, word) && !slices.Contains(reserved, word)
}

// reader reads the words of one query. It refuses by way of a panic with a refusal, caught in read: the grammar has an
// exit at nearly every word.
type reader struct {
	words []string
	at    int
	names *names
	alias map[string]string
	depth int
}

// refusal is why a query is outside the grammar.
type refusal string

// read parses a query as the official reader does: by a grammar of Spider's own, which knows SELECT [DISTINCT] with
// aggregates and arithmetic of two columns, FROM with "JOIN ... ON", flat conditions, GROUP BY, HAVING, ORDER BY,
// LIMIT, one set operation after another, and sub-queries in FROM and on the right of a condition. It knows no other
// kind of join, alias, function, list, NULL or parenthesis, ignores what follows the query, and refuses unknown names.
func read(words []string, n *names) (q *query, err error) {
	r := &reader{words: words, names: n}
	defer func() {
		switch why := recover().(type) {
		case nil:
		case refusal:
			q, err = nil, fmt.Errorf("%s", string(why))
		default:
			panic(why)
		}
	}()
	r.findAliases()
	return r.query(), nil
}

func (r *reader) refuse(format string, args ...any) { panic(refusal(fmt.Sprintf(format, args...))) }

// word returns the current word, and refuses at the end.
func (r *reader) word() string {
	if r.at >= len(r.words) {
		r.refuse("the query ends too early")
	}
	return r.words[r.at]
}

// is reports whether the current word is one of those; it is not at the end.
func (r *reader) is(words ...string) bool {
	return r.at < len(r.words) && slices.Contains(words, r.words[r.at])
}

func (r *reader) skip(word string) bool {
	if r.is(word) {
		r.at++
		return true
	}
	return false
}

func (r *reader) need(word string) {
	if got := r.word(); got != word {
		r.refuse("%q where %q is needed", got, word)
	}
	r.at++
}

// findAliases takes every "x as y" of the text, in whatever clause.
func (r *reader) findAliases() {
	r.alias = map[string]string{}
	for i, w := range r.words {
		if w != "as" {
			continue
		}
		if i+1 >= len(r.words) {
			r.refuse("AS without a name")
		}
		before := len(r.words) - 1 // before the first word comes the last one, as with Python's index -1
		if i > 0 {
			before = i - 1
		}
		r.alias[r.words[i+1]] = r.words[before]
	}
	for table := range r.names.columns {
		if _, taken := r.alias[table]; taken {
			r.refuse("an alias has the name of a table")
		}
	}
	for table := range r.names.columns {
		r.alias[table] = table
	}
}

// table returns the table that an alias or name refers to.
func (r *reader) table(name string) string {
	if t, ok := r.alias[name]; ok {
		return t
	}
	if r.names.columns == nil && plainName(name) {
		return name
	}
	r.refuse("unknown table %q", name)
	return ""
}

// known refuses an id that the schema does not have.
func (r *reader) known(id string) string {
	if r.names.columns != nil && !r.names.ids[id] {
		r.refuse("unknown name %q", id)
	}
	return id
}

// column reads a column; without a table it belongs to the first of the FROM's tables that has it.
func (r *reader) column(tables []string) string {
	w := r.word()
	r.at++
	if w == "*" {
		return w
	}
	if strings.Contains(w, ".") {
		parts := strings.Split(w, ".")
		if len(parts) != 2 {
			r.refuse("unknown name %q", w)
		}
		return r.known(r.table(parts[0]) + "." + parts[1])
	}
	if len(tables) == 0 {
		r.refuse("column %q without a table", w)
	}
	if r.names.columns == nil && plainName(w) {
		return tables[0] + "." + w
	}
	for _, t := range tables {
		cols, ok := r.names.columns[r.table(t)]
		if !ok {
			r.refuse("unknown table %q", t)
		}
		if cols[w] {
			return r.table(t) + "." + w
		}
	}
	r.refuse("unknown column %q", w)
	return ""
}

// colUnit reads [ ( ] [agg ( ] [distinct] column. The parenthesis before an aggregate is never closed: such a query is
// refused later.
func (r *reader) colUnit(tables []string) colUnit {
	r.word()
	block := r.skip("(")
	if w := r.word(); slices.Contains(aggregates, w) {
		r.at++
		r.need("(")
		r.word()
		u := colUnit{agg: agg(w), distinct: r.skip("distinct")}
		u.column = r.column(tables)
		r.need(")")
		return u
	}
	u := colUnit{distinct: r.skip("distinct")}
	u.column = r.column(tables)
	if block {
		r.need(")")
	}
	return u
}

func agg(word string) string {
	if word == "none" {
		return ""
	}
	return word
}

// valUnit reads one column, or two with an operator between.
func (r *reader) valUnit(tables []string) valUnit {
	r.word()
	block := r.skip("(")
	v := valUnit{left: r.colUnit(tables)}
	if r.is(unitOps...) {
		if w := r.word(); w != "none" {
			v.op = w
		}
		r.at++
		right := r.colUnit(tables)
		v.right = &right
	}
	if block {
		r.need(")")
	}
	return v
}

// value reads the right side of a condition: a sub-query, a string, a number, or else a column. For a column the words
// up to the next comma, parenthesis, AND or clause are taken, and all but the first column ignored: an OR, too.
func (r *reader) value(tables []string) value {
	start := r.at
	r.word()
	block := r.skip("(")
	w := r.word()
	var v value
	if w == "select" {
		v.sub = r.query()
	} else if strings.Contains(w, `"`) {
		v.text = w
		r.at++
	} else if number, ok := float(w); ok {
		v.text = number
		r.at++
	} else {
		end := r.at
		for end < len(r.words) && !stopsValue(r.words[end]) {
			end++
		}
		part := &reader{words: r.words[start:end], names: r.names, alias: r.alias}
		col := part.colUnit(tables)
		v.col = &col
		r.at = end
	}
	if block {
		r.need(")")
	}
	return v
}

func stopsValue(w string) bool {
	return w == "," || w == ")" || w == "and" || slices.Contains(clauses, w) || slices.Contains(joinWords, w)
}

// float reads a number as Python's float() does, and gives it in one form.
func float(w string) (string, bool) {
	if strings.ContainsAny(w, "xXpP") || strings.HasPrefix(w, "_") || strings.HasSuffix(w, "_") ||
		strings.Contains(w, "__") {
		return "", false
	}
	f, err := strconv.ParseFloat(strings.ReplaceAll(w, "_", ""), 64)
	if err != nil && !strings.Contains(err.Error(), "range") {
		return "", false
	}
	return strconv.FormatFloat(f, 'g', -1, 64), true
}

// conditions reads conditions up to a clause, a closing parenthesis, a semicolon or a join word. A connective between
// two of them may be absent.
func (r *reader) conditions(tables []string) []cond {
	var list []cond
	for r.at < len(r.words) {
		u := &condUnit{left: r.valUnit(tables)}
		r.word()
		u.not = r.skip("not")
		u.op = r.word()
		if !slices.Contains(condOps, u.op) {
			r.refuse("%q where a comparison is needed", u.op)
		}
		r.at++
		u.v1 = r.value(tables)
		if u.op == "between" {
			r.need("and")
			u.v2 = r.value(tables)
		}
		list = append(list, cond{unit: u})
		if r.ends() || r.is(joinWords...) {
			break
		}
		if r.is("and", "or") {
			list = append(list, cond{connective: r.word()})
			r.at++
		}
	}
	return list
}

// ends reports whether the current word ends a clause.
func (r *reader) ends() bool { return r.is(clauses...) || r.is(")", ";") }

func (r *reader) selectList(tables []string) (distinct bool, list []selected) {
	r.need("select")
	distinct = r.skip("distinct")
	for r.at < len(r.words) && !r.is(clauses...) {
		var s selected
		if w := r.word(); slices.Contains(aggregates, w) {
			s.agg = agg(w)
			r.at++
		}
		s.val = r.valUnit(tables)
		list = append(list, s)
		r.skip(",")
	}
	return distinct, list
}

// from reads the first FROM clause at or after the current word, and gives its tables in order.
func (r *reader) from(q *query) (tables []string) {
	i := slices.Index(r.words[min(r.at, len(r.words)):], "from")
	if i < 0 {
		r.refuse("no FROM")
	}
	r.at += i + 1
	for r.at < len(r.words) {
		block := r.skip("(")
		if r.word() == "select" {
			q.tables = append(q.tables, tableUnit{sub: r.query()})
		} else {
			r.skip("join")
			t := r.tableName()
			q.tables = append(q.tables, tableUnit{table: r.known(t)})
			tables = append(tables, t)
		}
		if r.skip("on") {
			on := r.conditions(tables)
			if len(q.joinOn) > 0 {
				q.joinOn = append(q.joinOn, cond{connective: "and"})
			}
			q.joinOn = append(q.joinOn, on...)
		}
		if block {
			r.need(")")
		}
		if r.ends() {
			break
		}
	}
	return tables
}

func (r *reader) tableName() string {
	t := r.table(r.word())
	r.at++
	if r.is("as") {
		r.at += 2
	}
	return t
}

// query reads one query: FROM first, which names the tables, then SELECT, then the rest in order.
func (r *reader) query() *query {
	if r.depth++; r.depth > maxNesting {
		r.refuse("nested too deeply")
	}
	defer func() { r.depth-- }()
	q := &query{next: map[string]*query{}}
	r.word()
	start := r.at
	block := r.skip("(")
	list := r.at
	r.at = start
	tables := r.from(q)
	end := r.at
	r.at = list
	q.distinct, q.columns = r.selectList(tables)
	r.at = end
	r.clauses(q, tables)
	for r.skip(";") {
	}
	if block {
		r.need(")")
	}
	for r.skip(";") {
	}
	if r.is(setOps...) {
		op := r.word()
		r.at++
		q.next[op] = r.query()
	}
	return q
}

// clauses reads WHERE, GROUP BY, HAVING, ORDER BY and LIMIT, each if it is there.
func (r *reader) clauses(q *query, tables []string) {
	if r.skip("where") {
		q.where = r.conditions(tables)
	}
	if r.skip("group") {
		r.need("by")
		for r.at < len(r.words) && !r.ends() {
			q.group = append(q.group, r.colUnit(tables))
			if !r.skip(",") {
				break
			}
		}
	}
	if r.skip("having") {
		q.having = r.conditions(tables)
	}
	if r.skip("order") {
		r.need("by")
		q.dir = "asc"
		for r.at < len(r.words) && !r.ends() {
			q.order = append(q.order, r.valUnit(tables))
			if r.is("asc", "desc") {
				q.dir = r.word()
				r.at++
			}
			if !r.skip(",") {
				break
			}
		}
	}
	if r.skip("limit") {
		r.word()
		r.at++
		q.limit = true
	}
}
