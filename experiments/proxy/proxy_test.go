package proxy_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/configs"
	"assay/experiments/proxy"
	"assay/prompting"
	"assay/prompting/command"
	"assay/prompting/gateway"
	"assay/prompting/llm"
	"assay/prompting/methods"
	"assay/prompting/script"
	"assay/prompting/sql/schema"
)

// world is a proxy over two items and a model that counts what it is asked.
type world struct {
	*proxy.Proxy
	t     *testing.T
	model *llm.Scripted
	out   []proxy.Entry
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, model: &llm.Scripted{}}
	server, err := gateway.Open(gateway.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	db := &schema.Database{Name: "db", Tables: []schema.Table{{Name: "t", Columns: []schema.Column{{Name: "a", Type: "INTEGER"}}}}}
	arm := configs.Arm{Name: "mine", Schema: configs.Schema{Format: "createtable"}, Model: configs.Model{Provider: "openai", Name: "m", Samples: 1, Temperature: 0.5}}
	deps := prompting.Deps{Model: w.model, Author: llm.Author{Provider: "openai", Model: "m"}, Calls: 3}
	method, err := command.NewHost(command.Options{}).Method(script.Setup{Deps: deps, Arm: arm, Seed: 5, Open: methods.Open})
	if err != nil {
		t.Fatal(err)
	}
	w.Proxy = proxy.Open(context.Background(), proxy.Options{Server: server, Method: method, Seed: 5,
		Questions: []prompting.Question{{ID: "d/s/1", DB: "db", Text: "first?", Schema: db}, {ID: "d/s/2 b", DB: "db", Text: "second?", Schema: db}},
		Price:     func(prompting.Call) (float64, bool) { return 0.25, true },
		Answered: func(e proxy.Entry) error {
			if len(e.Candidates) > 0 && e.Candidates[0].SQL == "full" {
				return errors.New("no space")
			}
			w.out = append(w.out, e)
			return nil
		}})
	t.Cleanup(func() { w.Close() })
	return w
}

// do makes a request, and fails the test unless it has the status and the part.
func (w *world) do(method, path, body string, status int, part string) string {
	w.t.Helper()
	req, err := http.NewRequest(method, w.URL()+"/"+path, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+w.Key())
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != status || !strings.Contains(string(b), part) {
		w.t.Fatalf("%s %s: %d %s %v, want %d with %q", method, path, resp.StatusCode, b, err, status, part)
	}
	return string(b)
}

const ask = `{"messages":[{"role":"user","content":"x"}]}`

// TestAnItem: its question, its requests and its answer, as a program has them.
func TestAnItem(t *testing.T) {
	w := newWorld(t)
	w.do("GET", "items", "", 200, `{"items":["d/s/1","d/s/2 b"]}`)
	var item command.Item
	text := w.do("GET", "item/"+url.PathEscape("d/s/1"), "", 200, `"question":"first?"`)
	if err := json.Unmarshal([]byte(text), &item); err != nil || !strings.HasPrefix(item.BaseURL, w.URL()) || item.Key != w.Key() || strings.Contains(strings.ToLower(text), "gold") {
		t.Errorf("%s: %v", text, err)
	}
	at := strings.TrimPrefix(item.BaseURL, w.URL()+"/")
	w.do("POST", at+"/chat/completions", ask, 200, "chat.completion")
	w.do("POST", "item/d/s/1/v1/chat/completions", ask, 200, "chat.completion")
	w.do("POST", "item/1/v1/chat/completions", ask, 200, "chat.completion")
	w.do("POST", "item/1/v1/chat/completions", ask, 403, "limits.calls_per_item")
	w.do("POST", "item/1/answer", `{"candidates":["a",{"sql":" b ","source":"s"}],"chosen":1}`, 200, `"calls":3`)
	e := w.out[0]
	if e.ID != "d/s/1" || e.DB != "db" || e.Seed != 5 || len(e.Candidates) != 2 || e.Candidates[0] != (command.Candidate{SQL: "b", Source: "s"}) ||
		len(e.Calls) != 3 || *e.Calls[0].USD != 0.25 || e.Calls[2].Stage != "generate 3" {
		t.Errorf("%+v", e)
	}
	asked := w.model.Asked()
	seed := llm.DrawSeed(5, "d/s/1", command.Row.ID, "generate")
	want := llm.Request{Author: llm.Author{Provider: "openai", Model: "m"}, Params: llm.Params{Temperature: 0.5, Seed: &seed}, Messages: []llm.Message{{Role: llm.User, Text: "x"}}}
	if asked[0].Key() != want.Key() || asked[2].Sample != 2*gateway.SampleStep {
		t.Errorf("%+v is not what a command's arm asks: %+v", asked[0], want)
	}
}

