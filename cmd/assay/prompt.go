package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"assay/configs"
	"assay/experiments/dataset"
	"assay/experiments/plan"
	"assay/prompting/llm"

	"github.com/spf13/cobra"
)

func (a *app) promptCmd() *cobra.Command {
	var o overrides
	var arm, item string
	c := &cobra.Command{
		Use:   "prompt EXPERIMENT --arm A --item ID",
		Short: "Print the exact first prompt that an arm would send for an item",
		Long: `Print the messages of the first call of an arm for an item, at the first sweep point and seed. Nothing is sent. Where a
method makes several calls, the later ones depend on the answers: assay show prints those of a run.`,
		Example: "  assay prompt quickstart --arm qdecomp --item film_festival-001",
		Args:    args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, given []string) error {
			e, err := o.load(given[0])
			if err != nil {
				return err
			}
			p, err := plan.Make(cmd.Context(), e, plan.Options{})
			if err != nil {
				return err
			}
			defer p.Close()
			msgs, err := firstPrompt(p, arm, item)
			if err != nil {
				return err
			}
			if a.json {
				return json.NewEncoder(a.out).Encode(msgs)
			}
			return a.printMessages(msgs)
		},
	}
	o.register(c)
	c.Flags().StringVar(&arm, "arm", "", "name of the arm (default: the first)")
	c.Flags().StringVar(&item, "item", "", "id of the item, with or without dataset/split/ (default: the first)")
	return c
}

// firstPrompt renders an arm's first prompt. The method gets a scripted model, which calls nothing: no request can be
// sent.
func firstPrompt(p *plan.Plan, arm, item string) ([]llm.Message, error) {
	ex, err := findItem(p.Set.Examples, item)
	if err != nil {
		return nil, err
	}
	cell, err := findCell(p.Cells, arm)
	if err != nil {
		return nil, err
	}
	m, err := p.Method(cell, &llm.Scripted{}, p.Experiment.Seeds[0])
	if err != nil {
		return nil, err
	}
	return m.Prompts(ex.Question)
}

// findItem returns the item of an id, with or without the dataset/split/ prefix; an empty id means the first item.
func findItem(examples []dataset.Example, id string) (dataset.Example, error) {
	for _, ex := range examples {
		if id == "" || ex.Question.ID == id || strings.HasSuffix(ex.Question.ID, "/"+id) {
			return ex, nil
		}
	}
	return dataset.Example{}, fmt.Errorf("no item %q: ids look like %q", id, examples[0].Question.ID)
}

// findCell returns the first sweep point of an arm; an empty name means the first arm.
func findCell(cells []configs.Cell, arm string) (configs.Cell, error) {
	var names []string
	for _, c := range cells {
		if arm == "" || c.Arm.Name == arm {
			return c, nil
		}
		names = append(names, c.Arm.Name)
	}
	return configs.Cell{}, fmt.Errorf("no arm %q: there are %s", arm, strings.Join(names, ", "))
}

// printMessages prints each message below its role.
func (a *app) printMessages(msgs []llm.Message) error {
	for _, m := range msgs {
		if _, err := fmt.Fprintf(a.out, "--- %s\n%s\n", m.Role, strings.TrimRight(m.Text, "\n")); err != nil {
			return err
		}
	}
	return nil
}
