package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"assay/configs"
	"assay/experiments/cost"
	"assay/experiments/dataset"
	"assay/experiments/plan"
	"assay/prompting/llm"

	"github.com/spf13/cobra"
)

func (a *app) promptCmd() *cobra.Command {
	var o overrides
	var arm, item, stage string
	c := &cobra.Command{
		Use:   "prompt EXPERIMENT --arm A --item ID",
		Short: "Print the exact prompt of a stage that an arm would send for an item",
		Long: `Print the messages of the first request of a stage, or of the first of all, that an arm makes for an item at the first
sweep point and seed; with model.api = "completions" the one text that they are sent as. Nothing is sent. Where a prompt depends on an earlier answer, that is the ledger's; where the ledger has none,
the baseline answers in the model's place, and a line on stderr says so.`,
		Example: "  assay prompt quickstart --arm qdecomp --item film_festival-001\n  assay prompt quickstart --arm least-to-most --stage solve",
		Args:    args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, given []string) error {
			e, err := o.load(given[0])
			if err != nil {
				return err
			}
			p, err := plan.Make(cmd.Context(), e, a.planned())
			if err != nil {
				return err
			}
			defer p.Close()
			r, err := a.asked(cmd.Context(), p, arm, item, stage)
			if err != nil {
				return err
			}
			if r.Estimate {
				a.note("an estimate: the prompt of %s may depend on an answer that the baseline gave in the model's place", r.Stage)
			}
			if a.json {
				return json.NewEncoder(a.out).Encode(r.Request.Messages)
			}
			return a.printRequest(r.Request)
		},
	}
	o.register(c)
	a.allows(c)
	c.Flags().StringVar(&arm, "arm", "", "name of the arm (default: the first)")
	c.Flags().StringVar(&item, "item", "", "the item, by its id, the start of it or its place from 0 (default: the first)")
	c.Flags().StringVar(&stage, "stage", "", "stage of the prompt, with or without its number (default: that of the first)")
	return c
}

// asked returns the first request of a stage that an arm makes for an item.
func (a *app) asked(ctx context.Context, p *plan.Plan, arm, item, stage string) (plan.Asked, error) {
	ex, err := findItem(p.Set.Examples, item)
	if err != nil {
		return plan.Asked{}, err
	}
	cell, err := findCell(p.Cells, arm)
	if err != nil {
		return plan.Asked{}, err
	}
	var held plan.Held
	if a.store().HasLedger() {
		l, err := a.store().Ledger()
		if err != nil {
			return plan.Asked{}, err
		}
		defer l.Close()
		held = l.Get
	}
	m, err := p.Rehearse(cell, p.Experiment.Seeds[0])
	if err != nil {
		return plan.Asked{}, err
	}
	all, err := m.Requests(ctx, ex.Question, held)
	if err != nil {
		return plan.Asked{}, err
	}
	return findStage(all, stage)
}

// findStage returns the first request of a stage; an empty name means the first of all. A name may lack the stage's number
// and, in a pool, its generator.
func findStage(all []plan.Asked, name string) (plan.Asked, error) {
	var stages []string
	for _, r := range all {
		kind := cost.StageOf(r.Stage)
		for _, s := range []string{r.Stage, kind} {
			if name == "" || s == name || strings.HasSuffix(s, ": "+name) {
				return r, nil
			}
		}
		if !slices.Contains(stages, kind) {
			stages = append(stages, kind)
		}
	}
	if len(all) == 0 {
		return plan.Asked{}, errors.New("the arm asks nothing for this item")
	}
	return plan.Asked{}, fmt.Errorf("no stage %q for this item: there are %s", name, strings.Join(stages, ", "))
}

// findItem returns the item that a text names, see [itemWords]; without one the first.
func findItem(examples []dataset.Example, named string) (dataset.Example, error) {
	ids := make([]string, len(examples))
	for i, x := range examples {
		ids[i] = x.Question.ID
	}
	if named == "" && len(ids) > 0 {
		return examples[0], nil
	}
	i, err := itemAt(ids, named, "the experiment")
	if err != nil {
		return dataset.Example{}, fmt.Errorf("prompt: --item: %w", err)
	}
	return examples[i], nil
}

// findCell returns the first sweep point of an arm; an empty name means the first arm.
func findCell(cells []configs.Cell, arm string) (configs.Cell, error) {
	var names []string
	for _, c := range cells {
		if arm == "" || c.Arm.Name == arm {
			return c, nil
		}
		if !slices.Contains(names, c.Arm.Name) { // a sweep has each arm several times
			names = append(names, c.Arm.Name)
		}
	}
	return configs.Cell{}, fmt.Errorf("no arm %q: there are %s", arm, strings.Join(names, ", "))
}

// printRequest prints each message below its role; under model.api = "completions" the one text that they are sent as. Before
// them it prints what the experiment has sent beside the usual parameters.
func (a *app) printRequest(r llm.Request) error {
	if beside := r.Params.Beside(); beside != "" {
		if _, err := fmt.Fprintf(a.out, "--- sent beside it\n%s\n", beside); err != nil {
			return err
		}
	}
	if r.Params.API == llm.Completions {
		text, err := r.Plain()
		if err == nil {
			_, err = fmt.Fprintf(a.out, "--- text, which the model continues\n%s\n", strings.TrimRight(text, "\n"))
		}
		return err
	}
	for _, m := range r.Messages {
		if _, err := fmt.Fprintf(a.out, "--- %s\n%s\n", m.Role, strings.TrimRight(m.Text, "\n")); err != nil {
			return err
		}
	}
	return nil
}
