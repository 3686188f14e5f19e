package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"

	"assay/configs"
	"assay/configs/output"
	"assay/experiments/axes"
	"assay/experiments/catalog"
	"assay/experiments/dataset"
	"assay/experiments/recall"
	"assay/metrics/spreadsheet"
	"assay/prompting/exemplar"
	"assay/prompting/llm"
	"assay/prompting/llm/ledger"
	"assay/prompting/llm/retry"
	"assay/prompting/values"

	"github.com/gocarina/gocsv"
	"github.com/spf13/cobra"
)

// recalling holds the flags of recall.
type recalling struct {
	counting
	kinds             []string
	ks                []int
	columns, cache    string
	ablate, bare, dry bool
	cluster           bool
}

func (a *app) recallCmd() *cobra.Command {
	var r recalling
	c := &cobra.Command{
		Use:   "recall [DATASET...]",
		Short: "Measure how well columns, descriptions and values are found for questions",
		Long: `Measure retrieval against gold queries, without a model's answers: of the columns and values that a gold query uses, the
share that is among the first k found when its question is looked up. A DATASET is as for stats.

Kinds of retrieval (--kinds); the first four are measured unless others are named:
` + recallKinds() + `
Questions are asked with their evidence, which may name columns: where a dataset has any, a row shows what it is worth.
Demonstrations are those of exemplars.file (--set), never of the question's database; a skeleton is a query without names,
values and joins, as DAIL-SQL (Gao et al. 2024) compares queries.

Without [embeddings] columns are ranked by words, stems, short forms, spelling, and what words stand for in Spider's
training questions, and values by spelling. Where --set or the experiment states [embeddings], the same is measured with
its vectors too, which the ledger keeps: a second time nothing is asked, and --offline asks nothing at all. --ablate leaves
out each part of the offline ranking of columns and of value retrieval in turn:
` + recallParts() + `
Intervals are for other questions over the same databases; with --cluster for other databases, which are wider.`,
		Example: `  assay recall sample
  assay recall spider/dev=data/spider --by hardness --k 1,3,5
  assay recall sample --kinds columns,values --ablate
  assay recall spider/dev=data/spider --kinds demos,demos-random \
    --set exemplars.file=train --cluster
  assay recall sample --kinds columns --offline \
    --set embeddings.provider=ollama --set embeddings.name=nomic-embed-text`,
		RunE: func(cmd *cobra.Command, datasets []string) error {
			if a.json && !cmd.Flags().Changed("format") {
				r.format = "json"
			}
			if err := r.check(); err != nil {
				return usageError{err}
			}
			return a.recall(cmd.Context(), &r, datasets)
		},
	}
	r.judging.register(c)
	_ = c.Flags().MarkHidden("suite") // nothing is judged
	f := c.Flags()
	f.StringVar(&r.by, "by", "", "measure the groups of this axis too: "+axisNames())
	f.StringSliceVar(&r.kinds, "kinds", nil, "kinds of retrieval (default columns,phrases,descriptions,values)")
	f.IntSliceVar(&r.ks, "k", []int{1, 5, 10}, "numbers of things found that count")
	f.BoolVar(&r.bare, "no-evidence", false, "ask without the questions' evidence")
	f.BoolVar(&r.ablate, "ablate", false, "leave out each part of offline retrieval in turn")
	f.BoolVar(&r.cluster, "cluster", false, "use databases as the units of intervals, in place of items")
	f.StringVar(&r.columns, "columns", values.Content, "rule for the columns whose values are indexed: content, chess or all")
	f.StringVar(&r.cache, "cache", "", "folder of the values' indexes (default: assay/values in the user's cache)")
	f.BoolVar(&r.dry, "offline", false, "take vectors from the ledger alone")
	f.StringVar(&r.format, "format", "text", "text, csv, json or markdown")
	f.StringVar(&r.items, "items", "", "`FILE` to write each thing looked for and its place to, as CSV; - is the standard output, without the tables")
	return c
}

