package script

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"assay/prompting"
	"assay/prompting/columns"
	"assay/prompting/exemplar"
	"assay/prompting/render"
	"assay/prompting/sql/schema"

	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"
)

// question is a question as a method sees it. It has no gold query.
type question struct {
	base
	s     *session
	q     prompting.Question
	links []prompting.Linked // what was linked since the part began
	seen  [3]shared          // schema, shown, whole
}

var _ object = (*question)(nil)

// question returns the session's question.
func (s *session) question() *question { return &question{s: s, q: s.q} }

// Size implements star.Sized: what linking copies.
func (q *question) Size() int {
	n := 128 * (1 + len(q.links))
	for _, t := range q.q.Schema.Tables {
		n += 256 * (1 + len(t.Columns))
	}
	return n
}

func (q *question) String() string { return fmt.Sprintf("question(%q)", q.q.ID) }
func (q *question) Type() string   { return "question" }
func (q *question) AttrNames() []string {
	return []string{"cut", "db", "evidence", "has_file", "id", "question", "sample", "samples", "schema", "shown", "whole", "with_columns", "with_values"}
}

// Attr returns an attribute. Question and evidence are on one line, as prompts print them.
func (q *question) Attr(name string) (starlark.Value, error) { return q.attr(name) }

func (q *question) attr(name string) (starlark.Value, error) {
	switch name {
	case "id":
		return starlark.String(q.q.ID), nil
	case "db":
		return starlark.String(q.q.DB), nil
	case "question":
		return starlark.String(oneLine(q.q.Text)), nil
	case "evidence":
		return starlark.String(oneLine(q.q.Evidence)), nil
	case "schema":
		return q.seen[0].get(func() starlark.Value { return q.s.database(q.q.Schema) }), nil
	case "shown":
		return q.seen[1].get(func() starlark.Value { return q.s.database(q.s.part.kit.shuffled(q.q, q.s.sample)) }), nil
	case "whole":
		return q.seen[2].get(func() starlark.Value { return q.s.database(whole(q.q)) }), nil
	case "cut":
		return starlark.Bool(q.q.Whole != nil), nil
	case "has_file":
		return starlark.Bool(!q.q.Database.None()), nil
	case "sample":
		return starlark.MakeInt(q.s.sample), nil
	case "samples":
		return starlark.MakeInt(max(q.s.part.kit.arm.Model.Samples, 1)), nil
	case "with_values":
		return method(q.withValues).named(name), nil
	case "with_columns":
		return method(q.withColumns).named(name), nil
	}
	return nil, nil
}

// whole returns the question's schema before columns were chosen.
func whole(q prompting.Question) *schema.Database {
	if q.Whole != nil {
		return q.Whole
	}
	return q.Schema
}

// withValues is q.with_values(found, show = "first"): the question whose schema shows the values found.
func (q *question) withValues(_ *starlark.Thread, args starlark.Tuple, named []starlark.Tuple) (starlark.Value, error) {
	var found *starlark.List
	show := "first"
	if err := starlark.UnpackArgs("with_values", args, named, "found", &found, "show?", &show); err != nil {
		return nil, err
	}
	if _, ok := examples[show]; !ok {
		return nil, fmt.Errorf("with_values: show = %q: want first, instead or only", show)
	}
	var values []prompting.LinkedValue
	for i := range found.Len() {
		v, ok := found.Index(i).(*value)
		if !ok {
			return nil, fmt.Errorf("with_values: want what values() returned, not a %s", found.Index(i).Type())
		}
		values = append(values, prompting.LinkedValue{ColumnName: v.at, Value: v.text})
	}
	out := &question{s: q.s, q: q.q}
	out.q.Schema = WithValues(q.q.Schema, values, show)
	out.links = append(slices.Clip(q.links), prompting.Linked{Stage: q.s.part.name, Values: values})
	return out, nil
}

// examples are the rules of a schema's examples, by values.show.
var examples = map[string]schema.Examples{"first": schema.EveryExample, "instead": schema.OfUnfound, "only": schema.NoExample}

// WithValues returns a copy of a description whose columns have the values found in them, the best first. show is
// values.show: which examples are shown besides them.
func WithValues(db *schema.Database, found []prompting.LinkedValue, show string) *schema.Database {
	out := *db
	out.Examples = examples[show]
	out.Tables = slices.Clone(db.Tables)
	for i := range out.Tables {
		t := &out.Tables[i]
		t.Columns = slices.Clone(t.Columns)
		for j := range t.Columns {
			c := &t.Columns[j]
			c.Found = nil
			for _, v := range found {
				if strings.EqualFold(v.Table, t.Name) && strings.EqualFold(v.Column, c.Name) && !slices.Contains(c.Found, v.Value) {
					c.Found = append(c.Found, v.Value)
				}
			}
		}
	}
	return &out
}

