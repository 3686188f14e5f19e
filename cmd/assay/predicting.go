package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"assay/configs"
	"assay/experiments/catalog"
	"assay/experiments/plan"
	"assay/experiments/predictions"
	"assay/experiments/record"
	"assay/metrics"
	"assay/metrics/execution"
	"assay/prompting/sql/sqlite"

	"github.com/spf13/cobra"
)

// judging holds the flags that name a dataset and say how gold queries are run on it.
type judging struct {
	dataset, data, split, suite, questions, gold, overrides string
	databases, sets, set                                    []string
	own                                                     []string // metrics by programs, as configs.Options has them
	timeout                                                 time.Duration
	limit, workers                                          int
	given                                                   func(flag string) bool
}

func (j *judging) register(c *cobra.Command) {
	f := c.Flags()
	j.given = f.Changed
	f.StringVar(&j.dataset, "dataset", catalog.Known.Kinds[0].ID, "form of the dataset: "+strings.Join(catalog.Known.Choices("kinds").IDs(), ", "))
	f.StringVar(&j.data, "data", "", "folder of the dataset")
	f.StringVar(&j.split, "split", "", "part of the dataset (default dev; text2sql: all)")
	f.StringVar(&j.questions, "questions", "", "file of questions, within the dataset's folder unless absolute")
	f.StringArrayVar(&j.databases, "databases", nil, "further folder of databases, `DIR`/<db>/<db>.sqlite (repeatable)")
	f.StringSliceVar(&j.sets, "sets", nil, "text2sql: the sets, such as geography")
	f.StringVar(&j.suite, "suite", "", "folder of test-suite databases, `DIR`/<db>/*.sqlite")
	f.StringArrayVar(&j.set, "set", nil, "further `key.path=value` of an experiment's dataset (repeatable)")
	f.DurationVar(&j.timeout, "timeout", 30*time.Second, "deadline of one SQL execution")
	f.IntVar(&j.limit, "limit", 0, "the first N items only")
	f.IntVar(&j.workers, "workers", 0, "items judged at once (0: the number of CPUs)")
}

// judgingFlag is a flag that stands for a key of an experiment.
type judgingFlag struct{ flag, key, value, usual string }

// flags lists the flags that stand for keys, with their values; usual is what a flag has that was not given.
func (j *judging) flags() []judgingFlag {
	return []judgingFlag{
		{"dataset", "dataset.kind", j.dataset, "sample"}, {"timeout", "timeout", j.timeout.String(), "30s"},
		{"workers", "workers", strconv.Itoa(j.workers), "0"}, {"limit", "dataset.limit", strconv.Itoa(j.limit), "0"},
		{"data", "dataset.path", j.data, ""}, {"split", "dataset.split", j.split, ""}, {"suite", "dataset.suite", j.suite, ""},
		{"questions", "dataset.questions", j.questions, ""}, {"databases", "dataset.databases", list(j.databases), ""},
		{"sets", "dataset.sets", list(j.sets), ""}, {"overrides", "dataset.overrides", j.overrides, ""}}
}

// settings returns the flags as settings of an experiment. A flag at its default is left out unless it was given, so that it
// does not override what a stored run says.
func (j *judging) settings() (out []string) {
	for _, s := range j.flags() {
		if s.value != "" && (s.value != s.usual || j.given(s.flag)) {
			out = append(out, s.key+"="+s.value)
		}
	}
	return append(out, j.set...)
}

// byFlag names the flags that were given in an error about the keys that they stand for.
func (j *judging) byFlag(err error) error {
	var bad *configs.Error
	if !errors.As(err, &bad) {
		return err
	}
	var lines []string
	for _, p := range bad.Problems {
		for _, f := range append(j.flags(), judgingFlag{flag: "metrics", key: "metrics"}) {
			if rest, ok := strings.CutPrefix(p, "--set "+f.key+"="); ok && !slices.ContainsFunc(j.set, func(s string) bool { return strings.HasPrefix(s, f.key+"=") }) {
				_, rest, _ = strings.Cut(rest, ": ")
				p = "--" + f.flag + ": " + rest
			}
		}
		lines = append(lines, p)
	}
	return errors.New(strings.Join(lines, "\n"))
}

