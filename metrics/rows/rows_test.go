package rows

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"assay/prompting/sql/engine"
)

// table reads rows separated by ";" of cells separated by ",": numbers, NULL, x'..' for a blob, anything else is text.
func table(text string) *engine.Result {
	res := &engine.Result{}
	for line := range strings.SplitSeq(text, ";") {
		var row []engine.Value
		for cell := range strings.SplitSeq(line, ",") {
			row = append(row, value(strings.TrimSpace(cell)))
		}
		res.Columns = make([]string, len(row))
		res.Rows = append(res.Rows, row)
	}
	return res
}

func value(cell string) engine.Value {
	var i int64
	var f float64
	switch {
	case cell == "NULL":
		return engine.Value{}
	case strings.HasPrefix(cell, "x'"):
		return engine.OfBlob([]byte(strings.Trim(cell[1:], "'")))
	case strings.HasPrefix(cell, "'"):
		return engine.OfText(strings.Trim(cell, "'"))
	case strings.ContainsAny(cell, ".e"):
		if _, err := fmt.Sscan(cell, &f); err == nil {
			return engine.OfReal(f)
		}
	}
	if n, err := fmt.Sscan(cell, &i); err == nil && n == 1 {
		return engine.OfInt(i)
	}
	return engine.OfText(cell)
}

func none(columns int) *engine.Result { return &engine.Result{Columns: make([]string, columns)} }

func TestSpider(t *testing.T) {
	check := func(gold, pred *engine.Result, ordered, want bool) {
		t.Helper()
		v := Spider(gold, pred, ordered)
		if v.Equal != want || v.Undecided || (v.Why == "") != want {
			t.Errorf("got %+v, want %v", v, want)
		}
	}
	check(none(1), none(2), true, true)
	check(none(1), table("1"), false, false)
	check(table("1"), table("1,1"), false, false)
	check(table("1;2"), table("2;1"), false, true)
	check(table("1;2"), table("2;1"), true, false)
	check(table("1;1;2"), table("1;2;2"), false, false) // equal as sets
	check(table("a,1;b,2"), table("2,b;1,a"), false, true)
	check(table("a,1;b,2"), table("1,a;2,b"), true, true)
	check(table("a,1;b,2"), table("1,b;2,a"), false, false) // columns match one by one, rows do not
	check(table("a,1;b,2"), table("1,b;2,a"), true, false)
	check(table("1"), table("1.0"), false, true)
	check(table("2,2.5"), table("2.0,2.5"), false, false) // "2.5<" < "2<", but "2.0<" < "2.5<"
	check(table("2,2.5"), table("2.0,2.5"), true, false)
	check(table("2,3.5"), table("2.0,3.5"), false, true) // no such luck with 3.5
	check(table("1e16,5"), table("10000000000000000,5"), false, true)
	check(table("9007199254740993"), table("9007199254740992.0"), false, false) // equal as floats
	check(table("NULL,1"), table("1,NULL"), false, true)
	check(table("NULL"), table("''"), false, false)
	check(table("'1'"), table("1"), false, false)
	check(table("ab"), table("x'ab'"), false, false)
	check(table("a\xff\xc3b"), table("ab"), false, true) // bad bytes are dropped
	check(table("0.0"), table("-0.0"), true, true)
	check(table("1,1,2"), table("1,2,1"), false, true)
	check(table("1,1,2"), table("1,2,2"), false, false)
}

func TestBIRD(t *testing.T) {
	check := func(gold, pred *engine.Result, want bool) {
		t.Helper()
		if v := BIRD(gold, pred); v.Equal != want || (v.Why == "") != want {
			t.Errorf("got %+v, want %v", v, want)
		}
	}
	check(none(1), none(2), true)
	check(none(1), table("1"), false)
	check(table("1;2"), table("2;1;1"), true)
	check(table("1,2"), table("2,1"), false)
	check(table("1,2"), table("1,2,3"), false)
	check(table("2,2.5"), table("2.0,2.5"), true)
	check(table("1;2"), table("1"), false)
	check(table("a\xff"), table("a\xff"), false)
}

func TestSoftF1(t *testing.T) {
	check := func(gold, pred *engine.Result, want float64) {
		t.Helper()
		f1, v := SoftF1(gold, pred)
		if math.Abs(f1-want) > 1e-12 || v.Equal != (want == 1) || (v.Why == "") != (want == 1) {
			t.Errorf("got %v %+v, want %v", f1, v, want)
		}
	}
	check(none(1), none(2), 1)
	check(none(1), table("1"), 0)
	check(table("1"), none(1), 0)
	check(table("1,2;3,4"), table("2,1;4,3"), 1)
	check(table("1;2"), table("2;1"), 0)            // rows are held side by side
	check(table("1;2"), table("1;1;2"), 1)          // each row once
	check(table("1"), table("1,2"), 2.0/3)          // found 1, wrong 1: precision 1/2, recall 1
	check(table("1,2"), table("1"), 2.0/3)          // found 1/2, missed 1/2: precision 1, recall 1/2
	check(table("1;2;3"), table("1"), 0.5)          // found 1, missed 2: precision 1, recall 1/3
	check(table("1"), table("1;2;3"), 0.5)          // found 1, wrong 2
	check(table("1,1.5"), table("1.0,1.5"), 1)      // numbers by value
	check(table("a\xff"), table("a\xff"), 0)        // not UTF-8
	check(table("1,2;3,4"), table("1,9;3,4"), 0.75) // found 3/2, wrong 1/2, missed 1/2
}

