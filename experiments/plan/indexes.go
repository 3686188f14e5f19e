package plan

import (
	"context"
	"errors"
	"path/filepath"
	"sync"

	"assay/prompting/sql/engine"
	"assay/prompting/values"
)

// indexes keeps the indexes of the databases' values that a run has opened, each once.
type indexes struct {
	dir string // of the index files; empty: the user's cache folder
	*shelf
}

// shelf is safe for concurrent use.
type shelf struct {
	mu   sync.Mutex
	open map[shelfmark]*place
}

// shelfmark is an index: of a database, by the rule that chooses its columns.
type shelfmark struct {
	db      engine.DB
	columns string
}

// place is one index; mu is held while it is opened.
type place struct {
	mu    sync.Mutex
	index *values.Index
}

func newIndexes(cache string) indexes {
	x := indexes{shelf: &shelf{open: map[shelfmark]*place{}}}
	if cache != "" {
		x.dir = filepath.Join(cache, "values")
	}
	return x
}

// open returns the index of a database for these building options, built on the first call. It is closed with the
// plan.
func (x indexes) open(ctx context.Context, db engine.DB, o values.Options) (*values.Index, error) {
	x.mu.Lock()
	key := shelfmark{db, o.Columns}
	p := x.shelf.open[key]
	if p == nil {
		p = &place{}
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
