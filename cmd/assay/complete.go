package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"assay/configs"
	"assay/experiments/axes"
	"assay/experiments/catalog"
	"assay/experiments/demos"
	"assay/experiments/record"
	"assay/plots/figure"
	"assay/plots/official"
	"assay/plots/paper"
	"assay/plots/table"
	"assay/prompting/exemplar"
	"assay/prompting/methods"
	"assay/prompting/tools"

	"github.com/spf13/cobra"
)

// words returns completions for a shell: each a word, followed by a tab and its meaning where that is known.
type words func(c *cobra.Command, given []string) []string

// setCompletion registers completions for the arguments and flags of the verbs. It panics where a verb or flag does not
// exist: that is a programmer's mistake, and every test that builds the root finds it.
func (a *app) setCompletion(root *cobra.Command) {
	for verb, w := range map[string]words{
		"run": experimentNames, "plan": experimentNames, "prompt": experimentNames, "config show": experimentNames,
		"stats": experimentNames, "recall": experimentNames, "tokens": a.experimentsAndRuns, "report": a.runNames, "diff": a.runNames,
		"open": a.runNames, "errors": a.runNames, "export selection-pairs": a.runNames, "show": first(a.runNames), "rm": a.runNames, "runs": first(a.experimentsOfRuns), "tool": first(toolNames),
		"method show": first(methodNames), "method copy": first(methodNames), "demos check": first(annotationNames),
	} {
		verbOf(root, verb).ValidArgsFunction = offer(w, cobra.ShellCompDirectiveDefault) // a path is valid too, so files complete as well
	}
	for _, f := range []struct {
		verbs []string
		flag  string
		words words
	}{
		{[]string{"report", "errors"}, "paper", a.paperNames},
		{[]string{"report"}, "order", choiceWords(paper.Orders)},
		{[]string{"report"}, "arms", a.armsOfRun},
		{[]string{"show", "errors"}, "arm", a.armsOfRun},
		{[]string{"report"}, "columns", a.columnsOfRun},
		{[]string{"report"}, "width", func(*cobra.Command, []string) []string { return figure.Widths }},
		{[]string{"report", "diff", "eval", "stats", "recall"}, "by", axisWords},
		{[]string{"eval", "import", "check-gold", "stats", "recall", "demos make", "demos check"}, "dataset", choiceWords(catalog.Known.Choices("kinds"))},
		{[]string{"eval", "import"}, "metrics", choiceWords(catalog.Known.Choices("metrics"))},
		{[]string{"diff", "power"}, "metric", choiceWords(catalog.Known.Choices("metrics"))},
		{[]string{"diff"}, "format", choiceWords(diffFormats)},
		{[]string{"eval-spider"}, "etype", etypeWords},
		{[]string{"eval-bird"}, "score", scoreWords},
		{[]string{"prompt"}, "arm", armWords},
		{[]string{"power"}, "run", a.runNames},
		{[]string{"demos make"}, "what", choiceWords(demos.Kinds)},
		{[]string{"demos make"}, "hardness", choiceWords(slices.Concat(demos.Distributions, configs.Levels))},
		{[]string{"demos make"}, "by", providerWords},
		{[]string{"demos make"}, "score-by", providerWords},
	} {
		for _, verb := range f.verbs {
			if err := verbOf(root, verb).RegisterFlagCompletionFunc(f.flag, offer(f.words, cobra.ShellCompDirectiveNoFileComp)); err != nil {
				panic(fmt.Sprintf("completion of %s --%s: %v", verb, f.flag, err))
			}
		}
	}
}

// verbOf returns the command of a verb such as "config show".
func verbOf(root *cobra.Command, verb string) *cobra.Command {
	c, rest, err := root.Find(strings.Fields(verb))
	if err != nil || len(rest) > 0 {
		panic("completion of an unknown verb: " + verb)
	}
	return c
}

// offer adapts words to cobra: it keeps those that begin as the user has typed, in a list after the last comma.
func offer(w words, d cobra.ShellCompDirective) cobra.CompletionFunc {
	return func(c *cobra.Command, given []string, begun string) (out []cobra.Completion, _ cobra.ShellCompDirective) {
		list, begun := begun[:strings.LastIndex(begun, ",")+1], begun[strings.LastIndex(begun, ",")+1:]
		for _, word := range w(c, given) {
			if strings.HasPrefix(word, begun) {
				out = append(out, list+word)
			}
		}
		return out, d
	}
}

// first limits words to the first argument.
func first(w words) words {
	return func(c *cobra.Command, given []string) []string {
		if len(given) > 0 {
			return nil
		}
		return w(c, given)
	}
}

