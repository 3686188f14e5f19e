package configs

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

var update = flag.Bool("update", false, "rewrite the golden files and the reference page")

// golden compares got with a file, or rewrites the file.
func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s differs (run with -update):\n%s", file, d)
	}
}

const base = `
name = "x"
[dataset]
kind = "sample"
[[arm]]
name = "a"
method = "standard"
`

// parse loads a text as a file of the folder /exp.
func parse(text string, o Options) (Experiment, error) {
	s := &source{name: "x.toml", dir: "/exp", text: text}
	return s.load("x.toml", known, o)
}

func must(t *testing.T, text string, set ...string) Experiment {
	t.Helper()
	e, err := parse(text, Options{Set: set})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestReferencePageIsCurrent(t *testing.T) { golden(t, "REFERENCE.md", Reference(known)) }

func TestReferencePageHasEveryKey(t *testing.T) {
	page := Reference(known)
	for _, k := range keys {
		if !strings.Contains(page, "| `"+k.path+"` |") {
			t.Errorf("%s is not on the page", k.path)
		}
	}
}

func TestErrors(t *testing.T) {
	files, _ := filepath.Glob("testdata/errors/*.toml")
	if len(files) < 20 {
		t.Fatalf("found %d cases", len(files))
	}
	var b strings.Builder
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		s := &source{name: filepath.Base(f), dir: "/exp", text: string(text)}
		_, err = s.load(filepath.Base(f), known, arguments(string(text)))
		if err == nil {
			t.Errorf("%s loads", f)
			continue
		}
		fmt.Fprintf(&b, "%v\n\n", err)
	}
	golden(t, "testdata/errors.golden", b.String())
}

// arguments reads the options of a case from its first line, "# args: --set a=b --limit 3".
func arguments(text string) (o Options) {
	line, _, _ := strings.Cut(text, "\n")
	rest, ok := strings.CutPrefix(line, "# args: ")
	if !ok {
		return o
	}
	words := strings.Fields(rest)
	for i := 0; i+1 < len(words); i += 2 {
		n, _ := strconv.Atoi(words[i+1])
		switch words[i] {
		case "--set":
			o.Set = append(o.Set, words[i+1])
		case "--limit":
			o.Limit = &n
		case "--workers":
			o.Workers = &n
		}
	}
	return o
}

func TestEmbedded(t *testing.T) {
	t.Setenv("SPIDER", "/data/spider")
	t.Setenv("BIRD", "/data/bird")
	t.Setenv("TEXT2SQL", "/data/text2sql")
	cells := map[string]int{"quickstart": 5, "tai-table1": 7, "tai-table2": 4, "tai-exemplars": 120, "tai-variance": 36, "tai-formats": 9, "temperature": 12, "rivals": 11}
	for name, n := range map[string]int{"chase-table1": 1, "chase-table2": 1, "chase-table3": 1, "chase-table4": 8, "chase-table5": 3, "chase-table6": 6,
		"chase-table7": 8, "chase-table8": 4, "chase-table9": 12, "chase-fig2": 1, "chase-fig3": 1, "chase-fig5": 1, "chase-fig6": 1, "chase-fig7": 1, "chase-fig8": 1, "chase-fig13": 1, "chase-fig25": 2, "chase-divisions": 4} {
		cells[name] = n
	}
	t.Setenv("MINI_DEV", "/data/mini_dev")
	t.Setenv("FINC", "/data/finc")
	for name, n := range map[string]int{"it2s-table1": 1, "it2s-table2": 1, "it2s-table3": 2, "it2s-table4": 4, "it2s-table5": 3, "it2s-table6": 1,
		"it2s-table7": 7, "it2s-table8": 2, "it2s-table9": 1, "it2s-table10": 2, "it2s-table11": 1, "it2s-tools": 5, "it2s-calls": 13} {
		cells[name] = n
	}
	names := Names()
	if len(names) != len(cells) {
		t.Errorf("%d embedded experiments, want %d", len(names), len(cells))
	}
	for _, n := range names {
		e, err := Load(n.Name, known, Options{})
		if err != nil {
			t.Error(err)
			continue
		}
		text, _ := embedded.ReadFile(n.Name + ".toml")
		switch {
		case e.Name != n.Name:
			t.Errorf("%s.toml is named %q", n.Name, e.Name)
		case e.Shows == "" || e.Shows != n.Shows:
			t.Errorf("%s shows %q and %q", n.Name, e.Shows, n.Shows)
		case !strings.HasPrefix(string(text), "# "):
			t.Errorf("%s has no head comment", n.Name)
		case len(e.Cells()) != cells[n.Name]:
			t.Errorf("%s has %d cells, want %d", n.Name, len(e.Cells()), cells[n.Name])
		}
		roundTrip(t, e)
		if _, err := Load(n.Name, known, Options{Set: []string{"dataset.kind=sample"}}); err != nil {
			t.Errorf("on the sample: %v", err)
		}
	}
}

