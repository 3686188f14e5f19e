package paper

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"assay/configs"
	"assay/experiments/record"
	"assay/plots/figure"
	"assay/plots/page"
	"assay/plots/table"
)

// TestNotesOnce: what is the same for all tables is above them, and in one line of each that stands alone.
func TestNotesOnce(t *testing.T) {
	check := func(r *record.Run, gist string) {
		t.Helper()
		rep, err := Make(r, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range rep.Tables() {
			if x.Source != gist {
				t.Errorf("%s: the source is %q, want %q", x.ID, x.Source, gist)
			}
			for _, n := range x.Notes {
				if slices.Contains(rep.Notes, n) || slices.Contains(rep.Warnings, n) || strings.Contains(n, r.Manifest.ID) {
					t.Errorf("%s: %q is above all tables too", x.ID, n)
				}
			}
		}
		said := map[string]string{}
		for _, o := range rep.Once() {
			if o.Table == nil {
				continue
			}
			for _, n := range o.Table.Notes {
				if said[n] != "" {
					t.Errorf("%q stands under %s and %s", n, said[n], o.Name)
				}
				said[n] = o.Name
			}
		}
	}
	const baseline = "; model baseline (rule-based baseline, no language model)"
	sample := sampleRun(t)
	check(sample, "Run demo-0123456789ab: sample/dev, 60 items, seed 0, a sample and no benchmark"+baseline+"; 2 of 120 answers have no score.")
	sample.Manifest.Complete, sample.Manifest.Warnings = false, []string{"a doubt", "another"}
	check(sample, "Run demo-0123456789ab: sample/dev, 60 items, seed 0, a sample and no benchmark"+baseline+
		"; not complete: the numbers are over what is there; 2 of 120 answers have no score; 2 warnings: see the report.")
	check(suiteless(birdRun(t), record.SomeItems), "Run demo-0123456789ab: bird/dev, 30 items, seed 0"+baseline+
		"; 1 of 60 answers have no score; ts is ex where a database has no suite.")
}

// TestFilesStandAlone: a file says whose numbers it has, and what they are not.
func TestFilesStandAlone(t *testing.T) {
	r, dir := sampleRun(t), t.TempDir()
	r.Manifest.Complete = false
	rep, err := Make(r, Options{Names: []string{"arms", "hardness", "differences"}})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := Write(dir, rep, figure.Look{}, page.Page{Run: rep.Run}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"arms.md", "arms.tex", "hardness.md", "hardness.tex", "differences.md", "differences.tex"} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		text := strings.Join(strings.Fields(string(b)), " ")
		for _, want := range []string{"no language model", "no benchmark", "not complete", "have no score", "demo-0123456789ab"} {
			if err != nil || !strings.Contains(text, want) {
				t.Errorf("%s does not say %q: %v\n%s", name, want, err, text)
			}
		}
	}
}

// labels returns the first column of a table.
func labels(x *table.Table) (out []string) {
	for _, r := range x.Rows {
		out = append(out, r[0].String())
	}
	return out
}

