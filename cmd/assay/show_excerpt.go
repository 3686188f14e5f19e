package main

import (
	"fmt"
	"slices"
	"strings"

	"assay/configs"
	"assay/experiments/record"
	"assay/metrics"

	"github.com/spf13/cobra"
)

// excerpt says which calls of an item show prints, as an example figure of a paper has them. The zero value prints all, with
// everything else that the run stores.
type excerpt struct {
	stages  []string // a call's stage holds one of them; empty: all
	sample  int      // of the calls; negative: all
	replies bool     // without prompts
	alone   string   // the method of a pool that alone solves the item, in place of ITEM
}

func (x *excerpt) register(c *cobra.Command) {
	f := c.Flags()
	f.StringSliceVar(&x.stages, "stage", nil, "print these calls alone, by `STAGES` or parts of their names, such as features,tables")
	f.IntVar(&x.sample, "sample", -1, "print the calls of this sample alone, from 0")
	f.BoolVar(&x.replies, "replies", false, "leave out prompts, and print completions")
	f.StringVar(&x.alone, "alone", "", "in place of ITEM: the first that this `METHOD` of a pool alone has a right candidate for, with its calls for that")
}

// calls reports whether calls are chosen, so that nothing else of an answer is printed.
func (x excerpt) calls() bool { return len(x.stages) > 0 || x.sample >= 0 }

// keeps reports whether a call is printed.
func (x excerpt) keeps(c record.Call) bool {
	in := func(stage string) bool { return strings.Contains(c.Stage, stage) }
	return (len(x.stages) == 0 || slices.ContainsFunc(x.stages, in)) && (x.sample < 0 || c.Sample == x.sample)
}

// check fails where no call of the answers is printed although some were asked for, and names the stages that there are.
func (x excerpt) check(answers []*record.Answer) error {
	var stages []string
	for _, a := range answers {
		for _, c := range a.Calls {
			if x.keeps(c) {
				return nil
			}
			if !slices.Contains(stages, c.Stage) {
				stages = append(stages, c.Stage)
			}
		}
		for _, l := range a.Links {
			if x.keeps(record.Call{Stage: l.Stage}) {
				return nil
			}
		}
	}
	if !x.calls() {
		return nil
	}
	of := ""
	if x.sample >= 0 {
		of = fmt.Sprintf(", sample %d", x.sample)
	}
	return usageError{fmt.Errorf("show: no call of the item is of stage %q%s: its stages are %s", strings.Join(x.stages, ","), of, strings.Join(stages, ", "))}
}

// candidate reports whether a candidate comes from a call that is printed.
func (x excerpt) candidate(c record.Candidate) bool {
	of := func(stage string) bool { return strings.HasPrefix(stage, c.Generator) }
	return c.Generator != "" && c.Sample == x.sample && slices.ContainsFunc(x.stages, of)
}

// find sets the calls of the first right candidate, in the run's order, of an item for which the method alone has one among the
// candidates of a pool. It returns the candidate and how many such items there are; an arm leaves out the pools of the others.
func (x *excerpt) find(r *record.Run, arm string) (first record.Candidate, n int, err error) {
	type pool struct {
		item, arm, point string
		seed             int64
	}
	of := func(c record.Candidate) pool { return pool{c.Item, c.Arm, strings.Join(c.Point, "\x00"), c.Seed} }
	right, methods := map[pool][]string{}, []string(nil)
	for _, c := range r.Candidates {
		if !slices.Contains(methods, c.Generator) {
			methods = append(methods, c.Generator)
		}
		if p := of(c); c.Status == metrics.Correct && !slices.Contains(right[p], c.Generator) {
			right[p] = append(right[p], c.Generator)
		}
	}
	if !slices.Contains(methods, x.alone) {
		return first, 0, usageError{fmt.Errorf("show: --alone %s", configs.Unknown(x.alone, methods))}
	}
	var items []string
	for _, c := range r.Candidates {
		if c.Status != metrics.Correct || arm != "" && arm != c.Arm || !slices.Equal(right[of(c)], []string{x.alone}) || slices.Contains(items, c.Item) {
			continue
		}
		if items = append(items, c.Item); len(items) == 1 {
			first = c
		}
	}
	if len(items) == 0 {
		return first, 0, fmt.Errorf("show: no item of %s is solved by %s alone", r.Dir, x.alone)
	}
	if x.sample < 0 {
		x.sample = first.Sample
	}
	if len(x.stages) == 0 {
		x.stages = []string{x.alone + ": "}
	}
	return first, len(items), nil
}
