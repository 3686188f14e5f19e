package runner

import (
	"context"

	"assay/experiments/dataset"
	"assay/experiments/record"
	"assay/metrics/linking"
	"assay/prompting"
	"assay/prompting/sql/schema"
)

// links are what an answer's stages found of the database.
func links(it record.Item, linked []prompting.Linked) (out []record.Link) {
	for _, l := range linked {
		row := record.Link{Item: it.Item, Arm: it.Arm, Point: it.Point, Seed: it.Seed, Stage: l.Stage}
		if l.Shown == nil {
			values := [][]string{}
			for _, v := range l.Values {
				values = append(values, []string{v.Table, v.Column, v.Value})
			}
			row.Values = record.Listing(values)
		} else {
			row.Chosen, row.Shown = record.Listing(nameList(l.Chosen)), record.Listing(nameList(l.Shown))
		}
		out = append(out, row)
	}
	return out
}

func nameList(columns []schema.ColumnName) [][]string {
	out := [][]string{}
	for _, c := range columns {
		out = append(out, []string{c.Table, c.Column})
	}
	return out
}

// literals finds out which of the gold's texts the database holds, once an item, where an arm looks values up.
func (x *execution) literals(ctx context.Context, j job, ex dataset.Example) (string, error) {
	wanted := false
	for _, c := range x.plan.Cells {
		wanted = wanted || c.Arm.Values.Use
	}
	if !wanted || j.cell > 0 || j.seed > 0 || ex.Question.Database.None() {
		return "", nil
	}
	g, err := linking.Of(x.plan.Overrides.Of(ex.Question.ID).Gold(ex.Gold), ex.Schema)
	if err != nil {
		return "", nil // no SELECT that parses: it compares with nothing
	}
	rows := [][]string{}
	for _, text := range g.Texts {
		word := "absent"
		if query := g.Stored(ex.Question.Database.Engine.Dialect(), text); query != "" {
			res, err := x.plan.Box.Run(ctx, ex.Question.Database, query)
			switch {
			case ctx.Err() != nil:
				return "", ctx.Err()
			case err != nil:
				word = "unknown"
			case res.Rows[0][0].Int64() != 0:
				word = "stored"
			}
		}
		rows = append(rows, []string{text, word})
	}
	return record.Listing(rows), nil
}

// columns are those of the item's database, the first time it is met, in a run that asks about them.
func (x *execution) columns(it record.Item) (out []record.Column) {
	if x.plan.Imported != nil || x.keeping.dbs[it.DB] {
		return nil
	}
	x.keeping.dbs[it.DB] = true
	for _, ex := range x.plan.Set.Examples {
		if ex.Question.DB != it.DB {
			continue
		}
		for _, c := range ex.Question.Schema.Columns() {
			out = append(out, record.Column{DB: it.DB, Table: c.Table, Column: c.Column})
		}
		break
	}
	return out
}
