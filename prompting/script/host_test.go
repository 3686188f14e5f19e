package script_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"assay/configs"
	"assay/prompting"
	"assay/prompting/llm"
	"assay/prompting/methodtest"
	"assay/prompting/script"
	"assay/prompting/sql/engine"
	"assay/prompting/sql/sandbox"
	"assay/prompting/sql/sqlite"

	_ "github.com/mattn/go-sqlite3"
)

// folder is what Open is given: files by name.
func folder(t testing.TB, files map[string]string) *script.Folder {
	t.Helper()
	m := fstest.MapFS{}
	for name, text := range files {
		m[name] = &fstest.MapFile{Data: []byte(text)}
	}
	f, err := script.Open("mine", "methods/mine", m, fstest.MapFS{"shared.star": {Data: []byte("def one():\n    return 1\n")}})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// deps answers with texts: the last message, or what reply says.
func deps(reply func(llm.Request) (string, error)) (prompting.Deps, *llm.Scripted) {
	m := &llm.Scripted{Reply: reply}
	return prompting.Deps{Model: m, Author: llm.Author{Provider: "scripted", Model: "one"}, Pool: methodtest.Pool(6)}, m
}

// made makes a part of the files.
func made(t testing.TB, kind string, files map[string]string, d prompting.Deps, arm configs.Arm, seed int64) *script.Part {
	t.Helper()
	p, err := script.New(folder(t, files), kind, script.Setup{Deps: d, Arm: arm, Seed: seed})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func arm() configs.Arm { return methodtest.Arm("mine", "bird", 2) }

// star is a folder whose answer(q) has these lines, and a template a.jinja that prints x.
func star(body string) map[string]string {
	return map[string]string{"a.jinja": "{{ x }}", "note.txt": "a note", "method.star": "params = defaults(n = 2)\n\ndef answer(q):\n    " + strings.ReplaceAll(body, "\n", "\n    ") + "\n"}
}

// TestHostFunctions: what each function of the host gives, as text, or what it says against its arguments.
func TestHostFunctions(t *testing.T) {
	d, _ := deps(nil)
	d.Box = sandbox.New(sandbox.Options{})
	q := methodtest.Question()
	path := t.TempDir() + "/ferry.sqlite"
	if err := sqlite.Create(t.Context(), path, "CREATE TABLE Route (RouteID INTEGER PRIMARY KEY, \"Home Port\" TEXT); CREATE TABLE Trip (Route INT REFERENCES Route(RouteID), Guests INT); INSERT INTO Trip VALUES (1, 90), (2, 140), (2, NULL);"); err != nil {
		t.Fatal(err)
	}
	q.Database = sqlite.DB(path)
	check := func(expr, want string) {
		t.Helper()
		a, err := made(t, script.Answer, star("return str("+expr+")"), d, arm(), 1).Answer(t.Context(), q)
		got := ""
		if err == nil {
			got = a.Candidates[0].SQL
		}
		if complaint, ok := strings.CutPrefix(want, "error: "); ok {
			if err == nil || !strings.Contains(err.Error(), complaint) || !strings.Contains(err.Error(), "methods/mine/method.star:4:") || !strings.Contains(err.Error(), q.ID) {
				t.Errorf("%s: got %q, %v, want an error with %q", expr, got, err, complaint)
			}
		} else if err != nil || got != want {
			t.Errorf("%s: got %q, %v, want %q", expr, got, err, want)
		}
	}
	for expr, want := range hostFacts {
		check(expr, want)
	}
}

// hostFacts are expressions and what they give.
var hostFacts = map[string]string{
	// Asking.
	`ask("a", x = 5).text`:                                            "5",
	`ask("a.jinja", x = 5).text`:                                      "5",
	`ask("a", x = "SELECT 1").sql`:                                    "SELECT 1",
	`ask([user("SELECT 2")]).rule`:                                    "statement",
	`[c.text for c in ask("a", x = 1, n = 3)]`:                        `["1", "1", "1"]`,
	`ask("a", x = 1, n = 1)[0].finish`:                                "stop",
	`[c.text for c in ask_all([call("a", x = i) for i in range(3)])]`: `["0", "1", "2"]`,
	`(lambda c: [x.text for x in ask_all([c, c])])(call("a", x = 1))`: `["1", "1"]`,
	`ask_all([])`: "[]",
	`ask_all([call("a", x = 1, n = 2)])[0][1].text`: "1",
	`ask("a")`:                         `error: a.jinja:1:4: "x" is undefined`,
	`ask("b")`:                         `error: the folder has no template "b.jinja": there are a`,
	`ask()`:                            "error: ask: want one template's name, or messages, first",
	`ask(5)`:                           "error: want a template's name, or messages, not a int",
	`ask([])`:                          "error: ask: there is no message",
	`ask([user("a")], x = 1)`:          "error: messages are filled already",
	`ask("a", x = 1, n = 0)`:           "error: n = 0: want a whole number of at least 1",
	`ask("a", x = 1, n = "2")`:         `error: n = "2": want a whole number`,
	`ask("a", x = 1, sample = -1)`:     "error: sample = -1",
	`ask("a", x = 1, temperature = 3)`: "error: temperature = 3: want a number from 0 to 2",
	`ask("a", x = 1, temperature = float("nan"))`: "error: temperature = nan",
	`ask("a", x = 1, max_tokens = -1)`:            "error: max_tokens = -1",
	`ask("a", x = 1, stop = "x")`:                 "error: stop: want a list of texts, not a string",
	`ask("a", x = 1, stop = [1])`:                 "error: stop: want a list of texts, not one with a int",
	`ask("a", x = 1, tools = [1])`:                "error: tools: want tool(name, description), not a int",
	`ask("a", x = 1, settings = "judge")`:         `error: settings = "judge" names no table of [stages]`,
	`ask_all([1])`:                                "error: ask_all: want what call(...) returns, not a int",
	`ask("a", x = 1).gold`:                        "error: completion has no .gold field",
	// Messages.
	`prompt("a", x = 1) == prompt("a", x = 1)`:                                    "True",
	`prompt("a", x = 1) != prompt("a", x = 2)`:                                    "True",
	`prompt("a", x = 1) < prompt("a", x = 2)`:                                     "error: messages are only compared with == and !=",
	`[m.role + m.text for m in prompt("a", x = 1) + [assistant("b"), user("c")]]`: `["user1", "assistantb", "userc"]`,
	`len(prompt("a", x = 1) + prompt("a", x = 2))`:                                "2",
	`prompt("a", x = 1) + 5`:                                                      "error: want a template's name, or messages, not a int",
	`assistant(ask("a", x = 7)).text`:                                             "7",
	`assistant(7)`:                                                                "error: assistant: want a completion or a text, not a int",
	`user(7)`:                                                                     "error: user: for parameter text: got int, want string",
	`tool_result("a", "b")`:                                                       "error: tool_result: for parameter call",
	`tool("Nothing", "x")`:                                                        `error: tool: there is no tool "Nothing"`,
	`text("a", x = [1, "b", None])`:                                               "[1, 'b', None]",
	`text("a", x = "b")`:                                                          "b",
	`text(5)`:                                                                     "error: text: want one template's name first",
	// The question, the schema, demonstrations.
	`q.id + " " + q.db`:                                               "test/dev/ferry-1 ferry",
	`q.question`:                                                      "Which home ports have a trip with more than 100 guests?",
	`[t.name for t in q.schema.tables]`:                               `["Route", "Trip"]`,
	`q.schema.foreign_keys[0].ref_column`:                             "RouteID",
	`q.schema.tables.append(1)`:                                       "error: frozen",
	`[q.sample, q.samples, q.has_file, q.cut]`:                        "[0, 1, True, False]",
	`[t.name for t in q.with_columns(["Trip.Guests"]).schema.tables]`: `["Trip"]`,
	`[t.name + " " + t.columns[0].name for t in q.with_columns(["Trip.Guests", "Route.Home Port"], ordered = True).schema.tables]`: `["Trip Guests", "Route Home Port"]`,
	`q.with_columns(["Guests"])`:      `error: "Guests": want "table.column"`,
	`q.with_columns([5])`:             "error: with_columns: want columns, not a int",
	`q.with_values([5])`:              "error: with_values: want what values() returned, not a int",
	`q.with_values([], show = "all")`: `error: show = "all": want first, instead or only`,
	`len(demos(q))`:                   "2",
	`len(demos(q, k = 0))`:            "0",
	`demos(q, k = 99)`:                "error: k = 99 is more than the pool's 6",
	`demos(q, strategy = "best")`:     `error: strategy "best" is unknown`,
	`len(pool())`:                     "6",
	`pool()[0].steps[0].sql != ""`:    "True",
	`input(q).count("CREATE TABLE")`:  "2",
	`input(5)`:                        "error: input: want a question or a demonstration",
	`render(q.schema) in input(q)`:    "True",
	`render(5)`:                       "error: render: for parameter schema",
	`columns_text(columns_in("{\"Trip\": [\"Guests\"]}", q.schema))`: `{"Trip": ["Guests"]}`,
	`column_of("Trip", "Guests").column`:                             "Guests",
	// Running SQL.
	`run("SELECT Guests FROM Trip WHERE Guests > 100").rows`:                            "[[140]]",
	`run("SELECT NULL, 1.5, 'x'").rows`:                                                 `[[None, 1.5, "x"]]`,
	`run("SELECT Guests AS g FROM Trip").columns`:                                       `["g"]`,
	`run("SELECT x FROM Trip").error`:                                                   "no such column: x",
	`[run("SELECT x FROM Trip").ok, run("SELECT 1").ok, run("SELECT 1 WHERE 0").empty]`: "[False, True, True]",
	`run("SELECT 1").digest("set") == run("SELECT 1 UNION ALL SELECT 1").digest("set")`: "True",
	`run("SELECT 1").digest() == run("SELECT 1 UNION ALL SELECT 1").digest()`:           "False",
	`[run("SELECT x FROM Trip").stopped, run("SELECT 1").stopped]`:                      "[False, False]",
	`run("SELECT 1, 2").digest("permuted") == run("SELECT 2, 1").digest("permuted")`:    "True",
	`run("SELECT 1").digest("bag")`:                                                     `error: digest: form = "bag": want set, multiset or permuted`,
	`run("SELECT 1").id == run("SELECT 1.0").id`:                                        "True",
	`run(5)`:           "error: run: for parameter sql: got int, want string",
	`explain("SELEC")`: "",
	`explain("SELECT Guests FROM Trip") != ""`:                                        "True",
	`[c.name for c in schema_used(q, ["SELECT Guests FROM Trip"]).tables[0].columns]`: `["Guests"]`,
	`join_path("Route", "Trip")`:                                                      "Route.RouteID = Trip.Route",
	`database_tools(off = 5)`:                                                         "error: database_tools: off: want a list of texts",
	`database_tools(off = ["ExecuteSQL"])`:                                            `error: no tool "ExecuteSQL" can be switched off`,
	// Reading texts.
	`sql_of("Well:\n` + "```sql\\nSELECT 3\\n```" + `")`: "SELECT 3",
	`list_of("[\"a\", \"b\"]")`:                          `["a", "b"]`,
	`answer_of("<think>x</think>y")`:                     "y",
	`flat("SELECT\n 1 ;")`:                               "SELECT 1",
	`quoted("a\"b")`:                                     `"a""b"`,
	`without_distinct("SELECT DISTINCT a")`:              "SELECT  a",
	`is_relevant("yes")`:                                 "True",
	`cut_action("Done() and")`:                           "Done()",
	// Comparing texts, and queries.
	`similar("names of ships", ["names of ships", "names of trips", ""])[0]`:                                "1.0",
	`similar("names of ships", ["prices", "name of a ship"])[1] > similar("names of ships", ["prices"])[0]`: "True",
	`len(similar("a", ["b%d" % i for i in range(300)]))`:                                                    "300",
	`similar("a", [])`:                "[]",
	`similar("a", "b")`:               "error: similar: texts: want a list of texts, not a string",
	`similar("a", ["b"] * 10001)`:     "error: similar: 10001 texts: 10000 are the most",
	`similar("a" * (4 << 20), ["b"])`: "error: similar: the texts have 4194305 bytes",
	`phrases("Which home ports have trips with over 100 guests?", ["home port", "guests"])`: `["home ports", "guests"]`,
	`phrases("", ["a"])`:                                 "[]",
	`phrases("a b", [])`:                                 "[]",
	`phrases("a b", ["b"] * 201)`:                        "error: phrases: 201 texts: 200 are the most",
	`phrases("?? " * 9000, ["a"])`:                       `[""]`,
	`phrases(5, [])`:                                     "error: phrases: for parameter text: got int, want string",
	`skeleton("SELECT a FROM t WHERE b = 1 ORDER BY c")`: "select _ from _ where _ order by _ asc",
	`skeleton("")`:                                       "",
	`parsed("SELECT Guests FROM Trip JOIN Route ON Route = RouteID WHERE Guests > 5", q.schema).unjoined`:                                                                              "SELECT Trip.Guests WHERE Trip.Guests > 5",
	`(lambda p: [p.ok, p.nested, p.tables, p.joins, p.values, [str(c) for c in p.asked]])(parsed("SELECT Guests FROM Trip JOIN Route ON Route = RouteID WHERE Guests > 5", q.schema))`: `[True, False, ["Trip", "Route"], ["Trip.Route = Route.RouteID"], ["5"], ["Trip.Guests"]]`,
	`parsed("SELECT (", q.schema).ok`:         "False",
	`parsed("DELETE FROM Trip", q.schema).ok`: "False",
	`parsed("SELECT 1", 5)`:                   "error: parsed: for parameter schema",
	// Chance, time, the folder.
	`rand("x", q).below(1000) == rand("x", q).below(1000)`: "True",
	`rand("x", q).perm(50) == rand("y", q).perm(50)`:       "False",
	`rand("x", q).below(0)`:                                "error: below: n = 0: want 1 to 1,000,000",
	`rand("x", q).choice([])`:                              "error: choice: the list is empty",
	`rand("x")`:                                            "error: rand: want a purpose and the question",
	`timer(0).over`:                                        "False",
	`timer("5m").over`:                                     "False",
	`timer(-1)`:                                            "error: timer: want seconds, or a duration",
	`timer("soon")`:                                        "error: timer: want seconds, or a duration",
	`file("note.txt")`:                                     "a note",
	`file("other.txt")`:                                    `error: file: the folder has no file "other.txt"`,
	`model().samples`:                                      "1",
	`params.n`:                                             "2",
	`params.m`:                                             "error: params has no .m field",
	`candidate("a", rule = "b").rule`:                      "b",
	`candidate().rule`:                                     "none",
	`candidate(failure = "no").rule`:                       "",
	`replace(candidate("a"), sql = "b").sql`:               "b",
	`replace(5)`:                                           "error: replace: want a candidate first, not a int",
	`choice(5, "why")`:                                     "error: choice: want one of the candidates, or None, not a int",
	`vote(candidate("a"), candidate("b"), None, by = "luck")`: `error: vote: by = "luck": want execution, model or reused`,
}

// TestNoGold: no value that a method is given has an attribute, and no function a name, that speaks of the gold query.
func TestNoGold(t *testing.T) {
	n := script.AllNames()
	all := append(n.Functions, n.Templates...)
	for kind, names := range n.Attributes {
		all = append(append(all, kind), names...)
	}
	for _, name := range all {
		if strings.Contains(strings.ToLower(name), "gold") {
			t.Errorf("a method can name %q", name)
		}
	}
}

// TestParams: defaults, what an experiment sets over them, and what it may not.
func TestParams(t *testing.T) {
	check := func(state string, set map[string]any, want string) {
		t.Helper()
		d, _ := deps(nil)
		a := arm()
		a.Params = set
		f := folder(t, map[string]string{"method.star": state + "\n\ndef answer(q):\n    return str(params.x)\n"})
		p, err := script.New(f, script.Answer, script.Setup{Deps: d, Arm: a, Seed: 1})
		var got prompting.Answer
		if err == nil {
			got, err = p.Answer(t.Context(), methodtest.Question())
		}
		if err != nil && !strings.Contains(err.Error(), want) || err == nil && got.Candidates[0].SQL != want {
			t.Errorf("%s with %v: got %+v, %v, want %q", state, set, got.Candidates, err, want)
		}
	}
	check("params = defaults(x = 1)", nil, "1")
	check("params = defaults(x = 1)", map[string]any{"x": int64(3)}, "3")
	check("params = defaults(x = 1.5)", map[string]any{"x": int64(3)}, "3.0")
	check("params = defaults(x = [1])", map[string]any{"x": []any{"a", "b"}}, `["a", "b"]`)
	check("params = defaults(x = True)", map[string]any{"x": false}, "False")
	check("params = defaults(x = 1)", map[string]any{"x": "three"}, "params.x = three: it must be of the kind of its default, 1")
	check("params = defaults(x = 1)", map[string]any{"y": "passed over: the experiment's loader refuses it"}, "1")
}

// TestPromptAlone: a folder of prompt.jinja is a method of one call, with demonstrations, blocks and params' absence.
func TestPromptAlone(t *testing.T) {
	files := map[string]string{"prompt.jinja": "{% block system %}You write SQL.{% block rules %} No DISTINCT.{% endblock %}{% endblock %}" +
		"{% block user %}{% for d in demos %}{{ d.sql }};{% endfor %}{{ q.question }}{% endblock %}"}
	d, m := deps(func(llm.Request) (string, error) { return "SELECT 1", nil })
	a, err := made(t, script.Answer, files, d, arm(), 1).Answer(t.Context(), methodtest.Question())
	if err != nil || a.Candidates[0].SQL != "SELECT 1" || a.Trace[0].Stage != "generate" {
		t.Fatalf("got %+v, %v", a, err)
	}
	r := m.Asked()[0].Messages
	if len(r) != 2 || r[0].Text != "You write SQL. No DISTINCT." || strings.Count(r[1].Text, ";") != 2 {
		t.Errorf("asked %+v", r)
	}
	off := arm()
	off.Blocks = map[string]any{"rules": ""}
	if _, err := made(t, script.Answer, files, d, off, 1).Answer(t.Context(), methodtest.Question()); err != nil || m.Asked()[1].Messages[0].Text != "You write SQL." {
		t.Errorf("switched off: %+v, %v", m.Asked()[1].Messages, err)
	}
}

// TestRefusal: what a refusal of the model makes of each kind of part.
func TestRefusal(t *testing.T) {
	d, _ := deps(func(llm.Request) (string, error) { return "", &llm.Failure{Reason: "blocked"} })
	files := map[string]string{"method.star": `
def answer(q):
    return ask([user("a")])

def link(q):
    ask([user("a")])
    return q.with_columns(["Trip.Guests"])

def fix(q, c):
    ask([user("a")])
    return drop(c)

def choose(q, cs):
    ask([user("a")])
    return choice(cs[1], "the second")
`}
	q, c := methodtest.Question(), prompting.Candidate{SQL: "SELECT 1", Rule: "statement"}
	if a, err := made(t, script.Answer, files, d, arm(), 1).Answer(t.Context(), q); err != nil || a.Candidates[0].Failure != "blocked" || len(a.Trace) != 1 {
		t.Errorf("answer: %+v, %v", a, err)
	}
	if out, calls, links, err := made(t, script.Link, files, d, arm(), 1).Link(t.Context(), q); err != nil || out.Schema != q.Schema || len(calls) != 1 || links != nil {
		t.Errorf("link: %v", err)
	}
	if out, calls, keep, err := made(t, script.Fix, files, d, arm(), 1).Fix(t.Context(), q, c); err != nil || !keep || out != c || len(calls) != 1 {
		t.Errorf("fix: %+v, %v", out, err)
	}
	if out, err := made(t, script.Choose, files, d, arm(), 1).Choose(t.Context(), q, []prompting.Candidate{c, c}); err != nil || out.Index != 0 || len(out.Calls) != 1 {
		t.Errorf("choose: %+v, %v", out, err)
	}
	soft := star(`c = ask([user("a")], may_fail = True)
return "SELECT '" + c.failure + c.text + c.sql + "'"`)
	if a, err := made(t, script.Answer, soft, d, arm(), 1).Answer(t.Context(), q); err != nil || a.Candidates[0].SQL != "SELECT 'blocked'" {
		t.Errorf("may_fail: %+v, %v", a, err)
	}
}

// TestSamplesMeet: equal requests of samples are sent as one for all, one that ends early does not hold up the others, and
// more samples leave the numbers of those before as they are.
func TestSamplesMeet(t *testing.T) {
	d, m := deps(func(r llm.Request) (string, error) { return fmt.Sprintf("SELECT %d", r.Sample), nil })
	many := &batches{Scripted: m}
	d.Model = many
	a := arm()
	a.Model.Samples, a.Model.Temperature = 4, 0.5
	p := made(t, script.Answer, star("if q.sample == 1:\n    return \"early\"\nask([user(\"a\")])\nreturn ask([user(\"b\")])"), d, a, 1)
	got, err := p.Answer(t.Context(), methodtest.Question())
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"SELECT 0", "early", "SELECT 2", "SELECT 3"} {
		if c := got.Candidates[i]; c.SQL != want || c.Sample != i {
			t.Errorf("sample %d: %+v", i, c)
		}
	}
	if len(got.Trace) != 6 || fmt.Sprint(many.sizes) != "[2 2]" { // samples 2 and 3 follow each other
		t.Errorf("%d calls in the trace, together %v", len(got.Trace), many.sizes)
	}
}

// batches is a model that notes how many samples were asked for together.
type batches struct {
	*llm.Scripted
	mu    sync.Mutex
	sizes []int
}

func (b *batches) GenerateN(ctx context.Context, r llm.Request, samples []int) (out []llm.Response, err error) {
	b.mu.Lock()
	b.sizes = append(b.sizes, len(samples))
	b.mu.Unlock()
	for _, r.Sample = range samples {
		one, err := b.Generate(ctx, r)
		if err != nil {
			return out, err
		}
		out = append(out, one)
	}
	return out, nil
}

// TestErrors: an error of one sample ends the others; it tells folder, item, place and stack, and what caused it.
func TestErrors(t *testing.T) {
	end := errors.New("no such recording")
	d, _ := deps(func(r llm.Request) (string, error) {
		if r.Sample == 2 {
			return "", end
		}
		return "SELECT 1", nil
	})
	a := arm()
	a.Model.Samples, a.Model.Temperature = 4, 0.5
	files := star("return inner(q)")
	files["method.star"] = "def inner(q):\n    return ask([user(\"a\")], stage = str(q.sample))\n\n" + files["method.star"]
	_, err := made(t, script.Answer, files, d, a, 1).Answer(t.Context(), methodtest.Question())
	for _, want := range []string{"script: mine answer \"test/dev/ferry-1\"", "methods/mine/method.star:2:15", "in inner", "in answer", "no such recording"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in %v", want, err)
		}
	}
	if !errors.Is(err, end) {
		t.Errorf("the cause is lost: %v", err)
	}
	unknown, _ := deps(func(r llm.Request) (string, error) { return "", fmt.Errorf("wrapped: %w", prompting.ErrUnknown) })
	if _, err := made(t, script.Answer, files, unknown, a, 1).Answer(t.Context(), methodtest.Question()); !errors.Is(err, prompting.ErrUnknown) {
		t.Errorf("got %v", err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := made(t, script.Answer, files, d, a, 1).Answer(gone, methodtest.Question()); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestCallsPerItem: parts and samples of one question share the bound; questions do not.
func TestCallsPerItem(t *testing.T) {
	d, _ := deps(func(llm.Request) (string, error) { return "SELECT 1", nil })
	d.Calls = 3
	p := made(t, script.Answer, star("return ask([user(\"a\")], n = 2)[0]"), d, arm(), 1)
	for range 3 {
		if _, err := p.Answer(t.Context(), methodtest.Question()); err != nil {
			t.Fatal(err)
		}
	}
	one, end := script.Begin(t.Context())
	defer end()
	_, first := p.Answer(one, methodtest.Question())
	_, second := p.Answer(one, methodtest.Question())
	if first != nil || second == nil || !strings.Contains(second.Error(), "more than 3 completions about one question: raise limits.calls_per_item") {
		t.Errorf("got %v, then %v", first, second)
	}
}

// TestSeeds: parts of one name draw alike whatever the arm; another stage, item or seed draws otherwise; greedy requests
// carry none.
// TestSeveralOfASample: samples that each ask for several completions share none of them.
func TestSeveralOfASample(t *testing.T) {
	d, model := deps(func(llm.Request) (string, error) { return "SELECT 1", nil })
	a := arm()
	a.Model.Samples = 3
	p := made(t, script.Answer, star("return ask([user(\"a\")], n = 2)[0]"), d, a, 1)
	if _, err := p.Answer(t.Context(), methodtest.Question()); err != nil {
		t.Fatal(err)
	}
	var numbers []int
	for _, r := range model.Asked() {
		numbers = append(numbers, r.Sample)
	}
	slices.Sort(numbers)
	if !slices.Equal(numbers, []int{0, 1, 2, 3, 4, 5}) {
		t.Errorf("got the completions %v", numbers)
	}
}

func TestSeeds(t *testing.T) {
	sent := func(arm configs.Arm, seed int64, stage string) int64 {
		d, m := deps(func(llm.Request) (string, error) { return "SELECT 1", nil })
		if _, err := made(t, script.Answer, star("return ask([user(\"a\")], stage = \""+stage+"\")"), d, arm, seed).Answer(t.Context(), methodtest.Question()); err != nil {
			t.Fatal(err)
		}
		if s := m.Asked()[0].Params.Seed; s != nil {
			return *s
		}
		return 0
	}
	warm := arm()
	warm.Model.Temperature = 0.5
	other := warm
	other.Name, other.Schema.Format = "other", "apidocs"
	if a, b := sent(warm, 1, "x"), sent(other, 1, "x"); a != b || a == 0 {
		t.Errorf("two arms draw %d and %d", a, b)
	}
	if a := sent(warm, 1, "x"); a == sent(warm, 2, "x") || a == sent(warm, 1, "y") {
		t.Error("another seed or stage draws the same")
	}
	if sent(arm(), 1, "x") != 0 {
		t.Error("a greedy request carries a seed")
	}
}

// TestPrepare: what prepare() returns is made once a question, and shared by samples as it is.
func TestPrepare(t *testing.T) {
	d, m := deps(func(llm.Request) (string, error) { return "SELECT 1", nil })
	a := arm()
	a.Model.Samples = 3
	check := func(body, want string) {
		t.Helper()
		files := map[string]string{"method.star": "def prepare(q):\n    return [ask([user(\"p\")])]\n\ndef answer(q, p):\n    " + body + "\n"}
		_, err := made(t, script.Answer, files, d, a, 1).Answer(t.Context(), methodtest.Question())
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: got %v, want %q", body, err, want)
		}
	}
	check("return p[0]", "")
	if n := len(m.Asked()); n != 1 {
		t.Errorf("asked %d times", n)
	}
	check("return p[0].sql", "")
	check("p.append(1)", "frozen")
	check("p[0].note(\"x\")", "the completion is of prepare(), and samples share it")
}

// TestTimer: the clock is the one given.
func TestTimer(t *testing.T) {
	d, _ := deps(nil)
	now := time.Unix(0, 0)
	d.Now = func() time.Time { now = now.Add(time.Minute); return now }
	a, err := made(t, script.Answer, star("t = timer(150)\nreturn str([t.over, t.over, t.over, timer(0).over])"), d, arm(), 1).Answer(t.Context(), methodtest.Question())
	if err != nil || a.Candidates[0].SQL != "[False, False, True, False]" {
		t.Errorf("got %+v, %v", a.Candidates, err)
	}
}

// TestConcurrentQuestions: one part answers many questions at once as it does one.
func TestConcurrentQuestions(t *testing.T) {
	d, _ := deps(nil)
	p := made(t, script.Answer, star("return ask([user(q.id + str(len(q.schema.tables)) + str([x.sql for x in demos(q)]))]).text"), d, arm(), 1)
	var group sync.WaitGroup
	for i := range 40 {
		group.Go(func() {
			q := methodtest.Question()
			q.ID, q.Database = fmt.Sprint("item-", i, " "), engine.DB{}
			if a, err := p.Answer(t.Context(), q); err != nil || !strings.HasPrefix(a.Candidates[0].SQL, q.ID+"2[") {
				t.Errorf("got %+v, %v", a.Candidates, err)
			}
		})
	}
	group.Wait()
}
