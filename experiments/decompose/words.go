package decompose

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"assay/experiments/decompose/english"
	"assay/prompting/sql/schema"
	"assay/prompting/sql/tree"
)

// one and many name a row, and the rows, of a table.
func (e *entity) one() string  { return rowWords(e.table) }
func (e *entity) many() string { return english.Plural(e.one()) }

// rowWords names a row of a table. "Ref" before a name marks a table of codes, and is no word.
func rowWords(t *schema.Table) string {
	words := english.Words(t.Name)
	if rest, ok := strings.CutPrefix(words, "ref "); ok {
		words = rest
	}
	for _, verb := range []string{"has ", "have "} {
		words = strings.TrimPrefix(words, verb)
	}
	if one := members[words]; one != "" && t.Column(t.Name) == nil {
		return one
	}
	list := strings.Fields(words)
	if n := len(list); n > 0 && (english.Preposition(list[n-1]) || verbs[list[n-1]]) {
		return words + " record"
	}
	return english.Singular(words)
}

// members has what one of many is called that have a name in common; not where a column of that name has their number.
var members = map[string]string{"faculty": "faculty member", "staff": "staff member", "weather": "weather record"}

// verbs has the words of which tables are called that say what one thing does to another.
var verbs = map[string]bool{"has": true, "have": true, "map": true, "link": true, "teaches": true, "takes": true, "lives": true,
	"plays": true, "writes": true, "works": true, "belongs": true, "contains": true, "hosts": true, "owns": true, "stays": true,
	"participates": true, "made": true, "directed": true, "affected": true, "enrolled": true, "enroll": true, "assigned": true,
	"assignedto": true, "registered": true, "member": true, "prescribes": true, "undergoes": true, "trained": true,
	"follows": true, "likes": true, "operate": true}

// columnWords names a column in words, without the table's name before it: "name" for singer.Singer_Name.
func columnWords(t *schema.Table, column string) string {
	words := english.Words(column)
	if c := t.Column(column); c != nil && c.Meaning != "" && meansOne(t, c.Meaning) {
		words = english.Words(c.Meaning)
	}
	words = strings.TrimSuffix(words, " is") // genre_is
	table := english.Words(t.Name)
	for _, prefix := range []string{english.Singular(table), table} {
		if rest, ok := strings.CutPrefix(words, prefix+" "); ok {
			return rest
		}
	}
	return words
}

// meansOne reports whether one column of a table has a meaning, so that it can stand for the name.
func meansOne(t *schema.Table, meaning string) bool {
	n := 0
	for _, c := range t.Columns {
		if strings.EqualFold(c.Meaning, meaning) {
			n++
		}
	}
	return n == 1
}

// column names a column of a clause in words. A text column called as its table is, country.country, holds the name.
func (t *teller) column(e *entity, name *tree.Expr) string {
	column := t.refs[name].Column
	words := columnWords(e.table, column)
	if c := e.table.Column(column); words == e.one() && c != nil && textual(c.Type) {
		return "name"
	}
	if strings.HasPrefix(words, "is ") || strings.HasPrefix(words, "has ") {
		return `"` + words + `" flag`
	}
	return words
}

// amount names a column of numbers as one thing: "number of points" for points, "price" for prices.
func (t *teller) amount(e *entity, name *tree.Expr) string {
	words, _ := t.formula(e, name)
	c := e.table.Column(t.refs[name].Column)
	if name.Kind != tree.Name || timely(words) || c == nil || textual(c.Type) || !english.Many(words) || strings.Contains(words, "number") {
		return words
	}
	switch measured[words[strings.LastIndexByte(words, ' ')+1:]] {
	case "one":
		return english.Singular(words)
	case "sum":
		return words
	}
	return "number of " + words
}

// measured has plurals that are not counted: of a measure that has a singular, and of sums of money.
var measured = map[string]string{"ratings": "one", "costs": "one", "prices": "one", "scores": "one", "totals": "one", "fees": "one",
	"ages": "one", "sales": "sum", "earnings": "sum", "dollars": "sum", "profits": "sum", "revenues": "sum", "savings": "sum",
	"millions": "sum", "billions": "sum", "expenses": "sum", "assets": "sum", "details": "sum"}

// textual reports whether a declared type is one of text.
func textual(declared string) bool {
	declared = strings.ToUpper(declared)
	return strings.Contains(declared, "CHAR") || strings.Contains(declared, "TEXT") || declared == ""
}

// isKey reports whether a column alone is the key of its table: it is declared so, or is called so, as business_id is in
// business.
func (e *entity) isKey(column string) bool {
	if e.isDeclared(column) {
		return true
	}
	name := folded(column)
	return name == folded(e.one())+"id" || name == folded(e.table.Name)+"id" || name == "id" && len(e.table.PrimaryKey) == 0
}

// folded returns a name in small letters alone.
func folded(s string) string {
	return strings.NewReplacer("_", "", " ", "").Replace(strings.ToLower(s))
}

// isDeclared reports whether a column alone is the declared key of a table.
func (e *entity) isDeclared(column string) bool {
	pk := e.table.PrimaryKey
	return len(pk) == 1 && strings.EqualFold(pk[0], column)
}

