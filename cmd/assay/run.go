package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"assay/configs"
	"assay/experiments/catalog"
	"assay/experiments/plan"
	"assay/experiments/record"
	"assay/experiments/runner"
	"assay/plots/paper"
	"assay/prompting/sql/sqlite"

	"github.com/spf13/cobra"
)

func (a *app) runCmd() *cobra.Command {
	var o overrides
	var ro runner.Options
	var repeat int
	var b budget
	c := &cobra.Command{
		Use:   "run EXPERIMENT | RUN",
		Short: "Run an experiment: an embedded one by name, or a TOML file by its path",
		Long: `Run an experiment and write its run folder. The folder's name is the experiment's name and a hash of everything that
decides the numbers, so that running the same experiment again finds the same folder, and the ledger answers every
call. A run that was stopped in any way resumes where it was.

A stored run, by its folder or its name, is run again from that folder alone: with the methods and prompts that it keeps
copies of, whatever became of the originals.

A call that fails because of the provider is retried, with limits.attempts calls in all; the cause of each wait is
printed. The run stops, with everything kept, once calls have failed for limits.silence without one answer. It stops at
once where no server has ever answered at model.base_url, or where waiting cannot help. A run without a single answer
exits with 1.

With --batch no call is made, but for the vectors of [embeddings], without which no prompt is known. What the run needs next
goes to the provider as batches, which cost half and answer within a day; the same command again collects what has come, scores what is complete and sends the next stage, until the run is
done. With --wait it stays until then. Nothing is lost, and nothing is sent twice, whenever it is stopped. "assay batch
list" shows what is under way.`,
		Example: "  assay run quickstart\n  assay run my.toml --set model.temperature=0.7 --limit 50\n  assay run quickstart --offline\n  assay run my.toml --budget 5\n  assay run my.toml --batch\n  assay run runs/my-0123456789",
		Args:    args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, given []string) error {
			if err := errors.Join(b.apply(&o), fits(ro, repeat)); err != nil {
				return err
			}
			return a.runExperiment(cmd.Context(), given[0], &o, ro, repeat)
		},
	}
	o.register(c)
	b.register(c)
	a.allows(c)
	f := c.Flags()
	f.BoolVar(&ro.Offline, "offline", false, "a call that the ledger cannot answer is an error")
	f.BoolVar(&ro.RetryErrors, "retry-errors", false, "repeat the requests for which a finished run got no completion")
	f.BoolVar(&ro.Wait, "wait", false, "wait for another process that makes calls on this store, and with --batch until the batches are done")
	f.BoolVar(&ro.Batch, "batch", false, "send what the run needs next as batches, and collect those sent before")
	f.IntVar(&repeat, "repeat-check", 0, "afterwards send `K` requests of each arm again, bypassing the ledger, and count the answers that differ")
	return c
}

// fits refuses flags that exclude each other.
func fits(ro runner.Options, repeat int) error {
	switch {
	case ro.Batch && ro.Offline:
		return usageError{errors.New("run: --batch sends requests, and --offline sends none: leave one out")}
	case ro.Batch && repeat > 0:
		return usageError{errors.New("run: --repeat-check makes calls, and --batch makes none: run it once the run is done, without --batch")}
	}
	return nil
}

// checkpoint is the time between updates of a run's folder, which report --watch shows.
const checkpoint = 10 * time.Second

// runExperiment loads, plans and runs an experiment, then prints its accuracy. repeat is the number of requests per arm to
// send again afterwards; 0: none.
func (a *app) runExperiment(ctx context.Context, name string, o *overrides, ro runner.Options, repeat int) error {
	if err := sqlite.Check(); err != nil {
		return err
	}
	e, err := a.toRun(name, o)
	if err != nil {
		return err
	}
	p, err := plan.Make(ctx, e, a.planned())
	if err != nil {
		return err
	}
	defer p.Close()
	if err := a.notePlan(name, p); err != nil {
		return err
	}
	show := newProgress(a.err, a.quiet, time.Now)
	show.watch()
	ro.Store, ro.Progress, ro.Again, ro.Checkpoint = a.store(), show.update, show.retried, checkpoint
	res, err := a.runBatches(ctx, p, ro)
	show.done()
	if err != nil {
		return err
	}
	if res.Pending > 0 {
		return a.printPending(p.Manifest, res)
	}
	for _, w := range res.Warnings {
		a.note("warning: %s", w)
	}
	if repeat > 0 {
		if err := a.repeatCheck(ctx, p, res, ro, repeat); err != nil {
			return err
		}
	}
	if err := a.countInto(ctx, p, res.Dir); err != nil {
		return err
	}
	if err := a.printRun(p.Manifest, res); err != nil {
		return err
	}
	return unanswered(res)
}

// extent says how large an experiment is.
func extent(p *plan.Plan) string {
	e := p.Experiment
	s := plural(len(p.Set.Examples), "item") + ", " + plural(len(e.Arms), "arm")
	if points := len(p.Cells) / len(e.Arms); points > 1 {
		s += fmt.Sprintf(" at %d sweep points", points)
	}
	return s + ", " + plural(len(e.Seeds), "seed")
}

// notePlan says what is about to run before the first call, so that a wrong dataset or model is seen before it costs anything.
func (a *app) notePlan(name string, p *plan.Plan) error {
	e := p.Experiment
	a.note("%s: %s; dataset %s; model %s", e.Name, extent(p), p.Set.Name, modelLine(e))
	if dir := a.storedRun(name); dir != "" && len(p.Manifest.Programs) > 0 {
		if err := a.noteSources(dir, p); err != nil {
			return err
		}
	}
	for _, w := range p.Manifest.Warnings {
		a.note("warning: %s", w)
	}
	return nil
}

