package runner

import (
	"context"

	"assay/experiments/dataset"
	"assay/experiments/record"
	"assay/metrics/linking"
	"assay/prompting"
	"assay/prompting/sql/schema"
)

// links returns the rows of what an answer's stages found in the database: values, or columns.
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

// shown returns the row of the demonstrations of an answer's prompts; none where they had none.
func shown(it record.Item, lists [][]string) []record.Shown {
	if len(lists) == 0 {
		return nil
	}
	return []record.Shown{{Item: it.Item, Arm: it.Arm, Point: it.Point, Seed: it.Seed, IDs: record.Listing(lists)}}
}

func nameList(columns []schema.ColumnName) [][]string {
	out := [][]string{}
	for _, c := range columns {
		out = append(out, []string{c.Table, c.Column})
	}
	return out
}

// literals lists the texts that the gold query compares with, and whether the database stores each: what the recall of value
// retrieval is measured against. It does so once per item, and only where an arm looks values up.
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
		return "", nil // a gold query that does not parse compares with nothing
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

// columns returns the columns of the item's database with the first item over it, and nothing after. Imported runs have
// none: no method of theirs chose columns.
func (x *execution) columns(it record.Item) (out []record.Column) {
	if x.plan.Imported != nil || x.kept.dbs[it.DB] {
		return nil
	}
	x.kept.dbs[it.DB] = true
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
