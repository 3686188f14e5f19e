package configs

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// folders are the methods of withFolders, by the last name of their folder.
var folders = map[string]Method{
	"mine": {Parts: []string{"answer", "fix"}, Blocks: []string{"rules", "hint"}, Digest: "sha256:1", Settings: map[string]any{"temperature": 0.7, "stop": []any{"\n\n"}},
		Params: []Param{{"rounds", int64(1)}, {"heat", 0.5}, {"mode", "fast"}, {"strict", false}, {"levels", []any{"easy"}}, {"weights", []any{0.5}}}},
	"other":  {Parts: []string{"answer"}, Params: []Param{{"rounds", int64(3)}, {"depth", int64(1)}}, Blocks: []string{"notes"}, Digest: "sha256:2"},
	"float":  {Parts: []string{"answer"}, Params: []Param{{"heat", 1.0}}, Digest: "sha256:3"},
	"linker": {Parts: []string{"link"}, Params: []Param{{"top", int64(5)}}, Digest: "sha256:4"},
	"judge":  {Parts: []string{"choose"}, Params: []Param{{"votes", int64(5)}}, Blocks: []string{"rules"}, Digest: "sha256:5"},
	"format": {Parts: []string{"schema"}, Params: []Param{{"wide", true}}, Digest: "sha256:6"},
	"odd":    {Parts: []string{"answer"}, Settings: map[string]any{"temprature": 1.0}},
	"hot":    {Parts: []string{"answer"}, Settings: map[string]any{"temperature": int64(9)}},
}

// withFolders is known with a compiler of folders that reads no file.
func withFolders() Known {
	k := known
	k.Folder = func(dir string) (Method, error) {
		m, ok := folders[filepath.Base(dir)]
		if !ok {
			return m, fmt.Errorf("script: compile %q: method.star:3:1: undefined: aks", filepath.Base(dir))
		}
		m.ID, m.Dir = filepath.Base(dir), dir
		if filepath.Base(filepath.Dir(dir)) == "deep" {
			m.Params = []Param{{"depth", int64(1)}}
		}
		return m, nil
	}
	return k
}

// experiment is a file with one arm of each line given, in the folder dir, which has block files.
func experiment(t *testing.T, text string, set ...string) (Experiment, error) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "exp")
	for _, name := range []string{"rules.txt", "more/rules.txt", "strict.txt", "beside/method.star"} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte("text of "+name), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	s := &source{name: "x.toml", dir: dir, text: "name = \"x\"\ndataset.kind = \"sample\"\n" + text}
	return s.load("x.toml", withFolders(), Options{Set: set})
}

const mineArm = "[[arm]]\nname = \"a\"\nmethod = \"methods/mine\"\n"

// TestFoldersAsMethods: a path in place of a name is compiled, and its traits are the arm's.
func TestFoldersAsMethods(t *testing.T) {
	check := func(text string, want ...string) {
		t.Helper()
		e, err := experiment(t, text)
		if err != nil {
			t.Error(err)
			return
		}
		a := e.Arms[0]
		link, fix, choose := a.Parts()
		got := []string{a.Row.ID, PartName(a.Method)}
		for _, m := range a.Asked {
			got = append(got, m.ID)
		}
		for _, p := range append(link, fix, choose, a.Schema.Format) {
			got = append(got, PartName(p))
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", text, d)
		}
		for _, p := range append(link, fix, choose, a.Schema.Format, a.Method) {
			if isPath(p) && !filepath.IsAbs(p) {
				t.Errorf("%s: %s is not absolute", text, p)
			}
		}
	}
	check(mineArm, "mine", "mine", "mine", "", "first", "apidocs")
	check("[[arm]]\nname = \"a\"\nmethod = \"./mine\"\nschema.format = \"f/format\"\n", "mine", "mine", "mine", "", "first", "format")
	check("[[arm]]\nname = \"a\"\nmethod = \"pool\"\ngenerators = [\"cot\", \"./mine\"]\n", "pool", "pool", "cot", "mine", "", "first", "apidocs")
	check(mineArm+"values.use = true\nfixer.tries = 2\nselection.rule = \"pairwise\"\n", "mine", "mine", "mine", "values", "fixer", "pairwise", "apidocs")
	check(mineArm+"columns.use = \"each\"\nvalues.use = true\n", "mine", "mine", "mine", "values", "columns", "", "first", "apidocs")
	check(mineArm+"columns.use = \"each\"\nlink = [\"p/linker\", \"columns\"]\nfix = \"methods/mine\"\nchoose = \"./judge\"\n",
		"mine", "mine", "mine", "linker", "columns", "mine", "judge", "apidocs")
	check(mineArm+"choose = \"pairwise\"\nselection.tie = \"first\"\n[selection]\nrule = \"ranker\"\n", "mine", "mine", "mine", "", "pairwise", "apidocs")
}

