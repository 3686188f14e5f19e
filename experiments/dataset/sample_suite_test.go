package dataset

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"database/sql/driver"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/metrics/suite"
	"assay/prompting/sql/sqlite"

	"github.com/mattn/go-sqlite3"
)

var update = flag.Bool("update", false, "build sample/suite.zip anew")

// goldsOf is the sample's evaluation items by database, and the names of the databases in order.
func goldsOf(t *testing.T) (of map[string][]item, names []string) {
	t.Helper()
	all, err := sampleQuestions(&loader{})
	if err != nil {
		t.Fatal(err)
	}
	of = map[string][]item{}
	for _, it := range all {
		if of[it.db] == nil {
			names = append(names, it.db)
		}
		of[it.db] = append(of[it.db], it)
	}
	slices.Sort(names)
	return of, names
}

// buildSuite makes the suite of one database in the folder out/<db>, with the options that the shipped ones have.
func buildSuite(t *testing.T, db string, items []item, out string) suiteEntry {
	t.Helper()
	script, err := sampleScript(db)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), db+".sqlite")
	if err := sqlite.Create(t.Context(), path, string(script)); err != nil {
		t.Fatal(err)
	}
	var golds []suite.Gold
	for _, it := range items {
		golds = append(golds, suite.Gold{Item: "sample/dev/" + it.id, SQL: it.gold})
	}
	r, err := suite.Build(t.Context(), suite.Options{}, sqlite.DB(path), golds, out)
	if err != nil {
		t.Fatal(err)
	}
	e := suiteEntry{DB: db, Script: digest(script), Golds: goldHash(items)}
	for _, f := range r.Databases[1:] {
		e.Neighbours = append(e.Neighbours, neighbour{f.Name, f.SHA256})
	}
	return e
}

