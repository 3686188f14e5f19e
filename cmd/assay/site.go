package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"assay/experiments/record"
	"assay/plots/site"

	"github.com/spf13/cobra"
)

// siteFlags are the flags of site and serve.
type siteFlags struct {
	size  float64
	pairs int
	cmd   *cobra.Command
}

func (o *siteFlags) register(c *cobra.Command) {
	o.cmd = c
	c.Flags().Float64Var(&o.size, "page-size", pageSize, "bound of each run's page in `MB`; 0 leaves out all prompts and completions")
}

func (a *app) siteCmd() *cobra.Command {
	var o siteFlags
	var out string
	var fresh bool
	c := &cobra.Command{
		Use:   "site --out DIR",
		Short: "Make a folder of static pages over all runs of the store",
		Long: `Make a folder of pages that opens from disk and from any static host, without a network: the list of all runs with their
scores, costs and differences, to sort, filter and search; each run's page; the sources and prompts of its methods; and the
comparison of any two runs of one dataset and metric, up to --pairs of them.

Made again, it writes what has changed, and removes the pages of runs that are gone. It never replaces or removes a file
that it did not write. A run that is damaged is listed with the reason. Everything in the store's runs can be read in the pages:
questions, gold queries, prompts and completions; --page-size 0 leaves the last two out of the runs' pages.`,
		Example: "  assay site --out public\n  assay site --out public --pairs 1000 --page-size 40",
		Args:    args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case out == "":
				return usageError{errors.New("site: --out DIR names the folder of the pages, such as --out public")}
			case o.pairs < 0:
				return usageError{fmt.Errorf("--pairs %d: want 0 or more", o.pairs)}
			}
			return a.site(cmd.Context(), &o, out, fresh)
		},
	}
	o.register(c)
	c.Flags().StringVar(&out, "out", "", "folder of the pages")
	c.Flags().IntVar(&o.pairs, "pairs", 200, "most pairs of runs that get a page, those of one experiment and the latest first")
	c.Flags().BoolVar(&fresh, "fresh", false, "make every page again, also those whose run has not changed")
	return c
}

// site builds the pages and says what was done.
func (a *app) site(ctx context.Context, o *siteFlags, out string, fresh bool) error {
	if err := a.ownFolder(out); err != nil {
		return err
	}
	s, err := a.siteOf(o)
	if err != nil {
		return err
	}
	last := time.Now()
	built, err := site.Build(ctx, out, s.Pages(), site.Options{Fresh: fresh, Done: func(done, all int) {
		if time.Since(last) >= lineEvery {
			last = time.Now()
			a.note("%d of %d files", done, all)
		}
	}})
	for i, why := range built.Failed {
		if i == mostFailed {
			a.note("warning: %d more pages could not be made", len(built.Failed)-i)
			break
		}
		a.note("warning: %s", why)
	}
	if err != nil {
		return err
	}
	a.note("%d files written, %d kept, %d removed; %.1f MB", built.Made, built.Kept, built.Removed, float64(built.Bytes)/1e6)
	_, err = fmt.Fprintln(a.out, filepath.Join(out, "index.html"))
	return err
}

// mostFailed is how many pages that could not be made are named.
const mostFailed = 10

// ownFolder refuses the store itself and a run's folder as the folder of a site.
func (a *app) ownFolder(out string) error {
	if st, err := os.Stat(out); err == nil {
		if store, err := os.Stat(a.storeDir); err == nil && os.SameFile(st, store) {
			return usageError{fmt.Errorf("--out %q is the store: name a folder of its own", out)}
		}
	}
	if _, err := os.Lstat(filepath.Join(out, record.ManifestFile)); err == nil || !errors.Is(err, fs.ErrNotExist) {
		return usageError{fmt.Errorf("--out %q is no folder for a site, which needs one of its own: there is a run, or no folder at all", out)}
	}
	return nil
}