// What Python 3.11 prints for str(x) + str(type(x)).
func TestPythonKey(t *testing.T) {
	check := func(v engine.Value, want string) {
		t.Helper()
		if got := pythonKey(v); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	real := func(f float64, want string) { t.Helper(); check(engine.OfReal(f), want+"<class 'float'>") }
	real(1, "1.0")
	real(0.1, "0.1")
	real(1e15, "1000000000000000.0")
	real(1e16, "1e+16")
	real(1.5e300, "1.5e+300")
	real(0.0001, "0.0001")
	real(0.00001, "1e-05")
	real(-2.0/3, "-0.6666666666666666")
	real(math.Inf(1), "inf")
	real(math.Inf(-1), "-inf")
	real(math.Copysign(0, -1), "-0.0")
	check(engine.OfInt(-7), "-7<class 'int'>")
	check(engine.Value{}, "None<class 'NoneType'>")
	check(engine.OfText("é"), "é<class 'str'>")
	check(engine.OfBlob([]byte("a'\\\n\x00\xff")), `b"a'\\\n\x00\xff"<class 'bytes'>`)
	check(engine.OfBlob([]byte(`'"`)), `b'\'"'<class 'bytes'>`)
}

// plain is the reference's method with nothing spared: every order of columns, Python's equality cell by cell.
func plain(gold, pred *engine.Result, ordered bool) bool {
	if len(gold.Rows) == 0 && len(pred.Rows) == 0 {
		return true
	}
	if len(gold.Rows) != len(pred.Rows) || len(gold.Rows[0]) != len(pred.Rows[0]) {
		return false
	}
	sorted := func(r *engine.Result) (out [][]engine.Value) {
		for _, row := range r.Rows {
			row = slices.Clone(row)
			slices.SortStableFunc(row, func(a, b engine.Value) int { return strings.Compare(pythonKey(a), pythonKey(b)) })
			out = append(out, row)
		}
		return out
	}
	within := func(a, b [][]engine.Value) bool {
		for _, row := range a {
			if !slices.ContainsFunc(b, func(other []engine.Value) bool { return sameRow(row, other) }) {
				return false
			}
		}
		return true
	}
	g, p := sorted(gold), sorted(pred)
	if ordered && !slices.EqualFunc(g, p, sameRow) || !ordered && !(within(g, p) && within(p, g)) {
		return false
	}
	found := false
	permute(len(gold.Rows[0]), func(perm []int) {
		var turned [][]engine.Value
		for _, row := range pred.Rows {
			var out []engine.Value
			for _, j := range perm {
				out = append(out, row[j])
			}
			turned = append(turned, out)
		}
		found = found || ordered && slices.EqualFunc(gold.Rows, turned, sameRow) || !ordered && sameBag(gold.Rows, turned)
	})
	return found
}

func sameRow(a, b []engine.Value) bool { return slices.EqualFunc(a, b, sameCell) }

func sameCell(a, b engine.Value) bool {
	number := func(v engine.Value) bool { return v.Kind() == engine.Int || v.Kind() == engine.Real }
	if number(a) && number(b) {
		return a.Float64() == b.Float64() // small numbers only
	}
	return a == b
}

func sameBag(a, b [][]engine.Value) bool {
	b = slices.Clone(b)
	for _, row := range a {
		i := slices.IndexFunc(b, func(other []engine.Value) bool { return sameRow(row, other) })
		if i < 0 {
			return false
		}
		b = slices.Delete(b, i, i+1)
	}
	return len(b) == 0
}

// permute calls f with every order of 0..n-1.
func permute(n int, f func([]int)) {
	var place func(perm []int)
	place = func(perm []int) {
		if len(perm) == n {
			f(perm)
			return
		}
		for j := range n {
			if !slices.Contains(perm, j) {
				place(append(slices.Clone(perm), j))
			}
		}
	}
	place(nil)
}

// On thousands of small tables, half of them disguises of the gold, the verdict is the plain method's.
func TestSpiderIsPlain(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 11))
	pools := [][]engine.Value{
		{value("1"), value("2")},
		{value("1"), value("1.0"), value("1.5"), value("'1'"), value("2"), value("2.5"), value("2.0")},
		{value("a"), value("b"), value("NULL"), value("x'a'"), value("0.0"), value("-0.0"), value("0"), value("''")},
	}
	equals := 0
	for round := range 20000 {
		gold := randomTable(r, pools[r.IntN(len(pools))], r.IntN(5), 1+r.IntN(5))
		pred := disguise(r, gold)
		if r.IntN(4) == 0 {
			pred = randomTable(r, pools[r.IntN(len(pools))], len(gold.Rows), len(gold.Columns))
		}
		ordered := r.IntN(2) == 0
		v, want := Spider(gold, pred, ordered), plain(gold, pred, ordered)
		if v.Equal != want || v.Undecided {
			t.Fatalf("round %d, ordered %v: %+v, want %v\n%v\n%v", round, ordered, v, want, gold.Rows, pred.Rows)
		}
		if want {
			equals++
		}
	}
	if equals < 2000 || equals > 18000 {
		t.Errorf("%d of 20000 were equal: the tables test too little", equals)
	}
}

