package table

import (
	"bytes"
	"encoding/csv"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jedib0t/go-pretty/v6/text"
)

var update = flag.Bool("update", false, "write the golden files")

// small has every kind of cell.
func small() *Table {
	t := &Table{
		ID: "demo/small", Title: "Accuracy by hardness, in percent",
		Columns: []Column{
			{Name: "arm", Key: true},
			{Name: "items", Align: Right},
			{Name: "TS", Group: "easy", Align: Right},
			{Name: "published", Short: "publ.", Group: "easy", Align: Right},
			{Name: "TS", Group: "all", Align: Right},
			{Name: "EX", Group: "all", Align: Right, Parens: true},
		},
		Rows: [][]Cell{
			{Text("Standard"), Count(40), Measured(Number{Value: 86.8125, N: 10, Decimals: 1}),
				Published(Number{Value: 86.8, Decimals: 1}),
				Measured(Number{Value: 63.2, SD: 2.514, HasSD: true, N: 40, Decimals: 1}),
				Measured(Number{Value: 68.7, SD: 4.08, HasSD: true, N: 40, Decimals: 1})},
			{Text("+InterCOL"), Count(40), Measured(Number{Value: 89.6, N: 10, Decimals: 1}), {},
				Measured(Number{Value: 68.4, Low: 51.25, High: 78.5, HasInterval: true, N: 40, Decimals: 1}), {}},
			{Text("no score at all"), Count(0), {}, {}, {}, {}},
		},
		Notes: []string{"A note long enough to be wrapped: the cell is the mean over the seeds, and after the sign stands the sample standard deviation over them."},
	}
	t.MarkBest(2, 4)
	return t
}

// wide has far more columns than 80 characters hold.
func wide() *Table {
	t := &Table{ID: "demo/wide", Title: "Wide", Columns: []Column{{Name: "arm", Key: true}}}
	row := []Cell{Text("an arm with a name that is longer than anyone should give")}
	for _, g := range []string{"easy", "medium", "hard", "extra", "all"} {
		for _, m := range []string{"test-suite", "execution", "published"} {
			t.Columns = append(t.Columns, Column{Name: m, Short: m[:2], Group: g, Align: Right})
			row = append(row, Measured(Number{Value: 12.345, SD: 1, HasSD: true, N: 3, Decimals: 1}))
		}
	}
	t.Rows = [][]Cell{row, row}
	return t
}

// lengthy has two rows, ten counts with long names and an interval, and one more column that may be left out.
func lengthy() *Table {
	t := &Table{ID: "demo/lengthy", Title: "Lengthy", Columns: []Column{{Name: "arm", Key: true}}}
	row := []Cell{Text("Standard")}
	for i := range 10 {
		t.Columns = append(t.Columns, Column{Name: fmt.Sprintf("completion tokens, kind %d", i), Short: fmt.Sprintf("compl. %d", i), Align: Right})
		row = append(row, Count(100+i))
	}
	t.Columns = append(t.Columns, Column{Name: "accuracy", Align: Right}, Column{Name: "wrong in the first draft", Align: Right, Extra: true})
	row = append(row, Measured(Number{Value: 45, Low: 40.1, High: 50, HasInterval: true, Decimals: 1}), Text("not told"))
	t.Rows = [][]Cell{row, append([]Cell{Text("Few-shot")}, row[1:]...)}
	return t
}

// hostile has texts that mean something in each form.
func hostile() *Table {
	return &Table{
		ID: "demo/hostile & odd", Title: `50% of {x} \ $y$ | <b>`,
		Columns: []Column{{Name: "a|b_c", Key: true}, {Name: "=1+1", Group: `\g#`}, {Name: "=1+1", Group: `\g#`}},
		Rows: [][]Cell{
			{Text("line\nbreak\ttab"), Text(`=HYPERLINK("http://x")`), Text("+cmd|' /C calc'!A0")},
			{Text("\x1b[31mred\x00"), Text("a\u202eb"), Text("bad \xff byte")},
			{Text("[x] *y* `z` ~w~ ^v"), Text("日本語 é"), Text(`"q", 'r' & <script>`)},
		},
		Notes: []string{"note with | pipe, \\input{x} and 100% # sign"},
	}
}

