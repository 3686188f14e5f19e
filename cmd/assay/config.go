package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"assay/configs"
	"assay/experiments/catalog"
	"assay/experiments/plan"
	"assay/experiments/runner"
	"assay/prompting/sql/sqlite"

	"github.com/spf13/cobra"
)

// configCmd groups the verbs that look at experiments and run nothing.
func (a *app) configCmd() *cobra.Command {
	c := &cobra.Command{Use: "config", Short: "List the embedded experiments, check a file, print one as resolved",
		Long: "Look at experiments without running them: the embedded ones, your own files, and every key of an experiment file."}
	c.AddCommand(&cobra.Command{
		Use:     "list",
		Short:   "Name the embedded experiments",
		Long:    "Name the embedded experiments, and what each shows. `assay config show` prints one.",
		Example: "  assay config list",
		Args:    args(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			if a.json {
				out := []map[string]string{}
				for _, in := range configs.Names() {
					out = append(out, map[string]string{"name": in.Name, "shows": in.Shows})
				}
				return json.NewEncoder(a.out).Encode(out)
			}
			for _, in := range configs.Names() {
				fmt.Fprintf(a.out, "%-16s %s\n", in.Name, in.Shows)
			}
			return nil
		},
	}, a.configCheckCmd(), a.configShowCmd(), &cobra.Command{
		Use:     "reference",
		Short:   "Print every key of an experiment file, as Markdown",
		Long:    "Print every key of an experiment file with its type, default and meaning, as Markdown.",
		Example: "  assay config reference > REFERENCE.md",
		Args:    args(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprint(a.out, configs.Reference(catalog.Known))
			return err
		},
	})
	return c
}

func (a *app) configCheckCmd() *cobra.Command {
	var o overrides
	var ro runner.Options
	c := &cobra.Command{
		Use:   "check FILE",
		Short: "Say what is wrong with an experiment file, with file and line",
		Long: `Say everything that is wrong with an experiment file, with file and line and the nearest right spelling. Then do all that
assay run does before its first call, which finds what the file alone does not show: a dataset that is not there, a key
that is not set, a budget without a price. It makes no call and runs nothing.`,
		Example: "  assay config check my.toml\n  assay config check my.toml --offline",
		Args:    args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, given []string) error {
			e, err := o.load(given[0])
			if err != nil {
				return err
			}
			p, err := a.ready(cmd.Context(), e, ro)
			if err != nil {
				return fmt.Errorf("config check %q: %w", given[0], err)
			}
			defer p.Close()
			_, err = fmt.Fprintf(a.out, "%s: ok: %s\n", given[0], extent(p))
			return err
		},
	}
	o.register(c)
	c.Flags().BoolVar(&ro.Offline, "offline", false, "as for a run that makes no call: no key is needed")
	return c
}

// ready plans an experiment and checks all that a run checks before its first call. The caller closes the plan.
func (a *app) ready(ctx context.Context, e configs.Experiment, ro runner.Options) (*plan.Plan, error) {
	if err := sqlite.Check(); err != nil {
		return nil, err
	}
	p, err := plan.Make(ctx, e, plan.Options{})
	if err != nil {
		return nil, err
	}
	for _, w := range p.Manifest.Warnings {
		a.note("warning: %s", w)
	}
	if err := runner.Check(ctx, p, ro); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

func (a *app) configShowCmd() *cobra.Command {
	var o overrides
	var sheet bool
	var format string
	c := &cobra.Command{
		Use:   "show EXPERIMENT",
		Short: "Print an experiment with every default and override in place, or how near it is to its paper",
		Long: `Print an experiment as a run would resolve it: with every default and override in place, and each arm spelt out.

--fidelity prints how near it is to the paper that it repeats: for models, prompts, demonstrations, embeddings, data and
settings, what the paper has and where, what the experiment does, and whether that is as published, our wording, a
stand-in, different, or not stated by the paper. It follows the overrides, and needs no data set.`,
		Example: "  assay config show quickstart --set exemplars.k=8\n  assay config show it2s-table2 --fidelity --set model.temperature=0",
		Args:    args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, given []string) error {
			if sheet {
				return a.fidelity(&o, given[0], format)
			}
			if cmd.Flags().Changed("format") {
				return usageError{errors.New("config show: --format needs --fidelity: an experiment is TOML")}
			}
			e, err := o.load(given[0])
			if err != nil {
				return err
			}
			text, err := e.TOML()
			if err != nil {
				return err
			}
			_, err = a.out.Write(text)
			return err
		},
	}
	o.register(c)
	c.Flags().BoolVar(&sheet, "fidelity", false, "print how near the experiment is to its paper (--json: as JSON)")
	c.Flags().StringVar(&format, "format", "text", "of --fidelity: "+strings.Join(fidelityFormats, ", "))
	return c
}
