package values

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"assay/prompting/draw"
	"assay/prompting/sql/schema"
	"assay/prompting/sql/sqlite"

	"github.com/google/go-cmp/cmp"
)

// TestStored opens an index again, of a changed database, with other options, and after damage.
func TestStored(t *testing.T) {
	path, dir := makeDatabase(t, harbour), t.TempDir()
	files := func() int {
		t.Helper()
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		return len(entries)
	}
	check := func(why string, built bool, warnings, wantFiles int, o Options) *Index {
		t.Helper()
		o.Dir = dir
		x := openIndex(t, path, o)
		if x.Built != built || len(x.Warnings) != warnings || files() != wantFiles {
			t.Errorf("%s: built %t, warnings %q, %d files", why, x.Built, x.Warnings, files())
		}
		return x
	}
	x := check("the first time", true, 0, 1, Options{})
	stored, err := os.ReadFile(x.Path())
	if err != nil {
		t.Fatal(err)
	}
	check("again", false, 0, 1, Options{})
	check("searched otherwise", false, 0, 1, Options{TopN: 3, MinEdit: 0.9, Pool: poolColumn})
	check("built otherwise", true, 0, 2, Options{Permutations: 50})

	damage := func(why string, change func(b []byte) []byte) {
		t.Helper()
		if err := os.Remove(x.Path()); err != nil { // it is mapped: never write into it
			t.Fatal(err)
		}
		if err := os.WriteFile(x.Path(), change(slices.Clone(stored)), 0o644); err != nil {
			t.Fatal(err)
		}
		y := check(why, true, 1, 2, Options{})
		if y.Len() != x.Len() || !strings.Contains(y.Warnings[0], "is damaged") {
			t.Errorf("%s: %d values, %q", why, y.Len(), y.Warnings)
		}
		if again, _ := os.ReadFile(x.Path()); !bytes.Equal(again, stored) {
			t.Errorf("%s: another file", why)
		}
	}
	damage("a bit turned", func(b []byte) []byte { b[20] ^= 1; return b })
	damage("cut short", func(b []byte) []byte { return b[:len(b)/2] })
	damage("empty", func([]byte) []byte { return nil })
	damage("footer changed", func(b []byte) []byte { b[len(b)-30] ^= 1; return b })
	damage("of another", func(b []byte) []byte { return bytes.Replace(b, []byte(`harbour`), []byte(`harbouR`), 1) })

	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteAt([]byte{0, 0, 0, 99}, 60); err != nil { // the user version, in the header
		t.Fatal(err)
	}
	check("the database changed", true, 0, 3, Options{})
}

func TestOpenFails(t *testing.T) {
	check := func(path string, o Options, want string) {
		t.Helper()
		if o.Dir == "" {
			o.Dir = t.TempDir()
		}
		_, err := Open(context.Background(), sqlite.DB(path), o)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "values: open index of ") {
			t.Errorf("%q: got %v", path, err)
		}
		if left, _ := os.ReadDir(o.Dir); len(left) != 0 {
			t.Errorf("%q leaves %v", path, left)
		}
	}
	check(filepath.Join(t.TempDir(), "none.sqlite"), Options{}, "no such file")
	check(t.TempDir(), Options{}, "is a folder, not a file")
	check(makeDatabase(t, harbour), Options{Pool: "x"}, "option Pool")
	text := filepath.Join(t.TempDir(), "text.sqlite")
	if err := os.WriteFile(text, bytes.Repeat([]byte("no database "), 100), 0o644); err != nil {
		t.Fatal(err)
	}
	check(text, Options{}, "not a database")

	ctx, cancel := context.WithCancel(context.Background())
	dir := t.TempDir()
	o := Options{Dir: dir, Progress: func(Progress) { cancel() }}
	if _, err := Open(ctx, sqlite.DB(makeDatabase(t, harbour)), o); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled while building: %v", err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("a cancelled build leaves %v", left)
	}
}

func TestEmptyDatabases(t *testing.T) {
	check := func(script string) {
		t.Helper()
		x := openIndex(t, makeDatabase(t, script), Options{})
		ms, err := x.Find(context.Background(), Query{Question: "Where is Northern Star in 1999?"}, nil)
		if err != nil || len(ms) != 0 || x.Len() != 0 {
			t.Errorf("%q: %d values, %q, %v", script, x.Len(), names(ms), err)
		}
	}
	check("")
	check("CREATE TABLE t (a TEXT)")
	check("CREATE TABLE t (a TEXT); INSERT INTO t VALUES (NULL), (''), ('  '), (NULL)")
	check("CREATE TABLE t (a TEXT); INSERT INTO t VALUES (x'4e6f72746865726e2053746172'), (12), (1.5)")
	check("CREATE VIEW v AS SELECT 'Northern Star' AS a")
}

