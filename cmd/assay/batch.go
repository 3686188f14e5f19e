package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"assay/configs"
	"assay/configs/output"
	"assay/experiments/catalog"
	"assay/experiments/cost"
	"assay/experiments/plan"
	"assay/experiments/record"
	"assay/experiments/runner"
	"assay/plots/table"
	"assay/prompting/llm"
	"assay/prompting/llm/batch"
	"assay/prompting/llm/batch/desk"
	"assay/prompting/llm/ledger"
	"assay/prompting/llm/retry"

	"github.com/spf13/cobra"
)

// runBatches runs a plan once or, with batches and Wait, until no answer is pending.
func (a *app) runBatches(ctx context.Context, p *plan.Plan, ro runner.Options) (runner.Result, error) {
	if !ro.Batch {
		return runner.Run(ctx, p, ro)
	}
	ro.Collected = a.collected
	states := map[string]string{}
	for {
		res, err := runner.Run(ctx, p, ro)
		if err != nil {
			a.sent(res)
			return res, goesOn(ctx, err)
		}
		if res.Pending == 0 || !ro.Wait {
			return res, nil
		}
		a.sent(res)
		res.Sent = nil // they are printed
		if res.Open == 0 {
			return res, nil
		}
		err = runner.Await(ctx, p, ro, func(r desk.Report) {
			if line := looked(r); states[r.Batch.ID] != line {
				states[r.Batch.ID] = line
				a.note("%s", line)
			}
		})
		if err != nil {
			return res, goesOn(ctx, err)
		}
	}
}

// goesOn says what becomes of the batches of a run that was stopped.
func goesOn(ctx context.Context, err error) error {
	var stopped *runner.StoppedError
	if ctx.Err() == nil || err == nil || errors.As(err, &stopped) {
		return err
	}
	return fmt.Errorf("run: stopped; what was sent as batches goes on: run the same command again to collect: %w", err)
}

// looked describes a batch that was asked about.
func looked(r desk.Report) string {
	b := r.Batch
	switch {
	case r.Unsure != "":
		return fmt.Sprintf("batch %s: the provider's %s may be it, which is known when that has ended", b.ID, r.Unsure)
	case b.State == ledger.BatchSending:
		return fmt.Sprintf("batch %s: the provider does not have it", b.ID)
	}
	return fmt.Sprintf("batch %s (%s): %s, %d of %d requests done", b.ID, b.Remote, r.Status.Word, r.Status.Done, b.Requests)
}

// collected prints what became of a batch.
func (a *app) collected(r desk.Report) {
	if r.Status.Ended {
		a.note("batch %s (%s): %s; %d answered, %d failed, %d to be sent again", r.Batch.ID, r.Batch.Remote, r.Status.Word, r.Answered, r.Failed, r.Again+r.LeftOut)
	} else {
		a.note("%s", looked(r))
	}
	for _, w := range r.Warnings {
		a.note("warning: %s", w)
	}
}

// sent prints the batches that a start of a run sent.
func (a *app) sent(res runner.Result) (requests int) {
	for _, b := range res.Sent {
		requests += b.Requests
		a.note("sent: batch %s (%s) to %s: %d requests, %s", b.ID, b.Remote, b.Author, b.Requests, size(b.Bytes))
	}
	return requests
}

// printPending prints how far a run is whose answers are in batches.
func (a *app) printPending(m record.Manifest, res runner.Result) error {
	if a.json {
		ids := []string{}
		for _, b := range res.Sent {
			ids = append(ids, b.ID)
		}
		return json.NewEncoder(a.out).Encode(map[string]any{"run": res.Dir, "id": m.ID, "items": m.Items, "answers": res.Answers, "pending": res.Pending,
			"sent": requestsOf(res.Sent), "batches": ids, "open": res.Open, "filed": res.Filed, "spent": res.Spent, "spent_in_all": res.All})
	}
	a.noteSpent(res)
	requests := a.sent(res)
	what, then := fmt.Sprintf("%d requests sent", requests), ": run again to collect"
	switch {
	case requests > 0:
		var ids []string
		for _, b := range res.Sent {
			ids = append(ids, b.ID)
		}
		what += ", batch " + strings.Join(ids, ", ")
	case res.Open > 0:
		what = fmt.Sprintf("nothing new to send, %d requests under way", res.Open)
	case res.Filed > 0:
		what, then = fmt.Sprintf("nothing to send, %d requests are in exported files", res.Filed), ": `assay batch import` takes their answers, then run again"
	default:
		what = "nothing was sent"
	}
	_, err := fmt.Fprintf(a.out, "%s; %d of %d answers are there%s\n", what, res.Answers-res.Pending, res.Answers, then)
	return err
}

