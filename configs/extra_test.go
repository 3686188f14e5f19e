package configs

import (
	"encoding/json"
	"strings"
	"testing"
)

// sentBy loads an experiment with two arms, a and b, and returns what each cell's [model] says of reasoning, seed and extra
// fields, or the problems without their places.
func sentBy(t *testing.T, model, rest string, o Options) (cells []string, problems string) {
	t.Helper()
	text := "name = \"x\"\nmetrics = [\"ex\"]\n[dataset]\nkind = \"sample\"\n[model]\nprovider = \"vllm\"\nname = \"m\"\n" + model +
		"\n[[arm]]\nname = \"a\"\nmethod = \"standard\"\n[[arm]]\nname = \"b\"\nmethod = \"standard\"\n" + rest
	s := &source{name: "x.toml", dir: "/exp", text: text}
	e, err := s.load("x", known, o)
	if err != nil {
		return nil, err.Error()
	}
	again := func(e Experiment) (out []string) {
		for _, c := range e.Cells() {
			m := c.Arm.Model
			b, err := json.Marshal(m.Extra)
			if err != nil {
				t.Fatal(err)
			}
			line := c.Arm.Name + " " + m.Reasoning + " " + string(b)
			if m.Seed != nil {
				line += " seeded"
			}
			out = append(out, line)
		}
		return out
	}
	written, err := e.TOML()
	if err != nil {
		t.Fatal(err)
	}
	s = &source{name: "run.toml", dir: "/run", text: string(written), ran: true}
	stored, err := s.load("run", known, Options{})
	if err != nil {
		t.Fatalf("what a run stores cannot be read: %v\n%s", err, written)
	}
	if a, b := strings.Join(again(e), "\n"), strings.Join(again(stored), "\n"); a != b {
		t.Errorf("a run stores\n%s\nfor\n%s", b, a)
	}
	return again(e), ""
}

// TestReasoningSeedAndExtra: what is stated of them reaches every cell, by inheritance key by key, --set and sweeps.
func TestReasoningSeedAndExtra(t *testing.T) {
	check := func(what, model, rest string, set []string, want ...string) {
		t.Helper()
		got, problems := sentBy(t, model, rest, Options{Set: set})
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("%s:\n%s\nwant\n%s\n%s", what, strings.Join(got, "\n"), strings.Join(want, "\n"), problems)
		}
	}
	check("not stated", "", "", nil, "a  null", "b  null")
	check("an effort", `reasoning = "low"`, `model.reasoning = "high"`, nil, "a low null", "b high null")
	check("a budget, as a number or as text", `reasoning = 1024`, `model.reasoning = "2048"`, nil, "a 1024 null", "b 2048 null")
	check("taken back", `reasoning = 1024`, `model.reasoning = ""`, nil, "a 1024 null", "b  null")
	check("a seed", `seed = 0`, ``, nil, "a  null seeded", "b  null seeded")
	check("set", "", "", []string{"model.reasoning=4096", "arm.b.model.reasoning=max"}, "a 4096 null", "b max null")
	check("swept", "", "[sweep]\n\"model.reasoning\" = [\"low\", 512]\n", nil, "a low null", "b low null", "a 512 null", "b 512 null")
	check("fields", `extra.min_p = 0.05`, `model.extra.top_a = 1`, nil, `a  {"min_p":0.05}`, `b  {"min_p":0.05,"top_a":1}`)
	check("a field of its own", `extra.min_p = 0.05`, `model.extra.min_p = 0.1`, nil, `a  {"min_p":0.05}`, `b  {"min_p":0.1}`)
	check("fields below a table", `extra.chat_template_kwargs = {enable_thinking = true, x = "y"}`, `model.extra.chat_template_kwargs.enable_thinking = false`, nil,
		`a  {"chat_template_kwargs":{"enable_thinking":true,"x":"y"}}`, `b  {"chat_template_kwargs":{"enable_thinking":false,"x":"y"}}`)
	check("a value in place of a table", `extra.k.x = 1`, `model.extra.k = 2`, nil, `a  {"k":{"x":1}}`, `b  {"k":2}`)
	check("a table in place of a value", `extra.k = 1`, `model.extra.k.x = 2`, nil, `a  {"k":1}`, `b  {"k":{"x":2}}`)
	check("a section", "[model.extra]\nmin_p = 0.5\n[model.extra.k]\nx = [1, 2]", "", nil, `a  {"k":{"x":[1,2]},"min_p":0.5}`, `b  {"k":{"x":[1,2]},"min_p":0.5}`)
	check("a list of tables", `extra.plugins = [{id = "web", n = [1]}]`, "", nil, `a  {"plugins":[{"id":"web","n":[1]}]}`, `b  {"plugins":[{"id":"web","n":[1]}]}`)
	check("another provider", `extra.min_p = 0.5`, "model.provider = \"llamacpp\"\n", nil, `a  {"min_p":0.5}`, `b  null`)
	check("another provider's own", `extra.min_p = 0.5`, "model.provider = \"llamacpp\"\nmodel.extra.x = 1\n", nil, `a  {"min_p":0.5}`, `b  {"x":1}`)
	check("set a field", "extra.k.x = 1", "", []string{"model.extra.min_p=0.1", "arm.b.model.extra.k.x=true", "model.extra.w=word"},
		`a  {"k":{"x":1},"min_p":0.1,"w":"word"}`, `b  {"k":{"x":true},"min_p":0.1,"w":"word"}`)
	check("set a value in place of a table", "extra.k.x = 1", "", []string{"model.extra.k=2"}, `a  {"k":2}`, `b  {"k":2}`)
	check("swept fields", "", "[sweep]\n\"model.extra.min_p\" = [0.05, 1]\n\"model.extra.k.x\" = [true]\n", nil,
		`a  {"k":{"x":true},"min_p":0.05}`, `b  {"k":{"x":true},"min_p":0.05}`, `a  {"k":{"x":true},"min_p":1}`, `b  {"k":{"x":true},"min_p":1}`)
	check("swept texts that look like numbers", "", "[sweep]\n\"model.extra.v\" = [\"1\", \"true\"]\n", nil, `a  {"v":"1"}`, `b  {"v":"1"}`, `a  {"v":"true"}`, `b  {"v":"true"}`)
	check("the baseline ignores them", "reasoning = 9\nseed = 1\nextra.x = 1", "", []string{"model.provider=baseline"}, `a 9 {"x":1} seeded`, `b 9 {"x":1} seeded`)
}