// experimentNames lists the embedded experiments with what each shows.
func experimentNames(*cobra.Command, []string) (out []string) {
	for _, in := range configs.Names() {
		out = append(out, in.Name+"\t"+in.Shows)
	}
	return out
}

// runNames lists the runs of the store, the latest first. A store that cannot be read gives none: an error message would
// spoil the command line that the user is typing.
func (a *app) runNames(*cobra.Command, []string) (out []string) {
	infos, err := a.store().List()
	if err != nil {
		return nil
	}
	for _, in := range infos {
		out = append(out, in.Name+"\t"+in.Manifest.Dataset)
	}
	return out
}

// experimentsOfRuns lists the experiments that the store has runs of.
func (a *app) experimentsOfRuns(*cobra.Command, []string) (out []string) {
	infos, err := a.store().List()
	if err != nil {
		return nil
	}
	for _, in := range infos {
		if in.Err == nil && !slices.Contains(out, in.Manifest.Experiment) {
			out = append(out, in.Manifest.Experiment)
		}
	}
	return out
}

func (a *app) experimentsAndRuns(c *cobra.Command, given []string) []string {
	return append(experimentNames(c, given), a.runNames(c, given)...)
}

func toolNames(*cobra.Command, []string) (out []string) {
	for _, t := range tools.All() {
		out = append(out, t.Name)
	}
	return out
}

func annotationNames(*cobra.Command, []string) []string {
	return choiceWords(exemplar.Shipments)(nil, nil)
}

// providerWords lists the providers, with the slash after which a model's name stands.
func providerWords(*cobra.Command, []string) (out []string) {
	for _, p := range catalog.Known.Choices("providers") {
		if p.ID != "baseline" {
			out = append(out, p.ID+"/\t"+p.Shows)
		}
	}
	return out
}

func methodNames(*cobra.Command, []string) (out []string) {
	for _, m := range slices.Concat(methods.Methods(), methods.Parts()) {
		out = append(out, m.ID+"\t"+m.Shows)
	}
	return out
}

// firstRun reads the first run that the command line names; nil where it names none that can be read.
func (a *app) firstRun(given []string, read func(string, configs.Known) (*record.Run, error)) *record.Run {
	if len(given) == 0 {
		return nil
	}
	found, err := a.store().Find(given[0])
	if err != nil {
		return nil
	}
	r, err := read(found.Dir, catalog.Known)
	if err != nil {
		return nil
	}
	return r
}

// armsOfRun lists the arms of the run that the command line names.
func (a *app) armsOfRun(_ *cobra.Command, given []string) (out []string) {
	r := a.firstRun(given, record.ReadItems)
	if r == nil {
		return nil
	}
	for _, arm := range r.Resolved.Arms {
		out = append(out, arm.Name+"\t"+cmp.Or(arm.Label, configs.PartName(arm.Method)))
	}
	return out
}

// columnsOfRun lists the columns of the run's own tables, which are those that report shows without --paper.
func (a *app) columnsOfRun(_ *cobra.Command, given []string) []string {
	r := a.firstRun(given, record.Read)
	if r == nil {
		return nil
	}
	made, _ := paper.Make(r, paper.Options{}) // of what cannot be made no column is offered
	return table.ColumnNames(made.Tables())
}

// paperNames lists the tables and figures: of the run that the command line names those that can be made of it, else all.
func (a *app) paperNames(_ *cobra.Command, given []string) (out []string) {
	for _, in := range paper.List(a.firstRun(given, record.Read)) {
		if in.Why == "" {
			out = append(out, in.Name+"\t"+in.Title)
		}
	}
	return out
}

func axisWords(*cobra.Command, []string) (out []string) {
	for _, x := range axes.List() {
		out = append(out, x.Name+"\t"+x.Shows)
	}
	return out
}

func etypeWords(*cobra.Command, []string) (out []string) {
	for _, e := range official.Etypes {
		out = append(out, string(e))
	}
	return out
}

func scoreWords(*cobra.Command, []string) (out []string) {
	for _, s := range official.Scores {
		out = append(out, s.ID+"\t"+s.Metric)
	}
	return out
}

func choiceWords(of configs.Choices) words {
	return func(*cobra.Command, []string) (out []string) {
		for _, x := range of {
			out = append(out, x.ID+"\t"+x.Shows)
		}
		return out
	}
}

// armWords lists the arms of the experiment that the command line names.
func armWords(_ *cobra.Command, given []string) (out []string) {
	if len(given) == 0 {
		return nil
	}
	e, err := configs.Load(given[0], catalog.Known, configs.Options{})
	if err != nil {
		return nil
	}
	for _, arm := range e.Arms {
		out = append(out, arm.Name+"\t"+configs.PartName(arm.Method))
	}
	return out
}
