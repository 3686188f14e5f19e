package baseline

import "strings"

// joint is a join edge between two columns of different tables. The lower its cost, the surer the edge.
type joint struct {
	a, b int // columns
	cost float64
}

// maxGuessed bounds the number of columns among which joints are guessed, because every pair is tried.
const maxGuessed = 1500

// findJoints returns the declared foreign keys and the pairs of columns whose names suggest one.
func findJoints(b *base) []joint {
	var out []joint
	declared := map[[2]int]bool{}
	for i := range b.cols {
		for _, ref := range b.cols[i].refs {
			t, c, _ := strings.Cut(ref, ".")
			rt := b.tableNamed(t)
			rc := b.columnNamed(rt, c)
			if rt >= 0 && rc < 0 {
				rc = b.keyOf(rt)
			}
			if rc >= 0 && b.cols[rc].table != b.cols[i].table {
				out = append(out, joint{i, rc, 1})
				declared[[2]int{b.cols[i].table, b.cols[rc].table}] = true
				declared[[2]int{b.cols[rc].table, b.cols[i].table}] = true
			}
		}
	}
	if len(b.cols) > maxGuessed {
		return out
	}
	for i := range b.cols {
		for j := i + 1; j < len(b.cols); j++ {
			ti, tj := b.cols[i].table, b.cols[j].table
			if ti == tj || declared[[2]int{ti, tj}] {
				continue
			}
			if cost := guessJoint(b, i, j); cost > 0 {
				out = append(out, joint{i, j, cost})
			}
		}
	}
	return out
}

// keyOf returns the key column of a table, -1 if the table has no columns.
func (b *base) keyOf(t int) int {
	for _, c := range b.columnsOf(t) {
		if b.cols[c].key {
			return c
		}
	}
	return -1
}

// guessJoint returns the cost of joining columns i and j, judged by their names; 0 if they should not be joined.
func guessJoint(b *base, i, j int) float64 {
	x, y := &b.cols[i], &b.cols[j]
	if strings.EqualFold(x.name, y.name) {
		return sameName(b, x, y)
	}
	if c := refersTo(b, x, y); c > 0 {
		return c
	}
	return refersTo(b, y, x)
}

// sameName rates two columns of one name: high if one of them is a key and the name is an identifier's.
func sameName(b *base, x, y *column) float64 {
	keyed, identifier := x.key || y.key, x.isID() || y.isID()
	switch {
	case len(x.words) == 1 && x.isID() && last(x.words) == "id": // a bare "id" identifies different things in each table
		return 0
	case keyed && (identifier || strings.HasSuffix(strings.ToLower(x.name), "id")):
		return 1.1
	case identifier:
		return 1.8
	case keyed && last(x.words) != "name" && !x.anyWord(dated):
		return 1.6
	case x.anyWord(numeric) || x.anyWord(dated) || last(x.words) == "description":
		return 0
	case len(x.words) > 1 && last(x.words) == "name":
		return 2.2
	}
	return 0
}

// refersTo rates x as a foreign key to y, which must be its table's key: x is named after y's table.
func refersTo(b *base, x, y *column) float64 {
	if !y.key {
		return 0
	}
	target := b.tables[y.table].words
	named := coverage(x.words, target)
	switch {
	case named >= 0.99 && (x.isID() || len(x.words) == len(target)):
		if x.isNumeric() && !x.isID() {
			return 2.6
		}
		return 1.3
	case named >= 0.45 && x.isID() && y.isID() && (len(y.words) == 1 || coverage(x.words, y.words[:len(y.words)-1]) > 0.9):
		return 1.7
	case endsWith(x.words, y.words) && len(y.words) > 1: // home_team_id, team_id
		return 1.4
	case named >= 0.99 && !x.key && !x.isNumeric() && shortOf(last(x.words), target):
		return 2.1
	case initials(x.words, target):
		return 1.5
	}
	return 0
}

// coverage returns the share of the words in want, without noise words, that are in have.
func coverage(have, want []string) float64 {
	found, all := 0.0, 0.0
	for _, w := range want {
		weight := 1.0
		if noise[w] {
			weight = 0.2
		}
		all += weight
		best := 0.0
		for _, h := range have {
			if a := alike(w, h); a > best && a != 0.8 {
				best = a
			}
		}
		if best > 0.6 {
			found += weight
		}
	}
	if all == 0 {
		return 0
	}
	return found / all
}

func endsWith(words, tail []string) bool {
	if len(words) <= len(tail) {
		return false
	}
	for i, w := range tail {
		if words[len(words)-len(tail)+i] != w {
			return false
		}
	}
	return true
}

// initials reports whether words are a short form of the target's first word plus "id": mid or mov_id for movie.
func initials(words, target []string) bool {
	return len(words) == 2 && words[1] == "id" && len(words[0]) <= 4 && len(target) > 0 && strings.HasPrefix(target[0], words[0])
}

// tree joins the wanted tables. It returns them in join order, the edge that attaches each (the first has none), the
// total cost, and false if no path connects them.
func (b *base) tree(want []int) (order []int, edges []joint, cost float64, ok bool) {
	if len(want) == 0 {
		return nil, nil, 0, false
	}
	in := make([]bool, len(b.tables))
	in[want[0]] = true
	order, edges = []int{want[0]}, []joint{{}}
	for _, t := range want[1:] {
		if in[t] {
			continue
		}
		path, c := b.path(in, t)
		if path == nil {
			return order, edges, cost + 5, false
		}
		cost += c
		for _, e := range path { // from the tree to the new table
			u := b.cols[e.b].table
			in[u] = true
			order, edges = append(order, u), append(edges, e)
		}
	}
	return order, edges, cost, true
}

// path returns the cheapest chain of edges from a table already in the tree to t, each turned so that a is nearer the
// tree.
func (b *base) path(in []bool, t int) ([]joint, float64) {
	const far = 1e9
	dist := make([]float64, len(b.tables))
	via := make([]joint, len(b.tables))
	done := make([]bool, len(b.tables))
	for i := range dist {
		dist[i] = far
		if in[i] {
			dist[i] = 0
		}
	}
	for {
		u := -1
		for i := range dist {
			if !done[i] && dist[i] < far && (u < 0 || dist[i] < dist[u]) {
				u = i
			}
		}
		if u < 0 || u == t {
			break
		}
		done[u] = true
		for _, e := range b.links {
			if b.cols[e.a].table != u {
				e.a, e.b = e.b, e.a
			}
			if b.cols[e.a].table != u {
				continue
			}
			if v := b.cols[e.b].table; dist[u]+e.cost < dist[v] {
				dist[v], via[v] = dist[u]+e.cost, e
			}
		}
	}
	if dist[t] >= far {
		return nil, 0
	}
	var out []joint
	for u := t; !in[u]; u = b.cols[via[u].a].table {
		out = append([]joint{via[u]}, out...)
	}
	return out, dist[t]
}
