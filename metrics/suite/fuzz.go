package suite

import (
	"math/rand/v2"
	"slices"

	"assay/prompting/sql/engine"
)

// content is the rows of a neighbour, by catalog.tables.
type content [][]row

// profile has the probabilities by which one neighbour is made. It is drawn once per neighbour, so that neighbours
// differ in kind and not only by chance.
type profile struct {
	rows      int     // for a table, at most; tables vary
	mutate    float64 // of a cell, to be drawn anew
	null      float64 // of a drawn cell
	hint      float64 // of a drawn cell, to come from the literals of the gold queries
	plant     float64 // of a row, to have one cell set to a literal of the gold queries or what lies next to it
	near      float64 // of a drawn cell, to lie next to a value of the column
	repeat    float64 // of a row, to be the one before it but for its keys
	same      float64 // of a column, to have one value throughout
	keep      float64 // of a reference, to stay as it is where it can
	skew      bool    // few parents have most children
	focus     float64 // of a choice of row or parent, to fall on one with a literal of the gold queries
	keepOrder bool    // columns that gold queries order by stay without ties where they had none
	empty     *table  // to have no rows
}

func pick[T any](rng *rand.Rand, from ...T) T { return from[rng.IntN(len(from))] }

func newProfile(rng *rand.Rand, maxRows int) profile {
	return profile{
		rows:      min(maxRows, pick(rng, 1+rng.IntN(3), 4+rng.IntN(7), 8+rng.IntN(20), 20+rng.IntN(60), maxRows, maxRows, maxRows)),
		mutate:    pick(rng, 0.03, 0.1, 0.25, 0.5),
		null:      pick(rng, 0, 0, 0.05, 0.2),
		hint:      pick(rng, 0.2, 0.4, 0.7),
		plant:     pick(rng, 0, 0.3, 0.8),
		near:      pick(rng, 0, 0.1, 0.3),
		repeat:    pick(rng, 0, 0.1, 0.3),
		same:      pick(rng, 0, 0, 0.05, 0.2),
		keep:      pick(rng, 0.95, 0.6, 0.1),
		skew:      rng.IntN(2) == 0,
		focus:     pick(rng, 0, 0.3, 0.6, 0.9),
		keepOrder: rng.IntN(5) > 0,
	}
}

// fuzzer makes one neighbour.
type fuzzer struct {
	cat  *catalog
	rng  *rand.Rand
	p    profile
	out  content
	keys map[*table][]map[string]bool // keys taken, by unique set
	used map[*column]map[engine.Value]bool
	made map[*table]bool
	next int64 // for new numbers
}

// neighbour makes the content of a neighbour. Keys and references hold in it, as far as the catalog knows them.
func (c *catalog) neighbour(rng *rand.Rand, p profile) content {
	f := &fuzzer{cat: c, rng: rng, p: p, out: make(content, len(c.tables)), keys: map[*table][]map[string]bool{},
		used: map[*column]map[engine.Value]bool{}, made: map[*table]bool{}}
	for _, t := range c.order {
		f.table(t)
		f.made[t] = true
	}
	c.purge(f.out)
	return f.out
}

func (f *fuzzer) table(t *table) {
	if t.opaque {
		f.out[t.at] = t.rows
		return
	}
	f.claim(t)
	if len(t.rows) == 0 || f.p.empty == t {
		return
	}
	n := min(f.p.rows, max(len(t.rows)+len(t.rows)/2, 8))
	if n > 3 && f.rng.IntN(3) == 0 {
		n = 1 + f.rng.IntN(n)
	}
	same := make([]bool, len(t.columns))
	constant := make(row, len(t.columns))
	for i := range t.columns {
		if same[i] = f.rng.Float64() < f.p.same && !t.inUnique(i) && t.foreignOf(i) < 0; same[i] {
			constant[i] = f.draw(t, i)
		}
	}
	order := f.sample(t, n)
	for i := range n {
		r := slices.Clone(t.rows[order[i%len(order)]])
		if i > 0 && len(f.out[t.at]) > 0 && f.rng.Float64() < f.p.repeat {
			r = slices.Clone(f.out[t.at][len(f.out[t.at])-1])
		} else {
			f.mutate(t, r, same, constant)
		}
		f.insert(t, r)
	}
}

// sample picks up to n rows of the original, in their order.
func (f *fuzzer) sample(t *table, n int) []int {
	order := f.rng.Perm(len(t.rows))
	if n >= len(order) {
		slices.Sort(order)
		return order
	}
	if f.p.focus > 0 { // rows that gold queries ask for come first, up to their share
		share := int(float64(n) * f.p.focus)
		slices.SortStableFunc(order, func(a, b int) int { return boolOrder(t.asks(t.rows[a])) - boolOrder(t.asks(t.rows[b])) })
		for i := share; i < n; i++ {
			j := i + f.rng.IntN(len(order)-i)
			order[i], order[j] = order[j], order[i]
		}
	}
	order = order[:n]
	slices.Sort(order)
	return order
}

