package baseline

import (
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
)

// maxWritten bounds the examples per answer, and attempts the tries per example.
const (
	maxWritten = 500
	attempts   = 30
)

var wanted = regexp.MustCompile(`(?m)^Write ([0-9]{1,6}) (?:examples|questions)`)

// readTables parses a prompt that shows tables to write examples for.
func readTables(user string) (*prompt, bool) {
	at := strings.LastIndex("\n"+user, "\n### Tables\n")
	m := wanted.FindAllStringSubmatchIndex(user, -1)
	if at < 0 || len(m) == 0 || m[len(m)-1][0] < at {
		return nil, false
	}
	end := m[len(m)-1]
	p := &prompt{base: readSchema(strings.Split(user[at+len("### Tables\n"):end[0]], "\n"))}
	p.count, _ = strconv.Atoi(user[end[2]:end[3]]) // at most six digits, so it cannot fail
	return p, len(p.base.cols) > 0
}

// writeExamples writes one question and one query per line, with the features and the columns in turn. At temperature 0
// every sample is the same.
func (s *session) writeExamples() (string, bool) {
	w := writer{b: s.base, rng: s.rng, near: map[int][]int{}}
	if !(s.params.Temperature > 0) {
		w.rng = rand.New(rand.NewPCG(1, 1))
	}
	seen := map[string]bool{}
	var out []string
	n := min(s.count, maxWritten)
	for i := 0; len(out) < n && i < n*attempts; i++ {
		col, round := i%len(s.base.cols), i/len(s.base.cols) // so that over time each column meets each feature
		question, q, ok := features[(col+round)%len(features)](&w, col)
		sql := ""
		if ok {
			sql = q.print(s.base)
		}
		if ok && !seen["q "+strings.ToLower(question)] && !seen["s "+sql] {
			seen["q "+strings.ToLower(question)], seen["s "+sql] = true, true
			out = append(out, `{"input": `+asJSON(question)+`, "output": `+asJSON(sql)+`}`)
		}
	}
	return strings.Join(out, "\n"), len(out) > 0
}

// writer makes questions and their queries from a database alone.
type writer struct {
	b    *base
	rng  *rand.Rand
	near map[int][]int // results of [writer.beside], by table
}

// features are the kinds of examples. Each makes one about a column, or reports that it cannot.
var features = []func(w *writer, col int) (string, query, bool){
	(*writer).listed, (*writer).equal, (*writer).aggregated, (*writer).perGroup, (*writer).sorted, (*writer).joined,
	(*writer).aboveAverage, (*writer).unequal, (*writer).shared, (*writer).joinedWhere, (*writer).counted,
}

func (w *writer) col(c int) string { return spell(w.b.cols[c].words) }
func (w *writer) tab(t int) string { return spell(w.b.tables[t].words) }

// title returns the column that names a table's rows, except column c: the best name, or the first that is not a key.
func (w *writer) title(t, c int) int {
	best := -1
	for _, x := range w.b.columnsOf(t) {
		switch col := &w.b.cols[x]; {
		case x == c:
		case oneOf(last(col.words), nameWords):
			return x
		case best < 0 || w.b.cols[best].isID() && !col.isID():
			best = x
		}
	}
	if best < 0 {
		return c
	}
	return best
}

// other returns a column to compare c with: any column of its table that want accepts, or c itself.
func (w *writer) other(c int, want func(*column) bool) int {
	own := w.b.columnsOf(w.b.cols[c].table)
	start := w.rng.IntN(len(own))
	if want(&w.b.cols[c]) {
		return c
	}
	for i := range own {
		if x := own[(start+i)%len(own)]; want(&w.b.cols[x]) {
			return x
		}
	}
	return -1
}

// value returns an example value of a column as SQL; empty if none is shown.
func (w *writer) value(c int) string {
	col := &w.b.cols[c]
	if len(col.samples) == 0 {
		return ""
	}
	v := strings.Join(strings.Fields(col.samples[w.rng.IntN(len(col.samples))]), " ")
	return literal(v, allNumbers([]string{v}) && col.isNumeric())
}

// number returns a value with which to compare a column of quantities.
func (w *writer) number(c int) string {
	if v := w.value(c); v != "" && v[0] != '\'' {
		return v
	}
	return strconv.Itoa(1 + w.rng.IntN(100))
}

// listed asks for a column of all rows.
func (w *writer) listed(c int) (string, query, bool) {
	t := w.b.cols[c].table
	x := w.title(t, c)
	if x == c {
		return "What is the " + w.col(c) + " of each " + w.tab(t) + "?", query{sel: []expr{{col: c}}}, true
	}
	return "What are the " + w.col(x) + " and the " + w.col(c) + " of each " + w.tab(t) + "?", query{sel: []expr{{col: x}, {col: c}}}, true
}

// equal asks for the row with a value.
func (w *writer) equal(c int) (string, query, bool) {
	t := w.b.cols[c].table
	x := w.title(t, c)
	v := w.value(c)
	q := query{sel: []expr{{col: x}}, where: []cond{{left: expr{col: c}, op: "=", right: v}}}
	return "What is the " + w.col(x) + " of the " + w.tab(t) + " whose " + w.col(c) + " is " + v + "?", q, v != ""
}

