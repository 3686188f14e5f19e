package star

import "go.starlark.net/starlark"

// The hash of a text is seeded anew in each process; those of numbers, and of tuples of them, are known, so that a file can
// choose keys that collide: then each look-up compares with all of them. A crowd counts the keys of a table by the low bits
// of their hashes, so that such a look-up is charged what it takes, and others are not.
type crowd struct {
	keys  int
	share [4096]uint32
}

// fewKeys is a table so small that its keys may as well collide.
const fewKeys = 256

// seeded tells whether the hash of a key cannot be known to a file.
func seeded(k value) bool {
	switch k.(type) {
	case starlark.String, starlark.Bytes, starlark.Bool, starlark.NoneType:
		return true
	}
	return false
}

// add counts a key and returns what finding it may take, in steps. Keys that do not collide on purpose cost the same
// whatever the process's seed.
func (c *crowd) add(k value) int {
	h, err := k.Hash()
	if err != nil {
		return 0
	}
	c.keys++
	c.share[h%4096]++
	return c.steps(h)
}

// steps is what finding a key with that hash may take.
func (c *crowd) steps(hash uint32) int {
	if c.keys <= fewKeys {
		return c.keys
	}
	if n := int(c.share[hash%4096]); n >= 64 {
		return 10 * n
	}
	return 200 // where the table is still small, as many may collide that differ in these bits
}

// crowdOf counts the keys of a dict or set.
func crowdOf(table value) (c *crowd, steps int) {
	c = new(crowd)
	switch table := table.(type) {
	case *starlark.Dict:
		for k := range table.Entries() {
			if !seeded(k) {
				steps += c.add(k)
			}
		}
	case *starlark.Set:
		for k := range table.Elements() {
			if !seeded(k) {
				steps += c.add(k)
			}
		}
	}
	return c, steps
}

// crowd returns the counts of a table, which are kept for the length of the call. Keys that were put in by another way than
// [meter.find] are counted when their number is missed.
func (m *meter) crowd(t *thread, table value) (*crowd, error) {
	c, n := m.crowds[table], starlark.Len(table)
	if c != nil && 2*c.keys >= n {
		return c, nil
	}
	if err := build(t, 5*4096); err != nil {
		return nil, err
	}
	c, _ = crowdOf(table)
	c.keys = n // texts among them too
	if m.crowds == nil {
		m.crowds = map[value]*crowd{}
	}
	m.crowds[table] = c
	return c, work(t, n)
}

// key bounds and charges the look-up of k in a table; where it is about to be put there, it is counted.
func key(t *thread, k, table value, put bool) error {
	switch k := k.(type) {
	case starlark.String:
		return work(t, len(k)/64)
	case starlark.Int, starlark.Float, starlark.Bool, starlark.NoneType:
	default:
		if err := walk(t, k); err != nil {
			return err
		}
	}
	n := max(starlark.Len(table), 0)
	m, _ := t.Local(meterKey).(*meter)
	if seeded(k) || m == nil {
		return nil
	}
	if n <= fewKeys {
		return work(t, n)
	}
	switch table.(type) {
	case *starlark.Dict, *starlark.Set:
	default:
		return nil // the host's
	}
	c, err := m.crowd(t, table)
	if err != nil {
		return err
	}
	h, err := k.Hash()
	if err != nil {
		return nil // the operation's own error
	}
	if put {
		return work(t, c.add(k))
	}
	return work(t, c.steps(h))
}

// merge bounds and charges putting the keys of args into a table, or looking each up in it.
func merge(t *thread, table value, args tuple) (tuple, error) {
	args, err := finite(t, args)
	if err != nil {
		return nil, err
	}
	n := max(starlark.Len(table), 0)
	c, _ := crowdOf(table)
	steps := n
	for _, v := range args {
		items, ok := v.(starlark.Iterable)
		if !ok {
			continue
		}
		if n += starlark.Len(items); n > maxItems {
			return nil, errItems
		}
		for k := range starlark.Elements(items) {
			if _, pair := table.(*starlark.Dict); pair {
				k = first(k)
			}
			if seeded(k) {
				continue
			}
			if err := walk(t, k); err != nil {
				return nil, err
			}
			if steps += c.add(k); steps > maxSteps {
				break
			}
		}
	}
	if err := work(t, steps); err != nil {
		return nil, err
	}
	return args, build(t, n*sizeEntry)
}

// first is the key of a pair, or the value itself where it is none.
func first(pair value) value {
	if p, ok := pair.(starlark.Indexable); ok && p.Len() == 2 {
		return p.Index(0)
	}
	return pair
}