// TestArms: arms are chosen, put in order and renamed when they are shown; the first of them is the baseline.
func TestArms(t *testing.T) {
	run := scoredRun(t, "[0]", abc, [2]string{"a", "+---"}, [2]string{"b", "++--"}, [2]string{"c", "+++-"})
	check := func(a Arms, arms, differences string) {
		t.Helper()
		rep, err := Make(run, Options{Names: []string{"arms", "differences"}, Arms: a})
		if err != nil || rep.Err() != nil {
			t.Fatal(err, rep.Err())
		}
		if got := strings.Join(labels(rep.Tables()[0]), " "); got != arms {
			t.Errorf("%+v: the rows are %s, want %s", a, got, arms)
		}
		x := rep.Tables()[1]
		base, _, _ := strings.Cut(x.Title, ":")
		if got := base + ": " + strings.Join(labels(x), " "); got != differences {
			t.Errorf("%+v: %s, want %s", a, got, differences)
		}
	}
	check(Arms{}, "A B C", "EX against A: B C")
	check(Arms{Order: "score"}, "C B A", "EX against A: C B")
	check(Arms{Order: "name"}, "A B C", "EX against A: B C")
	check(Arms{Shown: []Arm{{Name: "c"}, {Name: "a"}}}, "C A", "EX of A against C: A")
	check(Arms{Shown: []Arm{{Name: "c"}, {Name: "a"}}, Order: "file"}, "A C", "EX of C against A: C")
	check(Arms{Shown: []Arm{{Name: "C", Label: "Chain"}, {Name: "B"}}}, "Chain B", "EX of B against Chain: B")
	check(Arms{Shown: []Arm{{Name: "a", Label: "Zero"}, {Name: "b"}}, Order: "name"}, "B Zero", "EX of B against Zero: B")
	check(Arms{Labels: map[string]string{"b": "Bee", "z": "of another experiment"}}, "A Bee C", "EX against A: Bee C")
	check(Arms{Shown: []Arm{{Name: "b", Label: "Beta"}, {Name: "c"}}, Labels: map[string]string{"b": "Bee", "c": "Sea"}}, "Beta Sea", "EX of Sea against Beta: Sea")

	rep, err := Make(run, Options{Arms: Arms{Shown: []Arm{{Name: "b", Label: "Bee"}}}})
	if err != nil || len(rep.Run.Items) != 4 || len(rep.Run.Resolved.Arms) != 1 || rep.Run.Resolved.Arms[0].Label != "Bee" {
		t.Errorf("the run that is shown has %d answers of %v: %v", len(rep.Run.Items), rep.Run.Resolved.Arms, err)
	}
	if len(run.Items) != 12 || run.Resolved.Arms[1].Label == "Bee" {
		t.Error("the run itself was changed")
	}
}

// TestArmsOfASweep: the order is that of the arms at each point; points keep theirs.
func TestArmsOfASweep(t *testing.T) {
	r := fake(experiment(t, "[0]", `kind = "sample"`, twoArms+"[sweep]\nk = [4, 0]\n"), "sample/dev", []string{"a"}, 20, spiderLabel)
	check := func(a Arms, want string) {
		t.Helper()
		rep, err := Make(r, Options{Names: []string{"arms"}, Arms: a})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, row := range rep.Tables()[0].Rows {
			got = append(got, row[0].String()+" "+row[1].String())
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%+v: %s, want %s", a, strings.Join(got, ", "), want)
		}
	}
	check(Arms{}, "Standard 4, QDecomp 4, Standard 0, QDecomp 0")
	check(Arms{Order: "name"}, "QDecomp 4, Standard 4, QDecomp 0, Standard 0")
	check(Arms{Shown: []Arm{{Name: "qdecomp"}, {Name: "standard"}}}, "QDecomp 4, Standard 4, QDecomp 0, Standard 0")
	check(Arms{Shown: []Arm{{Name: "qdecomp"}}}, "QDecomp 4, QDecomp 0")
}

// TestOptionsAreNamed: what does not exist is refused, with what exists.
func TestOptionsAreNamed(t *testing.T) {
	check := func(o Options, want string) {
		t.Helper()
		o.Names = []string{"arms", "hardness"}
		if _, err := Make(sampleRun(t), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: error %v, want %s", o, err, want)
		}
	}
	check(Options{Arms: Arms{Shown: []Arm{{Name: "qdecmop"}}}}, `paper: show run "0123456789ab": arm "qdecmop" is unknown; did you mean "qdecomp"?`)
	check(Options{Arms: Arms{Shown: []Arm{{Name: "zzz"}}}}, `arm "zzz" is unknown; there are standard, qdecomp`)
	check(Options{Arms: Arms{Shown: []Arm{{Name: "standard"}, {Name: "Standard"}}}}, `arm "Standard" is named twice`)
	check(Options{Arms: Arms{Order: "size"}}, `order "size": want score, name or file`)
	check(Options{Columns: []string{"easy", "simple"}}, `choose column "simple": no table has it: the columns are `)
	for text, want := range map[string]Arm{"standard": {Name: "standard"}, " standard = Plain, few shots ": {"standard", "Plain, few shots"}, "Standard": {Name: "Standard"}, "=": {}, "": {}} {
		if got := ParseArm(text, sampleRun(t)); got != want {
			t.Errorf("%q is read as %+v, want %+v", text, got, want)
		}
	}
	named := sampleRun(t)
	named.Resolved.Arms[0].Label = "k=0"
	if got := ParseArm("k=0", named); got != (Arm{Name: "k=0"}) {
		t.Errorf("a label with = is read as %+v", got)
	}
}

