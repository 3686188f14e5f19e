package tools

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"assay/prompting/sql/schema"

	"gonum.org/v1/gonum/graph/path"
	"gonum.org/v1/gonum/graph/simple"
)

// maxPaths bounds the shortest paths shown per pair.
const maxPaths = 10

// keys is the undirected graph of a database's foreign keys. Its nodes are the tables; a column is reached from its
// table at no cost, so it shares its table's node, and the length of a path is the number of its joins.
type keys struct {
	db     *schema.Database
	places map[string][]place // what a name means, in lower case
	graph  *simple.UndirectedGraph
	joins  map[[2]int64][]string // conditions between two tables, sorted
	near   [][]int64             // neighbours of each table, by name
}

// place is a table, or a column of one.
type place struct {
	table  int64
	column string // empty: the table
}

func newKeys(db *schema.Database) *keys {
	k := &keys{db: db, places: map[string][]place{}, graph: simple.NewUndirectedGraph(), joins: map[[2]int64][]string{},
		near: make([][]int64, len(db.Tables))}
	number := map[string]int64{}
	add := func(name string, p place) {
		name = strings.ToLower(name)
		k.places[name] = append(k.places[name], p)
	}
	for i, t := range db.Tables {
		n := int64(i)
		k.graph.AddNode(simple.Node(n))
		number[strings.ToLower(t.Name)] = n
		add(t.Name, place{n, ""})
		for _, c := range t.Columns {
			add(t.Name+"."+c.Name, place{n, c.Name})
			if !strings.EqualFold(c.Name, t.Name) {
				add(c.Name, place{n, c.Name})
			}
		}
	}
	for _, f := range db.ForeignKeys {
		from, ok := number[strings.ToLower(f.Table)]
		to, found := number[strings.ToLower(f.RefTable)]
		if ok && found && from != to {
			k.join(from, to, f)
		}
	}
	for i := range k.near {
		slices.SortFunc(k.near[i], func(a, b int64) int { return strings.Compare(db.Tables[a].Name, db.Tables[b].Name) })
	}
	return k
}

// join adds an edge, written for either direction.
func (k *keys) join(from, to int64, f schema.ForeignKey) {
	if !k.graph.HasEdgeBetween(from, to) {
		k.graph.SetEdge(simple.Edge{F: simple.Node(from), T: simple.Node(to)})
		k.near[from], k.near[to] = append(k.near[from], to), append(k.near[to], from)
	}
	here, there := qualified(f.Table, f.Column), qualified(f.RefTable, f.RefColumn)
	for pair, text := range map[[2]int64]string{{from, to}: here + " = " + there, {to, from}: there + " = " + here} {
		if at, ok := slices.BinarySearch(k.joins[pair], text); !ok {
			k.joins[pair] = slices.Insert(k.joins[pair], at, text)
		}
	}
}

func qualified(table, column string) string { return schema.Quote(table) + "." + schema.Quote(column) }

// findShortestPath lists, for each start and each end, the shortest joins between them: one line per path, paths of
// equal length in the order of their text. Pairs that are joined alike share a line.
func (s *Set) findShortestPath(_ context.Context, starts, ends []string) (Observation, error) {
	k := s.desk.graph()
	from, err := k.resolve(starts)
	if err == nil {
		var to []place
		if to, err = k.resolve(ends); err == nil {
			return Observation{Text: k.tell(from, to)}, nil
		}
	}
	return bad("%s.", err), nil
}

// tell prints the paths between each start and each end, with several pairs in sorted order.
func (k *keys) tell(from, to []place) string {
	many := len(from)*len(to) > 1
	var lines []string
	for _, a := range from {
		far := path.DijkstraFrom(k.graph.Node(a.table), k.graph)
		for _, b := range to {
			head := ""
			if many {
				head = k.name(a) + " to " + k.name(b) + ": "
			}
			for _, l := range k.between(a, b, &far) {
				lines = append(lines, head+l)
			}
		}
	}
	if many {
		slices.Sort(lines)
		lines = slices.Compact(lines)
	}
	return strings.Join(lines, "\n")
}

