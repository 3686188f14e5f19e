package configs

import (
	"maps"
	"slices"
	"strings"
)

// Interactive is the method in which the model works on the database with tools, a step a turn.
const Interactive = "interactive"

// Agent says how the model works on the database with tools (Interactive-T2S). What a file does not state is the
// preset's; for an arm whose method is interactive the preset also stands in for the keys of [model] that no file states.
type Agent struct {
	Preset      string   `toml:"preset"`       // paper, code
	Turns       int      `toml:"turns"`        // turns of a dialogue at most
	Votes       int      `toml:"votes"`        // completions a turn, of which the commonest action is taken
	Bad         int      `toml:"bad"`          // turns in a row without a usable action that end a dialogue
	Redo        int      `toml:"redo"`         // times that a dialogue is begun again where its answer returns nothing
	Wall        Duration `toml:"wall"`         // time for a question after which no further turn begins
	Answer      string   `toml:"answer"`       // which of the queries run is the answer
	Off         []string `toml:"off"`          // tools that are not there
	Native      bool     `toml:"native"`       // the provider's function calling in place of the text protocol
	SpiderRules bool     `toml:"spider_rules"` // ExecuteSQL refuses LEFT JOIN, IN and, the first time, aliases
	Demos       int      `toml:"demos"`        // dialogues shown, 0 to 2
	Family      string   `toml:"family"`       // auto, spider, bird, bird-evidence: which dialogues
	Layout      string   `toml:"layout"`       // keys, names, columns: how tables are listed
	Observation int      `toml:"observation"`  // characters of a query's result shown
	TopK        int      `toml:"top_k"`        // columns or values that a search returns
}

var (
	// AgentPresets are the two settings published for Interactive-T2S, which differ.
	AgentPresets = Choices{
		{"paper", "the paper's Table 12: 3 completions a turn, 384 tokens, temperature 0.7, top_p 0.95; the last query is the answer"},
		{"code", "the released code: 1 completion a turn, 512 tokens, 12 turns, a dialogue begun again up to 3 times"},
	}
	// AgentTools are the tools that can be switched off.
	AgentTools = Choices{
		{"SearchColumn", "columns that fit a description"},
		{"SearchValue", "values of the database like a text"},
		{"FindShortestPath", "how tables join"},
	}
	// AgentAnswers are the rules by which a dialogue's answer is taken.
	AgentAnswers = Choices{
		{"last-sql", "the last query that was run"},
		{"last-non-star", "the last that does not begin with SELECT * FROM; the last of all where each does"},
		{"last-valid", "the last that ran without an error; the last of all where none did"},
	}
	// AgentFamilies are the sets of dialogues shown.
	AgentFamilies = Choices{
		{"auto", "by the item: bird-evidence or bird for those of BIRD, spider for the rest"},
		{"spider", "two dialogues over small databases"},
		{"bird", "two in the manner of BIRD, without evidence"},
		{"bird-evidence", "two in the manner of BIRD, with evidence"},
	}
	// AgentLayouts are the ways to list a database's tables.
	AgentLayouts = Choices{
		{"keys", "each table with its primary key, its foreign keys and its number of rows, as the paper does"},
		{"names", "the names alone"},
		{"columns", "as keys, with the names of all columns"},
	}
)

// agentStops are the sequences at which a turn ends, in both presets.
var agentStops = []string{"\nObservation", "\nThought", "[END]"}

// agentPresets are the values behind AgentPresets, by key path. Only a shared default is the same in both.
var agentPresets = map[string]map[string]any{
	"paper": {
		"agent.turns": int64(12), "agent.votes": int64(3), "agent.bad": int64(3), "agent.redo": int64(0), "agent.wall": "5m0s",
		"agent.answer": "last-sql", "agent.family": "auto", "agent.layout": "keys", "agent.demos": int64(2), "agent.observation": int64(200), "agent.top_k": int64(5),
		"model.temperature": 0.7, "model.top_p": 0.95, "model.max_tokens": int64(384), "model.stop": agentStops,
	},
	"code": {
		"agent.turns": int64(12), "agent.votes": int64(1), "agent.bad": int64(3), "agent.redo": int64(3), "agent.wall": "5m0s",
		"agent.answer": "last-non-star", "agent.family": "auto", "agent.layout": "keys", "agent.demos": int64(2), "agent.observation": int64(200), "agent.top_k": int64(5),
		"model.temperature": 0.7, "model.top_p": 0.95, "model.max_tokens": int64(512), "model.stop": agentStops,
	},
}