// experiment returns the flags as an experiment of that name. Without metrics it takes those of the dataset's own
// evaluator.
func (j *judging) experiment(name string, metricIDs []string) (configs.Experiment, error) {
	if len(metricIDs) == 0 {
		metricIDs = j.metrics()
	}
	settings := j.settings()
	if len(metricIDs) > 0 { // empty for an unknown kind of dataset, which Experiment reports
		settings = append(settings, "metrics="+list(metricIDs))
	}
	e, err := predictions.Experiment(name, configs.Options{Set: settings, Metrics: j.own})
	if err != nil {
		return e, usageError{j.byFlag(err)}
	}
	return e, nil
}

// metrics lists those of the dataset's own evaluator; with --suite each is followed by its test-suite form.
func (j *judging) metrics() (ids []string) {
	for _, id := range catalog.Known.Kind(j.dataset).Judges {
		ids = append(ids, id)
		if over := execution.Suited(id); over != "" && j.suite != "" {
			ids = append(ids, over)
		}
	}
	return ids
}

// goldFile reads the file of gold queries; nil where none is named.
func (j *judging) goldFile() (*predictions.File, error) {
	if j.gold == "" {
		return nil, nil
	}
	return flagged("gold", j.gold)
}

// flagged reads the file that a flag names, which errors name too.
func flagged(flag, path string) (*predictions.File, error) {
	f, err := predictions.Read(path)
	if err != nil {
		return nil, fmt.Errorf("--%s: %w", flag, err)
	}
	f.Flag = "--" + flag
	return f, nil
}

// cases returns the gold queries that the flags name, and notes the warnings about them.
func (a *app) cases(ctx context.Context, j *judging, name string) ([]metrics.Case, error) {
	if err := sqlite.Check(); err != nil {
		return nil, err
	}
	e, err := j.experiment(name, nil)
	if err != nil {
		return nil, err
	}
	gold, err := j.goldFile()
	if err != nil {
		return nil, err
	}
	cases, notes, err := plan.GoldQueries(ctx, e, plan.Options{Gold: gold})
	for _, n := range notes {
		a.note("warning: %s", n)
	}
	return cases, err
}

