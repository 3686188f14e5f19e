package pairs

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"assay/configs"
	"assay/experiments/catalog"
	"assay/experiments/plan"
	"assay/experiments/record"
	"assay/experiments/runner"
	"assay/experiments/store"
	"assay/metrics"
	"assay/prompting/llm"

	"github.com/google/go-cmp/cmp"
)

const experiment = `name = "pools"
[dataset]
kind = "sample"
limit = 40
[model]
provider = "baseline"
temperature = 1
samples = 4
[schema]
format = "bird"
descriptions = 3
[values]
use = true
keywords = "model"
show = "instead"
[columns]
use = "one-call"
[selection]
rule = "pairwise"
[[arm]]
name = "pool"
method = "pool"
generators = ["bird-cot", "standard"]
exemplars.k = 2
[[arm]]
name = "again"
method = "pool"
generators = ["bird-cot", "standard"]
exemplars.k = 2
`

// made is a run of the sample and its store.
func made(t *testing.T) (*record.Run, store.Store, string) {
	t.Helper()
	cache := t.TempDir()
	e, err := configs.Parse("pools.toml", []byte(experiment), catalog.Known)
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.Make(t.Context(), e, plan.Options{Cache: cache})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	s := store.Open(t.TempDir())
	res, err := runner.Run(t.Context(), p, runner.Options{Store: s})
	if err != nil {
		t.Fatal(err)
	}
	r, err := record.Read(res.Dir, catalog.Known)
	if err != nil {
		t.Fatal(err)
	}
	return r, s, cache
}

