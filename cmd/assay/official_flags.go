package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// officialFlags are the flags of the field's evaluators that eval and import do not have: the verb that takes them, and what
// stands for them here.
var officialFlags = []struct{ flag, verb, here string }{
	{"etype", "eval-spider", "--metrics ex (exec), --metrics em (match) or --metrics ex,em (all)"},
	{"plug_value", "eval-spider", "--metrics ex-plug-value"},
	{"keep_distinct", "eval-spider", "--metrics ex-keep-distinct"},
	{"progress_bar_for_each_datapoint", "eval-spider", "nothing: leave it out"},
	{"db", "eval-spider", "--databases DIR, and --suite DIR where each database has its test suite"},
	{"table", "eval-spider", "--data DIR, the folder with tables.json"},
	{"predicted_sql_path", "eval-bird", "--pred FILE"},
	{"ground_truth_path", "eval-bird", "--gold FILE"},
	{"db_root_path", "eval-bird", "--databases DIR"},
	{"diff_json_path", "eval-bird", "--data DIR, the folder with the questions, which have the difficulty"},
	{"num_cpus", "eval-bird", "--workers N"},
	{"meta_time_out", "eval-bird", "--timeout, as 30s"},
	{"output_log_path", "eval-bird", "--items FILE, the verdicts by item"},
	{"sql_dialect", "eval-bird", "nothing: leave it out, assay runs SQLite"},
	{"data_mode", "eval-bird", "--split NAME"},
}

// officialLines are the command lines for a user whose own has flags of assay's beside the official ones.
var officialLines = map[string]string{
	"eval-spider": "assay eval-spider --gold dev_gold.sql --pred predicted.txt --db database --table tables.json --etype all",
	"eval-bird":   "assay eval-bird --predicted_sql_path pred.json --ground_truth_path gold.sql --db_root_path dev_databases/ --diff_json_path questions.jsonl",
}

// answerOfficial makes a verb answer an official evaluator's flag with the line to type.
func (a *app) answerOfficial(c *cobra.Command) {
	c.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		var unknown *pflag.NotExistError
		if !errors.As(err, &unknown) {
			return usageError{err}
		}
		for _, f := range officialFlags {
			if f.flag == unknown.GetSpecifiedName() {
				return usageError{fmt.Errorf("--%s is a flag of an official evaluator; in assay %s it is %s. The official command line is taken by:\n  %s",
					f.flag, c.Name(), f.here, a.officialLine(c, f.verb))}
			}
		}
		return usageError{err}
	})
}

// officialLine is the command line as typed, with another verb, where that verb has all its flags; otherwise an example.
func (a *app) officialLine(c *cobra.Command, verb string) string {
	line := []string{"assay"}
	other := verbOf(c.Root(), verb)
	for _, arg := range a.args {
		if name, isFlag := strings.CutPrefix(arg, "--"); isFlag {
			name, _, _ = strings.Cut(name, "=")
			if other.Flags().Lookup(name) == nil && other.InheritedFlags().Lookup(name) == nil {
				return officialLines[verb]
			}
		}
		if arg == c.Name() && !slices.Contains(line, verb) {
			arg = verb
		}
		line = append(line, shellWord(arg))
	}
	return strings.Join(line, " ")
}

// shellWord quotes an argument where a shell would read it otherwise.
func shellWord(arg string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./=:,+@%", r)
	}
	if arg != "" && !strings.ContainsFunc(arg, func(r rune) bool { return !plain(r) }) {
		return arg
	}
	return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
}
