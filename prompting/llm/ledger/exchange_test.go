package ledger

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"assay/configs/output"
	"assay/prompting/llm"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"
)

// odd is a set of completions with everything in it that JSON or hashing may trip over.
func odd() (rs []llm.Request, as []llm.Response) {
	add := func(r llm.Request, a llm.Response) { rs, as = append(rs, r), append(as, a) }
	topP, topK, seed := 0.1, 40, int64(1)<<62+1
	add(request("plain", 0), llm.Response{Text: "SELECT 1", Finish: "stop"})
	add(request("plain", 1), llm.Response{Text: "", Finish: "length"})
	add(request("a < b && c > d \u2028 é 🙂 \x00", 0), llm.Response{Text: "a < b && c \u2028 \x00", Finish: "stop", Model: "m-1"})
	add(request("raw", 0), llm.Response{Text: "\xff\xfe not UTF-8"})
	add(request("not UTF-8 \xff", 0), llm.Response{Text: "x", Usage: llm.Usage{PromptTokens: 3, CompletionTokens: 4, Estimated: true}})
	add(llm.Request{Author: llm.Author{Provider: "p", Model: "m"}, Params: llm.Params{Temperature: 0.7, TopP: &topP, TopK: &topK, MaxTokens: 9, Stop: []string{"\n", ";"},
		Seed: &seed, Extra: map[string]any{"big": int64(1)<<62 + 1, "min_p": 1e21, "nested": map[string]any{"z": []any{1, "<b>", nil}, "a": true}}}},
		llm.Response{Text: strings.Repeat("long ", 3e5)})
	add(llm.Request{}, llm.Response{Text: "nothing asked"})
	return rs, as
}

// oddLedger is a ledger with those completions.
func oddLedger(t *testing.T) *Ledger {
	t.Helper()
	l := openTest(t, filepath.Join(t.TempDir(), "ledger.db"))
	rs, as := odd()
	for i := range rs {
		if err := l.Put(context.Background(), rs[i], as[i]); err != nil {
			t.Fatal(err)
		}
	}
	return l
}

func export(t *testing.T, l *Ledger, name string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), name)
	if _, err := exportFile(l, context.Background(), path, nil); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestAnExportImportsWhole(t *testing.T) {
	ctx := context.Background()
	a := oddLedger(t)
	rs, as := odd()
	path := export(t, a, "out.jsonl.zst")
	b := openTest(t, filepath.Join(t.TempDir(), "ledger.db"))
	for _, want := range []Imported{{Completions: len(rs)}, {Present: len(rs)}} {
		if out, err := b.Import(ctx, path, ImportOptions{}); err != nil || out != want {
			t.Fatalf("%+v, %v", out, err)
		}
	}
	whole(t, a, len(rs))
	whole(t, b, len(rs))
	for i, r := range rs {
		as[i].Cached = true
		got, ok, err := b.Get(ctx, r.Key())
		if d := cmp.Diff(as[i], got, besidesStored); d != "" || !ok || err != nil {
			t.Errorf("%d: %v %v %s", i, ok, err, d)
		}
	}
	again, plain := export(t, b, "again.jsonl.zst"), export(t, b, "plain.jsonl")
	x, _ := os.ReadFile(path)
	y, _ := os.ReadFile(again)
	z, _ := os.ReadFile(plain)
	if len(x) == 0 || !bytes.Equal(x, y) || !bytes.Equal(unpackFile(t, path), z) {
		t.Error("equal ledgers export different bytes")
	}
	if n := bytes.Count(z, []byte("\n")); n != len(rs)+1 || !bytes.HasPrefix(z, []byte(`{"format":"assay-ledger","version":2,"completions":7}`+"\n")) {
		t.Errorf("%d lines, starting %.80q", n, z)
	}
}

