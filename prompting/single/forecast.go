package single

import (
	"fmt"
	"slices"

	"assay/prompting"
	"assay/prompting/llm"
)

var _ prompting.Forecaster = (*method)(nil)

// Forecast lists one call a sample, each known.
func (m *method) Forecast(q prompting.Question, held prompting.Held) (o prompting.Outlook, err error) {
	var before []llm.Message
	for sample := range m.Samples() {
		messages, err := m.messages(q, sample)
		if err == nil {
			_, _, err = o.See("generate", m.Request("generate", q.ID, sample, messages), held)
		}
		if err != nil {
			return o, fmt.Errorf("single: forecast %q: %w", q.ID, err)
		}
		o.Known[sample].Shared = sample > 0 && slices.EqualFunc(messages, before, llm.Message.Equal)
		before = messages
	}
	return o, nil
}
