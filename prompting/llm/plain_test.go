package llm_test

import (
	"testing"

	"assay/prompting/llm"
)

// TestKeysOfConversations: the keys of ledgers from before Params.API are those of conversations.
func TestKeysOfConversations(t *testing.T) {
	r := llm.Request{Author: llm.Author{Provider: "openai", Model: "m"}, Params: llm.Params{MaxTokens: 9, Stop: []string{";"}},
		Messages: []llm.Message{{Role: llm.User, Text: "SELECT"}}}
	if got, want := r.Key(), "sha256:23ee6d2ee9c3b82340f0cf333485edfb48ff91844f645383cfb82bbfb8a2a048"; got != want {
		t.Errorf("key %s, want %s", got, want)
	}
	plain := r
	plain.Params.API = llm.Completions
	if plain.Key() == r.Key() {
		t.Error("a plain completion has the key of a conversation")
	}
}

func TestPlain(t *testing.T) {
	check := func(what string, r llm.Request, want string, ok bool) {
		t.Helper()
		if got, err := r.Plain(); got != want || (err == nil) != ok {
			t.Errorf("%s: %q, %v", what, got, err)
		}
	}
	turns := func(m ...llm.Message) llm.Request { return llm.Request{Messages: m} }
	system, user := llm.Message{Role: llm.System, Text: "s"}, llm.Message{Role: llm.User, Text: "u\n"}
	model := llm.Message{Role: llm.Assistant, Text: "a"}
	check("one", turns(user), "u\n", true)
	check("an instruction", turns(system, user), "s\n\nu\n", true)
	check("turns", turns(system, user, model, user), "s\n\nu\n\n\na\n\nu\n", true)
	check("none", turns(), "", false)
	check("the model's last", turns(user, model), "", false)
	check("an instruction alone", turns(system), "", false)
	check("a call", turns(user, llm.Message{Role: llm.Assistant, Calls: []llm.ToolCall{{Name: "f"}}}, user), "", false)
	check("tools", llm.Request{Messages: turns(user).Messages, Tools: []llm.Tool{{Name: "f"}}}, "", false)
}
