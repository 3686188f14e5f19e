// Package census counts what a dataset consists of: items, databases, their schemas, and the tables and values that its gold
// queries read.
//
// A loaded dataset goes in; its gold queries are parsed, their values looked up in the questions, and the counts averaged or
// shared out by an axis, next to the figures that a paper printed. Nothing here runs a query or asks a model, and a count
// never leaves an item out silently: what does not parse is counted as such.
package census

import (
	"context"
	"fmt"
	"slices"

	"assay/configs"
	"assay/experiments/axes"
	"assay/experiments/cost"
	"assay/experiments/dataset"
	"assay/prompting/render"
	"assay/prompting/sql/schema"
	"assay/prompting/sql/tree"
)

// Tokenizer is the model whose vocabulary counts schema tokens where Options name none: Interactive-T2S counts with it.
const Tokenizer = "gpt-4o"

// Options says how schemas are counted. The zero value counts as Interactive-T2S does.
type Options struct {
	Schema configs.Schema // the text whose tokens are counted; Format "": createtable without rows
	Model  configs.Model  // whose tokens; Name "": Tokenizer
}

// Census holds the counts of a dataset.
type Census struct {
	Name      string // of the dataset: kind/split
	Items     []Item // in the dataset's order
	Databases []Base // those of the items, in order of first use
	Text      string // the schema text whose tokens are counted, and how
}

// Item is one question with the counts of its gold query. Where that does not parse, Parsed is false, and nothing is counted.
type Item struct {
	ID, DB  string
	Parsed  bool
	Tables  int      // distinct tables
	Joined  int      // one more than the joins, as Table 9 of Interactive-T2S counts
	Values  []Value  // the values that its conditions compare columns with
	Printed []Quoted // the same by the rule of text that the published figures follow
}

// Base is one database. Rows is -1 where there is no file.
type Base struct {
	DB          string `json:"db"`
	Tables      int    `json:"tables"`
	Columns     int    `json:"columns"`
	ForeignKeys int    `json:"foreign_keys"`
	Rows        int    `json:"rows"`
	Tokens      int64  `json:"tokens"` // of the schema as text
}

// Take counts a dataset. Its databases are those of its items; a database without a schema is not counted.
func Take(ctx context.Context, set *dataset.Set, o Options) (*Census, error) {
	c, err := take(ctx, set, o)
	if err != nil {
		return nil, fmt.Errorf("census: take %q: %w", set.Name, err)
	}
	return c, nil
}

func take(ctx context.Context, set *dataset.Set, o Options) (*Census, error) {
	if o.Schema.Format == "" {
		o.Schema.Format = "createtable"
	}
	if o.Model.Name == "" {
		o.Model = cost.Tokenizer(Tokenizer)
	}
	counter, err := cost.NewCounter(o.Model)
	if err != nil {
		return nil, err
	}
	c := &Census{Name: set.Name, Text: fmt.Sprintf("format %s, tokens of %s", o.Schema.Format, o.Model.Name)}
	seen := map[string]bool{}
	for _, x := range set.Examples {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		c.Items = append(c.Items, itemOf(x))
		if db := x.Question.DB; !seen[db] && x.Question.Schema != nil {
			seen[db] = true
			b, err := baseOf(db, x.Question.Schema, o.Schema, counter)
			if err != nil {
				return nil, err
			}
			c.Databases = append(c.Databases, b)
		}
	}
	return c, nil
}

func itemOf(x dataset.Example) Item {
	it := Item{ID: x.Question.ID, DB: x.Question.DB, Printed: Published(x.Gold, x.Question.Text)}
	s, err := tree.Parse(x.Gold)
	if err != nil || s.Query == nil {
		return it
	}
	it.Parsed, it.Tables, it.Joined = true, len(tree.Tables(s, x.Schema)), 1+tree.Count(s).Joins
	it.Values = Values(s, x.Schema)
	question := read(x.Question.Text)
	evidence := read(x.Question.Text + "\n" + x.Question.Evidence)
	for i := range it.Values {
		v := &it.Values[i]
		v.Found = question.has(v.Text, v.Kind)
		v.FoundWithEvidence = v.Found != "" || evidence.has(v.Text, v.Kind) != ""
	}
	return it
}

// baseOf counts a schema.
func baseOf(db string, d *schema.Database, cfg configs.Schema, counter *cost.Counter) (Base, error) {
	b := Base{DB: db, Tables: len(d.Tables), ForeignKeys: len(d.ForeignKeys)}
	for _, t := range d.Tables {
		b.Columns += len(t.Columns)
		if t.Rows < 0 || b.Rows < 0 {
			b.Rows = -1
			continue
		}
		b.Rows += t.Rows
	}
	text, err := render.Schema(d, cfg)
	if err != nil {
		return b, err
	}
	b.Tokens = counter.Text(text)
	return b, nil
}

