package main

import (
	"encoding/json"
	"errors"
	"fmt"

	"assay/experiments/plan"
	"assay/prompting/sql/sqlite"

	"github.com/spf13/cobra"
)

func (a *app) versionCmd() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the versions that results depend on",
		Long:    "Print the version and revision of this program and the version of SQLite. It fails where SQLite was built without the extensions that assay needs.",
		Example: "  assay version",
		Args:    args(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			v, rev := plan.Build()
			if a.json {
				return errors.Join(json.NewEncoder(a.out).Encode(map[string]string{"assay": v, "revision": rev, "sqlite": sqlite.Version()}), sqlite.Check())
			}
			_, err := fmt.Fprintf(a.out, "assay %s (%s), SQLite %s\n", v, rev, sqlite.Version())
			if err != nil {
				return err
			}
			return sqlite.Check()
		},
	}
}
