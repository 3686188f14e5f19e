package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"assay/configs"
	"assay/configs/output"
	"assay/experiments/catalog"
	"assay/experiments/pairs"
	"assay/experiments/record"
	"assay/prompting/llm"
	"assay/prompting/llm/ledger"

	"github.com/spf13/cobra"
)

func (a *app) exportCmd() *cobra.Command {
	c := &cobra.Command{
		Use:     "export",
		Short:   "Write what stored runs hold in the formats of other programs",
		Long:    `Write what stored runs hold in the formats of other programs.`,
		Example: "  assay export selection-pairs train-pools --format gemini --out pairs.jsonl",
	}
	c.AddCommand(a.exportPairsCmd())
	return c
}

func (a *app) exportPairsCmd() *cobra.Command {
	var o pairs.Options
	var format, out string
	c := &cobra.Command{
		Use:   "selection-pairs RUN...",
		Short: "Write training data for a model that selects among candidates",
		Long: `Write pairs of a right and a wrong candidate as training data for a tuned selector (CHASE-SQL, section 2.5), from runs on
a training split. An item's candidates are grouped by what they return. Each right group is paired with each wrong one,
in an order drawn by --seed, so that A is right as often as B. The prompt is exactly the one that selection.rule =
"pairwise" sends, with the union of both schemas and both results: the run's dataset must be available, and its
databases are queried again.

A pair is one line of JSON: jsonl has everything, gemini the format of supervised tuning of Gemini models
(systemInstruction, contents), openai that of supervised fine-tuning of chat models (messages). An item without a right
candidate gives no pair, unless --none-right uses its gold query as the right one.`,
		Example: "  assay export selection-pairs train-pools --format gemini --out pairs.jsonl\n" +
			"  assay export selection-pairs pool-1 pool-2 --format openai \\\n    --none-right --per-item 2 --out pairs.jsonl",
		Args: args(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, given []string) error {
			if !slices.Contains(pairs.Formats, format) {
				return usageError{fmt.Errorf("--format %q: want one of %s", format, strings.Join(pairs.Formats, ", "))}
			}
			if o.PerItem < 0 {
				return usageError{fmt.Errorf("--per-item %d: want 0 or more", o.PerItem)}
			}
			runs, err := a.pairRuns(given, o.Force)
			if err != nil {
				return err
			}
			var set *pairs.Set
			err = a.withVectors(runs, &o, func() error {
				set, err = pairs.Make(cmd.Context(), runs, o)
				return err
			})
			if err != nil {
				return err
			}
			write := func(w io.Writer) error { return set.Write(w, format) }
			if err := output.Write(cmd.Context(), cmp.Or(out, output.Standard), a.out, write); err != nil {
				return err
			}
			return a.printPairCounts(set, out)
		},
	}
	f := c.Flags()
	f.StringVar(&format, "format", "jsonl", "gemini, openai or jsonl")
	f.StringVar(&out, "out", "", "the `FILE` to write (default: standard output)")
	f.BoolVar(&o.NoneRight, "none-right", false, "where no candidate of an item is right, pair its gold query with the wrong ones")
	f.IntVar(&o.PerItem, "per-item", 0, "most pairs per item, drawn by the seed (0: all)")
	f.Int64Var(&o.Seed, "seed", 0, "seed of the orders and the draw")
	f.BoolVar(&o.Force, "force", false, "take runs on a dev or test split too, and on a dataset that has changed")
	return c
}

// withVectors calls f with the vectors of the ledger in the options, which arms with [embeddings] have used. No call is made.
func (a *app) withVectors(runs []*record.Run, o *pairs.Options, f func() error) error {
	embeds := func(c configs.Cell) bool { return c.Arm.Embeddings.On() }
	if !slices.ContainsFunc(runs, func(r *record.Run) bool { return slices.ContainsFunc(r.Resolved.Cells(), embeds) }) {
		return f()
	}
	return a.readLedger(func(l *ledger.Ledger) error {
		m := l.Wrap(nil, ledger.Options{Offline: true})
		o.Embedder = func(e configs.Embeddings) (llm.Embedder, error) { return catalog.Embedder(m, e) }
		return f()
	})
}

// pairRuns reads the runs. It warns of runs on a dev or test split, even under --quiet: a selector trained on them and
// tested there would report leaked scores.
func (a *app) pairRuns(given []string, force bool) (runs []*record.Run, err error) {
	for _, g := range given {
		r, err := a.read(g)
		if err != nil {
			return nil, err
		}
		if force && !pairs.Training(r) {
			a.say("WARNING: %s is on %s, no training split: a selector trained on these pairs must not be tested there", g, r.Manifest.Dataset)
		}
		runs = append(runs, r)
	}
	return runs, nil
}

// printPairCounts says how many pairs there are and what was left out. JSON goes to standard output only where the pairs
// do not.
func (a *app) printPairCounts(s *pairs.Set, out string) error {
	first, second := s.Labels()
	if a.json && out != "" && !output.IsStandard(out) {
		return json.NewEncoder(a.out).Encode(map[string]int{"pairs": len(s.Pairs), "a": first, "b": second, "pools": s.Pools, "mixed": s.Mixed,
			"none_right": s.None, "all_right": s.All, "skipped": s.Skipped, "same": s.Same, "twice": s.Twice})
	}
	a.note("%d pairs, A right in %d and B in %d; of %d pools: %d with right and wrong candidates, %d without a right one, %d with right ones alone; "+
		"%d answers without a pool; %d pairs left out that return the same, %d that repeat another", len(s.Pairs), first, second, s.Pools, s.Mixed, s.None, s.All, s.Skipped, s.Same, s.Twice)
	return nil
}