// TestColumnsAndDecimals: both are of what is printed, not of how it is computed.
func TestColumnsAndDecimals(t *testing.T) {
	two := 2
	rep, err := Make(sampleRun(t), Options{Names: []string{"hardness", "statuses"}, Columns: []string{"all", "easy"}, Decimals: &two})
	if err != nil {
		t.Fatal(err)
	}
	x := rep.Tables()[0]
	var heads []string
	for _, c := range x.Columns {
		heads = append(heads, strings.TrimSpace(c.Group+" "+c.Name))
	}
	if got := strings.Join(heads, ", "); got != "arm, TS all, EX all, TS easy, EX easy" {
		t.Errorf("the columns are %s", got)
	}
	if got := x.Rows[0][1].String(); len(got) != len("50.00") {
		t.Errorf("%s has not 2 decimals", got)
	}
	if n := len(rep.Tables()[1].Columns); n < 8 {
		t.Errorf("a table without the columns has %d", n)
	}
}

// TestMissing: what a run cannot give stops nothing else, and is said on the page.
func TestMissing(t *testing.T) {
	r, dir := birdRun(t), t.TempDir()
	r.Resolved.Report = configs.Report{Tables: []string{"sweep", "arms", "gone"}, Figures: []string{"sweep-line", "outcomes"}}
	rep, err := Make(r, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var names, missing []string
	for _, o := range rep.Outputs {
		names = append(names, o.Name)
	}
	for _, m := range rep.Missing {
		missing = append(missing, m.Name)
	}
	if got := fmt.Sprint(names, missing); got != "[arms outcomes] [sweep gone sweep-line]" {
		t.Errorf("there and missing: %s", got)
	}
	if err := rep.Err(); err == nil || !strings.Contains(err.Error(), `paper: make "sweep" of run "0123456789ab": the experiment has no sweep`) {
		t.Errorf("error %v", err)
	}
	if _, _, err := Write(dir, rep, figure.Look{}, page.Page{}); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(dir, "index.html"))
	if err != nil || !strings.Contains(string(b), "Not here: sweep, since the experiment has no sweep.") {
		t.Errorf("the page does not say what is missing: %v", err)
	}
}

// TestUndrawable: what cannot be written leaves no file, and stops no other.
func TestUndrawable(t *testing.T) {
	rep, err := Make(sampleRun(t), Options{Names: []string{"arms", "outcomes"}})
	if err != nil {
		t.Fatal(err)
	}
	rep.Outputs = append([]Output{{Name: "odd", Table: &table.Table{ID: "odd"}}}, rep.Outputs...) // a table without columns cannot be written
	dir := t.TempDir()
	got, paths, err := Write(dir, rep, figure.Look{}, page.Page{})
	if err != nil || len(got.Missing) != 1 || got.Missing[0].Name != "odd" || len(got.Outputs) != 2 || len(paths) != 7 {
		t.Errorf("%d files, %d outputs, missing %v: %v", len(paths), len(got.Outputs), got.Missing, err)
	}
}

// TestOwnTablesAlone: a report that names nothing has no number of a paper, whatever the run's methods are.
func TestOwnTablesAlone(t *testing.T) {
	for _, r := range []*record.Run{sampleRun(t), spiderRun(t), setsRun(t), sweepRun(t), birdRun(t), solvedRun(t)} {
		rep, err := Make(r, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range rep.Outputs {
			if strings.Contains(o.Name, "/") {
				t.Errorf("%s has %s", r.Manifest.Dataset, o.Name)
			}
			if o.Table != nil && o.besidePublished() {
				t.Errorf("%s of %s has a published number", o.Name, r.Manifest.Dataset)
			}
		}
	}
}

// TestPublishedStandsApart: a named table is followed by the paper's numbers where they cannot stand beside.
func TestPublishedStandsApart(t *testing.T) {
	check := func(r *record.Run, want string, names ...string) {
		t.Helper()
		rep, err := Make(r, Options{Names: names})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, o := range rep.Outputs {
			got = append(got, fmt.Sprint(o.Name, " ", o.Aside))
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%s: %s, want %s", r.Manifest.Dataset, strings.Join(got, ", "), want)
		}
	}
	check(sampleRun(t), "tai2023/table1 false, tai2023/table1-published true, arms false", "tai2023/table1", "arms")
	check(sampleRun(t), "tai2023/table1 false, tai2023/table1-published false", "tai2023/table1", "tai2023/table1-published")
	check(answeredAll(t, spiderRun(t)), "tai2023/table1 false", "tai2023/table1")
}
