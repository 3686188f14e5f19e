package configs

import (
	"strings"
	"testing"
)

const named = `
name = "x"
[dataset]
kind = "sample"
[model]
provider = "openai"
name = "alpha"
base_url = "http://one"
as = "shared"
`

// TestAuthors: model.as names one model in an experiment. An arm of another model does not inherit it; the same name for
// two is refused.
func TestAuthors(t *testing.T) {
	as := func(more string) string {
		t.Helper()
		e, err := parse(named+more, Options{})
		if err != nil {
			return err.Error()
		}
		var out []string
		for _, c := range e.Cells() {
			out = append(out, c.Arm.Model.As)
		}
		return strings.Join(out, " ")
	}
	check := func(what, more, want string) {
		t.Helper()
		if got := as(more); want == "" && strings.TrimSpace(got) != "" || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
	const a, b = "[[arm]]\nname = \"a\"\nmethod = \"standard\"\n", "[[arm]]\nname = \"b\"\nmethod = \"cot\"\n"
	check("inherited", a+b, "shared shared")
	check("another model", a+b+"model.name = \"beta\"\n", "shared ")
	check("another address", a+b+"model.base_url = \"http://two\"\n", "shared ")
	check("the same model, stated again", a+b+"model.name = \"alpha\"\n", "shared shared")
	check("another model under a name of its own", a+b+"model.name = \"beta\"\nmodel.as = \"other\"\n", "shared other")
	check("another model under the same name", a+b+"model.name = \"beta\"\nmodel.as = \"shared\"\n",
		`arm "b": model.as "shared" names two models, "alpha" at http://one and "beta" at http://one`)
	check("a sweep over models", a+"[sweep]\n\"model.name\" = [\"alpha\", \"beta\"]\n", `model.as "shared" names two models`)
	check("a sweep over addresses", a+"[sweep]\n\"model.base_url\" = [\"http://one\", \"http://two\"]\n", `model.as "shared" names two models`)
	check("an address spelled otherwise", a+b+"model.base_url = \"http://one/\"\nmodel.as = \"shared\"\n", "shared shared")
	check("a selector of that name", a+"selection.name = \"judge\"\nselection.as = \"shared\"\n", `model.as "shared" names two models`)
}

// TestAnotherProvidersAddress: an arm of another provider states its address and its key itself.
func TestAnotherProvidersAddress(t *testing.T) {
	check := func(what, more, want string) {
		t.Helper()
		e, err := parse(named+"key_env = \"K\"\n"+more, Options{})
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			m := e.Arms[0].Model
			got = strings.Join([]string{m.Provider, m.BaseURL, m.KeyEnv}, "|")
		}
		if !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
	const arm = "[[arm]]\nname = \"a\"\nmethod = \"standard\"\n"
	check("the same provider", arm+"model.provider = \"openai\"\n", "openai|http://one|K")
	check("another", arm+"model.provider = \"vllm\"\n", `model.provider is "vllm" here: state model.base_url too, as that of [model] is for "openai"; "" is the provider's own`)
	check("another with an address", arm+"model.provider = \"vllm\"\nmodel.base_url = \"http://two\"\n", "state model.key_env too")
	check("another with both", arm+"model.provider = \"vllm\"\nmodel.base_url = \"\"\nmodel.key_env = \"\"\n", "vllm||")
	check("the baseline", arm+"model.provider = \"baseline\"\n", "baseline|")
	vectors := "[embeddings]\nprovider = \"openai\"\nname = \"v\"\nkey_env = \"K\"\n" + arm
	check("vectors", vectors+"embeddings.provider = \"gemini\"\n", "state embeddings.key_env too")
	check("offline vectors", vectors+"embeddings.provider = \"offline\"\n", "openai|http://one|K")
}

// TestSelectors: whatever of a selector is stated has its effect, or is refused.
func TestSelectors(t *testing.T) {
	check := func(what, more, want string) {
		t.Helper()
		e, err := parse(named+"[[arm]]\nname = \"a\"\nmethod = \"standard\"\n"+more, Options{})
		got := ""
		if err != nil {
			got = err.Error()
		} else if m, own := e.Arms[0].Selector(); own {
			got = strings.Join([]string{m.Provider, m.Name, m.BaseURL, m.KeyEnv, m.As}, "|")
		} else {
			got = "the arm's"
		}
		if !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
	check("none", "", "the arm's")
	check("a name", "selection.name = \"judge\"\n", "openai|judge|http://one||")
	check("an address", "selection.base_url = \"http://two\"\n", "openai|alpha|http://two||")
	check("name and address", "selection.name = \"judge\"\nselection.base_url = \"http://two\"\nselection.key_env = \"K\"\nselection.as = \"j\"\n", "openai|judge|http://two|K|j")
	check("the arm's key stays at the arm's address", "model.key_env = \"MINE\"\nselection.base_url = \"http://two\"\n", "openai|alpha|http://two||")
	check("a provider", "selection.provider = \"gemini\"\nselection.name = \"judge\"\n", "gemini|judge|||")
	check("a provider without a model", "selection.provider = \"gemini\"\n", "selection.name is missing")
	check("a key alone", "selection.key_env = \"K\"\n", "no effect without selection.provider")
	check("a name of an author alone", "selection.as = \"j\"\n", "selection.as has no effect")
}