// TestSettingsOfFolders: a method's own settings of [model] hold where neither the arm nor the file states them.
func TestSettingsOfFolders(t *testing.T) {
	check := func(more string, temperature float64, stop ...string) {
		t.Helper()
		e, err := experiment(t, mineArm+more)
		if err != nil {
			t.Fatal(err)
		}
		if m := e.Arms[0].Model; m.Temperature != temperature || !slices.Equal(m.Stop, stop) {
			t.Errorf("%q: temperature %v, stop %q", more, m.Temperature, m.Stop)
		}
	}
	check("", 0.7, "\n\n")
	check("model.temperature = 0\n", 0, "\n\n")
	check("[model]\ntemperature = 0\n", 0, "\n\n")
	check("model.stop = []\n", 0.7)
	check("[sweep]\ntemperature = [1]\n", 0.7, "\n\n")
}

// TestOpenTables: params and blocks of methods and parts, with the defaults at the top for the arms that have them.
func TestOpenTables(t *testing.T) {
	e, err := experiment(t, `
[params]
rounds = 2
heat = 1
[blocks]
rules = ""
[[arm]]
name = "a"
method = "./mine"
choose = "./judge"
fix = "./mine"
schema.format = "./format"
params.mode = "slow"
params.levels = ["hard", "$${x}"]
params.weights = [1, 2]
params.choose.votes = 7
params.fix.rounds = 4
params.schema.wide = false
blocks.hint = "more/rules.txt"
blocks.choose.rules = "strict.txt"
[[arm]]
name = "b"
method = "./other"
params.rounds = 5
[[arm]]
name = "c"
method = "cot"
[[arm]]
name = "d"
method = "pool"
generators = ["./float", "./other"]
[[arm]]
name = "e"
method = "pool"
generators = ["./mine", "deep/other"]
params.depth = 3
`)
	if err != nil {
		t.Fatal(err)
	}
	check := func(what string, got, want any) {
		t.Helper()
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", what, d)
		}
	}
	type values = map[string]any
	a, b, c, d := e.Arms[0], e.Arms[1], e.Arms[2], e.Arms[3]
	check("a", a.ParamsOf(""), values{"rounds": int64(2), "heat": 1.0, "mode": "slow", "levels": []any{"hard", "${x}"}, "weights": []any{int64(1), int64(2)}})
	check("a's choose", a.ParamsOf("choose"), values{"votes": int64(7)})
	check("a's fix", a.ParamsOf("fix"), values{"rounds": int64(4)})
	check("a's schema", a.ParamsOf("schema"), values{"wide": false})
	check("a's link", a.ParamsOf("link"), values{})
	check("b", b.Params, values{"rounds": int64(5)})
	check("c", c.Params, values(nil))
	check("d", d.Params, values{"rounds": int64(2), "heat": 1.0})
	check("e", e.Arms[4].Params, values{"rounds": int64(2), "heat": 1.0, "depth": int64(3)})
	named := func(blocks map[string]string) map[string]string {
		for k, v := range blocks {
			blocks[k] = strings.TrimPrefix(v, filepath.Dir(a.Method))
		}
		return blocks
	}
	check("a's blocks", named(a.BlocksOf("")), map[string]string{"rules": "", "hint": "/more/rules.txt"})
	check("a's blocks of choose", named(a.BlocksOf("choose")), map[string]string{"rules": "/strict.txt"})
	check("b's blocks", b.Blocks, values(nil))
	open := func(a Arm) (out []string) {
		for _, s := range e.Known.Open(a) {
			out = append(out, s.Key+" "+s.Value)
		}
		return out
	}
	check("all of b", open(b), []string{"blocks.notes kept", "params.depth 1", "params.rounds 5"})
	check("all of c", open(c), []string{"blocks.form kept", "blocks.given kept", "blocks.role kept", "blocks.solved kept", "blocks.system kept", "blocks.task kept", "blocks.user kept"})
	check("all of d", open(d), []string{"blocks.notes kept", "params.depth 1", "params.heat 1", "params.rounds 2"})
	check("all of a", open(a), []string{"blocks.choose.rules strict.txt", "blocks.fix.hint kept", "blocks.fix.rules kept", "blocks.hint rules.txt", "blocks.rules off",
		"params.choose.votes 7", "params.fix.heat 0.5", "params.fix.levels [\"easy\"]", "params.fix.mode fast", "params.fix.rounds 4", "params.fix.strict false", "params.fix.weights [0.5]",
		"params.heat 1", "params.levels [\"hard\", \"${x}\"]", "params.mode slow", "params.rounds 2", "params.schema.wide false", "params.strict false", "params.weights [1, 2]"})
	reread(t, e)
}