func boolOrder(first bool) int {
	if first {
		return 0
	}
	return 1
}

// claim prepares the sets of used keys of a table.
func (f *fuzzer) claim(t *table) {
	for range t.unique {
		f.keys[t] = append(f.keys[t], map[string]bool{})
	}
	for i := range t.columns {
		f.used[&t.columns[i]] = map[engine.Value]bool{}
	}
}

func (f *fuzzer) mutate(t *table, r row, same []bool, constant row) {
	for i := range t.columns {
		switch {
		case same[i]:
			r[i] = constant[i]
		case f.rng.Float64() < f.p.mutate && t.foreignOf(i) < 0:
			r[i] = f.draw(t, i)
		}
	}
	if f.rng.Float64() < f.p.plant {
		f.plant(t, r)
	}
}

// plant sets one cell of a row to a literal of the gold queries, or to what lies next to it.
func (f *fuzzer) plant(t *table, r row) {
	var hinted []int
	for i := range t.columns {
		if len(t.columns[i].asked) > 0 && t.foreignOf(i) < 0 {
			hinted = append(hinted, i)
		}
	}
	if len(hinted) > 0 {
		i := hinted[f.rng.IntN(len(hinted))]
		r[i] = t.columns[i].hints[f.rng.IntN(len(t.columns[i].hints))]
	}
}

// draw returns a value for a column: NULL, a literal of a gold query or its neighbour, a value next to one of its own,
// or one of its own.
func (f *fuzzer) draw(t *table, i int) engine.Value {
	c := &t.columns[i]
	if c.mayBeNull() && f.rng.Float64() < f.p.null {
		return engine.Value{}
	}
	if len(c.hints) > 0 && f.rng.Float64() < f.p.hint {
		return c.hints[f.rng.IntN(len(c.hints))]
	}
	if len(c.pool) == 0 {
		if len(c.hints) > 0 {
			return c.hints[f.rng.IntN(len(c.hints))]
		}
		return t.rows[f.rng.IntN(len(t.rows))][i]
	}
	v := c.pool[f.rng.IntN(len(c.pool))]
	if !c.linked && f.rng.Float64() < f.p.near {
		near := neighbours(v, false)
		v = c.fit(near[f.rng.IntN(len(near))])
	}
	return v
}

// insert adds a row once its references and keys hold, or drops it.
func (f *fuzzer) insert(t *table, r row) {
	for i := range t.foreign {
		if !f.refer(t, r, &t.foreign[i], false) {
			return
		}
	}
	f.spread(t, r)
	for range 8 {
		set := f.taken(t, r)
		if set < 0 {
			for s, columns := range t.unique {
				if key, ok := keyOf(r, columns); ok {
					f.keys[t][s][key] = true
				}
			}
			for i := range t.columns {
				f.used[&t.columns[i]][r[i].Canonical()] = true
			}
			f.out[t.at] = append(f.out[t.at], r)
			return
		}
		f.renew(t, r, t.unique[set])
	}
}

// taken returns the first unique set whose key another row has, or that lacks a part it must have; -1 if all is well.
func (f *fuzzer) taken(t *table, r row) int {
	for s, columns := range t.unique {
		key, whole := keyOf(r, columns)
		if f.keys[t][s][key] && whole || !whole && s == 0 && t.primary {
			return s
		}
	}
	return -1
}

// renew changes one column of a set to a value that is new to the table, or picks another parent.
func (f *fuzzer) renew(t *table, r row, set []int) {
	i := set[f.rng.IntN(len(set))]
	if at := t.foreignOf(i); at >= 0 {
		f.refer(t, r, &t.foreign[at], true)
		return
	}
	r[i] = f.fresh(&t.columns[i], r[i])
}

// spread keeps columns without ties that gold queries order by.
func (f *fuzzer) spread(t *table, r row) {
	for i := range t.columns {
		c := &t.columns[i]
		if f.p.keepOrder && c.sorted && c.distinct && f.used[c][r[i].Canonical()] && t.foreignOf(i) < 0 {
			r[i] = f.fresh(c, r[i])
		}
	}
}

// fresh returns a value that no row has, near to v where it can be.
func (f *fuzzer) fresh(c *column, v engine.Value) engine.Value {
	f.next++
	text := v.Kind() == engine.Text
	for d := int64(1); d < 1000; d++ {
		var w engine.Value
		switch {
		case text && d < 27:
			w = engine.OfText(v.Bytes() + string(rune('a'+d-1)))
		case text:
			w = engine.OfText(v.Bytes() + engine.OfInt(f.next+d).String())
		case v.Kind() == engine.Real:
			w = engine.OfReal(roundTo(v.Float64() + float64(d)/10))
		case v.Kind() == engine.Blob:
			w = engine.OfBlob([]byte(v.Bytes() + string(rune(d))))
		default:
			w = engine.OfInt(v.Int64() + d)
		}
		if w = c.fit(w); !f.used[c][w.Canonical()] {
			return w
		}
	}
	return v
}

