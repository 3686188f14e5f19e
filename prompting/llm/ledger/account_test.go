package ledger

import (
	"context"
	"path/filepath"
	"testing"

	"assay/prompting/llm"

	"github.com/google/go-cmp/cmp"
)

// at is a request for a text at an address of one's own.
func at(server, as, text string, sample int) llm.Request {
	r := request(text, sample)
	r.Server, r.As = server, as
	return r
}

const (
	one = "http://127.0.0.1:8080/v1"
	two = "http://127.0.0.1:8081/v1"
)

// TestTheAuthorDecidesWhichCompletionAnswers: a completion answers for its author alone. One that an old ledger holds
// was made nobody knows where, and answers for the provider's own address alone.
func TestTheAuthorDecidesWhichCompletionAnswers(t *testing.T) {
	ctx := context.Background()
	l := openTest(t, filepath.Join(t.TempDir(), "ledger.db"))
	for _, r := range []llm.Request{at("", "", "q", 0), at(one, "", "q", 0), at(one, "q4", "q", 0)} {
		if err := l.Put(ctx, r, llm.Response{Text: r.Author.String()}); err != nil {
			t.Fatal(err)
		}
	}
	check := func(what string, l *Ledger, r llm.Request, want string) {
		t.Helper()
		m := l.Wrap(nil, Options{Offline: true})
		got, err := m.Generate(ctx, r)
		if got.Text != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q, %v, want %q", what, got.Text, err, want)
		}
	}
	check("the provider's own", l, at("", "", "q", 0), "test/m")
	check("an address", l, at(one, "", "q", 0), "test/m at "+one)
	check("another address", l, at(two, "", "q", 0), "")
	check("a name", l, at(one, "q4", "q", 0), "test/q4")
	check("the name at another address", l, at(two, "q4", "q", 0), "test/q4")
	check("another name", l, at(one, "q8", "q", 0), "")
	for v := 1; v < version; v++ {
		path, _, _ := oldVersion(t, v)
		old, err := OpenRead(path)
		if err != nil {
			t.Fatal(err)
		}
		check("old, the provider's own", old, request("plain", 0), "SELECT 1")
		check("old, an address", old, at(one, "", "plain", 0), "")
		check("old, a name", old, at("", "m", "plain", 0), "")
		if err := old.Close(); err != nil {
			t.Fatal(err)
		}
		check("grown, an address", openTest(t, path), at(one, "", "plain", 0), "")
	}
}

// paid is a group of completions that nothing was cached for.
func paid(a llm.Author, prompt, completion int, times int64) Paid {
	return Paid{a, llm.Usage{PromptTokens: prompt, CompletionTokens: completion}, "", times, false, int64(prompt)}
}

