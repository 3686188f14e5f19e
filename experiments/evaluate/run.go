package evaluate

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"assay/configs"
	"assay/experiments/axes"
	"assay/experiments/plan"
	"assay/experiments/record"
	"assay/metrics"
	"assay/prompting/sql/sqlite"

	"github.com/BurntSushi/toml"
)

// Experiment is the experiment that an evaluation is of: the dataset and metrics of the settings, and one arm of the
// given name that no model is behind. Settings are "key.path=value", as `assay run --set` takes them.
func Experiment(name string, settings []string) (configs.Experiment, error) {
	text := fmt.Sprintf(`name = %[1]q
shows = "Predictions of others, scored."
[dataset]
kind = "sample"
[model]
provider = %[2]q
name = %[1]q
[[arm]]
name = %[1]q
method = %[2]q
`, name, configs.Imported)
	return configs.ParseWith("assay", []byte(text), configs.Options{Set: settings})
}

// Record is the evaluation as a run: one arm with the experiment's name, which report and diff serve like any other.
// It needs Options.All.
func (e *Evaluation) Record() (*record.Run, error) {
	r := &record.Run{Resolved: e.Experiment}
	text, err := e.Experiment.TOML()
	if err != nil {
		return nil, fmt.Errorf("evaluate: record: %w", err)
	}
	if err := toml.Unmarshal([]byte(text), &r.Config); err != nil {
		return nil, fmt.Errorf("evaluate: record: %w", err)
	}
	for i := range e.Rows {
		e.Rows[i].record(r, e.Experiment, e.overrides.Len() > 0)
	}
	r.Manifest, err = e.manifest(r)
	if err != nil {
		return nil, fmt.Errorf("evaluate: record: %w", err)
	}
	return r, nil
}

// record adds the row's question, item and candidates; given says that scores without overrides stand beside the others.
func (r *Row) record(run *record.Run, exp configs.Experiment, given bool) {
	values := func(scores, before []metrics.Score) []record.Value {
		if given {
			return append(valuesOf(scores), valuesOf(before)...)
		}
		return valuesOf(scores)
	}
	x, q := &r.Example, r.Example.Question
	gold := r.gold()
	question := record.Question{Item: q.ID, DB: q.DB, Question: q.Text, Evidence: q.Evidence,
		Gold: gold, Hardness: x.Hardness, Difficulty: x.Difficulty, Features: axes.Features(gold)}
	question.SetOverride(r.Override, x.Gold)
	if r.GoldResult != nil {
		question.GoldDigest = r.GoldResult.Digest
		run.Results = append(run.Results, *r.GoldResult)
	}
	run.Questions = append(run.Questions, question)
	arm, seed := exp.Arms[0].Name, exp.Seeds[0]
	it := record.Item{Item: q.ID, DB: q.DB, Arm: arm, Seed: seed, Hardness: x.Hardness,
		Difficulty: x.Difficulty, Status: r.Status(), SQL: r.Entry.First(), Values: values(r.Scores, r.Before)}
	r.took(run, &it, exp)
	run.Items = append(run.Items, it)
	seen := map[string]bool{question.GoldDigest: true}
	for i, c := range r.Entry.Candidates {
		scores, before, chosen, digest := r.Scores, r.Before, 1, ""
		if i > 0 {
			scores, before, chosen = r.Others[i-1], r.OthersBefore[i-1], 0
		}
		if kept := r.Results[i]; kept != nil {
			if digest = kept.Digest; !seen[digest] {
				seen[digest] = true
				run.Results = append(run.Results, *kept)
			}
		}
		run.Candidates = append(run.Candidates, record.Candidate{Item: q.ID, Arm: arm, Seed: seed, Sample: i, Generator: c.Source,
			Status: scores[0].Status, SQL: c.SQL, Digest: digest, Chosen: chosen, Values: values(scores, before),
			Rule: configs.Imported, Why: strings.Join(strings.Fields(scores[0].Why), " ")})
	}
}

func valuesOf(scores []metrics.Score) []record.Value {
	out := make([]record.Value, len(scores))
	for i, s := range scores {
		out[i] = record.ValueOf(s)
	}
	return out
}

// manifest identifies the run by what decides its numbers, the predictions among it.
func (e *Evaluation) manifest(r *record.Run) (record.Manifest, error) {
	version, revision := plan.Build()
	m := record.Manifest{Experiment: e.Experiment.Name, Complete: true, Assay: version, Revision: revision,
		SQLite: sqlite.Version(), Dataset: e.Set.Name, DatasetHash: e.Set.Hash, Items: len(e.Rows), Warnings: e.Notes}
	m.Metrics = e.overrides.Columns(e.Metrics, e.Set.Examples)
	m.Warnings = slices.Clone(m.Warnings)
	for _, d := range e.Summary(false).Doubts {
		m.Warnings = append(m.Warnings, d.String())
	}
	config := maps.Clone(r.Config)
	for _, key := range []string{"workers", "shows"} {
		delete(config, key)
	}
	config = configs.Placeless(config, func(string, string) string { return "" })
	h := sha256.New()
	enc := json.NewEncoder(h)
	id := m
	id.Warnings = nil
	if err := enc.Encode([]any{config, id}); err != nil {
		return m, err
	}
	for i, q := range r.Questions {
		if err := enc.Encode([]any{q.Item, q.Gold, e.Rows[i].Override, e.Rows[i].Entry.Candidates, e.Rows[i].Entry.Taken}); err != nil {
			return m, err
		}
	}
	m.ID = hex.EncodeToString(h.Sum(nil)[:5])
	return m, nil
}
