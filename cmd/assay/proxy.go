package main

import (
	"context"
	"errors"
	"fmt"

	"assay/configs"
	"assay/experiments/plan"
	"assay/experiments/proxy"
	"assay/experiments/runner"
	"assay/prompting"
	"assay/prompting/gateway"
	"assay/prompting/sql/sqlite"

	"github.com/spf13/cobra"
)

// proxied holds the flags of assay proxy.
type proxied struct {
	overrides
	budget
	run  runner.Options
	arm  string
	out  string
	port int
}

func (a *app) proxyCmd() *cobra.Command {
	var o proxied
	c := &cobra.Command{
		Use:   "proxy [EXPERIMENT]",
		Short: "Open the recording address for a notebook, or a server under development",
		Long: `Open an address on this machine that speaks OpenAI's and Anthropic's APIs, until it is interrupted. What is asked there goes to
the model of an arm, through the ledger, the limits and the budget of the experiment; what the ledger holds is not asked again.
Paste the lines that it prints into the shell from which the program starts.

Below the address there is a place for each item:
  GET items: the ids of all items.
  GET item/ID: the question, as an arm's program reads it, with a base_url of its own. ID is escaped for a path; /N after it is sample N.
  POST item/ID: the same, and the item begins anew: requests that are equal are counted from the first again.
  POST item/ID/answer: the program's answer, {"sql": "..."} or {"candidates": [...], "chosen": 0}.

What is asked at an item's base_url is recorded as it would be of an arm with a command, so that the program answers from the
ledger once it is one. With --out the answers go into a file of predictions, with the calls that each took: assay import makes a
run of it. Nothing of the arm's own method is used: only its model and the format of its schemas.

Without an experiment the items are those of the embedded sample, and --set says which model is asked.`,
		Example: "  assay proxy my.toml --arm mine --out answers.jsonl\n  assay proxy --set model.provider=openai --set model.name=gpt-4o-mini\n  assay proxy my.toml --offline",
		Args:    args(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, given []string) error {
			if err := o.apply(&o.overrides); err != nil {
				return err
			}
			if o.port < 0 || o.port > 65535 {
				return usageError{fmt.Errorf("--port %d: want 1 to 65535, or 0 for a free one", o.port)}
			}
			return a.proxy(cmd.Context(), given, &o)
		},
	}
	o.overrides.register(c)
	o.budget.register(c)
	f := c.Flags()
	f.StringVar(&o.arm, "arm", "", "name of the arm whose model is asked (default: the first)")
	f.IntVar(&o.port, "port", 0, "port of the address (0: a free one)")
	f.BoolVar(&o.run.Offline, "offline", false, "a call that the ledger cannot answer is an error")
	f.BoolVar(&o.run.Wait, "wait", false, "wait for another process that makes calls on this store")
	f.StringVar(&o.out, "out", "", "`FILE` of predictions (JSONL) that the answers are added to")
	return c
}

// proxy opens the address, and serves until ctx ends.
func (a *app) proxy(ctx context.Context, given []string, o *proxied) (err error) {
	if err := sqlite.Check(); err != nil {
		return err
	}
	e, err := o.experiment(given)
	if err != nil {
		return err
	}
	p, err := plan.Make(ctx, e, plan.Options{})
	if err != nil {
		return err
	}
	defer p.Close()
	cell, err := findCell(p.Cells, o.arm)
	if err != nil {
		return err
	}
	for _, w := range p.Manifest.Warnings {
		a.note("warning: %s", w)
	}
	o.run.Store = a.store()
	asking, err := runner.Ask(ctx, p, cell, e.Seeds[0], o.run)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, asking.Close()) }()
	file, err := proxy.OpenFile(o.out, a.out)
	if err != nil {
		return err
	}
	server, err := gateway.Open(gateway.Options{Port: o.port})
	if err != nil {
		return err
	}
	x := proxy.Open(ctx, proxy.Options{Server: server, Method: asking.Method, Questions: questionsOf(p), Seed: e.Seeds[0], Price: asking.Price,
		Answered: func(one proxy.Entry) error { return file.Put(ctx, one) }})
	err = a.printProxy(x)
	if err == nil {
		a.note("%s: %d items of %s, arm %s, model %s; Ctrl-C ends it", e.Name, len(p.Set.Examples), p.Set.Name, cell.Arm.Name, modelLine(configs.Experiment{Arms: []configs.Arm{cell.Arm}}))
		<-ctx.Done()
	}
	warnings := x.Close()
	return errors.Join(err, server.Close(), file.Close(context.WithoutCancel(ctx)), a.proxyEnd(context.WithoutCancel(ctx), asking, file, warnings, o.out))
}

// bare is the experiment of a proxy without one: the model is what the flags say.
const bare = `name = "proxy"
[dataset]
kind = "sample"
[exemplars]
k = 0
[[arm]]
name = "proxy"
method = "standard"
`

// experiment returns the experiment that is named, or the bare one, with the flags over it.
func (o *proxied) experiment(given []string) (configs.Experiment, error) {
	if len(given) == 1 {
		return o.load(given[0])
	}
	e, err := configs.ParseWith("assay proxy", []byte(bare), known(), o.options())
	return e, ofFlags(err)
}

// questionsOf returns the questions of a plan's items that can be answered.
func questionsOf(p *plan.Plan) (out []prompting.Question) {
	for _, ex := range p.Set.Examples {
		if ex.Fault == "" {
			out = append(out, ex.Question)
		}
	}
	return out
}

// printProxy prints the lines to paste.
func (a *app) printProxy(x *proxy.Proxy) error {
	_, err := fmt.Fprintf(a.out, `export OPENAI_BASE_URL=%[1]s/v1
export OPENAI_API_KEY=%[2]s
export ANTHROPIC_BASE_URL=%[1]s
export ANTHROPIC_API_KEY=%[2]s
export ASSAY_URL=%[1]s
export NO_PROXY=127.0.0.1${NO_PROXY:+,$NO_PROXY}
`, x.URL(), x.Key())
	return errors.Join(err, a.out.Flush())
}

// proxyEnd says what was recorded.
func (a *app) proxyEnd(ctx context.Context, asking *runner.Asking, file *proxy.File, warnings []string, out string) error {
	more, err := asking.Warnings(ctx)
	for _, w := range append(warnings, more...) {
		a.note("warning: %s", w)
	}
	n := asking.Counts()
	a.note("%d calls, %d from the ledger, %d failed; %d answers", n.Called, n.Cached, n.Failed, file.Len())
	if spent := asking.Spent(); spent.Calls > 0 {
		a.note("spent: %s", spent)
	}
	if out != "" && file.Len() > 0 {
		a.note("to make a run of the answers: assay import --subset --pred %s --name NAME, with the flags of the dataset", out)
	}
	return err
}