func TestEmbeddedOnSampleNeedNoVariables(t *testing.T) {
	for _, n := range Names() {
		e, err := Load(n.Name, known, Options{Set: []string{"dataset.kind=sample", "model.provider=baseline"}})
		if err != nil {
			t.Error(err)
		} else if e.Dataset.Path != "" || e.Dataset.Split != "dev" {
			t.Errorf("%s: the sample has path %q, split %q", n.Name, e.Dataset.Path, e.Dataset.Split)
		}
	}
}

// besidesKnown compares experiments without what was known to their reader, whose functions are not comparable.
var besidesKnown = cmpopts.IgnoreTypes(Known{})

// roundTrip checks that what TOML writes loads to the same value.
func roundTrip(t *testing.T, e Experiment) {
	t.Helper()
	b, err := e.TOML()
	if err != nil {
		t.Fatal(err)
	}
	again, err := Parse("/elsewhere/run.toml", b, known)
	if err != nil {
		t.Fatalf("%v\n%s", err, b)
	}
	if d := cmp.Diff(e, again, besidesKnown); d != "" {
		t.Errorf("reads back different: %s\n%s", d, b)
	}
	second, err := again.TOML()
	if err != nil || string(second) != string(b) {
		t.Errorf("writes different bytes the second time: %v", err)
	}
	if d := cmp.Diff(e.Cells(), again.Cells()); d != "" {
		t.Errorf("cells differ: %s", d)
	}
}

func TestRoundTrip(t *testing.T) {
	check := func(text string, set ...string) {
		t.Helper()
		roundTrip(t, must(t, text, set...))
	}
	check(base)
	check(base + "[model]\ntop_p = 0\ntop_k = 3\nstop = []\n[report]\ntables = [\"main\"]\nfigures = []\n")
	check(base + "[model]\nstop = [\"x\"]\n[[arm]]\nname = \"b\"\nmethod = \"cot\"\nmodel.stop = []\n")
	check(base + "[exemplars]\nstrategy = \"hardness-only\"\nlevels = [\"hard\"]\nk = 2\n[[arm]]\nname = \"b\"\nmethod = \"cot\"\nexemplars.preset = \"G3\"\n")
	check(base + "[exemplars]\npreset = \"G3\"\n[[arm]]\nname = \"b\"\nmethod = \"cot\"\nexemplars.strategy = \"similarity\"\n")
	check(base + "[model]\nname = \"a $${b} \\\" \\u0000 \\u007f é\"\n[exemplars]\nseparator = \"\\r\\n\\t\"\n")
	check(base + "[sweep]\nmodel.stop = [[\"a\"], []]\ntemperature = [1e-9, 2]\nschema.shuffle = [true, false]\nexemplars.separator = [\"$${\", \"\\n\"]\nmethod = [\"cot\", \"standard\"]\n")
	check(base, "dataset.kind=text2sql", "dataset.path=/d", "dataset.sets=imdb,yelp", "dataset.filter.db=imdb", "timeout=1m30s")
}

