package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"assay/experiments/store"
	"assay/plots/table"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

func (a *app) rmCmd() *cobra.Command {
	var yes, dry bool
	c := &cobra.Command{
		Use:   "rm RUN...",
		Short: "Remove runs of the store, and say how much space that frees",
		Long: `Remove the folders of runs, with their reports. Each run is named by its folder, the start of its id, or the start of its
name where no other run's begins so: a name that several runs share is refused. The folders are listed, and nothing goes
before you say yes; where there is no terminal to ask on, --yes is needed.

The completions stay in the ledger, so that the same experiment can be run again without a call; "assay ledger gc"
drops those that no run names. A run that is being written is refused, and so is what is no run of the store.`,
		Example: "  assay rm quickstart-0123456789\n  assay rm 0123 4567 --dry-run",
		Args:    args(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, given []string) error {
			return a.remove(cmd.Context(), given, yes, dry)
		},
	}
	c.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	c.Flags().BoolVar(&dry, "dry-run", false, "only say what would go")
	return c
}

// remove removes runs: all that are named, or none where one of them cannot be.
func (a *app) remove(ctx context.Context, given []string, yes, dry bool) error {
	var all []store.Removal
	var bytes int64
	for _, name := range given {
		dir, err := a.store().One(name)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(all, func(r store.Removal) bool { return r.Dir == dir }) {
			continue
		}
		r, err := a.store().Removal(dir)
		if err != nil {
			return err
		}
		all, bytes = append(all, r), bytes+r.Bytes
	}
	if !a.json {
		if err := a.listRemovals(all); err != nil {
			return err
		}
	}
	if !dry && !yes {
		if err := a.sure(ctx, fmt.Sprintf("Remove %s, %s?", plural(len(all), "run"), size(bytes))); err != nil {
			return err
		}
	}
	for _, r := range all {
		if err := ctx.Err(); err != nil {
			return err
		}
		if dry {
			continue
		}
		if err := r.Remove(); err != nil {
			return err
		}
	}
	if a.json {
		return json.NewEncoder(a.out).Encode(map[string]any{"dry_run": dry, "runs": all, "bytes": bytes})
	}
	verb := "removed"
	if dry {
		verb = "would remove"
	}
	_, err := fmt.Fprintf(a.out, "%s %s, %s; the ledger's completions stay\n", verb, plural(len(all), "run"), size(bytes))
	return err
}

// listRemovals prints what goes.
func (a *app) listRemovals(all []store.Removal) error {
	t := &table.Table{Columns: []table.Column{{Name: "Run", Key: true}, {Name: "Files", Align: table.Right}, {Name: "Size", Align: table.Right}}}
	for _, r := range all {
		t.Rows = append(t.Rows, []table.Cell{table.Text(r.Name), table.Count(r.Files), table.Text(size(r.Bytes))})
	}
	return a.text(t)
}

// plural prints a number of things.
func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// sure asks a question on the terminal; anything but yes is an error. Without a terminal nobody can be asked.
func (a *app) sure(ctx context.Context, question string) error {
	if !term.IsTerminal(int(os.Stdin.Fd())) {
		return usageError{errors.New("rm: there is no terminal to ask on: say --yes, or look with --dry-run")}
	}
	fmt.Fprintf(a.err, "%s [y/N] ", question)
	if err := a.err.Flush(); err != nil {
		return err
	}
	answer := make(chan string, 1)
	go func() {
		line := make([]byte, 64)
		n, _ := os.Stdin.Read(line)
		answer <- strings.ToLower(strings.TrimSpace(string(line[:n])))
	}()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case said := <-answer:
		if said == "y" || said == "yes" {
			return nil
		}
	}
	return errors.New("rm: nothing was removed")
}