// TestPublishedFolder: a folder's place is in no name of a published row.
func TestPublishedFolder(t *testing.T) {
	e, err := experiment(t, mineArm+"published = \"{method}_{model.temperature}\"\n")
	if err != nil || e.Cells()[0].Arm.Published != "mine_0.7" {
		t.Error(e.Cells(), err)
	}
}

// TestTable: a method reads the tables of its arm as TOML has them.
func TestTable(t *testing.T) {
	e := must(t, base+"columns.use = \"each\"\n")
	a := e.Arms[0]
	for name, want := range map[string]string{"columns": "map[names:false use:each]", "fixer": "map[on_unfixed:keep triggers:[error empty]]", "none": "map[]",
		"synthetic": "map[columns:one-call features:38 runnable:false source:os tables:37]"} {
		if got := fmt.Sprint(a.Table(name)); got != want {
			t.Errorf("%s: %s", name, got)
		}
	}
	agent := a.Table("agent")
	if agent["turns"] != int64(12) || agent["wall"] != "5m0s" || agent["preset"] != "paper" {
		t.Errorf("agent: %v", agent)
	}
	for _, table := range inherited {
		if name := strings.TrimSuffix(table, "."); name != "params" && name != "blocks" && name != "stages" && name != "embeddings" && len(a.Table(name)) == 0 {
			t.Errorf("no table %s", name)
		}
	}
}

// reread checks that what TOML writes loads to the same value, as a stored run and as one that is run again.
func reread(t *testing.T, e Experiment) {
	t.Helper()
	text, err := e.TOML()
	if err != nil {
		t.Fatal(err)
	}
	again, err := Parse("/elsewhere/run.toml", text, withFolders())
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	anew, err := ParseAgain("/elsewhere/run.toml", text, withFolders(), Options{})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	for _, r := range []Experiment{again, anew} {
		if d := cmp.Diff(e, r, besidesKnown); d != "" {
			t.Errorf("reads back different: %s\n%s", d, text)
		}
		if d := cmp.Diff(e.Cells(), r.Cells()); d != "" {
			t.Errorf("cells differ: %s", d)
		}
	}
}

