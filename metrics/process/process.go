// Package process judges the steps of a decomposition: sub-questions, the columns that each names, and the SQL of each.
//
// A [Step] says what a completion has and what running its SQL gave; [Judge] compares all steps of an answer with the gold
// query, in order, and returns a [Mark] for each. Two things have no gold of their own, and are judged by what the final
// gold query uses: a sub-question's SQL, which should run and read no table but the gold query's, and a list of columns,
// which should name the gold query's columns and no others. So an error here is a departure from the gold query, and not a
// proof that the step is wrong: a right query may read other tables. The package must never run a query or read prose.
package process

import (
	"slices"
	"strings"

	"assay/metrics"
	"assay/metrics/linking"
	"assay/prompting/sql/schema"
	"assay/prompting/sql/tree"
)

// The states of a step's SQL besides those of metrics.Status (no-sql, sql-error, sql-timeout, rejected).
const (
	Ran     metrics.Status = "ran"      // it returned rows
	Empty   metrics.Status = "empty"    // it ran and returned none
	NotRun  metrics.Status = "not-run"  // the database is not there, so that nothing can be said
	Unasked metrics.Status = "no-query" // the step has no SQL, and is not asked for any
)

// The errors of a step, in the order in which the first that applies is named.
const (
	Fails   = "fails"   // its SQL does not run, or is missing where it was asked for
	Unknown = "unknown" // it names a table or column that the database does not have
	Outside = "outside" // it names a column that the gold query does not use; of SQL: reads a table that the gold query does not
	Lacking = "lacking" // the last list of columns: a column of the gold query stands in none of them
)

// Errors are all errors, in that order.
var Errors = []string{Fails, Unknown, Outside, Lacking}

// Step is one step, in the order of its completion.
type Step struct {
	Columns string // "table (column, ...), table (column)"; empty where it names none
	SQL     string
	Status  metrics.Status // of SQL
	Final   bool           // it answers the question itself, so that it is judged as the answer and not as a step
}

// Mark is the verdict on a step. Columns are counted once each, letter case aside; Named and Hit are 0 where the step names
// no column, which differs from naming wrong ones.
type Mark struct {
	Named, Hit           int // columns that the step names, or its SQL reads; those of them that the gold query uses
	AllNamed, AllHit     int // the same of this step and all before it
	Gold                 int // columns that the gold query uses
	Outside, Missing     []schema.ColumnName
	UnknownNames         []string // of tables and columns, as written
	Error                string   // one of Errors; empty for none
	Listed               bool     // the step lists columns
	Judged               bool     // false where the gold query does not parse: there are no counts, and no error but Fails
	outsideTable, failed bool
}

// Precision is the share, 0 to 1, of the columns named by the step that the gold query uses; false where it names none.
func (m Mark) Precision() (float64, bool) { return share(m.Hit, m.Named) }

// Recall is the share, 0 to 1, of the gold query's columns that the steps up to this one name; false where it uses none.
func (m Mark) Recall() (float64, bool) { return share(m.AllHit, m.Gold) }

func share(part, whole int) (float64, bool) {
	if whole == 0 {
		return 0, false
	}
	return float64(part) / float64(whole), true
}

// Judge returns the marks of an answer's steps, one for each. db is the whole database.
func Judge(steps []Step, gold string, db *schema.Database) []Mark {
	out := make([]Mark, len(steps))
	g, err := linking.Of(gold, db)
	j := judge{gold: g, db: db, named: map[schema.ColumnName]bool{}, uses: map[schema.ColumnName]bool{}, known: err == nil && db != nil}
	for _, c := range g.Columns {
		j.uses[c.Folded()] = true
	}
	last := -1
	for i, s := range steps {
		out[i] = j.mark(s)
		if out[i].Listed {
			last = i
		}
	}
	if last >= 0 && j.known {
		out[last].Missing = slices.DeleteFunc(slices.Clone(g.Columns), func(c schema.ColumnName) bool { return j.named[c.Folded()] })
	}
	for i := range out {
		out[i].Error = out[i].error()
		out[i].Judged = j.known
	}
	return out
}

// error names the first error that applies.
func (m Mark) error() string {
	switch {
	case m.failed:
		return Fails
	case len(m.UnknownNames) > 0:
		return Unknown
	case m.outsideTable, m.Listed && len(m.Outside) > 0:
		return Outside
	case len(m.Missing) > 0:
		return Lacking
	}
	return ""
}

// judge holds the gold query and what the steps so far have named.
type judge struct {
	gold  linking.Gold
	db    *schema.Database
	uses  map[schema.ColumnName]bool // the gold query's columns, folded
	named map[schema.ColumnName]bool // so far, folded
	hit   int
	known bool
}

func (j *judge) mark(s Step) (m Mark) {
	m.failed = slices.Contains([]metrics.Status{metrics.SQLError, metrics.SQLTimeout, metrics.Rejected, metrics.NoSQL}, s.Status)
	m.Listed = s.Columns != ""
	if !j.known {
		return m
	}
	var tables []string
	var columns []schema.ColumnName
	if m.Listed {
		tables, columns, m.UnknownNames = Columns(s.Columns, j.db)
	} else if s.SQL != "" {
		tables, columns = read(s.SQL, j.db)
	}
	j.count(&m, columns)
	m.outsideTable = !s.Final && slices.ContainsFunc(tables, func(t string) bool {
		return !slices.ContainsFunc(j.gold.Tables, func(g string) bool { return strings.EqualFold(t, g) })
	})
	return m
}

// count counts the columns of a step, and adds them to those so far.
func (j *judge) count(m *Mark, columns []schema.ColumnName) {
	own := map[schema.ColumnName]bool{}
	for _, c := range columns {
		key := c.Folded()
		if own[key] {
			continue
		}
		own[key] = true
		m.Named++
		if j.uses[key] {
			m.Hit++
		} else {
			m.Outside = append(m.Outside, c)
		}
		if !j.named[key] {
			j.named[key] = true
			if j.uses[key] {
				j.hit++
			}
		}
	}
	m.AllNamed, m.AllHit, m.Gold = len(j.named), j.hit, len(j.gold.Columns)
}

// read returns what a query reads of the database; nothing of one that does not parse.
func read(sql string, db *schema.Database) (tables []string, columns []schema.ColumnName) {
	if tree.Oversize(sql) != nil {
		return nil, nil
	}
	used, err := linking.Of(sql, db)
	if err != nil {
		return nil, nil
	}
	return used.Tables, used.Columns
}
