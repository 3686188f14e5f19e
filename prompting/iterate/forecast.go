package iterate

import (
	"fmt"

	"assay/prompting"
	"assay/prompting/extract"
	"assay/prompting/llm"
)

var _ prompting.Forecaster = (*method)(nil)

// Forecast follows each sample's chain as far as its completions are known. The call after them is known too; how many
// come after that is open where the sub-questions are not known.
func (m *method) Forecast(q prompting.Question, held prompting.Held) (o prompting.Outlook, err error) {
	for sample := range m.Samples() {
		if err := m.forecast(q, sample, held, &o); err != nil {
			return o, fmt.Errorf("iterate: forecast %q: %w", q.ID, err)
		}
	}
	return o, nil
}

// forecast returns one sample's chain.
func (m *method) forecast(q prompting.Question, sample int, held prompting.Held, o *prompting.Outlook) error {
	input, err := m.Input(q, sample, false)
	if err != nil {
		return err
	}
	messages, err := m.prompt("reduce", q, input)
	if err != nil {
		return err
	}
	reduce := m.Request("reduce", q.ID, sample, messages)
	resp, ok, err := o.See("reduce", reduce, held)
	if err != nil {
		return err
	}
	if !ok {
		least, err := m.solving(q, input, nil, prompting.OneLine(q.Text))
		o.Open = append(o.Open, prompting.Open{Stage: "solve", After: reduce.Key(), Low: 1, High: maxQuestions,
			Least: [][]llm.Message{least}, Echoes: maxQuestions + maxQuestions*(maxQuestions-1)/2,
			Why: fmt.Sprintf("1 to %d sub-questions a question, itself included", maxQuestions)})
		return err
	}
	questions, _ := plan(resp.Text, q.Text)
	return m.forecastSolving(q, input, questions, sample, held, o)
}

// forecastSolving follows the sub-questions of a known reduction.
func (m *method) forecastSolving(q prompting.Question, input string, questions []string, sample int, held prompting.Held, o *prompting.Outlook) error {
	var solved []prompting.StepView
	for i, sub := range questions {
		messages, err := m.solving(q, input, solved, sub)
		if err != nil {
			return err
		}
		r := m.Request(solveStage(i), q.ID, sample, messages)
		resp, ok, err := o.See("solve", r, held)
		if err != nil {
			return err
		}
		if !ok {
			rest, err := m.remaining(q, input, questions, i, solved)
			rest.After = r.Key()
			if rest.High > 0 {
				o.Open = append(o.Open, rest)
			}
			return err
		}
		found := extract.SQL(resp.Text, extract.Options{})
		solved = append(solved, prompting.StepView{Number: i + 1, Question: sub, SQL: shown(found.SQL, resp.Text)})
	}
	return nil
}

// remaining returns the calls after the i-th sub-question, whose answer is not known: their number is, and their
// prompts but for the answers.
func (m *method) remaining(q prompting.Question, input string, questions []string, i int, solved []prompting.StepView) (o prompting.Open, err error) {
	n := len(questions) - 1 - i
	o = prompting.Open{Stage: "solve", Low: n, High: n, Echoes: n * (n + 1) / 2}
	for j := i + 1; j < len(questions); j++ {
		solved = append(solved[:len(solved):len(solved)], prompting.StepView{Number: j, Question: questions[j-1]})
		least, err := m.solving(q, input, solved, questions[j])
		if err != nil {
			return o, err
		}
		o.Least = append(o.Least, least)
	}
	return o, nil
}

// solving returns the prompt that asks one sub-question.
func (m *method) solving(q prompting.Question, input string, solved []prompting.StepView, question string) ([]llm.Message, error) {
	text, err := prompting.Fill(prompts, "solve-input", map[string]any{"Input": input, "Steps": solved, "Question": question})
	if err != nil {
		return nil, err
	}
	return m.prompt("solve", q, text)
}
