package record

import "assay/prompting/exemplar"

// Shown is the SQL of the examples that the call's prompt showed, as its note lists them; nil where it lists none.
func (c Call) Shown() []string { return exemplar.NotedSQL(c.Note) }
