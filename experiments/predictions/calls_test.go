package predictions

import (
	"strings"
	"testing"

	"assay/experiments/dataset"
	"assay/experiments/record"
)

const aKey = "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

// TestCallsOfAFile: calls are taken as they are listed, and an answer without any had none.
func TestCallsOfAFile(t *testing.T) {
	n := record.CountOf
	f, err := Parse("file", []byte(`{"id":"a","sql":"SELECT 1","calls":[{"stage":"draft","key":"`+aKey+`","prompt_tokens":7,"completion_tokens":2,"cached_tokens":3,"reasoning_tokens":1,"cost_usd":0.5,"finish":"stop"},{"stage":"fix 1","sample":1,"failure":"http 500"}]}
{"id":"b","sql":"SELECT 2","calls":[]}
{"id":"c","sql":"SELECT 3"}
`))
	if err != nil {
		t.Fatal(err)
	}
	want := []Call{{Taken: Taken{PromptTokens: n(7), CompletionTokens: n(2), USD: record.Value{V: 0.5, OK: true}, Key: aKey}, Stage: "draft", CachedTokens: n(3), ReasoningTokens: n(1), Finish: "stop"},
		{Stage: "fix 1", Sample: 1, Failure: "http 500"}}
	if got := f.Entries[0].Calls(); len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := f.Entries[0].Total(); got.PromptTokens.OK || got.USD.OK {
		t.Errorf("a sum with an unknown part is %+v", got)
	}
	if got := f.Entries[1].Total(); got.PromptTokens != n(0) || f.Entries[1].Made == nil || len(f.Untaken) > 0 {
		t.Errorf("no call: %+v, %v", got, f.Untaken)
	}
	if got := f.Entries[2]; got.Made != nil || got.Total().PromptTokens.OK {
		t.Errorf("unknown calls: %+v", got)
	}
	m := NewMethod([]dataset.Example{}, nil, "m", 0)
	if len(m.Keys()) != 0 {
		t.Error(m.Keys())
	}
}

// TestWrongCalls: what cannot be a call is an error with its line.
func TestWrongCalls(t *testing.T) {
	check := func(calls, part string) {
		t.Helper()
		_, err := Parse("file", []byte(`{"id":"a","sql":"x"}`+"\n"+`{"id":"b","sql":"x",`+calls+`}`))
		if err == nil || !strings.Contains(err.Error(), part) || !strings.Contains(err.Error(), "line 2") {
			t.Errorf("%s: %v, want %q", calls, err, part)
		}
	}
	check(`"calls":[{}]`, "call 1: want a stage")
	check(`"calls":[{"stage":"imported"}]`, "want a stage")
	check(`"calls":[{"stage":"x"},{"stage":"x","sample":-1}]`, "call 2: sample is -1")
	check(`"calls":[{"stage":"x","key":"../../etc"}]`, "key")
	check(`"calls":[{"stage":"x","prompt":"P"}]`, "prompt")
	check(`"calls":[{"stage":"x","prompt_tokens":-1}]`, "prompt_tokens")
	check(`"calls":[{"stage":"x","cached_tokens":1.5}]`, "cached_tokens")
	check(`"calls":[],"prompt_tokens":1`, "count twice")
	check(`"calls":7`, "calls")
}

// TestStoredCalls: a run that was imported with calls gives the same answers again.
func TestStoredCalls(t *testing.T) {
	e := Entry{}
	e.restore(record.Answer{Item: &record.Item{Calls: record.CountOf(1)}, Calls: []record.Call{{Stage: "draft", Sample: 2, Key: aKey, PromptTokens: record.CountOf(4), Finish: "stop"}}})
	if len(e.Made) != 1 || e.Made[0] != (Call{Taken: Taken{PromptTokens: record.CountOf(4), Key: aKey}, Stage: "draft", Sample: 2, Finish: "stop"}) {
		t.Errorf("%+v", e.Made)
	}
}
