// Package annotate derives the annotations of a demonstration from its SQL: a description clause by clause, the steps that
// lead to it, its division into parts, and the columns that each step newly needs.
//
// The SQL is parsed and its names are resolved against the demonstration's schema. [Fill] writes the tree out in English;
// [Derive] adds the steps and the division that package decompose cuts from it, and [Naturalness] rates how they read. What
// it writes goes into prompts, so a changed word changes requests. The package must never overwrite an annotation by a
// person, run a query, or guess at what the SQL does not say.
package annotate

import (
	"fmt"
	"strings"

	"assay/prompting/exemplar"
	"assay/prompting/sql/schema"
	"assay/prompting/sql/tree"
)

// Fill adds the annotations that a demonstration lacks, and keeps those that it has:
//
//   - CoT, if empty: the SQL described clause by clause in execution order, in one line.
//   - Columns of each step that has SQL but no columns: those that no earlier step needs. The last step's SQL is the
//     demonstration's if the step has none.
//
// A demonstration without steps stays without, and methods that show steps refuse it: [Derive] adds them. By says of what was
// added that it is a rule's. Fill fails for SQL that is not a single SELECT, and then changes
// nothing.
func Fill(d *exemplar.Demo) error {
	// Work on a copy, so that a failure halfway leaves the demonstration as it was.
	next := *d
	next.Steps = append([]exemplar.Step(nil), d.Steps...)
	if next.CoT == "" {
		text, err := describe(d.SQL, d.Schema)
		if err != nil {
			return fmt.Errorf("annotate: fill %q: %w", d.ID, err)
		}
		next.CoT, next.By.CoT = text, exemplar.Rule
	}
	added, err := fillColumns(&next)
	if err != nil {
		return fmt.Errorf("annotate: fill %q: %w", d.ID, err)
	}
	if added {
		next.By.Columns = exemplar.Rule
	}
	*d = next
	return nil
}

// fillColumns derives the columns of the steps that have none, and reports whether there were any such steps.
func fillColumns(d *exemplar.Demo) (added bool, err error) {
	known := columnSet{}
	for i := range d.Steps {
		s := &d.Steps[i]
		// Columns by a person count as known too: later steps must name only what is new after them.
		if s.Columns != "" {
			known.addText(s.Columns)
			continue
		}
		sql := s.SQL
		if sql == "" && i == len(d.Steps)-1 {
			sql = d.SQL
		}
		if sql == "" {
			continue
		}
		needed, err := Columns(sql, d.Schema)
		if err != nil {
			return false, fmt.Errorf("step %d: %w", i+1, err)
		}
		s.Columns = known.addNew(needed)
		added = true
	}
	return added, nil
}

// Columns gives the columns that a query needs, in order of first use: the spelling is the schema's, which may be nil.
// A table of which no single column is needed, as in count(*), has the column "*", as has one that is selected whole.
func Columns(sql string, db *schema.Database) ([]schema.ColumnName, error) {
	stmt, err := parse(sql)
	if err != nil {
		return nil, err
	}
	var out []schema.ColumnName
	used := map[string]bool{}
	for _, ref := range tree.Resolve(stmt, db) {
		if ref.Meaning == tree.BaseColumn {
			out = append(out, ref.ColumnName)
			used[strings.ToLower(ref.Table)] = true
		}
	}
	for _, t := range tree.Tables(stmt, db) {
		if !used[strings.ToLower(t)] {
			out = append(out, schema.ColumnName{Table: t, Column: "*"})
		}
	}
	return out, nil
}

// columnSet is what the steps so far have named: "table.column" in lower case.
type columnSet map[string]bool

// add adds a column, and reports whether it is new.
func (c columnSet) add(table, column string) (added bool) {
	key := strings.ToLower(table + "." + column)
	if c[key] {
		return false
	}
	c[key] = true
	return true
}

// addText adds the columns that a line like "table (col, col), table2 (col)" names; it ignores any other form.
func (c columnSet) addText(line string) {
	for line != "" {
		head, rest, ok := strings.Cut(line, "(")
		if !ok {
			return
		}
		inside, after, _ := strings.Cut(rest, ")")
		table := strings.Trim(head, " ,\t")
		for _, column := range strings.Split(inside, ",") {
			c.add(table, strings.TrimSpace(column))
		}
		line = after
	}
}

// addNew adds columns and gives those that are new in the form "table (col, col), table2 (col)".
func (c columnSet) addNew(list []schema.ColumnName) string {
	var tables []string
	columns := map[string][]string{}
	for _, ref := range list {
		if !c.add(ref.Table, ref.Column) {
			continue
		}
		if columns[ref.Table] == nil {
			tables = append(tables, ref.Table)
		}
		columns[ref.Table] = append(columns[ref.Table], ref.Column)
	}
	for i, t := range tables {
		tables[i] = t + " (" + strings.Join(columns[t], ", ") + ")"
	}
	return unbroken(strings.Join(tables, ", "))
}

// mostTokens bounds the statements that are described: a description of one with parts in parts repeats them.
const mostTokens = 1000

// parse parses SQL that must be a SELECT, and of a length that a demonstration has.
func parse(sql string) (*tree.Stmt, error) {
	stmt, err := tree.Parse(sql)
	if err != nil {
		return nil, err
	}
	if stmt.Query == nil {
		return nil, fmt.Errorf("%q is not a SELECT", sql)
	}
	if n := len(tree.Tokens(sql)); n > mostTokens {
		return nil, fmt.Errorf("the SQL has %d tokens, and no more than %d are described", n, mostTokens)
	}
	return stmt, nil
}
