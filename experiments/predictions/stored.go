package predictions

import (
	"fmt"
	"slices"
	"strings"

	"assay/experiments/dataset"
	"assay/experiments/record"
)

// Stored returns the predictions that a run was imported from, as its folder has them: without the scores, and with the keys
// of prompts in place of their texts.
func Stored(r *record.Run) (*File, error) {
	if len(r.Resolved.Arms) != 1 || !r.Resolved.Arms[0].Row.Imported || len(r.Resolved.Seeds) != 1 || !r.Manifest.Complete {
		return nil, fmt.Errorf("predictions: read %q: no complete run that was imported: `assay run` with --offline scores the answers of others again", r.Dir)
	}
	f := &File{Path: r.Dir, Form: JSONL}
	for i, a := range r.Index().Answers {
		e := Entry{Line: i + 2, ID: a.Item.Item, DB: a.Item.DB, Seed: &r.Resolved.Seeds[0]}
		for _, c := range a.Candidates {
			e.Candidates = append(e.Candidates, Candidate{SQL: c.SQL, Source: c.Generator})
		}
		e.restore(a)
		f.Entries = append(f.Entries, e)
	}
	return f, nil
}

// restore sets what an entry took from the calls of its answer. A run says by the stages that the file listed calls; where it
// listed none for an answer, that has a number of calls.
func (e *Entry) restore(a record.Answer) {
	if a.Item.Calls.OK {
		e.Made = []Call{}
	}
	for n, c := range a.Calls {
		t := Taken{PromptTokens: c.PromptTokens, CompletionTokens: c.CompletionTokens, USD: c.USD, Key: c.Key}
		switch {
		case e.Made != nil:
			e.Made = append(e.Made, Call{Taken: t, Stage: c.Stage, Sample: c.Sample, CachedTokens: c.CachedTokens, ReasoningTokens: c.ReasoningTokens,
				Finish: c.Finish, Note: c.Note, Failure: c.Failure})
		case len(a.Calls) == len(a.Candidates): // one of each candidate
			e.Candidates[n].Taken = t
		default: // one of all
			e.Taken = t
		}
	}
}

// SameGold fails where an example has another gold query, overrides aside, than the run was scored against. Blanks do not
// count.
func SameGold(r *record.Run, examples []dataset.Example) error {
	gold := make(map[string]string, len(examples))
	for _, x := range examples {
		gold[x.Question.ID] = x.Gold
	}
	for _, q := range r.Questions {
		given := q.Gold
		if q.GivenGold != "" {
			given = q.GivenGold
		}
		now, ok := gold[q.Item]
		if ok && !slices.Equal(strings.Fields(given), strings.Fields(now)) {
			return fmt.Errorf("predictions: score %q again: the gold query of %s is another than it was: name the file of gold queries with --gold, or the dataset as it was with --data",
				r.Dir, q.Item)
		}
	}
	return nil
}