// TestOddTexts has what real databases hold: bytes that are no UTF-8, NUL, marks alone, very long texts, quotes in names.
func TestOddTexts(t *testing.T) {
	path := makeDatabase(t, `CREATE TABLE "odd ""one" ("a ""b" TEXT, "c]d" TEXT);
INSERT INTO "odd ""one" VALUES (CAST(x'4d616c6df6' AS TEXT), 'Malmö'), (CAST(x'4e554c00696e' AS TEXT), '☃'), ('x', '東京都'),
 (printf('%.*c', 300, 'y'), 'Ωmega');`)
	x := openIndex(t, path, Options{MinWords: -1})
	check := func(keyword, want string) {
		t.Helper()
		ms, err := x.Find(context.Background(), Query{Keywords: []string{keyword}}, nil)
		if err != nil || !slices.Contains(names(ms), want) {
			t.Errorf("%q found %q, %v, without %q", keyword, names(ms), err, want)
		}
	}
	check("Malmo", `odd "one.c]d=Malmö`)
	check("Malm\xf6", "odd \"one.a \"b=Malm\uFFFD")
	check("nul\x00in", "odd \"one.a \"b=NUL\x00in")
	check("☃", `odd "one.c]d=☃`)
	check("東京", `odd "one.c]d=東京都`)
	check("ωMEGA", `odd "one.c]d=Ωmega`)
	check("X", `odd "one.a "b=x`)
	if x.Len() != 7 {
		t.Errorf("%d values, want 7: the text of 300 characters is too long", x.Len())
	}
}

func TestManyTables(t *testing.T) {
	var script strings.Builder
	for i := range 100 {
		fmt.Fprintf(&script, "CREATE TABLE t%d (name TEXT, other TEXT, n INTEGER); INSERT INTO t%d VALUES ('Common Thing', 'Thing number %d', %d), (NULL, NULL, NULL);", i, i, i, i)
	}
	x := openIndex(t, makeDatabase(t, script.String()), Options{})
	if len(x.Columns()) != 200 || x.Len() != 200 {
		t.Errorf("%d columns, %d values", len(x.Columns()), x.Len())
	}
	ms, err := x.Find(context.Background(), Query{Keywords: []string{"common things"}}, nil)
	if err != nil || len(ms) < 100 || ms[0].Table != "t0" || ms[99].Table != "t99" || !ms[99].Exact {
		t.Errorf("a text in a hundred columns is found in all: %d, %v", len(ms), err)
	}
	ms, err = x.Find(context.Background(), Query{Keywords: []string{"thing numbr 42"}, K: 1}, nil)
	if err != nil || !slices.Equal(names(ms), []string{"t42.other=Thing number 42"}) {
		t.Errorf("got %q, %v", names(ms), err)
	}
}

