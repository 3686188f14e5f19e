package suite

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"assay/prompting/sql/engine"
	"assay/prompting/sql/sqlite"
	"assay/prompting/sql/tree"
)

// hint reads what a gold query says about columns: the literals they are compared with, the columns they are joined
// with, and whether rows are ordered by them.
func (c *catalog) hint(stmt *tree.Stmt) {
	m := &mutator{stmt: stmt, refs: map[*tree.Expr]tree.Ref{}, fixed: map[*tree.Expr]bool{}}
	for _, ref := range tree.Resolve(stmt, &c.schema) {
		if ref.Expr != nil {
			m.refs[ref.Expr] = ref
		}
	}
	columnOf := func(e *tree.Expr) *column {
		if ref, ok := m.refs[e]; ok && ref.Meaning == tree.BaseColumn {
			return c.column(ref.Table, ref.Column)
		}
		return nil
	}
	pair := func(a, b *tree.Expr, like bool) {
		c.pair(m, columnOf(a), columnOf(b), b, like)
		if columnOf(a) != nil && columnOf(b) != nil {
			c.link(m.refs[a].ColumnName, m.refs[b].ColumnName)
		}
	}
	tree.Walk(stmt.Query, tree.Visitor{
		Query: func(q *tree.Query, _ int) {
			for _, t := range q.OrderBy {
				if col := columnOf(t.Expr); col != nil {
					col.sorted = true
				}
			}
		},
		Expr: func(e *tree.Expr) {
			switch e.Kind {
			case tree.Binary, tree.In, tree.Between, tree.Like:
			default:
				return
			}
			for i, a := range e.Args {
				if i > 0 && e.Kind != tree.Binary {
					break
				}
				for j, b := range e.Args {
					if i != j {
						pair(a, b, e.Kind == tree.Like)
					}
				}
			}
			if e.Kind == tree.In && e.Query != nil && len(e.Args) > 0 && len(e.Query.Arms[0].Columns) == 1 {
				pair(e.Args[0], e.Query.Arms[0].Columns[0].Expr, false)
			}
		},
	})
}

// pair is a column compared with an expression, which may be a column too.
func (c *catalog) pair(m *mutator, col, other *column, e *tree.Expr, like bool) {
	switch {
	case col == nil:
	case other != nil:
		col.linked, other.linked = true, true
		if col != other {
			col.meet(other.pool)
			other.meet(col.pool)
		}
	default:
		if v, ok := m.literal(e); ok {
			col.asked = append(col.asked, col.fit(v))
			for _, near := range neighbours(v, like) {
				if near = col.fit(near); !slices.Contains(col.hints, near) {
					col.hints = append(col.hints, near)
				}
			}
		}
	}
}

// meet takes some values of a column that this one is joined with.
func (c *column) meet(values []engine.Value) {
	const most = 50
	for _, v := range values[:min(most, len(values))] {
		if len(c.pool) == 0 || !slices.Contains(c.pool[:min(most, len(c.pool))], v) {
			c.hints = append(c.hints, c.fit(v))
		}
	}
}

// fit returns a value in the storage class that the column would give it, as far as that loses nothing.
func (c *column) fit(v engine.Value) engine.Value {
	switch c.affinity {
	case sqlite.Text:
		if v.Kind() == engine.Int || v.Kind() == engine.Real {
			return engine.OfText(v.String())
		}
	case sqlite.Integer, sqlite.Numeric, sqlite.Real:
		if v.Kind() != engine.Text {
			return v
		}
		if n, err := strconv.ParseInt(v.Bytes(), 10, 64); err == nil {
			return engine.OfInt(n)
		}
	}
	return v
}

// neighbours returns a literal and what lies next to it: numbers one less and one more, texts in another case, longer
// and shorter, dates a day away, and what a LIKE pattern does and does not match.
func neighbours(v engine.Value, like bool) []engine.Value {
	out := []engine.Value{v}
	switch v.Kind() {
	case engine.Int:
		n := v.Int64()
		out = append(out, engine.OfInt(n-1), engine.OfInt(n+1))
	case engine.Real:
		f := v.Float64()
		for _, d := range []float64{-1, -0.1, 0.1, 1} {
			out = append(out, engine.OfReal(roundTo(f+d)))
		}
	case engine.Text:
		out = out[:0]
		for _, s := range nearTexts(v.Bytes(), like) {
			out = append(out, engine.OfText(s))
		}
	}
	return out
}

func roundTo(f float64) float64 {
	r, err := strconv.ParseFloat(strconv.FormatFloat(f, 'f', 4, 64), 64)
	if err != nil {
		return f
	}
	return r
}

func nearTexts(s string, like bool) []string {
	x := "x"
	if strings.ContainsAny(s, "xX") {
		x = "q"
	}
	if like {
		core := strings.ReplaceAll(strings.Trim(s, "%"), "_", "a")
		core = strings.ReplaceAll(core, "%", " ")
		return []string{core, core + x, x + core, x + core + x, swapCase(core), strings.ToUpper(core), strings.ToLower(core)}
	}
	if day, err := time.Parse(time.DateOnly, s); err == nil {
		return []string{s, day.AddDate(0, 0, 1).Format(time.DateOnly), day.AddDate(0, 0, -1).Format(time.DateOnly), day.AddDate(1, 0, 0).Format(time.DateOnly)}
	}
	if n, err := strconv.Atoi(s); err == nil {
		return []string{s, strconv.Itoa(n - 1), strconv.Itoa(n + 1)}
	}
	out := []string{s, s, swapCase(s), s + x, x + s} // twice: equality wants the value itself
	if r := []rune(s); len(r) > 1 {
		out = append(out, string(r[:len(r)-1]))
	}
	return out
}
