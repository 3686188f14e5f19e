package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"slices"
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
	"assay/prompting/llm"
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
	opts                     demos.Options
	out, review, by, scoreBy string
	hashes, complete         bool
	offline, wait            bool
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
is counted in the table, and listed in the file of --review. How natural the sub-questions are is said by a rule, or with
--score-by by a model. A file in which a person has written is not written over.

  ` + choiceLines(demos.Kinds),
		Example: `  assay demos make --out demos.toml
  assay demos make --dataset spider --data spider --limit 500 \
    --out demos.toml --review review.csv
  assay demos make --dataset spider --data spider --limit 50 \
    --by openai/gpt-4o-mini --budget 1 --out drafted.toml
  assay demos make --limit 20 --score-by openai/gpt-4o-mini --out scored.toml`,
		Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := m.check(); err != nil {
				return usageError{err}
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
	f.StringVar(&m.scoreBy, "score-by", "", "`PROVIDER/MODEL` that says how natural the sub-questions are, in place of a rule")
	f.BoolVar(&m.offline, "offline", false, "a call that the ledger cannot answer is an error")
	f.BoolVar(&m.wait, "wait", false, "wait for another process that makes calls on this store")
	return c
}

// check finds flags that do not fit together.
func (m *making) check() error {
	makes := func(kinds ...string) bool {
		return slices.ContainsFunc(kinds, func(k string) bool { return slices.Contains(m.opts.What, k) })
	}
	for _, kind := range m.opts.What {
		if !demos.Kinds.Has(kind) {
			return fmt.Errorf("--what: %s", configs.Unknown(kind, demos.Kinds.IDs()))
		}
	}
	switch {
	case m.out == "":
		return errors.New("--out is missing: the annotation file to write")
	case m.out == m.review:
		return errors.New("--out and --review are the same file")
	case len(m.opts.What) == 0:
		return errors.New("--what is empty: say what is made, such as --what steps")
	case m.limit < 0:
		return errors.New("--limit is below 0: leave it out for all questions")
	case m.by != "" && !makes(demos.Steps, demos.CoT):
		return errors.New("--by drafts steps and cot, and --what has neither")
	case m.scoreBy != "" && !makes(demos.Steps):
		return errors.New("--score-by rates steps, and --what does not have them")
	}
	return nil
}

// choiceLines lists choices, one a line.
func choiceLines(c configs.Choices) string {
	lines := make([]string, len(c))
	for i, one := range c {
		lines[i] = fmt.Sprintf("%-9s %s", one.ID, one.Shows)
	}
	return strings.Join(lines, "\n  ")
}

// bareDemos is the experiment of demos make: the flags say the dataset and the models.
const bareDemos = `name = "demos"
[dataset]
kind = "sample"
[exemplars]
k = 0
[[arm]]
name = "draft"
method = "standard"
`

// scoringArm is its arm with the model that scores where another one drafts.
const scoringArm = `[[arm]]
name = "score"
method = "standard"
[arm.model]
provider = %q
name = %q
`

// experiment returns the flags as an experiment, whose dataset has the questions.
func (m *making) experiment() (configs.Experiment, error) {
	m.opts.Limit, m.limit = m.limit, 0
	kind := catalog.Known.Kind(m.dataset)
	if m.split == "" && !kind.Embedded && m.questions == "" && trained(kind) {
		m.split = "train"
	}
	o := overrides{set: m.settings()}
	text := bareDemos
	if first := cmp.Or(m.by, m.scoreBy); first != "" {
		provider, name, _ := strings.Cut(first, "/")
		o.set = append([]string{"model.provider=" + provider, "model.name=" + name}, o.set...)
	}
	if m.by != "" && m.scoreBy != "" && m.scoreBy != m.by {
		provider, name, _ := strings.Cut(m.scoreBy, "/")
		text += fmt.Sprintf(scoringArm, provider, name)
	}
	if err := m.budget.apply(&o); err != nil {
		return configs.Experiment{}, err
	}
	e, err := configs.ParseWith("assay demos make", []byte(text), known(), configs.Options{Set: o.set})
	e.Name = "demos-" + m.account(e)
	return e, ofFlags(err)
}

// account names what one budget is for: the questions, in the order of their draw, and the models. The same command again goes on
// with what it has spent.
func (m *making) account(e configs.Experiment) string {
	d := e.Dataset
	said := fmt.Sprintf("%q %q %q %q %q %q %q %d", d.Kind, d.Split, d.Questions, d.Sets, m.by, m.scoreBy, m.opts.Hardness, m.opts.Seed)
	return fmt.Sprintf("%x", sha256.Sum256([]byte(said)))[:10]
}

// trained reports whether the kind of dataset has a split of that name.
func trained(k configs.Kind) bool { return strings.Contains(k.Splits, "train") }

// makeDemos makes the demonstrations, and writes what was asked for.
func (a *app) makeDemos(ctx context.Context, m *making) error {
	if err := sqlite.Check(); err != nil {
		return err
	}
	e, err := m.experiment()
	if err != nil {
		return err
	}
	if err := errors.Join(placed(m.out), placed(m.review), spareDemos(m.out), spareReview(m.review)); err != nil {
		return fmt.Errorf("demos make: %w", err)
	}
	questions, warnings, err := dataset.Questions(ctx, e.Dataset, dataset.Options{})
	a.noteWarnings(warnings)
	if err != nil {
		return err
	}
	o, close := m.options(e)
	defer close()
	models, err := a.models(ctx, m, e, &o)
	if err != nil {
		return err
	}
	begin := time.Now()
	o.Progress = func(done, kept int) { a.note("%d of %d questions, %d kept", done, len(questions), kept) }
	made, err := demos.Make(ctx, questions, o)
	asked := models.end()
	if err != nil && len(made) == 0 {
		return err
	}
	a.note("%d demonstrations in %s", len(made), time.Since(begin).Round(time.Millisecond))
	if err != nil {
		a.note("warning: stopped before its end; what was made is written")
	}
	return errors.Join(a.writeDemos(context.WithoutCancel(ctx), m, e.Dataset, made, asked), err)
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
	if m.by+m.scoreBy != "" {
		o.Workers = max(e.Limits.Concurrency, 1)
	}
	cache := tools.NewCache(2 * o.Workers) // the questions of a database are worked on together
	o.Checker = &demos.Checker{Box: sandbox.New(sandbox.Options{Timeout: time.Duration(e.Timeout)}), Tools: tools.Options{Cache: cache}}
	return o, func() { _ = cache.Close() }
}

// modelsOfDemos are the models that draft and score, behind the ledger of the store; nil where there are none.
type modelsOfDemos struct {
	plan   *plan.Plan
	asking *runner.Asking
}

// models opens the models that the flags name, and gives them to the factory.
func (a *app) models(ctx context.Context, m *making, e configs.Experiment, o *demos.Options) (_ *modelsOfDemos, err error) {
	if m.by+m.scoreBy == "" {
		return nil, nil
	}
	for _, f := range [][2]string{{"--by", m.by}, {"--score-by", m.scoreBy}} {
		if provider, _, _ := strings.Cut(f[1], "/"); provider == "baseline" {
			return nil, usageError{fmt.Errorf("%s: the baseline drafts and scores nothing: leave %s out, and rules do", f[0], f[0])}
		}
	}
	e.Dataset = configs.Dataset{Kind: catalog.Known.Kinds[0].ID, Split: "dev"}
	p, err := plan.Make(ctx, e, plan.Options{})
	if err != nil {
		return nil, err
	}
	asking, err := runner.Ask(ctx, p, p.Cells[0], 0, runner.Options{Store: a.store(), Offline: m.offline, Wait: m.wait})
	if err != nil {
		return nil, errors.Join(err, p.Close())
	}
	models := &modelsOfDemos{p, asking}
	if err := models.give(ctx, m, o); err != nil {
		models.end()
		return nil, err
	}
	return models, nil
}

// give makes the drafter of the first arm's model, and the scorer of the last one's.
func (x *modelsOfDemos) give(ctx context.Context, m *making, o *demos.Options) error {
	if m.by != "" {
		v, err := voice(x.plan.Cells[0].Arm.Model, x.asking.Model)
		if err != nil {
			return err
		}
		if o.Draft, err = demos.NewDrafter(v); err != nil {
			return err
		}
	}
	if m.scoreBy == "" {
		return nil
	}
	last := x.plan.Cells[len(x.plan.Cells)-1].Arm.Model
	model, err := x.asking.Also(ctx, last)
	if err != nil {
		return err
	}
	v, err := voice(last, model)
	if err != nil {
		return err
	}
	o.Score, err = demos.NewScorer(v)
	return err
}

// voice is a model as the factory asks it.
func voice(m configs.Model, behind llm.Model) (demos.Voice, error) {
	author, err := catalog.Author(m)
	return demos.Voice{Model: behind, Author: author, Params: prompting.Params(m)}, err
}

// end closes the models, and returns what they were asked; nil where there are none.
func (x *modelsOfDemos) end() *demos.Asked {
	if x == nil {
		return nil
	}
	n := x.asking.Counts()
	asked := &demos.Asked{Called: n.Called, Cached: n.Cached, Failed: n.Failed}
	if spent := x.asking.Spent(); spent.Calls > 0 {
		asked.Spent = spent.String()
	}
	_ = errors.Join(x.asking.Close(), x.plan.Close())
	return asked
}

// writeDemos writes the annotation file and the review, and prints the summary.
func (a *app) writeDemos(ctx context.Context, m *making, d configs.Dataset, made []demos.Made, asked *demos.Asked) error {
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
	s.Asked = asked
	judge := "by " + cmp.Or(m.scoreBy, "rule")
	if len(kept) == 0 {
		if err := a.printDemos(s, judge); err != nil {
			return err
		}
		if len(s.Failures) > 0 && s.Failures[0].Reason == demos.NoFile {
			return errors.New("demos make: nothing is kept, for annotations are held against databases: --databases DIR names a folder of them")
		}
		return errors.New("demos make: nothing is kept: --review FILE lists why")
	}
	head := fmt.Sprintf("Demonstrations of %s, made by assay demos make (%s, hardness %s, seed %d).\nby: who made an annotation; nothing stated is a person.",
		sourceOf(d), strings.Join(m.opts.What, ", "), m.opts.Hardness, m.opts.Seed)
	write := func(w io.Writer) error {
		_, err := w.Write(exemplar.Write(kept, exemplar.WriteOptions{Head: head, Hashes: m.hashes}))
		return err
	}
	if err := output.Write(ctx, m.out, a.out, write); err != nil || output.IsStandard(m.out) {
		return err
	}
	return a.printDemos(s, judge)
}

// sourceOf names the questions of a dataset: their file, or their split.
func sourceOf(d configs.Dataset) string {
	if d.Questions != "" {
		return d.Kind + ", " + filepath.Base(d.Questions)
	}
	return strings.Join(append([]string{d.Kind, d.Split}, d.Sets...), "/")
}

// printDemos prints the summary; judge is as demosTable has it.
func (a *app) printDemos(s demos.Summary, judge string) error {
	if a.json {
		return json.NewEncoder(a.out).Encode(s)
	}
	if err := a.text(demosTable(s, judge)); err != nil || len(s.Failures) == 0 {
		return err
	}
	fmt.Fprintln(a.out)
	return a.text(failuresTable(s))
}
