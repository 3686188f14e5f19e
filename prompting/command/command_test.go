package command

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"assay/configs"
	"assay/prompting"
	"assay/prompting/llm"
	"assay/prompting/methods"
	"assay/prompting/methodtest"
	"assay/prompting/process"
	"assay/prompting/script"
)

// modeEnv says which of the programs the test binary is; unset: the tests.
const modeEnv = "COMMAND_TEST_MODE"

func TestMain(m *testing.M) {
	if mode := os.Getenv(modeEnv); mode != "" {
		programOf(mode)
		return
	}
	os.Exit(m.Run())
}

// asks sends a prompt to the item's address and returns the status and the completion.
func asks(in Item, prompt string) (int, string) {
	body, _ := json.Marshal(map[string]any{"model": in.Model, "messages": []map[string]string{{"role": "user", "content": prompt}}})
	r, _ := http.NewRequest(http.MethodPost, in.BaseURL+"/chat/completions", strings.NewReader(string(body)))
	r.Header.Set("Authorization", "Bearer "+in.Key)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, err.Error()
	}
	defer resp.Body.Close()
	var out struct {
		Choices []struct{ Message struct{ Content string } }
	}
	_ = json.NewDecoder(resp.Body).Decode(&out)
	if len(out.Choices) == 0 {
		return resp.StatusCode, ""
	}
	return resp.StatusCode, out.Choices[0].Message.Content
}

// index is what a program got for the texts that it embedded as it started.
var index string

// embeds asks for vectors outside of items, and returns the status and the numbers.
func embeds(texts ...string) (int, string) {
	body, _ := json.Marshal(map[string]any{"model": "e", "input": texts})
	r, _ := http.NewRequest(http.MethodPost, os.Getenv("OPENAI_BASE_URL")+"/embeddings", strings.NewReader(string(body)))
	r.Header.Set("Authorization", "Bearer "+os.Getenv("OPENAI_API_KEY"))
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, err.Error()
	}
	defer resp.Body.Close()
	var out struct {
		Data []struct{ Embedding []float64 }
	}
	_ = json.NewDecoder(resp.Body).Decode(&out)
	if len(out.Data) != len(texts) {
		return resp.StatusCode, ""
	}
	return resp.StatusCode, fmt.Sprint(len(out.Data[0].Embedding), out.Data[1].Embedding[:2])
}

// replies are the programs: each answers one item, number n of its process.
var replies = map[string]func(in Item, n int) string{
	"ask": func(in Item, _ int) string {
		_, text := asks(in, in.Schema+"\n"+in.Question)
		return said(in, text)
	},
	"twice": func(in Item, _ int) string { // the same prompt, twice
		_, a := asks(in, "p")
		_, b := asks(in, "p")
		return said(in, a, b)
	},
	"fixed": func(in Item, _ int) string { return said(in, "SELECT 1") },
	"env":   func(in Item, _ int) string { return said(in, strings.Join(os.Environ(), " ")) },
	"line":  func(in Item, _ int) string { b, _ := json.Marshal(in); return said(in, string(b)) },
	"none":  func(in Item, _ int) string { return said(in) },
	"blank": func(in Item, _ int) string { return said(in, " ") },
	"sources": func(in Item, _ int) string {
		return fmt.Sprintf(`{"id": %q, "candidates": ["a", {"sql": "b", "source": "s"}], "chosen": 1, "note": "n"}`, in.ID)
	},
	"error": func(in Item, _ int) string { return fmt.Sprintf(`{"id": %q, "error": "no idea"}`, in.ID) },
	"crash": func(Item, int) string { fmt.Fprintln(os.Stderr, "\x1b[31mboom"); os.Exit(3); return "" },
	"second": func(in Item, n int) string {
		if n > 0 {
			os.Exit(4)
		}
		return said(in, "SELECT 1")
	},
	"late": func(in Item, n int) string {
		if n > 0 {
			time.Sleep(time.Hour)
		}
		return said(in, "SELECT 1")
	},
	"hang":     func(Item, int) string { time.Sleep(time.Hour); return "" },
	"text":     func(Item, int) string { return "SELECT 1" },
	"other":    func(Item, int) string { return `{"id": "x", "candidates": []}` },
	"empty":    func(in Item, _ int) string { return fmt.Sprintf(`{"id": %q}`, in.ID) },
	"typo":     func(in Item, _ int) string { return fmt.Sprintf(`{"id": %q, "candidate": []}`, in.ID) },
	"both":     func(in Item, _ int) string { return fmt.Sprintf(`{"id": %q, "candidates": [], "error": "x"}`, in.ID) },
	"beyond":   func(in Item, _ int) string { return fmt.Sprintf(`{"id": %q, "candidates": ["a"], "chosen": 1}`, in.ID) },
	"number":   func(in Item, _ int) string { return fmt.Sprintf(`{"id": %q, "candidates": [1]}`, in.ID) },
	"nosql":    func(in Item, _ int) string { return fmt.Sprintf(`{"id": %q, "candidates": [{"source": "s"}]}`, in.ID) },
	"twolines": func(in Item, _ int) string { return said(in, "a") + "\n" + said(in, "b") },
	"latin1":   func(in Item, _ int) string { return strings.Replace(said(in, "S!"), "S!", "S\xe9", 1) },
	"many":     func(in Item, _ int) string { return said(in, make([]string, mostCandidates+1)...) },
	"index":    func(in Item, _ int) string { return said(in, index) },
	"ready":    func(in Item, _ int) string { return said(in, "SELECT 1") },
	"unready":  func(in Item, _ int) string { return said(in, "SELECT 1") },
	"caught": func(in Item, _ int) string { // a program that hides that it had no completion
		status, _ := asks(in, "p")
		return said(in, fmt.Sprintf("SELECT %d", status))
	},
}