func requestsOf(all []ledger.Batch) (n int) {
	for _, b := range all {
		n += b.Requests
	}
	return n
}

// batchCmd groups the verbs about batches.
func (a *app) batchCmd() *cobra.Command {
	c := &cobra.Command{
		Use:   "batch",
		Short: "Look after the batches of a store, and exchange them as files",
		Long: `"assay run EXPERIMENT --batch" sends what a run needs as batches of its provider, and collects them. These verbs list and
cancel them. Where no provider is to be asked, export writes the requests to a file in OpenAI's format, which for example
"vllm run-batch" answers on a machine without a network, and import takes the answers.`,
	}
	c.AddCommand(a.batchListCmd(), a.batchCancelCmd(), a.batchExportCmd(), a.batchImportCmd())
	return c
}

// batchRow is a batch as --json lists it.
type batchRow struct {
	ID       string     `json:"id"`
	Remote   string     `json:"remote"`
	Provider string     `json:"provider"` // "file" for one that was exported
	Model    string     `json:"model"`
	Run      string     `json:"run"`
	State    string     `json:"state"`
	Requests int        `json:"requests"`
	Answered int        `json:"answered"`
	Failed   int        `json:"failed"`
	Again    int        `json:"again"`
	Open     int        `json:"open"`
	Created  time.Time  `json:"created"`
	Ended    *time.Time `json:"ended"`
	USD      *float64   `json:"usd"` // of the answers so far; null where no price is known
	Note     string     `json:"note"`
}

func (a *app) batchListCmd() *cobra.Command {
	var all bool
	var prices string
	c := &cobra.Command{
		Use:   "list",
		Short: "List the batches under way, as the ledger knows them",
		Long: `List the batches of the store that are under way, with --all also those that are done. The provider is not asked: the state
is that of the last start of a run. "sending" is a batch of which it is not known whether the provider has it, which the
next start finds out. The price is that of the answers collected so far.`,
		Example: "  assay batch list --all",
		Args:    args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			list, err := cost.LoadPrices(prices)
			if err != nil || !a.store().HasLedger() {
				return errors.Join(err, a.printBatches(nil))
			}
			return a.readLedger(func(l *ledger.Ledger) error {
				rows, err := batchRows(cmd.Context(), l, !all, list)
				if err != nil {
					return err
				}
				return a.printBatches(rows)
			})
		},
	}
	c.Flags().BoolVar(&all, "all", false, "also those that are done")
	c.Flags().StringVar(&prices, "prices", "", "`FILE` of prices, before those of the program")
	return c
}

// batchRows lists batches with what their answers cost.
func batchRows(ctx context.Context, l *ledger.Ledger, open bool, prices cost.Prices) (out []batchRow, err error) {
	list, err := l.Batches(ctx, open)
	for _, b := range list {
		r := batchRow{ID: b.ID, Remote: b.Remote, Provider: b.Author.Provider, Model: b.Author.Model, Run: b.Run, State: string(b.State), Requests: b.Requests,
			Answered: b.Answered, Failed: b.Failed, Again: b.Again + b.Dropped, Open: b.Open, Created: b.Created, Note: b.Note}
		if !b.Ended.IsZero() {
			r.Ended = &b.Ended
		}
		paid, err := l.BatchPaid(ctx, b)
		if err != nil {
			return nil, err
		}
		if price, ok := prices.Find(modelOf(b.Author)); ok && b.Service == "" {
			r.USD = new(float64)
			for _, p := range paid {
				*r.USD += float64(p.Times) * price.USD(runner.UsageOf(p.Usage, p.Tier))
			}
		}
		if b.Service == ledger.FileService {
			r.Provider = ledger.FileService
		}
		out = append(out, r)
	}
	return out, err
}

// modelOf returns the model of an author as an experiment would name it.
func modelOf(a llm.Author) configs.Model {
	return configs.Model{Provider: a.Provider, Name: a.Model, BaseURL: a.Server}
}