// isAgent says whether a layer's method, or one of its generators, is the interactive one.
func isAgent(in layer) bool {
	gathered, _ := in["generators"].v.([]string)
	return in["method"].v == Interactive || in["method"].v == Pool && slices.Contains(gathered, Interactive)
}

// fillAgent gives a layer the preset's values for the agent keys that it does not state. A layer that states none and
// has no use for them keeps none, so that experiments without agents resolve to what they always did.
func fillAgent(in layer) {
	stated := func(p string) bool { return strings.HasPrefix(p, "agent.") }
	if !isAgent(in) && !slices.ContainsFunc(slices.Collect(maps.Keys(in)), stated) {
		return
	}
	if isEmpty(in, "agent.preset") {
		in["agent.preset"] = value{v: "paper"}
	}
	preset, _ := in["agent.preset"].v.(string)
	for p, v := range agentPresets[preset] {
		if _, stated := in[p]; !stated && strings.HasPrefix(p, "agent.") {
			in[p] = value{v: v}
		}
	}
}

// OrPaper is the settings with the paper's in place of what is zero, where no preset was filled in: of an arm that no
// loader has seen, or that a sweep makes interactive. Nil is all zero.
func (a *Agent) OrPaper() Agent {
	if a == nil {
		a = &Agent{}
	}
	if a.Preset != "" {
		return *a
	}
	tree := map[string]any{}
	for p, v := range agentPresets["paper"] {
		plant(tree, p, v)
	}
	out, err := fromTree[struct {
		Agent Agent `toml:"agent"`
	}](tree)
	if err != nil {
		panic(err) // the table above is wrong
	}
	b := out.Agent
	b.Preset = "paper"
	for _, f := range []struct{ to, from *int }{{&b.Turns, &a.Turns}, {&b.Votes, &a.Votes}, {&b.Bad, &a.Bad}, {&b.Redo, &a.Redo},
		{&b.Demos, &a.Demos}, {&b.Observation, &a.Observation}, {&b.TopK, &a.TopK}} {
		if *f.from != 0 {
			*f.to = *f.from
		}
	}
	if a.Wall != 0 {
		b.Wall = a.Wall
	}
	if a.Answer != "" {
		b.Answer = a.Answer
	}
	if a.Family != "" {
		b.Family = a.Family
	}
	if a.Layout != "" {
		b.Layout = a.Layout
	}
	b.Off, b.Native, b.SpiderRules = a.Off, a.Native, a.SpiderRules
	return b
}

// agentModels gives the arms of the interactive method the preset's values for the model keys that no one states. It
// runs before the defaults are filled in, after which all look stated.
func agentModels(d *document) {
	for _, a := range d.arms {
		if a["method"].v != Interactive {
			continue
		}
		preset := "paper"
		for _, l := range []layer{d.top, a} {
			if s, ok := l["agent.preset"].v.(string); ok && s != "" {
				preset = s
			}
		}
		for p, v := range agentPresets[preset] {
			_, above := d.top[p]
			if _, stated := a[p]; !stated && !above && strings.HasPrefix(p, "model.") {
				a[p] = value{v: v}
			}
		}
	}
}

// plantAgent puts all values of a swept preset into an arm's tree: those of the model for the interactive method alone.
func plantAgent(tree map[string]any, preset string) {
	for p, v := range agentPresets[preset] {
		if !strings.HasPrefix(p, "model.") || tree["method"] == Interactive {
			plant(tree, p, v)
		}
	}
}

// presetsFirst orders settings so that a swept preset comes before what may refine it.
func presetsFirst(point []Setting) []Setting {
	out := slices.Clone(point)
	slices.SortStableFunc(out, func(a, b Setting) int { return rankOf(a) - rankOf(b) })
	return out
}

func rankOf(s Setting) int {
	switch s.Key {
	case "method":
		return 0
	case "agent.preset":
		return 1
	}
	return 2
}
