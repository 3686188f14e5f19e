package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"assay/configs"
	"assay/configs/input"
	"assay/configs/output"
	"assay/experiments/catalog"
	"assay/experiments/record"
	"assay/experiments/store"
	"assay/plots/table"
	"assay/prompting/llm"
	"assay/prompting/llm/ledger"

	"github.com/spf13/cobra"
)

// ledgerCmd groups the verbs that look after the completions of a store.
func (a *app) ledgerCmd() *cobra.Command {
	c := &cobra.Command{
		Use:   "ledger",
		Short: "Exchange, check and tidy the store of completions",
		Long: `The ledger is the file with every completion that the runs of a store requested. With an export of it and the
experiment, another person can compute every number again with --offline.`,
	}
	c.AddCommand(a.ledgerExportCmd(), a.ledgerImportCmd(), a.ledgerVerifyCmd(), a.ledgerGCCmd(), a.ledgerStatsCmd(), a.ledgerAdoptCmd())
	return c
}

// readLedger calls f with the store's ledger, opened for reading only: a run may be writing to it.
func (a *app) readLedger(f func(*ledger.Ledger) error) (err error) {
	l, err := ledger.OpenRead(filepath.Join(a.storeDir, store.LedgerFile))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	return f(l)
}

// writeLedger calls f with the store's ledger while no other process writes to it. what names the operation to a process
// that finds the ledger locked; wait says to wait for the lock instead of failing.
func (a *app) writeLedger(ctx context.Context, what string, wait bool, f func(*ledger.Ledger) error) (err error) {
	l, err := a.store().Ledger()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	release, err := l.Acquire(ctx, what, false)
	if held := (*ledger.HeldError)(nil); wait && errors.As(err, &held) {
		a.note("waiting: %v", err)
		release, err = l.Acquire(ctx, what, true)
	}
	if err != nil {
		return err
	}
	defer release()
	return f(l)
}

func (a *app) ledgerExportCmd() *cobra.Command {
	var runs []string
	c := &cobra.Command{
		Use:   "export FILE",
		Short: "Write completions to one portable file, such as paper.jsonl.zst",
		Long: `Write every completion of the ledger, or those that the given runs used, to one file of JSON lines, compressed where its
name ends in .zst; - is the standard output. The same completions give the same bytes. The file has no API keys: no request holds one.

With model.logprobs the "response" of a completion has a "logprob": the "total" of its tokens' natural logarithms, and the
number of those "tokens". Its tool calls are in "tool_calls".`,
		Example: "  assay ledger export --run quickstart paper.jsonl.zst",
		Args:    args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, given []string) error {
			var keys ledger.Keys
			if len(runs) > 0 {
				var files []string
				for _, r := range runs {
					dir, err := a.find(r)
					if err != nil {
						return err
					}
					files = append(files, filepath.Join(dir, record.CallsFile))
					if vectors := filepath.Join(dir, record.VectorsFile); input.Regular(vectors) == nil {
						files = append(files, vectors)
					}
				}
				keys = keysOf(files)
			}
			return a.readLedger(func(l *ledger.Ledger) error { return a.ledgerExport(cmd.Context(), l, given[0], keys) })
		},
	}
	c.Flags().StringArrayVar(&runs, "run", nil, "only what this `RUN` used (repeatable)")
	return c
}

// ledgerExport writes the completions of keys, nil for all, and prints how many there were.
func (a *app) ledgerExport(ctx context.Context, l *ledger.Ledger, path string, keys ledger.Keys) error {
	var out ledger.Exported
	var written counter
	err := output.Write(ctx, path, a.out, func(w io.Writer) (err error) {
		out, err = l.Export(ctx, io.MultiWriter(w, &written), strings.HasSuffix(path, zstdSuffix), keys)
		return err
	})
	if err != nil {
		return err
	}
	standard := output.IsStandard(path)
	if a.json && !standard {
		return json.NewEncoder(a.out).Encode(map[string]any{"file": path, "completions": out.Completions, "missing": out.Missing, "bytes": int64(written)})
	}
	if out.Missing > 0 {
		a.note("warning: %d requests of the runs have no completion here: their calls failed, or this is not the ledger they used", out.Missing)
	}
	if standard {
		a.note("%d completions, %s", out.Completions, size(int64(written)))
		return nil
	}
	_, err = fmt.Fprintf(a.out, "%s: %d completions, %s\n", path, out.Completions, size(int64(written)))
	return err
}

// zstdSuffix is the file name ending that asks for compression.
const zstdSuffix = ".zst"

// counter counts the bytes written to it.
type counter int64

// Write implements [io.Writer].
func (c *counter) Write(p []byte) (int, error) { *c += counter(len(p)); return len(p), nil }

