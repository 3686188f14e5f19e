package tools

import (
	"context"
	"errors"
	"os"
	"slices"
	"sync"

	"assay/prompting/schema"
	"assay/prompting/values"
)

// DefaultDesks is how many databases a [Cache] keeps.
const DefaultDesks = 16

// Cache keeps what the tools work out once a database: statistics and vectors of columns, the graph of its keys, and
// the index of its values where no other opener is given. It is safe for concurrent use.
type Cache struct {
	most int

	mu     sync.Mutex
	desks  map[string]*desk
	recent []string // keys of desks, the latest last
}

// NewCache is a Cache of at most that many databases, the latest used; 0 means DefaultDesks.
func NewCache(databases int) *Cache {
	if databases <= 0 {
		databases = DefaultDesks
	}
	return &Cache{most: databases, desks: map[string]*desk{}}
}

// desk is what is known of one database. Maps are guarded by mu, and grow by what models ask for: statistics by column,
// matrices by description.
type desk struct {
	graph func() *keys

	mu       sync.Mutex
	stats    map[[2]string]string
	matrices map[string]*matrix

	opening sync.Mutex // held while the index is opened
	index   *values.Index
	owned   bool
}

// desk returns that of a database file as it is now: a changed file gets a new one.
func (c *Cache) desk(path string, db *schema.Database) *desk {
	key := path
	if info, err := os.Stat(path); err == nil {
		key += "\x00" + info.ModTime().String() + "\x00" + itoa(int(info.Size()))
	}
	key += "\x00" + fingerprint(db)
	c.mu.Lock()
	defer c.mu.Unlock()
	d := c.desks[key]
	if d == nil {
		d = &desk{stats: map[[2]string]string{}, matrices: map[string]*matrix{}, graph: sync.OnceValue(func() *keys { return newKeys(db) })}
		c.desks[key] = d
	} else if i := slices.Index(c.recent, key); i >= 0 {
		c.recent = slices.Delete(c.recent, i, i+1)
	}
	if c.recent = append(c.recent, key); len(c.recent) > c.most {
		// Not closed: a Set may be using its index. What the collector finds unused is closed then.
		delete(c.desks, c.recent[0])
		c.recent = slices.Delete(c.recent, 0, 1)
	}
	return d
}

// Close closes the indexes that the Cache has opened. Sets that use it must be done.
func (c *Cache) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var all []error
	for _, key := range c.recent {
		d := c.desks[key]
		d.opening.Lock()
		if d.owned && d.index != nil {
			all = append(all, d.index.Close())
		}
		d.index = nil
		d.opening.Unlock()
	}
	clear(c.desks)
	c.recent = nil
	return errors.Join(all...)
}

// open returns the index of the database's values, opened once.
func (d *desk) open(ctx context.Context, s *Set) (*values.Index, error) {
	d.opening.Lock()
	defer d.opening.Unlock()
	if d.index != nil {
		return d.index, nil
	}
	open := s.o.Values
	if open == nil {
		open, d.owned = values.Open, true
	}
	var err error
	d.index, err = open(ctx, s.path, s.o.Index)
	return d.index, err
}
