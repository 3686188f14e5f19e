package plan

import (
	"context"
	"errors"
	"path/filepath"
	"sync"

	"assay/prompting/sql/engine"
	"assay/prompting/values"
)

// indexes holds the value indexes that a run has opened, one per database and choice of columns. Methods share them, as
// building one reads the whole database.
type indexes struct {
	dir string // folder of the index files; empty: the user's cache folder
	*shelf
}

// shelf holds the open indexes, safe for concurrent use. Copies of indexes share it.
type shelf struct {
	mu   sync.Mutex
	open map[indexKey]*slot
}

// indexKey names an index by its database and the rule that chooses its columns.
type indexKey struct {
	db      engine.DB
	columns string
}

// slot is one index. Its own mu is held while the index is opened, so that other databases need not wait.
type slot struct {
	mu    sync.Mutex
	index *values.Index
}

func newIndexes(cache string) indexes {
	x := indexes{shelf: &shelf{open: map[indexKey]*slot{}}}
	if cache != "" {
		x.dir = filepath.Join(cache, "values")
	}
	return x
}

// open returns the index of a database for these building options, which the first call builds. Plan.Close closes it.
func (x indexes) open(ctx context.Context, db engine.DB, o values.Options) (*values.Index, error) {
	x.mu.Lock()
	key := indexKey{db, o.Columns}
	p := x.shelf.open[key]
	if p == nil {
		p = &slot{}
		x.shelf.open[key] = p
	}
	x.mu.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.index != nil {
		return p.index, nil
	}
	if o.Dir == "" {
		o.Dir = x.dir
	}
	var err error
	p.index, err = values.Open(ctx, db, o)
	return p.index, err
}

// close closes every open index.
func (x indexes) close() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	var all []error
	for _, p := range x.shelf.open {
		p.mu.Lock()
		if p.index != nil {
			all = append(all, p.index.Close())
		}
		p.index = nil
		p.mu.Unlock()
	}
	return errors.Join(all...)
}