// TestPaid: what a run took is what is on disk of its calls, and nothing of what other runs took or the ledger answered.
func TestPaid(t *testing.T) {
	ctx := context.Background()
	l := openTest(t, filepath.Join(t.TempDir(), "ledger.db"))
	inner := &llm.Scripted{Respond: func(r llm.Request) (llm.Response, error) {
		return llm.Response{Text: "x", Usage: llm.Usage{PromptTokens: 10, CompletionTokens: r.Sample}}, nil
	}}
	ask := func(run string, r llm.Request) {
		t.Helper()
		if _, err := l.Wrap(inner, Options{Run: run}).Generate(ctx, r); err != nil {
			t.Fatal(err)
		}
	}
	check := func(run string, want ...Paid) {
		t.Helper()
		got, err := l.Paid(ctx, run)
		if d := cmp.Diff(want, got); d != "" || err != nil {
			t.Errorf("run %q: %v %s", run, err, d)
		}
	}
	author, elsewhere := llm.Author{Provider: "test", Model: "m"}, llm.Author{Provider: "test", Model: "m", Server: one}
	check("a")
	ask("a", at("", "", "q", 1))
	ask("a", at("", "", "r", 1))
	ask("a", at(one, "q4", "q", 2))
	ask("b", at("", "", "q", 1)) // from the ledger
	ask("b", at("", "", "q", 3))
	ask("", at("", "", "q", 4))
	check("a", paid(author, 10, 1, 2), paid(elsewhere, 10, 2, 1))
	check("b", paid(author, 10, 3, 1))
	check("")
	charged := llm.Usage{PromptTokens: 7, CompletionTokens: 5, CachedTokens: 2, CacheWriteTokens: 3}
	if err := l.Charge(ctx, "b", elsewhere, charged, llm.Batch); err != nil {
		t.Fatal(err)
	}
	check("b", paid(author, 10, 3, 1), Paid{elsewhere, charged, llm.Batch, 1, false, 7})

	// Completions that differ in what the provider's cache gave, or in who sold them, are counted apart.
	inner.Respond = func(r llm.Request) (resp llm.Response, err error) {
		resp.Usage = llm.Usage{PromptTokens: 10, CompletionTokens: 1, CachedTokens: r.Sample % 2 * 4, CacheWriteTokens: r.Sample / 2 % 2 * 5}
		if r.Sample > 3 {
			resp.Tier = llm.Batch
		}
		return resp, nil
	}
	for n := range 5 {
		ask("c", at("", "", "c", n))
		ask("c", at("", "", "d", n))
	}
	check("c", paid(author, 10, 1, 2), Paid{author, llm.Usage{PromptTokens: 10, CompletionTokens: 1}, llm.Batch, 2, false, 10},
		Paid{author, llm.Usage{PromptTokens: 10, CompletionTokens: 1, CacheWriteTokens: 5}, "", 2, false, 10},
		Paid{author, llm.Usage{PromptTokens: 10, CompletionTokens: 1, CachedTokens: 4}, "", 2, false, 10},
		Paid{author, llm.Usage{PromptTokens: 10, CompletionTokens: 1, CachedTokens: 4, CacheWriteTokens: 5}, "", 2, false, 10})
	into := openTest(t, filepath.Join(t.TempDir(), "other.db")) // who takes a ledger over has not paid for it
	if _, err := into.Import(ctx, export(t, l, "out.jsonl"), ImportOptions{}); err != nil {
		t.Fatal(err)
	}
	if got, err := into.Paid(ctx, "a"); len(got) != 0 || err != nil {
		t.Errorf("imported: %+v, %v", got, err)
	}
}

// TestVoices: who answered is reported in the provider's own words, for each author separately.
func TestVoices(t *testing.T) {
	ctx := context.Background()
	l := openTest(t, filepath.Join(t.TempDir(), "ledger.db"))
	put := func(r llm.Request, model, print, card string) {
		t.Helper()
		if err := l.Put(ctx, r, llm.Response{Text: "x", Model: model, Print: print, Card: card}); err != nil {
			t.Fatal(err)
		}
	}
	check := func(a llm.Author, want ...Responder) {
		t.Helper()
		for i := range want {
			want[i].Author = a.Identity()
		}
		got, err := l.Voices(ctx, a)
		if d := cmp.Diff(want, got); d != "" || err != nil {
			t.Errorf("%v: %v %s", a, err, d)
		}
	}
	own, first, second := at("", "", "q", 0).Author, at(one, "", "q", 0).Author, at(two, "", "q", 0).Author
	put(at("", "", "q", 0), "m-001", "fp", "")
	put(at(one, "", "q", 0), "m", "", `{"size":1}`)
	put(at(one, "", "q", 1), "m", "", `{"size":2}`)
	put(at(one, "", "q", 2), "m", "", `{"size":2}`)
	put(at(one, "q4", "q", 0), "m", "b1", "")
	check(own, Responder{llm.Voice{Model: "m-001", Print: "fp"}, 1})
	check(first, Responder{llm.Voice{Model: "m", Card: `{"size":2}`}, 2}, Responder{llm.Voice{Model: "m", Card: `{"size":1}`}, 1})
	check(second)
	check(at(two, "q4", "q", 0).Author, Responder{llm.Voice{Model: "m", Print: "b1"}, 1})
}