// TestBounded builds with a buffer far too small for the entries, and reads fewer postings than there are: the file is
// the same, and a near text is still the first.
func TestBounded(t *testing.T) {
	var script strings.Builder
	script.WriteString("CREATE TABLE t (name TEXT);")
	r := draw.Rand(5, "bounded")
	var texts []string
	for range 3000 {
		texts = append(texts, word(r)+" "+word(r))
		fmt.Fprintf(&script, "INSERT INTO t VALUES ('%s');", texts[len(texts)-1])
	}
	path := makeDatabase(t, "BEGIN;"+script.String()+"COMMIT;")
	var reports []Progress
	large := openIndex(t, path, Options{Progress: func(p Progress) { reports = append(reports, p) }})
	small := openIndex(t, path, Options{Buffer: 1, MaxPostings: 50})
	a, _ := os.ReadFile(large.Path())
	b, _ := os.ReadFile(small.Path())
	if len(a) == 0 || !bytes.Equal(a, b) {
		t.Error("the file depends on the buffer")
	}
	want := []Progress{{ColumnName: schema.ColumnName{Table: "t", Column: "name"}, Total: 1}, {Done: 1, Total: 1, Values: large.Len()}}
	if diff := cmp.Diff(want, reports); diff != "" {
		t.Errorf("progress:\n%s", diff)
	}
	found := 0
	for _, s := range texts[:200] {
		ms, err := small.Find(context.Background(), Query{Keywords: []string{s[:3] + s[4:]}, K: 3}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if slices.ContainsFunc(ms, func(m Match) bool { return m.Value == s }) {
			found++
		}
	}
	if found < 190 {
		t.Errorf("with few postings %d of 200 misspelt texts are found", found)
	}
}

// TestBuiltOnce opens one index many times at once: one builds, and all find.
func TestBuiltOnce(t *testing.T) {
	path, dir := makeDatabase(t, harbour), t.TempDir()
	var all sync.WaitGroup
	var mu sync.Mutex
	built := 0
	for range 8 {
		all.Go(func() {
			x, err := Open(context.Background(), sqlite.DB(path), Options{Dir: dir})
			if err != nil {
				t.Error(err)
				return
			}
			defer x.Close()
			mu.Lock()
			defer mu.Unlock()
			if x.Built {
				built++
			}
		})
	}
	all.Wait()
	if built != 1 || len(turns.open) != 0 {
		t.Errorf("built %d times, %d turns left", built, len(turns.open))
	}
	leave, err := enter(context.Background(), "p")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := enter(ctx, "p"); !errors.Is(err, context.Canceled) {
		t.Errorf("waiting is cancelled: %v", err)
	}
	leave()
}

// TestBands compares with the plain form: a hundred bands of one row, kept whole. Whatever collides there is a candidate
// here, and the rate of collisions is that of the theory.
func TestBands(t *testing.T) {
	o, _ := Options{}.filled()
	h := newHasher(o)
	r := draw.Rand(3, "bands")
	plain := func(a, b []uint32) bool {
		for i := range h.mul {
			if a[h.winner(i, a)] == b[h.winner(i, b)] {
				return true
			}
		}
		return false
	}
	var weak, hits int
	var expected float64
	for range 4000 {
		a, b := h.grams(nil, h.text(word(r)+" "+word(r))), h.grams(nil, h.text(word(r)+" "+word(r)+" "+word(r)))
		both := common(a, b)
		collide := plain(a, b)
		if collide && common(h.winners(slices.Clone(a)), h.winners(slices.Clone(b))) == 0 {
			t.Fatal("a collision of the bands is no candidate")
		}
		if collide && both == 0 {
			t.Fatal("texts without a common gram collide")
		}
		j := float64(both) / float64(len(a)+len(b)-both)
		if j > 0 && j < 0.05 {
			weak++
			expected += 1 - pow(1-j, o.Permutations)
			if collide {
				hits++
			}
		}
	}
	// A sum of independent draws has a standard deviation under sqrt(weak)/2; four of them are allowed for.
	if d := float64(hits) - expected; weak < 500 || d*d > 4*float64(weak) {
		t.Errorf("of %d weak pairs %d collide, %.1f expected", weak, hits, expected)
	}
}

func pow(x float64, n int) float64 {
	p := 1.0
	for range n {
		p *= x
	}
	return p
}

func TestWinners(t *testing.T) {
	o, _ := Options{}.filled()
	h := newHasher(o)
	many := h.grams(nil, h.text(strings.Repeat("the quick brown fox jumps over a lazy dog and 27 wizards box; ", 5)+randomText(400)))
	won := h.winners(slices.Clone(many))
	if len(won) > o.Permutations || len(won) < 50 || !slices.IsSorted(won) || common(won, many) != len(won) {
		t.Errorf("%d of %d grams won", len(won), len(many))
	}
	if g := h.grams(nil, ""); len(g) != 0 {
		t.Errorf("no text, %d grams", len(g))
	}
	h.caseSensitive = true
	if a, b := h.grams(nil, h.text("ab")), h.grams(nil, h.text("cd")); len(a) != 1 || len(b) != 1 || a[0] == b[0] {
		t.Errorf("short texts are grams of their own: %v, %v", a, b)
	}
}

func randomText(n int) string {
	r := draw.Rand(9, "text")
	b := make([]byte, n)
	for i := range b {
		b[i] = byte('a' + r.IntN(26))
	}
	return string(b)
}

func TestNormal(t *testing.T) {
	check := func(want string, forms ...string) {
		t.Helper()
		for _, s := range forms {
			if got := normal(s); got != want {
				t.Errorf("normal(%q) = %q, want %q", s, got, want)
			}
		}
	}
	check("country", "Country", "countries", " COUNTRIES. ")
	check("box of match", "boxes of matches", "Box, of match")
	check("class", "class", "Classes")
	check("st john s", "St. John S.")
	check("obrien", "O'Brien", "OBRIEN")
	check("status bus", "Status bus") // not every s is a plural
	check("c++", "C++")
	check("c#", "C#")
	check("c", "C")
	check("-", "-")
	check("", "", "  ")
}

// TestRatio has the numbers of Python's difflib.SequenceMatcher(None, a, b).ratio().
func TestRatio(t *testing.T) {
	check := func(a, b string, want float64) {
		t.Helper()
		if got := Ratio(a, b); got < want-1e-12 || got > want+1e-12 {
			t.Errorf("Ratio(%q, %q) = %v, want %v", a, b, got, want)
		}
	}
	check("", "", 1.0)
	check("a", "", 0.0)
	check("", "a", 0.0)
	check("abcd", "bcde", 0.75)
	check("alameda", "alameda high", 0.7368421052631579)
	check("northren star", "northern star", 0.9230769230769231)
	check("gestalt pattern matching", "gestalt practice", 0.6)
	check("wikimedia", "wikimania", 0.7777777777777778)
	check("tide", "diet", 0.25)
	check("diet", "tide", 0.5)
	check("qabxcd", "abycdf", 0.6666666666666666)
	check("private thread", "private volatile thread", 0.7567567567567568)
	check("straße", "strasse", 0.7692307692307693)
	check("preschool", "schools", 0.75)
	check("aaaa", "aa", 0.6666666666666666)
	check("abab", "baba", 0.75)
	check("mississippi", "missouri river", 0.48)
}

func FuzzRatio(f *testing.F) {
	f.Add("abcd", "bcde")
	f.Add("", "\xff")
	f.Fuzz(func(t *testing.T, a, b string) {
		if len(a)+len(b) > 500 {
			return
		}
		if r := Ratio(a, b); r < 0 || r > 1 || r != r {
			t.Errorf("%q, %q: %v", a, b, r)
		}
	})
}

func TestSorter(t *testing.T) {
	check := func(n, size int) {
		t.Helper()
		s, err := newSorter(t.TempDir(), size)
		if err != nil {
			t.Fatal(err)
		}
		defer s.close()
		r := rand.New(rand.NewPCG(1, uint64(n)))
		want := make([]uint64, n)
		for i := range want {
			want[i] = r.Uint64() >> (r.IntN(3) * 28)
			if err := s.add(want[i]); err != nil {
				t.Fatal(err)
			}
		}
		slices.Sort(want)
		want = slices.Compact(want)
		got := make([]uint64, 0, n)
		if err := s.each(context.Background(), func(v uint64) error { got = append(got, v); return nil }); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%d numbers in buffers of %d: %d come out, want %d", n, size, len(got), len(want))
		}
	}
	check(0, 10)
	check(1, 10)
	check(10, 10)
	check(11, 10)
	check(5000, 7)
	check(5000, 10000)
}