// withColumns is q.with_columns(columns, ordered = False): the question with a schema cut down to them and the keys that join
// them; with none, all of it. Ordered, tables and columns stand in the order given, and keys that were not given after them.
func (q *question) withColumns(_ *starlark.Thread, args starlark.Tuple, named []starlark.Tuple) (starlark.Value, error) {
	var chosen *starlark.List
	ordered := false
	if err := starlark.UnpackArgs("with_columns", args, named, "columns", &chosen, "ordered?", &ordered); err != nil {
		return nil, err
	}
	given, err := columnNames(chosen)
	if err != nil {
		return nil, fmt.Errorf("with_columns: %w", err)
	}
	names := columns.Ordered(q.q.Schema, given)
	out := &question{s: q.s, q: q.q}
	out.q.Whole = whole(q.q)
	out.q.Schema = q.q.Schema.Cut(q.q.Schema.Joined(names))
	if ordered {
		out.q.Schema = out.q.Schema.Arranged(given)
	}
	out.links = append(slices.Clip(q.links), prompting.Linked{Stage: q.s.part.name, Chosen: names, Shown: out.q.Schema.Columns()})
	return out, nil
}

// columnNames reads a list of columns: objects with .table and .column, or texts "table.column".
func columnNames(in *starlark.List) (out []schema.ColumnName, err error) {
	for i := range in.Len() {
		switch v := in.Index(i).(type) {
		case *columnRef:
			out = append(out, v.at)
		case *value:
			out = append(out, v.at)
		case starlark.String:
			table, column, ok := strings.Cut(string(v), ".")
			if !ok {
				return nil, fmt.Errorf("%s: want \"table.column\"", v)
			}
			out = append(out, schema.ColumnName{Table: table, Column: column})
		default:
			return nil, fmt.Errorf("want columns, not a %s", v.Type())
		}
	}
	return out, nil
}

// columnRef names a column.
type columnRef struct {
	base
	at schema.ColumnName
}

func (c *columnRef) String() string      { return c.at.Dotted() }
func (c *columnRef) Type() string        { return "column" }
func (c *columnRef) AttrNames() []string { return []string{"column", "table"} }

// Attr returns the table or the column.
func (c *columnRef) Attr(name string) (starlark.Value, error) { return place(c.at, name), nil }

func place(at schema.ColumnName, name string) starlark.Value {
	switch name {
	case "table":
		return starlark.String(at.Table)
	case "column":
		return starlark.String(at.Column)
	}
	return nil
}

// value is a value of the database that a question seems to mention.
type value struct {
	base
	at   schema.ColumnName
	text string
}

func (v *value) String() string      { return fmt.Sprintf("%s = %q", v.at.Dotted(), v.text) }
func (v *value) Type() string        { return "value" }
func (v *value) AttrNames() []string { return []string{"column", "table", "value"} }

// Attr returns the value, or the table or column that it stands in.
func (v *value) Attr(name string) (starlark.Value, error) {
	if name == "value" {
		return starlark.String(v.text), nil
	}
	return place(v.at, name), nil
}

// database is a schema.
type database struct {
	base
	db   *schema.Database
	rows int // schema.rows: examples that prompts show of a column

	tables, keys shared
}

// database returns a schema as the arm shows it.
func (s *session) database(db *schema.Database) *database {
	return &database{db: db, rows: s.part.kit.arm.Schema.Rows}
}

func (d *database) String() string      { return fmt.Sprintf("schema(%q)", d.db.Name) }
func (d *database) Type() string        { return "schema" }
func (d *database) AttrNames() []string { return []string{"foreign_keys", "name", "tables"} }

// Attr returns the name, the tables or the foreign keys.
func (d *database) Attr(name string) (starlark.Value, error) {
	switch name {
	case "name":
		return starlark.String(d.db.Name), nil
	case "tables":
		return d.tables.get(func() starlark.Value { return list(d.db.Tables, d.table) }), nil
	case "foreign_keys":
		return d.keys.get(func() starlark.Value { return list(d.db.ForeignKeys, foreignKey) }), nil
	}
	return nil, nil
}

func foreignKey(k schema.ForeignKey) starlark.Value {
	return record("foreign_key", "table", k.Table, "column", k.Column, "ref_table", k.RefTable, "ref_column", k.RefColumn)
}

// table is one table: its name, description, primary key, number of rows (-1: unknown), DDL, example rows and columns.
func (d *database) table(t schema.Table) starlark.Value {
	rows := list(t.Samples, func(row []string) starlark.Value {
		return list(row, func(s string) starlark.Value { return starlark.String(s) })
	})
	return record("table", "name", t.Name, "description", t.Description, "primary_key", t.PrimaryKey, "rows", t.Rows, "ddl", t.DDL,
		"samples", rows, "columns", list(t.Columns, d.column))
}

func (d *database) column(c schema.Column) starlark.Value {
	others := c.Samples[:min(len(c.Samples), render.Others(d.db, c, d.rows))]
	return record("column", "name", c.Name, "type", c.Type, "meaning", c.Meaning, "description", c.Description, "values", c.Values,
		"found", c.Found, "samples", c.Samples, "shown", slices.Concat(c.Found, others))
}