// target returns the table that a column refers to, or nil.
func (t *teller) target(e *entity, column string) *schema.Table {
	for _, k := range t.db.ForeignKeys {
		if strings.EqualFold(k.Table, e.table.Name) && strings.EqualFold(k.Column, column) && !strings.EqualFold(k.RefTable, k.Table) {
			return t.db.Table(k.RefTable)
		}
	}
	return nil
}

// idWords are the words at the end of a key's name that say no more than that it is a key.
var idWords = map[string]bool{"id": true, "ids": true, "code": true, "key": true, "number": true, "no": true, "num": true}

// thing names what a column that is a key stands for: "customer" for orders.customer_id and for customers.customer_id,
// "start station" for trips.start_station_id. It is empty for a column that is no key.
func (t *teller) thing(e *entity, column string) string {
	if e.isKey(column) && t.target(e, column) == nil {
		return e.one()
	}
	to := t.target(e, column)
	if to == nil {
		return ""
	}
	name := rowWords(to)
	as := role(english.Words(column))
	if rest, ok := strings.CutSuffix(as, " "+english.Words(t.referred(e, column))); ok {
		as = rest + " " + name // src_apid
	}
	if as != "" && as != "name" && t.roles(e, &entity{table: to}) > 1 || strings.HasSuffix(as, " "+name) && !strings.HasSuffix(name, as) {
		return as
	}
	return name
}

// role returns the words of a key without those that say no more than that it is one.
func role(words string) string {
	list := strings.Fields(words)
	for len(list) > 1 && idWords[list[len(list)-1]] {
		list = list[:len(list)-1]
	}
	return strings.Join(list, " ")
}

// referred returns the column that a column refers to.
func (t *teller) referred(e *entity, column string) string {
	for _, k := range t.db.ForeignKeys {
		if strings.EqualFold(k.Table, e.table.Name) && strings.EqualFold(k.Column, column) && !strings.EqualFold(k.RefTable, k.Table) {
			return k.RefColumn
		}
	}
	return ""
}

// roles returns how many columns of a table refer to another.
func (t *teller) roles(e, to *entity) int {
	n := 0
	for _, k := range t.db.ForeignKeys {
		if strings.EqualFold(k.Table, e.table.Name) && strings.EqualFold(k.RefTable, to.table.Name) {
			n++
		}
	}
	return n
}

// plays reports whether rows of a table refer to those of another in more roles than one: by two columns that hold the
// same column of it, which those of a key of two columns do not.
func (t *teller) plays(e, to *entity) bool {
	most, of := 0, map[string]int{}
	for _, k := range t.db.ForeignKeys {
		if strings.EqualFold(k.Table, e.table.Name) && strings.EqualFold(k.RefTable, to.table.Name) {
			key := strings.ToLower(k.RefColumn)
			of[key]++
			most = max(most, of[key])
		}
	}
	return most > 1
}

// plain is a value that reads well without quotes.
var plain = regexp.MustCompile(`^[\pL\d][\pL\d.,:&+'/-]*( [\pL\d.,:&+'/-]+){0,5}$`)

// literal words a value as a question says it.
func literal(e *tree.Expr) string {
	switch {
	case e.Lit == tree.Null:
		return ""
	case e.Lit != tree.String:
		return e.Name
	}
	return quoted(e.Name)
}

func quoted(value string) string {
	value = strings.TrimSpace(value)
	if plain.MatchString(value) && !glue[strings.ToLower(value)] && (!strings.Contains(value, " ") || titled(value)) {
		return value
	}
	return `"` + strings.ReplaceAll(value, `"`, `'`) + `"`
}

// titled reports whether no word but the first of a value begins with a small letter.
func titled(value string) bool {
	for _, w := range strings.Fields(value)[1:] {
		if r, _ := utf8.DecodeRuneInString(w); unicode.IsLower(r) {
			return false
		}
	}
	return true
}

// glue has the values that would read as a part of the sentence.
var glue = map[string]bool{"and": true, "or": true, "not": true, "null": true, "no": true, "yes": true, "none": true, "a": true}

// timely reports whether values of a column are points in time, which are after and before each other.
func timely(words string) bool {
	for _, m := range maths {
		if strings.HasPrefix(words, m[0]) {
			return false
		}
	}
	if strings.HasPrefix(words, "date ") {
		return true
	}
	list := strings.Fields(words)
	if n := len(list); n > 1 && list[n-1] == "time" && durations[list[n-2]] {
		return false
	}
	switch words[strings.LastIndexByte(words, ' ')+1:] {
	case "year", "date", "time", "day", "month", "datetime", "timestamp", "birthday", "start", "end", "opened", "founded":
		return true
	}
	return false
}

// durations has the words before "time" with which it is no point in time.
var durations = map[string]bool{"lap": true, "finish": true, "response": true, "running": true, "run": true, "travel": true,
	"playing": true, "play": true, "delivery": true, "waiting": true, "flight": true, "prothrombin": true, "thromboplastin": true,
	"fastest": true, "best": true, "total": true, "average": true, "mean": true, "max": true, "min": true}

// superlative returns the word for the largest or smallest value of a column.
func superlative(words string, largest bool) string {
	switch {
	case timely(words) && largest:
		return "latest"
	case timely(words):
		return "earliest"
	case largest:
		return "highest"
	}
	return "lowest"
}
