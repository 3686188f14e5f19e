package paper

import (
	"fmt"
	"strings"
	"testing"

	"assay/experiments/record"
	"assay/metrics/stats"
)

// linked is a run of one arm over two items of one database, worked by hand.
//
// Schema: Route(RouteID, Port, Length), Trip(Route, Guests, Day), 6 columns. Golds: item 1 reads Route.Port and
// Route.Length; item 2 counts trips on a day: Trip.Day.
func linked(t *testing.T) *record.Run {
	t.Helper()
	e := experiment(t, "[0]", "kind = \"sample\"", "[values]\nuse = true\nk = 4\n[columns]\nuse = \"one-call\"\n[[arm]]\nname = \"a\"\nmethod = \"standard\"\n")
	r := &record.Run{Resolved: e, Manifest: record.Manifest{ID: "0123456789", Experiment: "demo", Complete: true, Dataset: "sample/dev", Items: 3,
		Metrics: []record.Metric{{ID: "ts"}, {ID: "ex"}}}}
	r.Questions = []record.Question{
		{Item: "sample/dev/1", DB: "ferry", Gold: "SELECT Length FROM Route WHERE Port = 'Sund' OR Port = 'Nord' OR Port LIKE '%o%'",
			Literals: `[["Sund","stored"],["Nord","stored"],["o","absent"]]`},
		{Item: "sample/dev/2", DB: "ferry", Gold: "SELECT count(*) FROM Trip WHERE Day = 'Mon'", Literals: `[["Mon","stored"]]`},
		{Item: "sample/dev/3", DB: "ferry", Gold: "SELEC"},
	}
	for _, q := range r.Questions {
		r.Items = append(r.Items, record.Item{Item: q.Item, DB: q.DB, Arm: "a", Values: make([]record.Value, 2)})
	}
	for _, c := range [][2]string{{"Route", "RouteID"}, {"Route", "Port"}, {"Route", "Length"}, {"Trip", "Route"}, {"Trip", "Guests"}, {"Trip", "Day"}} {
		r.Columns = append(r.Columns, record.Column{DB: "ferry", Table: c[0], Column: c[1]})
	}
	r.Links = []record.Link{
		{Item: "sample/dev/1", Arm: "a", Stage: "values", Values: `[["Route","Port","nord"],["Trip","Day","Mon"],["Route","Port","Sunde"],["Route","Port","Sund"]]`},
		{Item: "sample/dev/1", Arm: "a", Stage: "columns", Chosen: `[["Route","Port"],["Trip","Guests"]]`, Shown: `[["Route","RouteID"],["Route","Port"],["Trip","Guests"]]`},
		{Item: "sample/dev/2", Arm: "a", Stage: "values", Values: `[]`},
		{Item: "sample/dev/2", Arm: "a", Stage: "columns", Chosen: `[]`,
			Shown: `[["Route","RouteID"],["Route","Port"],["Route","Length"],["Trip","Route"],["Trip","Guests"],["Trip","Day"]]`},
		{Item: "sample/dev/3", Arm: "a", Stage: "columns", Chosen: `[["Trip","Day"]]`, Shown: `[["Trip","Day"]]`},
	}
	return r
}

func TestLinking(t *testing.T) {
	check := func(name string, want ...string) {
		t.Helper()
		outs, err := made(linked(t), name)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := outs[0].Table.WriteCSV(&b); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(b.String()), "\n")
		for i, w := range want {
			if i+1 >= len(lines) || !strings.HasPrefix(lines[i+1], w) {
				t.Errorf("%s, row %d: want %s in\n%s", name, i+1, w, b.String())
			}
		}
	}
	// named, item 1 alone: 1 of 2 columns, 1 of 2 named, not all, its one table, 2 of 6 columns. shown, items 1 and 2:
	// recall (1/2 + 1)/2, precision (1/3 + 1/6)/2, all kept of item 2, tables all, kept (3/6 + 6/6)/2.
	check("schema-linking", "a,columns,named,1,50,,1,50,,1,0,,0,79.34506856227625,1,100,,1,33.33333333333333,,1",
		"a,columns,shown,2,75,,2,25,,2,50,,9.453120573423075,90.54687942657694,2,100,,2,75,,2")
	// item 1: Nord is first, Sund fourth, o stands in no column; item 2: nothing was found. 4 texts, 3 stored, 2 found.
	// Items are drawn, and not texts: item 1 has 1 of its 2 among the first, item 2 none of its 1.
	in := stats.Share([]stats.Unit{{Mean: 0.5, Weight: 2}, {Mean: 0, Weight: 1}}, 0.95)
	first := fmt.Sprintf("33.333333333333336,,%v,%v,3,", 100*in.Low, 100*in.High)
	check("values", "a,2,2,4,3,"+first+first+"66.66666666666667,,")
}

func TestNoLinking(t *testing.T) {
	check := func(name, want string, change func(*record.Run)) {
		t.Helper()
		r := linked(t)
		change(r)
		if _, err := made(r, name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	check("schema-linking", "no columns were chosen", func(r *record.Run) { r.Links = r.Links[:1] })
	check("values", "no values were looked up", func(r *record.Run) { r.Links = r.Links[1:2] })
	check("values", "no values were looked up", func(r *record.Run) { r.Links = nil })
}

// TestLinkingOfOthers: what is no listing counts for nothing.
func TestLinkingOfOthers(t *testing.T) {
	r := linked(t)
	for i := range r.Links {
		r.Links[i].Values, r.Links[i].Chosen, r.Links[i].Shown = `[["a"]]`, `{"x"`, `[[1]]`
	}
	r.Questions[0].Literals = "x"
	if _, err := made(r, "schema-linking", "values"); err != nil {
		t.Error(err)
	}
}
