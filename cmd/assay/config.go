package main

import (
	"encoding/json"
	"fmt"

	"assay/configs"
	"assay/experiments/catalog"

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
	c := &cobra.Command{
		Use:     "check FILE",
		Short:   "Say what is wrong with an experiment file, with file and line",
		Long:    "Say everything that is wrong with an experiment file, with file and line and the nearest right spelling. It runs nothing.",
		Example: "  assay config check my.toml",
		Args:    args(cobra.ExactArgs(1)),
		RunE: func(_ *cobra.Command, given []string) error {
			e, err := o.load(given[0])
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(a.out, "%s: ok: %d arms, %d sweep points, %d seeds\n", given[0], len(e.Arms), len(e.Cells())/len(e.Arms), len(e.Seeds))
			return err
		},
	}
	o.register(c)
	return c
}

func (a *app) configShowCmd() *cobra.Command {
	var o overrides
	c := &cobra.Command{
		Use:     "show EXPERIMENT",
		Short:   "Print an experiment with every default and override in place",
		Long:    "Print an experiment as a run would resolve it: with every default and override in place, and each arm spelt out.",
		Example: "  assay config show quickstart --set exemplars.k=8",
		Args:    args(cobra.ExactArgs(1)),
		RunE: func(_ *cobra.Command, given []string) error {
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
	return c
}
