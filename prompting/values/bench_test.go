package values

import (
	"bytes"
	"context"
	"database/sql"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"

	"assay/prompting/draw"
	"assay/prompting/sql/sqlite"
)

var large = flag.Bool("large", false, "benchmark with ten million values too (about 2 GB of disk)")

// sizes are the numbers of distinct values that the benchmarks build.
func sizes() []int {
	if *large {
		return []int{1e5, 1e6, 1e7}
	}
	return []int{1e5, 1e6}
}

var syllables = strings.Fields(`al an ar ba bel ber bor bra can car chi cor da del den dor dra el en fal fen fer gal gar
gen gor ha han har hol is jan jo ka kar ken kir la lan len lin lo lor ma mar men mi mon mor na nel nor o or pa pel per
ra ran rel ri ro ron ru sa sal san sel sha sor ta tal tan ter ton tor u ul va van vel vi vor wal wen wi xa ya yen za zor`)

// word makes a name of two to four syllables, common ones more often, as in real names.
func word(r *rand.Rand) string {
	var b strings.Builder
	for range 2 + r.IntN(3) {
		n := float64(len(syllables))
		b.WriteString(syllables[int(n*r.Float64()*r.Float64())])
	}
	s := b.String()
	return strings.ToUpper(s[:1]) + s[1:]
}

// bigDatabase makes a database with about n distinct texts in one column, of one to three words each.
func bigDatabase(b *testing.B, n int) string {
	b.Helper()
	path := filepath.Join(b.TempDir(), "big.sqlite")
	db, err := sql.Open("sqlite3", path+"?_journal_mode=off&_synchronous=off")
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	must := func(_ any, err error) {
		if err != nil {
			b.Fatal(err)
		}
	}
	must(db.Exec("CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT)"))
	tx, err := db.Begin()
	must(nil, err)
	insert, err := tx.Prepare("INSERT INTO person (name) VALUES (?)")
	must(nil, err)
	r := draw.Rand(1, "bench")
	for i := range n {
		name := word(r) + " " + word(r)
		if i%3 == 0 {
			name += " " + word(r)
		}
		must(insert.Exec(name))
	}
	must(nil, tx.Commit())
	return path
}

// peak is the largest resident size of the process since the last reset, in MB; 0 where the system does not say.
func peak() float64 {
	status, _ := os.ReadFile("/proc/self/status")
	_, after, _ := bytes.Cut(status, []byte("VmHWM:"))
	fields := bytes.Fields(after)
	if len(fields) == 0 {
		return 0
	}
	kb, _ := strconv.ParseFloat(string(fields[0]), 64)
	return kb / 1024
}

func resetPeak() {
	debug.FreeOSMemory()
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // where it is not there, peak says 0 or too much
}

func BenchmarkBuild(b *testing.B) {
	for _, n := range sizes() {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			path := bigDatabase(b, n)
			resetPeak()
			count := 0
			for b.Loop() {
				x, err := Open(context.Background(), sqlite.DB(path), Options{Dir: b.TempDir()})
				if err != nil {
					b.Fatal(err)
				}
				count = x.Len()
				if info, err := os.Stat(x.Path()); err == nil {
					b.ReportMetric(float64(info.Size())/1e6, "file-MB")
				}
				x.Close()
			}
			b.ReportMetric(float64(count)*float64(b.N)/b.Elapsed().Seconds(), "values/s")
			b.ReportMetric(peak(), "peak-MB")
		})
	}
}

func BenchmarkFind(b *testing.B) {
	for _, n := range sizes() {
		x, err := Open(context.Background(), sqlite.DB(bigDatabase(b, n)), Options{Dir: b.TempDir()})
		if err != nil {
			b.Fatal(err)
		}
		defer x.Close()
		r := draw.Rand(2, "find")
		at := func() string { return string(x.file.text(uint32(r.IntN(x.Len())))) }
		run := func(name string, q func() Query) {
			queries := make([]Query, 200)
			for i := range queries {
				queries[i] = q()
			}
			b.Run(fmt.Sprintf("%d/%s", n, name), func(b *testing.B) {
				resetPeak()
				i := 0
				for b.Loop() {
					if _, err := x.Find(context.Background(), queries[i%len(queries)], nil); err != nil {
						b.Fatal(err)
					}
					i++
				}
				b.ReportMetric(peak(), "peak-MB")
			})
		}
		misspelt := func() string { s := at(); return s[:2] + s[3:] }
		run("word", func() Query { return Query{Keywords: []string{word(r)}} })
		run("keyword", func() Query { return Query{Keywords: []string{misspelt()}} })
		run("question", func() Query {
			return Query{Question: "How many of the orders that " + misspelt() + " or " + at() + " placed in " + word(r) +
				" were delivered late to the central warehouse of " + word(r) + "?"}
		})
	}
}
