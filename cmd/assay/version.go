package main

import (
	"fmt"

	"assay/experiments/plan"
	"assay/prompting/sandbox"

	"github.com/spf13/cobra"
)

func (a *app) versionCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the versions that results depend on",
		Args:  args(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			v, rev := plan.Build()
			_, err := fmt.Fprintf(a.out, "assay %s (%s), SQLite %s\n", v, rev, sandbox.Version())
			if err != nil {
				return err
			}
			return sandbox.Check()
		},
	}
}