// between returns the shortest paths between two places, one per line; far has the distances from a.
func (k *keys) between(a, b place, far *path.Shortest) []string {
	if a.table == b.table {
		return []string{"no join is needed, both are in the table " + k.db.Tables[a.table].Name}
	}
	if math.IsInf(far.WeightTo(b.table), 1) {
		return []string{fmt.Sprintf("no path: no foreign keys join %s and %s", k.name(a), k.name(b))}
	}
	w := walk{keys: k, far: far, ways: map[int64]float64{a.table: 1}}
	w.back(b.table, nil)
	slices.Sort(w.paths)
	if n := w.count(b.table); n > float64(len(w.paths)) {
		w.paths = append(w.paths, fmt.Sprintf("(%.0f more paths are as short)", n-float64(len(w.paths))))
	}
	return w.paths
}

// walk goes over the shortest paths that lead to the places where far was measured from.
type walk struct {
	*keys
	far   *path.Shortest
	ways  map[int64]float64 // how many shortest paths lead to a table
	paths []string
}

// back completes the paths that end in tail, which begins at table n, until there are maxPaths.
func (w *walk) back(n int64, tail []string) {
	at := w.far.WeightTo(n)
	if at == 0 {
		w.paths = append(w.paths, strings.Join(tail, " <-> "))
		return
	}
	for _, m := range w.near[n] {
		if w.far.WeightTo(m) != at-1 {
			continue
		}
		for _, j := range w.joins[[2]int64{m, n}] {
			if len(w.paths) == maxPaths {
				return
			}
			w.back(m, append([]string{j}, tail...))
		}
	}
}

// count returns the number of shortest paths to table n.
func (w *walk) count(n int64) float64 {
	if c, ok := w.ways[n]; ok {
		return c
	}
	sum := 0.0
	for _, m := range w.near[n] {
		if w.far.WeightTo(m) == w.far.WeightTo(n)-1 {
			sum += w.count(m) * float64(len(w.joins[[2]int64{m, n}]))
		}
	}
	w.ways[n] = sum
	return sum
}

// name returns a place as the database spells it.
func (k *keys) name(p place) string {
	t := k.db.Tables[p.table].Name
	if p.column == "" {
		return t
	}
	return t + "." + p.column
}

// resolve finds what names mean, in words for the model where it cannot.
func (k *keys) resolve(names []string) ([]place, error) {
	var out []place
	for _, n := range names {
		p, err := k.one(n)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out, nil
}

// one finds a table, table.column, or a column that only one table has; the paper's column.table too.
func (k *keys) one(name string) (place, error) {
	plain := plainName(name)
	found := k.places[plain]
	if len(found) == 0 {
		if i := strings.LastIndexByte(plain, '.'); i >= 0 {
			found = k.places[plain[i+1:]+"."+plain[:i]]
		}
	}
	switch len(found) {
	case 0:
		return place{}, fmt.Errorf("there is no table or column %s%s", clip(name, 80), k.advice(plain))
	case 1:
		return found[0], nil
	}
	if found[0].column == "" {
		return found[0], nil // a table comes before columns of its name
	}
	var all []string
	for _, p := range found[:min(len(found), 10)] {
		all = append(all, k.name(p))
	}
	return place{}, fmt.Errorf("several tables have a column %s: name one of %s", clip(name, 80), strings.Join(all, ", "))
}

// plainName returns a name in lower case without marks of quoting.
func plainName(name string) string { return strings.ToLower(strings.TrimSpace(unquote.Replace(name))) }

// unquote takes the marks of quoted names away.
var unquote = strings.NewReplacer("`", "", `"`, "", "[", "", "]", "")

// advice lists what there is: the columns of a table that was named, else the tables.
func (k *keys) advice(name string) string {
	table, _, dotted := strings.Cut(name, ".")
	if found := k.places[table]; dotted && len(found) > 0 && found[0].column == "" {
		var all []string
		for _, c := range k.db.Tables[found[0].table].Columns {
			all = append(all, c.Name)
		}
		return "; the columns of " + k.db.Tables[found[0].table].Name + " are " + listed(all)
	}
	var all []string
	for _, t := range k.db.Tables {
		all = append(all, t.Name)
	}
	return "; the tables are " + listed(all)
}

// listed is up to 30 names between commas.
func listed(names []string) string {
	if len(names) > 30 {
		return strings.Join(names[:30], ", ") + fmt.Sprintf(" and %d more", len(names)-30)
	}
	return strings.Join(names, ", ")
}