// updateSuites writes the archive.
func updateSuites(t *testing.T) {
	t.Helper()
	of, names := goldsOf(t)
	out, index, files := t.TempDir(), sampleSuites{SQLite: sqlite.Version()}, map[string][]byte{}
	for _, db := range names {
		e := buildSuite(t, db, of[db], out)
		index.Databases = append(index.Databases, e)
		for _, name := range append(neighbourNames(e), "manifest.json") {
			b, err := os.ReadFile(filepath.Join(out, db, name))
			if err != nil {
				t.Fatal(err)
			}
			files[db+"/"+name] = b
		}
	}
	b, err := json.MarshalIndent(index, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	files[suiteIndex] = b
	if err := os.WriteFile(suiteFile, archive(t, files), 0o644); err != nil {
		t.Fatal(err)
	}
}

func neighbourNames(e suiteEntry) (names []string) {
	for _, n := range e.Neighbours {
		names = append(names, n.Name)
	}
	return names
}

// archive is a zip whose bytes depend on the files alone, and on the version of Go that presses them.
func archive(t *testing.T, files map[string][]byte) []byte {
	t.Helper()
	var names []string
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestCompression) })
	for _, name := range names {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(files[name]); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func shipped(t *testing.T) *openedSuites {
	t.Helper()
	s, err := suiteArchive()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const again = "the sample or metrics/suite has changed: go test ./experiments/dataset -run SampleSuite -update"

// TestSampleSuiteIsBuiltAgain builds one of the shipped suites, the one that is built the fastest. With -update it builds all, and
// writes them.
func TestSampleSuiteIsBuiltAgain(t *testing.T) {
	if *update {
		updateSuites(t)
		t.Skip("written: the tests read the new one when they are built again")
	}
	const db = "energy_grid"
	of, _ := goldsOf(t)
	out, s := t.TempDir(), shipped(t)
	e := buildSuite(t, db, of[db], out)
	equal(t, "files", neighbourNames(e), neighbourNames(suiteEntry{Neighbours: s.of(db)}))
	if t.Failed() {
		t.Fatal(again)
	}
	if s.SQLite == sqlite.Version() {
		equal(t, "hashes", e.Neighbours, s.of(db))
	}
	for _, n := range s.of(db) {
		path := filepath.Join(t.TempDir(), n.Name)
		b, err := s.read(db + "/" + n.Name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
		if contents(t, path) != contents(t, filepath.Join(out, db, n.Name)) {
			t.Errorf("%s: other rows than shipped: %s", n.Name, again)
		}
	}
}

// contents is all that a database holds, as text, whatever version of SQLite wrote it.
func contents(t *testing.T, path string) string {
	t.Helper()
	c, err := (&sqlite3.SQLiteDriver{}).Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	read := func(sql string) (out [][]driver.Value) {
		t.Helper()
		rows, err := c.(driver.QueryerContext).QueryContext(t.Context(), sql, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		for {
			row := make([]driver.Value, len(rows.Columns()))
			if err := rows.Next(row); err == io.EOF {
				return out
			} else if err != nil {
				t.Fatal(err)
			}
			out = append(out, row)
		}
	}
	var text strings.Builder
	for _, table := range read("SELECT name, sql FROM sqlite_master WHERE type = 'table' ORDER BY name") {
		fmt.Fprintf(&text, "%s\n%q\n", table[1], read(fmt.Sprintf("SELECT * FROM %q", table[0])))
	}
	return text.String()
}

func TestSampleSuiteIsOfThisSample(t *testing.T) {
	of, names := goldsOf(t)
	s := shipped(t)
	var has []string
	files := []string{suiteIndex}
	for _, e := range s.Databases {
		has = append(has, e.DB)
		script, err := sampleScript(e.DB)
		if err != nil {
			t.Fatal(err)
		}
		if e.Script != digest(script) || e.Golds != goldHash(of[e.DB]) {
			t.Errorf("%s: the suite is of another script or other gold queries: %s", e.DB, again)
		}
		for _, n := range e.Neighbours {
			files = append(files, e.DB+"/"+n.Name)
			if b, err := s.read(e.DB + "/" + n.Name); err != nil || digest(b) != n.SHA256 {
				t.Errorf("%s: not as in the index, or: %v", n.Name, err)
			}
		}
		files = append(files, e.DB+"/manifest.json")
		r := reportOf(t, e.DB)
		equal(t, e.DB+" items", len(r.Items), len(of[e.DB]))
		for _, it := range r.Items {
			if it.Problem != "" || it.Shaky != "" {
				t.Errorf("%s: problem %q, shaky %q", it.Item, it.Problem, it.Shaky)
			}
		}
	}
	equal(t, "databases", has, names)
	var inside []string
	for _, f := range s.zip.File {
		inside = append(inside, f.Name)
	}
	slices.Sort(files)
	equal(t, "files in the archive", inside, files)
}

func reportOf(t *testing.T, db string) suite.Report {
	t.Helper()
	b, err := shipped(t).read(db + "/manifest.json")
	if err != nil {
		t.Fatal(err)
	}
	var m struct{ Report suite.Report }
	if err := json.Unmarshal(b, &m); err != nil {
		t.Fatal(err)
	}
	return m.Report
}

// tally is what suites kill under one equality.
type tally struct {
	golds, files, mutants, original, killed int
	byOriginal, bySuite                     int // gold queries with no mutant left
	lowest                                  float64
	lowestItem                              string
}

func (a *tally) add(r suite.Report, equality int) {
	a.golds += len(r.Items)
	a.files += len(r.Databases)
	for _, it := range r.Items {
		rate := it.Rates[equality].Rate
		a.mutants, a.original, a.killed = a.mutants+rate.Mutants, a.original+rate.Original, a.killed+rate.Killed
		if rate.Original == rate.Mutants {
			a.byOriginal++
		}
		if rate.Killed == rate.Mutants {
			a.bySuite++
		}
		if p := rate.Percent(); a.lowestItem == "" || p < a.lowest {
			a.lowest, a.lowestItem = p, strings.TrimPrefix(it.Item, "sample/dev/")
		}
	}
}

func (a tally) line(name string) string {
	percent := func(n, of int) string { return fmt.Sprintf("%.1f %%", 100*float64(n)/float64(of)) }
	lowest := fmt.Sprintf("%s: %.0f %%", a.lowestItem, a.lowest)
	if a.lowest == 100 {
		lowest = "100 %"
	}
	return fmt.Sprintf("| %s | %d | %d | %d | %s | %s | %d | %d | %s |\n", name, a.golds, a.files, a.mutants, percent(a.original, a.mutants),
		percent(a.killed, a.mutants), a.byOriginal, a.bySuite, lowest)
}

// TestSampleSuiteTable holds that the table of the suites' worth is that of the shipped suites.
func TestSampleSuiteTable(t *testing.T) {
	var table strings.Builder
	var all [2]tally
	for _, e := range shipped(t).Databases {
		r := reportOf(t, e.DB)
		var one tally
		one.add(r, 0)
		table.WriteString(one.line(e.DB))
		for i := range all {
			all[i].add(r, i)
		}
	}
	table.WriteString(all[0].line("all, `ts`"))
	table.WriteString(all[1].line("all, `ts-keep-distinct`"))
	b, err := os.ReadFile("../../metrics/README.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(b), table.String()) {
		t.Errorf("metrics/README.md has another table than\n%s", table.String())
	}
}

// goldHash is the SHA-256 of all that a suite sees of its items.
func goldHash(items []item) string {
	var b bytes.Buffer
	for _, it := range items {
		fmt.Fprintf(&b, "%q %q\n", it.id, it.gold)
	}
	return digest(b.Bytes())
}