func (a *app) ledgerImportCmd() *cobra.Command {
	var o ledger.ImportOptions
	var from ledger.ForeignOptions
	var foreign, wait bool
	c := &cobra.Command{
		Use:   "import FILE",
		Short: "Add the completions of an export, or of another program's recording",
		Long: `Add the completions of a file to the ledger. Both hashes of every line are recomputed, and a truncated or altered file
imports nothing (--partial: all but its bad lines). A completion that the ledger has already is not changed.

--foreign takes recordings of other programs, one JSON object per line:

  {"messages": [{"role": "system", "content": "..."}, {"role": "user", "content": "..."}], "completion": "SELECT ...",
   "provider": "openai", "model": "gpt-4o", "parameters": {"temperature": 0}, "sample": 0}

or "prompt" (and "system") in place of messages; finish, prompt_tokens, completion_tokens, answered_by and created are
optional. A run finds a completion by its whole request: provider, model, parameters and messages must be those that
the run would send, which ` + "`assay prompt`" + ` shows. "server" is the address where it is not the provider's own, and "as" is
model.as. Equal requests without a sample are numbered in order.`,
		Example: "  assay ledger import paper.jsonl.zst\n  assay ledger import --foreign --provider openai --model gpt-4o answers.jsonl",
		Args:    args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, given []string) error {
			if foreign {
				o.Foreign, o.Author = &from, catalog.Canonical
			} else if from != (ledger.ForeignOptions{}) {
				return usageError{errors.New("import: --provider and --model need --foreign: an export has its own")}
			}
			return a.writeLedger(cmd.Context(), "ledger import "+given[0], wait, func(l *ledger.Ledger) error {
				return a.ledgerImport(cmd.Context(), l, given[0], o)
			})
		},
	}
	f := c.Flags()
	f.BoolVar(&foreign, "foreign", false, "the file is a recording of another program")
	f.StringVar(&from.Provider, "provider", "", "provider of the lines that name none (with --foreign)")
	f.StringVar(&from.Model, "model", "", "model of the lines that name none (with --foreign)")
	f.BoolVar(&o.Partial, "partial", false, "leave bad lines out instead of importing nothing")
	f.BoolVar(&wait, "wait", false, "wait for another process that writes to the store")
	return c
}

// shownLines bounds the bad lines that are printed: a file of the wrong format has nothing else.
const shownLines = 20

// ledgerImport adds the completions of a file and prints how many were new, present, different and bad.
func (a *app) ledgerImport(ctx context.Context, l *ledger.Ledger, path string, o ledger.ImportOptions) error {
	bad := 0
	o.Bad = func(e *ledger.LineError) {
		if bad++; bad <= shownLines {
			a.note("left out: %s: %v", path, e)
		}
	}
	out, err := l.Import(ctx, path, o)
	if err != nil {
		return err
	}
	if bad > shownLines {
		a.note("and %d more", bad-shownLines)
	}
	if a.json {
		return json.NewEncoder(a.out).Encode(map[string]any{"file": path, "completions": out.Completions, "present": out.Present,
			"differ": out.Differ, "bad": out.Bad})
	}
	if out.Differ > 0 {
		a.note("warning: %d requests have another completion in this ledger, which was kept: runs here use that one", out.Differ)
	}
	_, err = fmt.Fprintf(a.out, "%s: %d completions added, %d there already, %d there with another text, %d bad lines\n",
		path, out.Completions, out.Present, out.Differ, out.Bad)
	return err
}

func (a *app) ledgerVerifyCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "verify",
		Short: "Recompute every key and checksum, and run SQLite's integrity check",
		Long: `Recompute the key of every request and the checksum of every completion in the ledger, and run SQLite's integrity check.
Entries that do not agree are listed, and make the command fail. Nothing is changed.`,
		Example: "  assay ledger verify",
		Args:    args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.readLedger(func(l *ledger.Ledger) error { return a.ledgerVerify(cmd.Context(), l) })
		},
	}
}

// ledgerVerify checks every entry, prints the bad ones, and fails where there is one.
func (a *app) ledgerVerify(ctx context.Context, l *ledger.Ledger) error {
	bad := []string{}
	v, err := l.Verify(ctx, func(b ledger.Bad) {
		if bad = append(bad, b.String()); !a.json {
			fmt.Fprintln(a.out, b)
		}
	})
	if err != nil {
		return err
	}
	if a.json {
		err = json.NewEncoder(a.out).Encode(map[string]any{"ledger": l.Path(), "completions": v.Completions, "prompts": v.Prompts, "bad": bad})
	} else if len(bad) == 0 {
		_, err = fmt.Fprintf(a.out, "%s: %d completions, %d prompts: every key and checksum holds\n", l.Path(), v.Completions, v.Prompts)
	}
	if err == nil && v.Bad > 0 {
		err = fmt.Errorf("%s: %d bad entries", l.Path(), v.Bad)
	}
	return err
}

func (a *app) ledgerStatsCmd() *cobra.Command {
	return &cobra.Command{
		Use:     "stats",
		Short:   "Count completions, tokens and bytes by author",
		Long:    "Count the completions, tokens and bytes that the ledger holds, by author: provider, model and address, or the name in model.as.\nThe vector of a text counts as a completion of its embedding model.",
		Example: "  assay ledger stats",
		Args:    args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.readLedger(func(l *ledger.Ledger) error {
				s, err := l.Stats(cmd.Context())
				if err != nil {
					return err
				}
				if a.json {
					return json.NewEncoder(a.out).Encode(s)
				}
				if err := a.totals(s.Models); err != nil {
					return err
				}
				_, err = fmt.Fprintf(a.out, "%s: %d completions, %d prompts of %s, file %s\n", l.Path(), s.Completions, s.Prompts,
					size(s.PromptBytes), size(s.FileBytes))
				return err
			})
		},
	}
}