// said is an answer with these candidates.
func said(in Item, sql ...string) string {
	b, _ := json.Marshal(map[string]any{"id": in.ID, "candidates": append([]string{}, sql...)})
	return string(b)
}

// programOf is a program.
func programOf(mode string) {
	switch mode {
	case "ready":
		fmt.Println(`{"ready": true, "version": "2.1"}`)
	case "index":
		status, answer := embeds("first", "second")
		if status != http.StatusOK {
			fmt.Fprintln(os.Stderr, status, answer)
			os.Exit(5)
		}
		index = answer
		fmt.Println(`{"ready": true}`)
	case "unready":
		fmt.Println("Loading checkpoint shards")
	}
	lines := bufio.NewReader(os.Stdin)
	for n := 0; ; n++ {
		text, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var in Item
		if err := json.Unmarshal(text, &in); err != nil {
			fmt.Println(err)
		}
		fmt.Println(replies[mode](in, n))
	}
}

// arm is one whose program is this.
func arm(mode string, samples int) configs.Arm {
	self, _ := os.Executable()
	a := methodtest.Arm("standard", "createtable", 0)
	a.Name, a.Method, a.Row = mode, Row.ID, Row
	a.Model.Samples = samples
	a.Program = configs.Program{Command: []string{self}, Dir: os.TempDir(), Env: map[string]string{modeEnv: mode}}
	return a
}

// world is a host with a model.
type world struct {
	*testing.T
	host  *Host
	model *llm.Scripted
}