// TestReasoningSeedAndExtraRefused: what cannot be sent is refused with what to do.
func TestReasoningSeedAndExtraRefused(t *testing.T) {
	check := func(what, model, rest string, set []string, want string) {
		t.Helper()
		if got, problems := sentBy(t, model, rest, Options{Set: set}); !strings.Contains(problems, want) {
			t.Errorf("%s: %q, %s, want %q", what, got, problems, want)
		}
	}
	check("a misspelt effort", `reasoning = "hgih"`, "", nil, `x.toml:8: model.reasoning`)
	check("its nearest", `reasoning = "hgih"`, "", nil, `"high"`)
	check("a negative budget", `reasoning = -1`, "", nil, "no budget of reasoning: state 0 to 10000000 tokens")
	check("leading zeros", `reasoning = "007"`, "", nil, "write 7")
	check("no whole number", `reasoning = 1.5`, "", nil, "wants text or integer, not 1.5")
	check("a negative seed", `seed = -1`, "", nil, "too small")
	check("a budget of a provider that takes none", `reasoning = 99`, `model.provider = "openai"`, nil, "the provider openai takes no budget in tokens: state an effort (none, minimal")
	check("a budget below the provider's least", `reasoning = 1023`, `model.provider = "anthropic"`, nil, `reasoning = 1023: the provider anthropic takes budgets from 1024 tokens: raise it, or state "none"`)
	check("an effort of a provider that lacks it", `reasoning = "xhigh"`, `model.provider = "gemini"`, nil, `the provider gemini takes none, minimal, low, medium, high, or a budget in tokens`)
	check("a budget that leaves nothing for the answer", "reasoning = 99\nmax_tokens = 99", "", nil, "reasoning = 99 is not below max_tokens = 99")
	check("a plain completion", "reasoning = \"low\"\napi = \"completions\"\nmax_tokens = 9", "", nil, "has no chat template")
	check("a stage", "", "stages.fix.reasoning = \"xhigh\"\nfixer.tries = 1\nmodel.provider = \"gemini\"", nil, `stages.fix.reasoning = "xhigh": the provider gemini`)
	check("who selects", "", "selection.reasoning = 9\nselection.provider = \"ollama\"\nselection.name = \"m\"", nil, `selection.reasoning = 9: the provider ollama`)
	check("a field with a key of its own", `extra.top_k = 3`, "", nil, "model.extra.top_k cannot be stated: it is sent as model.top_k says")
	check("a field that assay sets", `extra.messages = []`, "", nil, "assay sets it itself")
	check("the budget under its own name", `extra.thinking_token_budget = 3`, "", nil, "it is sent as model.reasoning says")
	check("an entry with a key of its own", `extra.thinkingConfig.thinkingBudget = 3`, `model.provider = "gemini"`+"\nmodel.extra.thinkingConfig.thinkingBudget = 3", nil, "it is sent as model.reasoning says")
	check("a value in place of a table with such an entry", "reasoning = \"low\"\nextra.reasoning = \"high\"", "model.provider = \"openrouter\"\nmodel.extra.reasoning = \"high\"", nil, "model.extra.reasoning must be a table, as it has the entry")
	check("an empty table", `extra.k = {}`, "", nil, "x.toml:8: model.extra.k wants")
	check("a date", `extra.k = 2024-01-01`, "", nil, "wants text, a number")
	check("not a number", `extra.k = nan`, "", nil, "wants text, a number")
	check("a table in place of fields", `extra = 3`, "", nil, "model.extra must be a table")
	check("set without a field", "", "", []string{"model.extra=3"}, "model.extra is a table: write model.extra.KEY=VALUE")
	check("set a table", "", "", []string{"model.extra.k={a=1}"}, "model.extra.k wants")
	check("a name with a dot", `extra."a.b" = 3`, "", nil, `may hold no dot`)
	check("a name with a line break", "extra.\"a\\nb\" = 3", "", nil, "unknown key")
	check("an axis with a comma", "", "[sweep]\n\"model.extra.a,b\" = [3]\n", nil, "unknown parameter")
	check("a name that is none", `extra."" = 3`, "", nil, "unknown key")
	check("a key in the file", `extra.headers.api_key = "x"`, "", nil, "model.extra.headers.api_key would be stored with every run")
	check("a key by --set", "", "", []string{"model.extra.Authorization=Bearer x"}, "would be stored")
	check("a list too deep", `extra.k = [[[[[[[[[[1]]]]]]]]]]`, "", nil, "wants text, a number")
	check("swept tables", "", "[sweep]\n\"model.extra.k\" = [{a = 1}]\n", nil, "sweep: model.extra.k wants")
	check("an axis of the table", "", "[sweep]\n\"model.extra\" = [1]\n", nil, "model.extra")
	check("azure without its address", "", "model.provider = \"azure\"", nil, "model.base_url is missing: the provider azure has no address of its own")
	check("a version of the API elsewhere", "", "model.base_url = \"http://x/v1?api-version=2024-10-21\"", nil, "which the provider vllm does not take")
	check("vectors of azure without its address", "", "[embeddings]\nprovider = \"azure\"\nname = \"x\"", nil, "embeddings.base_url is missing: the provider azure has no address of its own")
	check("vectors of a version of the API elsewhere", "", "[embeddings]\nprovider = \"vllm\"\nname = \"x\"\nbase_url = \"http://x/v1?api-version=2024-10-21\"", nil, "embeddings.base_url has an api-version")
	check("a query that is none", "", "model.base_url = \"http://x/v1?key=2024-10-21\"", nil, "holds a user, a password, a query")
}

// TestSelectorsReasoning: the arm's own model selects with the arm's settings, another with its own alone.
func TestSelectorsReasoning(t *testing.T) {
	check := func(what string, s Selection, want string) {
		t.Helper()
		m, _ := Arm{Model: Model{Provider: "vllm", Name: "m", Reasoning: "low", Extra: map[string]any{"a": 1, "k": map[string]any{"x": 1}}}, Selection: s}.Selector()
		if b, _ := json.Marshal(m.Extra); m.Reasoning+" "+string(b) != want {
			t.Errorf("%s: %s %s, want %s", what, m.Reasoning, b, want)
		}
	}
	check("the arm's", Selection{}, `low {"a":1,"k":{"x":1}}`)
	check("the arm's with more", Selection{Reasoning: "9", Extra: map[string]any{"k": map[string]any{"y": 2}}}, `9 {"a":1,"k":{"x":1,"y":2}}`)
	check("another", Selection{Name: "n"}, ` null`)
	check("another with its own", Selection{Provider: "gemini", Name: "n", Reasoning: "high", Extra: map[string]any{"b": 1}}, `high {"b":1}`)
}