func (a *app) ledgerAdoptCmd() *cobra.Command {
	var from, to llm.Author
	var wait bool
	c := &cobra.Command{
		Use:   "adopt",
		Short: "Use the completions of one author for another",
		Long: `Use the completions that the ledger has of one author for another author too: for the server that gave them, where an
old ledger has no addresses, for the name that experiments give a server (model.as), or for the provider's own row of a
server that was asked as another (openai with an address, and now ollama, llamacpp, vllm, openrouter or azure). You must know that both are the
same model: assay cannot check it. ` + "`assay ledger stats`" + ` lists the authors.

Requests at a temperature above 0 from an old ledger find no completion: their seeds were computed differently.`,
		Example: "  assay ledger adopt --provider openai --model llama3 --at http://box:11434/v1\n" +
			"  assay ledger adopt --provider openai --model llama3 --as llama3-8b-q4\n" +
			"  assay ledger adopt --provider openai --model llama3 --to ollama",
		Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if from.Provider == "" || from.Model == "" || to.As != "" && to.Server != "" || to.As+to.Server+to.Provider == "" {
				return usageError{errors.New("ledger adopt: needs --provider and --model of the completions, and of the author to use them for --at or --as, or --to")}
			}
			if ids := configs.ChoicesOf(catalog.Known.Providers).IDs(); to.Provider != "" {
				if wrong := configs.Unknown(to.Provider, ids); wrong != "" {
					return usageError{fmt.Errorf("ledger adopt: --to %s", wrong)}
				}
			}
			to.Provider = cmp.Or(to.Provider, from.Provider)
			for _, author := range []*llm.Author{&from, &to} {
				var err error
				if *author, err = catalog.Canonical(*author); err != nil {
					return fmt.Errorf("ledger adopt: %w", err)
				}
			}
			return a.writeLedger(cmd.Context(), "ledger adopt", wait, func(l *ledger.Ledger) error { return a.ledgerAdopt(cmd.Context(), l, from, to) })
		},
	}
	f := c.Flags()
	f.StringVar(&from.Provider, "provider", "", "the completions' provider")
	f.StringVar(&from.Model, "model", "", "the completions' model")
	f.StringVar(&from.Server, "server", "", "the completions' address; none: the provider's own, or an old ledger's")
	f.StringVar(&to.Provider, "to", "", "use them for this provider too (default: the same), at its own address unless --at names one")
	f.StringVar(&to.Server, "at", "", "use them for this address too")
	f.StringVar(&to.As, "as", "", "use them for this name too, as model.as gives it")
	f.BoolVar(&wait, "wait", false, "wait for another process that writes to the store")
	return c
}

// ledgerAdopt copies the completions of one author to another, and prints how many. It never replaces one that is there.
func (a *app) ledgerAdopt(ctx context.Context, l *ledger.Ledger, from, to llm.Author) error {
	out, err := l.Adopt(ctx, from, to)
	if err != nil {
		return err
	}
	if a.json {
		return json.NewEncoder(a.out).Encode(map[string]any{"completions": out.Completions, "present": out.Present})
	}
	to.Model = from.Model
	_, err = fmt.Fprintf(a.out, "%d completions of %s are now used for %s too; %d requests had a completion of their own, which is kept\n", out.Completions, from, to, out.Present)
	return err
}

// totals prints one row per author: its completions, prompts, tokens and size, and then further rows of a name and a size.
func (a *app) totals(models []ledger.Total, more ...[]table.Cell) error {
	t := &table.Table{Columns: []table.Column{{Name: "Model", Key: true}, {Name: "Completions", Short: "Compl.", Align: table.Right}, {Name: "Prompts", Align: table.Right},
		{Name: "Tokens in", Align: table.Right}, {Name: "Tokens out", Align: table.Right}, {Name: "Estimated", Short: "Est.", Align: table.Right},
		{Name: "Size", Align: table.Right}}}
	for _, m := range models {
		row := []table.Cell{table.Text(m.Author.String())}
		for _, n := range []int64{int64(m.Completions), int64(m.Prompts), m.PromptTokens, m.CompletionTokens, int64(m.Estimated)} {
			row = append(row, table.Text(fmt.Sprint(n)))
		}
		t.Rows = append(t.Rows, append(row, table.Text(size(m.Bytes))))
	}
	t.Rows = append(t.Rows, more...)
	return a.text(t)
}

// size prints a number of bytes with a decimal unit.
func size(n int64) string {
	switch {
	case n >= 1e9:
		return fmt.Sprintf("%.1f GB", float64(n)/1e9)
	case n >= 1e6:
		return fmt.Sprintf("%.1f MB", float64(n)/1e6)
	case n >= 1e3:
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	}
	return fmt.Sprintf("%d bytes", n)
}