// Shape is the means over databases.
type Shape struct {
	Tables        float64 `json:"tables"`
	ColumnsATable float64 `json:"columns_a_table"` // over all tables of all databases
	Columns       float64 `json:"columns"`
	ForeignKeys   float64 `json:"foreign_keys"`
	Filed         int     `json:"filed"` // databases that have a file
	Rows          float64 `json:"rows"`  // over databases with a file
	Tokens        float64 `json:"tokens"`
}

// Shape averages over the databases; without any, all means are 0.
func (c *Census) Shape() Shape {
	var s Shape
	var tables int
	for _, b := range c.Databases {
		tables += b.Tables
		s.Columns += float64(b.Columns)
		s.ForeignKeys += float64(b.ForeignKeys)
		s.Tokens += float64(b.Tokens)
		if b.Rows >= 0 {
			s.Filed++
			s.Rows += float64(b.Rows)
		}
	}
	n := float64(max(1, len(c.Databases)))
	s.ColumnsATable = s.Columns / float64(max(1, tables))
	s.Tables, s.Columns, s.ForeignKeys, s.Tokens = float64(tables)/n, s.Columns/n, s.ForeignKeys/n, s.Tokens/n
	s.Rows /= float64(max(1, s.Filed))
	return s
}

// Rates holds the counts behind the shares of gold queries and values.
type Rates struct {
	GoldQueries int `json:"golds"`       // gold queries that parse
	Constrained int `json:"constrained"` // gold queries with a value
	Values      int `json:"values"`
	Found       int `json:"found"`    // values in the question
	Evidence    int `json:"evidence"` // values in the question or its evidence
}

// Rates counts the values of conditions.
func (c *Census) Rates() Rates {
	var r Rates
	for _, it := range c.Items {
		if !it.Parsed {
			continue
		}
		r.GoldQueries++
		r.Constrained += min(1, len(it.Values))
		for _, v := range it.Values {
			r.Values++
			if v.Found != "" {
				r.Found++
			}
			if v.FoundWithEvidence {
				r.Evidence++
			}
		}
	}
	return r
}

// Printed counts by the rule of the published figures, over all items; Evidence is not counted.
func (c *Census) Printed() Rates {
	r := Rates{GoldQueries: len(c.Items)}
	for _, it := range c.Items {
		r.Constrained += min(1, len(it.Printed))
		for _, v := range it.Printed {
			r.Values++
			if v.Found {
				r.Found++
			}
		}
	}
	return r
}

// Spread counts the gold queries that parse by how many tables they read: 1, 2, 3, and 4 or more, with the mean over all. A
// gold query that reads none counts as reading 1.
type Spread struct {
	GoldQueries [4]int  `json:"golds"`
	Mean        float64 `json:"mean"`
}

// spread counts the items by a number of each.
func (c *Census) spread(of func(Item) int) Spread {
	var s Spread
	n, sum := 0, 0
	for _, it := range c.Items {
		if it.Parsed {
			k := max(1, of(it))
			s.GoldQueries[min(k, 4)-1]++
			sum += k
			n++
		}
	}
	s.Mean = float64(sum) / float64(max(1, n))
	return s
}

// Tables returns the spread of the distinct tables of gold queries.
func (c *Census) Tables() Spread { return c.spread(func(it Item) int { return it.Tables }) }

// Joined returns the spread as Table 9 of Interactive-T2S counts.
func (c *Census) Joined() Spread { return c.spread(func(it Item) int { return it.Joined }) }

// Split divides a census by an axis of its items, into one census per group that some item has, in the axis's order.
func (c *Census) Split(set *dataset.Set, a axes.Axis) []*Census {
	labels := make([]axes.Labels, len(set.Examples))
	for i, x := range set.Examples {
		labels[i] = axes.Labels{DB: x.Question.DB, Hardness: x.Hardness, Difficulty: x.Difficulty, Features: axes.Features(x.Gold)}
	}
	var out []*Census
	for _, g := range a.Groups(labels) {
		part := &Census{Name: c.Name + " " + g, Text: c.Text}
		for i, it := range c.Items {
			if a.Group(labels[i]) != g {
				continue
			}
			part.Items = append(part.Items, it)
			if !slices.ContainsFunc(part.Databases, func(b Base) bool { return b.DB == it.DB }) {
				if k := slices.IndexFunc(c.Databases, func(b Base) bool { return b.DB == it.DB }); k >= 0 {
					part.Databases = append(part.Databases, c.Databases[k])
				}
			}
		}
		out = append(out, part)
	}
	return out
}