func TestInheritance(t *testing.T) {
	e := must(t, `
name = "x"
[dataset]
kind = "sample"
[model]
temperature = 0.5
top_p = 0.9
[exemplars]
strategy = "hardness-only"
levels = ["hard"]
k = 4
[[arm]]
name = "a"
method = "standard"
[[arm]]
name = "b"
label = "B"
method = "cot"
model.temperature = 1
[arm.exemplars]
preset = "G2"
[[arm]]
name = "c"
method = "cot"
[arm.schema]
format = "bird"
`)
	check := func(what string, got, want any) {
		t.Helper()
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %v, want %v", what, got, want)
		}
	}
	check("a's temperature", e.Arms[0].Model.Temperature, 0.5)
	check("b's temperature", e.Arms[1].Model.Temperature, 1.0)
	check("b's top_p", *e.Arms[1].Model.TopP, 0.9)
	check("a's exemplars", e.Arms[0].Exemplars, e.Exemplars)
	check("b's exemplars", e.Arms[1].Exemplars, Exemplars{Preset: "G2", K: 4, Separator: "\n"})
	check("c's format", e.Arms[2].Schema, Schema{Format: "bird", Rows: 3})
	check("a's label is its name", e.Arms[0].Label, "a")
	check("b's label", e.Arms[1].Label, "B")
	check("default metrics", e.Metrics, []string{"ts", "ex"})
	check("default seeds", e.Seeds, []int64{0})
	check("default samples", e.Arms[0].Model.Samples, 1)
	check("default split", e.Dataset.Split, "dev")
}

func TestSet(t *testing.T) {
	text := base + "[[arm]]\nname = \"b\"\nmethod = \"cot\"\nmodel.temperature = 1\n[sweep]\nk = [1, 2]\n"
	check := func(want any, get func(Experiment) any, set ...string) {
		t.Helper()
		if got := get(must(t, text, set...)); !reflect.DeepEqual(got, want) {
			t.Errorf("%v: got %#v, want %#v", set, got, want)
		}
	}
	temperatures := func(e Experiment) any { return [2]float64{e.Arms[0].Model.Temperature, e.Arms[1].Model.Temperature} }
	seeds := func(e Experiment) any { return e.Seeds }
	model := func(e Experiment) any { return e.Model.Name }
	axes := func(e Experiment) any {
		var all []string
		for _, a := range e.Sweep {
			all = append(all, fmt.Sprint("{", a.Key, " ", a.Values, "}"))
		}
		return fmt.Sprint(all)
	}
	check([2]float64{0, 1}, temperatures)
	check([2]float64{2, 1}, temperatures, "model.temperature=2")
	check([2]float64{0, 2}, temperatures, "arm.b.model.temperature=2")
	check([2]float64{2, 0.5}, temperatures, "model.temperature=2", "arm.b.model.temperature=0.1", "arm.b.model.temperature = 0.5")
	check([]int64{3}, seeds, "seeds=3")
	check([]int64{3, 4}, seeds, "seeds=3,4")
	check([]int64{3, 4}, seeds, "seeds=[3,4]")
	check("gpt", model, "model.name=gpt")
	check("4", model, "model.name=4")
	check("a=b c", model, "model.name=a=b c")
	check("x", model, `model.name="x"`)
	check("", model, "model.name=")
	check([]string{"ex"}, func(e Experiment) any { return e.Metrics }, "metrics=ex")
	check([]string{"ex", "em"}, func(e Experiment) any { return e.Metrics }, `metrics=["ex", "em"]`)
	check([]string{"3"}, func(e Experiment) any { return e.Dataset.Filter.IDs }, "dataset.filter.ids=3")
	check("[{k [0 8]}]", axes, "sweep.k=0,8")
	check("[{k [1 2]} {temperature [0.5]}]", axes, "sweep.temperature=[0.5]")
	check("[{format [bird apidocs]}]", axes, "sweep.k=[]", "sweep.format=bird,apidocs")
	check("\n\n", func(e Experiment) any { return e.Exemplars.Separator }, `exemplars.separator="\n\n"`)
}

