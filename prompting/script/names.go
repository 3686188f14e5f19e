package script

import (
	"maps"
	"slices"

	"assay/prompting/exemplar"
	"assay/prompting/extract"
	"assay/prompting/script/star"
	"assay/prompting/sql/schema"
	"assay/prompting/sql/tree"
	"assay/prompting/tools"

	"go.starlark.net/starlark"
)

// Names are what a method's files can name, each list sorted: what the reference page for authors must hold.
type Names struct {
	Functions  []string            // of the host, in method.star
	Helpers    []string            // of package star, with the functions of its modules: "json.encode"
	Templates  []string            // in a template
	Attributes map[string][]string // by the kind of value
	Features   []string            // of demonstrations, for needs and takes
}

// AllNames returns the names.
func AllNames() Names {
	n := Names{Functions: slices.Sorted(maps.Keys(hostFunctions())), Helpers: star.Helpers(), Templates: slices.Sorted(slices.Values(scopeNames)),
		Attributes: map[string][]string{}}
	n.Functions = slices.Sorted(slices.Values(append(n.Functions, "defaults")))
	for kind, v := range examplesOfKinds() {
		n.Attributes[kind] = slices.Sorted(slices.Values(v.AttrNames()))
	}
	for _, f := range exemplar.Features {
		n.Features = append(n.Features, f.ID)
	}
	slices.Sort(n.Features)
	return n
}

// examplesOfKinds are values of every kind, of which only the names of the attributes are read.
func examplesOfKinds() map[string]starlark.HasAttrs {
	d := &database{db: &schema.Database{}}
	record := func(v starlark.Value) starlark.HasAttrs { return v.(starlark.HasAttrs) } // records have attributes
	return map[string]starlark.HasAttrs{
		"question": &question{}, "completion": &completion{}, "candidate": &candidate{}, "result": &result{}, "demo": &demo{},
		"schema": d, "message": &message{}, "value": &value{}, "column name": &columnRef{}, "tool call": &toolCall{}, "action": &action{},
		"database tools": &toolset{}, "timer": &clock{}, "rand": &random{}, "choice": &choice{},
		"table": record(d.table(schema.Table{})), "column": record(d.column(schema.Column{})), "foreign key": record(foreignKey(schema.ForeignKey{})),
		"parsed query": record(partsOf(tree.Parts{}, false)),
		"step":         record(stepOf(exemplar.Step{})), "turn": record(turnOf(exemplar.Turn{})), "division": record(divisionOf(&exemplar.Division{})), "part of a division": record(partOf(exemplar.Part{})),
		"example": record(exampleOf(extract.Example{})), "observation": record(seen(tools.Observation{}, false)), "model": record(modelOf(0, 0, 0)),
	}
}
