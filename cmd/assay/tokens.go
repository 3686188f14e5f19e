package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"assay/configs"
	"assay/experiments/catalog"
	"assay/experiments/cost"
	"assay/experiments/makeup"
	"assay/experiments/plan"
	"assay/experiments/record"
	"assay/plots/table"
	"assay/prompting/llm"
	"assay/prompting/sql/schema"

	"github.com/spf13/cobra"
)

// counts holds the flags of tokens.
type counts struct {
	overrides
	items     int
	tokenizer string
}

func (a *app) tokensCmd() *cobra.Command {
	var s counts
	c := &cobra.Command{
		Use:   "tokens EXPERIMENT|RUN",
		Short: "Count what the first prompt of each arm is made of: tools, demonstrations, schema, question",
		Long: `Count the tokens of the first prompt of each arm, part by part: the instruction, tools that can be switched off,
demonstrations, the schema, the question and its evidence. A part's tokens are those that the prompt loses without it;
parts are left out one after the other, so that they add up to the prompt. Nothing is sent.

For a run the counts are also written into its folder, as parts.csv, where the tables tokens, it2s/table7 and it2s/table8
of assay report find them. For an experiment nothing is written. Prompts after the first depend on completions: calls.csv
of a run has their tokens.`,
		Example: "  assay tokens it2s-table7\n  assay tokens quickstart --set dataset.kind=sample --tokenizer gpt-4o",
		Args:    args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, given []string) error {
			if s.items < 1 {
				return usageError{errors.New("tokens: --items: want 1 or more")}
			}
			return a.tokens(cmd.Context(), &s, given[0])
		},
	}
	s.register(c)
	c.Flags().IntVar(&s.items, "items", countedItems, "items that are counted, spread evenly over the dataset")
	c.Flags().StringVar(&s.tokenizer, "tokenizer", "", "OpenAI model whose vocabulary counts (default: each arm's model, as its calls are counted)")
	return c
}

// counted reads what a name is of: a run, or an experiment where no run has the name or --set changes the experiment.
func (a *app) counted(s *counts, name string) (*record.Run, configs.Experiment, error) {
	var noRun error
	if len(s.set) == 0 {
		run, err := a.read(name)
		if err == nil {
			return run, run.Resolved, nil
		}
		noRun = err
	}
	e, err := s.load(name)
	if errors.Is(err, configs.ErrNoName) && noRun != nil {
		err = fmt.Errorf("%w; and no run: %w", err, noRun)
	}
	return nil, e, err
}

// tokens counts the prompts of a run or an experiment. It fails where the prompt templates have changed since the run: the counts would not be those of its prompts.
func (a *app) tokens(ctx context.Context, s *counts, name string) error {
	run, e, err := a.counted(s, name)
	if err != nil {
		return err
	}
	p, err := plan.Make(ctx, e, plan.Options{})
	if err != nil {
		return err
	}
	defer p.Close()
	if run != nil && run.Manifest.PromptHash != p.Manifest.PromptHash {
		return fmt.Errorf("tokens: run %q was made with other prompt templates than this program has: run it again, or count the experiment", name)
	}
	for _, arm := range p.ProgramArms() {
		a.note("arm %q is not counted: a program makes its prompts itself; calls.csv of a run has their tokens", arm.Name)
	}
	if len(p.ProgramArms()) == len(e.Arms) {
		return errors.New("tokens: every arm is a program, which makes its prompts itself: calls.csv of a run has their tokens")
	}
	parts, err := countParts(p, s)
	if err != nil {
		return err
	}
	if run != nil {
		if err := makeup.Write(run.Dir, parts); err != nil {
			return err
		}
		a.note("written into %s", run.Dir)
	}
	if a.json {
		return json.NewEncoder(a.out).Encode(parts)
	}
	return a.text(partsTable(p, parts))
}

// prompted are the cells of a plan without those of programs.
func prompted(p *plan.Plan) []configs.Cell {
	return slices.DeleteFunc(slices.Clone(p.Cells), func(c configs.Cell) bool { return c.Arm.Row.Program })
}