// TestSamplesAndBeginnings: samples are exchanges of their own, and POST begins an item anew.
func TestSamplesAndBeginnings(t *testing.T) {
	w := newWorld(t)
	chat := func(at string, sample int) {
		t.Helper()
		w.do("POST", at+"/v1/chat/completions", ask, 200, "chat.completion")
		if all := w.model.Asked(); all[len(all)-1].Sample != sample {
			t.Errorf("%s: sample %d, want %d", at, all[len(all)-1].Sample, sample)
		}
	}
	chat("item/1", 0)
	chat("item/1/2", 2)
	chat("item/1/2", 10_002)
	w.do("POST", "item/1/2", "", 200, `"sample":2`)
	chat("item/1/2", 2)
	w.do("POST", "item/1/2/answer", `{"sql":"two"}`, 200, "")
	w.do("POST", "item/1/answer", `{"sql":"zero"}`, 200, "")
	if e := w.out[1]; len(e.Candidates) != 2 || e.Candidates[0].SQL != "zero" || len(e.Calls) != 2 || e.Calls[1].Sample != 2 {
		t.Errorf("%+v", e)
	}
	chat("item/1", 0)
	w.do("POST", "v1/chat/completions", ask, 200, "chat.completion")
	if all := w.model.Asked(); *all[len(all)-1].Params.Seed == *all[0].Params.Seed {
		t.Error("a request about no item has an item's seed")
	}
}

// TestWrongRequests: what is no place, and no answer.
func TestWrongRequests(t *testing.T) {
	w := newWorld(t)
	w.do("GET", "", "", 400, "there are GET items")
	w.do("GET", "item/nine", "", 400, "no item")
	w.do("GET", "item/..%2f..%2fetc", "", 400, "no item")
	w.do("GET", "item/1/10000", "", 400, "sample 10000")
	w.do("DELETE", "item/1", "", 400, "an item has")
	w.do("GET", "item/1/answer", "", 400, "an item has")
	w.do("POST", "item/1/answer", `{}`, 400, "either sql or candidates")
	w.do("POST", "item/1/answer", `x`, 400, "cannot be read")
	w.do("POST", "item/1/answer", `{"sql":"a","candidates":[]}`, 400, "either sql or candidates")
	w.do("POST", "item/1/answer", `{"candidates":["a"],"chosen":1}`, 400, "chosen is 1")
	w.do("POST", "item/1/answer", `{"candidates":[{"source":"x"}]}`, 400, "candidate")
	w.do("POST", "item/1/answer", `{"sql":"a","gold":"b"}`, 400, "gold")
	w.do("POST", "item/1/answer", `{"candidates":[null]}`, 400, "candidate")
	w.do("POST", "item/1/answer", `{"sql":"a"} {"sql":"b"}`, 400, "more after")
	w.do("POST", "item/1/answer", `{"sql":"full"}`, 400, "no space")
	w.do("POST", "item/1/answer", `{"candidates":[]}`, 200, "")
}

// TestFiles: answers are added to a file, and the last of an item counts.
func TestFiles(t *testing.T) {
	ctx, path := context.Background(), filepath.Join(t.TempDir(), "a.jsonl")
	put := func(want int, entries ...proxy.Entry) {
		t.Helper()
		f, err := proxy.OpenFile(path, io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if err := f.Put(ctx, e); err != nil {
				t.Fatal(err)
			}
		}
		if err := f.Close(ctx); err != nil || f.Len() != want {
			t.Errorf("%d answers, want %d: %v", f.Len(), want, err)
		}
	}
	put(0)
	if _, err := os.Stat(path); err == nil {
		t.Error("a file without answers was written")
	}
	one, two := proxy.Entry{ID: "1", Seed: 1}, proxy.Entry{ID: "2"}
	put(2, one, two)
	one.Seed = 9
	put(2, one)
	b, err := os.ReadFile(path)
	if lines := strings.Split(strings.TrimSpace(string(b)), "\n"); err != nil || len(lines) != 2 || !strings.Contains(lines[0], `"seed":9`) {
		t.Errorf("%s %v", b, err)
	}
	if err := os.WriteFile(path, []byte("SELECT 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := proxy.OpenFile(path, io.Discard); err == nil || !strings.Contains(err.Error(), "line 1") {
		t.Error(err)
	}
}
