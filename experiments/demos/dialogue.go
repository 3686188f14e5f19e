package demos

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"assay/experiments/decompose/english"
	"assay/prompting/exemplar"
	"assay/prompting/sql/schema"
	"assay/prompting/sql/tree"
	"assay/prompting/tools"
)

// Bounds of a dialogue: descriptions of columns in one search, and values that are looked up.
const (
	mostDescribed = 6
	mostLookedUp  = 3
)

// replay adds the dialogue that leads to the gold query: the columns that it reads are searched, the texts that it compares looked
// up, its tables joined, and the query run. Thoughts are made by rule, observations are what the tools give.
func (c *Checker) replay(ctx context.Context, m *Made) error {
	fail := func(reason, detail string) error {
		m.Failures = append(m.Failures, Failure{Dialogue, reason, detail})
		return nil
	}
	stmt, err := tree.Parse(m.SQL)
	if err != nil || stmt.Query == nil {
		return fail("the query is not one SELECT", m.SQL)
	}
	set, err := tools.New(m.Schema, m.Database, c.Box, c.Tools)
	if err != nil {
		return err
	}
	defer set.Close()
	r := &replayer{set: set, m: m, g: pathOf(stmt, m.Schema)}
	for _, turn := range []func(context.Context) error{r.searchColumns, r.lookUp, r.join, r.query} {
		if err := turn(ctx); err != nil {
			return err
		}
		if r.reason != "" {
			return fail(r.reason, r.detail)
		}
	}
	m.Dialogue = append(r.turns, exemplar.Turn{Thought: "That is what the question asks for.", Action: tools.Done + "()"})
	m.By.Dialogue = exemplar.Rule
	return nil
}

// path is what an agent must find to write a query.
type path struct {
	tables  []string            // read, in order of first use
	columns []schema.ColumnName // read for more than a join, in order of first use
	texts   []compared
}

// compared is a text with the column that it is compared with.
type compared struct {
	column schema.ColumnName
	text   string
}

// pathOf reads the path off a gold query.
func pathOf(stmt *tree.Stmt, db *schema.Database) path {
	g := path{tables: tree.Tables(stmt, db)}
	meaning, text := map[*tree.Expr]schema.ColumnName{}, map[*tree.Expr]bool{}
	for _, r := range tree.Resolve(stmt, db) {
		switch {
		case r.Expr == nil:
		case r.Meaning == tree.BaseColumn && r.Column != "*":
			meaning[r.Expr] = r.ColumnName
		case r.Meaning == tree.TextLiteral:
			text[r.Expr] = true
		}
	}
	joins := map[*tree.Expr]bool{}
	tree.Walk(stmt.Query, tree.Visitor{Expr: func(e *tree.Expr) {
		if e.Kind == tree.Binary && e.Op == "=" && meaning[e.Args[0]].Column != "" && meaning[e.Args[1]].Column != "" {
			joins[e.Args[0]], joins[e.Args[1]] = true, true
		}
		if column, ok := meaning[e]; ok && !joins[e] && !slices.Contains(g.columns, column) {
			g.columns = append(g.columns, column)
		}
		g.compare(e, meaning, text)
	}})
	return g
}

// compare adds the texts that a predicate compares with a column.
func (g *path) compare(e *tree.Expr, meaning map[*tree.Expr]schema.ColumnName, text map[*tree.Expr]bool) {
	if e.Kind != tree.In && e.Kind != tree.Like && !(e.Kind == tree.Binary && slices.Contains([]string{"=", "<>"}, e.Op)) {
		return
	}
	var of schema.ColumnName
	var texts []string
	for _, a := range e.Args {
		switch {
		case meaning[a].Column != "":
			of = meaning[a]
		case text[a] || a.Kind == tree.Literal && a.Lit == tree.String:
			if s := strings.TrimSpace(strings.Trim(a.Name, "%")); s != "" {
				texts = append(texts, s)
			}
		}
	}
	for _, s := range texts {
		if one := (compared{of, s}); of.Column != "" && !slices.Contains(g.texts, one) {
			g.texts = append(g.texts, one)
		}
	}
}