// list writes texts as a TOML list; "" for none.
func list(texts []string) string {
	if len(texts) == 0 {
		return ""
	}
	quoted := make([]string, len(texts))
	for i, s := range texts {
		quoted[i] = strconv.Quote(s)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// predicting adds the flags that name predictions to those of judging.
type predicting struct {
	judging
	pred      string
	subset    bool
	metricIDs []string
	places    []predictions.Place // of the items in their interactions, once planned; nil where the files have none
}

func (p *predicting) register(c *cobra.Command) {
	p.judging.register(c)
	f := c.Flags()
	f.StringVar(&p.pred, "pred", "", "`FILE` of predictions: one SQL per line, BIRD's JSON, or JSONL of candidates; or an imported run, to score it again")
	f.BoolVar(&p.subset, "subset", false, "score the items alone that the predictions name by their ids; otherwise an item without one is an error")
	f.StringVar(&p.gold, "gold", "", "`FILE` of gold queries in place of the dataset's; where each names its database, they may belong to other items")
	f.StringVar(&p.overrides, "overrides", "", "`FILE` of corrected gold queries: CSV of item, reason, sql (or exclude)")
	f.StringSliceVar(&p.metricIDs, "metrics", nil, "metric ids, the headline first (default ex,em; ex,ts,em with --suite; ex-bird,soft-f1 for bird; those of the run that is scored again); of "+strings.Join(catalog.Known.Choices("metrics").IDs(), ", "))
	f.StringArrayVar(&p.own, "metric", nil, "a metric of one's own by a program, `ID=COMMAND`, such as 'mine=python3 mine.py'; needs --allow-commands (repeatable)")
}

// fewCollections lets the heap grow before it is collected. An evaluation is short, so that time matters more than memory;
// the limit makes the collector run more often where a prediction returns a huge result.
func fewCollections() {
	debug.SetGCPercent(400)
	debug.SetMemoryLimit(96 << 20)
}

// read reads the predictions from a file or from a stored run; the run is nil for a file. A file wins over a run of the
// same name, and where neither exists the error is that of the file.
func (p *predicting) read(a *app) (*predictions.File, *record.Run, error) {
	dir, none := "", error(nil)
	at, missing := os.Stat(p.pred)
	if missing != nil || at.IsDir() {
		dir, none = a.find(p.pred)
	}
	if dir == "" || none != nil {
		f, err := flagged("pred", p.pred)
		return f, nil, err
	}
	r, err := record.Read(dir, catalog.Known)
	if err != nil {
		return nil, nil, err
	}
	f, err := predictions.Stored(r)
	return f, r, err
}

// plan makes the plan that scores the predictions under the given name; empty: the file's or the run's. For a stored run it
// fails where the gold queries are no longer those that the run was scored by.
func (p *predicting) plan(ctx context.Context, a *app, name string, o plan.Options) (*plan.Plan, error) {
	if p.pred == "" {
		return nil, usageError{errors.New("--pred is missing: name the file of predictions with --pred FILE")}
	}
	if err := sqlite.Check(); err != nil {
		return nil, err
	}
	sqlite.Warm(min(4, runtime.NumCPU()))
	fewCollections()
	var again *record.Run
	var err error
	if o.Pred, again, err = p.read(a); err != nil {
		return nil, err
	}
	if o.Gold, err = p.goldFile(); err != nil {
		return nil, err
	}
	if err := p.narrow(o.Pred); err != nil {
		return nil, err
	}
	e, err := p.scored(name, again)
	if err != nil {
		return nil, err
	}
	if !o.Names { // eval stores nothing, so that its seed has no use
		seed, err := o.Pred.Seed()
		if err != nil {
			return nil, err
		}
		if seed != nil {
			e.Seeds = []int64{*seed}
		}
	}
	made, err := plan.Make(ctx, e, o)
	if err != nil {
		return nil, err
	}
	p.places = placesOf(len(made.Set.Examples), o.Gold, o.Pred)
	if again == nil {
		return made, nil
	}
	if err := predictions.SameGold(again, made.Set.Examples); err != nil {
		return nil, errors.Join(err, made.Close())
	}
	return made, nil
}

// placesOf returns where n items stand in the interactions of the first file whose blank lines part as many queries; nil where
// there is none.
func placesOf(n int, files ...*predictions.File) []predictions.Place {
	for _, f := range files {
		if f == nil {
			continue
		}
		if places := f.Places(); len(places) == n {
			return places
		}
	}
	return nil
}

// narrow leaves the items alone that the predictions are of, where --subset asks for that.
func (p *predicting) narrow(f *predictions.File) error {
	if !p.subset {
		return nil
	}
	ids := make([]string, len(f.Entries))
	for i, e := range f.Entries {
		if ids[i] = e.ID; e.ID == "" {
			return usageError{fmt.Errorf("--subset: the entry on line %d of %s has no id", e.Line, f.Path)}
		}
	}
	p.set = append(p.set, "dataset.filter.ids="+list(ids))
	return nil
}

// scored returns the experiment of the flags; for a stored run, that of the run with the flags over it.
func (p *predicting) scored(name string, again *record.Run) (configs.Experiment, error) {
	if again == nil {
		return p.experiment(cmp.Or(name, nameOf(p.pred)), p.metricIDs)
	}
	set := p.settings()
	if len(p.metricIDs) > 0 {
		set = append(set, "metrics="+list(p.metricIDs))
	}
	e, err := predictions.Again(again, cmp.Or(name, again.Manifest.Experiment), configs.Options{Set: set, Metrics: p.own})
	if err != nil {
		return e, usageError{err}
	}
	return e, nil
}
