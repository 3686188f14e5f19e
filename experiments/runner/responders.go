package runner

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"assay/experiments/record"
	"assay/prompting/llm"
	"assay/prompting/vectors"
)

// responders returns who gave the completions that the run has used so far. The value is true where this start of the run
// made a call to get one, false where the ledger answered all of them.
func (x *execution) responders() map[llm.Voice]bool {
	out := map[llm.Voice]bool{}
	for _, m := range x.models {
		for v, asked := range m.Voices() {
			out[v] = out[v] || asked
		}
	}
	return out
}

// answeredOf is a responder as run.toml lists it.
func answeredOf(v llm.Voice) record.Answered {
	return record.Answered{Author: v.Author.String(), Model: v.Author.Model, By: v.Model, Print: v.Print, Card: v.Card}
}

// manifest returns the plan's manifest with what only the answers can say: who gave them, and the warnings that follow.
// It lists responders by the completions used and not by the calls made, so that a run answered by the ledger writes the
// same run.toml as the run that paid for it.
func (x *execution) manifest(complete bool) record.Manifest {
	m := x.plan.Manifest
	m.Complete = complete
	for v := range x.responders() {
		m.Answered = append(m.Answered, answeredOf(v))
	}
	slices.SortFunc(m.Answered, func(a, b record.Answered) int {
		return cmp.Or(strings.Compare(a.Author, b.Author), strings.Compare(a.Model, b.Model), strings.Compare(a.By, b.By),
			strings.Compare(a.Print, b.Print), strings.Compare(a.Card, b.Card))
	})
	m.Warnings = append(slices.Clone(m.Warnings), record.Doubts(m.Answered)...)
	for _, arm := range x.plan.Programs.Offline() {
		m.Warnings = append(m.Warnings, fmt.Sprintf("arm %q: its program asked for embeddings, and got the offline vectors (%s), which compare by spelling", arm, vectors.Name))
	}
	for _, d := range x.kept.counted() {
		m.Warnings = append(m.Warnings, d.String())
	}
	return m
}

// changed warns where this start's completions of an author came from another responder than the ledger's completions of
// that author: the same address now serves another model, and the two would be mixed under one name.
func (x *execution) changed(ctx context.Context) (out []string, err error) {
	own := x.responders()
	for v, asked := range own {
		if !asked {
			continue
		}
		all, err := x.ledger.Voices(ctx, v.Author)
		if err != nil {
			return nil, err
		}
		withoutAddress, err := x.withoutAddress(ctx, v.Author)
		if err != nil {
			return nil, err
		}
		out = append(out, withoutAddress...)
		for _, old := range all {
			how := answeredOf(old.Voice).Differs(answeredOf(v))
			if _, used := own[old.Voice]; !used && how != "" {
				out = append(out, fmt.Sprintf("the ledger holds %d other completions of %s, which another gave (%s): name the author by model.as to tell the two apart",
					old.Completions, v.Author, how))
			}
		}
	}
	return out, nil
}

// withoutAddress warns of completions of the author's model that name no address, as older ledgers stored them. The ledger
// does not use them for any address: only a person can know which server gave them, and `ledger adopt` records that.
func (x *execution) withoutAddress(ctx context.Context, a llm.Author) ([]string, error) {
	if a.Server == "" {
		return nil, nil
	}
	old, err := x.ledger.Voices(ctx, llm.Author{Provider: a.Provider, Model: a.Model})
	n := 0
	for _, v := range old {
		n += v.Completions
	}
	if err != nil || n == 0 {
		return nil, err
	}
	return []string{fmt.Sprintf("the ledger holds %d completions of %s/%s that name no address, and this run does not use them: if %s gave them, `assay ledger adopt --provider %s --model %s --at %s` lets them answer",
		n, a.Provider, a.Model, a.Server, a.Provider, a.Model, a.Server)}, nil
}
