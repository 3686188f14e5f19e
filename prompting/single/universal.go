package single

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"assay/prompting/sql/schema"
)

// blanks are schema elements that fill a universal template: one table, up to three of its columns, a value.
type blanks struct {
	table      string
	a, b       string // two different columns
	number     string // one that holds numbers; empty where there is none
	value      string // of a, as SQL
	said       string // the value as a question says it
	limit      int
	sa, sb, st string // the names as a question says them: a, b, table
	sn         string // number
}

// universal are templates that fit any table: one table, no nesting, three columns at most, as CodeS (Li et al. 2024b)
// has them. The wording is assay's own. Those that need a number or a value are passed over where there is none.
var universal = []func(b blanks) (question, sql string){
	func(b blanks) (string, string) {
		return fmt.Sprintf("How many %s are there?", b.st), "SELECT count(*) FROM " + b.table
	},
	func(b blanks) (string, string) {
		return fmt.Sprintf("List the %s of all %s.", b.sa, b.st), fmt.Sprintf("SELECT %s FROM %s", b.a, b.table)
	},
	func(b blanks) (string, string) {
		return fmt.Sprintf("What different values of %s do the %s have?", b.sa, b.st), fmt.Sprintf("SELECT DISTINCT %s FROM %s", b.a, b.table)
	},
	func(b blanks) (string, string) {
		return fmt.Sprintf("Show the %s and the %s of each of the %s.", b.sa, b.sb, b.st), fmt.Sprintf("SELECT %s, %s FROM %s", b.a, b.b, b.table)
	},
	func(b blanks) (string, string) {
		return withValue(b, fmt.Sprintf("What is the %s of the %s whose %s is %s?", b.sb, b.st, b.sa, b.said), fmt.Sprintf("SELECT %s FROM %s WHERE %s = %s", b.b, b.table, b.a, b.value))
	},
	func(b blanks) (string, string) {
		return withValue(b, fmt.Sprintf("How many %s have a %s other than %s?", b.st, b.sa, b.said), fmt.Sprintf("SELECT count(*) FROM %s WHERE %s != %s", b.table, b.a, b.value))
	},
	func(b blanks) (string, string) {
		return fmt.Sprintf("For each %s, how many %s are there?", b.sa, b.st), fmt.Sprintf("SELECT %s, count(*) FROM %s GROUP BY %s", b.a, b.table, b.a)
	},
	func(b blanks) (string, string) {
		return fmt.Sprintf("Which %s do more than %d of the %s share?", b.sa, b.limit, b.st), fmt.Sprintf("SELECT %s FROM %s GROUP BY %s HAVING count(*) > %d", b.a, b.table, b.a, b.limit)
	},
	func(b blanks) (string, string) {
		return fmt.Sprintf("Which %s is the commonest among the %s?", b.sa, b.st), fmt.Sprintf("SELECT %s FROM %s GROUP BY %s ORDER BY count(*) DESC LIMIT 1", b.a, b.table, b.a)
	},
	func(b blanks) (string, string) {
		return withNumber(b, fmt.Sprintf("What are the average, the smallest and the largest %s of the %s?", b.sn, b.st), fmt.Sprintf("SELECT avg(%s), min(%s), max(%s) FROM %s", b.number, b.number, b.number, b.table))
	},
	func(b blanks) (string, string) {
		return withNumber(b, fmt.Sprintf("Give the %s of the %d %s with the highest %s.", b.sa, b.limit, b.st, b.sn), fmt.Sprintf("SELECT %s FROM %s ORDER BY %s DESC LIMIT %d", b.a, b.table, b.number, b.limit))
	},
	func(b blanks) (string, string) {
		return withNumber(b, fmt.Sprintf("What is the total %s for each %s?", b.sn, b.sa), fmt.Sprintf("SELECT %s, sum(%s) FROM %s GROUP BY %s", b.a, b.number, b.table, b.a))
	},
}

func withValue(b blanks, question, sql string) (string, string) {
	if b.value == "" {
		return "", ""
	}
	return question, sql
}

func withNumber(b blanks, question, sql string) (string, string) {
	if b.number == "" {
		return "", ""
	}
	return question, sql
}

// fill makes n examples of the universal templates, or as many different ones as a bounded number of draws gives.
func fill(db *schema.Database, n int, r *rand.Rand) []Example {
	if len(db.Tables) == 0 {
		return nil
	}
	var out []Example
	seen := repeats{}
	for try := 0; len(out) < n && try < 20*n; try++ {
		t := db.Tables[r.IntN(len(db.Tables))]
		if len(t.Columns) == 0 {
			continue
		}
		if q, sql := universal[r.IntN(len(universal))](drawn(t, r)); q != "" && !seen.has(Example{q, sql}) {
			out = append(out, Example{q, sql})
		}
	}
	return out
}

// drawn chooses the elements of one table.
func drawn(t schema.Table, r *rand.Rand) blanks {
	order := r.Perm(len(t.Columns))
	first, second := t.Columns[order[0]], t.Columns[order[len(order)-1]]
	b := blanks{table: schema.Quote(t.Name), st: said(t.Name, ""), limit: 1 + r.IntN(5),
		a: schema.Quote(first.Name), sa: said(first.Name, first.Meaning), b: schema.Quote(second.Name), sb: said(second.Name, second.Meaning)}
	if n := len(first.Samples); n > 0 {
		b.said = oneWord(first.Samples[r.IntN(n)])
		b.value = "'" + strings.ReplaceAll(b.said, "'", "''") + "'"
		if numeric(first.Type) {
			b.value = b.said
		}
		if len(b.said) > 60 || !slices.Contains(first.Samples, b.said) || numeric(first.Type) && strings.Trim(b.said, "0123456789.-") != "" {
			b.value = ""
		}
	}
	for _, i := range order {
		if c := t.Columns[i]; numeric(c.Type) && i != order[0] && !slices.Contains(t.PrimaryKey, c.Name) {
			b.number, b.sn = schema.Quote(c.Name), said(c.Name, c.Meaning)
			break
		}
	}
	return b
}

func oneWord(s string) string { return strings.Join(strings.Fields(s), " ") }

// said is a name as a question says it.
func said(name, meaning string) string {
	if meaning != "" {
		name = meaning
	}
	return strings.ToLower(oneWord(strings.ReplaceAll(name, "_", " ")))
}

// numeric says whether a declared type has numeric affinity by name.
func numeric(declared string) bool {
	d := strings.ToUpper(declared)
	for _, w := range []string{"INT", "REAL", "FLOA", "DOUB", "NUM", "DEC"} {
		if strings.Contains(d, w) {
			return true
		}
	}
	return false
}
