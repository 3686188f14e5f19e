// Package linking measures schema linking: the columns and values chosen for a question against those that its gold
// query uses.
//
// [Of] parses the gold query and lists the tables, columns and texts that it uses; [Gold.Cover] compares a choice of
// columns with it, and [Rank] finds a text among retrieved values. It reads queries and schemas alone: it must never
// run a query or choose anything itself.
package linking

import (
	"fmt"
	"slices"
	"strings"

	"assay/prompting/sql/engine"
	"assay/prompting/sql/schema"
	"assay/prompting/sql/tree"
)

// Gold lists what a gold query uses of its database, each once, in order of first use.
type Gold struct {
	Tables  []string            // that it reads, spelled as in the schema
	Columns []schema.ColumnName // of these tables, spelled as in the schema; a star counts as all columns of its table, count(*) as none
	Texts   []string            // it compares with: string literals, LIKE patterns without the wildcards at their ends
}

// Of parses the gold query. It leaves out names that the schema does not have, and fails where the query is no SELECT.
func Of(sql string, db *schema.Database) (Gold, error) {
	stmt, err := tree.Parse(sql)
	if err == nil && stmt.Query == nil {
		err = fmt.Errorf("%s is no SELECT", stmt.Verb)
	}
	if err != nil {
		return Gold{}, fmt.Errorf("linking: read gold: %w", err)
	}
	var g Gold
	for _, t := range tree.Tables(stmt, db) {
		if db.Table(t) != nil {
			g.Tables = append(g.Tables, t)
		}
	}
	for _, c := range tree.Columns(stmt, db) {
		if t := db.Table(c.Table); t != nil && slices.Contains(t.Names(), c.Column) {
			g.Columns = append(g.Columns, c)
		}
	}
	g.Texts = texts(stmt, db)
	return g, nil
}

// texts lists the statement's texts, double-quoted ones that name no column among them.
func texts(stmt *tree.Stmt, db *schema.Database) (out []string) {
	seen := map[string]bool{}
	add := func(s string) {
		if s = strings.Trim(s, "%"); strings.TrimSpace(s) != "" && !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	for _, e := range tree.Literals(stmt) {
		if e.Lit == tree.String {
			add(e.Name)
		}
	}
	for _, r := range tree.Resolve(stmt, db) {
		if r.Expr != nil && r.Expr.Quote == '"' && r.Meaning == tree.TextLiteral {
			add(r.Expr.Name)
		}
	}
	return out
}

// Stored returns a query that returns 1 where a column that the gold query uses holds the text, letter case aside, and
// 0 where none does; empty where the gold query uses no column.
func (g Gold) Stored(d engine.Dialect, text string) string {
	var parts []string
	for _, c := range g.Columns {
		parts = append(parts, fmt.Sprintf("EXISTS (SELECT 1 FROM %s WHERE %s = %s COLLATE NOCASE)",
			d.Quote(c.Table), d.Quote(c.Column), d.Literal(engine.OfText(text))))
	}
	if parts == nil {
		return ""
	}
	return "SELECT " + strings.Join(parts, " OR ")
}

// Coverage counts the columns and tables of a choice against those of the gold query.
type Coverage struct {
	Gold, Kept, Hit       int // columns: of the gold query, of the choice, of both
	GoldTables, HitTables int // tables that the gold query reads; those that the choice has a column of
	KeptTables, AllTables int // tables of the choice; of the schema
	All                   int // columns of the schema
}

// Cover compares a choice of columns with the gold query. Names ignore case. A chosen column that the schema does not
// have counts as kept, which lowers precision.
func (g Gold) Cover(kept []schema.ColumnName, db *schema.Database) (c Coverage) {
	columns, tables := map[schema.ColumnName]bool{}, map[string]bool{}
	for _, k := range kept {
		columns[k.Folded()] = true
		tables[strings.ToLower(k.Table)] = true
	}
	c.Gold, c.Kept, c.GoldTables, c.KeptTables = len(g.Columns), len(columns), len(g.Tables), len(tables)
	for _, x := range g.Columns {
		if columns[x.Folded()] {
			c.Hit++
		}
	}
	for _, t := range g.Tables {
		if tables[strings.ToLower(t)] {
			c.HitTables++
		}
	}
	if db != nil {
		c.AllTables = len(db.Tables)
		for _, t := range db.Tables {
			c.All += len(t.Columns)
		}
	}
	return c
}

// Recall returns the share of the gold query's columns that the choice has; 1 where the gold query uses none.
func (c Coverage) Recall() float64 { return share(c.Hit, c.Gold) }

// Precision returns the share of the choice that the gold query uses; 1 where nothing is chosen.
func (c Coverage) Precision() float64 { return share(c.Hit, c.Kept) }

// TableRecall returns the share of the gold query's tables of which the choice has a column; 1 where the gold query
// reads none.
func (c Coverage) TableRecall() float64 { return share(c.HitTables, c.GoldTables) }

// Strict is 1 where the choice has every column and every table of the gold query, else 0.
func (c Coverage) Strict() float64 {
	if c.Hit == c.Gold && c.HitTables == c.GoldTables {
		return 1
	}
	return 0
}

// KeptShare returns the share of the schema's columns that the choice has; 1 where the schema has none.
func (c Coverage) KeptShare() float64 { return share(c.Kept, c.All) }

func share(part, whole int) float64 {
	if whole == 0 {
		return 1
	}
	return float64(part) / float64(whole)
}

// Rank returns the place of a text among values, the first being 1, letter case aside; 0 where it is not among them.
func Rank(text string, values []string) int {
	return 1 + slices.IndexFunc(values, func(v string) bool { return strings.EqualFold(v, text) })
}