// TestSweptFolders: params, blocks, methods, parts and formats are swept, change nothing in arms that lack them, and are shown
// without a path.
func TestSweptFolders(t *testing.T) {
	check := func(text string, of func(Arm) any, want ...string) {
		t.Helper()
		e, err := experiment(t, text)
		if err != nil {
			t.Error(err)
			return
		}
		var got []string
		for _, c := range e.Cells() {
			line := c.Arm.Name
			for _, s := range c.Point {
				line += fmt.Sprintf(" %s=%s", s.Key, s.Value)
			}
			dir := filepath.Dir(e.Arms[0].Method)
			got = append(got, strings.ReplaceAll(fmt.Sprintf("%s: %v", line, of(c.Arm)), dir, "DIR"))
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", text, d)
		}
		reread(t, e)
	}
	params := func(a Arm) any { return a.Params }
	blocks := func(a Arm) any { return a.BlocksOf("") }
	arms := "[[arm]]\nname = \"a\"\nmethod = \"./mine\"\nmodel.temperature = 0\nmodel.stop = []\n[[arm]]\nname = \"b\"\nmethod = \"./other\"\nmodel.stop = []\n"
	check(arms+"[sweep]\nparams.rounds = [1, 2]\n", params, "a params.rounds=1: map[rounds:1]", "b params.rounds=1: map[rounds:1]", "a params.rounds=2: map[rounds:2]", "b params.rounds=2: map[rounds:2]")
	check(arms+"[sweep]\n\"params.depth\" = [4]\n", params, "a params.depth=4: map[]", "b params.depth=4: map[depth:4]")
	check(arms+"[sweep]\nparams.heat = [1, 0.5]\n", params, "a params.heat=1: map[heat:1]", "b params.heat=1: map[]", "a params.heat=0.5: map[heat:0.5]", "b params.heat=0.5: map[]")
	check(arms+"[sweep]\nparams.mode = [\"1\", \"true\"]\n", func(a Arm) any { return fmt.Sprintf("%#v", a.Params["mode"]) },
		`a params.mode=1: "1"`, "b params.mode=1: <nil>", `a params.mode=true: "true"`, "b params.mode=true: <nil>")
	check(arms+"[sweep]\nparams.levels = [[\"easy\", \"hard\"]]\n", params, `a params.levels=["easy", "hard"]: map[levels:[easy hard]]`, `b params.levels=["easy", "hard"]: map[]`)
	check(arms+"[sweep]\nblocks.rules = [\"kept\", \"\", \"rules.txt\"]\n", blocks, "a blocks.rules=kept: map[]", "b blocks.rules=kept: map[]", "a blocks.rules=off: map[rules:]", "b blocks.rules=off: map[]",
		"a blocks.rules=rules.txt: map[rules:DIR/rules.txt]", "b blocks.rules=rules.txt: map[]")
	check(arms+"params.rounds = 7\n[sweep]\nmethod = [\"./other\", \"cot\"]\n", params, "a method=other: map[]", "b method=other: map[rounds:7]", "a method=cot: map[]", "b method=cot: map[]")
	check(arms+"[sweep]\nformat = [\"bird\", \"./format\"]\nparams.schema.wide = [false]\n", func(a Arm) any { return []any{a.Schema.Format, a.Params} },
		"a format=bird params.schema.wide=false: [bird map[]]", "b format=bird params.schema.wide=false: [bird map[]]",
		"a format=format params.schema.wide=false: [DIR/format map[schema:map[wide:false]]]", "b format=format params.schema.wide=false: [DIR/format map[schema:map[wide:false]]]")
	rules := func(a Arm) any { _, fix, choose := a.Parts(); return []string{fix, choose, a.Selection.Rule} }
	check(arms+"[sweep]\nchoose = [\"first\", \"./judge\"]\nfix = [\"./mine\"]\n", rules, "a choose=first fix=mine: [DIR/mine first ]", "b choose=first fix=mine: [DIR/mine first ]",
		"a choose=judge fix=mine: [DIR/mine DIR/judge ]", "b choose=judge fix=mine: [DIR/mine DIR/judge ]")
	check(arms+"choose = \"./judge\"\n[sweep]\nselection.rule = [\"ranker\"]\n", rules, "a selection.rule=ranker: [ ranker ranker]", "b selection.rule=ranker: [ ranker ranker]")
}

