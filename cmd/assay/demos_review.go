package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"assay/configs/input"
	"assay/configs/output"
	"assay/experiments/dataset"
	"assay/experiments/demos"
	"assay/prompting/exemplar"
	"assay/prompting/sql/sandbox"
	"assay/prompting/sql/sqlite"
	"assay/prompting/tools"

	"github.com/spf13/cobra"
)

func (a *app) demosCheckCmd() *cobra.Command {
	var j judging
	c := &cobra.Command{
		Use:   "check FILE",
		Short: "Hold the demonstrations of an annotation file against their databases",
		Long: `Hold every annotation of a file against the database: each step's SQL runs and the last is the gold query, columns exist,
what a division puts together gives the gold query's rows, and each action of a dialogue gives its observation. FILE may also be
one of the shipped files, sample and spider-train. It fails where an annotation does.`,
		Example: "  assay demos check sample\n  assay demos check demos.toml --dataset spider --data spider",
		Args:    args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, given []string) error {
			return a.checkDemos(cmd.Context(), &j, given[0])
		},
	}
	j.register(c)
	return c
}

// checkDemos checks a file, and prints what it has.
func (a *app) checkDemos(ctx context.Context, j *judging, file string) error {
	if err := sqlite.Check(); err != nil {
		return err
	}
	e, err := j.experiment("demos", nil)
	if err != nil {
		return err
	}
	all, warnings, err := dataset.Annotated(ctx, e.Dataset, file, dataset.Options{})
	a.noteWarnings(warnings)
	if err != nil {
		return err
	}
	cache := tools.NewCache(0)
	defer cache.Close()
	checker := &demos.Checker{Box: sandbox.New(sandbox.Options{Timeout: j.timeout}), Tools: tools.Options{Cache: cache}}
	begin, failed := time.Now(), 0
	made, err := checker.CheckAll(ctx, all, cmp.Or(j.workers, runtime.GOMAXPROCS(0)))
	if err != nil {
		return err
	}
	for _, m := range made {
		for _, f := range m.Failures {
			a.say("%s: %s", m.ID, f)
			failed++
		}
	}
	a.note("%d demonstrations in %s", len(all), time.Since(begin).Round(time.Millisecond))
	if err := a.printDemos(demos.Summarise(made), "as the file has it"); err != nil {
		return err
	}
	if failed > 0 {
		return fmt.Errorf("demos check %q: %d annotations fail", file, failed)
	}
	return nil
}

func (a *app) demosReviewCmd() *cobra.Command {
	var out string
	c := &cobra.Command{
		Use:   "review FILE",
		Short: "Write the review of an annotation file: a CSV with a row for every text",
		Long: `Write the review of an annotation file as CSV: a row for each demonstration, and one for each of its texts. Fill in verdict
(keep, drop, or nothing) and note, or write a text or its SQL anew; assay demos apply takes it over.`,
		Example: "  assay demos review demos.toml --out review.csv",
		Args:    args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, given []string) error {
			if out == "" {
				return usageError{errors.New("--out is missing: the review to write")}
			}
			all, err := opened(cmd.Context(), given[0])
			if err == nil {
				err = spareReview(out)
			}
			if err != nil {
				return err
			}
			return a.writeReview(cmd.Context(), out, demos.RowsOf(all))
		},
	}
	c.Flags().StringVar(&out, "out", "", "`FILE` to write, as CSV; - is the standard output")
	return c
}

// opened reads an annotation file, unless the work is to stop.
func opened(ctx context.Context, file string) ([]exemplar.Demo, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return exemplar.Open(file)
}

// placed refuses a file in a folder that is not there, before there is work to lose.
func placed(path string) error {
	if path == "" || output.IsStandard(path) {
		return nil
	}
	if _, err := os.Stat(filepath.Dir(path)); err != nil {
		return fmt.Errorf("%q: its folder is not there: make it first", path)
	}
	return nil
}

// spareReview refuses to write over a review in which a person has written.
func spareReview(path string) error {
	rows, err := demos.ReadCSV(already(path))
	if err != nil {
		return nil // no review
	}
	for _, r := range rows {
		if r.Note != "" || r.Verdict != "" {
			return fmt.Errorf("%q has a person's verdicts: name another file, or take it away first", path)
		}
	}
	return nil
}

// spareDemos refuses to write over demonstrations that a person reviewed or wrote.
func spareDemos(path string) error {
	all, err := exemplar.Parse(path, already(path))
	if err != nil {
		return nil // no annotation file
	}
	for _, d := range all {
		if d.Reviewed || d.ByPerson() {
			return fmt.Errorf("%q has demonstrations that a person reviewed or wrote, such as %q: name another file, or take it away first", path, d.ID)
		}
	}
	return nil
}

// already is what a file that is to be written holds already; nil where there is nothing that can be read.
func already(path string) []byte {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	text, err := input.Text(path, input.Exemplars)
	if err != nil {
		return nil
	}
	return text
}

// writeReview writes a review.
func (a *app) writeReview(ctx context.Context, path string, rows []demos.Row) error {
	return output.Write(ctx, path, a.out, func(w io.Writer) error { return demos.WriteCSV(w, rows) })
}

func (a *app) demosApplyCmd() *cobra.Command {
	var review, out string
	c := &cobra.Command{
		Use:   "apply FILE",
		Short: "Take a review over into an annotation file: keep, drop, and texts by hand",
		Long: `Take a review over into an annotation file. The verdict keep at a question marks the demonstration as reviewed; drop takes
it out, and at another row the annotation that the row is part of. A text or SQL that was written anew replaces the old one, whose
provenance is then "hand". Check what was edited with assay demos check.`,
		Example: "  assay demos apply demos.toml --review review.csv --out reviewed.toml",
		Args:    args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, given []string) error {
			if review == "" || out == "" {
				return usageError{errors.New("--review and --out are needed: the review to read, and the annotation file to write")}
			}
			return a.applyReview(cmd.Context(), given[0], review, out)
		},
	}
	c.Flags().StringVar(&review, "review", "", "the review, a CSV `FILE`")
	c.Flags().StringVar(&out, "out", "", "annotation `FILE` to write, which may be the same; - is the standard output")
	return c
}

// applyReview reads a file and its review, and writes what comes of them.
func (a *app) applyReview(ctx context.Context, file, review, out string) error {
	all, err := opened(ctx, file)
	if err != nil {
		return err
	}
	text, err := input.Text(review, input.Exemplars)
	if err != nil {
		return fmt.Errorf("demos apply: --review %q: %w", review, input.Cause(err))
	}
	rows, err := demos.ReadCSV(text)
	if err != nil {
		return fmt.Errorf("demos apply: --review %q: %w", review, err)
	}
	kept, done, err := demos.Apply(all, rows)
	if err != nil {
		return err
	}
	if len(kept) == 0 {
		return fmt.Errorf("demos apply: --review %q: it drops every demonstration", review)
	}
	made := exemplar.Write(kept, exemplar.WriteOptions{})
	if _, err := exemplar.Parse(out, made); err != nil {
		return fmt.Errorf("demos apply: --review %q: what it makes is no annotation file: %w", review, err)
	}
	err = output.Write(ctx, out, a.out, func(w io.Writer) error { _, err := w.Write(made); return err })
	if err != nil || output.IsStandard(out) {
		return err
	}
	if a.json {
		return json.NewEncoder(a.out).Encode(done)
	}
	_, err = fmt.Fprintf(a.out, "%d demonstrations: %d reviewed, %d dropped, %d texts edited, %d annotations taken out\n", len(kept), done.Kept, done.Dropped, done.Edited, done.Removed)
	return err
}
