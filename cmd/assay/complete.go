package main

import (
	"fmt"
	"strings"

	"assay/configs"
	"assay/experiments/axes"
	"assay/experiments/catalog"
	"assay/plots/paper"
	"assay/prompting/tools"

	"github.com/spf13/cobra"
)

// words offers what a shell may complete: a word, then a tab and what it means where that is known.
type words func(c *cobra.Command, given []string) []string

// setCompletion tells the shell what the arguments and flags of each verb can be. It panics where a verb or flag that it
// names is not there, which a test of the root finds.
func (a *app) setCompletion(root *cobra.Command) {
	for verb, w := range map[string]words{
		"run": experimentNames, "plan": experimentNames, "prompt": experimentNames, "config show": experimentNames,
		"stats": experimentNames, "tokens": a.experimentsAndRuns, "report": a.runNames, "diff": a.runNames,
		"open": a.runNames, "errors": a.runNames, "export selection-pairs": a.runNames, "show": first(a.runNames), "tool": first(toolNames),
	} {
		verbOf(root, verb).ValidArgsFunction = offer(w, cobra.ShellCompDirectiveDefault) // a path may stand in its place
	}
	for _, f := range []struct {
		verbs, flag string
		words       words
	}{
		{"report errors", "paper", paperNames},
		{"report diff eval stats", "by", axisWords},
		{"eval import check-gold stats", "dataset", choiceWords(catalog.Known.Choices("kinds"))},
		{"eval import", "metrics", choiceWords(catalog.Known.Choices("metrics"))},
		{"diff power", "metric", choiceWords(catalog.Known.Choices("metrics"))},
		{"diff", "format", choiceWords(diffFormats)},
		{"prompt", "arm", armWords},
		{"power", "run", a.runNames},
	} {
		for _, verb := range strings.Fields(f.verbs) {
			if err := verbOf(root, verb).RegisterFlagCompletionFunc(f.flag, offer(f.words, cobra.ShellCompDirectiveNoFileComp)); err != nil {
				panic(fmt.Sprintf("completion of %s --%s: %v", verb, f.flag, err))
			}
		}
	}
}

// verbOf finds a verb by its words.
func verbOf(root *cobra.Command, verb string) *cobra.Command {
	c, rest, err := root.Find(strings.Fields(verb))
	if err != nil || len(rest) > 0 {
		panic("completion of an unknown verb: " + verb)
	}
	return c
}

func offer(w words, d cobra.ShellCompDirective) cobra.CompletionFunc {
	return func(c *cobra.Command, given []string, begun string) (out []cobra.Completion, _ cobra.ShellCompDirective) {
		for _, word := range w(c, given) {
			if strings.HasPrefix(word, begun) {
				out = append(out, word)
			}
		}
		return out, d
	}
}

// first offers words for the first argument alone.
func first(w words) words {
	return func(c *cobra.Command, given []string) []string {
		if len(given) > 0 {
			return nil
		}
		return w(c, given)
	}
}

func experimentNames(*cobra.Command, []string) (out []string) {
	for _, in := range configs.Names() {
		out = append(out, in.Name+"\t"+in.Shows)
	}
	return out
}

// runNames are the runs of the store, the latest first. A store that cannot be read offers none.
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

func (a *app) experimentsAndRuns(c *cobra.Command, given []string) []string {
	return append(experimentNames(c, given), a.runNames(c, given)...)
}

func toolNames(*cobra.Command, []string) (out []string) {
	for _, t := range tools.All() {
		out = append(out, t.Name)
	}
	return out
}

func paperNames(*cobra.Command, []string) (out []string) {
	for _, in := range paper.List(nil) {
		out = append(out, in.Name+"\t"+in.Title)
	}
	return out
}

func axisWords(*cobra.Command, []string) (out []string) {
	for _, x := range axes.List() {
		out = append(out, x.Name+"\t"+x.Shows)
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

// armWords are the arms of the experiment that the command line names.
func armWords(_ *cobra.Command, given []string) (out []string) {
	if len(given) == 0 {
		return nil
	}
	e, err := configs.Load(given[0], catalog.Known, configs.Options{})
	if err != nil {
		return nil
	}
	for _, arm := range e.Arms {
		out = append(out, arm.Name+"\t"+arm.Method)
	}
	return out
}
