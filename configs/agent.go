package configs

import (
	"maps"
	"slices"
	"strings"
)

// Agent says how the model works on the database with tools (Interactive-T2S). What a file does not state is the
// preset's; for an arm whose method is an agent the preset also stands in for the keys of [model] that no file states.
type Agent struct {
	Preset      string   `toml:"preset"`       // one of agentPresets
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
	Family      string   `toml:"family"`       // which dialogues are shown
	Layout      string   `toml:"layout"`       // how tables are listed
	Observation int      `toml:"observation"`  // characters of a query's result shown
	TopK        int      `toml:"top_k"`        // columns or values that a search returns
}

// agentStops are the sequences at which a turn ends, in both presets.
var agentStops = []string{"\nObservation", "\nThought", "[END]"}

// agentPreset is settings of an agent under one name.
type agentPreset struct {
	Choice
	sets map[string]any // by key path
}

// agentPresets are the two settings published for Interactive-T2S, which differ; the first holds where none is stated.
// Only a shared default is the same in both.
var agentPresets = []agentPreset{
	{Choice{"paper", "the paper's Table 12: 3 completions a turn, 384 tokens, temperature 0.7, top_p 0.95; the last query is the answer"}, map[string]any{
		"agent.turns": int64(12), "agent.votes": int64(3), "agent.bad": int64(3), "agent.redo": int64(0), "agent.wall": "5m0s",
		"agent.answer": "last-sql", "agent.family": "auto", "agent.layout": "keys", "agent.demos": int64(2), "agent.observation": int64(200), "agent.top_k": int64(5),
		"model.temperature": 0.7, "model.top_p": 0.95, "model.max_tokens": int64(384), "model.stop": agentStops,
	}},
	{Choice{"code", "the released code: 1 completion a turn, 512 tokens, 12 turns, a dialogue begun again up to 3 times"}, map[string]any{
		"agent.turns": int64(12), "agent.votes": int64(1), "agent.bad": int64(3), "agent.redo": int64(3), "agent.wall": "5m0s",
		"agent.answer": "last-non-star", "agent.family": "auto", "agent.layout": "keys", "agent.demos": int64(2), "agent.observation": int64(200), "agent.top_k": int64(5),
		"model.temperature": 0.7, "model.top_p": 0.95, "model.max_tokens": int64(512), "model.stop": agentStops,
	}},
}

// presetOf is what the preset of that id sets, by key path; nil where there is none.
func presetOf(id string) map[string]any { return rowOf(agentPresets, id).sets }

// isAgent says whether a layer's method, or one of its generators, is an agent.
func (known Known) isAgent(in layer) bool {
	method := known.methodOf(in)
	gathered, _ := in["generators"].v.([]string)
	return method.Agent || method.Pool && slices.ContainsFunc(gathered, func(id string) bool { return known.Method(id).Agent })
}

// methodOf is the method that a layer states.
func (known Known) methodOf(in layer) Method {
	id, _ := in["method"].v.(string)
	return known.Method(id)
}

// fillAgent gives a layer the preset's values for the agent keys that it does not state. A layer that states none and
// has no use for them keeps none, so that experiments without agents resolve to what they always did.
func (known Known) fillAgent(in layer) {
	stated := func(p string) bool { return strings.HasPrefix(p, "agent.") }
	if !known.isAgent(in) && !slices.ContainsFunc(slices.Collect(maps.Keys(in)), stated) {
		return
	}
	if isEmpty(in, "agent.preset") {
		in["agent.preset"] = value{v: agentPresets[0].ID}
	}
	preset, _ := in["agent.preset"].v.(string)
	for p, v := range presetOf(preset) {
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
	for p, v := range agentPresets[0].sets {
		plant(tree, p, v)
	}
	out, err := fromTree[struct {
		Agent Agent `toml:"agent"`
	}](tree)
	if err != nil {
		panic(err) // the table above is wrong
	}
	b := out.Agent
	b.Preset = agentPresets[0].ID
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

// agentModels gives the arms whose method is an agent the preset's values for the model keys that no one states. It
// runs before the defaults are filled in, after which all look stated.
func (known Known) agentModels(d *document) {
	for _, a := range d.arms {
		if !known.methodOf(a).Agent {
			continue
		}
		preset := agentPresets[0].ID
		for _, l := range []layer{d.top, a} {
			if s, ok := l["agent.preset"].v.(string); ok && s != "" {
				preset = s
			}
		}
		for p, v := range presetOf(preset) {
			_, above := d.top[p]
			if _, stated := a[p]; !stated && !above && strings.HasPrefix(p, "model.") {
				a[p] = value{v: v}
			}
		}
	}
}

// plantAgent puts all values of a swept preset into an arm's tree: those of the model for an agent alone.
func plantAgent(tree map[string]any, preset string, known Known) {
	method, _ := tree["method"].(string)
	for p, v := range presetOf(preset) {
		if !strings.HasPrefix(p, "model.") || known.Method(method).Agent {
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
