package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"assay/prompting/sql/engine"
	"assay/prompting/sql/sandbox"
	"assay/prompting/tools"
	"assay/prompting/values"

	"github.com/spf13/cobra"
)

// toolOptions are the flags of the verb tool.
type toolOptions struct {
	db, cache   string
	k, observed int
	spider      bool
	timeout     time.Duration
}

func (a *app) toolCmd() *cobra.Command {
	var o toolOptions
	c := &cobra.Command{
		Use:   "tool --db FILE NAME [ARGUMENT...]",
		Short: "Call one of an agent's tools by hand",
		Long: `Call one of the tools that an agent has on a database, and print what the agent would see. Arguments are words in the
order of the tool's parameters, or parameter=word; a list is written ["one", "two"]. The whole call may also be one word,
as a model writes it. Where the tool refuses an action, the observation says so. SearchColumn
compares by the offline vectors, whatever an experiment's [embeddings] state.

  ` + strings.ReplaceAll(tools.Describe([]string{tools.SearchColumn, tools.SearchValue, tools.FindShortestPath, tools.ExecuteSQL}), "\n", "\n  "),
		Example: "  assay tool --db shop.sqlite SearchColumn \"day of the order\"\n" +
			"  assay tool --db shop.sqlite SearchValue Besancon table=customers\n" +
			"  assay tool --db shop.sqlite FindShortestPath customers.city products.name\n" +
			"  assay tool --db shop.sqlite 'ExecuteSQL(\"SELECT count(*) FROM orders\")'",
		Args: args(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, given []string) error {
			base, err := database(cmd, o.db)
			if err != nil {
				return err
			}
			action, err := toolAction(given)
			if err != nil {
				return usageError{fmt.Errorf("tool: %w", err)}
			}
			return a.tool(cmd.Context(), base, o, action)
		},
	}
	f := c.Flags()
	f.StringVar(&o.db, "db", "", "the SQLite `file`")
	f.StringVar(&o.cache, "cache", "", "folder of the indexes of values (default: assay/values in the user's cache)")
	f.DurationVar(&o.timeout, "timeout", 30*time.Second, "deadline of the query that ExecuteSQL runs")
	f.IntVar(&o.k, "k", 5, "columns and values printed")
	f.IntVar(&o.observed, "characters", 200, "characters printed of a query's result")
	f.BoolVar(&o.spider, "spider", false, "refuse what Interactive-T2S refuses on Spider: LEFT JOIN, IN, and aliases the first time")
	return c
}

// toolAction parses a call from the words of the command line.
func toolAction(given []string) (tools.Action, error) {
	if strings.Contains(given[0], "(") {
		if len(given) > 1 {
			return tools.Action{}, fmt.Errorf("a call in one word takes no further words")
		}
		return tools.Parse(given[0])
	}
	action := tools.Action{Name: given[0]}
	for _, word := range given[1:] {
		action.Args = append(action.Args, toolArg(given[0], word))
	}
	return action, nil
}

// toolArg parses one word as an argument. A prefix such as table= names the parameter. A word in brackets is a list, where
// the tool takes one; elsewhere it is text, such as a value that contains brackets.
func toolArg(tool, word string) tools.Arg {
	var arg tools.Arg
	lists := false
	for _, t := range tools.All() {
		for _, p := range t.Params {
			if t.Name != tool {
				continue
			}
			lists = lists || p.List
			if rest, ok := strings.CutPrefix(word, p.Name+"="); ok {
				arg.Name, word = p.Name, rest
			}
		}
	}
	if lists && strings.HasPrefix(word, "[") {
		if one, err := tools.Parse("list(" + word + ")"); err == nil && len(one.Args) == 1 {
			one.Args[0].Name = arg.Name
			return one.Args[0]
		}
	}
	arg.Text = word
	return arg
}

// tool runs the action on a database and prints the observation. The note of the time goes to standard error.
func (a *app) tool(ctx context.Context, base engine.DB, o toolOptions, action tools.Action) error {
	db, err := base.Engine.Describe(ctx, base.Source, engine.Detail{Rows: -1, Values: -1})
	if err != nil {
		return err
	}
	box := sandbox.New(sandbox.Options{Timeout: o.timeout})
	s, err := tools.New(db, base, box, tools.Options{TopK: o.k, Observation: o.observed, Spider: o.spider,
		Index: values.Options{Dir: o.cache, Progress: a.indexBar()}})
	if err != nil {
		return err
	}
	defer s.Close()
	seen, err := s.Call(ctx, action)
	if err != nil {
		return err
	}
	if a.json {
		return json.NewEncoder(a.out).Encode(struct {
			Action string `json:"action"`
			tools.Observation
		}{action.String(), seen})
	}
	if _, err := io.WriteString(a.out, seen.Text+"\n"); err != nil {
		return err
	}
	a.note("%s took %.1f ms", action.Name, float64(seen.Took.Microseconds())/1000)
	return nil
}
