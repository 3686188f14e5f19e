package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"assay/configs/input"
	"assay/experiments/catalog"
	"assay/experiments/compare"
	"assay/experiments/cost"
	"assay/experiments/overview"
	"assay/experiments/plan"
	"assay/experiments/record"
	"assay/metrics/execution"
	"assay/metrics/stats"
	"assay/plots/page"
	"assay/plots/paper"
	"assay/plots/site"
	"assay/plots/style"
	"assay/plots/versus"
)

// siteOf reads the store's runs, and says how their pages are made. A store that is not there is an error, since a site of it
// would be empty, and would replace one of all runs.
func (a *app) siteOf(o *siteFlags) (*site.Site, error) {
	if _, err := os.Stat(a.storeDir); err != nil {
		return nil, fmt.Errorf("site: read the store %q: %w: --store names the folder of the runs", a.storeDir, input.Cause(err))
	}
	infos, err := a.store().List()
	if err != nil {
		return nil, err
	}
	made := o.made(a.store().HasLedger())
	s := &site.Site{Store: a.storeDir, Pairs: o.pairs, From: a.pagesFrom(o)}
	for _, r := range overview.Of(infos, catalog.Known) {
		s.Runs = append(s.Runs, siteRun(r, made))
	}
	return s, nil
}

// made returns what pages depend on beside a run's files: the program and its flags.
func (o *siteFlags) made(ledger bool) string {
	version, revision := plan.Build()
	program := version + revision
	if path, err := os.Executable(); err == nil {
		if st, err := os.Stat(path); err == nil {
			program += fmt.Sprint(st.Size(), st.ModTime().UnixNano())
		}
	}
	return fmt.Sprint(program, o.size, ledger)
}

// siteRun is a run as the site lists it.
func siteRun(r overview.Run, made string) site.Run {
	m := r.Manifest
	out := site.Run{Name: r.Name, Dir: r.Dir, Experiment: m.Experiment, ID: m.ID, Dataset: m.Dataset, Items: m.Items, State: "complete",
		Written: r.Written, Models: r.Models, Prints: map[string]string{}, Key: stamp(r.Dir, made)}
	switch {
	case r.Err != nil:
		out.State, out.Damaged = "damaged", r.Err.Error()
	case !m.Complete:
		out.State = "incomplete"
	}
	for i, x := range m.Metrics {
		out.Prints[x.ID] = x.Fingerprint
		if out.Metric = cmp.Or(out.Metric, x.ID); i == 0 && x.NoSuite == record.AllItems {
			out.Metric = execution.Single(x.ID)
		}
	}
	out.Metric = catalog.Known.Heading(out.Metric)
	for _, d := range r.Differs {
		out.Differs = append(out.Differs, site.Setting{Key: d.Key, Value: d.Value})
	}
	for _, x := range r.Scores {
		out.Scores = append(out.Scores, siteScore(x, m))
		if !slices.Contains(out.Arms, x.Arm) {
			out.Arms = append(out.Arms, x.Arm)
		}
	}
	if paid, err := cost.ReadSpent(r.Dir); err == nil && paid.Calls > 0 {
		out.Paid, out.USD = paid.String(), paid.USD
	}
	return out
}

// siteScore is an arm's score with Wilson's interval, which holds for right and wrong answers of one seed.
func siteScore(x overview.Score, m record.Manifest) site.Score {
	s := site.Score{Arm: armAt(x.Arm, m.Axes, x.Point), Mean: x.Mean, Scored: x.Scored}
	right := x.Mean * float64(x.Scored)
	if k := math.Round(right); x.Scored <= m.Items && math.Abs(right-k) < 1e-6 {
		between := stats.Wilson(int(k), x.Scored, 0.95)
		s.Low, s.High = between.Low, between.High
	}
	return s
}

// armAt names an arm at a sweep point: "cot, temperature = 0.5".
func armAt(arm string, axes, point []string) string {
	for i, v := range point {
		axis := ""
		if i < len(axes) {
			axis = axes[i] + " = "
		}
		arm += ", " + axis + v
	}
	return arm
}

// stamp returns what tells a state of a run's files from others.
func stamp(dir, made string) string {
	h := sha256.New()
	fmt.Fprintln(h, made, filepath.Base(dir))
	entries, err := os.ReadDir(dir)
	fmt.Fprintln(h, err)
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			fmt.Fprintln(h, e.Name(), info.Size(), info.ModTime().UnixNano())
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// pagesFrom says how the larger pages are made.
func (a *app) pagesFrom(o *siteFlags) site.From {
	base := &lastRun{}
	return site.From{
		Read: func(r site.Run) (*record.Run, error) { return record.ReadItems(r.Dir, catalog.Known) },
		Report: func(ctx context.Context, r site.Run, links []style.Link, w io.Writer) error {
			return a.sitePage(ctx, r, o.size, links, w)
		},
		Sources: func(ctx context.Context, r site.Run) (site.Sources, error) { return a.siteSources(ctx, r) },
		Diff: func(ctx context.Context, x, y site.Run, links []style.Link, w io.Writer) error {
			return a.siteDiff(o, base, x, y, links, w)
		},
	}
}

// sitePage writes a run's page as report does.
func (a *app) sitePage(ctx context.Context, of site.Run, size float64, links []style.Link, w io.Writer) error {
	r, err := record.Read(of.Dir, catalog.Known)
	if err != nil {
		return err
	}
	made, err := paper.Make(r, paper.Options{})
	if err != nil {
		return err
	}
	return a.withPage(ctx, r, []string{of.Dir}, size, func(p page.Page) error {
		p.Links = links
		return made.Page(w, p)
	})
}

// siteDiff writes the page that compares two runs, as diff --format html --prompts does.
func (a *app) siteDiff(o *siteFlags, base *lastRun, x, y site.Run, links []style.Link, w io.Writer) error {
	base.mu.Lock()
	defer base.mu.Unlock() // comparing prices the rows of both
	first, err := base.read(x)
	if err != nil {
		return err
	}
	second, err := record.Read(y.Dir, catalog.Known)
	if err != nil {
		return err
	}
	runs := []*record.Run{first, second}
	r, err := compare.Against(first, runs[1:], compare.Options{})
	if err != nil {
		return err
	}
	noteSuites(r, runs)
	prompts, err := a.prompts(&diffing{prompts: true, cmd: o.cmd}, runs, r)
	if err != nil {
		return err
	}
	return versus.WriteHTML(w, r, versus.Options{Flips: mostSiteFlips, Prompts: prompts, Links: links})
}

// mostSiteFlips bounds the flips of a pair of arms on a page that compares runs: assay diff lists all.
const mostSiteFlips = 500

// lastRun holds the run that was read last: the pages of one baseline are made one after the other.
type lastRun struct {
	mu  sync.Mutex
	key string
	run *record.Run
}

// read returns a run. The caller holds mu as long as it uses it.
func (l *lastRun) read(r site.Run) (*record.Run, error) {
	if l.run != nil && l.key == r.Key {
		return l.run, nil
	}
	run, err := record.Read(r.Dir, catalog.Known)
	if err == nil {
		l.key, l.run = r.Key, run
	}
	return run, err
}