// refer makes a reference of a row hold: as it is, as NULL, or by another parent, which again demands. It is false
// where there is no parent to have. References to tables not made yet are left to purge.
func (f *fuzzer) refer(t *table, r row, fk *foreignKey, again bool) bool {
	if fk.parent != t && !f.made[fk.parent] {
		return true
	}
	parents := f.out[fk.parent.at]
	if fk.soft && !again && (len(parents) == 0 || f.rng.IntN(8) == 0) {
		return true
	}
	optional := fk.optional(t)
	if !again && f.rng.Float64() < f.p.keep {
		key, whole := keyOf(r, fk.columns)
		if !whole && optional || whole && hasKey(parents, fk.key, key) {
			return true
		}
	}
	if optional && (len(parents) == 0 || f.rng.Float64() < f.p.null) {
		for _, i := range fk.columns {
			if t.columns[i].mayBeNull() {
				r[i] = engine.Value{}
			}
		}
		return true
	}
	if len(parents) == 0 {
		if fk.parent == t { // the first row may refer to itself
			for k, i := range fk.columns {
				r[i] = r[fk.key[k]]
			}
			return true
		}
		return fk.soft
	}
	at := f.rng.IntN(len(parents))
	if f.p.skew {
		u := f.rng.Float64()
		at = int(u * u * u * float64(len(parents)))
	}
	if f.rng.Float64() < f.p.focus {
		for d := range parents { // the next that gold queries ask for
			if p := (at + d) % len(parents); fk.parent.asks(parents[p]) {
				at = p
				break
			}
		}
	}
	for k, i := range fk.columns {
		r[i] = parents[at][fk.key[k]]
	}
	return true
}

// optional reports whether some column of the reference may be NULL.
func (fk *foreignKey) optional(t *table) bool {
	return slices.ContainsFunc(fk.columns, func(i int) bool { return t.columns[i].mayBeNull() })
}

func hasKey(rows []row, columns []int, key string) bool {
	return slices.ContainsFunc(rows, func(r row) bool { k, ok := keyOf(r, columns); return ok && k == key })
}

// purge makes references hold by NULLs, and where these may not be, by taking rows away, until nothing changes.
func (c *catalog) purge(rows content) {
	for changed := true; changed; {
		changed = false
		for _, t := range c.tables {
			for i := range t.foreign {
				if fk := &t.foreign[i]; !fk.soft {
					changed = c.purgeOne(rows, t, fk) || changed
				}
			}
		}
	}
}

func (c *catalog) purgeOne(rows content, t *table, fk *foreignKey) (changed bool) {
	keys := map[string]bool{}
	for _, r := range rows[fk.parent.at] {
		if key, ok := keyOf(r, fk.key); ok {
			keys[key] = true
		}
	}
	kept := rows[t.at][:0:0]
	for _, r := range rows[t.at] {
		key, whole := keyOf(r, fk.columns)
		if whole && !keys[key] {
			changed = true
			if !fk.optional(t) {
				continue
			}
			r = slices.Clone(r)
			for _, i := range fk.columns {
				if t.columns[i].mayBeNull() {
					r[i] = engine.Value{}
				}
			}
		}
		kept = append(kept, r)
	}
	rows[t.at] = kept
	return changed
}

// perturb changes a few rows of a neighbour: a value here, a row less or more there.
func (c *catalog) perturb(rng *rand.Rand, p profile, old content, tables []*table) content {
	f := &fuzzer{cat: c, rng: rng, p: p, out: make(content, len(old)), keys: map[*table][]map[string]bool{},
		used: map[*column]map[engine.Value]bool{}, made: map[*table]bool{}}
	for _, t := range c.tables {
		f.out[t.at] = slices.Clone(old[t.at])
		f.made[t] = true
	}
	for range 1 + rng.IntN(4) {
		t := tables[rng.IntN(len(tables))]
		if rows := f.out[t.at]; len(rows) > 0 && !t.opaque {
			f.change(t, rng.IntN(len(rows)))
		}
	}
	c.purge(f.out)
	return f.out
}

// change changes one row, removes it, or adds one like it. The sets of used keys are rebuilt from the rows.
func (f *fuzzer) change(t *table, at int) {
	rows := f.out[t.at]
	r := slices.Clone(rows[at])
	how := f.rng.IntN(3)
	if how != 2 {
		f.out[t.at] = slices.Delete(rows, at, at+1)
	}
	if how == 1 && len(rows) > 2 {
		return
	}
	f.keys[t] = nil
	f.claim(t)
	for _, o := range f.out[t.at] {
		for s, columns := range t.unique {
			if key, ok := keyOf(o, columns); ok {
				f.keys[t][s][key] = true
			}
		}
		for i := range t.columns {
			f.used[&t.columns[i]][o[i].Canonical()] = true
		}
	}
	none := make([]bool, len(t.columns))
	f.mutate(t, r, none, nil)
	f.insert(t, r)
}

func newRand(seed, stream uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, stream)) }
