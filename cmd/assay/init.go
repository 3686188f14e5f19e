package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"assay/experiments/project"
	"assay/prompting/sql/engine"
	"assay/prompting/sql/sqlite"

	"github.com/spf13/cobra"
)

func (a *app) initCmd() *cobra.Command {
	var dbs []string
	var questions string
	c := &cobra.Command{
		Use:   "init DIR --db FILE",
		Short: "Begin with a database of your own: an experiment, a file of questions, a README",
		Long: `Write into the folder DIR an experiment over your own SQLite files, a file of questions, and a README of what to do next.
The experiment runs as it stands, without a key or a network; its first lines say how to ask a model instead.

The questions are those of --questions: CSV as a spreadsheet writes it, split at commas, semicolons or tabs. Its first
line names the columns:

  question    what is asked; the only column that is needed
  gold        the SQL that is right (or: sql, query)
  id          a name of the item, else one is made of its text
  db          the database, where there are several: the file's name without its ending
  evidence    what a reader must know beyond the schema (or: hint)
  difficulty  simple, moderate or challenging

Without --questions a few are made of the first tables, to write over. No database is copied, and no file is written
over.`,
		Example: "  assay init shop --db shop.sqlite --questions mine.csv\n  assay run shop/shop.toml",
		Args:    args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, given []string) error {
			if len(dbs) == 0 {
				return usageError{errors.New("init: --db is missing: name your SQLite file with --db FILE (repeatable)")}
			}
			return a.init(cmd.Context(), given[0], dbs, questions)
		},
	}
	c.Flags().StringArrayVar(&dbs, "db", nil, "a SQLite `FILE` (repeatable)")
	c.Flags().StringVar(&questions, "questions", "", "a CSV `FILE` of questions that you have")
	return c
}

// init describes the databases, which refuses what is none, and writes the folder.
func (a *app) init(ctx context.Context, dir string, dbs []string, questions string) error {
	if _, err := os.Stat(questions); questions != "" && errors.Is(err, fs.ErrNotExist) {
		return usageError{fmt.Errorf("init: --questions %q: no such file", questions)}
	}
	if dir == "" {
		return usageError{errors.New("init: DIR is empty: name a folder, . for this one")}
	}
	o := project.Options{Questions: questions}
	for _, path := range dbs {
		db := sqlite.DB(path)
		s, err := db.Engine.Describe(ctx, db.Source, engine.Detail{Rows: -1, Values: -1})
		if err != nil {
			return fmt.Errorf("init: --db %q: %w", path, err)
		}
		o.Bases = append(o.Bases, project.Base{Path: path, Schema: s})
	}
	f, err := project.Write(dir, o)
	if err != nil {
		return err
	}
	if a.json {
		return json.NewEncoder(a.out).Encode(map[string]any{"questions": f.Questions, "readme": f.Readme, "experiment": f.Experiment})
	}
	fmt.Fprintf(a.out, "%s\n%s\n%s\n", f.Questions, f.Readme, f.Experiment)
	a.note("Next: assay run %s (and assay questions check %s)", project.Shell(f.Experiment), project.Shell(dir))
	return nil
}