// replayer performs the turns of a dialogue.
type replayer struct {
	set            *tools.Set
	m              *Made
	g              path
	turns          []exemplar.Turn
	reason, detail string // why there is no dialogue
}

// take performs an action, and adds the turn. It returns what was seen.
func (r *replayer) take(ctx context.Context, thought, tool string, args ...tools.Arg) (string, error) {
	action := tools.Action{Name: tool, Args: args}
	o, err := r.set.Call(ctx, action)
	if err != nil {
		return "", err
	}
	if o.Bad {
		r.reason, r.detail = "an action fails", action.String()+": "+o.Text
		return "", nil
	}
	text := observed(o.Text)
	r.turns = append(r.turns, exemplar.Turn{Thought: thought, Action: action.String(), Observation: text})
	return text, nil
}

// searchColumns looks for the columns that the query reads, each by its name and its table's in plain words.
func (r *replayer) searchColumns(ctx context.Context) error {
	columns := r.g.columns[:min(len(r.g.columns), mostDescribed)]
	if len(columns) == 0 {
		return nil
	}
	described := make([]string, len(columns))
	for i, c := range columns {
		described[i] = english.Words(c.Column) + " of " + english.Words(c.Table)
	}
	thought := fmt.Sprintf("The question is about %s. I look for the %s that hold %s.", and(plain(r.g.tables)), plural(len(columns), "column"), and(described))
	seen, err := r.take(ctx, strings.Replace(thought, "column that hold", "column that holds", 1), tools.SearchColumn, tools.Arg{IsList: true, List: described})
	if err != nil || r.reason != "" {
		return err
	}
	for _, c := range columns {
		if !strings.Contains(seen, fmt.Sprintf(`"column":%q,"table":%q`, c.Column, c.Table)) {
			r.reason, r.detail = "SearchColumn does not find a column of the gold query", c.Table+"."+c.Column
		}
	}
	return nil
}

// lookUp looks up how the database writes the texts of the query.
func (r *replayer) lookUp(ctx context.Context) error {
	for _, t := range r.g.texts[:min(len(r.g.texts), mostLookedUp)] {
		name := t.column.Table + "." + t.column.Column
		thought := fmt.Sprintf("%s is compared with %q. I check how the table writes it.", name, t.text)
		if _, err := r.take(ctx, thought, tools.SearchValue, tools.Arg{Text: t.text}, tools.Arg{Name: "table", Text: t.column.Table}); err != nil || r.reason != "" {
			return err
		}
	}
	return nil
}

// join asks how the tables of the query are joined.
func (r *replayer) join(ctx context.Context) error {
	if len(r.g.tables) < 2 {
		return nil
	}
	to := tools.Arg{Text: r.g.tables[1]}
	if rest := r.g.tables[1:]; len(rest) > 1 {
		to = tools.Arg{IsList: true, List: rest}
	}
	thought := fmt.Sprintf("What is needed is in %s. I ask how they are joined.", and(r.g.tables))
	_, err := r.take(ctx, thought, tools.FindShortestPath, tools.Arg{Text: r.g.tables[0]}, to)
	return err
}

// query runs the gold query.
func (r *replayer) query(ctx context.Context) error {
	thought := "Nothing has to be looked up: the rows of " + and(r.g.tables) + " answer the question."
	if len(r.turns) > 0 {
		thought = "Tables and columns are known now, so I write the query and run it."
	}
	_, err := r.take(ctx, thought, tools.ExecuteSQL, tools.Arg{Text: r.m.SQL})
	return err
}

// plain has names of the schema in plain words.
func plain(names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = english.Words(n)
	}
	return out
}

// and lists texts: "a", "a and b", "a, b and c".
func and(list []string) string { return english.List(list, "and") }

func plural(n int, noun string) string {
	if n == 1 {
		return noun
	}
	return noun + "s"
}