// recallKinds lists the kinds of retrieval for the help.
func recallKinds() string {
	var b strings.Builder
	for _, k := range recall.Kinds() {
		fmt.Fprintf(&b, "  %s: %s\n", k.Name, k.Shows)
	}
	return b.String()
}

// recallParts lists the parts that can be left out for the help.
func recallParts() string {
	var b strings.Builder
	for _, p := range recall.Parts() {
		if p.Name != recall.Evidence {
			fmt.Fprintf(&b, "  %s: %s\n", p.Name, p.Does)
		}
	}
	return b.String()
}

func (r *recalling) check() error {
	if !slices.Contains([]string{"text", "csv", "json", "markdown"}, r.format) {
		return fmt.Errorf("--format %q: want text, csv, json or markdown", r.format)
	}
	for _, k := range r.ks {
		if k < 1 || k > 1000 {
			return fmt.Errorf("--k %d: want 1 to 1000", k)
		}
	}
	if len(r.ks) == 0 {
		return fmt.Errorf("--k: want a number or more, such as 1,5,10")
	}
	slices.Sort(r.ks)
	r.ks = slices.Compact(r.ks)
	r.kinds = once(r.kinds)
	known := func(k string) bool {
		return slices.ContainsFunc(recall.Kinds(), func(x recall.Kind) bool { return x.Name == k })
	}
	for _, k := range r.kinds {
		if !known(k) {
			return fmt.Errorf("--kinds %q: want %s", k, strings.Join(kindNames(func(recall.Kind) bool { return true }), ", "))
		}
	}
	if !slices.Contains([]string{values.Content, values.Chess, values.All}, r.columns) {
		return fmt.Errorf("--columns %q: want content, chess or all", r.columns)
	}
	return nil
}