func TestGolden(t *testing.T) {
	check := func(name string, write func(io.Writer) error) {
		t.Helper()
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		path := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(want), b.String()); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
	for _, one := range []struct {
		name string
		t    *Table
	}{{"small", small()}, {"wide", wide()}, {"lengthy", lengthy()}, {"hostile", hostile()}} {
		check(one.name+".txt", func(w io.Writer) error { return one.t.WriteText(w, TextOptions{}) })
		check(one.name+".csv", one.t.WriteCSV)
		check(one.name+".md", one.t.WriteMarkdown)
		check(one.name+".tex", one.t.WriteLaTeX)
	}
	check("small.colour.txt", func(w io.Writer) error { return small().WriteText(w, TextOptions{Width: 120, Colour: true}) })
	check("wide.240.txt", func(w io.Writer) error { return wide().WriteText(w, TextOptions{Width: 240}) })
}

// TestForms: the narrower the terminal, the less a table shows of what the CSV file has, and the last resort is parts.
func TestForms(t *testing.T) {
	check := func(width int, has, hasNot string) {
		t.Helper()
		var b strings.Builder
		if err := lengthy().WriteText(&b, TextOptions{Width: width}); err != nil {
			t.Fatal(err)
		}
		words := strings.Join(strings.Fields(b.String()), " ")
		if !strings.Contains(words, has) || strings.Contains(words, hasNot) || text.LongestLineLen(b.String()) > width {
			t.Errorf("width %d: want %q and not %q:\n%s", width, has, hasNot, b.String())
		}
	}
	check(400, "completion tokens, kind 9 accuracy wrong in the first draft", "compl.")
	check(181, "completion completion", "compl.")
	check(130, "compl. compl.", "Left out for want of room")
	check(118, "in a wider terminal: wrong in the first draft.", "the intervals")
	check(107, "109 45.0 [40.1, 50.0] Few-shot", "the intervals")
	check(101, "the first draft, the intervals", "[40.1")
	check(80, "Standard Few-shot", "the intervals")
	check(40, "Left out for want of room", "compl. 0 compl. 1")
	check(24, "Standard 45.0 [40.1, 50.0] Few-shot", "completion tokens")
}

// TestGroupWidths: a group's name is centred over its columns, however wide either is.
func TestGroupWidths(t *testing.T) {
	check := func(group, columns, cell int) {
		t.Helper()
		tab := &Table{ID: "demo/group", Title: "t", Columns: []Column{{Name: "a", Key: true}}}
		row := []Cell{Text("a")}
		for range columns {
			tab.Columns = append(tab.Columns, Column{Name: "n", Group: strings.Repeat("g", group), Align: Right})
			row = append(row, Text(strings.Repeat("x", cell)))
		}
		tab.Columns, tab.Rows = append(tab.Columns, Column{Name: "last"}), [][]Cell{append(row, Text("z"))}
		var b strings.Builder
		if err := tab.WriteText(&b, TextOptions{Width: 200}); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(b.String(), "\n")
		over, heads := lines[2], lines[3]
		if end := strings.Index(heads, "last"); len(over) > end-2 || strings.Count(over, "g") != group {
			t.Errorf("group of %d over %d columns of %d:\n%s\n%s", group, columns, cell, over, heads)
		}
	}
	for group := 1; group < 40; group++ {
		for columns := 1; columns < 5; columns++ {
			for cell := 1; cell < 9; cell++ {
				check(group, columns, cell)
			}
		}
	}
}

