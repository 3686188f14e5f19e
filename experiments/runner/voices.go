package runner

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"assay/experiments/record"
	"assay/prompting/llm"
)

// heard is who gave the completions that the run was handed so far, by author; true where one was asked for at this start.
func (x *execution) heard() map[llm.Voice]bool {
	out := map[llm.Voice]bool{}
	for _, m := range x.models {
		for v, asked := range m.Voices() {
			out[v] = out[v] || asked
		}
	}
	return out
}

func answeredOf(v llm.Voice) record.Answered {
	return record.Answered{Author: v.Author.String(), Model: v.Author.Model, By: v.Model, Print: v.Print, Card: v.Card}
}

// manifest is the plan's, with what is known once answers came: who gave them, and what is to be doubted of that. It is
// the same whether the ledger answers or calls are made.
func (x *execution) manifest(complete bool) record.Manifest {
	m := x.plan.Manifest
	m.Complete = complete
	for v := range maps.Keys(x.heard()) {
		m.Answered = append(m.Answered, answeredOf(v))
	}
	slices.SortFunc(m.Answered, func(a, b record.Answered) int {
		return cmp.Or(strings.Compare(a.Author, b.Author), strings.Compare(a.Model, b.Model), strings.Compare(a.By, b.By),
			strings.Compare(a.Print, b.Print), strings.Compare(a.Card, b.Card))
	})
	m.Warnings = append(slices.Clone(m.Warnings), record.Doubts(m.Answered)...)
	for _, d := range x.keeping.counted() {
		m.Warnings = append(m.Warnings, d.String())
	}
	return m
}

// changed warns of authors whose new completions were given by another than what the ledger has of them besides: the same
// address serves another model now.
func (x *execution) changed(ctx context.Context) (out []string, err error) {
	heard := x.heard()
	for v, asked := range heard {
		if !asked {
			continue
		}
		all, err := x.ledger.Voices(ctx, v.Author)
		if err != nil {
			return nil, err
		}
		homeless, err := x.homeless(ctx, v.Author)
		if err != nil {
			return nil, err
		}
		out = append(out, homeless...)
		for _, old := range all {
			if _, own := heard[old.Voice]; !own {
				out = append(out, fmt.Sprintf("the ledger holds %d other completions of %s, which another gave (%s): name the author by model.as to tell the two apart",
					old.Completions, v.Author, answeredOf(old.Voice).Differs(answeredOf(v))))
			}
		}
	}
	return out, nil
}

// homeless tells of completions of an address's model that name no address, as those of older ledgers do: they answer
// for nobody's address until someone who knows says so.
func (x *execution) homeless(ctx context.Context, a llm.Author) ([]string, error) {
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