func TestOptions(t *testing.T) {
	limit, workers, seed := 0, 3, int64(7)
	e, err := parse(base+"[sweep]\nk = [1]\n", Options{Set: []string{"dataset.kind=spider", "dataset.limit=9"}, Data: "/d", Limit: &limit, Workers: &workers, Seed: &seed})
	if err != nil {
		t.Fatal(err)
	}
	if e.Dataset.Path != "/d" || e.Dataset.Limit != 0 || e.Workers != 3 || !reflect.DeepEqual(e.Seeds, []int64{7}) {
		t.Errorf("got %+v, seeds %v, workers %d", e.Dataset, e.Seeds, e.Workers)
	}
}

func TestPaths(t *testing.T) {
	t.Setenv("ASSAY_TEST_DIR", "sub/dir")
	text := strings.Replace(base, `kind = "sample"`, "kind = \"spider\"\npath = \"${ASSAY_TEST_DIR}/spider\"\nsuite = \"/abs/suite\"\nquestions = \"q.json\"\ndatabases = [\"d\"]", 1)
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	check := func(get func(Experiment) string, want string, set ...string) {
		t.Helper()
		if got := get(must(t, text, set...)); got != want {
			t.Errorf("%v: got %q, want %q", set, got, want)
		}
	}
	path := func(e Experiment) string { return e.Dataset.Path }
	file := func(e Experiment) string { return e.Arms[0].Exemplars.File }
	check(path, "/exp/sub/dir/spider")
	check(path, filepath.Join(here, "x"), "dataset.path=x")
	check(func(e Experiment) string { return e.Dataset.Suite }, "/abs/suite")
	check(func(e Experiment) string { return e.Dataset.Questions }, "q.json")
	check(func(e Experiment) string { return e.Dataset.Databases[0] }, "/exp/d")
	check(file, "")
	check(file, "train", "exemplars.file=train")
	check(file, filepath.Join(here, "my.toml"), "arm.a.exemplars.file=my.toml")
}

func TestCells(t *testing.T) {
	e := must(t, base+`
[[arm]]
name = "b"
method = "cot"
exemplars.preset = "G1"
[exemplars]
strategy = "hardness-only"
levels = ["hard"]
k = 1
[sweep]
temperature = [0, 1.0]
model.samples = [3]
strategy = ["random", "similarity"]
`)
	var got []string
	for _, c := range e.Cells() {
		m := c.Arm.Model
		got = append(got, fmt.Sprintf("%s %v %g %d %q %s", c.Arm.Name, c.Point, m.Temperature, m.Samples, c.Arm.Exemplars.Preset, c.Arm.Exemplars.Strategy))
	}
	want := []string{
		`a [{temperature 0} {model.samples 3} {strategy random}] 0 3 "" random`,
		`b [{temperature 0} {model.samples 3} {strategy random}] 0 3 "" random`,
		`a [{temperature 0} {model.samples 3} {strategy similarity}] 0 3 "" similarity`,
		`b [{temperature 0} {model.samples 3} {strategy similarity}] 0 3 "" similarity`,
		`a [{temperature 1} {model.samples 3} {strategy random}] 1 3 "" random`,
		`b [{temperature 1} {model.samples 3} {strategy random}] 1 3 "" random`,
		`a [{temperature 1} {model.samples 3} {strategy similarity}] 1 3 "" similarity`,
		`b [{temperature 1} {model.samples 3} {strategy similarity}] 1 3 "" similarity`,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if e.Arms[1].Exemplars.Preset != "G1" {
		t.Error("the sweep changed the arm itself")
	}
	presets := must(t, base+"[exemplars]\nlevels = [\"hard\"]\n[sweep]\nexemplars.preset = [\"G1\"]\n").Cells()[0].Arm.Exemplars
	if presets.Preset != "G1" || presets.Strategy != "" || presets.Levels != nil {
		t.Errorf("a swept preset leaves %+v", presets)
	}
}

func TestLoadFindsFiles(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "mine.toml")
	text := strings.Replace(base, `kind = "sample"`, "kind = \"spider\"\npath = \"data\"", 1)
	if err := os.WriteFile(file, []byte("\ufeff"+text), 0o644); err != nil {
		t.Fatal(err)
	}
	e, err := Load(file, known, Options{})
	if err != nil || e.Dataset.Path != filepath.Join(dir, "data") {
		t.Errorf("got %q, %v", e.Dataset.Path, err)
	}
	check := func(name, want string) {
		t.Helper()
		if _, err := Load(name, known, Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", name, err, want)
		}
	}
	check("quickstar", `configs: load "quickstar": no experiment of that name; did you mean "quickstart"?`)
	check("zzz", "no experiment of that name (the path of a file needs a slash or the ending .toml; assay config list lists the embedded experiments)")
	check("./quickstart", `configs: load "./quickstart": no such file or directory`)
	check("none.toml", `configs: load "none.toml": no such file or directory`)
	check(dir, "is a folder, not a file")
}

