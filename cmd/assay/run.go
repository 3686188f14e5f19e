package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"assay/configs"
	"assay/experiments/plan"
	"assay/experiments/runner"
	"assay/plots/paper"
	"assay/prompting/sandbox"

	"github.com/spf13/cobra"
)

func (a *app) runCmd() *cobra.Command {
	var o overrides
	var offline bool
	c := &cobra.Command{
		Use:   "run EXPERIMENT",
		Short: "Run an experiment: an embedded one by name, or a TOML file by its path",
		Long: `Run an experiment and write its run folder. The folder's name is the experiment's name and a hash of everything that
decides the numbers, so running the same thing again finds the same folder, and every completion is answered by the
ledger. A run that was stopped, however, goes on where it was.`,
		Example: "  assay run quickstart\n  assay run my.toml --set model.temperature=0.7 --limit 50\n  assay run quickstart --offline",
		Args:    args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, given []string) error {
			return a.runExperiment(cmd.Context(), given[0], &o, offline)
		},
	}
	o.register(c)
	c.Flags().BoolVar(&offline, "offline", false, "a call that the ledger cannot answer is an error")
	return c
}

func (a *app) runExperiment(ctx context.Context, name string, o *overrides, offline bool) error {
	if err := sandbox.Check(); err != nil {
		return err
	}
	e, err := o.load(name)
	if err != nil {
		return err
	}
	p, err := plan.Make(ctx, e, plan.Options{})
	if err != nil {
		return err
	}
	defer p.Close()
	a.note("%s: %d items, %d arms x sweep points, %d seeds; dataset %s; model %s", e.Name, len(p.Set.Examples), len(p.Cells),
		len(e.Seeds), p.Set.Name, modelLine(e))
	for _, w := range p.Manifest.Warnings {
		a.note("warning: %s", w)
	}
	show := newProgress(a.err, a.quiet)
	res, err := runner.Run(ctx, p, runner.Options{Store: a.store(), Offline: offline, Progress: show.update})
	show.done()
	if err != nil {
		return err
	}
	if a.json {
		return json.NewEncoder(a.out).Encode(map[string]any{"run": res.Dir, "id": p.Manifest.ID, "items": p.Manifest.Items,
			"calls": res.Counts.Called, "cached": res.Counts.Cached, "failed": res.Counts.Failed, "seconds": res.Duration.Seconds()})
	}
	outs, err := paper.Make(res.Run, "arms")
	if err != nil {
		return err
	}
	if err := outs[0].Table.WriteText(a.out, a.textOptions()); err != nil {
		return err
	}
	a.note("%d calls, %d from the ledger, %d failed; %.1f s", res.Counts.Called, res.Counts.Cached, res.Counts.Failed, res.Duration.Seconds())
	_, err = fmt.Fprintln(a.out, "run:", res.Dir)
	return err
}

// modelLine names the models of an experiment's arms, each once, and says what the baseline is.
func modelLine(e configs.Experiment) string {
	var names []string
	for _, arm := range e.Arms {
		name := arm.Model.Provider + "/" + arm.Model.Name
		if arm.Model.Provider == "baseline" {
			name = "baseline (a rule-based parser, no language model)"
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}
