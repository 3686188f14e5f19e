package values

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"assay/prompting/sql/sqlite"

	"github.com/google/go-cmp/cmp"
)

// shelves has texts that share words, in two tables.
const shelves = `
CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT, place TEXT, pages INTEGER);
CREATE TABLE town (name TEXT, place TEXT);
INSERT INTO book VALUES
 (1, 'The River', 'New York', 100), (2, 'The Long River Home', 'Boston', 200), (3, 'River of the North', 'New Orleans', 300),
 (4, 'Gardens', 'Ålesund', 50), (5, 'A History of Gardens in the North', 'boston', 60), (6, '10% off', 'Boston Harbour', 70);
INSERT INTO town VALUES ('Boston', 'north'), ('New York City', 'east'), ('東京タワー', 'Asia');
`

func TestSearch(t *testing.T) {
	x := openIndex(t, makeDatabase(t, shelves), Options{Columns: All})
	check := func(q TextQuery, want ...string) {
		t.Helper()
		hits, err := x.Search(context.Background(), q)
		if err != nil {
			t.Error(err)
		}
		var got []string
		for _, h := range hits {
			got = append(got, h.How+" "+h.Table+"."+h.Column+" "+h.Value)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%+v: -want +got\n%s", q, d)
		}
	}
	check(TextQuery{Text: "boston"}, "same book.place Boston", "same book.place boston", "same town.name Boston", "words book.place Boston Harbour")
	check(TextQuery{Text: "BOSTON", Table: "Town"}, "same town.name Boston")
	check(TextQuery{Text: "boston", Column: "PLACE", K: 1}, "same book.place Boston")
	check(TextQuery{Text: "alesund"}, "same book.place Ålesund")
	check(TextQuery{Text: "new york"}, "same book.place New York", "words town.name New York City", "some book.place New Orleans")
	check(TextQuery{Text: "new york", Table: "town"}, "words town.name New York City")
	// "river" has three values of 2, 4 and 4 words: the shorter scores higher, equals stand in the order of the index.
	check(TextQuery{Text: "river"}, "words book.title The River", "words book.title The Long River Home", "words book.title River of the North")
	check(TextQuery{Text: "Bostn", Table: "town"}, "near town.name Boston")
	check(TextQuery{Text: "gardns histori"}, "corrected book.title A History of Gardens in the North", "some book.title Gardens")
	// BM25 divides by length: one word of one outweighs two of seven.
	check(TextQuery{Text: "north gardens zzzz"}, "some book.title Gardens", "some town.place north", "some book.title A History of Gardens in the North",
		"some book.title River of the North")
	check(TextQuery{Text: "東京タワー"}, "same town.name 東京タワー")
	for _, text := range []string{"", " ", "zzzzzzzz", "\u0301", `"`, "\x00", "\xff\xfe", "* OR NOT NEAR(", strings.Repeat("q", 5000), "%", "-'--", "' OR 1=1"} {
		check(TextQuery{Text: text})
	}
	check(TextQuery{Text: "river", Table: "none"})
	check(TextQuery{Text: "100", Column: "pages"})
	if !x.Has("BOOK", "title") || x.Has("book", "pages") || x.Has("book", "name") || !x.Has("", "name") || !x.Has("town", "") {
		t.Error("Has does not tell the columns of the index")
	}
}

func TestSearchKeepsItsFile(t *testing.T) {
	ctx, path, dir := context.Background(), makeDatabase(t, shelves), t.TempDir()
	find := func(what string) {
		t.Helper()
		x, err := Open(ctx, sqlite.DB(path), Options{Dir: dir, Columns: All})
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		if hits, err := x.Search(ctx, TextQuery{Text: "harbour"}); err != nil || len(hits) != 1 {
			t.Errorf("%s: %v, %v", what, hits, err)
		}
	}
	find("first")
	x := openIndex(t, path, Options{Dir: dir, Columns: All})
	file := wordsPath(x.Path())
	before, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	find("again")
	if after, err := os.Stat(file); err != nil || !after.ModTime().Equal(before.ModTime()) {
		t.Error("the word index was made again")
	}
	if err := os.WriteFile(file, []byte("damaged"), 0o644); err != nil {
		t.Fatal(err)
	}
	find("damaged")
	stopped, stop := context.WithCancel(ctx)
	stop()
	if _, err := x.Search(stopped, TextQuery{Text: "harbour"}); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
	x.Close()
	if _, err := x.Search(ctx, TextQuery{Text: "harbour"}); err == nil {
		t.Error("a closed index was searched")
	}
}

func TestSearchAtOnce(t *testing.T) {
	x := openIndex(t, makeDatabase(t, shelves), Options{Columns: All})
	errs := make(chan error)
	for range 8 {
		go func() {
			hits, err := x.Search(context.Background(), TextQuery{Text: "gardns"})
			if err == nil && len(hits) != 2 {
				err = fmt.Errorf("%v", hits)
			}
			errs <- err
		}()
	}
	for range 8 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
}

// FuzzSearch: no text is an error, and every hit is where it was looked for.
func FuzzSearch(f *testing.F) {
	x := openIndex(f, makeDatabase(f, shelves), Options{Columns: All})
	for _, s := range []string{"boston", "gardns histori", `"`, "* OR NOT NEAR(", "\xff", "\u0301a", "東京", "a AND b", "^x", "{y}:z", "'"} {
		f.Add(s, "book", "place")
		f.Add(s, "", "")
	}
	f.Fuzz(func(t *testing.T, text, table, column string) {
		hits, err := x.Search(context.Background(), TextQuery{Text: text, Table: table, Column: column})
		if err != nil || len(hits) > 5 {
			t.Errorf("%q: %v, %v", text, hits, err)
		}
		for _, h := range hits {
			if table != "" && !strings.EqualFold(table, h.Table) || column != "" && !strings.EqualFold(column, h.Column) || h.Value == "" {
				t.Errorf("%q in %q.%q: %+v", text, table, column, h)
			}
		}
	})
}