func (a *app) printBatches(rows []batchRow) error {
	if a.json {
		if rows == nil {
			rows = []batchRow{}
		}
		return json.NewEncoder(a.out).Encode(rows)
	}
	if len(rows) == 0 {
		a.note("no batches under way in %q: `assay run EXPERIMENT --batch` sends one, and --all lists those that are done", a.storeDir)
		return nil
	}
	t := &table.Table{Columns: []table.Column{{Name: "Batch"}, {Name: "Provider"}, {Name: "Its id"}, {Name: "Model"}, {Name: "Run"}, {Name: "State"}, {Name: "Requests", Align: table.Right},
		{Name: "Answered", Align: table.Right}, {Name: "Failed", Align: table.Right}, {Name: "Again", Align: table.Right}, {Name: "Open", Align: table.Right},
		{Name: "Age", Align: table.Right}, {Name: "USD", Align: table.Right}, {Name: "Note"}}}
	for _, r := range rows {
		usd := ""
		if r.USD != nil {
			usd = cost.Dollars(*r.USD)
		}
		cells := []table.Cell{table.Text(r.ID), table.Text(r.Provider), table.Text(r.Remote), table.Text(r.Model), table.Text(r.Run), table.Text(r.State)}
		for _, n := range []int{r.Requests, r.Answered, r.Failed, r.Again, r.Open} {
			cells = append(cells, table.Count(n))
		}
		t.Rows = append(t.Rows, append(cells, table.Text(time.Since(r.Created).Round(time.Minute).String()), table.Text(usd), table.Text(r.Note)))
	}
	return a.text(t)
}

func (a *app) batchCancelCmd() *cobra.Command {
	var keyEnv, keyFile string
	var forget, wait bool
	c := &cobra.Command{
		Use:   "cancel BATCH",
		Short: "Ask the provider to end a batch early, or give up an exported one",
		Long: `Ask the provider to end a batch early, by its id here or at the provider. What it has answered until then is paid for, and
the next "assay run --batch" collects it; the other requests can then be sent again. An exported batch is given up at once.

--forget gives up a batch without asking the provider, for one that it does not have any more: answers that it still gives
are lost, and may be paid for.`,
		Example: "  assay batch cancel b-k3jd92mx1c",
		Args:    args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, given []string) error {
			if !a.store().HasLedger() {
				return fmt.Errorf("batch cancel: the store %q has no ledger, and so no batches", a.storeDir)
			}
			return a.writeLedger(cmd.Context(), "batch cancel", wait, func(l *ledger.Ledger) error {
				return a.batchCancel(cmd.Context(), l, given[0], configs.Model{KeyEnv: keyEnv, KeyFile: keyFile}, forget)
			})
		},
	}
	f := c.Flags()
	f.StringVar(&keyEnv, "key-env", "", "the environment `VARIABLE` with the provider's key, where that is not its own")
	f.StringVar(&keyFile, "key-file", "", "the `FILE` with the provider's key")
	f.BoolVar(&forget, "forget", false, "give the batch up without asking the provider")
	f.BoolVar(&wait, "wait", false, "wait for another process that writes to the store")
	return c
}

// batchCancel ends a batch early; m names the key.
func (a *app) batchCancel(ctx context.Context, l *ledger.Ledger, id string, m configs.Model, forget bool) error {
	b, err := l.Batch(ctx, id)
	if err != nil {
		return err
	}
	if b.State == ledger.BatchDone {
		return fmt.Errorf("batch cancel: %s is done already", b.ID)
	}
	d := desk.Desk{Ledger: l, Settle: runner.Settle}
	if forget || b.Service == ledger.FileService {
		forget = true
	} else {
		m.Provider, m.Name, m.BaseURL = b.Author.Provider, b.Author.Model, b.Author.Server
		if d.Service, d.Again, err = catalog.Batches(m, configs.Limits{}, retry.Options{}); err != nil {
			return err
		}
	}
	if err := d.Cancel(ctx, b, forget); err != nil {
		return err
	}
	if b, err = l.Batch(ctx, b.ID); err != nil {
		return err
	}
	what := "is being ended by the provider: the next `assay run --batch` collects what it has answered"
	if b.State == ledger.BatchDone {
		what = fmt.Sprintf("is given up: %d of its requests have no answer, and may be sent again", b.Dropped)
	}
	_, err = fmt.Fprintf(a.out, "batch %s %s\n", b.ID, what)
	return err
}

