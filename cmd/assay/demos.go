package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"time"

	"assay/configs"
	"assay/configs/output"
	"assay/experiments/catalog"
	"assay/experiments/dataset"
	"assay/experiments/demos"
	"assay/experiments/plan"
	"assay/experiments/runner"
	"assay/prompting"
	"assay/prompting/exemplar"
	"assay/prompting/sql/sandbox"
	"assay/prompting/sql/sqlite"
	"assay/prompting/tools"

	"github.com/spf13/cobra"
)

// demosCmd groups the verbs on demonstrations.
func (a *app) demosCmd() *cobra.Command {
	c := &cobra.Command{Use: "demos", Short: "Make, check and review annotated demonstrations",
		Long: `Make annotated demonstrations of the questions of a training set, hold them against their databases, and review them.
The file is what exemplars.file names in an experiment.`}
	c.AddCommand(a.demosMakeCmd(), a.demosCheckCmd(), a.demosReviewCmd(), a.demosApplyCmd())
	return c
}

// making holds the flags of demos make.
type making struct {
	judging
	budget
	opts             demos.Options
	out, review, by  string
	hashes, complete bool
	offline, wait    bool
}

func (a *app) demosMakeCmd() *cobra.Command {
	var m making
	c := &cobra.Command{
		Use:   "make",
		Short: "Annotate the questions of a training set, by rule or by a model's draft",
		Long: `Annotate the questions of a training set with what prompting methods show: sub-questions, chains of thought, divisions,
query plans, and agents' dialogues. Rules derive them from the gold query; --by has a model draft sub-questions and chains of
thought instead, through the ledger of the store, so that no call is made twice.

Every annotation is held against the database: each step's SQL runs and the last is the gold query, columns exist, what a
division puts together gives the gold query's rows, and each action of a dialogue gives its observation. A demonstration is
kept if it has the steps and the chain of thought that were asked for; with --complete, if it has all of --what. What failed
is counted in the table, and listed in the file of --review.

  ` + choiceLines(demos.Kinds),
		Example: `  assay demos make --out demos.toml
  assay demos make --dataset spider --data spider --limit 500 \
    --out demos.toml --review review.csv
  assay demos make --dataset spider --data spider --limit 50 \
    --by openai/gpt-4o-mini --budget 1 --out drafted.toml`,
		Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if m.out == "" {
				return usageError{errors.New("--out is missing: the annotation file to write")}
			}
			return a.makeDemos(cmd.Context(), &m)
		},
	}
	m.judging.register(c)
	m.budget.register(c)
	f := c.Flags()
	f.Lookup("split").Usage = "part of the dataset (default train, where there is one)"
	f.Lookup("limit").Usage = "demonstrations that are kept at most (0: all)"
	f.StringVar(&m.out, "out", "", "annotation `FILE` to write; - is the standard output, without the table")
	f.StringVar(&m.review, "review", "", "`FILE` of the review to write, as CSV")
	f.StringSliceVar(&m.opts.What, "what", []string{demos.Steps, demos.CoT, demos.Division, demos.Plan}, "what is made: "+strings.Join(demos.Kinds.IDs(), ", "))
	f.StringVar(&m.opts.Hardness, "hardness", demos.Natural, "natural (as the questions have it), balanced, or levels such as hard,extra")
	f.Int64Var(&m.opts.Seed, "seed", 0, "seed of the choice")
	f.BoolVar(&m.complete, "complete", false, "keep those alone that have all of --what")
	f.BoolVar(&m.hashes, "hashes", false, "name questions by their hash, so that they stay in their dataset")
	f.StringVar(&m.by, "by", "", "`PROVIDER/MODEL` that drafts steps and chains of thought; --set model.KEY=VALUE says the rest")
	f.BoolVar(&m.offline, "offline", false, "a call that the ledger cannot answer is an error")
	f.BoolVar(&m.wait, "wait", false, "wait for another process that makes calls on this store")
	return c
}

// choiceLines lists choices, one a line.
func choiceLines(c configs.Choices) string {
	lines := make([]string, len(c))
	for i, one := range c {
		lines[i] = fmt.Sprintf("%-9s %s", one.ID, one.Shows)
	}
	return strings.Join(lines, "\n  ")
}

// bareDemos is the experiment of demos make: the flags say the dataset and the model.
const bareDemos = `name = "demos"
[dataset]
kind = "sample"
[exemplars]
k = 0
[[arm]]
name = "draft"
method = "standard"
`

// experiment returns the flags as an experiment, whose dataset has the questions.
func (m *making) experiment() (configs.Experiment, error) {
	m.opts.Limit, m.limit = m.limit, 0
	kind := catalog.Known.Kind(m.dataset)
	if m.split == "" && !kind.Embedded && m.questions == "" && trained(kind) {
		m.split = "train"
	}
	o := overrides{set: m.settings()}
	if m.by != "" {
		provider, name, _ := strings.Cut(m.by, "/")
		o.set = append([]string{"model.provider=" + provider, "model.name=" + name}, o.set...)
	}
	if err := m.budget.apply(&o); err != nil {
		return configs.Experiment{}, err
	}
	e, err := configs.ParseWith("assay demos make", []byte(bareDemos), known(), configs.Options{Set: o.set})
	return e, ofFlags(err)
}

// trained reports whether the kind of dataset has a split of that name.
func trained(k configs.Kind) bool { return strings.Contains(k.Splits, "train") }

