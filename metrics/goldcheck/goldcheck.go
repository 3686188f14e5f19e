// Package goldcheck tests gold queries before they judge.
//
// [Check] parses every gold query, runs it on its original database and on its suite, applies the rules to its tree and
// its result, and returns one [Finding] per problem. [Instabilities] is the part that other packages need: it tests
// whether a result depends on choices that SQLite is free to make. [ReadOverrides] reads a person's decisions about
// gold queries that are wrong. The package must never change a gold query by itself.
package goldcheck

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"assay/configs/input"
	"assay/metrics"
	"assay/prompting/sql/engine"
	"assay/prompting/sql/sandbox"
	"assay/prompting/sql/tree"
)

// Severity says how bad a finding is for a score.
type Severity string

// The severities.
const (
	Fatal Severity = "fatal" // the gold query cannot judge
	Risk  Severity = "risk"  // a right prediction may be called wrong, or a wrong one right
	Note  Severity = "note"  // worth a look
)

// Finding is one problem of one gold query.
type Finding struct {
	Item     string   `json:"item"`
	Rule     string   `json:"rule"` // a Rule.ID
	Severity Severity `json:"severity"`
	Text     string   `json:"text"` // one line for a person
}

// Rule is a line of the table of rules.
type Rule struct {
	ID       string   `json:"id"`
	Severity Severity `json:"severity"`
	Doc      string   `json:"doc"` // one sentence
}

// The ids of the rules, in the order of rules.
const (
	ruleNoDatabase   = "no-database"
	ruleError        = "error"
	ruleTimeout      = "timeout"
	ruleUnread       = "unread"
	ruleEmpty        = "empty"
	ruleSlow         = "slow"
	ruleLimitTie     = "limit-tie"
	ruleLimitAlone   = "limit-without-order"
	ruleOrderTie     = "order-tie"
	ruleBareColumn   = "bare-column"
	ruleVolatile     = "volatile"
	ruleNullsFirst   = "nulls-first"
	ruleTextNumber   = "text-with-number"
	ruleNumberText   = "number-with-text"
	ruleTextOrder    = "numbers-as-text"
	ruleDuplicates   = "duplicates"
	ruleSelectedKey  = "selected-key"
	ruleSelectedSame = "selected-constant"
)

// rules is every rule. Check reports findings of an item in this order. Whether a gold query selects a column that the
// question does not ask for cannot be checked, because a Case has no question; the notes selected-key and
// selected-constant approximate it.
var rules = []Rule{
	{ruleNoDatabase, Fatal, "The dataset has no database for the gold query, so it was only parsed."},
	{ruleError, Fatal, "The gold query fails on the original database, or on one of the suite."},
	{ruleTimeout, Fatal, "The gold query meets the deadline or another limit."},
	{ruleUnread, Note, "The SQL tree cannot parse the gold query, so the rules that need the tree do not apply."},
	{ruleEmpty, Risk, "The gold query returns no rows on any database: every prediction that returns none is right."},
	{ruleSlow, Note, "The gold query takes more than 100 ms, and 20 times as long as the median gold query of its database."},
	{ruleLimitTie, Risk, "LIMIT cuts between rows that ORDER BY treats as equal, so which of them are returned is SQLite's choice."},
	{ruleLimitAlone, Risk, "LIMIT without ORDER BY leaves out rows, so which are returned is SQLite's choice."},
	{ruleOrderTie, Risk, "ORDER BY leaves rows of different content tied, so their order is SQLite's choice."},
	{ruleBareColumn, Risk, "A column outside of aggregates varies within its group, so its value is SQLite's choice."},
	{ruleVolatile, Risk, "The gold query calls a function whose value changes from run to run, or with the clock."},
	{ruleNullsFirst, Risk, "An ascending ORDER BY under LIMIT returns rows whose key is NULL, which SQLite puts first."},
	{ruleTextNumber, Note, "A text column is compared with a number, which SQLite then compares as a text: '5.0' is not 5."},
	{ruleNumberText, Note, "A numeric column that holds no text is compared with a text that is not a number, so the storage classes decide."},
	{ruleTextOrder, Risk, "A text column that holds numbers is ordered or compared by size, so '10' comes before '9'."},
	{ruleDuplicates, Note, "The result has repeated rows, and the gold query has no DISTINCT."},
	{ruleSelectedKey, Note, "The key that the gold query sorts by is selected too, after other columns: was it asked for?"},
	{ruleSelectedSame, Note, "A selected column is fixed by an equality in WHERE, so it has no information: was it asked for?"},
}

// Rules lists the rules, in the order in which the findings of an item are reported.
func Rules() []Rule { return slices.Clone(rules) }

// A gold query is slow if it exceeds both: a time, and a multiple of the median of its database.
const (
	slowLeast = 100 * time.Millisecond
	slowTimes = 20
)