func TestTextFits(t *testing.T) {
	check := func(name string, tab *Table, o TextOptions, want int) {
		t.Helper()
		var b strings.Builder
		if err := tab.WriteText(&b, o); err != nil {
			t.Fatal(err)
		}
		if got := text.LongestLineLen(b.String()); got > want {
			t.Errorf("%s: a line of %d characters, want at most %d:\n%s", name, got, want, b.String())
		}
		if strings.Contains(b.String(), "\x1b") != o.Colour {
			t.Errorf("%s: colour %v, but escape codes %v", name, o.Colour, !o.Colour)
		}
	}
	check("small", small(), TextOptions{}, 80)
	check("small in colour", small(), TextOptions{Colour: true}, 80)
	check("small in 60", small(), TextOptions{Width: 60}, 60)
	check("wide", wide(), TextOptions{}, 80)
	one := wide()
	for i := range one.Columns[1:] {
		one.Columns[i+1].Group = "one group"
	}
	check("one wide group", one, TextOptions{}, 80)
	check("wide in 200", wide(), TextOptions{Width: 200}, 200)
	check("hostile", hostile(), TextOptions{}, 80)
}

func TestCSVReadsBack(t *testing.T) {
	check := func(tab *Table, row int, column, want string) {
		t.Helper()
		var b bytes.Buffer
		if err := tab.WriteCSV(&b); err != nil {
			t.Fatal(err)
		}
		all, err := csv.NewReader(&b).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		if len(all) != len(tab.Rows)+1 {
			t.Fatalf("%d records for %d rows", len(all), len(tab.Rows))
		}
		for i, name := range all[0] {
			if name == column {
				if got := all[row+1][i]; got != want {
					t.Errorf("row %d, %s: %q, want %q", row, column, got, want)
				}
				return
			}
		}
		t.Errorf("no column %q in %q", column, all[0])
	}
	check(small(), 0, "arm", "Standard")
	check(small(), 1, "arm", "'+InterCOL")
	check(small(), 0, "items", "40")
	check(small(), 0, "easy_ts", "86.8125") // every digit, though one is printed
	check(small(), 0, "easy_ts_n", "10")
	check(small(), 0, "easy_ts_sd", "")
	check(small(), 0, "all_ts_sd", "2.514")
	check(small(), 1, "all_ts_low", "51.25")
	check(small(), 1, "all_ex", "")
	check(small(), 0, "easy_published", "86.8")
	check(hostile(), 0, "g_1_1", `'=HYPERLINK("http://x")`)
	check(hostile(), 0, "g_1_1_2", "'+cmd|' /C calc'!A0")
	check(hostile(), 1, "a_b_c", `\x1b[31mred\x00`)
}

