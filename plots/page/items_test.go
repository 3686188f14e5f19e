package page

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"assay/configs"
	"assay/experiments/record"
	"assay/metrics"
)

// hostile are texts that must stay texts wherever they come from.
const (
	hostileScript = `<script>document.body.dataset.hacked = 'by a script'</script>`
	hostileEnd    = `</script><script>document.body.dataset.hacked = 'by an end'</script><!--`
	hostileImage  = `"><img src=x onerror="document.body.dataset.hacked = 'by an image'">`
	surrogate     = "lone \xed\xa0\x80 and \xff bytes, \u2028 and \u202e"
)

// demo is a run of three items under two arms: plain answers with one call, pool chooses among three candidates, of
// which one was mended; the third item is a dialogue under plain.
func demo() Page {
	r := &record.Run{Manifest: record.Manifest{ID: "0123", Experiment: "demo", Complete: true, Dataset: "sample/dev", Items: 3,
		Metrics: []record.Metric{{ID: "ex", Fingerprint: "ex of a test"}}, Warnings: []string{"a doubt " + hostileImage}},
		Config: map[string]any{"name": hostileEnd}}
	r.Resolved.Arms = []configs.Arm{{Name: "plain"}, {Name: "pool", Label: "Pool " + hostileScript}}
	question := func(i int, text, gold, hardness string) {
		r.Questions = append(r.Questions, record.Question{Item: fmt.Sprintf("sample/dev/%d", i), DB: "zoo", Question: text, Evidence: hostileScript,
			Gold: gold, Hardness: hardness, GoldDigest: "g"})
		r.Results = append(r.Results, record.Result{Item: fmt.Sprintf("sample/dev/%d", i), Digest: "g", Rows: 2, Preview: `[["name"],["Ada"],["Bo"]]`},
			record.Result{Item: fmt.Sprintf("sample/dev/%d", i), Digest: "b", Rows: 1, Preview: `[["name"],["<b>Ada</b>"]]`})
	}
	// The features are not those of the queries, which a page does not parse.
	question(1, "Who keeps the lions?", "SELECT name FROM keepers WHERE animal = 'lion'", "easy")
	question(2, "Who is "+hostileImage+" here?", "SELECT name FROM keepers", "hard")
	question(3, surrogate, "SELECT count(*) FROM keepers", "hard")
	r.Questions[0].Features, r.Questions[1].Features = "joins=3 limit=1", "predicates=1"
	r.Columns = []record.Column{{DB: "zoo", Table: "keepers", Column: "name"}, {DB: "zoo", Table: "animals", Column: "kind"}}
	texts := map[string]Exchange{}
	call := func(c record.Call, completion string) {
		c.Key = fmt.Sprintf("key %d", len(r.Calls))
		texts[c.Key] = Exchange{Messages: []Message{{"system", "Write SQL."}, {"user", "Before.\n\n# keepers (name, animal)\n# animals (kind)\n#\nQuestion " + hostileEnd}}, Completion: completion, Finish: "stop"}
		r.Calls = append(r.Calls, c)
	}
	for i := 1; i <= 3; i++ {
		id := fmt.Sprintf("sample/dev/%d", i)
		status := []metrics.Status{"", metrics.Correct, metrics.Wrong, metrics.SQLError}[i]
		sql := "SELECT name FROM keepers WHERE animal = 'tiger'"
		r.Items = append(r.Items, record.Item{Item: id, DB: "zoo", Arm: "plain", Status: status, SQL: sql, Values: []record.Value{{V: 1, OK: true}}, PromptTokens: record.CountOf(7), CompletionTokens: record.CountOf(5)},
			record.Item{Item: id, DB: "zoo", Arm: "pool", Status: metrics.Wrong, SQL: hostileScript, Values: []record.Value{{OK: true}}, Choice: "pairwise"})
		r.Candidates = append(r.Candidates, record.Candidate{Item: id, Arm: "plain", Generator: "plain", Status: status, SQL: sql, Digest: "g", Chosen: 1, Rule: "tag"},
			record.Candidate{Item: id, Arm: "pool", Sample: 0, Generator: "qp", Status: metrics.Wrong, SQL: hostileScript, Digest: "b", Chosen: 1, Why: "1 row, the gold query has 2"},
			record.Candidate{Item: id, Arm: "pool", Sample: 1, Generator: "qp", Status: metrics.Correct, SQL: "SELECT name FROM keepers", Digest: "g",
				Trigger: "error", Tries: 2, Fixed: 1, Original: "SELECT nam FROM keepers", OriginalStatus: metrics.SQLError},
			record.Candidate{Item: id, Arm: "pool", Sample: 0, Generator: "dc", Status: metrics.NoSQL})
		r.Dropped = append(r.Dropped, record.Candidate{Item: id, Arm: "pool", Sample: 2, Generator: "qp", Status: metrics.SQLError, SQL: "SELECT dropped"})
		r.Votes = append(r.Votes, record.Vote{Item: id, Arm: "pool", A: 0, B: 1, Winner: 0, DecidedBy: "model", Key: fmt.Sprintf("key %d", len(r.Calls)+2)},
			record.Vote{Item: id, Arm: "pool", A: 1, B: 9, Winner: -1, DecidedBy: "model"})
		r.Links = append(r.Links, record.Link{Item: id, Arm: "pool", Stage: "values", Values: `[["keepers","animal","lion"]]`}, record.Link{Item: id, Arm: "pool", Stage: "values", Values: `{"no": "list"}`})
		if i < 3 {
			call(record.Call{Item: id, Arm: "plain", Stage: "generate", Note: "a note"}, hostileEnd+strings.Repeat("x", 200_000*(i-1)))
		} else {
			call(record.Call{Item: id, Arm: "plain", Stage: "turn 1", Observation: "what the tool said " + hostileScript}, "Thought: I look.\nAction: Look()")
		}
		call(record.Call{Item: id, Arm: "pool", Stage: "qp: generate"}, hostileScript)
		call(record.Call{Item: id, Arm: "pool", Stage: "choose"}, "A")
		call(record.Call{Item: id, Arm: "pool", Stage: "qp: generate", Sample: 1}, surrogate)
	}
	return Page{Title: "demo-0123 " + hostileImage, Run: r, Texts: func(key string, _ bool) (Exchange, bool, error) {
		x, ok := texts[key]
		return x, ok, nil
	}}
}

