package main

import (
	"fmt"

	"assay/experiments/census"
	"assay/plots/table"
)

// statRow is one row of a table: the cells after the dataset's name; a nil value gives an empty cell.
type statRow struct {
	values []*float64
	text   string // a cell before the values, where the table has one
}

// statTable describes one of the three tables, without the rows of any dataset.
type statTable struct {
	id, title string
	text      string // heading of statRow.text; empty: no such column
	columns   []table.Column
	decimals  []int
	rows      func(census.Printed, *census.Census) (own []statRow, printed []statRow)
	notes     []string
}

// right is a column of numbers.
func right(name string) table.Column { return table.Column{Name: name, Align: table.Right} }

// val returns a pointer to a number.
func val[T int | int64 | float64](v T) *float64 { f := float64(v); return &f }

// printedValue is a published figure; nil for 0, which stands for one that the paper does not print.
func printedValue[T int | float64](v T) *float64 {
	if v == 0 {
		return nil
	}
	return val(v)
}

// share is a percentage; nil of nothing.
func share(part, whole int) *float64 {
	if whole == 0 {
		return nil
	}
	return val(100 * float64(part) / float64(whole))
}

// statKinds are Interactive-T2S's Tables 1, 6 and 9.
var statKinds = []statTable{
	{
		id: "stats/values", title: "Items, databases, and values in gold queries",
		columns: []table.Column{right("items"), right("dbs"), right("CVR %"), right("values"), right("CVCR %"),
			right("CVCR+ev %"), right("CVR t. %"), right("CVCR t. %")},
		decimals: []int{0, 0, 2, 0, 2, 2, 2, 2},
		rows:     valueRows,
		notes: []string{"CVR: gold queries that compare a column with a literal. CVCR: such literals in the question; +ev: or in its evidence.",
			"t.: by text, literals in single quotes after = and WHERE that the question repeats exactly, as the published figures count."},
	},
	{
		id: "stats/schemas", title: "Schemas, on average",
		columns: []table.Column{right("tables/db"), right("columns/table"), right("columns/db"),
			right("fks/db"), right("rows/db"), right("tokens/db")},
		decimals: []int{2, 2, 2, 2, 0, 0},
		rows:     schemaRows,
	},
	{
		id: "stats/tables", title: "Gold queries by the number of tables, percent", text: "counted",
		columns:  []table.Column{right("1"), right("2"), right("3"), right("4+"), right("mean")},
		decimals: []int{2, 2, 2, 2, 2},
		rows:     spreadRows,
		notes:    []string{"distinct: each table counts once. joined: the number of joins plus one, as the published figures count."},
	},
}

// valueRows counts items, databases and values: from the parsed SQL and by text.
func valueRows(p census.Printed, c *census.Census) (own, printed []statRow) {
	r, t := c.Rates(), c.Printed()
	own = []statRow{{values: []*float64{val(len(c.Items)), val(len(c.Databases)), share(r.Constrained, r.GoldQueries), val(r.Values),
		share(r.Found, r.Values), share(r.Evidence, r.Values), share(t.Constrained, t.GoldQueries), share(t.Found, t.Values)}}}
	if p := p.Table1; p != nil {
		printed = []statRow{{values: []*float64{printedValue(p.Items), printedValue(p.DBs), nil, nil, nil, nil, printedValue(p.CVR), printedValue(p.CVCR)}}}
	}
	return own, printed
}

// schemaRows averages over the databases. Rows are averaged over those with a file, and left out where none has one.
func schemaRows(p census.Printed, c *census.Census) (own, printed []statRow) {
	m := c.Shape()
	var rows *float64
	if m.Filed > 0 {
		rows = val(m.Rows)
	}
	own = []statRow{{values: []*float64{val(m.Tables), val(m.ColumnsATable), val(m.Columns), val(m.ForeignKeys), rows, val(m.Tokens)}}}
	if len(c.Databases) == 0 {
		own = []statRow{{values: make([]*float64, 6)}}
	}
	if p := p.Table6; p != nil {
		printed = []statRow{{values: []*float64{printedValue(p.Tables), printedValue(p.Columns), nil, printedValue(p.ForeignKeys), nil, printedValue(p.Tokens)}}}
	}
	return own, printed
}