func TestMarkBest(t *testing.T) {
	check := func(want string, values ...float64) {
		t.Helper()
		tab := &Table{Columns: []Column{{Name: "x"}}}
		for _, v := range values {
			c := Measured(Number{Value: v})
			if v < 0 { // means a published value in this test
				c = Published(Number{Value: 100})
			}
			tab.Rows = append(tab.Rows, []Cell{c})
		}
		tab.MarkBest(0)
		got := ""
		for _, r := range tab.Rows {
			got += []string{".", "B", "s"}[r[0].Mark]
		}
		if got != want {
			t.Errorf("%v: marked %s, want %s", values, got, want)
		}
	}
	check("sB.", 2, 3, 1)
	check("BBs", 3, 3, 1) // equal values share a mark
	check("..", 2, 2)     // a best that all share is none
	check(".", 5)         // nothing to beat
	check("..", -1, 5)    // a paper's value does not compete
	check("s.B", 1, -1, 2)
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestErrors(t *testing.T) {
	check := func(want string, err error) {
		t.Helper()
		if err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	bad := &Table{ID: "bad", Columns: []Column{{Name: "a"}}, Rows: [][]Cell{{Text("x"), Text("y")}}}
	check(`table: write as text "bad": row 1 has 2 cells for 1 columns`, bad.WriteText(io.Discard, TextOptions{}))
	check(`table: write as csv "none": no columns`, (&Table{ID: "none"}).WriteCSV(io.Discard))
	check(`table: write as csv "demo/small": disk full`, small().WriteCSV(broken{}))
	check(`table: write as markdown "demo/small": disk full`, small().WriteMarkdown(broken{}))
	check(`table: write as latex "demo/small": disk full`, small().WriteLaTeX(broken{}))
	check(`table: write as text "demo/small": disk full`, small().WriteText(broken{}, TextOptions{}))
}

// TestChoose: columns are chosen by any of their names, in the order asked for, and the keys stay.
func TestChoose(t *testing.T) {
	check := func(want string, names ...string) {
		t.Helper()
		tab := small()
		if err := Choose([]*Table{tab}, names); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(tab.fileNames(), " "); got != want {
			t.Errorf("%q: %s, want %s", names, got, want)
		}
		if err := tab.check(); err != nil {
			t.Errorf("%q: %v", names, err)
		}
	}
	check("arm items", "items")
	check("arm items", "ITEMS", "arm", "items")
	check("arm easy_ts easy_published", "easy")
	check("arm easy_ts", "easy TS")
	check("arm all_ts easy_ts", "all_ts", "easy_ts")
	check("arm easy_ts all_ts", "ts")
	check("arm easy_published", "publ.")
	check("arm items easy_ts easy_published all_ts all_ex")

	other := &Table{Columns: []Column{{Name: "k", Key: true}, {Name: "USD"}}}
	first := small()
	if err := Choose([]*Table{first, other}, []string{"usd"}); err != nil || len(first.Columns) != 6 || len(other.Columns) != 2 {
		t.Errorf("a name of one table alone: %v", err)
	}
	err := Choose([]*Table{first, other}, []string{"ex", "nope"})
	if want := `table: choose column "nope": no table has it: the columns are items, easy_ts, easy_published, all_ts, all_ex, usd`; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	if len(first.Columns) != 6 {
		t.Error("a table is changed by a choice that failed")
	}
}

// TestRound: decimals are those of measures, never of counts, and CSV keeps all digits.
func TestRound(t *testing.T) {
	check := func(decimals int, want ...string) {
		t.Helper()
		tab := small()
		tab.Round(decimals)
		var got []string
		for _, c := range tab.Rows[0] {
			got = append(got, c.String())
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%d decimals (-want +got):\n%s", decimals, d)
		}
	}
	check(0, "Standard", "40", "87", "87", "63±2.5", "69±4.1")
	check(-1, "Standard", "40", "87", "87", "63±2.5", "69±4.1")
	check(2, "Standard", "40", "86.81", "86.80", "63.20±2.51", "68.70±4.08")
	tab := &Table{Columns: []Column{{Name: "x"}}, Rows: [][]Cell{{Measured(Number{Value: 57.3})}, {Measured(Number{Value: 60})}}}
	tab.Round(1)
	if got := tab.Rows[1][0].String(); got != "60.0" {
		t.Errorf("a whole number among others: %s, want 60.0", got)
	}
}

// TestPrintedNotes: under a print stands what is about what it shows, and what is the same in every row is said once.
func TestPrintedNotes(t *testing.T) {
	const brackets, se = "In brackets the interval.", "SE: the standard error."
	share := func(x float64) Cell {
		return Measured(Number{Value: x, Low: x - 5, High: x + 5, HasInterval: true, Decimals: 1})
	}
	sized := &Table{Title: "Bounds", Brackets: brackets, Notes: []string{"Cells are percent.", brackets, se}, Columns: []Column{
		{Name: "arm", Key: true}, {Name: "k", Key: true}, {Name: "upper bound", Align: Right}, {Name: "SE", Align: Right, Extra: true, Note: se}, {Name: "correct/USD", Align: Right}}}
	for k := range 3 {
		sized.Rows = append(sized.Rows, []Cell{Text("CHASE-SQL"), Text(fmt.Sprint(k + 1)), share(20 + float64(k)), Measured(Number{Value: 0.5, Decimals: 2}), {}})
	}
	check := func(width int, said map[string]bool, want string) {
		t.Helper()
		var b strings.Builder
		if err := sized.WriteText(&b, TextOptions{Width: width, Said: said}); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(strings.Fields(b.String()[strings.LastIndex(b.String(), "─")+len("─"):]), " "); got != want {
			t.Errorf("width %d: %q, want %q", width, got, want)
		}
	}
	rows := "CHASE-SQL 1 20.0 [15.0, 25.0] 0.50 CHASE-SQL 2 21.0 [16.0, 26.0] 0.50 CHASE-SQL 3 22.0 [17.0, 27.0] 0.50 - "
	check(80, nil, rows+"Cells are percent. - "+brackets+" - "+se)
	lean := "1 20.0 [15.0, 25.0] 2 21.0 [16.0, 26.0] 3 22.0 [17.0, 27.0] - In every row: arm CHASE-SQL. - Left out for want of room, and in a wider terminal: SE. - "
	check(26, nil, lean+"Cells are percent. - "+brackets)
	check(14, nil, "1 20.0 2 21.0 3 22.0 - In every row: arm CHASE-SQL. - Left out for want of room, and in a wider terminal: SE, the intervals. - Cells are percent.")
	said := map[string]bool{"Cells are percent.": true}
	check(26, said, lean+brackets)
	check(80, said, rows+se)
}

// TestSigned: a difference has its sign, and one that is printed as zero has none; CSV and counts are as they were.
func TestSigned(t *testing.T) {
	check := func(x float64, want string) {
		t.Helper()
		if got := Measured(Number{Value: x, Decimals: 1, Signed: true}).String(); got != want {
			t.Errorf("%v: %s, want %s", x, got, want)
		}
	}
	check(9, "+9.0")
	check(0.04, "0.0")
	check(-0.04, "0.0")
	check(0, "0.0")
	check(-2.5, "-2.5")
	delta := &Table{ID: "d", Columns: []Column{{Name: "delta", Align: Right}}, Rows: [][]Cell{{Measured(Number{Value: 9, Decimals: 1, Signed: true})}}}
	var tex, csv strings.Builder
	if err := errors.Join(delta.WriteLaTeX(&tex), delta.WriteCSV(&csv)); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(tex.String(), "S[table-format=+1.1]") || !strings.Contains(tex.String(), "\n+9.0 ") || strings.Contains(csv.String(), "+") {
		t.Errorf("%s\n%s", tex.String(), csv.String())
	}
}

// TestTurnedKeys: where rows are columns, the first key heads them and every other key is a row under its name.
func TestTurnedKeys(t *testing.T) {
	x := &Table{Columns: []Column{{Name: "arm", Key: true}, {Name: "temperature", Key: true}, {Name: "a number", Group: "of prompts", Align: Right}, {Name: "another number", Group: "of prompts", Align: Right}}}
	for _, k := range []string{"0", "1"} {
		x.Rows = append(x.Rows, []Cell{Text("Standard"), Text(k), Count(1234567890123), Count(2)})
		x.Rows = append(x.Rows, []Cell{Text("Few"), Text(k), Count(1), Count(2)})
	}
	g := x.grid(form{wrap: 28}, TextOptions{}).turned(form{wrap: 28})
	var got []string
	for _, r := range append([][]string{g.names()}, g.cells...) {
		got = append(got, strings.Join(r, "|"))
	}
	want := []string{"arm|Standard|Few|Standard|Few", "temperature|0|0|1|1", "of prompts: a number|1234567890123|1|1234567890123|1", "of prompts: another number|2|2|2|2"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
