package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"assay/experiments/catalog"
	"assay/experiments/record"
	"assay/plots/figure"
	"assay/plots/page"
	"assay/plots/paper"

	"github.com/spf13/cobra"
)

func (a *app) openCmd() *cobra.Command {
	var printOnly bool
	c := &cobra.Command{
		Use:   "open RUN",
		Short: "Show a run's page in the browser",
		Long: `Open the run's page, one file that needs no network, in the browser that BROWSER names or in the system's. The report is
made first where there is none, or where it is older than the run.`,
		Example: "  assay open quickstart\n  assay open quickstart --print",
		Args:    args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, given []string) error {
			page, err := a.pageOf(cmd.Context(), given[0])
			if err != nil {
				return err
			}
			if _, err := fmt.Fprintln(a.out, page); err != nil || printOnly {
				return err
			}
			at, err := filepath.Abs(page) // the browser may run in another working directory
			if err == nil {
				err = browse(at)
			}
			if err != nil {
				return fmt.Errorf("open %q: %w: open the file in a browser, or set BROWSER", page, err)
			}
			return nil
		},
	}
	c.Flags().BoolVar(&printOnly, "print", false, "print the page's path only")
	return c
}

// pageOf returns the path of the run's page. It makes the report where the page is missing or older than the run.
func (a *app) pageOf(ctx context.Context, run string) (string, error) {
	dir, err := a.find(run)
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "report", "index.html")
	st, err := os.Stat(path)
	manifest, merr := os.Stat(filepath.Join(dir, record.ManifestFile))
	if err == nil && merr == nil && st.ModTime().After(manifest.ModTime()) {
		return path, nil
	}
	r, err := record.Read(dir, catalog.Known)
	if err != nil {
		return "", err
	}
	made, err := paper.Make(r, paper.Options{})
	if err != nil {
		return "", err
	}
	return path, a.withPage(ctx, r, []string{dir}, pageSize, func(p page.Page) error {
		_, _, err := paper.Write(filepath.Dir(path), made, figure.Look{}, p)
		return err
	})
}

// browsers are the commands that open a file, by operating system.
var browsers = map[string][]string{
	"linux":   {"xdg-open"},
	"darwin":  {"open"},
	"windows": {"rundll32", "url.dll,FileProtocolHandler"},
}

// browse starts the browser on an address or an absolute path, and does not wait for it: some browsers run until their window
// is closed.
func browse(at string) error {
	command := browsers[runtime.GOOS]
	if b := os.Getenv("BROWSER"); b != "" {
		command = []string{b}
	}
	if command == nil {
		return fmt.Errorf("no browser is known on %s", runtime.GOOS)
	}
	c := exec.Command(command[0], append(command[1:], at)...)
	if err := c.Start(); err != nil {
		return err
	}
	return c.Process.Release()
}