// once returns each name once, in the order given.
func once(names []string) (out []string) {
	for _, n := range names {
		if !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

// measured is one measurement of a dataset: by these vectors, without this part.
type measured struct {
	*recall.Recall
	vectors, without string // empty: offline; nothing left out
	kinds            []string
	whole            *recall.Recall // what a part is left out of; nil where none is
	seen             bool           // its questions are those that the ranking of columns was counted in
}

// recall measures the datasets, and prints what came of it.
func (a *app) recall(ctx context.Context, r *recalling, names []string) error {
	axis, err := groupAxis(r.by)
	if err != nil {
		return err
	}
	experiments, err := r.experiments(names)
	if err != nil {
		return usageError{err}
	}
	var all []measured
	for _, e := range experiments {
		set, err := a.loaded(ctx, e.Dataset, dataset.Options{})
		if err != nil {
			return err
		}
		more, err := a.measure(ctx, r, e, set)
		if err != nil {
			return err
		}
		all = append(all, more...)
	}
	rows := recallRows(all, r.ks, axis)
	if r.items != "" {
		write := func(w io.Writer) error { return writeLooks(w, all) }
		if err := output.Write(ctx, r.items, a.out, write); err != nil || output.IsStandard(r.items) {
			return err
		}
	}
	return a.printRecall(rows, all, r)
}

// experiments returns those whose datasets are measured.
func (r *recalling) experiments(names []string) (out []configs.Experiment, err error) {
	if len(names) == 0 {
		e, err := r.experiment("recall", nil)
		return []configs.Experiment{e}, err
	}
	for _, name := range names {
		e, err := r.named(name)
		if err != nil {
			return nil, err
		}
		out = append(out, e)
	}
	return out, nil
}

// kindNames lists the kinds of retrieval of which of holds.
func kindNames(of func(recall.Kind) bool) (out []string) {
	for _, k := range recall.Kinds() {
		if of(k) {
			out = append(out, k.Name)
		}
	}
	return out
}

// options are those of a measurement of a dataset, with the demonstrations where a kind looks for them.
func (a *app) recallOptions(ctx context.Context, r *recalling, e configs.Experiment) (recall.Options, error) {
	o := recall.Options{Kinds: r.kinds, Bare: r.bare, Deepest: slices.Max(r.ks), Values: values.Options{Dir: r.cache, Columns: r.columns},
		Workers: r.workers, Timeout: r.timeout, Cluster: r.cluster}
	if o.Workers <= 0 {
		o.Workers = runtime.NumCPU()
	}
	if o.Kinds == nil {
		o.Kinds = kindNames(func(k recall.Kind) bool { return !k.Apart })
	}
	if !slices.ContainsFunc(recall.Kinds(), func(k recall.Kind) bool { return k.Demos && slices.Contains(o.Kinds, k.Name) }) {
		return o, nil
	}
	o.Exemplars = e.Cells()[0].Arm.Exemplars
	demos, warnings, err := dataset.Exemplars(ctx, e.Dataset, o.Exemplars, dataset.Options{})
	if err != nil {
		return o, err
	}
	for _, w := range dataset.Describe(warnings) {
		a.note("warning: %s", w)
	}
	if o.Pool, err = exemplar.NewPool(demos); err == nil {
		o.Pool, err = o.Pool.Drawn(o.Exemplars, 0)
	}
	return o, err
}

// measure measures one dataset offline, without each part where that is asked for, and by the vectors of each model that the
// experiment states.
func (a *app) measure(ctx context.Context, r *recalling, e configs.Experiment, set *dataset.Set) ([]measured, error) {
	o, err := a.recallOptions(ctx, r, e)
	if err != nil {
		return nil, err
	}
	whole, err := recall.Measure(ctx, set, o)
	if err != nil {
		return nil, err
	}
	d := e.Dataset
	out := []measured{{Recall: whole, kinds: o.Kinds, seen: d.Kind == "spider" && strings.HasPrefix(d.Split, "train")}}
	for _, p := range recall.Parts() {
		kinds := slices.DeleteFunc(slices.Clone(o.Kinds), func(k string) bool { return !slices.Contains(p.Kinds, k) })
		if len(kinds) == 0 || !r.leavesOut(p, set) {
			continue
		}
		less := o
		less.Kinds, less.Without = kinds, []string{p.Name}
		m, err := recall.Measure(ctx, set, less)
		if err != nil {
			return nil, err
		}
		out = append(out, measured{m, "", p.Name, kinds, whole, false})
	}
	for _, v := range embeddingsOf(e) {
		err := a.embedding(ctx, v, e.Limits, r.dry, func(by llm.Embedder) error {
			o.Embedder = by
			m, err := recall.Measure(ctx, set, o)
			out = append(out, measured{m, v.Measure(), "", o.Kinds, whole, false})
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// leavesOut reports whether a part is left out of a measurement: the evidence where there is any, others with --ablate.
func (r *recalling) leavesOut(p recall.Part, set *dataset.Set) bool {
	if p.Name != recall.Evidence {
		return r.ablate
	}
	return !r.bare && slices.ContainsFunc(set.Examples, func(x dataset.Example) bool { return x.Question.Evidence != "" })
}

// embeddingsOf lists the models that an experiment's arms compute vectors by, each once.
func embeddingsOf(e configs.Experiment) (out []configs.Embeddings) {
	for _, c := range e.Cells() {
		if v := c.Arm.Embeddings; v.On() && !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}

// embedding calls f with a model's vectors behind the store's ledger; offline there is no model behind it.
func (a *app) embedding(ctx context.Context, v configs.Embeddings, l configs.Limits, offline bool, f func(llm.Embedder) error) error {
	with := func(book *ledger.Ledger, inner llm.Model) error {
		by, err := catalog.Embedder(book.Wrap(inner, ledger.Options{Offline: offline}), v)
		if err != nil {
			return err
		}
		return f(by)
	}
	if offline {
		return a.readLedger(func(book *ledger.Ledger) error { return with(book, nil) })
	}
	inner, err := catalog.Model(ctx, v.Model(), l, retry.Options{})
	if err != nil {
		return err
	}
	return a.writeLedger(ctx, "recall", false, func(book *ledger.Ledger) error { return with(book, inner) })
}

// recallRow is one number as CSV and JSON have it.
type recallRow struct {
	Dataset   string   `csv:"dataset" json:"dataset"`
	Vectors   string   `csv:"vectors" json:"vectors"`
	Without   string   `csv:"without" json:"without"`
	Group     string   `csv:"group" json:"group"`
	Retrieval string   `csv:"retrieval" json:"retrieval"`
	K         int      `csv:"k" json:"k"`
	Items     int      `csv:"items" json:"items"`
	Gold      int      `csv:"gold" json:"gold"`
	Recall    float64  `csv:"recall" json:"recall"`
	Low       float64  `csv:"low" json:"low"`
	High      float64  `csv:"high" json:"high"`
	Gain      *float64 `csv:"gain" json:"gain,omitempty"` // empty in the first measurement of a dataset
	GainLow   *float64 `csv:"gain_low" json:"gain_low,omitempty"`
	GainHigh  *float64 `csv:"gain_high" json:"gain_high,omitempty"`

	gain *recall.Score
}

// recallRows has the numbers of every measurement, group and kind that has something to find.
func recallRows(all []measured, ks []int, axis axes.Axis) []recallRow {
	out := []recallRow{}
	for _, m := range all {
		groups := []string{""}
		if axis.Name != "" {
			var labels []axes.Labels
			for _, it := range m.Items {
				labels = append(labels, it.Labels)
			}
			groups = append(groups, axis.Groups(labels)...)
		}
		for _, group := range groups {
			var of func(axes.Labels) bool
			if group != "" {
				of = func(l axes.Labels) bool { return axis.Group(l) == group }
			}
			for _, kind := range m.kinds {
				for _, k := range ks {
					if s := m.At(kind, k, of); s.Items > 0 {
						out = append(out, m.row(s, group, kind, k, of))
					}
				}
			}
		}
	}
	return out
}

func (m measured) row(s recall.Score, group, kind string, k int, of func(axes.Labels) bool) recallRow {
	r := recallRow{Dataset: m.Name, Vectors: m.vectors, Without: m.without, Group: group, Retrieval: kind, K: k, Items: s.Items, Gold: s.Gold,
		Recall: s.Estimate, Low: s.Low, High: s.High}
	if m.whole != nil {
		g := m.Gain(m.whole, kind, k, of)
		r.gain, r.Gain, r.GainLow, r.GainHigh = &g, &g.Estimate, &g.Low, &g.High
	}
	return r
}

// printRecall prints the numbers in a format.
func (a *app) printRecall(rows []recallRow, all []measured, r *recalling) error {
	switch r.format {
	case "json":
		enc := json.NewEncoder(a.out)
		enc.SetIndent("", " ")
		return enc.Encode(rows)
	case "csv":
		return gocsv.MarshalCSV(rows, spreadsheet.NewWriter(a.out))
	}
	for i, t := range recallTables(rows, all, r) {
		if i > 0 {
			fmt.Fprintln(a.out)
		}
		write := a.text
		if r.format == "markdown" {
			if err := t.WriteMarkdown(a.out); err != nil {
				return err
			}
			continue
		}
		if err := write(t); err != nil {
			return err
		}
	}
	return nil
}

// lookRow is one row of the CSV that --items writes.
type lookRow struct {
	Item      string `csv:"item"`
	Database  string `csv:"database"`
	Vectors   string `csv:"vectors"`
	Without   string `csv:"without"`
	Retrieval string `csv:"retrieval"`
	Gold      string `csv:"gold"`
	Rank      int    `csv:"rank"`
}

// writeLooks writes a row per thing looked for.
func writeLooks(w io.Writer, all []measured) error {
	rows := []lookRow{}
	for _, m := range all {
		for _, it := range m.Items {
			for _, l := range it.Looks {
				rows = append(rows, lookRow{it.ID, it.Labels.DB, m.vectors, m.without, l.Kind, l.Gold, l.Rank})
			}
		}
	}
	return gocsv.MarshalCSV(rows, spreadsheet.NewWriter(w))
}
