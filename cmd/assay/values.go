package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"assay/plots/table"
	"assay/plots/terminal"
	"assay/prompting/sql/engine"
	"assay/prompting/values"
	"assay/prompting/vectors"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"
)

// valuesOptions are the flags of the verb values.
type valuesOptions struct {
	db, evidence, columns, cache string
	keywords                     []string
	k                            int
}

func (a *app) valuesCmd() *cobra.Command {
	var o valuesOptions
	c := &cobra.Command{
		Use:   "values --db FILE QUESTION",
		Short: "Print the database values that a question seems to mention",
		Long: `Print the values of a database that a question seems to mention, the likeliest first, as value retrieval finds them:
keywords by rules, candidates by MinHash LSH, re-ranked by edit ratio and by the similarity of offline vectors (a run's
arm may state [embeddings]). The index is built once per database and kept in the cache.`,
		Example: "  assay values --db shop.sqlite \"orders from Besancon\"\n" +
			"  assay values --db shop.sqlite \"late orders\" \\\n    --evidence \"late means status = 'Delayed'\" --k 5",
		Args: args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, given []string) error {
			base, err := database(cmd, o.db)
			if err != nil {
				return err
			}
			return a.values(cmd.Context(), base, o, given[0])
		},
	}
	f := c.Flags()
	f.StringVar(&o.db, "db", "", "the SQLite `file`")
	f.StringVar(&o.evidence, "evidence", "", "outside knowledge given with the question")
	f.StringArrayVar(&o.keywords, "keyword", nil, "look this up, in place of the question's keywords by rules (repeatable)")
	f.StringVar(&o.columns, "columns", values.Content, "rule for the columns indexed: content, chess or all")
	f.StringVar(&o.cache, "cache", "", "folder of the indexes (default: assay/values in the user's cache)")
	f.IntVar(&o.k, "k", 20, "print the best N; 0: all")
	return c
}

// values opens the index of a database, building it where the cache has none, and prints the values found.
func (a *app) values(ctx context.Context, base engine.DB, o valuesOptions, question string) error {
	bar := a.indexBar()
	x, err := values.Open(ctx, base, values.Options{Dir: o.cache, Columns: o.columns, Progress: bar})
	if err != nil {
		return err
	}
	defer x.Close()
	for _, w := range x.Warnings {
		a.note("warning: %s", w)
	}
	start := time.Now()
	found, err := x.Find(ctx, values.Query{Question: question, Evidence: o.evidence, Keywords: o.keywords, K: o.k}, nil)
	if err != nil {
		return err
	}
	took := time.Since(start)
	if a.json {
		if found == nil {
			found = []values.Match{}
		}
		return json.NewEncoder(a.out).Encode(found)
	}
	if len(found) == 0 {
		a.note("nothing found among %d values of %d columns", x.Len(), len(x.Columns()))
		return nil
	}
	if err := a.text(matchTable(found)); err != nil {
		return err
	}
	a.note("%d values of %d columns searched in %.1f ms", x.Len(), len(x.Columns()), float64(took.Microseconds())/1000)
	return nil
}

// matchTable has one row per match.
func matchTable(found []values.Match) *table.Table {
	t := &table.Table{ID: "values", Title: "Values that the question seems to mention",
		Columns: []table.Column{{Name: "Value", Key: true}, {Name: "Column"}, {Name: "Searched for", Short: "For"},
			{Name: "Edit", Align: table.Right}, {Name: "Cosine", Align: table.Right}},
		Notes: []string{"Edit: share of matching characters, by Ratcliff and Obershelp. Cosine: of " + vectors.Name + "."}}
	number := func(f float64) table.Cell { return table.Measured(table.Number{Value: f, Decimals: 2}) }
	for _, m := range found {
		t.Rows = append(t.Rows, []table.Cell{table.Text(m.Value), table.Text(m.Table + "." + m.Column), table.Text(m.Search),
			number(m.Edit), number(m.Similarity)})
	}
	return t
}

// indexBar returns a callback that shows the progress of building an index as a bar; nil, for none, outside a terminal.
func (a *app) indexBar() func(values.Progress) {
	if _, live := a.err.Terminal(); a.quiet || !live {
		return nil
	}
	var bar *progressbar.ProgressBar
	return func(p values.Progress) {
		if bar == nil {
			bar = progressbar.NewOptions(p.Total, progressbar.OptionSetWriter(a.err.Bar()), progressbar.OptionShowCount(),
				progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish(), progressbar.OptionSetWidth(20))
		}
		bar.Describe(terminal.Line(fmt.Sprintf("indexing %s.%s, %d values", p.Table, p.Column, p.Values)))
		_ = bar.Set(p.Done) // a bar that cannot be drawn is no reason to stop
	}
}