// record makes a struct of names and values: texts, numbers, lists of texts, or Starlark's own.
func record(kind string, pairs ...any) starlark.Value {
	d := starlark.StringDict{}
	for i := 0; i < len(pairs); i += 2 {
		name := pairs[i].(string)
		v, ok := pairs[i+1].(starlark.Value)
		if !ok {
			var err error
			if v, err = toStarlark(pairs[i+1]); err != nil {
				v = starlark.None // unreachable: callers give texts, numbers and lists of texts
			}
		}
		d[name] = v
	}
	return starlarkstruct.FromStringDict(starlark.String(kind), d)
}

// demo is a demonstration as a method sees it. All but the SQL is on one line. It is safe for concurrent use.
type demo struct {
	base
	kit *kit
	d   exemplar.Demo

	mu   sync.Mutex
	made map[string]starlark.Value // attributes that were asked for: most strategies show the same few for every question
}

// demo returns a demonstration, the same object for the same demonstration.
func (k *kit) demo(d exemplar.Demo) *demo {
	k.mu.Lock()
	defer k.mu.Unlock()
	if known, ok := k.demos[d.ID]; ok {
		return known
	}
	out := &demo{kit: k, d: d, made: map[string]starlark.Value{}}
	if len(k.demos) < mostDemos {
		k.demos[d.ID] = out
	}
	return out
}

func (d *demo) String() string { return fmt.Sprintf("demo(%q)", d.d.ID) }
func (d *demo) Type() string   { return "demo" }
func (d *demo) AttrNames() []string {
	return []string{"cot", "db", "dialogue", "division", "evidence", "hardness", "id", "input", "needed", "plan", "question", "schema", "sql", "steps"}
}

// Attr returns an attribute; input prints question and schema in the arm's format.
func (d *demo) Attr(name string) (starlark.Value, error) {
	d.mu.Lock()
	v, ok := d.made[name]
	d.mu.Unlock()
	if ok {
		return v, nil
	}
	v, err := d.attr(name)
	if err != nil || v == nil {
		return nil, err
	}
	v.Freeze() // questions share it
	d.mu.Lock()
	defer d.mu.Unlock()
	d.made[name] = v
	return v, nil
}

func (d *demo) attr(name string) (starlark.Value, error) {
	text := func(s string) (starlark.Value, error) { return starlark.String(s), nil }
	switch name {
	case "id":
		return text(d.d.ID)
	case "db":
		return text(d.d.DB)
	case "hardness":
		return text(d.d.Hardness)
	case "question":
		return text(oneLine(d.d.Question))
	case "evidence":
		return text(oneLine(d.d.Evidence))
	case "sql":
		return text(strings.TrimSpace(d.d.SQL))
	case "cot":
		return text(oneLine(d.d.CoT))
	case "plan":
		return text(strings.TrimSpace(d.d.Plan))
	case "needed":
		return text(d.needed())
	case "input":
		s, err := d.kit.print.input(render.Ask{DB: d.d.Schema, Question: d.d.Question, Evidence: d.d.Evidence})
		return starlark.String(s), err
	case "schema":
		return &database{db: d.d.Schema, rows: d.kit.arm.Schema.Rows}, nil
	case "steps":
		return list(d.d.Steps, stepOf), nil
	case "dialogue":
		return list(d.d.Dialogue, turnOf), nil
	case "division":
		if d.d.Division == nil {
			return starlark.None, nil
		}
		return divisionOf(d.d.Division), nil
	}
	return nil, nil
}

// needed is the sub-questions before the last, quoted and separated by commas; the last where it is alone.
func (d *demo) needed() string {
	before := d.d.Steps[:max(len(d.d.Steps)-1, min(len(d.d.Steps), 1))]
	quoted := make([]string, len(before))
	for i, s := range before {
		quoted[i] = `"` + oneLine(s.Question) + `"`
	}
	return strings.Join(quoted, ", ")
}

func stepOf(s exemplar.Step) starlark.Value {
	return record("step", "question", oneLine(s.Question), "columns", oneLine(s.Columns), "sql", strings.TrimSpace(s.SQL))
}

// turnOf is a turn of an agent's dialogue.
func turnOf(t exemplar.Turn) starlark.Value {
	return record("turn", "thought", t.Thought, "action", t.Action, "observation", t.Observation)
}

// divisionOf is a question divided and conquered: its parts, the parts in the order of assembly, and the simplification.
func divisionOf(d *exemplar.Division) starlark.Value {
	return record("division", "parts", list(d.Parts, partOf), "assembly", list(d.Assembly(), partOf), "simplify", oneLine(d.Simplify))
}

func partOf(p exemplar.Part) starlark.Value {
	label, indent := "Main Question", ""
	if p.Number != "" {
		label, indent = "Sub-question "+p.Number, strings.Repeat("  ", 1+strings.Count(p.Number, "."))
	}
	return record("part", "label", label, "indent", indent, "number", p.Number, "question", oneLine(p.Question), "analysis", oneLine(p.Analysis),
		"pseudo", oneLine(p.Pseudo), "sql", oneLine(p.SQL))
}

// oneLine replaces each run of white space by one space.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
