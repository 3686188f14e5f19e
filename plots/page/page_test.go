package page

import (
	"bytes"
	"encoding/xml"
	"io"
	"strings"
	"testing"

	"assay/plots/figure"
	"assay/plots/style"
	"assay/plots/table"
)

func example() Page {
	t := &table.Table{ID: "t", Title: "A <b>table</b>", Columns: []table.Column{
		{Name: "arm", Key: true}, {Name: "TS", Group: "all", Align: table.Right}, {Name: "published", Group: "all", Align: table.Right}},
		Rows: [][]table.Cell{
			{table.Text("<script>alert(1)</script>"), table.Measured(table.Number{Value: 61.25, Decimals: 1}), table.Published(table.Number{Value: 63.2, Decimals: 1})},
			{table.Text("b"), table.Measured(table.Number{Value: 50, SD: 1.5, HasSD: true, Decimals: 1}), {}},
		},
		Notes: []string{`a note with "quotes" & more`}}
	t.MarkBest(1)
	f := &figure.Spec{ID: "f", Title: "Bars </svg><script>alert(2)</script>", Groups: []string{"x"},
		Series: []figure.Series{{Name: "<img src=x>", Points: []figure.Point{{Y: 3, OK: true}}}}}
	return Page{Title: "run-0123", Sections: []Section{{Name: "t", Table: t}, {Name: "f", Figure: f}}}
}

func TestWrite(t *testing.T) {
	var b, again bytes.Buffer
	if err := Write(&b, example()); err != nil {
		t.Fatal(err)
	}
	if err := Write(&again, example()); err != nil || !bytes.Equal(b.Bytes(), again.Bytes()) {
		t.Errorf("two writings of the same page differ (%v)", err)
	}
	html := b.String()
	check := func(want string, times int) {
		t.Helper()
		if got := strings.Count(html, want); got != times {
			t.Errorf("%q stands %d times, want %d", want, got, times)
		}
	}
	check("<script", 1) // sets the theme
	check("<img", 0)
	check("&lt;script&gt;alert(1)&lt;/script&gt;", 1)
	check("<svg", 1)
	check("<?xml", 0)
	check(`<th scope="row" class="left long">&lt;script`, 1) // a text that may take several lines
	check(`<th scope="row" class="left">b</th>`, 1)
	check(`<td class="right best">61.3</td>`, 1)
	check(`<td class="right published">63.2</td>`, 1)
	check("50.0±1.50", 1)
	check(`<th colspan="2" class="center group" scope="colgroup">all</th>`, 1)
	check(`href="#t"`, 1)
	check("src=", 1) // the escaped name in the legend
	check("@import", 0)
	check("url(", 0)
	check("<link", 0)
	d := xml.NewDecoder(strings.NewReader(html[strings.Index(html, "<svg") : strings.Index(html, "</svg>")+6]))
	for {
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatalf("the figure is no XML: %v", err)
		}
	}
}

func TestErrors(t *testing.T) {
	p := Page{Title: "r", Sections: []Section{{Name: "f", Figure: &figure.Spec{ID: "f"}}}}
	err := Write(io.Discard, p)
	if want := `page: write "r": figure: write svg "f": no values to draw`; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

// TestLinks: the links around a page come after the one to its content, and stay when an item is open.
func TestLinks(t *testing.T) {
	var b strings.Builder
	if err := Write(&b, Page{Title: "t", Links: []style.Link{{Text: "All <runs>", Address: "../index.html"}}}); err != nil {
		t.Fatal(err)
	}
	if got := b.String(); !strings.Contains(got, `<nav class="site" aria-label="Site"><a href="../index.html">All &lt;runs&gt;</a>`) || strings.Index(got, "<nav") > strings.Index(got, "<main") {
		t.Error(got)
	}
}