// FuzzFile reads files that anything may have written: an error or an index, and no panic when it is searched.
func FuzzFile(f *testing.F) {
	path := makeDatabase(f, harbour)
	x := openIndex(f, path, Options{})
	stored, err := os.ReadFile(x.Path())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(uint16(20), byte(1), uint16(0), "Northern Star")
	f.Add(uint16(len(stored)-40), byte(7), uint16(3), "x")
	o, _ := Options{}.filled()
	f.Fuzz(func(t *testing.T, at uint16, flip byte, drop uint16, keyword string) {
		data := slices.Clone(stored[:max(0, len(stored)-int(drop))])
		if len(data) > 0 {
			data[int(at)%len(data)] ^= flip
		}
		foot, body, err := readFooter(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return
		}
		file := &indexFile{footer: foot, n: foot.Values, data: data} // its checksum is not looked at
		if err := file.cut(int(body)); err != nil {
			return
		}
		y := &Index{opts: o, hash: newHasher(o), file: file}
		if _, err := y.Find(context.Background(), Query{Keywords: []string{keyword}}, nil); err != nil {
			t.Error(err)
		}
	})
}

func FuzzFind(f *testing.F) {
	x := openIndex(f, makeDatabase(f, harbour), Options{})
	f.Add("Northren Star = 'x'", "a = b", "k")
	f.Add("\xff\xfe", "=", "")
	f.Fuzz(func(t *testing.T, question, evidence, keyword string) {
		for _, q := range []Query{{Question: question, Evidence: evidence}, {Keywords: []string{keyword}}} {
			ms, err := x.Find(context.Background(), q, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range ms {
				if m.Table == "" || m.Column == "" || !utf8.ValidString(m.Value) || m.Edit < 0 || m.Edit > 1 {
					t.Errorf("%+v", m)
				}
			}
		}
	})
}