func (a *app) batchExportCmd() *cobra.Command {
	var o overrides
	var ro runner.Options
	c := &cobra.Command{
		Use:   "export EXPERIMENT FILE",
		Short: "Write what a run needs next to a file of requests, for others to answer",
		Long: `Write every request that the run needs next, and that is neither answered nor in a batch under way, as a line of JSON in
the format of OpenAI's batches. The file has no address and no key. On a machine with the model, and without a network:

  vllm run-batch -i requests.jsonl -o answers.jsonl --model MODEL

"assay batch import" takes the answers. A method of several calls needs one file for each stage: export again after the
import, until nothing is left, and then "assay run EXPERIMENT --offline" scores the run. Requests that begin alike stand
next to each other, for servers that keep the beginnings of prompts.`,
		Example: "  assay batch export my.toml requests.jsonl",
		Args:    args(cobra.ExactArgs(2)),
		RunE: func(cmd *cobra.Command, given []string) error {
			return a.batchExport(cmd.Context(), given[0], given[1], &o, ro)
		},
	}
	o.register(c)
	a.allows(c)
	c.Flags().BoolVar(&ro.RetryErrors, "retry-errors", false, "also the requests for which a finished run got no completion")
	c.Flags().BoolVar(&ro.Wait, "wait", false, "wait for another process that writes to the store")
	return c
}

// batchExport writes what a run needs next, and prints what it wrote.
func (a *app) batchExport(ctx context.Context, name, path string, o *overrides, ro runner.Options) error {
	e, err := a.toRun(name, o)
	if err != nil {
		return err
	}
	p, err := plan.Make(ctx, e, a.planned())
	if err != nil {
		return err
	}
	defer p.Close()
	ro.Store = a.store()
	var out []ledger.Batch
	write := func(w io.Writer) (err error) {
		out, err = runner.Export(ctx, p, ro, filepath.Base(path), w)
		return err
	}
	err = output.Write(ctx, path, a.out, write)
	if err == nil && len(out) > 0 {
		err = a.writeLedger(ctx, "batch export", ro.Wait, func(l *ledger.Ledger) error { return desk.Written(ctx, l, out) })
	}
	if err != nil {
		return err
	}
	if output.IsStandard(path) {
		a.note("%d requests", requestsOf(out))
		return nil
	}
	if len(out) > 1 {
		a.note("warning: the file has requests to %d models or kinds of calls: a program that serves one model answers its own alone", len(out))
	}
	if a.json {
		return json.NewEncoder(a.out).Encode(map[string]any{"file": path, "requests": requestsOf(out), "batches": len(out)})
	}
	if len(out) == 0 {
		_, err = fmt.Fprintf(a.out, "%s: nothing to ask: every request is answered, or in a batch under way (`assay batch list`)\n", path)
		return err
	}
	_, err = fmt.Fprintf(a.out, "%s: %d requests, batch %s\n", path, requestsOf(out), out[0].ID)
	return err
}

func (a *app) batchImportCmd() *cobra.Command {
	var wait bool
	c := &cobra.Command{
		Use:   "import FILE",
		Short: "Take the answers to an exported file into the ledger",
		Long: `Take the answers of a file in the format of OpenAI's batches, as "vllm run-batch" writes them, into the store's ledger. Each
must answer a request that "assay batch export" wrote, or "assay run --batch" sent, from this store: the line names it, and
says nothing else of it that counts. A second import of a file changes nothing, and several files may answer one export.`,
		Example: "  assay batch import answers.jsonl",
		Args:    args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, given []string) error {
			return a.writeLedger(cmd.Context(), "batch import "+given[0], wait, func(l *ledger.Ledger) error {
				return a.batchImport(cmd.Context(), l, given[0])
			})
		},
	}
	c.Flags().BoolVar(&wait, "wait", false, "wait for another process that writes to the store")
	return c
}

// batchImport takes the answers of a file, and prints what it took.
func (a *app) batchImport(ctx context.Context, l *ledger.Ledger, path string) error {
	got, err := desk.Import(ctx, l, path, func(b ledger.Batch) (batch.Format, error) { return catalog.Lines(b.Author.Provider) })
	for _, w := range got.Warnings {
		a.note("warning: %s", w)
	}
	if err != nil {
		return err
	}
	if a.json {
		return json.NewEncoder(a.out).Encode(got)
	}
	_, err = fmt.Fprintf(a.out, "%s: %d answers stored, %d failed, %d to be asked again, %d known before, %d lines left out; %d requests have no answer yet\n",
		path, got.Answered, got.Failed, got.Again, got.Known, got.Bad, got.Open)
	return err
}
