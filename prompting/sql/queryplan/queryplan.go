// Package queryplan tells SQLite's plan of a query in numbered steps a person can read.
//
// The steps are read from what SQLite would run, not from the SQL: EXPLAIN gives the program of its virtual machine,
// and EXPLAIN QUERY PLAN the loops, sub-queries and temporary b-trees in it, at known addresses. Registers are
// followed from constants and columns to comparisons, aggregates and result rows, so that a step names what it
// handles: T1.Year, 2014, count(*).
//
// A plan depends on the SQL, the tables, columns and indexes, and on ANALYZE's statistics where the file has them; it
// does not depend on how many rows there are otherwise, nor on their values. Another version of SQLite may plan
// otherwise.
package queryplan

import (
	"context"
	"fmt"
	"strings"

	"assay/prompting/sql/engine"
	"assay/prompting/sql/sandbox"
)

// Plan is a query's plan in the three parts of Pourreza et al. 2025 (CHASE-SQL, section 3.2, query plan chain of
// thought), each a list of sentences.
type Plan struct {
	Preparation []string `json:"preparation"` // the tables opened and what is read of them, the values looked for, room for sorting
	Matching    []string `json:"matching"`    // scans, searches, conditions, groups, aggregates, sub-queries, set operations
	Delivering  []string `json:"delivering"`  // the columns returned, their order, how many rows
}

// Steps explains the statement sql on a database, without running it. Its errors are those of
// [sandbox.Box.Explain], wrapped.
func Steps(ctx context.Context, box *sandbox.Box, db engine.DB, sql string) (Plan, error) {
	x, err := box.Explain(ctx, db, sql)
	if err != nil {
		return Plan{}, fmt.Errorf("queryplan: explain %q: %w", shorten(sql), err)
	}
	return Read(x), nil
}

func shorten(sql string) string {
	const most = 80
	if r := []rune(sql); len(r) > most {
		return string(r[:most]) + "..."
	}
	return sql
}

// Read tells an explanation in steps. Where it meets what it does not know, it says less; it never fails.
func Read(x *engine.Explanation) Plan {
	r := newReader(x)
	r.walk()
	return r.plan()
}

// The headings of the three parts, as Text prints them.
const (
	headPreparation = "Preparation"
	headMatching    = "Matching, filtering and counting"
	headDelivering  = "Delivering the result"
)

// Text is the plan as a prompt shows it: each part under its heading, its steps numbered from 1.
func (p Plan) Text() string {
	var b strings.Builder
	for _, part := range []struct {
		head  string
		steps []string
	}{{headPreparation, p.Preparation}, {headMatching, p.Matching}, {headDelivering, p.Delivering}} {
		fmt.Fprintf(&b, "**%s**\n", part.head)
		for i, s := range part.steps {
			fmt.Fprintf(&b, "%d. %s\n", i+1, s)
		}
	}
	return b.String()
}

// Len is the number of steps.
func (p Plan) Len() int { return len(p.Preparation) + len(p.Matching) + len(p.Delivering) }
