package execution

import (
	"context"

	"assay/metrics/rows"
	"assay/prompting/sql/engine"
	"assay/prompting/sql/tree"
)

// order is what a gold query requires of the order of rows on one database.
type order struct {
	ordered bool
	groups  []int32 // under strict, where ordered: rows.Strict's
	unsure  bool    // ties could not be determined, so groups may be too fine
}

var strict = &family{
	name:    "strict-2",
	gold:    asWritten,
	pred:    asWritten,
	ordered: orders,
	ties:    true,
	grade: func(gold, pred *engine.Result, o order) (float64, rows.Verdict) {
		v := rows.Strict(gold, pred, o.groups)
		if v.Reordered && o.unsure {
			v = rows.Verdict{Undecided: true, Why: "the rows of the gold query in another order, and which of them tie could not be told"}
		}
		if v.Equal {
			return 1, v
		}
		return 0, v
	},
}

// tied returns a result of an ordered gold query with its rows in groups that tie under its ORDER BY: the one given, or
// another that SQLite may as well return.
func (m *metric) tied(ctx context.Context, db engine.DB, gold string, res *engine.Result) (*engine.Result, order, error) {
	o := order{ordered: true, groups: make([]int32, len(res.Rows))}
	if len(res.Rows) < 2 {
		return res, o, nil
	}
	k, ok := keyed(gold)
	if ok && k.Added > 0 {
		with, err := m.cached(ctx, db, k.SQL)
		if err != nil {
			if _, judged := failed(err); !judged {
				return nil, o, err
			}
		}
		if own := without(with, k.Added); own != nil && rows.Strict(res, own, nil).Equal {
			o.groups = grouped(with, k)
			return own, o, nil
		}
		ok = false
	}
	if ok {
		o.groups = grouped(res, k)
		return res, o, nil
	}
	o.unsure = true
	for i := range o.groups {
		o.groups[i] = int32(i)
	}
	return res, o, nil
}

// keyed returns the gold query with the keys of its ORDER BY.
func keyed(gold string) (tree.Keyed, bool) {
	stmt, err := tree.Parse(gold)
	if err != nil || stmt.Query == nil {
		return tree.Keyed{}, false
	}
	return tree.WithKeys(stmt, stmt.Query, true)
}

// without returns a result without its last columns.
func without(r *engine.Result, columns int) *engine.Result {
	if r == nil {
		return nil
	}
	own := len(r.Columns) - columns
	out := &engine.Result{Columns: r.Columns[:own], Rows: make([][]engine.Value, len(r.Rows))}
	for i, row := range r.Rows {
		out.Rows[i] = row[:own]
	}
	return out
}

// grouped numbers the rows; neighbours with equal keys have one number.
func grouped(r *engine.Result, k tree.Keyed) []int32 {
	keys, groups := k.Keys(len(r.Columns)), make([]int32, len(r.Rows))
	for i := 1; i < len(r.Rows); i++ {
		groups[i] = groups[i-1]
		for _, at := range keys {
			if r.Rows[i][at].Canonical() != r.Rows[i-1][at].Canonical() {
				groups[i]++
				break
			}
		}
	}
	return groups
}
