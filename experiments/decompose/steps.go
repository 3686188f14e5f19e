package decompose

import (
	"strings"

	"assay/prompting/sql/schema"
	"assay/prompting/sql/tree"
)

// Step is a question with the SQL that answers it.
type Step struct{ Question, SQL string }

// mostSteps bounds a decomposition: four steps are the most that people annotate.
const mostSteps = 4

// mostTokens bounds the statements that are decomposed.
const mostTokens = 1000

// Steps returns the steps that lead to a query, each of use for one after it; the last is the question and the query
// themselves. The order is that of execution: what is nested first, the sides of a set operation one by one, the
// restriction of another table before the join, the groups before what is asked of them, the largest value before the
// row that has it. A query over one table with one clause is a single step. Refusal is nil, or says why the rules find
// steps but have no wording for any.
func Steps(question, sql string, db *schema.Database) ([]Step, *Refusal) {
	t, refused := read(sql, db)
	if refused != nil {
		return nil, refused
	}
	final := Step{Question: question, SQL: sql}
	var out []Step
	first := (*Refusal)(nil)
	seen := map[string]bool{normal(sql): true}
	for _, q := range t.plan(t.stmt.Query, 0) {
		step, refused := t.step(q)
		if refused != nil {
			if first == nil {
				first = refused
			}
			continue
		}
		if key := normal(step.SQL); !seen[key] && !seen[step.Question] {
			seen[key], seen[step.Question] = true, true
			out = append(out, step)
		}
	}
	if len(out) == 0 && first != nil {
		return nil, first
	}
	if n := len(out) - (mostSteps - 1); n > 0 {
		out = out[n:] // those nearest to the query
	}
	return append(out, final), nil
}

// read parses a statement that is one SELECT over a schema.
func read(sql string, db *schema.Database) (*teller, *Refusal) {
	stmt, err := tree.Parse(sql)
	switch {
	case err != nil:
		return nil, &Refusal{Reason: Unreadable, Detail: err.Error()}
	case stmt.Query == nil || len(tree.Tokens(sql)) > mostTokens:
		return nil, &Refusal{Reason: Unreadable, Detail: sql}
	}
	if db == nil {
		db = &schema.Database{}
	}
	t := newTeller(stmt, db)
	for _, ref := range tree.Resolve(stmt, db) {
		if ref.Meaning == tree.UnknownColumn {
			return nil, &Refusal{Reason: Unknown, Detail: ref.Column}
		}
	}
	return t, nil
}

// normal returns a text by which queries are compared.
func normal(sql string) string {
	if stmt, err := tree.Parse(sql); err == nil {
		return strings.ToLower(stmt.Print())
	}
	return sql
}

// step words a query and writes its SQL.
func (t *teller) step(q *tree.Query) (Step, *Refusal) {
	question, refused := t.question(q)
	if refused != nil {
		return Step{}, refused
	}
	sql := flatten(t.print(q))
	if _, err := tree.Parse(sql); err != nil {
		return Step{}, &Refusal{Reason: Expression, Detail: sql}
	}
	return Step{Question: question, SQL: sql}, nil
}

// plan returns the queries that come before a query, in order.
func (t *teller) plan(q *tree.Query, depth int) []*tree.Query {
	if depth > mostDepth {
		return nil
	}
	var out []*tree.Query
	for _, c := range q.CTEs {
		out = append(append(out, t.plan(c.Query, depth+1)...), c.Query)
	}
	if len(q.Arms) > 1 {
		for _, arm := range q.Arms {
			side := &tree.Query{Arms: []*tree.Select{arm}}
			out = append(append(out, t.nested(arm, depth)...), side)
		}
		return out
	}
	out = append(out, t.nested(q.Arms[0], depth)...)
	return append(out, t.cut(q)...)
}

// nested returns the queries that an arm holds, each after those that lead to it.
func (t *teller) nested(arm *tree.Select, depth int) []*tree.Query {
	var out []*tree.Query
	for _, q := range inside(arm) {
		out = append(append(out, t.plan(q, depth+1)...), q)
	}
	return out
}

// inside returns the queries directly inside an arm, in the order of the text.
func inside(arm *tree.Select) []*tree.Query {
	var out []*tree.Query
	tree.Walk(&tree.Query{Arms: []*tree.Select{arm}}, tree.Visitor{Query: func(q *tree.Query, depth int) {
		if depth == 1 {
			out = append(out, q)
		}
	}})
	return out
}