// TestPromptsAreThoseAsked: what the selector of the run was asked is what a tuned one is trained on, word for word.
func TestPromptsAreThoseAsked(t *testing.T) {
	r, s, cache := made(t)
	l, err := s.Ledger()
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	asked := map[string]bool{}
	for _, c := range r.Calls {
		if c.Stage != "choose" {
			continue
		}
		e, ok, err := l.Entry(t.Context(), c.Key)
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
		asked[texts(e.Request.Messages, llm.System)+"\n"+texts(e.Request.Messages, llm.User)] = true
	}
	o := Options{Force: true, Cache: cache}
	set, err := Make(t.Context(), []*record.Run{r}, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range set.Pairs {
		if !asked[texts(p.Messages, llm.System)+"\n"+texts(p.Messages, llm.User)] {
			t.Errorf("%s: the run's selector was not asked\n%s", p.Item, texts(p.Messages, llm.User))
		}
	}
	a, b := set.Labels()
	if len(set.Pairs) < 5 || a-b > 1 || b-a > 1 || set.Twice == 0 || set.Mixed == 0 || set.None == 0 {
		t.Errorf("%d pairs, %d A, %d B, %+v", len(set.Pairs), a, b, set)
	}
	t.Run("again", func(t *testing.T) { again(t, r, o, set) })
	t.Run("gold", func(t *testing.T) { goldPairs(t, r, o, set) })
	t.Run("refused", func(t *testing.T) { refused(t, r, o) })
}

// again: the same options give the same bytes, another seed other orders, a bound fewer pairs of the same.
func again(t *testing.T, r *record.Run, o Options, first *Set) {
	write := func(o Options) (string, *Set) {
		set, err := Make(t.Context(), []*record.Run{r}, o)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := set.Write(&b, "jsonl"); err != nil {
			t.Fatal(err)
		}
		return b.String(), set
	}
	one, _ := write(o)
	two, _ := write(o)
	if one != two {
		t.Error("not the same bytes")
	}
	other := o
	other.Seed = 9
	if three, set := write(other); three == one || len(set.Pairs) != len(first.Pairs) {
		t.Errorf("another seed: %d pairs for %d, the same bytes: %v", len(set.Pairs), len(first.Pairs), three == one)
	}
	other.PerItem = 1
	_, few := write(other)
	items := map[string]int{}
	for _, p := range few.Pairs {
		if items[p.Item]++; items[p.Item] > 1 {
			t.Errorf("%s has several pairs", p.Item)
		}
	}
	if len(few.Pairs) == 0 || len(few.Pairs) >= len(first.Pairs) {
		t.Errorf("%d pairs with one an item, %d without", len(few.Pairs), len(first.Pairs))
	}
	twice, err := Make(t.Context(), []*record.Run{r, r}, o)
	if err != nil || len(twice.Pairs) != len(first.Pairs) {
		t.Errorf("the same run twice gives %d pairs for %d, %v", len(twice.Pairs), len(first.Pairs), err)
	}
}

// goldPairs: where no candidate is right, the gold query is, and the rest stays.
func goldPairs(t *testing.T, r *record.Run, o Options, first *Set) {
	o.NoneRight = true
	set, err := Make(t.Context(), []*record.Run{r}, o)
	if err != nil {
		t.Fatal(err)
	}
	golds, ours := map[string]string{}, 0
	for _, q := range r.Questions {
		golds[q.Item] = q.Gold
	}
	for _, p := range set.Pairs {
		right := p.A
		if p.Label == "B" {
			right = p.B
		}
		if p.Gold != (right == golds[p.Item]) && p.Gold {
			t.Errorf("%s: the right query is %s", p.Item, right)
		}
		if !p.Gold {
			ours++
		}
	}
	if a, b := set.Labels(); ours != len(first.Pairs) || len(set.Pairs) <= ours || a-b > 1 || b-a > 1 {
		t.Errorf("%d pairs of candidates for %d, %d in all, %d A, %d B", ours, len(first.Pairs), len(set.Pairs), a, b)
	}
}

func refused(t *testing.T, r *record.Run, o Options) {
	check := func(want string, change func(*record.Run, *Options)) {
		t.Helper()
		own, with := *r, o
		change(&own, &with)
		_, err := Make(t.Context(), []*record.Run{&own}, with)
		if err == nil || !strings.HasPrefix(err.Error(), `pairs: run "pools-`) || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	check("training splits alone", func(_ *record.Run, o *Options) { o.Force = false })
	check("does not say which values were found", func(r *record.Run, _ *Options) { r.Links = nil })
	check("the dataset does not have it", func(r *record.Run, _ *Options) { r.Resolved.Dataset.Limit = 1 })
	check("has no such arm", func(r *record.Run, _ *Options) { r.Resolved.Arms = r.Resolved.Arms[1:] })
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Make(ctx, []*record.Run{r}, o); err == nil {
		t.Error("cancelled, and done")
	}
}

// TestProper: training splits alone, and the dataset that was run, unless forced.
func TestProper(t *testing.T) {
	check := func(split, hash string, force, right, same bool) {
		t.Helper()
		r := &record.Run{Manifest: record.Manifest{Dataset: "spider/" + split, DatasetHash: "sha256:1"}}
		r.Resolved.Dataset.Split = split
		o := Options{Force: force}
		if p, u := proper(r, o), unchanged(r, hash, o); (p == nil) != right || (u == nil) != same {
			t.Errorf("%s: %v, %v", split, p, u)
		}
	}
	check("train", "sha256:1", false, true, true)
	check("train_others", "sha256:2", false, true, false)
	check("dev", "sha256:1", false, false, true)
	check("mini_dev", "sha256:1", false, false, true)
	check("test", "sha256:2", true, true, true)
}

func TestGroups(t *testing.T) {
	check := func(right, wrong string, ok bool, cs ...record.Candidate) {
		t.Helper()
		r, w, k := groups(cs)
		if d := cmp.Diff([]string{right, wrong}, []string{strings.Join(r, " "), strings.Join(w, " ")}); d != "" || k != ok {
			t.Errorf("ok %v: %s", k, d)
		}
	}
	c := func(sql, digest string, status metrics.Status) record.Candidate {
		return record.Candidate{SQL: sql, Digest: digest, Status: status}
	}
	check("a", "b", true, c("a", "1", metrics.Correct), c("b", "2", metrics.Wrong), c("a2", "1", metrics.Correct), c("b2", "2", metrics.Wrong))
	check("a2", "", true, c("a", "1", metrics.Wrong), c("a2", "1", metrics.Correct)) // the same rows, in the order wanted
	check("a d", "b c", true, c("a", "1", metrics.Correct), c("b", "2", metrics.Wrong), c("c", "", metrics.SQLError), c("d", "3", metrics.Correct))
	failed := record.Candidate{SQL: "e", Status: metrics.SQLError, Why: "no such column: x"}
	same := failed
	same.SQL = "f"
	check("", "e g", true, failed, same, c("g", "", metrics.SQLTimeout))
	check("a", "", true, c("a", "1", metrics.Correct), c("", "", metrics.NoSQL), c("x", "", metrics.ModelError))
	check("", "", false, c("", "", metrics.NoSQL))
	check("", "", false, c("a", "1", metrics.GoldError))
	check("", "", false)
}

// TestForms holds each form to a golden file, and its shape to what the providers document.
func TestForms(t *testing.T) {
	set := &Set{Pairs: []Pair{{Run: "0123456789", Item: "x/train/1", DB: "ferry", Arm: "pool", Point: []string{"0.5"}, Seed: 3, Question: "Which <ports>?",
		A: "SELECT 1", B: "SELECT 2", Label: "B", Messages: []llm.Message{{Role: llm.System, Text: "Judge."}, {Role: llm.User, Text: "### A\n\"1\" é"}}}}}
	for _, format := range Formats {
		var b bytes.Buffer
		if err := set.Write(&b, format); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join("testdata", format+".golden")
		want, err := os.ReadFile(path)
		if err != nil || string(want) != b.String() {
			t.Errorf("%s: %v\n%s", path, err, b.String())
		}
		var keys map[string]json.RawMessage
		if err := json.Unmarshal(b.Bytes(), &keys); err != nil {
			t.Error(err)
		}
		wanted := map[string][]string{"gemini": {"contents", "systemInstruction"}, "openai": {"messages"}}[format]
		var got []string
		for k := range keys {
			got = append(got, k)
		}
		if slices.Sort(got); wanted != nil && !slices.Equal(got, wanted) {
			t.Errorf("%s: keys %q", format, got)
		}
	}
	if err := set.Write(&bytes.Buffer{}, "xml"); err == nil || !strings.Contains(err.Error(), "there are jsonl, gemini, openai") {
		t.Errorf("got %v", err)
	}
	if err := set.Write(full{}, "jsonl"); err == nil {
		t.Error("a full disk is no error")
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, fmt.Errorf("no space") }
