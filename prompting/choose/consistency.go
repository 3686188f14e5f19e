package choose

import (
	"context"
	"fmt"
	"strings"

	"assay/prompting"
	"assay/prompting/outcome"
	"assay/prompting/sql/engine"

	"assay/prompting/sql/tree"
)

// voting is one published form of self-consistency: which candidates agree, and which member of the largest group is
// the answer. Of groups as large the one formed first counts, in all of them.
type voting struct {
	prepare func(sql string) string             // what is run in the candidate's place; nil: its SQL
	digest  func(*engine.Result) string         // results with equal digests agree
	better  func(a, b prompting.Candidate) bool // a goes before b, which is earlier; nil: the first member
	said    string                              // how the member is chosen, for the note
}

// The three forms. Columns count in their order in all of them, as in the sandbox's digests.
var (
	// dail is DAIL-SQL's: rows in any order, DISTINCT removed before the query is run.
	dail = voting{prepare: withoutDistinct, digest: (*engine.Result).MultisetDigest, said: "its first"}
	// chess is CHESS's: rows as a set, the shortest SQL.
	chess = voting{digest: (*engine.Result).SetDigest, said: "its shortest",
		better: func(a, b prompting.Candidate) bool { return len(a.SQL) < len(b.SQL) }}
	// plain is the baseline of CHASE-SQL, where any member will do.
	plain = voting{digest: (*engine.Result).MultisetDigest, said: "its first"}
)

// consistency picks from the largest group of candidates whose results agree. A query that does not run has no vote.
type consistency struct {
	setup
	voting
}

// Choose runs every candidate, equal ones once.
func (c *consistency) Choose(ctx context.Context, q prompting.Question, cs []prompting.Candidate) (Choice, error) {
	choice, pool, done := start(c.rule, cs)
	if done {
		return choice, ctx.Err()
	}
	digests := map[string]string{} // by SQL; empty where it does not run
	var groups [][]int
	at := map[string]int{} // a digest's group
	votes := 0
	for _, i := range pool {
		d, err := c.agree(ctx, q.Database, cs[i].SQL, digests)
		if err != nil {
			return Choice{}, fmt.Errorf("choose: %s %q: %w", c.rule, q.ID, err)
		}
		if d == "" {
			continue
		}
		votes++
		g, ok := at[d]
		if !ok {
			g = len(groups)
			at[d], groups = g, append(groups, nil)
		}
		groups[g] = append(groups[g], i)
	}
	if votes == 0 {
		return Choice{Index: pool[0], Note: c.rule + ": no candidate ran: the first with SQL"}, nil
	}
	return c.elect(cs, groups, votes, len(pool)-votes), nil
}

// agree returns the digest of a query's result, empty where it does not run.
func (c *consistency) agree(ctx context.Context, db engine.DB, sql string, known map[string]string) (string, error) {
	if c.prepare != nil {
		sql = c.prepare(sql)
	}
	if d, ok := known[sql]; ok {
		return d, nil
	}
	o, err := outcome.Run(ctx, c.box, db, sql)
	if err != nil {
		return "", err
	}
	d := ""
	if o.OK() {
		d = c.digest(o.Result)
	}
	known[sql] = d
	return d, nil
}

// elect picks the member of the largest group.
func (c *consistency) elect(cs []prompting.Candidate, groups [][]int, votes, silent int) Choice {
	var most []int
	ties := 0
	for _, g := range groups {
		switch {
		case len(g) > len(most):
			most, ties = g, 1
		case len(g) == len(most):
			ties++
		}
	}
	pick := most[0]
	for _, i := range most[1:] {
		if c.better != nil && c.better(cs[i], cs[pick]) {
			pick = i
		}
	}
	note := fmt.Sprintf("%s: %s of %d that agree, of %s in %s", c.rule, c.said, len(most), counted(votes, "vote"), counted(len(groups), "group"))
	if ties > 1 {
		note += fmt.Sprintf("; %d groups are as large, and the first counts", ties)
	}
	if silent > 0 {
		note += fmt.Sprintf("; %d did not run", silent)
	}
	return Choice{Index: pick, Note: note}
}

// counted returns a number with its noun.
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// withoutDistinct removes every DISTINCT of a query, those of aggregates too, as the official evaluator of test suites
// does. The DISTINCT of IS DISTINCT FROM is another word and stays.
func withoutDistinct(sql string) string {
	var b strings.Builder
	from, before := 0, ""
	for _, t := range tree.Tokens(sql) {
		if t.Keyword == "DISTINCT" && before != "IS" && before != "NOT" {
			b.WriteString(sql[from:t.Start])
			from = t.End
		}
		before = t.Keyword
	}
	return b.String() + sql[from:]
}
