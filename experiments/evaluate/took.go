package evaluate

import (
	"assay/configs"
	"assay/experiments/predictions"
	"assay/experiments/record"
	"assay/prompting/llm"
)

// Exchange is a prompt of the file of predictions with the SQL that came of it, for a ledger.
type Exchange struct {
	Request  llm.Request
	Response llm.Response
}

// Exchanges are those of all rows whose prompt the file has.
func (e *Evaluation) Exchanges() (out []Exchange) {
	for i := range e.Rows {
		for n, t := range e.Rows[i].Entry.Calls() {
			if t.Prompt != "" {
				out = append(out, exchange(e.Experiment, e.Rows[i].Entry, n, t))
			}
		}
	}
	return out
}

// exchange is that of call n of an entry. The SQL is part of the request, so that two systems that were given one prompt
// have a completion each.
func exchange(exp configs.Experiment, e predictions.Entry, n int, t predictions.Taken) Exchange {
	sql := ""
	if n < len(e.Candidates) {
		sql = e.Candidates[n].SQL
	}
	seed := exp.Seeds[0]
	return Exchange{
		Request: llm.Request{Author: llm.Author{Provider: configs.Imported, Model: exp.Name}, Sample: n,
			Params: llm.Params{Seed: &seed, Extra: map[string]any{"sql": sql}}, Messages: []llm.Message{{Role: llm.User, Text: t.Prompt}}},
		Response: llm.Response{Text: sql, Finish: configs.Imported,
			Usage: llm.Usage{PromptTokens: t.PromptTokens.N, CompletionTokens: t.CompletionTokens.N}},
	}
}

// took fills in what the file says that a row's answer took, and adds a call for each that it tells of. How many calls
// there were it does not say.
func (r *Row) took(run *record.Run, it *record.Item, exp configs.Experiment) {
	total := r.Entry.Total()
	it.PromptTokens, it.CompletionTokens, it.USD = total.PromptTokens, total.CompletionTokens, total.USD
	for n, t := range r.Entry.Calls() {
		c := record.Call{Item: it.Item, Arm: it.Arm, Seed: it.Seed, Sample: n, Stage: configs.Imported,
			PromptTokens: t.PromptTokens, CompletionTokens: t.CompletionTokens, USD: t.USD}
		if t.Prompt != "" {
			c.Key = exchange(exp, r.Entry, n, t).Request.Key()
		}
		run.Calls = append(run.Calls, c)
	}
}