// makeDemos makes the demonstrations, and writes what was asked for.
func (a *app) makeDemos(ctx context.Context, m *making) error {
	for _, kind := range m.opts.What {
		if !demos.Kinds.Has(kind) {
			return usageError{fmt.Errorf("--what: %s", configs.Unknown(kind, demos.Kinds.IDs()))}
		}
	}
	if err := sqlite.Check(); err != nil {
		return err
	}
	e, err := m.experiment()
	if err != nil {
		return err
	}
	questions, warnings, err := dataset.Questions(ctx, e.Dataset, dataset.Options{})
	a.noteWarnings(warnings)
	if err != nil {
		return err
	}
	o, close := m.options(e)
	defer close()
	draft, end, err := a.drafter(ctx, m, e)
	if err != nil {
		return err
	}
	o.Draft = draft
	begin := time.Now()
	o.Progress = func(done, kept int) { a.note("%d of %d questions, %d kept", done, len(questions), kept) }
	made, err := demos.Make(ctx, questions, o)
	end()
	if err != nil && len(made) == 0 {
		return err
	}
	a.note("%d demonstrations in %s", len(made), time.Since(begin).Round(time.Millisecond))
	if err != nil {
		a.note("warning: stopped before its end; what was made is written")
	}
	return errors.Join(a.writeDemos(context.WithoutCancel(ctx), m, e.Dataset, made), err)
}

// noteWarnings prints the warnings of a dataset.
func (a *app) noteWarnings(ws []dataset.Warning) {
	for _, w := range dataset.Describe(ws) {
		a.note("warning: %s", w)
	}
}

// options are the flags as the factory takes them, and what closes its tools.
func (m *making) options(e configs.Experiment) (o demos.Options, close func()) {
	o = m.opts
	o.Complete, o.Workers = m.complete, m.workers
	if o.Workers == 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if m.by != "" {
		o.Workers = max(e.Limits.Concurrency, 1)
	}
	cache := tools.NewCache(0)
	o.Checker = &demos.Checker{Box: sandbox.New(sandbox.Options{Timeout: time.Duration(e.Timeout)}), Tools: tools.Options{Cache: cache}}
	return o, func() { _ = cache.Close() }
}

// drafter opens the model that drafts; nil where none does. What it returns ends the calls and says what they cost.
func (a *app) drafter(ctx context.Context, m *making, e configs.Experiment) (*demos.Drafter, func(), error) {
	if m.by == "" {
		return nil, func() {}, nil
	}
	if provider, _, _ := strings.Cut(m.by, "/"); provider == "baseline" {
		return nil, nil, usageError{errors.New("--by: the baseline drafts nothing: leave --by out, and rules do")}
	}
	e.Dataset = configs.Dataset{Kind: catalog.Known.Kinds[0].ID, Split: "dev"}
	p, err := plan.Make(ctx, e, plan.Options{})
	if err != nil {
		return nil, nil, err
	}
	asking, err := runner.Ask(ctx, p, p.Cells[0], 0, runner.Options{Store: a.store(), Offline: m.offline, Wait: m.wait})
	if err != nil {
		return nil, nil, errors.Join(err, p.Close())
	}
	arm := p.Cells[0].Arm
	author, err := catalog.Author(arm.Model)
	if err != nil {
		return nil, nil, errors.Join(err, asking.Close(), p.Close())
	}
	d, err := demos.NewDrafter(asking.Model, author, prompting.Params(arm.Model))
	return d, func() {
		n := asking.Counts()
		a.note("%s: %d calls, %d from the ledger, %d failed", author, n.Called, n.Cached, n.Failed)
		if spent := asking.Spent(); spent.Calls > 0 {
			a.note("spent: %s", spent)
		}
		_ = errors.Join(asking.Close(), p.Close())
	}, err
}

// writeDemos writes the annotation file and the review, and prints the summary.
func (a *app) writeDemos(ctx context.Context, m *making, d configs.Dataset, made []demos.Made) error {
	var kept []exemplar.Demo
	for _, one := range made {
		if one.Kept {
			kept = append(kept, one.Demo)
		}
	}
	if m.review != "" {
		if err := a.writeReview(ctx, m.review, demos.Rows(made)); err != nil {
			return err
		}
	}
	s := demos.Summarise(made)
	if len(kept) == 0 {
		if err := a.printDemos(s); err != nil {
			return err
		}
		return errors.New("demos make: nothing is kept: --review FILE lists why")
	}
	head := fmt.Sprintf("Demonstrations of %s, made by assay demos make (%s, hardness %s, seed %d).\nby: who made an annotation; nothing stated is a person.",
		d.Kind+"/"+d.Split, strings.Join(m.opts.What, ", "), m.opts.Hardness, m.opts.Seed)
	write := func(w io.Writer) error {
		_, err := w.Write(exemplar.Write(kept, exemplar.WriteOptions{Head: head, Hashes: m.hashes}))
		return err
	}
	if err := output.Write(ctx, m.out, a.out, write); err != nil || output.IsStandard(m.out) {
		return err
	}
	return a.printDemos(s)
}

// printDemos prints the summary.
func (a *app) printDemos(s demos.Summary) error {
	if a.json {
		return json.NewEncoder(a.out).Encode(s)
	}
	if err := a.text(demosTable(s)); err != nil || len(s.Failures) == 0 {
		return err
	}
	fmt.Fprintln(a.out)
	return a.text(failuresTable(s))
}
