package agent

import (
	"assay/prompting"
	"assay/prompting/llm"
	"assay/prompting/tools"
)

// functions returns the tools that are on, as a provider's function calling wants them, in this package's words.
func (m *method) functions() ([]llm.Tool, error) {
	var on []string
	for _, t := range tools.All() {
		if m.has(t.Name) {
			on = append(on, t.Name)
		}
	}
	out := tools.Native(on)
	for i := range out {
		about, err := prompting.Fill(prompts, out[i].Name, map[string]any{"Spider": m.agent.SpiderRules, "Shown": m.agent.Observation, "TopK": m.agent.TopK})
		if err != nil {
			return nil, err
		}
		out[i].Description = prompting.OneLine(about)
	}
	return out, nil
}
