package catalog

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"assay/configs"
	"assay/prompting"
	"assay/prompting/llm"
	"assay/prompting/llm/retry"
	"assay/prompting/methodtest"
)

func TestAuthor(t *testing.T) {
	check := func(m configs.Model, want string) {
		t.Helper()
		if got, err := Author(m); err != nil || got.String() != want {
			t.Errorf("%+v: %s, %v, want %s", m, got, err, want)
		}
	}
	check(configs.Model{Provider: "openai", Name: "m"}, "openai/m")
	check(configs.Model{Provider: "openai", Name: "m", BaseURL: "https://api.openai.com/v1/"}, "openai/m")
	check(configs.Model{Provider: "openai", Name: "m", BaseURL: "http://LOCALHOST:8080/v1/"}, "openai/m at http://localhost:8080/v1")
	check(configs.Model{Provider: "openai", Name: "m", BaseURL: "http://localhost/v1", As: "q4"}, "openai/q4")
	check(configs.Model{Provider: "gemini", Name: "m", BaseURL: "https://generativelanguage.googleapis.com"}, "gemini/m")
	check(configs.Model{Provider: "gemini", Name: "m", BaseURL: "https://proxy.example"}, "gemini/m at https://proxy.example")
	if a, err := Author(configs.Model{Provider: "baseline", Name: "x", BaseURL: "http://x", As: "y"}); err != nil || a.Server != "" || a.As != "" {
		t.Errorf("the baseline names itself: %+v, %v", a, err)
	}
	for _, bad := range []string{"http://user:secret@host/v1", "http://host/v1?key=secret", "localhost:8080"} {
		if _, err := Author(configs.Model{Provider: "openai", Name: "m", BaseURL: bad}); err == nil {
			t.Errorf("%s is no address", bad)
		}
	}
}

// TestEveryModelSettingIsInTheKey: whatever an experiment says of its model changes the key of its requests, but for what
// says how the model is reached or how often it is asked, and for its trait. A setting that is new has to be put in one list or the other.
func TestEveryModelSettingIsInTheKey(t *testing.T) {
	outside := map[string]bool{"KeyEnv": true, "KeyFile": true, "Samples": true, "Local": true}
	key := func(m configs.Model) string {
		t.Helper()
		arm := methodtest.Arm("standard", "apidocs", 0)
		arm.Model = m
		author, err := Author(m)
		if err != nil {
			t.Fatal(err)
		}
		model := &llm.Scripted{}
		method, err := Method(prompting.Deps{Model: model, Author: author}, arm, 1)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := method.Answer(t.Context(), methodtest.Question()); err != nil {
			t.Fatal(err)
		}
		return model.Asked()[0].Key()
	}
	plain := configs.Model{Provider: "openai", Name: "m"}
	half, three, seed := 0.5, 3, int64(4)
	other := configs.Model{Provider: "gemini", Name: "n", BaseURL: "http://localhost/v1", As: "q4", KeyEnv: "KEY", KeyFile: "file",
		Temperature: 0.5, TopP: &half, TopK: &three, MaxTokens: 7, Stop: []string{";"}, Samples: 2, Logprobs: true, Local: true, API: "completions",
		Reasoning: "low", Seed: &seed, Extra: map[string]any{"min_p": 0.1}}
	for i := range reflect.TypeFor[configs.Model]().NumField() {
		field := reflect.TypeFor[configs.Model]().Field(i).Name
		changed := plain
		value := reflect.ValueOf(other).Field(i)
		if value.IsZero() {
			t.Errorf("the test has no other value of %s", field)
		}
		reflect.ValueOf(&changed).Elem().Field(i).Set(value)
		if same := key(changed) == key(plain); same != outside[field] {
			t.Errorf("%s: the key is the same: %v", field, same)
		}
	}
}

func TestCanonical(t *testing.T) {
	check := func(a llm.Author, want string) {
		t.Helper()
		if got, err := Canonical(a); err != nil || got.String() != want {
			t.Errorf("%+v: %s, %v, want %s", a, got, err, want)
		}
	}
	check(llm.Author{Provider: "openai", Model: "m", Server: "http://LOCALHOST:80/v1/"}, "openai/m at http://localhost/v1")
	check(llm.Author{Provider: "openai", Model: "m", Server: "https://api.openai.com/v1/"}, "openai/m")
	check(llm.Author{Provider: "openai", Model: "m"}, "openai/m")
	check(llm.Author{Provider: "openrouter", Model: "m"}, "openrouter/m")
	check(llm.Author{Provider: "ollama", Model: "m"}, "ollama/m at http://127.0.0.1:11434/v1") // another machine's is another
	check(llm.Author{Provider: "azure", Model: "m", Server: "https://X.openai.azure.com/openai/deployments/d/?api-version=2024-10-21"},
		"azure/m at https://x.openai.azure.com/openai/deployments/d?api-version=2024-10-21")
	check(llm.Author{Provider: "elsewhere", Model: "m", Server: "http://X/"}, "elsewhere/m at http://X/")
	check(llm.Author{Provider: "baseline", Model: "rules-1"}, "baseline/rules-1")
	if _, err := Canonical(llm.Author{Provider: "openai", Model: "m", Server: "http://u:p@x"}); err == nil {
		t.Error("an address with a password")
	}
}

// TestKeysStayAtHome: an experiment's own address gets a key only where the experiment names one, or the address is one of the
// provider's domain.
func TestKeysStayAtHome(t *testing.T) {
	for _, name := range []string{"OPENAI_API_KEY", "OPENROUTER_API_KEY", "AZURE_OPENAI_API_KEY"} {
		t.Setenv(name, "")
	}
	check := func(m configs.Model, want string) {
		t.Helper()
		m.Name = "m"
		_, err := Model(t.Context(), m, configs.Limits{}, retry.Options{})
		if why := fmt.Sprint(err); (err == nil) != (want == "") || !strings.Contains(why, want) {
			t.Errorf("%+v: %v, want %q", m, err, want)
		}
	}
	check(configs.Model{Provider: "openai"}, "OPENAI_API_KEY is not set")
	check(configs.Model{Provider: "openai", BaseURL: "http://x/v1"}, "")
	check(configs.Model{Provider: "ollama"}, "")
	check(configs.Model{Provider: "llamacpp"}, "")
	check(configs.Model{Provider: "vllm", KeyEnv: "VLLM_API_KEY"}, "VLLM_API_KEY is not set")
	check(configs.Model{Provider: "openrouter"}, "OPENROUTER_API_KEY is not set")
	check(configs.Model{Provider: "openrouter", BaseURL: "http://x/v1"}, "")
	check(configs.Model{Provider: "azure", BaseURL: "https://n.openai.azure.com/openai/v1"}, "AZURE_OPENAI_API_KEY is not set")
	for _, elsewhere := range []string{"http://n.openai.azure.com/openai/v1", "https://evil.test/.azure.com", "https://azure.com.evil.test/v1", "https://evilazure.com/v1"} {
		check(configs.Model{Provider: "azure", BaseURL: elsewhere}, "")
	}
}
