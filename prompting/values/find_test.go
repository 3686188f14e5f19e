package values

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"assay/prompting/sql/sqlite"

	"github.com/google/go-cmp/cmp"
)

// names prints matches as table.column=value.
func names(ms []Match) []string {
	var out []string
	for _, m := range ms {
		out = append(out, m.Table+"."+m.Column+"="+m.Value)
	}
	return out
}

func TestFind(t *testing.T) {
	x := openIndex(t, makeDatabase(t, harbour), Options{})
	check := func(why, question, want string) {
		t.Helper()
		ms, err := x.Find(context.Background(), Query{Question: question}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(ms) == 0 || names(ms)[0] != want {
			t.Errorf("%s: %q found %q, want %s first", why, question, names(ms), want)
		}
	}
	check("as it is", "Who owns Northern Star?", "ship.name=Northern Star")
	check("case", "who owns northern star", "ship.name=Northern Star")
	check("a typing mistake", "Who owns Northren Star?", "ship.name=Northern Star")
	check("a letter missing", "Who owns the Northrn Star?", "ship.name=Northern Star")
	check("a typing mistake in a short word", "How many frery ships are there?", "ship.class=Ferry")
	check("plural", "How many ferries are there?", "ship.class=Ferry")
	check("plural of two words", "List all container carriers", "ship.class=Container Carrier")
	check("accents", "Ships of sao sebastiao", "town.Home Port=São Sebastião")
	check("accents of another kind", "Ships of Gdansk", "town.Home Port=Gdańsk")
	check("ring", "phone of Alesund", "town.Home Port=Ålesund")
	check("partial name", "Which carrier class is the largest?", "ship.class=Container Carrier")
	check("small words inside", "What is the tonnage of Queen of the Fjords?", "ship.name=Queen of the Fjords")
	check("number in the text", "Who sails area 51?", "ship.name=Area 51")
	check("part with a number", "Where does the 747-400 lie?", "ship.name=Boeing 747-400")
	check("apostrophe", "Where does O'Brien lie?", "ship.name=O'Brien")
	check("apostrophe left out", "Where does OBrien lie?", "ship.name=O'Brien")
	check("two letters", "How many ships sail under SE?", "ship.flag=SE")
	check("quoted", "Ships of area 'alameda high'", "town.area_name=Alameda High")
	check("code", "phone of OSL please", "town.code=OSL")
}

func TestFindNothing(t *testing.T) {
	x := openIndex(t, makeDatabase(t, harbour), Options{})
	check := func(q Query) {
		t.Helper()
		if ms, err := x.Find(context.Background(), q, nil); err != nil || len(ms) != 0 {
			t.Errorf("%+v found %q, %v", q, names(ms), err)
		}
	}
	check(Query{})
	check(Query{Question: "How many are there?"})
	check(Query{Question: "zzzz qqqq"})
	check(Query{Question: "Northern Star", Keywords: []string{}}) // an empty list is a list
	check(Query{Keywords: []string{"", "  ", strings.Repeat("x", 5000), "\xff", "..."}})
}

// TestWhatIsIndexed names the columns left out and why: numbers, addresses, dates, keys, phones, blanks, NULLs.
func TestWhatIsIndexed(t *testing.T) {
	path := makeDatabase(t, harbour)
	check := func(o Options, want ...string) {
		t.Helper()
		var got []string
		for _, c := range openIndex(t, path, o).Columns() {
			got = append(got, fmt.Sprintf("%s.%s %d", c.Table, c.Column, c.Values))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", o.Columns, diff)
		}
	}
	check(Options{}, "ship.name 5", "ship.class 3", "ship.flag 3", "ship.remark 1", "town.code 4", "town.Home Port 4", "town.area_name 4")
	// Declared TEXT alone, without phone and the key, but with what a column name does not give away; blanks are no values.
	check(Options{Columns: Chess}, "ship.mail 5", "ship.built 5", "ship.hull 5", "ship.remark 1", "ship.blank 0", "town.Home Port 4", "town.area_name 4")
	check(Options{Columns: All}, "ship.name 5", "ship.class 3", "ship.flag 3", "ship.mail 5", "ship.built 5", "ship.hull 5", "ship.remark 1",
		"ship.blank 0", "town.code 4", "town.Home Port 4", "town.phone 4", "town.area_name 4")
	if _, err := Open(context.Background(), sqlite.DB(path), Options{Columns: "some"}); err == nil || !strings.Contains(err.Error(), `option Columns: unknown choice "some"`) {
		t.Errorf("got %v", err)
	}
}

func TestKindOf(t *testing.T) {
	check := func(want kind, texts ...string) {
		t.Helper()
		for _, s := range texts {
			if got := kindOf(s, 50); got != want {
				t.Errorf("%q is kind %d, want %d", s, got, want)
			}
		}
	}
	check(Words, "Ferry", "F", "XC90-2015", "UA1234", "Area 51", "42nd Street", "東京", "C++", "O'Brien", "K-12", "\xff", "A+")
	check(Blank, "", " \t\n")
	check(NumberText, "12", "-3.5", "1,200", "$ 9.99", "45%", "1e9", "5K", "(12)")
	check(DateText, "2020-01-31", "31/12/1999", "2020-01-31T10:00:00Z", "2020-01-31 10:00", "9:30", "1:23.456", "12:00 PM", "2020-05")
	check(Address, "https://x.example/a", "www.x.example", "a.b@c.example")
	check(Identifier, "6f9619ff-8b86-d011-b42d-00c04fc964ff", "d41d8cd98f00b204e9800998ecf8427e", "a7f29bc04d11")
	check(Long, strings.Repeat("word ", 20))
}

func TestOptionsOfSearch(t *testing.T) {
	path := makeDatabase(t, harbour)
	find := func(o Options, q Query) []string {
		t.Helper()
		ms, err := openIndex(t, path, o).Find(context.Background(), q, nil)
		if err != nil {
			t.Fatal(err)
		}
		return names(ms)
	}
	loose := Options{MinEdit: -1, MinSimilarity: -1, Keep: -1, PerColumn: -1}
	q := Query{Keywords: []string{"Alameda"}}
	if got := find(loose, q); len(got) < 3 {
		t.Errorf("without thresholds: %q", got)
	}
	// Alameda High has ratio 2*7/19 = 0.74, Alameda County 2*7/21 = 0.67, Southern Alameda 14/23 = 0.61; 0.9*0.74 = 0.66.
	// In a column of its own Ålesund has 2*4/14 = 0.57.
	unsimilar := Options{MinSimilarity: -1}
	if diff := cmp.Diff([]string{"town.area_name=Alameda High", "town.area_name=Alameda County", "town.Home Port=Ålesund"}, find(unsimilar, q)); diff != "" {
		t.Error(diff)
	}
	unsimilar.PerColumn = 1
	if diff := cmp.Diff([]string{"town.area_name=Alameda High", "town.Home Port=Ålesund"}, find(unsimilar, q)); diff != "" {
		t.Error(diff)
	}
	if got := find(Options{MinEdit: 0.99}, q); len(got) != 0 {
		t.Errorf("edit 0.99: %q", got)
	}
	if got := find(loose, Query{Keywords: []string{"Alameda"}, K: 2}); len(got) != 2 {
		t.Errorf("K = 2: %q", got)
	}
	// One pool a column: the exact match of one keyword drives out the near one of another.
	two := Query{Keywords: []string{"Preschool", "Alamda Hgih"}}
	if got := find(Options{}, two); !slices.Contains(got, "town.area_name=Alameda High") {
		t.Errorf("a pool for each keyword: %q", got)
	}
	if diff := cmp.Diff([]string{"town.area_name=Preschool"}, find(Options{Pool: poolColumn}, two)); diff != "" {
		t.Error(diff)
	}
	if got := find(Options{CaseSensitive: true, Pool: poolColumn}, Query{Keywords: []string{"ALAMEDA HIGHS"}}); !slices.Contains(got, "town.area_name=Alameda High") {
		t.Errorf("an exact match does not need grams: %q", got)
	}
	if got := find(Options{CaseSensitive: true}, Query{Keywords: []string{"ALAMEDO HIGHT"}}); len(got) != 0 {
		t.Errorf("grams of the text as stored: %q", got)
	}
}

// fixed embeds by a table, to test what similarity decides.
type fixed map[string][]float32

func (f fixed) Embed(_ context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i, s := range texts {
		if out[i] = f[s]; out[i] == nil {
			out[i] = []float32{1, 0}
		}
	}
	return out, nil
}

type failing struct{ err error }

func (f failing) Embed(context.Context, []string) ([][]float32, error) { return nil, f.err }

type shortAnswer struct{}

func (shortAnswer) Embed(context.Context, []string) ([][]float32, error) {
	return [][]float32{{1}}, nil
}

func TestEmbedder(t *testing.T) {
	x := openIndex(t, makeDatabase(t, harbour), Options{})
	q := Query{Keywords: []string{"Alameda"}}
	// 0.6 is the threshold for a provider's vectors: a cosine of 0.8 passes, of 0.5 or 0 does not.
	ms, err := x.Find(context.Background(), q, fixed{"Alameda": {1, 0}, "Alameda High": {0.5, 0.8660254}, "Alameda County": {0.8, 0.6},
		"Southern Alameda": {0, 1}, "Ålesund": {0, 1}})
	if err != nil || !slices.Equal(names(ms), []string{"town.area_name=Alameda County"}) {
		t.Errorf("got %q, %v", names(ms), err)
	}
	broken := errors.New("no quota")
	if _, err := x.Find(context.Background(), Query{Question: "Alameda"}, failing{broken}); !errors.Is(err, broken) || err.Error() != `values: find "Alameda": no quota` {
		t.Errorf("got %v", err)
	}
	if _, err := x.Find(context.Background(), q, shortAnswer{}); err == nil {
		t.Error("too few vectors are an error")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := x.Find(ctx, q, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	x.Close()
	if _, err := x.Find(context.Background(), q, nil); err == nil || !strings.Contains(err.Error(), "the index is closed") {
		t.Errorf("closed: %v", err)
	}
	if err := x.Close(); err != nil {
		t.Errorf("closed twice: %v", err)
	}
}

// TestSame asks the same thing many times, at once and of indexes built anew.
func TestSame(t *testing.T) {
	path := makeDatabase(t, harbour)
	q := Query{Question: "Which ferries and tugs under NO lie in Alameda or Gdansk, and is Northren Star one?"}
	want, err := openIndex(t, path, Options{}).Find(context.Background(), q, nil)
	if err != nil || len(want) < 4 {
		t.Fatalf("got %q, %v", names(want), err)
	}
	var all sync.WaitGroup
	x := openIndex(t, path, Options{})
	for range 8 {
		all.Go(func() {
			for range 20 {
				got, err := x.Find(context.Background(), q, nil)
				if diff := cmp.Diff(names(want), names(got)); err != nil || diff != "" {
					t.Errorf("%v\n%s", err, diff)
				}
			}
		})
	}
	all.Wait()
}