func render1(t testing.TB, p Page) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, p); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

var blockPattern = regexp.MustCompile(`<script type="text/plain" id="([a-z0-9-]+)">([A-Za-z0-9+/=]+)</script>`)

// unpack reads the page's blocks as the script does.
func unpack(t testing.TB, html string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, m := range blockPattern.FindAllStringSubmatch(html, -1) {
		raw, err := base64.StdEncoding.DecodeString(m[2])
		if err != nil {
			t.Fatalf("block %s: %v", m[1], err)
		}
		z, err := gzip.NewReader(bytes.NewReader(raw))
		if err != nil {
			t.Fatalf("block %s: %v", m[1], err)
		}
		var b bytes.Buffer
		if _, err := b.ReadFrom(z); err != nil || !json.Valid(b.Bytes()) {
			t.Fatalf("block %s is no JSON: %v", m[1], err)
		}
		out[m[1]] = b.String()
	}
	return out
}

func TestPageOfARun(t *testing.T) {
	html := render1(t, demo())
	check := func(want string, times int) {
		t.Helper()
		if got := strings.Count(html, want); got != times {
			t.Errorf("%q stands %d times, want %d", want, got, times)
		}
	}
	check("<img", 0)
	check("'by a", 0)
	check("a doubt &#34;&gt;&lt;img", 1)
	check("ex of a test", 1)
	check("<script>", 2)
	check("</script>", strings.Count(html, "<script"))
	check(`<script type="text/plain"`, len(unpack(t, html)))
	check("script-src 'sha256-", 1)
	check("default-src 'none'", 1)
	check("The prompts and completions of all 12 different calls are on this page.", 1)
	check("http:", 0)
	check("https:", 0)
	if html != render1(t, demo()) {
		t.Error("two writings of the same page differ")
	}
	blocks := unpack(t, html)
	for _, name := range []string{"index", "present", "rows0", "texts0-0", "texts1-0", "texts2-0", "texts3-0", "texts4-0"} {
		if blocks[name] == "" {
			t.Errorf("no block %s", name)
		}
	}
	if !strings.Contains(blocks["index"], "lone \uFFFD\uFFFD\uFFFD and \uFFFD bytes") && !strings.Contains(blocks["index"], `lone \ufffd`) {
		t.Errorf("bytes that are not UTF-8 stand in the index: %q", blocks["index"])
	}
}

// TestWorkersLeaveNoTrace is the promise that the same run gives the same bytes, however many build it.
func TestWorkersLeaveNoTrace(t *testing.T) {
	run, texts := bigRun(80, 6)
	p := Page{Title: "big", Run: run, Texts: texts, Budget: 500_000}
	many := render1(t, p)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	if one := render1(t, p); one != many {
		t.Error("the page depends on the number of processors")
	}
}