func unpackFile(t *testing.T, path string) []byte {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := zstd.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	b, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func keysOf(keys ...string) Keys {
	return func(yield func(string, error) bool) {
		for _, k := range keys {
			if !yield(k, nil) {
				return
			}
		}
	}
}

func TestAnExportOfSomeKeys(t *testing.T) {
	ctx := context.Background()
	l := oddLedger(t)
	k := request("plain", 1).Key()
	path := filepath.Join(t.TempDir(), "some.jsonl")
	out, err := exportFile(l, ctx, path, keysOf(k, k, "sha256:nosuch"))
	if err != nil || out != (Exported{Completions: 1, Missing: 1}) {
		t.Fatalf("%+v, %v", out, err)
	}
	if b, _ := os.ReadFile(path); !bytes.Contains(b, []byte(k)) || bytes.Count(b, []byte("\n")) != 2 {
		t.Errorf("%s", b)
	}
	broken := func(yield func(string, error) bool) { yield("", io.ErrNoProgress) }
	if _, err := exportFile(l, ctx, path+"2", broken); err == nil {
		t.Error("an error of the keys is lost")
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*")); len(left) != 1 {
		t.Errorf("files %q", left)
	}
}

func TestABadFileImportsNothingAndNamesTheLine(t *testing.T) {
	ctx := context.Background()
	good, err := os.ReadFile(export(t, oddLedger(t), "x.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	packed, err := os.ReadFile(export(t, oddLedger(t), "x.jsonl.zst"))
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(bytes.TrimSuffix(good, []byte("\n")), []byte("\n"))
	check := func(what string, content []byte, wantPartial int, parts ...string) {
		t.Helper()
		path := filepath.Join(t.TempDir(), "in")
		if err := os.WriteFile(path, content, 0o666); err != nil {
			t.Fatal(err)
		}
		l := openTest(t, filepath.Join(t.TempDir(), "ledger.db"))
		_, err := l.Import(ctx, path, ImportOptions{})
		for _, p := range append(parts, path) {
			if err == nil || !strings.Contains(err.Error(), p) {
				t.Errorf("%s: error %v lacks %q", what, err, p)
			}
		}
		if n, _ := l.Count(ctx); n != 0 {
			t.Errorf("%s: %d are imported all the same", what, n)
		}
		told := 0
		out, err := l.Import(ctx, path, ImportOptions{Partial: true, Bad: func(*LineError) { told++ }})
		if wantPartial < 0 {
			if err == nil {
				t.Errorf("%s: imported in part", what)
			}
			return
		}
		if err != nil || out.Completions != wantPartial || out.Bad == 0 || told != out.Bad {
			t.Errorf("%s, in part: %+v, %d told, %v", what, out, told, err)
		}
		whole(t, l, wantPartial)
	}
	edit := func(n int, old, new string) []byte {
		out := bytes.Clone(good)
		at := len(bytes.Join(lines[:n-1], nil))
		if !bytes.Contains(lines[n-1], []byte(old)) {
			t.Fatalf("line %d lacks %q: %.200s", n, old, lines[n-1])
		}
		return append(out[:at:at], bytes.Replace(good[at:], []byte(old), []byte(new), 1)...)
	}
	check("nothing", nil, -1, "line 1", "not an export of a ledger")
	check("no header", bytes.Join(lines[1:], nil), -1, "line 1", "--foreign")
	check("a later version", edit(1, `"version":2`, `"version":3`), -1, "version 3")
	check("another request", edit(4, `"sample":`, `"sample":1`), 6, "line 4", "request was altered", "--partial")
	check("another completion", edit(3, `"finish":"`, `"finish":"x`), 6, "line 3", "response was altered")
	check("an unknown name", edit(5, `{"key"`, `{"more":1,"key"`), 6, "line 5", "more")
	check("two on a line", edit(2, `{"key"`, `{}{"key"`), 6, "line 2")
	check("a line gone", bytes.Join(append(append([][]byte{}, lines[:3]...), lines[4:]...), nil), 6, "line 8", "ends after 6", "says 7")
	check("a line twice", bytes.Join(append([][]byte{lines[0], lines[1]}, lines[1:]...), nil), 7, "says 7")
	check("cut in a line", good[:len(bytes.Join(lines[:3], nil))+20], 2, "line 4", "incomplete")
	check("no zstd after the magic", []byte("\x28\xb5\x2f\xfdand then text"), -1, "line 1")
	check("a cut frame", packed[:len(packed)-10], 4, "incomplete or damaged")
	flipped := bytes.Clone(packed)
	flipped[len(flipped)-1] ^= 1 // the frame's checksum
	check("a frame's checksum", flipped, 4, "incomplete or damaged")
}

func TestAnImportKeepsTheFirstAnswer(t *testing.T) {
	ctx := context.Background()
	path := export(t, oddLedger(t), "x.jsonl.zst")
	l := openTest(t, filepath.Join(t.TempDir(), "ledger.db"))
	if err := l.Put(ctx, request("plain", 0), llm.Response{Text: "SELECT 2"}); err != nil {
		t.Fatal(err)
	}
	out, err := l.Import(ctx, path, ImportOptions{})
	if err != nil || out != (Imported{Completions: 6, Differ: 1}) {
		t.Errorf("%+v, %v", out, err)
	}
	if got, _, _ := l.Get(ctx, request("plain", 0).Key()); got.Text != "SELECT 2" {
		t.Errorf("%+v", got)
	}
}

func TestForeignRecordings(t *testing.T) {
	ctx := context.Background()
	check := func(what, text string, want Imported, wantErr string) *Ledger {
		t.Helper()
		path := filepath.Join(t.TempDir(), "f.jsonl")
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		l := openTest(t, filepath.Join(t.TempDir(), "ledger.db"))
		out, err := l.Import(ctx, path, ImportOptions{Foreign: &ForeignOptions{Provider: "test", Model: "m"}})
		if out != want || (err == nil) != (wantErr == "") || err != nil && !strings.Contains(err.Error(), wantErr) {
			t.Errorf("%s: %+v, %v", what, out, err)
		}
		whole(t, l, want.Completions)
		return l
	}
	l := check("plain", `{"prompt":"q","completion":"a"}
{"prompt":"q","completion":"b"}

{"prompt":"other","completion":""}
{"prompt":"q","completion":"c","sample":7}
{"messages":[{"role":"user","content":"q"}],"completion":"d","prompt_tokens":5,"completion_tokens":6,"answered_by":"v1"}`, Imported{Completions: 5}, "")
	for sample, want := range map[int]string{0: "a", 1: "b", 2: "d", 7: "c"} {
		got, ok, err := l.Get(ctx, request("q", sample).Key())
		if !ok || err != nil || got.Text != want || got.Usage.Estimated != (want != "d") {
			t.Errorf("sample %d: %+v, %v", sample, got, err)
		}
	}
	full := llm.Request{Author: llm.Author{Provider: "openai", Model: "gpt"}, Params: llm.Params{Temperature: 0.5, MaxTokens: 9, Extra: map[string]any{"min_p": 0.1}},
		Messages: []llm.Message{{Role: llm.System, Text: "s"}, {Role: llm.User, Text: "u"}}}
	l = check("whole", fmt.Sprintf(`{"system":"s","prompt":"u","completion":"x","provider":"openai","model":"gpt","parameters":{"temperature":0.5,"max_tokens":9,"extra":{"min_p":0.1}},"key":%q,"created":"2026-01-02T03:04:05Z"}`, full.Key()),
		Imported{Completions: 1}, "")
	if e, ok, err := l.Entry(ctx, full.Key()); !ok || err != nil || e.Created.Year() != 2026 || e.Response.Finish != "stop" {
		t.Errorf("%+v, %v", e, err)
	}
	check("no completion", `{"prompt":"q"}`, Imported{}, "line 1: completion is missing")
	check("no prompt", `{"completion":"q"}`, Imported{}, "prompt or messages")
	check("both", `{"prompt":"a","messages":[{"role":"user","text":"q"}],"completion":"q"}`, Imported{}, "both")
	check("a role", `{"messages":[{"role":"tool","text":"q"}],"completion":"q"}`, Imported{}, "tool")
	check("a typing error", `{"prompt":"a","completion":"q","temprature":1}`, Imported{}, "temprature")
	check("another key", `{"prompt":"a","completion":"q"}`+"\n"+`{"prompt":"a","completion":"q","key":"sha256:0"}`, Imported{}, "line 2: the key")
	check("a negative sample", `{"prompt":"a","completion":"q","sample":-1}`, Imported{}, "negative")
	check("negative tokens", `{"prompt":"a","completion":"q","prompt_tokens":-1,"completion_tokens":0}`, Imported{}, "negative")
}

func TestVerifyReportsEachBadRow(t *testing.T) {
	check := func(what, harm, part string) {
		t.Helper()
		l := oddLedger(t)
		if _, err := l.write.Exec(harm); err != nil {
			t.Fatal(err)
		}
		var said []string
		v, err := l.Verify(context.Background(), func(b Bad) { said = append(said, b.String()) })
		if err != nil || v.Bad == 0 || v.Bad != len(said) || !strings.Contains(strings.Join(said, "\n"), part) {
			t.Errorf("%s: %+v, %q, %v", what, v, said, err)
		}
		if _, err := exportFile(l, context.Background(), filepath.Join(t.TempDir(), "x"), nil); err == nil && part != "prompts row" {
			t.Errorf("%s: exported all the same", what)
		}
	}
	check("another sample", "UPDATE completions SET sample = 5 WHERE id = 1", "completions row 1 (sha256:")
	check("another temperature", `UPDATE completions SET params = '{"temperature":1}' WHERE id = 2`, "completions row 2")
	check("a broken body", "UPDATE completions SET body = x'00ff' WHERE id = 3", "damaged record")
	check("a prompt gone", "DELETE FROM prompts WHERE id = 1", "its prompt is missing")
	check("another prompt", "UPDATE completions SET prompt = 2 WHERE id = 1", "the request's key is sha256:")
	check("a prompt's hash", "UPDATE prompts SET hash = 'x' WHERE id = 2", "prompts row")
	check("a date", "UPDATE completions SET created = 'soon' WHERE id = 1", "soon")
}

func TestCollectDropsWhatNoRunNames(t *testing.T) {
	ctx := context.Background()
	l := oddLedger(t)
	for i := range 200 {
		if err := l.Put(ctx, request(noise(3000, uint64(i)), i), llm.Response{Text: "x"}); err != nil {
			t.Fatal(err)
		}
	}
	keep := keysOf(request("plain", 0).Key(), request("raw", 0).Key())
	dry, err := l.Collect(ctx, keep, true)
	if err != nil || dry.Completions != 205 || dry.Kept != 2 || dry.Prompts != 203 || dry.FileBefore != dry.FileAfter {
		t.Fatalf("%+v, %v", dry, err)
	}
	whole(t, l, 207)
	got, err := l.Collect(ctx, keep, false)
	if err != nil || got.FileAfter > got.FileBefore-400_000 {
		t.Errorf("%+v, %v", got, err)
	}
	if d := cmp.Diff(dry.Models, got.Models); d != "" || got.Completions != dry.Completions || got.Bytes != dry.Bytes || got.Prompts != dry.Prompts {
		t.Errorf("a dry run says other things: %+v, %+v %s", dry, got, d)
	}
	whole(t, l, 2)
	if _, ok, err := l.Get(ctx, request("raw", 0).Key()); !ok || err != nil {
		t.Error(ok, err)
	}
	s, err := l.Stats(ctx)
	if err != nil || s.Completions != 2 || s.Prompts != 2 || len(s.Models) != 1 || s.Models[0].Provider != "test" {
		t.Errorf("%+v, %v", s, err)
	}
	broken := func(yield func(string, error) bool) { yield("", io.ErrNoProgress) }
	if _, err := l.Collect(ctx, broken, false); err == nil {
		t.Error("an error of the keys is lost")
	}
	whole(t, l, 2)
}

func FuzzDecodeLine(f *testing.F) {
	rs, as := odd()
	for i := range rs {
		p := &pending{key: rs[i].Key(), request: rs[i], response: as[i], created: time.Unix(0, 0)}
		p.response.Text = p.response.Text[:min(99, len(p.response.Text))]
		var err error
		if p.form, err = formOf(p.request); err != nil {
			f.Fatal(err)
		}
		if k, err := p.form.key(); err != nil || k != p.key {
			f.Fatalf("the form of %+v has another key, %v", p.request, err)
		}
		text, err := encodeLine(p)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add([]byte(`{"key":"","request":{},"response":{"created":""},"sum":""}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := decodeLine(text)
		if err != nil {
			return
		}
		again, err := encodeLine(p)
		if err != nil {
			t.Fatal(err)
		}
		q, err := decodeLine(again)
		if err != nil || q.key != p.key || !cmp.Equal(q.response, p.response) {
			t.Errorf("%q comes back as %q: %v", text, again, err)
		}
	})
}

// exportFile writes an export to a file, compressed where its name says so.
func exportFile(l *Ledger, ctx context.Context, path string, keys Keys) (out Exported, err error) {
	err = output.Write(ctx, path, nil, func(w io.Writer) error {
		out, err = l.Export(ctx, w, strings.HasSuffix(path, ".zst"), keys)
		return err
	})
	return out, err
}
