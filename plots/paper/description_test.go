package paper

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"assay/configs"
	"assay/experiments/axes"
	"assay/experiments/catalog"
)

// TestDescriptions: every description is made by something that exists, and every file of the folder is used.
func TestDescriptions(t *testing.T) {
	all, err := readDescriptions()
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	for _, d := range all {
		if (frames[d.Frame] == nil) == (drawings[d.Drawing] == nil) {
			t.Errorf("%s: frame %q and drawing %q", d.Name, d.Frame, d.Drawing)
		}
		if d.Title == "" || d.Where == "" || d.paper.Cite == "" || d.Notes == nil && d.Says == "" {
			t.Errorf("%s: title %q, source %q, %q, notes %q", d.Name, d.Title, d.paper.Cite, d.Where, d.Notes)
		}
		for _, n := range d.Needs {
			if needs[n] == nil {
				t.Errorf("%s: there is no need %q", d.Name, n)
			}
		}
		if _, err := axes.Find(d.Axis); d.Axis != "" && err != nil {
			t.Errorf("%s: %v", d.Name, err)
		}
		for _, g := range d.Groups {
			for _, f := range g.Columns {
				d.checkField(t, f)
			}
		}
		used[strings.ReplaceAll(d.Name, "/", "-")] = true
		for _, f := range d.Files {
			used[f] = true
		}
	}
	files, err := tableFiles.ReadDir("tables")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if name := strings.TrimSuffix(strings.TrimSuffix(f.Name(), ".csv"), ".toml"); !used[name] && name != "papers" {
			t.Errorf("nothing reads %s", f.Name())
		}
	}
}

// checkField: a column is of a measure and of a column of the file that exist.
func (d *description) checkField(t *testing.T, f field) {
	compared := []string{"", "statistic", "printed", "printed gain", "gain", "difference", "in interval", "over base", "printed over base"}
	if measures[f.Measure] == nil && !slices.Contains(compared, f.Measure) {
		t.Errorf("%s: there is no measure %q", d.Name, f.Measure)
	}
	if f.Column != "" && !strings.Contains(f.Column, "{") && !d.printed.Has(f.Column) {
		t.Errorf("%s: its file has no column %q", d.Name, f.Column)
	}
}

// TestPlaceholders: an unknown placeholder is found when descriptions are read, in whichever text it is.
func TestPlaceholders(t *testing.T) {
	for _, d := range described() {
		if err := d.checkPlaceholders(); err != nil {
			t.Errorf("%s: %v", d.Name, err)
		}
	}
	for name := range placeholders() {
		if err := (&description{Notes: []string{"a {" + name + "} b"}}).checkPlaceholders(); err != nil {
			t.Error(err)
		}
	}
	column := func(f field) *description { return &description{Groups: []group{{Columns: []field{f}}}} }
	doubts := citation{Doubts: map[string]string{"own": "x"}}
	for _, c := range []struct {
		d     *description
		wrong string
	}{
		{&description{Notes: []string{"{cite}", "{sprend}"}}, "{sprend}"},
		{&description{Notes: []string{"{Cite}"}}, "{Cite}"},
		{&description{Caveats: []string{"{suit}"}}, "{suit}"},
		{&description{Says: "{cites}"}, "{cites}"},
		{&description{Title: "{x}"}, "{x}"},
		{&description{Heading: "{metrics}"}, "{metrics}"},
		{&description{Bare: "{}"}, "{}"},
		{&description{Dataset: "spider/{spilt}"}, "{spilt}"},
		{&description{paper: doubts, Notes: []string{"{own}", "{others}"}}, "{others}"},
		{&description{Groups: []group{{Name: "{arms}"}}}, "{arms}"},
		{column(field{Name: "{ts}"}), "{ts}"},
		{column(field{Column: "{label}"}), "{label}"},
	} {
		if err := c.d.checkPlaceholders(); err == nil || !strings.HasSuffix(err.Error(), "unknown placeholder "+c.wrong) {
			t.Errorf("%s: %v", c.wrong, err)
		}
	}
}

// TestStated: each published row that an arm of an embedded experiment states is one of a paper's tables; of the tables
// that ablate a system, an experiment repeats every row.
func TestStated(t *testing.T) {
	for _, v := range []string{"SPIDER", "BIRD", "TEXT2SQL", "FINC", "MINI_DEV"} {
		t.Setenv(v, "/data")
	}
	files, err := filepath.Glob("../../configs/*.toml")
	if err != nil || len(files) < 30 {
		t.Fatalf("%d experiments, %v", len(files), err)
	}
	known := map[string]bool{}
	for _, d := range described() {
		for _, r := range d.printed.Rows {
			known[r["method"]] = true
			for _, c := range d.Columns {
				known[r["method"]+" "+c.ID] = true
			}
		}
		for _, c := range d.printed.Columns {
			known[c] = d.Frame == "ways" || known[c]
		}
	}
	stated := map[string][]string{}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		e, err := configs.Parse(file, b, catalog.Known)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range e.Cells() {
			if row := c.Arm.Published; row != "" {
				stated[e.Name] = append(stated[e.Name], row)
				if !known[row] {
					t.Errorf("%s: no table of a paper has %q", file, row)
				}
			}
		}
	}
	for _, name := range []string{"chase/table4", "chase/table7", "chase/table8"} {
		var rows []string
		for _, r := range numbersOf(t, name).Rows {
			rows = append(rows, r["method"])
		}
		got := stated[strings.ReplaceAll(name, "/", "-")]
		slices.Sort(rows)
		slices.Sort(got)
		if !slices.Equal(got, rows) {
			t.Errorf("%s: stated %q of %q", name, got, rows)
		}
	}
}

// TestUnstated: where no arm states a row, nothing stands beside, and the note says how it would.
func TestUnstated(t *testing.T) {
	r := answered(t, arm("qp", "qp-cot", ""), map[string]string{"qp": "++"})
	const want = "No arm of this run states which row it repeats, so that none stands beside: published in [[arm]], one of baseline, qp-cot, dc-cot"
	if notes := strings.Join(one(t, r, "chase/table4").Table.Notes, " "); !strings.Contains(notes, want) {
		t.Errorf("no %q in %s", want, notes)
	}
	if _, err := made(r, "chase/table9"); err == nil || !strings.Contains(err.Error(), `published = "train n5"`) {
		t.Error(err)
	}
}

// TestMisstated: a stated row that the table does not have is named, beside one that it has.
func TestMisstated(t *testing.T) {
	r := answered(t, arm("qp", "qp-cot", `published = "qp-cto"`)+arm("dc", "dc-cot", `published = "dc-cot"`), map[string]string{"qp": "++", "dc": "+-"})
	const want = `No row of this table is called "qp-cto", as published in [[arm]] has it; its rows are baseline, qp-cot, dc-cot`
	if notes := strings.Join(one(t, r, "chase/table4").Table.Notes, " "); !strings.Contains(notes, want) {
		t.Errorf("no %q in %s", want, notes)
	}
}