// TestFolderErrors: each mistake is reported with its line and what to write.
func TestFolderErrors(t *testing.T) {
	check := func(text string, want string, set ...string) {
		t.Helper()
		if _, err := experiment(t, text, set...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
	arm := func(method string) string { return "[[arm]]\nname = \"a\"\nmethod = \"" + method + "\"\n" }
	check(arm("./broken"), `x.toml:5: arm "a": method cannot be used: script: compile "broken": method.star:3:1: undefined: aks`)
	check(arm("beside"), `x.toml:5: arm "a": method "beside" is unknown; there are`)
	check(arm("beside"), `for the folder of that name write "./beside"`)
	check(arm("./linker"), `linker" defines link, not answer: name a folder that defines answer`)
	check(mineArm+"fix = \"./linker\"\n", `defines link, not fix`)
	check(mineArm+"choose = \"pairwis\"\n", `choose "pairwis" is unknown; did you mean "pairwise"?`)
	check(arm("pool")+"generators = [\"a/other\", \"b/other\"]\n", `two of its generators or linkers have the name other`)
	check(mineArm+"link = [\"fixer\"]\n", `x.toml:6: arm "a": link "fixer" is unknown`)
	check(mineArm+"schema.format = \"./mine\"\n", `defines answer and fix, not schema`)
	check(arm("./odd"), `its settings: temprature is no key of [model]; did you mean "model.temperature"?`)
	check(arm("./hot"), `its settings: temperature 9 is too large: state one from 0 to 2`)
	check(mineArm+"params.round = 2\n", `x.toml:6: arm "a": unknown param "params.round" of mine; did you mean "rounds"?`)
	check(mineArm+"params.rounds = \"2\"\n", `x.toml:6: arm "a": params.rounds wants an integer, not "2": its default in mine is 1`)
	check(mineArm+"params.rounds = 1.5\n", `wants an integer, not 1.5`)
	check(mineArm+"params.rounds = [1]\n", `wants an integer, not a list of integers`)
	check(mineArm+"params.levels = [1]\n", `params.levels wants a list of texts, not a list of integers: its default in mine is ["easy"]`)
	check(mineArm+"params.rounds = {a = 1}\n", `params.rounds wants text, a number, true or false, or a list of one of these, not a table`)
	check(mineArm+"params.levels = [1, \"a\"]\n", `x.toml:6: params.levels wants`)
	check(mineArm+"params.levels = [[\"a\"]]\n", `x.toml:6: params.levels wants`)
	check(mineArm+"params.fix.rounds = 2\n", `params.fix.rounds has no effect: no part of that kind is used`)
	check(mineArm+"params.choose.votes = 2\n", `unknown param "params.choose.votes" of first: there is none`)
	check(mineArm+"params.fix = 2\n", `x.toml:6: params.fix must be a table: write [params.fix]`)
	check(mineArm+"\"params.rounds\" = 2\n", `is one quoted name: write params.rounds without the quotes`)
	check(mineArm+"[params]\ndepth = 2\n", `x.toml:7: unknown param "params.depth" of mine`)
	check(mineArm+"[sweep]\nparams.depth = [2]\n", `x.toml:7: sweep: unknown param "params.depth" of mine`)
	check(mineArm+"[sweep]\nparams.rounds = [2, \"x\"]\n", `x.toml:7: sweep: params.rounds wants an integer, not "x"`)
	check(mineArm+"[sweep]\nparams.rounds = [2, 2]\n", `sweep: params.rounds has 2 twice`)
	check(mineArm+"[sweep]\nparam.rounds = [2]\n", `x.toml:7: sweep: unknown parameter "param.rounds"; did you mean "params.rounds"?`)
	check(mineArm+"[sweep]\nlink = [[\"./linker\"]]\n", `x.toml:7: sweep: link is a list, which cannot be swept: write an arm for each`)
	check(mineArm+"param.rounds = 2\n", `x.toml:6: unknown key "param"; did you mean "params"?`)
	check(mineArm+"blocks.rule = \"\"\n", `x.toml:6: arm "a": unknown block "blocks.rule" of mine; did you mean "rules"?`)
	check(mineArm+"blocks.rules = \"none.txt\"\n", `x.toml:6: arm "a": blocks.rules cannot be read: `)
	check(mineArm+"blocks.rules = \"more\"\n", `not a file`)
	check(mineArm+"blocks.rules = 1\n", `blocks.rules wants text: a file, "" for off or "kept", not 1`)
	check(mineArm+"[sweep]\nblocks.rules = [\"rules.txt\", \"more/rules.txt\"]\n", `x.toml:7: sweep: blocks.rules has rules.txt twice: tables show a file by its name`)
	check(mineArm+"[sweep]\nmethod = [\"cot\", \"./cot\"]\n", `sweep: method cannot be used: script: compile "cot"`)
	check(mineArm+"[sweep]\nmethod = [\"a/other\", \"b/other\"]\n", `sweep: method has other twice: tables show a folder by its name alone; rename one`)
	check(arm("cot")+"[sweep]\nmethod = [\"./mine\"]\n", `sweep: method: mine sets model.stop itself, which a sweep cannot: state model.stop in the file`)
	check(mineArm+"choose = \"./judge\"\nselection.rule = \"first\"\n", `x.toml:7: arm "a": selection.rule is stated next to choose, which replaces it: keep one`)
	check(mineArm+"[sweep]\nchoose = [\"first\"]\nselection.rule = [\"first\"]\n", `sweep: choose and selection.rule exclude each other`)
	check(mineArm+"fix = \"fixer\"\n", `fix names "fixer", which is off: state fixer.tries above 0`)
	check(mineArm+"link = [\"./linker\"]\nvalues.use = true\n", `link is stated without "values", which values.use asks for`)
	check(mineArm+"link = [\"columns\"]\n", `link names "columns", which is off: state columns.use = a column filter`)
	check(mineArm, `--set params.round=3: unknown param "params.round" of mine; did you mean "rounds"?`, "params.round=3")
	check(mineArm, `--set params={}: params is a table: write params.KEY=VALUE`, "params={}")
	check(mineArm, `--set sweep.params.rounds=[1,"x"]: sweep: params.rounds wants an integer`, `sweep.params.rounds=[1,"x"]`)
	bare := known
	bare.Folder = nil
	if _, err := ParseWith("x.toml", []byte(base), bare, Options{Set: []string{"arm.a.method=./mine"}}); err == nil || !strings.Contains(err.Error(), "only built-in names can be used here") {
		t.Error(err)
	}
}

// TestSetOpen: the command line sets params, blocks and folders, whose paths are then relative to the working directory.
func TestSetOpen(t *testing.T) {
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	check := func(of func(Experiment) any, want any, set ...string) {
		t.Helper()
		e, err := experiment(t, mineArm+"params.heat = 1\n", set...)
		if err != nil {
			t.Error(err)
		} else if got := of(e); !reflect.DeepEqual(got, want) {
			t.Errorf("%q: got %v, want %v", set, got, want)
		}
	}
	param := func(name string) func(Experiment) any {
		return func(e Experiment) any { return e.Arms[0].Params[name] }
	}
	check(param("rounds"), int64(3), "params.rounds=3")
	check(param("rounds"), int64(3), "arm.a.params.rounds=3")
	check(param("heat"), 1.0, "params.heat=2")
	check(param("heat"), 2.0, "arm.a.params.heat=2")
	check(param("mode"), "slow", "params.mode=slow")
	check(param("levels"), []any{"a"}, `params.levels=["a"]`)
	check(func(e Experiment) any { return e.Sweep[0].Values }, []string{"1", "2"}, "sweep.params.rounds=[1,2]")
	check(func(e Experiment) any { return e.Sweep[0].Values }, []string{"kept", "off"}, "sweep.blocks.rules=kept,")
	check(func(e Experiment) any { return e.Arms[0].BlocksOf("") }, map[string]string{"rules": ""}, "blocks.rules=")
	check(func(e Experiment) any { return e.Arms[0].BlocksOf("")["rules"] }, filepath.Join(here, "load.go"), "blocks.rules=load.go")
	check(func(e Experiment) any { return e.Arms[0].Fix }, filepath.Join(here, "mine"), "arm.a.fix=./mine")
}

// TestStoredFolders: a stored run is read where its folders and files are gone, with traits of zero and all that it stated.
func TestStoredFolders(t *testing.T) {
	e, err := experiment(t, mineArm+"params.rounds = 4\n[sweep]\nblocks.rules = [\"\", \"rules.txt\"]\n")
	if err != nil {
		t.Fatal(err)
	}
	text, err := e.TOML()
	if err != nil {
		t.Fatal(err)
	}
	gone := strings.ReplaceAll(string(text), filepath.Dir(filepath.Dir(e.Arms[0].Method)), "gone")
	for _, folder := range []func(string) (Method, error){nil, func(string) (Method, error) { return Method{}, errors.New("damaged") }} {
		k := known
		k.Folder = folder
		again, err := Parse("/elsewhere/run/run.toml", []byte(gone), k)
		if err != nil {
			t.Fatal(err)
		}
		c := again.Cells()[1]
		if c.Arm.Row.ID != "" || c.Arm.Params["rounds"] != int64(4) || c.Point[0].Value != "rules.txt" || c.Arm.Method != "/elsewhere/run/gone/methods/mine" ||
			c.Arm.BlocksOf("")["rules"] != "/elsewhere/run/gone/rules.txt" {
			t.Errorf("%+v", c)
		}
	}
	k := withFolders()
	if _, err := ParseAgain("x/run.toml", text, k, Options{Set: []string{"model.temperature=1"}}); err == nil ||
		!strings.Contains(err.Error(), "the arms of a stored run state every key themselves: write --set arm.NAME.model.temperature=1") {
		t.Error(err)
	}
	if e, err := ParseAgain("x/run.toml", text, k, Options{Set: []string{"arm.a.params.rounds=9", "seeds=4"}}); err != nil || e.Cells()[0].Arm.Params["rounds"] != int64(9) {
		t.Error(err)
	}
	if _, err := ParseAgain("/elsewhere/run/run.toml", []byte(gone), k, Options{}); err == nil || !strings.Contains(err.Error(), "blocks.rules cannot be read") {
		t.Error(err)
	}
}

// TestMethodSources: what the cells use is listed once, and what has one name gets different copies.
func TestMethodSources(t *testing.T) {
	e, err := experiment(t, `
[[arm]]
name = "a"
method = "x/mine"
fix = "y/mine"
blocks.rules = "rules.txt"
[[arm]]
name = "b"
method = "pool"
generators = ["cot", "z/other", "x/mine"]
params.depth = 2
blocks.rules = "more/rules.txt"
blocks.notes = ""
values.use = true
`)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range e.Known.MethodSources(e.Cells()) {
		got = append(got, fmt.Sprintf("%s %v %v", s.Copy, s.Own(), s.Digest != ""))
	}
	want := []string{"methods/mine true true", "methods/apidocs false false", "methods/2/mine true true", "methods/first false true", "methods/pool false false",
		"methods/cot false true", "methods/other true true", "methods/values false true", "methods/blocks/rules.txt true true", "methods/blocks/2/rules.txt true true"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if one, two := freeCopy(MethodSource{ID: "/a/blocks"}, []string{blocksDir}), freeCopy(MethodSource{ID: "/a/2"}, []string{blocksDir, "methods/2/x"}); one != "methods/2/blocks" || two != "methods/2/2" {
		t.Error(one, two)
	}
}

// TestOverruled: a default in a folder that the experiment's table always overrules is refused, and no other.
func TestOverruled(t *testing.T) {
	k := Known{Parts: []Method{{Table: "selection", Params: []Param{{"directions", int64(2)}}}, {Table: "fixer", Params: []Param{{"tries", int64(3)}}}}}
	check := func(table, name string, v any, want string) {
		t.Helper()
		if got := k.overruled(Method{Table: table, Params: []Param{{name, v}}}); got != want {
			t.Errorf("%s.%s = %v: got %q", table, name, v, got)
		}
	}
	check("selection", "directions", int64(1), "directions")
	check("selection", "directions", int64(2), "")
	check("selection", "mine", int64(1), "")
	check("", "directions", int64(1), "")
	check("fixer", "tries", int64(5), "")
}

// FuzzFolders: an experiment with folders, params and blocks is refused or reads back as it was written.
func FuzzFolders(f *testing.F) {
	f.Add(mineArm+"params.rounds = 2\nparams.fix.x = 1\nblocks.rules = \"\"\n", "params.heat=1")
	f.Add(mineArm+"params.levels = [\"$${\"]\nfix = \"./mine\"\n[sweep]\nparams.rounds = [1, 2]\n\"blocks.fix.rules\" = [\"kept\", \"\"]\n", "sweep.params.mode=a,1")
	f.Add(mineArm+"[params]\nrounds = 1\n[sweep]\nmethod = [\"./float\"]\n", "arm.a.choose=./judge")
	f.Fuzz(func(t *testing.T, text, set string) {
		if len(text) > 2<<10 {
			return
		}
		s := &source{name: "x.toml", dir: "/exp", text: "name = \"x\"\ndataset.kind = \"sample\"\n" + text}
		e, err := s.load("x.toml", withFolders(), Options{Set: []string{set}})
		if err == nil && len(e.Cells()) < 100 {
			reread(t, e)
			e.Known.MethodSources(e.Cells())
		}
	})
}
