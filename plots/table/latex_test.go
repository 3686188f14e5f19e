package table

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// ascii is every printed character of ASCII.
func ascii() string {
	var b strings.Builder
	for r := ' '; r <= '~'; r++ {
		b.WriteRune(r)
	}
	return b.String()
}

// hostiles are texts that a table may be made of: names come from files and models.
func hostiles() []string {
	var signs strings.Builder
	for r := range symbols {
		signs.WriteRune(r)
	}
	return []string{
		ascii(), letters, signs.String(), `\input{/etc/hostname}`, `\write18{touch x}`, `\end{document}`, `$x`, `}{`, `{{{`, `\`, `%`, `^^M^^5c`, `\\[1cm]`,
		"[x]", "*", "[", "&", "a & b \\\\ \\hline", "-- --- '' ,, `` !` ?`", "", " ", "日本語のテーブル", "한국어", "مرحبا بالعالم", "שלום", "👩‍👩‍👧 😀",
		"ﬁ ① ｆｕｌｌ é e\u0301 n̈ ẛ", "x\x00y\x1b[31m", "a\u202eb\u2028c", "bad \xff byte", strings.Repeat("m", 10000), strings.Repeat("_", 10000), strings.Repeat("W ", 5000),
		strings.Repeat("日", 10000), "https://example.org/" + strings.Repeat("path/", 100), "-0.4", "+0.4", "1e10", "1,000", "12.5.1",
	}
}

// named returns a table with the text in every place where a table has one.
func named(s string) *Table {
	t := &Table{ID: s, Title: s, Notes: []string{s, s}, Source: s}
	t.Columns = []Column{{Name: s, Key: true}, {Name: s, Group: s, Unit: s, Align: Right}, {Name: s, Group: s, Short: s, Align: Center, Parens: true}, {Name: s}}
	number := Measured(Number{Value: -1.25, SD: 2, HasSD: true, Low: -3, High: 4, HasInterval: true, Decimals: 2})
	t.Rows = [][]Cell{{Text(s), number, number, Text(s)}, {Text(s), Text(s), Text(s), Text("x")}, {{}, Published(*number.Num), {}, {Text: s, Mark: Best}}}
	t.MarkBest(1, 2)
	return t
}

// sized returns a table of so many columns and rows of numbers with intervals.
func sized(columns, rows int, width int) *Table {
	t := &Table{ID: fmt.Sprintf("sized/%d-%d-%d", columns, rows, width), Title: "Sized", Columns: []Column{{Name: "arm", Key: true}, {Name: "generator", Key: true}}}
	for i := range columns {
		t.Columns = append(t.Columns, Column{Name: strings.Repeat("n", width), Group: fmt.Sprintf("group %d", i/3), Align: Right, Extra: i%5 == 4})
	}
	for r := range rows {
		cells := []Cell{Text(fmt.Sprintf("an arm with its number %d", r)), Text("")}
		for i := range columns {
			cells = append(cells, Measured(Number{Value: float64((r*7+i*13)%100) - 9.5, Low: -1, High: 99, HasInterval: true, Decimals: 1}))
		}
		t.Rows = append(t.Rows, cells)
	}
	for i := range columns {
		t.MarkBest(i + 2)
	}
	return t
}

// headed has three narrow columns of differences under long names: of groups, or their own.
func headed(letters int, groups bool) *Table {
	t := &Table{ID: "headed", Title: "Long names", Columns: []Column{{Name: "arm", Key: true}}, Rows: [][]Cell{{Text("Standard")}, {Text("Few-shot")}}}
	for i := range 3 {
		c := Column{Group: strings.Repeat("m", letters-1) + fmt.Sprint(i), Name: "TS", Align: Right}
		if groups && i == 0 {
			c.Name = "EX"
		}
		t.Columns = append(t.Columns, c)
		for r := range t.Rows {
			t.Rows[r] = append(t.Rows[r], Measured(Number{Value: 10 * float64(i-r), Low: -1, High: 1, HasInterval: letters%8 == 2, Decimals: 2, Signed: true}))
		}
	}
	return t
}

// odd has numbers that are none, or are very large.
func odd() *Table {
	t := &Table{ID: "odd", Title: "Odd numbers", Columns: []Column{{Name: "n", Align: Right}}}
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e300, -1e-300, 0, -0.04, 123456789} {
		n := Number{Value: x, SD: x, HasSD: true, Low: x, High: x, HasInterval: true, Decimals: 1}
		t.Rows = append(t.Rows, []Cell{Measured(n)})
	}
	return t
}

// TestLaTeXCompiles: pdfLaTeX sets every golden and every hostile table without an error, and no box is more than 1 pt too
// wide, in articles of one column and of two.
func TestLaTeXCompiles(t *testing.T) {
	for _, command := range []string{"pdflatex", "kpsewhich", "python3"} {
		if _, err := exec.LookPath(command); err != nil {
			t.Skipf("no table is compiled: %v", err)
		}
	}
	for _, name := range []string{"booktabs", "makecell", "rotating", "siunitx", "threeparttable"} {
		if err := exec.Command("kpsewhich", name+".sty").Run(); err != nil {
			t.Skipf("no table is compiled: LaTeX has no package %s", name)
		}
	}
	dir := t.TempDir()
	tables := []*Table{odd(), {ID: "empty", Columns: []Column{{}}}}
	for _, s := range hostiles() {
		tables = append(tables, named(s))
	}
	for _, x := range [][3]int{{1, 3, 2}, {3, 5, 8}, {6, 4, 20}, {9, 30, 4}, {12, 12, 12}, {30, 8, 6}, {60, 90, 3}, {2, 200, 5}} {
		tables = append(tables, sized(x[0], x[1], x[2]))
	}
	tables = append(tables, keyed(2, 3), keyed(4, 2))
	for letters := 6; letters < 40; letters += 4 {
		tables = append(tables, headed(letters, true), headed(letters, false))
	}
	// Several to a file, because each file costs a start of LaTeX.
	for i := 0; i < len(tables); i += 8 {
		var b strings.Builder
		for _, tab := range tables[i:min(i+8, len(tables))] {
			if err := tab.WriteLaTeX(&b); err != nil {
				t.Fatal(err)
			}
			b.WriteString("\\clearpage\n")
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("from-%02d.tex", i)), []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	out, err := exec.Command("../../.ci/latex", "testdata", dir).CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// keyed has key columns and others, all of them of texts as long as sentences.
func keyed(keys, others int) *Table {
	t := &Table{ID: "keyed", Title: "Sentences"}
	var row []Cell
	for i := range keys + others {
		t.Columns = append(t.Columns, Column{Name: fmt.Sprint("column ", i+1), Key: i < keys})
		row = append(row, Text(strings.Repeat("what a paper says of itself ", 4)))
	}
	t.Rows = [][]Cell{row, row}
	return t
}

// TestPartsFit: every part of a table that is split has the keys beside a column, and is no wider than the page.
func TestPartsFit(t *testing.T) {
	for keys := 1; keys <= 5; keys++ {
		tab := keyed(keys, 3)
		l, sets := tab.layout()
		for _, at := range sets {
			if total := l.total(tab, at); total > l.width {
				t.Errorf("%d keys: %.0f pt of %.0f", keys, total, l.width)
			}
		}
	}
}

// TestTypeset: a text is set in characters that the fonts have, and what they do not have is a question mark.
func TestTypeset(t *testing.T) {
	check := func(s, want string) {
		t.Helper()
		if got := escaped(typeset(s, longestText), 0); got != want {
			t.Errorf("%q: %s, want %s", s, got, want)
		}
	}
	check(`50% of {x} \ $y$`, `50\% of \{x\} \textbackslash{} \$y\$`)
	check("~ 1.000", `$\sim$ 1.000`)
	check("--paper", "-{}-paper")
	check("café", "café")
	check("cafe\u0301", "café")
	check("日本 😀", "?? ?")
	check("ｆｕｌｌ ﬁne", "full fine")
	check("±2 ≤ α", `$\pm$2 $\le$ $\alpha$`)
	check("line\nbreak", "line break")
}

// TestTextNeverTooWide: whatever a table's texts are, its print has no line wider than the terminal, if the key leaves room.
func TestTextNeverTooWide(t *testing.T) {
	for _, s := range hostiles() {
		for _, width := range []int{40, 60, 80, 120} {
			blocks, _ := named(s).blocks(TextOptions{Width: width})
			if slices.ContainsFunc(blocks, func(b string) bool { return !fits(b, TextOptions{Width: width}) }) {
				t.Errorf("%.40q at %d: too wide:\n%s", s, width, strings.Join(blocks, "\n\n"))
			}
		}
	}
}
