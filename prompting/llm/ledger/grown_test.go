package ledger

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"assay/prompting/llm"

	"github.com/google/go-cmp/cmp"
)

// odder is [odd] with what only later versions of the file can hold.
func odder() (rs []llm.Request, as []llm.Response) {
	rs, as = odd()
	add := func(r llm.Request, a llm.Response) { rs, as = append(rs, r), append(as, a) }
	tools := request("with tools", 0)
	tools.Tools = []llm.Tool{{Name: "f", Description: "a < b", Parameters: json.RawMessage(`{ "type": "object", "properties": {"z": {"type":"string"}, "a": {"description":"<é>"}}}`)}, {Name: "g"}}
	calls := []llm.ToolCall{{ID: "1", Name: "f", Arguments: `{"z": "<\u2028>"}`, Signature: "c2ln"}, {ID: "2", Name: "h", Arguments: "no JSON"}}
	add(tools, llm.Response{Finish: llm.FinishTools, ToolCalls: calls})
	answered := tools
	answered.Messages = append(answered.Messages[:1:1], llm.Response{Text: "t", ToolCalls: calls}.Answered(), calls[0].Answered("é"), calls[1].Answered(""))
	answered.Params.Logprobs = true
	add(answered, llm.Response{Text: "done", Finish: "stop", Logprob: &llm.Logprob{Total: -0.1234567890123456789, Tokens: 3}})
	elsewhere := func(server, as string) llm.Request {
		r := request("plain", 0)
		r.Server, r.As = server, as
		return r
	}
	const card = `{"id":"/x.gguf","size":7}`
	add(elsewhere("http://127.0.0.1:8080/v1", ""), llm.Response{Text: "SELECT 8080", Print: "b1", Card: card,
		Usage: llm.Usage{PromptTokens: 9, CompletionTokens: 8, CachedTokens: 7, ReasoningTokens: 6, CacheWriteTokens: 2}, Reasoning: "<think>hm\x00 é</think>"})
	add(elsewhere("http://127.0.0.1:8081/v1", ""), llm.Response{Text: "SELECT 8081", Card: card})
	add(elsewhere("http://127.0.0.1:8081/v1", "q4"), llm.Response{Text: "SELECT q4", Print: "b2"})
	return rs, as
}

// oldVersion writes a ledger as an older version did, with the plain ones of the odd completions.
func oldVersion(t *testing.T, version int) (path string, rs []llm.Request, as []llm.Response) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "ledger.db")
	db, err := sql.Open("sqlite3", dsn(path, "_journal_mode=WAL"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	do := func(query string, args ...any) int64 {
		t.Helper()
		res, err := db.Exec(query, args...)
		if err != nil {
			t.Fatal(err)
		}
		id, _ := res.LastInsertId()
		return id
	}
	do(createSQL)
	for _, grow := range growSQL[:version-1] {
		do(grow)
	}
	packer := openTest(t, filepath.Join(t.TempDir(), "other.db"))
	rs, as = odd()
	for i, r := range rs {
		f, err := formOf(r)
		if err != nil {
			t.Fatal(err)
		}
		a := as[i]
		do("INSERT OR IGNORE INTO prompts (hash, body) VALUES (?, ?)", promptHash(f.Messages), packer.pack(f.Messages))
		do(`INSERT INTO completions (key, prompt, provider, model, params, sample, body, finish, prompt_tokens, completion_tokens,
			estimated, answered_by, created) VALUES (?,(SELECT id FROM prompts WHERE hash = ?),?,?,?,?,?,?,?,?,?,?,?)`,
			r.Key(), promptHash(f.Messages), r.Provider, r.Model, string(f.Params), r.Sample, packer.pack([]byte(a.Text)), a.Finish,
			a.Usage.PromptTokens, a.Usage.CompletionTokens, a.Usage.Estimated, a.Model, time.Now().UTC().Format(time.RFC3339))
	}
	return path, rs, as
}

// holds checks that a ledger answers every request as it was answered, and that nothing in it is wrong.
func holds(t *testing.T, l *Ledger, rs []llm.Request, as []llm.Response) {
	t.Helper()
	ctx := context.Background()
	for i, r := range rs {
		as[i].Cached = true
		got, ok, err := l.Get(ctx, r.Key())
		if d := cmp.Diff(as[i], got, besidesStored); d != "" || !ok || err != nil {
			t.Errorf("%d: %v %v %s", i, ok, err, d)
		}
		e, ok, err := l.Entry(ctx, r.Key())
		if !ok || err != nil || e.Request.Key() != r.Key() && r.Messages != nil && r.Messages[0].Text != "not UTF-8 \xff" {
			t.Errorf("entry %d: %v, %v", i, ok, err)
		}
	}
	v, err := l.Verify(ctx, func(b Bad) { t.Error(b) })
	if err != nil || v.Completions < len(rs) {
		t.Errorf("%+v, %v", v, err)
	}
	if out, err := exportFile(l, ctx, filepath.Join(t.TempDir(), "out.jsonl"), nil); err != nil || out.Completions != v.Completions {
		t.Errorf("export: %+v, %v", out, err)
	}
	if c, err := l.Collect(ctx, keysOf(rs[0].Key()), true); err != nil || c.Kept != 1 {
		t.Errorf("collect: %+v, %v", c, err)
	}
}

func TestAnOldLedgerIsReadAsItIs(t *testing.T) {
	for v := 1; v < version; v++ {
		t.Run(fmt.Sprint("version ", v), func(t *testing.T) { readAsItIs(t, v) })
	}
}

func readAsItIs(t *testing.T, version int) {
	path, rs, as := oldVersion(t, version)
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	l, err := OpenRead(path)
	if err != nil {
		t.Fatal(err)
	}
	holds(t, l, rs, as)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
		t.Errorf("reading changed the file (%v)", err)
	}
}

