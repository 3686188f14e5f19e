// Package decompose derives from a query the simpler queries that lead to it, each with the question that it answers.
//
// The statement is parsed and its names are resolved. A clause tells which tables are joined along which keys, and which
// conditions restrict which table; [Steps] and [Divide] cut the query into smaller ones along its structure, and every
// one of them is worded as a question. Where the rules have no true wording they refuse, with a [Reason]. What it writes
// goes into prompts, so a changed word changes requests. The package must never run a query, and never say what the
// SQL does not say.
package decompose

import (
	"fmt"
	"strings"
)

// Reason is the kind of obstacle for which a query has no derived steps or division.
type Reason string

// The reasons.
const (
	Unreadable Reason = "the SQL is not one SELECT, or too long"
	Unknown    Reason = "a name is no table or column of the schema"
	SelfJoin   Reason = "a table is joined with itself"
	Unjoined   Reason = "the joins are no tree of equal columns"
	Outer      Reason = "an outer or natural join has no plain wording"
	Derived    Reason = "a sub-query stands in place of a table"
	Grain      Reason = "what a row of the join stands for is not clear"
	Correlated Reason = "a sub-query depends on the query around it"
	Window     Reason = "a window function has no plain wording"
	Expression Reason = "an expression has no plain wording"
	Form       Reason = "a combination of clauses has no plain wording"
	Whole      Reason = "the query has no part that is a question of its own"
)

// Refusal says why the rules give no steps or no division for a query.
type Refusal struct {
	Reason Reason
	Detail string // the SQL that stands in the way, or the parser's message; may be empty
}

// Error returns the reason with the SQL that it is about.
func (r *Refusal) Error() string {
	if r.Detail == "" {
		return string(r.Reason)
	}
	const most = 120 // a name or literal may be a megabyte
	detail := strings.Join(strings.Fields(r.Detail[:min(len(r.Detail), 4*most)]), " ")
	if runes := []rune(detail); len(runes) > most {
		detail = string(runes[:most]) + "..."
	}
	return fmt.Sprintf("%s: %s", r.Reason, detail)
}
