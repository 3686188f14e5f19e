package configs

import (
	"maps"
	"slices"
	"strings"
)

// Agent says how the model works on the database with tools (Interactive-T2S). Keys that a file does not state have the
// preset's values; for an arm whose method is an agent, so do the keys of [model].
type Agent struct {
	Preset       string   `toml:"preset"`                  // one of agentPresets
	Turns        int      `toml:"turns"`                   // most turns per dialogue
	Votes        int      `toml:"votes"`                   // completions per turn; the most frequent action is taken
	Bad          int      `toml:"bad"`                     // consecutive turns without a usable action that end a dialogue
	Redo         int      `toml:"redo"`                    // restarts of a dialogue whose answer returns nothing
	Wall         Duration `toml:"wall"`                    // time for a question after which no further turn begins
	Answer       string   `toml:"answer"`                  // which of the executed queries is the answer
	Off          []string `toml:"off"`                     // tools that are switched off
	Withhold     []string `toml:"withhold,omitempty"`      // tools whose observations are not shown
	WithholdTurn int      `toml:"withhold_turn,omitempty"` // the turn whose observation is not shown; 0: none
	Native       bool     `toml:"native"`                  // the provider's function calling in place of the text protocol
	SpiderRules  bool     `toml:"spider_rules"`            // ExecuteSQL refuses LEFT JOIN, IN and, the first time, aliases
	Demos        int      `toml:"demos"`                   // dialogues shown, 0 to 2
	Family       string   `toml:"family"`                  // which dialogues are shown
	Layout       string   `toml:"layout"`                  // how tables are listed
	Observation  int      `toml:"observation"`             // characters of a query's result shown
	TopK         int      `toml:"top_k"`                   // columns or values that a search returns
}

// PoolFamily is the value of agent.family that takes the dialogues of the demonstrations.
const PoolFamily = "pool"

// agentStops are the sequences at which a turn ends, in both presets.
var agentStops = []string{"\nObservation", "\nThought", "[END]"}

// agentPreset is a named set of settings of an agent.
type agentPreset struct {
	Choice
	sets map[string]any // by key path
}

// agentPresets are the settings of Interactive-T2S's paper and of its released code, which differ. The first holds where no
// preset is stated.
var agentPresets = []agentPreset{
	{Choice{"paper", "the paper's Table 12: 3 completions per turn, 384 tokens, temperature 0.7, top_p 0.95; the last query is the answer"}, map[string]any{
		"agent.turns": int64(12), "agent.votes": int64(3), "agent.bad": int64(3), "agent.redo": int64(0), "agent.wall": "5m0s",
		"agent.answer": "last-sql", "agent.family": "auto", "agent.layout": "keys", "agent.demos": int64(2), "agent.observation": int64(200), "agent.top_k": int64(5),
		"model.temperature": 0.7, "model.top_p": 0.95, "model.max_tokens": int64(384), "model.stop": agentStops,
	}},
	{Choice{"code", "the released code: 1 completion per turn, 512 tokens, 12 turns, up to 3 restarts of a dialogue"}, map[string]any{
		"agent.turns": int64(12), "agent.votes": int64(1), "agent.bad": int64(3), "agent.redo": int64(3), "agent.wall": "5m0s",
		"agent.answer": "last-non-star", "agent.family": "auto", "agent.layout": "keys", "agent.demos": int64(2), "agent.observation": int64(200), "agent.top_k": int64(5),
		"model.temperature": 0.7, "model.top_p": 0.95, "model.max_tokens": int64(512), "model.stop": agentStops,
	}},
}

// presetOf returns the values that a preset sets, by key path; nil for an unknown preset.
func presetOf(id string) map[string]any { return rowOf(agentPresets, id).sets }

// isAgent reports whether a layer's method, or one of its generators, is an agent.
func (known Known) isAgent(in layer) bool {
	method := known.methodOf(in)
	gathered, _ := in["generators"].v.([]string)
	return method.Agent || method.Pool && slices.ContainsFunc(gathered, func(id string) bool { return known.Method(id).Agent })
}

// methodOf returns the method that a layer states; the zero Method where it states none.
func (known Known) methodOf(in layer) Method {
	id, _ := in["method"].v.(string)
	return known.Method(id)
}

// fillAgent gives a layer the preset's values for the agent keys that it does not state. A layer without an agent and
// without agent keys gets none: the identities of runs made before there were agents must not change.
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

// OrPaper returns the settings, with the paper's in place of zeros where no preset was filled in: for an arm made without
// the loader, or one that a sweep makes an agent. A nil Agent counts as all zero.
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
		panic(err) // agentPresets is wrong, which no input can cause
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
	b.Withhold, b.WithholdTurn = a.Withhold, a.WithholdTurn
	return b
}

// presetIn returns the model keys that the preset of an arm's agent sets; nil for other methods.
func (known Known) presetIn(top, arm layer) map[string]any {
	if !known.methodOf(arm).Agent {
		return nil
	}
	preset := agentPresets[0].ID
	for _, l := range []layer{top, arm} {
		if s, ok := l["agent.preset"].v.(string); ok && s != "" {
			preset = s
		}
	}
	out := maps.Clone(presetOf(preset))
	maps.DeleteFunc(out, func(p string, _ any) bool { return !strings.HasPrefix(p, "model.") })
	return out
}

// plantAgent puts the values of a swept preset into an arm's tree; the model's values only for an agent.
func plantAgent(tree map[string]any, preset string, known Known) {
	method, _ := tree["method"].(string)
	for p, v := range presetOf(preset) {
		if !strings.HasPrefix(p, "model.") || known.Method(method).Agent {
			plant(tree, p, v)
		}
	}
}

// presetsFirst orders settings so that a swept preset comes before the axes that may override its values.
func presetsFirst(point []stated) []stated {
	out := slices.Clone(point)
	slices.SortStableFunc(out, func(a, b stated) int { return rankOf(a.Key) - rankOf(b.Key) })
	return out
}

// rankOf orders the settings of a sweep point: the method decides what a preset applies to, so it comes first.
func rankOf(key string) int {
	switch key {
	case "method":
		return 0
	case "agent.preset":
		return 1
	}
	return 2
}
