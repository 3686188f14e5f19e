package rows

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"assay/prompting/sql/engine"
)

// hostileResults are pairs of results that are slow or large to compare, as large as the sandbox lets them be: each value
// is one of a row and a column.
var hostileResults = []struct {
	name          string
	rows, columns int
	gold, pred    func(i, j int) engine.Value
}{
	{"one value", 190_000, 3, constant(engine.OfInt(1)), constant(engine.OfReal(1))},
	{"one value but for the last", 190_000, 3, constant(engine.OfInt(1)), func(i, j int) engine.Value { return engine.OfInt(int64(1 + (i*3+j)/569_999)) }},
	{"all differ", 190_000, 3, cell(3, 0), cell(3, 1)},
	{"all differ, in columns", 400, 1990, cell(1990, 0), cell(1990, 1)},
	{"texts", 100_000, 3, texts(0), texts(1)},
	{"texts that are no UTF-8", 100_000, 3, broken(0), broken(1)},
	{"nearly equal", 190_000, 3, nearly(0), nearly(1)},
	{"nearly equal, in columns", 400, 1990, nearly(0), nearly(1)},
	{"integers and reals", 190_000, 3, either(0), either(1)},
	{"integers and reals, in columns", 400, 1990, either(0), either(1)},
	{"columns that differ at their end", 400, 1990, ends(0), ends(1)},
	{"equal columns", 400, 1990, func(i, _ int) engine.Value { return engine.OfInt(int64(i)) }, func(i, _ int) engine.Value { return engine.OfInt(int64(i ^ 1)) }},
	{"columns of the same values", 400, 1990, coins(1), coins(2)},
	{"few rows of the same values", 4, 1990, coins(1), coins(2)},
	{"six rows of the same values", 6, 1990, coins(3), coins(4)},
	{"columns in a circle", 64, 1990, circle(1), circle(3)},
	{"long columns of the same values", 100_000, 6, circle(1), circle(3)},
	{"pairs", 190_000, 3, pairs(0), pairs(1)},
}

func constant(v engine.Value) func(int, int) engine.Value {
	return func(int, int) engine.Value { return v }
}

func cell(columns, add int) func(int, int) engine.Value {
	return func(i, j int) engine.Value { return engine.OfInt(int64(2*(i*columns+j) + add)) }
}

func texts(add int) func(int, int) engine.Value {
	return func(i, j int) engine.Value { return engine.OfText(fmt.Sprint(i*3+j, "x", add)) }
}

func broken(add int) func(int, int) engine.Value {
	return func(i, j int) engine.Value { return engine.OfText(fmt.Sprint("\xff", i*3+j, "\xff", add)) }
}

func nearly(add int) func(int, int) engine.Value {
	return func(i, j int) engine.Value { return engine.OfReal(1.5 + 1e-10*float64(2*(i*2000+j)+add)) }
}

func either(add int) func(int, int) engine.Value {
	return func(i, j int) engine.Value {
		if (i+j+add)%2 == 0 {
			return engine.OfInt(int64(i*2000 + j))
		}
		return engine.OfReal(float64(i*2000 + j))
	}
}

func ends(add int) func(int, int) engine.Value {
	return func(i, j int) engine.Value {
		if i < 399 {
			return engine.OfInt(0)
		}
		return engine.OfInt(int64(j*2 + add))
	}
}

// coins has a one and a zero in each pair of rows, in an order of chance.
func coins(source uint64) func(int, int) engine.Value {
	return func(i, j int) engine.Value {
		one := rand.New(rand.NewPCG(source, uint64(i/2*2000+j))).Uint64() & 1
		return engine.OfInt(int64(one) ^ int64(i&1))
	}
}

func circle(step int) func(int, int) engine.Value {
	return func(i, j int) engine.Value { return engine.OfInt(int64((i*step + j*j) % 64)) }
}

func pairs(add int) func(int, int) engine.Value {
	return func(i, j int) engine.Value { return engine.OfInt(int64((i + j*add*7) % 1000 / (1 + j%2))) }
}

func made(rows, columns int, value func(i, j int) engine.Value) *engine.Result {
	r := &engine.Result{Columns: make([]string, columns)}
	for i := range rows {
		row := make([]engine.Value, columns)
		for j := range row {
			row[j] = value(i, j)
		}
		r.Rows = append(r.Rows, row)
	}
	return r
}

// equalities are all of the package.
var equalities = map[string]func(gold, pred *engine.Result){
	"spider":          func(g, p *engine.Result) { Spider(g, p, false) },
	"spider, ordered": func(g, p *engine.Result) { Spider(g, p, true) },
	"bird":            func(g, p *engine.Result) { BIRD(g, p) },
	"soft-f1":         func(g, p *engine.Result) { SoftF1(g, p) },
	"strict":          func(g, p *engine.Result) { Strict(g, p, nil) },
	"strict, ordered": func(g, p *engine.Result) {
		groups := make([]int32, len(g.Rows))
		for i := range groups {
			groups[i] = int32(i / 2)
		}
		Strict(g, p, groups)
	},
}

// TestHostileResults: a comparison allocates no more than 90 bytes for each cell in all, a value itself taking 32, and
// the search for columns ends. The benchmark has the whole results.
func TestHostileResults(t *testing.T) {
	if testing.Short() {
		t.Skip("large results")
	}
	for _, h := range hostileResults {
		rows, columns := min(h.rows, 4000), min(h.columns, 300)
		gold, pred := made(rows, columns, h.gold), made(rows, columns, h.pred)
		limit := uint64(1<<20 + 2*90*rows*columns)
		for name, compare := range equalities {
			if got := allocated(func() { compare(gold, pred) }); got > limit {
				t.Errorf("%s of %s: %d bytes are allocated, more than %d", name, h.name, got, limit)
			}
		}
	}
}

func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func BenchmarkHostileResults(b *testing.B) {
	names := slices.Sorted(func(yield func(string) bool) {
		for name := range equalities {
			if !yield(name) {
				return
			}
		}
	})
	for _, h := range hostileResults {
		gold, pred := made(h.rows, h.columns, h.gold), made(h.rows, h.columns, h.pred)
		for _, name := range names {
			b.Run(h.name+"/"+name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					equalities[name](gold, pred)
				}
			})
		}
	}
}