func TestAnOldLedgerGrows(t *testing.T) {
	for v := 1; v < version; v++ {
		t.Run(fmt.Sprint("version ", v), func(t *testing.T) { grows(t, v) })
	}
}

func grows(t *testing.T, version int) {
	path, rs, as := oldVersion(t, version)
	l := openTest(t, path)
	holds(t, l, rs, as)
	all, answers := odder()
	for i, r := range all { // those that were there keep their answers
		if err := l.Put(context.Background(), r, answers[i]); err != nil {
			t.Fatal(err)
		}
	}
	holds(t, l, all, answers)
	again := openTest(t, path)
	holds(t, again, all, answers)
	if n, err := again.Count(context.Background()); err != nil || n != len(all) {
		t.Errorf("%d completions, %v", n, err)
	}
}

func TestToolsAndLogprobsAreExportedAndImported(t *testing.T) {
	ctx := context.Background()
	rs, as := odder()
	a := oddLedger(t)
	for i := range rs {
		if err := a.Put(ctx, rs[i], as[i]); err != nil {
			t.Fatal(err)
		}
	}
	path := export(t, a, "out.jsonl.zst")
	b := openTest(t, filepath.Join(t.TempDir(), "ledger.db"))
	for _, want := range []Imported{{Completions: len(rs)}, {Present: len(rs)}} {
		if out, err := b.Import(ctx, path, ImportOptions{}); err != nil || out != want {
			t.Fatalf("%+v, %v", out, err)
		}
	}
	holds(t, b, rs, as)
	x, y := unpackFile(t, path), unpackFile(t, export(t, b, "again.jsonl.zst"))
	if string(x) != string(y) || !strings.Contains(string(x), `"reasoning_tokens":6`) || !strings.Contains(string(x), `"logprob":{"total":-0.12345678901234568,"tokens":3}`) {
		t.Error("the export of the import differs, or lacks the log-probabilities")
	}
}

func TestToolsAreKeptOnceAndAsLongAsNeeded(t *testing.T) {
	ctx := context.Background()
	l := oddLedger(t)
	tool := llm.Tool{Name: "f", Parameters: json.RawMessage(`{"type":"object"}`)}
	a, b := request("a", 0), request("b", 0)
	a.Tools, b.Tools = []llm.Tool{tool}, []llm.Tool{tool}
	before, _ := l.Stats(ctx)
	for _, r := range []llm.Request{a, b} {
		if err := l.Put(ctx, r, llm.Response{Text: "x"}); err != nil {
			t.Fatal(err)
		}
	}
	after, err := l.Stats(ctx)
	if got := after.Prompts - before.Prompts; got != 3 || err != nil { // two messages, one list of tools
		t.Errorf("%d more prompts, %v", got, err)
	}
	if _, err := l.Collect(ctx, keysOf(b.Key()), false); err != nil {
		t.Fatal(err)
	}
	holds(t, l, []llm.Request{b}, []llm.Response{{Text: "x"}})
	if left, err := l.Stats(ctx); err != nil || left.Prompts != 2 || left.Completions != 1 {
		t.Errorf("left %+v, %v", left, err)
	}
}

func TestMissingAndDamagedToolsAreReported(t *testing.T) {
	check := func(what, query, part string) {
		t.Helper()
		l := oddLedger(t)
		rs, as := odder()
		for i := range rs {
			if err := l.Put(context.Background(), rs[i], as[i]); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := l.write.Exec("PRAGMA foreign_keys=0"); err != nil {
			t.Fatal(err)
		}
		if _, err := l.write.Exec(query); err != nil {
			t.Fatal(err)
		}
		var told []string
		if _, err := l.Verify(context.Background(), func(b Bad) { told = append(told, b.What) }); err != nil || len(told) == 0 {
			t.Errorf("%s: told %q, %v", what, told, err)
			return
		}
		if told[len(told)-1][:len(part)] != part {
			t.Errorf("%s: told %q", what, told)
		}
	}
	check("tools missing", "UPDATE completions SET tools = 999 WHERE tools IS NOT NULL", "its tools are missing")
	check("tools dropped", "UPDATE completions SET tools = NULL", "the request's key is")
	check("calls no JSON", "UPDATE completions SET tool_calls = '[{' WHERE tool_calls IS NOT NULL", "damaged record: tool calls")
}
