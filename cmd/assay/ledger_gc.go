package main

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"assay/configs/input"
	"assay/experiments/record"
	"assay/experiments/store"
	"assay/plots/table"
	"assay/prompting/llm/ledger"
)

func (a *app) ledgerGCCmd() *cobra.Command {
	var dry, force, wait bool
	c := &cobra.Command{
		Use:   "gc",
		Short: "Drop the completions that no run of the store names",
		Long: `Drop the completions that no run folder of the store names, and compact the file. There is no confirmation: look with
--dry-run first, which says whose completions would go and how many bytes they have. A store with no run, or with an incomplete run, is refused without --force, because the completions
that such a run still needs are in no calls.csv, and so is one with a batch under way. The same is true of a run that was
killed: finish it first.`,
		Example: "  assay ledger gc --dry-run",
		Args:    args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			files, err := a.callsFiles(force || dry)
			if err != nil {
				return err
			}
			collect := func(l *ledger.Ledger) error {
				if err := a.unnamed(cmd.Context(), l, force || dry); err != nil {
					return err
				}
				return a.ledgerGC(cmd.Context(), l, keysOf(files), dry)
			}
			if dry || !a.store().HasLedger() {
				return a.readLedger(collect)
			}
			return a.writeLedger(cmd.Context(), "ledger gc", wait, collect)
		},
	}
	c.Flags().BoolVar(&dry, "dry-run", false, "only say what would be dropped")
	c.Flags().BoolVar(&force, "force", false, "even where the store has no run, an incomplete one, or a batch under way")
	c.Flags().BoolVar(&wait, "wait", false, "wait for another process that writes to the store")
	return c
}

// callsFiles returns the files that name the completions and vectors in use. It fails where they may not name all of them, because gc
// would then drop paid completions; force turns that failure into a warning, but not a run folder that cannot be read.
func (a *app) callsFiles(force bool) ([]string, error) {
	infos, err := a.store().List()
	if err != nil {
		return nil, err
	}
	var risk error
	if len(infos) == 0 {
		risk = fmt.Errorf("%q holds no runs, so every completion would be dropped", a.storeDir)
	}
	for _, in := range infos {
		switch {
		case in.Err != nil:
			return nil, fmt.Errorf("the completions that the run %s needs are not known: %w: run it again, or delete its folder", in.Dir, in.Err)
		case !in.Manifest.Complete:
			risk = fmt.Errorf("the run %s is not complete, and completions that it has not recorded yet would be dropped: finish it, or delete its folder", in.Dir)
		}
	}
	if risk != nil && !force {
		return nil, fmt.Errorf("%w (--force: drop them anyway)", risk)
	}
	if risk != nil {
		a.note("warning: %v", risk)
	}
	var files []string
	for _, name := range []string{record.CallsFile, record.VectorsFile} {
		more, err := input.Glob(a.storeDir, "*", name)
		if err != nil {
			return nil, err
		}
		files = append(files, more...)
	}
	return files, nil
}

// unnamed fails where batches have answers, or may, that no run folder names yet; force turns that into a warning.
func (a *app) unnamed(ctx context.Context, l *ledger.Ledger, force bool) error {
	infos, err := a.store().List()
	if err != nil {
		return err
	}
	all, err := l.Batches(ctx, false)
	var risk error
	for _, b := range all {
		run := func(in store.Info) bool { return in.Err == nil && in.Manifest.ID == b.Run }
		switch {
		case b.State != ledger.BatchDone:
			risk = fmt.Errorf("the batch %s is under way, and answers of its run that no folder names yet would be dropped: finish the run, or `assay batch cancel`", b.ID)
		case b.Service == ledger.FileService && b.Answered > 0 && !slices.ContainsFunc(infos, run):
			risk = fmt.Errorf("the batch %s has answers of a run without a folder, which would be dropped: finish the run", b.ID)
		}
	}
	if risk != nil && force {
		a.note("warning: %v", risk)
		risk = nil
	}
	if risk != nil {
		risk = fmt.Errorf("%w (--force: drop them anyway)", risk)
	}
	return errors.Join(err, risk)
}

// ledgerGC drops the completions outside keep, and prints the totals by model and the size saved.
func (a *app) ledgerGC(ctx context.Context, l *ledger.Ledger, keep ledger.Keys, dry bool) error {
	c, err := l.Collect(ctx, keep, dry)
	if err != nil {
		return err
	}
	if a.json {
		return json.NewEncoder(a.out).Encode(struct {
			DryRun bool `json:"dry_run"`
			ledger.Collected
		}{dry, c})
	}
	if len(c.Models) > 0 {
		if err := a.totals(c.Models, ofPrompts(c)...); err != nil {
			return err
		}
	}
	verb := "dropped"
	if dry {
		verb = "would drop"
	}
	_, err = fmt.Fprintf(a.out, "%s %d completions and %d prompts, %s; %d completions stay", verb, c.Completions, c.Prompts, size(c.Bytes), c.Kept)
	switch {
	case err == nil && dry:
		_, err = fmt.Fprintf(a.out, "; the file is %s", size(c.FileBefore))
	case err == nil:
		_, err = fmt.Fprintf(a.out, "; the file was %s and is %s", size(c.FileBefore), size(c.FileAfter))
	}
	fmt.Fprintln(a.out)
	return err
}

// ofPrompts is the row of the prompts that go, if any; they belong to no model, since two may have been sent the same.
func ofPrompts(c ledger.Collected) [][]table.Cell {
	if c.Prompts == 0 {
		return nil
	}
	bytes := c.Bytes
	for _, m := range c.Models {
		bytes -= m.Bytes
	}
	none := table.Text("")
	return [][]table.Cell{{table.Text("the prompts themselves"), none, table.Text(fmt.Sprint(c.Prompts)), none, none, none, table.Text(size(bytes))}}
}

// keysOf yields the request keys in files of the form of calls.csv, as vectors.csv is. It streams, because the calls of a
// store may not fit in memory.
func keysOf(files []string) ledger.Keys {
	return func(yield func(string, error) bool) {
		for _, path := range files {
			if !keysIn(path, yield) {
				return
			}
		}
	}
}

// keysIn yields the keys of one file and reports whether to continue with the next.
func keysIn(path string, yield func(string, error) bool) bool {
	f, err := input.Open(path, input.Rows)
	if err != nil {
		yield("", err)
		return false
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.ReuseRecord = true
	head, err := r.Read()
	if err == io.EOF { // a run without calls has an empty file
		return true
	}
	at := slices.Index(head, "key")
	if err == nil && at < 0 {
		err = errors.New(`no column "key"`)
	}
	for err == nil {
		var rec []string
		if rec, err = r.Read(); err == nil && rec[at] != "" && !yield(rec[at], nil) {
			return false
		}
	}
	if err != io.EOF {
		yield("", fmt.Errorf("%s: %w", path, err))
		return false
	}
	return true
}