// toRun reads the experiment that a name or path stands for: one of its own, or that of a stored run.
func (a *app) toRun(name string, o *overrides) (configs.Experiment, error) {
	dir := a.storedRun(name)
	if dir == "" {
		return o.load(name)
	}
	e, err := record.Again(dir, known(), o.options())
	return e, ofFlags(err)
}

// storedRun returns the folder of the run that a name or path stands for; empty where it stands for none. An embedded
// experiment comes before a run of its name, and the start of a run's name is none.
func (a *app) storedRun(name string) string {
	if slices.ContainsFunc(configs.Names(), func(in configs.Info) bool { return in.Name == name }) {
		return ""
	}
	if filepath.Base(name) == record.ManifestFile {
		name = filepath.Dir(name)
	}
	if m, _, err := record.ReadManifest(name); err == nil && m.ID != "" {
		return name
	}
	found, err := a.store().Find(name)
	if err != nil {
		return ""
	}
	m, _, err := record.ReadManifest(found.Dir)
	if err != nil || m.Experiment != name && filepath.Base(found.Dir) != name {
		return ""
	}
	if found.Note != "" {
		a.note("%s", found.Note)
	}
	return found.Dir
}

// unanswered returns an error where every answer is a model-error, so that a script does not take such a run for a result.
func unanswered(res runner.Result) error {
	if res.Answers == 0 || res.Failed < res.Answers {
		return nil
	}
	return fmt.Errorf("run: no question was answered: all %d answers are model-errors, the first with %q; --retry-errors repeats their requests",
		res.Answers, res.Failure)
}

// printRun prints a finished run: its accuracy by arm, or with --json its calls, cost and time, and
// the tokens of its answers that providers count apart.
func (a *app) printRun(m record.Manifest, res runner.Result) error {
	calls, err := record.ReadCalls(res.Dir, catalog.Known) // the table warns of truncated completions
	if err != nil {
		return err
	}
	cached, reasoning := 0, 0
	for _, c := range calls.Calls {
		cached, reasoning = cached+c.CachedTokens.N, reasoning+c.ReasoningTokens.N
	}
	if a.json {
		return json.NewEncoder(a.out).Encode(map[string]any{"run": res.Dir, "id": m.ID, "items": m.Items,
			"calls": res.Counts.Called, "cached": res.Counts.Cached, "failed": res.Counts.Failed, "spent": res.Spent, "spent_in_all": res.All, "seconds": res.Duration.Seconds(),
			"cached_tokens": cached, "reasoning_tokens": reasoning})
	}
	done, err := record.ReadItems(res.Dir, catalog.Known)
	if err != nil {
		return err
	}
	done.Calls = calls.Calls
	made, err := paper.Headline(done)
	if err != nil {
		return err
	}
	made.Warnings = slices.DeleteFunc(made.Warnings, func(w string) bool { return a.noted(w, m.Warnings, res.Warnings) })
	if err := a.printHeadline(made); err != nil {
		return err
	}
	a.note("%d calls, %d from the ledger, %d failed; %.1f s", res.Counts.Called, res.Counts.Cached, res.Counts.Failed, res.Duration.Seconds())
	if n := res.Counts; n.Embedded+n.Recalled > 0 {
		a.note("vectors: %d from calls, %d from the ledger", n.Embedded, n.Recalled)
	}
	a.noteSpent(res)
	if cached+reasoning > 0 {
		a.note("of the answers' tokens, whoever paid them: %d read from the provider's cache, %d of reasoning", cached, reasoning)
	}
	return a.lines("more: assay report "+res.Dir, "run: "+res.Dir)
}

// noted reports whether a warning of a table was printed before.
func (a *app) noted(warning string, before ...[]string) bool {
	return !a.quiet && slices.Contains(slices.Concat(before...), strings.TrimPrefix(warning, "Warning: "))
}

// printHeadline prints the scores, whose they are, and the run's warnings.
func (a *app) printHeadline(r paper.Report) error {
	for _, t := range r.Tables() {
		if err := a.text(t); err != nil {
			return err
		}
	}
	return a.lines(a.bullets(slices.Concat(r.Notes, r.Warnings))...)
}

// noteSpent says what this start of a run cost, and all of them where there were others.
func (a *app) noteSpent(res runner.Result) {
	if res.Spent.Tokens > 0 {
		a.note("spent: %s", res.Spent)
	}
	if res.All.Tokens > res.Spent.Tokens {
		a.note("spent by all starts of the run: %s", res.All)
	}
}

// repeatCheck sends some requests again and prints how many got a different answer.
func (a *app) repeatCheck(ctx context.Context, p *plan.Plan, res runner.Result, ro runner.Options, n int) error {
	reports, err := runner.RepeatCheck(ctx, p, res, ro, n)
	for _, r := range reports { // also those before an error: they are paid for
		fmt.Fprintf(a.out, "repeat check of %s: %d requests repeated, %d with another text, %d with another SQL, %d without an answer\n",
			r.Arm, r.Asked, r.Text, r.SQL, r.Failed)
		if r.Spent.Calls > 0 {
			a.note("spent by the repeat check: %s", r.Spent)
		}
	}
	return err
}

// modelLine names the models of an experiment's arms, each once. It says what the baseline is, so that nobody takes its
// numbers for those of a language model.
func modelLine(e configs.Experiment) string {
	var names []string
	for _, arm := range e.Arms {
		name := arm.Model.Provider + "/" + arm.Model.Name
		if author, err := catalog.Author(arm.Model); err == nil {
			name = author.String()
		}
		if arm.Model.Local {
			name = "baseline (a rule-based parser, no language model)"
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}