// countParts counts every cell of the plan under its first seed.
func countParts(p *plan.Plan, s *counts) ([]makeup.Part, error) {
	var out []makeup.Part
	n := min(s.items, len(p.Set.Examples))
	for _, c := range prompted(p) {
		m := c.Arm.Model
		if s.tokenizer != "" {
			m = cost.Tokenizer(s.tokenizer)
		}
		counter, err := cost.NewCounter(m)
		if err != nil {
			return nil, err
		}
		b := ablation{plan: p, cell: c, every: len(p.Set.Examples), of: n, methods: map[string]plan.Rehearsal{}}
		parts, err := makeup.Count(n, b.prompt, counter)
		if err != nil {
			return nil, fmt.Errorf("tokens: arm %q: %w", c.Arm.Name, err)
		}
		for i := range parts {
			parts[i].Arm, parts[i].Point = c.Arm.Name, pointText(c)
		}
		out = append(out, parts...)
	}
	return out, nil
}

// pointText is a cell's sweep point as the run's files write it; "" without a sweep.
func pointText(c configs.Cell) string {
	if len(c.Point) == 0 {
		return ""
	}
	return record.Listing([][]string{c.Values()})
}

// ablation renders an arm's first prompt without some of its parts.
type ablation struct {
	plan      *plan.Plan
	cell      configs.Cell
	every, of int                       // the dataset's items, and how many of them are counted, evenly spread
	methods   map[string]plan.Rehearsal // by what they leave out, each made once
}

// prompt renders the prompt of the i-th counted item without the parts named.
func (b *ablation) prompt(i int, without []string) ([]cost.Message, error) {
	drop := func(part string) bool { return slices.Contains(without, part) }
	m, err := b.method(drop(makeup.Demonstrations), drop(makeup.Tools))
	if err != nil {
		return nil, err
	}
	q := b.plan.Set.Examples[i*b.every/b.of].Question
	if drop(makeup.Evidence) {
		q.Evidence = ""
	}
	if drop(makeup.Question) {
		q.Text = ""
	}
	if drop(makeup.Schema) {
		q.Schema, q.Whole = &schema.Database{}, nil
	}
	r, _, err := m.First(context.Background(), q)
	return plan.Prompt(llm.Request{Messages: r.Messages}), err
}

// method returns the cell's method, without demonstrations, or without the tools that can be switched off.
func (b *ablation) method(noDemos, noTools bool) (m plan.Rehearsal, err error) {
	key := fmt.Sprint(noDemos, noTools)
	if m, ok := b.methods[key]; ok {
		return m, nil
	}
	c := b.cell
	agent := c.Arm.Agent.OrPaper()
	c.Arm.Agent = &agent // a copy: the plan's own arm must not change
	if noDemos {
		c.Arm.Exemplars = configs.Exemplars{File: c.Arm.Exemplars.File, Separator: c.Arm.Exemplars.Separator}
		agent.Demos = 0
	}
	if noTools {
		agent.Off = catalog.Known.Choices("agent tools").IDs()
	}
	b.methods[key], err = b.plan.Rehearse(c, b.plan.Experiment.Seeds[0])
	return b.methods[key], err
}

// partsTable has one row per arm and sweep point, and one column per part.
func partsTable(p *plan.Plan, parts []makeup.Part) *table.Table {
	t := &table.Table{ID: "tokens", Title: "Tokens of the first prompt: " + p.Experiment.Name, Columns: []table.Column{{Name: "arm", Key: true}}}
	for _, x := range p.Manifest.Axes {
		t.Columns = append(t.Columns, table.Column{Name: x, Key: true})
	}
	for _, name := range append(slices.Clone(makeup.Names), "all") {
		t.Columns = append(t.Columns, table.Column{Name: name, Short: makeup.Short[name], Align: table.Right})
	}
	hows := map[string]bool{}
	for _, c := range prompted(p) {
		cells := []table.Cell{table.Text(c.Arm.Name)}
		for _, s := range c.Point {
			cells = append(cells, table.Text(s.Value))
		}
		sum := 0.0
		for _, name := range makeup.Names {
			i := slices.IndexFunc(parts, func(x makeup.Part) bool { return x.Arm == c.Arm.Name && x.Point == pointText(c) && x.Name == name })
			if i < 0 {
				cells = append(cells, table.Cell{})
				continue
			}
			sum += parts[i].Tokens
			cells = append(cells, table.Measured(table.Number{Value: parts[i].Tokens}))
			if !hows[parts[i].How] {
				hows[parts[i].How] = true
				t.Notes = append(t.Notes, "Tokens: "+parts[i].How+".")
			}
		}
		t.Rows = append(t.Rows, append(cells, table.Measured(table.Number{Value: sum})))
	}
	if len(parts) > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("Means over %d items of %s, the first prompt of each. Values that were looked up count as schema; for a pool the prompt is that of its first generator.",
			parts[0].Items, p.Manifest.Dataset))
	}
	return t
}
