package configs

import "slices"

// plainAPI is the value of model.api by which a model continues one text.
const plainAPI = "completions"

// APIs are the ways to ask a model for a completion.
var APIs = Choices{
	{"chat", "a conversation, which the provider puts into the model's own chat template"},
	{plainAPI, "one text, which the model continues: no template, no roles, no tools"},
}

// Plain reports whether the model is asked to continue one text.
func (m Model) Plain() bool { return m.API == plainAPI }

// checkAPI refuses plain completions where the provider has none, where the arm calls tools, and without a bound on tokens.
func (l *loader) checkAPI(at origin, where string, a Arm) {
	if !a.Model.Plain() {
		return
	}
	if !l.known.Provider(a.Model.Provider).Plain {
		have := choicesWhere(l.known.Providers, func(p Provider) bool { return p.Plain }).IDs()
		l.bad(at, "%s: model.api = %q: the provider %s has no plain completions: %s have", where, plainAPI, a.Model.Provider, and(have))
	}
	if a.Agent != nil && a.Agent.Native && a.Any(func(m Method) bool { return m.Agent }) {
		l.bad(at, "%s: agent.native calls tools, which model.api = %q cannot: leave one out", where, plainAPI)
	}
	asked := []Model{a.Model, a.Stages.Keywords.Over(a.Model), a.Stages.Columns.Over(a.Model), a.Stages.Examples.Over(a.Model), a.Stages.Fix.Over(a.Model)}
	if slices.ContainsFunc(asked, func(m Model) bool { return m.MaxTokens == 0 }) {
		l.bad(at, "%s: model.api = %q needs model.max_tokens, and no stage's may be 0: most servers end a completion after 16 tokens where none is sent", where, plainAPI)
	}
}