// TestAdopt: completions of one author answer for another where that is said, and what was there stays.
func TestAdopt(t *testing.T) {
	ctx := context.Background()
	path, _, _ := oldVersion(t, 1)
	l := openTest(t, path)
	mine := llm.Author{Provider: "test", Model: "other", Server: two, As: "q4"}
	own := llm.Author{Provider: "test", Model: "m"}
	adopt := func(from, to llm.Author, want Adopted) {
		t.Helper()
		if got, err := l.Adopt(ctx, from, to); err != nil || got != want {
			t.Errorf("%v as %v: %+v, %v, want %+v", from, to, got, err, want)
		}
	}
	check := func(what string, r llm.Request, want string) {
		t.Helper()
		if got, _, err := l.Get(ctx, r.Key()); got.Text != want || err != nil {
			t.Errorf("%s: %q, %v, want %q", what, got.Text, err, want)
		}
	}
	check("before", at(one, "", "plain", 0), "")
	if err := l.Put(ctx, at(one, "", "plain", 0), llm.Response{Text: "its own"}); err != nil {
		t.Fatal(err)
	}
	adopt(own, llm.Author{Provider: "test", Server: one}, Adopted{Completions: 4, Present: 1})
	check("one that was there", at(one, "", "plain", 0), "its own")
	check("one that was not", at(one, "", "plain", 1), "")
	check("one that was not", at(one, "", "raw", 0), "\xff\xfe not UTF-8")
	check("who gave it", at("", "", "raw", 0), "\xff\xfe not UTF-8")
	adopt(llm.Author{Provider: "test", Model: "m", Server: one}, mine, Adopted{Completions: 5})
	check("by name", at("http://10.0.0.1/v1", "q4", "plain", 0), "its own")
	adopt(llm.Author{Provider: "test", Model: "nobody"}, mine, Adopted{})
	if v, err := l.Verify(ctx, func(b Bad) { t.Error(b) }); err != nil || v.Bad != 0 {
		t.Errorf("%+v, %v", v, err)
	}
	if got, err := l.Paid(ctx, ""); len(got) != 0 || err != nil {
		t.Errorf("what was adopted was paid for: %+v, %v", got, err)
	}
}

// TestOneAuthorThroughTwoModels: equal requests of one author are asked once, through however many models; where another
// process stored an answer meanwhile, that is the answer here too, and what was lost is paid for.
func TestOneAuthorThroughTwoModels(t *testing.T) {
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "ledger.db")
	l, other := openTest(t, path), openTest(t, path)
	r := at(one, "", "q", 0)
	met, go_ := make(chan struct{}), make(chan struct{})
	slow := &llm.Scripted{Respond: func(llm.Request) (llm.Response, error) {
		close(met)
		<-go_
		return llm.Response{Text: "slow", Usage: llm.Usage{PromptTokens: 3, CompletionTokens: 4}}, nil
	}}
	never := &llm.Scripted{Reply: func(llm.Request) (string, error) { t.Error("asked twice"); return "", nil }}
	type answer struct {
		text string
		err  error
	}
	got := make(chan answer, 2)
	ask := func(m llm.Model) {
		resp, err := m.Generate(ctx, r)
		got <- answer{resp.Text, err}
	}
	go ask(l.Wrap(slow, Options{Run: "a"}))
	<-met
	go ask(l.Wrap(never, Options{Run: "a"}))
	if err := other.Put(ctx, r, llm.Response{Text: "first"}); err != nil { // as another process would
		t.Fatal(err)
	}
	close(go_)
	for range 2 {
		if a := <-got; a.text != "first" || a.err != nil {
			t.Errorf("%+v, want the answer that was stored first", a)
		}
	}
	took, err := l.Paid(ctx, "a")
	if d := cmp.Diff([]Paid{paid(llm.Author{Provider: "test", Model: "m", Server: one}, 3, 4, 1)}, took); d != "" || err != nil {
		t.Errorf("%v %s", err, d)
	}
}