// Check runs the gold queries of the cases and reports what the rules find, in the order of the cases. Cases that share
// a database and a gold query are run once and reported separately. All rules but "slow" and "timeout" are
// deterministic. A box that truncates results hides problems in the rows that it leaves out.
func Check(ctx context.Context, box *sandbox.Box, cases []metrics.Case) ([]Finding, error) {
	c := &checker{box: box, shapes: map[engine.DB]*shape{}}
	known := map[key]*report{}
	for _, cs := range cases {
		key := keyOf(cs)
		if known[key] != nil {
			continue
		}
		r, err := c.check(ctx, cs)
		if err != nil {
			return nil, fmt.Errorf("goldcheck: check %q: %w", cs.Item, err)
		}
		known[key] = r
	}
	markSlow(known)
	var out []Finding
	for _, cs := range cases {
		r := known[keyOf(cs)]
		for _, rule := range rules {
			for _, text := range r.found[rule.ID] {
				out = append(out, Finding{Item: cs.Item, Rule: rule.ID, Severity: rule.Severity, Text: text})
			}
		}
	}
	return out, nil
}

// key identifies cases that are checked once: equal databases, suites and gold queries.
type key struct {
	db          engine.DB
	suite, gold string
}

func keyOf(cs metrics.Case) key {
	k := key{db: cs.Database, gold: cs.Gold}
	for _, db := range cs.Suite {
		k.suite += db.Source + "\n"
	}
	return k
}

// report has the findings of one gold query.
type report struct {
	db    engine.DB
	took  time.Duration
	found map[string][]string // by rule
}

func (r *report) add(rule, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if !slices.Contains(r.found[rule], text) {
		r.found[rule] = append(r.found[rule], text)
	}
}

// checker is one call of Check.
type checker struct {
	box    *sandbox.Box
	shapes map[engine.DB]*shape
}

func (c *checker) check(ctx context.Context, cs metrics.Case) (*report, error) {
	r := &report{db: cs.Database, found: map[string][]string{}}
	stmt, err := tree.Parse(cs.Gold)
	if err != nil {
		r.add(ruleUnread, "%v", errors.Unwrap(err))
	}
	if cs.Database.None() {
		r.add(ruleNoDatabase, "no database %s", cs.DB)
		return r, nil
	}
	res, err := c.runAll(ctx, cs, r)
	if err != nil || res == nil || stmt == nil || stmt.Query == nil {
		return r, err
	}
	shape, err := c.shape(ctx, cs.Database)
	if err != nil {
		return nil, err
	}
	l := &lint{ctx: ctx, box: c.box, db: cs.Database, stmt: stmt, shape: shape, result: res, report: r}
	return r, l.run()
}

// runAll runs the gold query on every database. The result is that on the original, nil where it failed there.
func (c *checker) runAll(ctx context.Context, cs metrics.Case, r *report) (*engine.Result, error) {
	var first *engine.Result
	empty, failed := true, false
	for _, db := range cs.Databases() {
		res, err := c.box.Run(ctx, db, cs.Gold)
		if err != nil {
			e, ok := errors.AsType[*engine.Error](err)
			if !ok || ctx.Err() != nil {
				return nil, err
			}
			switch e.Kind {
			case engine.Timeout:
				r.add(ruleTimeout, "%s: %v", db.Label(), e.Err)
			case engine.Unavailable:
				r.add(ruleNoDatabase, "database %s cannot be read: %v", db.Label(), input.Cause(e.Err))
			default:
				r.add(ruleError, "%s: %v", db.Label(), e.Err)
			}
			failed = true
			continue
		}
		empty = empty && len(res.Rows) == 0
		if db == cs.Database {
			first, r.took = res, res.Duration
		}
	}
	if empty && !failed {
		r.add(ruleEmpty, "no rows on %d databases", len(cs.Databases()))
	}
	return first, nil
}

// markSlow compares the gold queries of each database with one another.
func markSlow(known map[key]*report) {
	byBase := map[engine.DB][]time.Duration{}
	for _, r := range known {
		byBase[r.db] = append(byBase[r.db], r.took)
	}
	for _, took := range byBase {
		slices.Sort(took)
	}
	for _, r := range known {
		median := byBase[r.db][len(byBase[r.db])/2]
		if r.took > slowLeast && r.took > slowTimes*median {
			r.add(ruleSlow, "%s, the median gold %s", r.took.Round(time.Millisecond), median.Round(time.Microsecond))
		}
	}
}

// RuleCount is how often a rule found something.
type RuleCount struct {
	Rule
	Findings int     `json:"findings"`
	Items    int     `json:"items"`
	First    Finding `json:"first"` // zero where there is none
}

// ByRule counts findings, in the order of the rules.
func ByRule(findings []Finding) []RuleCount {
	var out []RuleCount
	for _, rule := range rules {
		c := RuleCount{Rule: rule}
		items := map[string]bool{}
		for _, f := range findings {
			if f.Rule != rule.ID {
				continue
			}
			if c.Findings++; c.Findings == 1 {
				c.First = f
			}
			items[f.Item] = true
		}
		c.Items = len(items)
		out = append(out, c)
	}
	return out
}
