package main

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"assay/configs"
	"assay/experiments/census"
	"assay/experiments/cost"
	"assay/experiments/store"
	"assay/metrics"
	"assay/plots/paper"
	"assay/prompting/llm"

	"github.com/spf13/cobra"
)

// topic is a page that help shows beside the verbs. Its text is a Markdown file, which stands beside what it describes.
type topic struct {
	name, shows string
	text        string
}

// topics are the pages, in the order in which help lists them.
var topics = []topic{
	{"verbs", "every verb, and the exit codes", verbsPage},
	{"experiments", "those that assay comes with, and one of your own", configPage("EXPERIMENTS.md")},
	{"reference", "every key of an experiment", configPage("REFERENCE.md")},
	{"methods", "how to write a prompting method", configPage("METHODS.md")},
	{"models", "providers, keys, limits, and what was tried", llm.Page},
	{"metrics", "every metric, its reference, and where they differ", metrics.Page},
	{"reports", "tables, figures and pages, and how they look in a paper", paper.Page},
	{"store", "what each file is, what may be deleted, how to cite a run", store.Page},
	{"prices", "the table of prices, and how to add to it", cost.Page},
	{"numbers", "what a number in a table means", metrics.Numbers},
	{"datasets", "what the tables of assay stats count", census.Page},
	{"own-prompt", "tutorial: a prompt of your own", configPage("tutorials/methods.md")},
	{"own-program", "tutorial: a script of your own, in any language", configPage("tutorials/programs.md")},
	{"authors-prompts", "tutorial: the authors' own prompts, from their files", configPage("tutorials/authors-prompts.md")},
	{"demonstrations", "tutorial: annotated demonstrations of a training set", configPage("tutorials/demos.md")},
	{"own-database", "tutorial: two methods on your own database", configPage("tutorials/own-database.md")},
	{"tai-table1", "tutorial: Table 1 of Tai et al.", configPage("tutorials/tai-table1.md")},
	{"ci", "tutorial: fail a change that makes the answers worse", configPage("tutorials/ci.md")},
	{"batches", "tutorial: overnight, at half the price", configPage("tutorials/batches.md")},
}

// configPage returns a page about experiments. It panics where there is none: a programmer's mistake, which every test finds.
func configPage(name string) string {
	b, err := configs.Pages.ReadFile(name)
	if err != nil {
		panic(err)
	}
	return string(b)
}

//go:embed README.md
var verbsPage string

// groups are the parts of the list of verbs in help, with the verbs of each; a verb of none stands last.
var groups = []struct{ id, title, verbs string }{
	{"main", "Run, report, compare:", "run report diff runs rm show open site serve"},
	{"before", "Before a run:", "init questions config method prompt plan tokens power"},
	{"judge", "Predictions and gold queries:", "eval eval-spider eval-bird import check-gold suite errors"},
	{"models", "Models and completions:", "batch ledger proxy"},
	{"data", "Databases and datasets:", "stats demos values recall explain tool"},
}

// widest is the most columns of a page: longer lines are hard to read.
const widest = 100

// setGroups puts each verb into its group. It panics where a verb does not exist: that is a programmer's mistake, which every
// test finds.
func setGroups(root *cobra.Command) {
	for _, g := range groups {
		root.AddGroup(&cobra.Group{ID: g.id, Title: g.title})
		for _, verb := range strings.Fields(g.verbs) {
			verbOf(root, verb).GroupID = g.id
		}
	}
}

// setTopics makes `assay help` take a topic in place of a verb, and lists the topics in the help of assay itself.
func (a *app) setTopics(root *cobra.Command) {
	help := &cobra.Command{
		Use:     "help [VERB | TOPIC]",
		Short:   "Show the help of a verb, or a page about a topic",
		Long:    "Show the help of a verb, or a page about a topic:\n\n" + topicList(),
		Example: "  assay help run\n  assay help models",
		ValidArgsFunction: offer(func(*cobra.Command, []string) (out []string) {
			for _, t := range topics {
				out = append(out, t.name+"\t"+t.shows)
			}
			return out
		}, cobra.ShellCompDirectiveNoFileComp),
		RunE: func(_ *cobra.Command, given []string) error {
			if len(given) == 1 {
				if i := slices.IndexFunc(topics, func(t topic) bool { return t.name == given[0] }); i >= 0 {
					_, err := fmt.Fprint(a.out, markdownText(topics[i].text, min(a.textOptions().Width, widest)))
					return err
				}
			}
			c, rest, err := root.Find(given)
			if err != nil || len(rest) > 0 {
				return usageError{fmt.Errorf("help: verb or topic %s", configs.Unknown(strings.Join(given, " "), subjects(root)))}
			}
			return c.Help()
		},
	}
	root.SetHelpCommand(help)
}

// subjects are the words that help takes.
func subjects(root *cobra.Command) (out []string) {
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() {
			out = append(out, c.Name())
		}
	}
	for _, t := range topics {
		out = append(out, t.name)
	}
	return out
}

// topicList lists the topics as help prints them, one entry a line.
func topicList() string {
	var b strings.Builder
	for _, t := range topics {
		fmt.Fprintf(&b, "  %-13s %s\n", t.name, t.shows)
	}
	return b.String()
}