func TestLinesOfEveryKey(t *testing.T) {
	text := "a = 1\n\n# note\n[b]\nc = [\n 1,\n\n # x\n 2]\nd = '''\n\n'''\n[[arm]]\nx = 1\n[arm.m]\ny = {z = 1}\n[[arm]]\nx = 2\n"
	want := map[string]int{"a": 1, "b": 4, "b.c": 5, "b.d": 10, "arm#0": 13, "arm#0.x": 14, "arm#0.m": 15, "arm#0.m.y": 16, "arm#0.m.y.z": 16, "arm#1": 17, "arm#1.x": 18}
	if d := cmp.Diff(want, positions(text)); d != "" {
		t.Error(d)
	}
	s := &source{text: text}
	if got := s.line("arm#1.unknown.k"); got != 17 {
		t.Errorf("an absent key is on line %d, want its table's", got)
	}
}

// TestTablesAgree: the table names every field of Experiment, and no other.
func TestTablesAgree(t *testing.T) {
	fields := map[string]bool{}
	var walk func(reflect.Type, string)
	walk = func(ty reflect.Type, path string) {
		for i := range ty.NumField() {
			f := ty.Field(i)
			tag, _, _ := strings.Cut(f.Tag.Get("toml"), ",")
			p := join(path, tag)
			if f.Type == reflect.TypeFor[*Agent]() {
				f.Type = f.Type.Elem()
			}
			switch {
			case f.Tag.Get("toml") == "-":
			case f.Type == reflect.TypeOf([]Arm(nil)), f.Type == reflect.TypeOf([]Table(nil)), f.Type == reflect.TypeOf([]Metric(nil)):
				walk(f.Type.Elem(), tag)
			case f.Anonymous:
				walk(f.Type, path)
			case ty == reflect.TypeFor[Arm]() && (f.Type.Kind() == reflect.Struct || f.Type.Kind() == reflect.Map): // inherited
			case f.Type.Kind() == reflect.Struct:
				walk(f.Type, p)
			default:
				fields[p] = true
			}
		}
	}
	walk(reflect.TypeOf(Experiment{}), "")
	table := map[string]bool{}
	for _, k := range keys {
		if table[k.path] || k.doc == "" {
			t.Errorf("%s is listed twice or has no documentation", k.path)
		}
		table[k.path] = true
		for _, list := range []string{k.choices, k.words} {
			if list != "" && len(known.Choices(list)) == 0 {
				t.Errorf("%s refers to a list %q that nobody handed over", k.path, list)
			}
		}
		if k.def != nil && k.allowed(k.def, known) != "" {
			t.Errorf("%s: its default is not allowed: %s", k.path, k.allowed(k.def, known))
		}
	}
	if d := cmp.Diff(fields, table); d != "" {
		t.Error(d)
	}
}

func FuzzLoad(f *testing.F) {
	files, _ := filepath.Glob("*.toml")
	cases, _ := filepath.Glob("testdata/errors/*.toml")
	for _, file := range append(files, cases...) {
		b, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(b), "model.temperature=1")
	}
	f.Add(base, "sweep.k=1,2")
	f.Add(base, `arm.a.model.stop=["x"]`)
	f.Fuzz(func(t *testing.T, text, set string) {
		if len(text) > 4<<10 {
			return
		}
		e, err := parse(text, Options{Set: []string{set}})
		if err == nil && len(e.Cells()) < 100 {
			roundTrip(t, e)
		}
	})
}