// spreadRows gives two rows per dataset, because the paper counts joins where a reader expects distinct tables.
func spreadRows(p census.Printed, c *census.Census) (own, printed []statRow) {
	for _, s := range []struct {
		how string
		of  census.Spread
	}{{"distinct", c.Tables()}, {"joined", c.Joined()}} {
		row := statRow{text: s.how}
		n := 0
		for _, k := range s.of.GoldQueries {
			n += k
		}
		for _, k := range s.of.GoldQueries {
			row.values = append(row.values, share(k, n))
		}
		mean := val(s.of.Mean)
		if n == 0 {
			mean = nil
		}
		own = append(own, statRow{text: row.text, values: append(row.values, mean)})
	}
	if p := p.Table9; p != nil {
		printed = []statRow{{text: "joined", values: []*float64{printedValue(p.One), printedValue(p.Two), printedValue(p.Three), printedValue(p.Four), printedValue(p.Mean)}}}
	}
	return own, printed
}

// statsTables returns the three tables, with the published row of a dataset below its own.
func statsTables(all []counted) (out []*table.Table) {
	for _, k := range statKinds {
		t := &table.Table{ID: k.id, Title: k.title, Columns: []table.Column{{Name: "dataset", Key: true}}, Notes: k.notes}
		if k.text != "" {
			t.Columns = append(t.Columns, table.Column{Name: k.text, Key: true})
		}
		t.Columns = append(t.Columns, k.columns...)
		var published bool
		for _, c := range all {
			own, printed := k.rows(c.printed, c.Census)
			for _, r := range own {
				t.Rows = append(t.Rows, k.row(c.Name, r, false))
			}
			for _, r := range printed {
				published = true
				t.Rows = append(t.Rows, k.row(c.Name+" (published)", r, true))
			}
		}
		if k.id == "stats/schemas" && len(all) > 0 {
			t.Notes = []string{"Tokens: " + all[0].Text + ". fks: foreign keys. Rows: of the databases that have a file."}
		}
		if published {
			t.Notes = append(t.Notes, "Published: "+census.Source+".")
		}
		out = append(out, t)
	}
	for _, c := range all {
		if n := len(c.Items) - c.Rates().GoldQueries; n > 0 {
			out[0].Notes = append(out[0].Notes, fmt.Sprintf("%s: %d gold queries do not parse as a SELECT; they are counted by text alone.", c.Name, n))
		}
	}
	return out
}

// row prints one row; published marks the numbers as a paper's.
func (k statTable) row(name string, r statRow, published bool) []table.Cell {
	cells := []table.Cell{table.Text(name)}
	if k.text != "" {
		cells = append(cells, table.Text(r.text))
	}
	for i, v := range r.values {
		c := table.Cell{}
		if v != nil {
			c = statNumber(*v, k.decimals[i])
			c.Published = published
		}
		cells = append(cells, c)
	}
	return cells
}

// statsLong returns one row per number of the tables, with the published number beside it.
func statsLong(all []counted) *table.Table {
	t := &table.Table{ID: "stats", Columns: []table.Column{{Name: "dataset"}, {Name: "table"}, {Name: "counted"}, {Name: "statistic"}, {Name: "value"}, {Name: "published"}}}
	for _, c := range all {
		for _, k := range statKinds {
			own, printed := k.rows(c.printed, c.Census)
			for _, r := range own {
				for i, v := range r.values {
					if v == nil {
						continue
					}
					row := []table.Cell{table.Text(c.Name), table.Text(k.id[len("stats/"):]), table.Text(r.text), table.Text(k.columns[i].Name), statNumber(*v, k.decimals[i]), {}}
					for _, p := range printed {
						if p.text == r.text && p.values[i] != nil {
							row[5] = table.Published(table.Number{Value: *p.values[i], Decimals: k.decimals[i]})
						}
					}
					t.Rows = append(t.Rows, row)
				}
			}
		}
	}
	return t
}

// statsJSON returns the counts behind the tables, and the published figures.
func statsJSON(all []counted) []any {
	out := []any{}
	for _, c := range all {
		out = append(out, map[string]any{"dataset": c.Name, "items": len(c.Items), "databases": c.Databases, "values": c.Rates(),
			"values_by_text": c.Printed(), "schema": c.Shape(), "schema_text": c.Text, "tables": c.Tables(), "joined": c.Joined(), "published": c.printed})
	}
	return out
}