func TestBudget(t *testing.T) {
	run, texts := bigRun(60, 12)
	full := render1(t, Page{Run: run, Texts: texts})
	bare := render1(t, Page{Run: run, NoTexts: "of a test"})
	facts := func(budget int, want ...string) {
		t.Helper()
		html := render1(t, Page{Run: run, Texts: texts, Budget: budget})
		if len(html) > max(budget, len(bare)+2048) {
			t.Errorf("the page of %d bytes is above its bound %d", len(html), budget)
		}
		for _, w := range want {
			if !strings.Contains(html, w) {
				t.Errorf("with %d bytes the page does not say %q", budget, w)
			}
		}
	}
	facts(len(full)+10_000, "completions of all ")
	facts(len(full)*3/4, "this page has what led to the chosen answers, the completions of other candidates", "MB it leaves out the prompts of")
	facts(len(bare)+40_000, "it leaves out ", " of 60 items, the completions of ")
	facts(1, "this page has a part", "To stay under 0.000001 MB")
	if !strings.Contains(bare, "are not on this page: of a test.") {
		t.Error("the page does not say why it has no texts")
	}
	for name := range unpack(t, bare) {
		if strings.HasPrefix(name, "texts") {
			t.Errorf("the page without texts has the block %s", name)
		}
	}
}

func TestTextsFail(t *testing.T) {
	p := demo()
	p.Texts = func(string, bool) (Exchange, bool, error) { return Exchange{}, false, errors.New("no disk") }
	if err := Write(&bytes.Buffer{}, p); err == nil || !strings.HasSuffix(err.Error(), ": no disk") {
		t.Errorf("error %v", err)
	}
	p.Texts = func(string, bool) (Exchange, bool, error) { return Exchange{}, false, nil }
	if html := render1(t, p); !strings.Contains(html, "The ledger lacks 12 of the calls.") {
		t.Error("the page does not say what the ledger lacks")
	}
}

// TestFinish: each call has with it why its completion ended, where that is known.
func TestFinish(t *testing.T) {
	p := demo()
	p.Run.Calls[0].Finish = "length"
	var rows groupRows
	if err := json.Unmarshal([]byte(unpack(t, render1(t, p))["rows0"]), &rows); err != nil {
		t.Fatal(err)
	}
	check := func(answer, call int, want string) {
		t.Helper()
		calls := rows.Items[0].Rows[answer].Calls
		if got := rows.S[calls[len(calls)-1][call]]; got != want {
			t.Errorf("call %d of answer %d ended by %q, want %q", call, answer, got, want)
		}
	}
	check(0, 0, "length")
	check(1, 0, "")
	check(1, 2, "")
}

// TestOddRuns are runs that no run of assay is, and that must not fail the page.
func TestOddRuns(t *testing.T) {
	r := &record.Run{Rows: record.Rows{Items: []record.Item{{Item: "x", Arm: "a"}}, Calls: []record.Call{{Item: "gone", Key: "k"}},
		Votes: []record.Vote{{Item: "x", Arm: "a", A: -1, B: 5}}}}
	for _, run := range []*record.Run{{}, r} {
		unpack(t, render1(t, Page{Run: run, Texts: func(string, bool) (Exchange, bool, error) { return Exchange{}, true, nil }}))
	}
}

// TestScript holds the script to its own rules: small, and data on the page as text alone.
func TestScript(t *testing.T) {
	code := string(script())
	lines := 0
	for l := range strings.Lines(code) {
		if strings.TrimSpace(l) != "" {
			lines++
		}
	}
	if lines > 900 {
		t.Errorf("the script has %d lines of code", lines)
	}
	for _, bad := range []string{"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", "</script", "<!--", "fetch(", "import(", "setAttributeNS", ".src"} {
		if strings.Contains(code, bad) {
			t.Errorf("the script has %q", bad)
		}
	}
}

func TestChunks(t *testing.T) {
	var c chunked
	table := "CREATE TABLE a\n(\n  x\n);\n"
	one, two := c.add("first\n\n"+table+"end"), c.add("second line\n\n"+table+"end")
	if c.add("first\n\n"+table+"end") != one || one == two {
		t.Error("equal texts have numbers of their own, or others the same")
	}
	if last := func(n int) int { return c.texts[n][len(c.texts[n])-1] }; last(one) != last(two) {
		t.Error("an equal end is stored twice")
	}
	if c.add("") != 2 || len(c.texts[2]) != 0 {
		t.Error("an empty text has chunks")
	}
}

func FuzzChunks(f *testing.F) {
	f.Add("a\n\nb);\n);\n", "b\n")
	f.Fuzz(func(t *testing.T, a, b string) {
		var c chunked
		for _, text := range []string{a, b, a} {
			var got strings.Builder
			for _, i := range c.texts[c.add(text)] {
				got.WriteString(c.chunks.list[i])
			}
			if got.String() != text {
				t.Errorf("%q came back as %q", text, got.String())
			}
		}
	})
}