func newWorld(t *testing.T) world {
	t.Helper()
	w := world{t, NewHost(Options{Allowed: true, Workers: 2}), &llm.Scripted{Reply: func(r llm.Request) (string, error) {
		return fmt.Sprintf("SELECT %d", r.Sample), nil
	}}}
	t.Cleanup(func() {
		if err := w.host.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

// answer answers a question by the arm's program.
func (w world) answer(ctx context.Context, a configs.Arm, m llm.Model) (prompting.Answer, error) {
	w.Helper()
	return w.with(ctx, a, prompting.Deps{Model: m})
}

// with answers a question by the arm's program with these parts.
func (w world) with(ctx context.Context, a configs.Arm, d prompting.Deps) (prompting.Answer, error) {
	w.Helper()
	d.Author = llm.Author{Provider: "scripted", Model: "one"}
	s := script.Setup{Deps: d, Arm: a, Seed: 7, Open: methods.Open}
	method, err := w.host.Method(s)
	if err != nil {
		w.Fatal(err)
	}
	return method.Answer(ctx, methodtest.Question())
}

// TestAnswer: what comes of the answers that a program may give.
func TestAnswer(t *testing.T) {
	w := newWorld(t)
	check := func(mode string, samples int, want ...string) prompting.Answer {
		t.Helper()
		a, err := w.answer(t.Context(), arm(mode, samples), w.model)
		if err != nil {
			t.Fatalf("%s: %v", mode, err)
		}
		var got []string
		for _, c := range a.Candidates {
			got = append(got, fmt.Sprintf("%d %s|%s|%s|%s", c.Sample, c.Generator, c.SQL, c.Rule, c.Failure))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", mode, got, want)
		}
		return a
	}
	check("fixed", 1, "0 command|SELECT 1|command|")
	check("none", 1, "0 command||no candidate|")
	check("blank", 1, "0 command||no candidate|")
	check("error", 2, "0 command|||command: no idea", "1 command|||command: no idea")
	a := check("sources", 1, "0 command|a|command|", "0 s|b|command|")
	if a.Chosen != 1 || a.Why != "n" {
		t.Errorf("sources: chosen %d, why %q", a.Chosen, a.Why)
	}
	a = check("ask", 2, "0 command|SELECT 0|command|", "1 command|SELECT 1|command|")
	if len(a.Trace) != 2 || a.Trace[0].Sample != 0 || a.Trace[1].Sample != 1 || a.Trace[0].Key == "" {
		t.Errorf("ask: trace %+v", a.Trace)
	}
	check("twice", 2, "0 command|SELECT 0|command|", "0 command|SELECT 10000|command|", "1 command|SELECT 1|command|", "1 command|SELECT 10001|command|")
}

// TestFailures: a program that fails loses its item, with the reason, and the next item has a new process.
func TestFailures(t *testing.T) {
	w := newWorld(t)
	check := func(mode string, want ...string) {
		t.Helper()
		x := arm(mode, 1)
		x.Timeout = configs.Duration(2 * time.Second)
		a, err := w.answer(t.Context(), x, w.model)
		if err != nil || len(a.Candidates) != 1 {
			t.Fatalf("%s: %v, %v", mode, a.Candidates, err)
		}
		for _, part := range want {
			if !strings.Contains(a.Candidates[0].Failure, part) {
				t.Errorf("%s: %q has no %q", mode, a.Candidates[0].Failure, part)
			}
		}
	}
	check("crash", "exit status 3", "boom")
	check("text", "no JSON object", `it wrote "SELECT 1"`)
	check("other", `its id is "x"`)
	check("empty", "it has no candidates")
	check("typo", `unknown field "candidate"`)
	check("both", "both candidates and an error")
	check("beyond", "chosen is 1, and there are 1 candidates")
	check("number", "cannot unmarshal number")
	check("nosql", "a candidate is a text, or an object with sql and source")
	check("latin1", "it is not UTF-8")
	check("many", "1001 candidates, and 1000 are the most")
}

// TestLater: a program that fails after its first answer, which a host with one process asks twice.
func TestLater(t *testing.T) {
	check := func(mode, want string) {
		t.Helper()
		w := newWorld(t)
		w.host.o.Workers = 1
		x := arm(mode, 1)
		x.Timeout = configs.Duration(time.Second)
		for n := range 2 {
			a, err := w.answer(t.Context(), x, w.model)
			if err != nil || (n == 1) != strings.Contains(a.Candidates[0].Failure, want) {
				t.Errorf("%s: item %d: %+v, %v", mode, n, a.Candidates, err)
			}
			time.Sleep(100 * time.Millisecond) // for the line that nobody asked for
		}
	}
	check("late", "did not answer in time")
	check("twolines", "was not asked for")
}

// TestOldAge: an item that a process ends at is asked again of a new one, where the process had answered others.
func TestOldAge(t *testing.T) {
	w := newWorld(t)
	for range 3 {
		a, err := w.answer(t.Context(), arm("second", 1), w.model)
		if err != nil || a.Candidates[0].SQL != "SELECT 1" {
			t.Fatalf("%+v, %v", a.Candidates, err)
		}
	}
}

// TestStops: a program that only fails ends the run, with how it fails; so does one that is not there.
func TestStops(t *testing.T) {
	w := newWorld(t)
	var err error
	for n := range mostFailed {
		if err != nil {
			t.Fatalf("after %d failures: %v", n, err)
		}
		_, err = w.answer(t.Context(), arm("crash", 1), w.model)
	}
	if err == nil || !strings.Contains(err.Error(), "failed 10 times in a row") || !strings.Contains(err.Error(), "boom") {
		t.Errorf("got %v", err)
	}
	gone := arm("fixed", 1)
	gone.Name, gone.Command = "gone", []string{"no-such-program"}
	if _, err := w.answer(t.Context(), gone, w.model); err == nil || !strings.Contains(err.Error(), "cannot be started") {
		t.Errorf("got %v", err)
	}
}

// TestStart: what a program says when it is ready.
func TestStart(t *testing.T) {
	w := newWorld(t)
	check := func(mode string, startup time.Duration, version, want string) {
		t.Helper()
		a := arm(mode, 1)
		a.Startup = configs.Duration(startup)
		got, err := w.host.Version(t.Context(), a)
		if got != version || (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %q, %v; want %q, %q", mode, got, err, version, want)
		}
	}
	check("ready", time.Minute, "2.1", "")
	check("fixed", 0, "", "")
	check("unready", time.Minute, "", "Loading checkpoint shards")
	check("hang", 100*time.Millisecond, "", "ready")
}

// TestEnvironment: a program has no secrets of this process, and the address of its own.
func TestEnvironment(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "planted-key")
	t.Setenv("GITHUB_TOKEN", "planted-token")
	t.Setenv("HTTP_PROXY", "http://planted@proxy")
	w := newWorld(t)
	a := arm("env", 1)
	a.Env["SHOTS"] = "4"
	got, err := w.answer(t.Context(), a, w.model)
	if err != nil {
		t.Fatal(err)
	}
	env := got.Candidates[0].SQL
	for _, want := range []string{"PATH=", "SHOTS=4", "OPENAI_BASE_URL=http://127.0.0.1:", "ANTHROPIC_BASE_URL=http://127.0.0.1:", "OPENAI_API_KEY=assay-"} {
		if !strings.Contains(env, want) {
			t.Errorf("no %s in %s", want, env)
		}
	}
	if strings.Contains(env, "planted") {
		t.Errorf("a secret in %s", env)
	}
}

// TestItem: the line that a program reads.
func TestItem(t *testing.T) {
	w := newWorld(t)
	a := arm("line", 1)
	a.Params = map[string]any{"rounds": int64(2), "fix": map[string]any{"x": 1}}
	got, err := w.answer(t.Context(), a, w.model)
	if err != nil {
		t.Fatal(err)
	}
	var in Item
	if err := json.Unmarshal([]byte(got.Candidates[0].SQL), &in); err != nil {
		t.Fatal(err)
	}
	q := methodtest.Question()
	if in.ID != q.ID || in.Question != q.Text || in.DB != q.DB || in.Seed != 7 || in.Samples != 1 || in.Model != "one" {
		t.Errorf("%+v", in)
	}
	if len(in.Params) != 1 || in.Params["rounds"] != 2.0 {
		t.Errorf("params %v", in.Params)
	}
	if len(in.Tables) != len(q.Schema.Tables) || !strings.Contains(in.Schema, "CREATE TABLE") {
		t.Errorf("tables %+v, schema %q", in.Tables, in.Schema)
	}
}

// unknown knows no completion.
type unknown struct{}

func (unknown) Generate(context.Context, llm.Request) (llm.Response, error) {
	return llm.Response{}, prompting.ErrUnknown
}

// TestUnknown: whatever a program makes of a completion that nobody has, it has no answer; the other samples are asked.
func TestUnknown(t *testing.T) {
	w := newWorld(t)
	for _, mode := range []string{"caught", "ask"} {
		a, err := w.answer(t.Context(), arm(mode, 3), unknown{})
		if !errors.Is(err, prompting.ErrUnknown) {
			t.Errorf("%s: %v, %v", mode, a, err)
		}
	}
}

// TestRefused: nothing starts unless it is allowed, and the error says what would.
func TestRefused(t *testing.T) {
	w := world{t, NewHost(Options{}), &llm.Scripted{}}
	defer w.host.Close()
	a := arm("fixed", 1)
	_, err := w.answer(t.Context(), a, w.model)
	for _, want := range []string{process.CommandLine(a.Command), a.Dir, "--allow-commands"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v has no %q", err, want)
		}
	}
	a.Startup = configs.Duration(time.Second)
	if _, err := w.host.Version(t.Context(), a); err == nil {
		t.Error("the version was asked for")
	}
}

// TestCancelled: a cancelled run does not wait for its programs.
func TestCancelled(t *testing.T) {
	w := newWorld(t)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(200*time.Millisecond, cancel)
	if _, err := w.answer(ctx, arm("hang", 1), w.model); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// constant is vectors of two numbers; unknown ones where it is 0.
type constant float32

func (c constant) Embed(_ context.Context, texts []string) (out [][]float32, err error) {
	if c == 0 {
		return nil, prompting.ErrUnknown
	}
	for i := range texts {
		out = append(out, []float32{float32(c), float32(i)})
	}
	return out, nil
}

// TestVectorsAtTheStart: what a process embeds before its first item is by the vectors of the point that it answers for, it
// is no failure of the program that a forecast lacks them, and a process that was started for its version has none.
func TestVectorsAtTheStart(t *testing.T) {
	w := newWorld(t)
	a := arm("index", 1)
	a.Startup = configs.Duration(10 * time.Second)
	a.Embeddings = configs.Embeddings{Provider: "scripted", Name: "e"}
	if _, err := w.host.Version(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	check := func(what string, e llm.Embedder, want string) {
		t.Helper()
		got, err := w.with(t.Context(), a, prompting.Deps{Model: w.model, Embedder: e, EmbedderName: "e"})
		if err != nil || got.Candidates[0].SQL != want {
			t.Errorf("%s: %+v %v, want %q", what, got.Candidates, err, want)
		}
	}
	check("one model's", constant(3), "2 [3 1]")
	check("another's", constant(4), "2 [4 1]")
	check("the first again", constant(3), "2 [3 1]")
	if got := w.host.Offline(); got != nil {
		t.Errorf("the offline vectors are said to have answered %q", got)
	}
	for range mostFailed + 1 {
		if _, err := w.with(t.Context(), a, prompting.Deps{Model: w.model, Embedder: constant(0), EmbedderName: "e"}); !errors.Is(err, prompting.ErrUnknown) {
			t.Fatalf("vectors that are not known: %v", err)
		}
	}
	if _, err := w.with(t.Context(), a, prompting.Deps{Model: w.model}); err != nil || !slices.Equal(w.host.Offline(), []string{"index"}) {
		t.Errorf("the offline vectors: %v, named for %q", err, w.host.Offline())
	}
}

// TestLog: what programs write to standard error reaches the file, whenever that is opened, and steers no terminal.
func TestLog(t *testing.T) {
	w := newWorld(t)
	var mu sync.Mutex
	var file strings.Builder
	a := arm("crash", 1)
	open := func(string) (io.Writer, error) {
		return writeFunc(func(b []byte) (int, error) { mu.Lock(); defer mu.Unlock(); return file.Write(b) }), nil
	}
	if _, err := w.answer(t.Context(), a, w.model); err != nil {
		t.Fatal(err)
	}
	w.host.LogTo([]configs.Arm{a}, open)
	mu.Lock()
	defer mu.Unlock()
	if file.String() != "?[31mboom\n" {
		t.Errorf("%q", file.String())
	}
}

type writeFunc func([]byte) (int, error)

func (f writeFunc) Write(b []byte) (int, error) { return f(b) }

// FuzzParse: whatever a program writes is an answer to its item, or is refused with a reason.
func FuzzParse(f *testing.F) {
	for _, s := range []string{`{"id":"a","candidates":["x"]}`, `{"id":"a","candidates":[{"sql":"x","source":"y"}],"chosen":0}`, `{"id":"a","error":"e"}`, `{}`, `null`, `{"id":"a","candidates":null}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		a, why := parse(line, "a")
		if why == "" && (a.ID != "a" || a.Candidates == nil && a.Error == "" || a.Candidates != nil && a.Chosen >= max(len(*a.Candidates), 1)) {
			t.Errorf("%q is taken: %+v", line, a)
		}
	})
}

// pageRow matches the names that a row of a table on the page begins with.
var pageRow = regexp.MustCompile("(?m)^\\| ((?:`[a-z_]+` ?)+)\\|")

// TestPageHasEveryField: the tables of METHODS.md name each field that a program reads and writes, and no other.
func TestPageHasEveryField(t *testing.T) {
	page, err := os.ReadFile("../../configs/METHODS.md")
	if err != nil {
		t.Fatal(err)
	}
	check := func(heading string, of any) {
		t.Helper()
		_, rest, _ := strings.Cut(string(page), "\n### "+heading+"\n")
		rest, _, _ = strings.Cut(rest, "\n### ")
		var got, want []string
		for _, m := range pageRow.FindAllStringSubmatch(rest, -1) {
			got = append(got, strings.Fields(strings.ReplaceAll(m[1], "`", ""))...)
		}
		b, err := json.Marshal(of)
		if err != nil {
			t.Fatal(err)
		}
		var fields map[string]any
		if err := json.Unmarshal(b, &fields); err != nil {
			t.Fatal(err)
		}
		for name := range fields {
			want = append(want, name)
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: the page has %q, and there are %q", heading, got, want)
		}
	}
	check("What a program reads", Item{})
	check("What a program answers", answer{})
}
