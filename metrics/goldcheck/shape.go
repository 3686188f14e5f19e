package goldcheck

import (
	"context"
	"fmt"

	"assay/prompting/sql/engine"
	"assay/prompting/sql/schema"
	"assay/prompting/sql/sqlite"
)

// shape is what the lints need of a database: names, and the affinity of each column.
type shape struct {
	schema   *schema.Database
	affinity map[schema.ColumnName]sqlite.Affinity // spelled as in schema
	numbers  map[schema.ColumnName]bool            // whether a text column holds numbers; filled in as asked
}

// shape reads the shape of a database, once.
func (c *checker) shape(ctx context.Context, db engine.DB) (*shape, error) {
	if s := c.shapes[db]; s != nil {
		return s, nil
	}
	outline, err := db.Engine.Outline(ctx, db.Source)
	if err != nil {
		return nil, fmt.Errorf("read schema of %q: %w", db.Source, err)
	}
	s := &shape{schema: outline, affinity: map[schema.ColumnName]sqlite.Affinity{}, numbers: map[schema.ColumnName]bool{}}
	for _, t := range outline.Tables {
		for _, col := range t.Columns {
			s.affinity[schema.ColumnName{Table: t.Name, Column: col.Name}] = sqlite.AffinityOf(col.Type)
		}
	}
	c.shapes[db] = s
	return s, nil
}
