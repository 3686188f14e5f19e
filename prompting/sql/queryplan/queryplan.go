// Package queryplan describes SQLite's plan of a query in numbered steps that a person can read.
//
// The steps come from what SQLite would execute, not from the SQL. [Steps] asks the sandbox for an explanation: EXPLAIN
// lists the program of SQLite's virtual machine, and EXPLAIN QUERY PLAN annotates its loops, sub-queries and temporary
// b-trees, at known addresses. [Read] then walks the program once. It follows registers from constants and columns to
// comparisons, aggregates and result rows, so that a step names what it handles: T1.Year, 2014, count(*). [Plan.Text]
// prints the steps for a prompt.
//
// A plan depends on the SQL, the tables, columns and indexes, and on ANALYZE's statistics where the file has them. It
// depends neither on the number of rows otherwise nor on their values. Another version of SQLite may choose another
// plan. The package must never run the query, and it omits what it does not understand rather than guess or fail.
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
	Preparation []string `json:"preparation"` // the tables opened and what is read of them, the values looked for, storage for sorting
	Matching    []string `json:"matching"`    // scans, searches, conditions, groups, aggregates, sub-queries, set operations
	Delivering  []string `json:"delivering"`  // the columns returned, their order, how many rows
}

// Steps returns the plan of the statement sql on a database, without running it. It wraps the errors of
// [sandbox.Box.Explain].
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

// Read converts an explanation to a plan. It never fails: it leaves out what it does not understand.
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

// Text returns the plan as a prompt shows it: each part under its heading, with its steps numbered from 1.
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

// Len returns the number of steps of all parts.
func (p Plan) Len() int { return len(p.Preparation) + len(p.Matching) + len(p.Delivering) }