// aggregated asks for an aggregate over a table.
func (w *writer) aggregated(c int) (string, query, bool) {
	c = w.other(c, (*column).isNumeric)
	if c < 0 {
		return "", query{}, false
	}
	fn := [...][2]string{{"avg", "average"}, {"max", "maximum"}, {"min", "minimum"}, {"sum", "total"}}[w.rng.IntN(4)]
	return "What is the " + fn[1] + " " + w.col(c) + " of all " + w.tab(w.b.cols[c].table) + " rows?", query{sel: []expr{{agg: fn[0], col: c}}}, true
}

// perGroup asks for a count per value of a column.
func (w *writer) perGroup(c int) (string, query, bool) {
	q := query{sel: []expr{{col: c}, {agg: "count", col: star}}, group: []int{c}}
	return "For each " + w.col(c) + ", how many " + w.tab(w.b.cols[c].table) + " rows are there?", q, !w.b.cols[c].key
}

// sorted asks for the rows with the highest or lowest values.
func (w *writer) sorted(c int) (string, query, bool) {
	t := w.b.cols[c].table
	c = w.other(c, (*column).isNumeric)
	if c < 0 {
		return "", query{}, false
	}
	x, desc, k := w.title(t, c), w.rng.IntN(2) == 0, 1+w.rng.IntN(5)
	q := query{sel: []expr{{col: x}}, order: []sortKey{{expr{col: c}, desc}}, limit: k}
	end := map[bool]string{true: "highest ", false: "lowest "}[desc] + w.col(c) + "?"
	if k == 1 {
		return "What is the " + w.col(x) + " of the " + w.tab(t) + " with the " + end, q, true
	}
	return "What is the " + w.col(x) + " of each of the " + strconv.Itoa(k) + " " + w.tab(t) + " rows with the " + end, q, true
}

// beside returns a table that is joined to that of column c, over one join or two.
func (w *writer) beside(c int) int {
	t := w.b.cols[c].table
	near, known := w.near[t]
	for u := 0; u < len(w.b.tables) && !known; u++ {
		if order, _, _, ok := w.b.tree([]int{t, u}); ok && u != t && len(order) <= 3 {
			near = append(near, u)
		}
	}
	w.near[t] = near
	if len(near) == 0 {
		return -1
	}
	return near[w.rng.IntN(len(near))]
}

// joined asks for columns of two tables.
func (w *writer) joined(c int) (string, query, bool) {
	u := w.beside(c)
	if u < 0 {
		return "", query{}, false
	}
	x := w.title(u, -1)
	return "What is the " + w.col(c) + " of each " + w.tab(w.b.cols[c].table) + ", with the " + w.col(x) + " of its " + w.tab(u) + "?",
		query{sel: []expr{{col: c}, {col: x}}}, true
}

// joinedWhere asks how many rows of one table belong to a row of another.
func (w *writer) joinedWhere(c int) (string, query, bool) {
	u, v := w.beside(c), w.value(c)
	if u < 0 || v == "" {
		return "", query{}, false
	}
	q := query{tables: []int{u}, sel: []expr{{agg: "count", col: star}}, where: []cond{{left: expr{col: c}, op: "=", right: v}}}
	return "How many " + w.tab(u) + " rows belong to a " + w.tab(w.b.cols[c].table) + " whose " + w.col(c) + " is " + v + "?", q, true
}

// aboveAverage asks for rows above the average, with a sub-query.
func (w *writer) aboveAverage(c int) (string, query, bool) {
	t := w.b.cols[c].table
	if c = w.other(c, (*column).isNumeric); c < 0 {
		return "", query{}, false
	}
	x := w.title(t, c)
	q := query{sel: []expr{{col: x}}, where: []cond{{left: expr{col: c}, op: ">", sub: &query{sel: []expr{{agg: "avg", col: c}}}}}}
	return "What is the " + w.col(x) + " of each " + w.tab(t) + " whose " + w.col(c) + " is above the average?", q, true
}

// unequal asks for rows above or below a value.
func (w *writer) unequal(c int) (string, query, bool) {
	t := w.b.cols[c].table
	if c = w.other(c, (*column).isNumeric); c < 0 {
		return "", query{}, false
	}
	x, v, more := w.title(t, c), w.number(c), w.rng.IntN(2) == 0
	q := query{sel: []expr{{col: x}}, where: []cond{{left: expr{col: c}, op: map[bool]string{true: ">", false: "<"}[more], right: v}}}
	return "What is the " + w.col(x) + " of each " + w.tab(t) + " whose " + w.col(c) + map[bool]string{true: " is more than ", false: " is less than "}[more] + v + "?", q, true
}

// shared asks for values that several rows have, with HAVING.
func (w *writer) shared(c int) (string, query, bool) {
	k := strconv.Itoa(1 + w.rng.IntN(4))
	q := query{sel: []expr{{col: c}}, group: []int{c}, having: []cond{{left: expr{agg: "count", col: star}, op: ">", right: k}}}
	return "Which " + w.col(c) + " do more than " + k + " " + w.tab(w.b.cols[c].table) + " rows have?", q, !w.b.cols[c].key
}

// counted asks for the number of different values.
func (w *writer) counted(c int) (string, query, bool) {
	q := query{sel: []expr{{agg: "count", distinct: true, col: c}}}
	return "How many different values of " + w.col(c) + " do the " + w.tab(w.b.cols[c].table) + " rows have?", q, true
}
