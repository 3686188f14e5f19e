package record

import "assay/prompting/exemplar"

// Shown returns the SQL of the examples in the call's prompt, as its note lists them; nil where it lists none.
func (c Call) Shown() []string { return exemplar.NotedSQL(c.Note) }