func randomTable(r *rand.Rand, pool []engine.Value, rows, cols int) *engine.Result {
	res := none(cols)
	for range rows {
		row := make([]engine.Value, cols)
		for j := range row {
			row[j] = pool[r.IntN(len(pool))]
		}
		res.Rows = append(res.Rows, row)
	}
	return res
}

// disguise is gold with columns in another order, perhaps rows too, perhaps numbers of another class, perhaps a value
// that moved.
func disguise(r *rand.Rand, gold *engine.Result) *engine.Result {
	res := none(len(gold.Columns))
	perm := r.Perm(len(gold.Columns))
	retype := r.IntN(3) == 0
	for _, row := range gold.Rows {
		out := make([]engine.Value, len(row))
		for i, j := range perm {
			if out[i] = row[j]; retype && r.IntN(2) == 0 && out[i].Kind() == engine.Int {
				out[i] = engine.OfReal(out[i].Float64())
			}
		}
		res.Rows = append(res.Rows, out)
	}
	if r.IntN(2) == 0 {
		r.Shuffle(len(res.Rows), func(i, j int) { res.Rows[i], res.Rows[j] = res.Rows[j], res.Rows[i] })
	}
	if n := len(res.Rows); n > 0 && r.IntN(3) == 0 {
		j := r.IntN(len(perm))
		a, b := res.Rows[r.IntN(n)], res.Rows[r.IntN(n)]
		a[j], b[j] = b[j], a[j]
	}
	return res
}

// Twelve columns of the same values have 479 million orders; the plain method would try them.
func TestSpiderManyColumns(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	gold, pred := none(12), none(12)
	perm := r.Perm(12)
	for i := range 200 {
		row, turned := make([]engine.Value, 12), make([]engine.Value, 12)
		for j := range row {
			row[j] = engine.OfInt(int64((i + j*7) % 200))
		}
		for j, k := range perm {
			turned[j] = row[k]
		}
		gold.Rows, pred.Rows = append(gold.Rows, row), append(pred.Rows, turned)
	}
	r.Shuffle(200, func(i, j int) { pred.Rows[i], pred.Rows[j] = pred.Rows[j], pred.Rows[i] })
	if v := Spider(gold, pred, false); !v.Equal {
		t.Errorf("got %+v", v)
	}
	pred.Rows[3][2], pred.Rows[9][2] = pred.Rows[9][2], pred.Rows[3][2]
	if v := Spider(gold, pred, false); v.Equal || v.Undecided {
		t.Errorf("got %+v", v)
	}
}

// Results made to defeat the search end, and say that they are undecided.
func TestSpiderUndecided(t *testing.T) {
	// The columns are the edges of a regular graph on the rows: every column holds two ones, every row four.
	graph := func(steps ...int) *engine.Result {
		const n = 40
		res := none(2 * n)
		for range n {
			row := make([]engine.Value, 2*n)
			for j := range row {
				row[j] = engine.OfInt(0)
			}
			res.Rows = append(res.Rows, row)
		}
		for i := range n {
			for k, step := range steps {
				res.Rows[i][2*i+k] = engine.OfInt(1)
				res.Rows[(i+step)%n][2*i+k] = engine.OfInt(1)
			}
		}
		return res
	}
	if v := Spider(graph(1, 7), graph(1, 11), false); v.Equal || !v.Undecided {
		t.Errorf("got %+v", v)
	}
}

func BenchmarkSpider(b *testing.B) {
	r := rand.New(rand.NewPCG(5, 6))
	gold := none(4)
	for i := range 10000 {
		gold.Rows = append(gold.Rows, []engine.Value{engine.OfInt(int64(i)), engine.OfText(fmt.Sprint("name ", i%500)),
			engine.OfReal(float64(i%97) / 4), engine.OfInt(int64(i % 7))})
	}
	pred := disguise(r, gold)
	b.Run("any order", func(b *testing.B) {
		for b.Loop() {
			Spider(gold, pred, false)
		}
	})
	b.Run("ordered", func(b *testing.B) {
		for b.Loop() {
			Spider(gold, gold, true)
		}
	})
}
