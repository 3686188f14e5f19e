package exact

import (
	"slices"
	"strings"

	"assay/prompting/sql/schema"
)

// keyMap maps each column that takes part in a foreign key to the representative of its group: the first of them in
// the schema. Foreign keys join groups in their order, and a column of two groups belongs to the later one, as in the
// official evaluator's build_foreign_key_map.
func keyMap(s *schema.Database) map[string]string {
	place, all := map[string]int{}, []string{}
	for _, t := range s.Tables {
		for _, c := range t.Columns {
			id := strings.ToLower(t.Name + "." + c.Name)
			if _, twice := place[id]; !twice {
				place[id] = len(all)
			}
			all = append(all, id)
		}
	}
	var groups [][]int
	for _, fk := range s.ForeignKeys {
		a, okA := place[refID(fk.From())]
		b, okB := place[refID(fk.To())]
		if !okA || !okB {
			continue
		}
		at := slices.IndexFunc(groups, func(g []int) bool { return slices.Contains(g, a) || slices.Contains(g, b) })
		if at < 0 {
			groups = append(groups, nil)
			at = len(groups) - 1
		}
		groups[at] = append(groups[at], a, b)
	}
	out := map[string]string{}
	for _, g := range groups {
		for _, i := range g {
			out[all[i]] = all[slices.Min(g)]
		}
	}
	return out
}

func refID(c schema.ColumnName) string { return strings.ToLower(c.Table + "." + c.Column) }

// withoutValues copies a query without the values of its conditions, those of sub-queries on their right sides
// included. Sub-queries in FROM keep theirs: the official evaluator does not look there.
func (q *query) withoutValues() *query {
	if q == nil {
		return nil
	}
	out := *q
	out.joinOn, out.where, out.having = dropValues(q.joinOn), dropValues(q.where), dropValues(q.having)
	out.next = map[string]*query{}
	for op, arm := range q.next {
		out.next[op] = arm.withoutValues()
	}
	return &out
}

func dropValues(list []cond) []cond {
	out := slices.Clone(list)
	for i := 0; i < len(out); i += 2 {
		if out[i].unit != nil {
			u := *out[i].unit
			u.v1, u.v2 = value{sub: u.v1.sub.withoutValues()}, value{sub: u.v2.sub.withoutValues()}
			out[i].unit = &u
		}
	}
	return out
}

// columns rewrites the columns of a query: foreign-key columns of its own tables become the representative of their
// group, and DISTINCT is forgotten. Sub-queries are left as they are; the arms of set operations are rewritten too,
// but with the tables of the first.
type columns struct {
	keys   map[string]string
	tables map[string]bool
}

func columnsOf(q *query, keys map[string]string) columns {
	c := columns{keys: keys, tables: map[string]bool{}}
	for _, t := range q.tables {
		if t.sub == nil {
			c.tables[t.table] = true
		}
	}
	return c
}

func (c columns) query(q *query) *query {
	out := *q
	out.distinct = false
	out.columns = mapped(q.columns, func(s selected) selected { return selected{s.agg, c.val(s.val)} })
	out.group = mapped(q.group, c.col)
	out.order = mapped(q.order, c.val)
	out.joinOn, out.where, out.having = c.conds(q.joinOn), c.conds(q.where), c.conds(q.having)
	out.next = map[string]*query{}
	for op, arm := range q.next {
		out.next[op] = c.query(arm)
	}
	return &out
}

func (c columns) conds(list []cond) []cond {
	out := slices.Clone(list)
	for i := 0; i < len(out); i += 2 {
		if out[i].unit != nil {
			u := *out[i].unit
			u.left = c.val(u.left)
			out[i].unit = &u
		}
	}
	return out
}

func (c columns) val(v valUnit) valUnit {
	v.left = c.col(v.left)
	if v.right != nil {
		right := c.col(*v.right)
		v.right = &right
	}
	return v
}

func (c columns) col(u colUnit) colUnit {
	u.distinct = false
	table, _, _ := strings.Cut(u.column, ".")
	if same, ok := c.keys[u.column]; ok && c.tables[table] {
		u.column = same
	}
	return u
}

func mapped[T any](list []T, f func(T) T) []T {
	out := make([]T, len(list))
	for i, x := range list {
		out[i] = f(x)
	}
	return out
}
