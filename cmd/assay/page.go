package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"assay/experiments/record"
	"assay/experiments/store"
	"assay/plots/page"
	"assay/prompting/llm"
	"assay/prompting/llm/ledger"
)

// pageSize is the default of --page-size: the bound of a page in MB.
const pageSize = float64(page.Budget) / 1e6

// withPage calls f with the page of a run. Prompts and completions come from the ledgers next to the given run folders, up
// to size MB. Without a ledger, or with a damaged one, the page is made without texts and says so: a report must not fail
// because a store was copied without its ledger.
func (a *app) withPage(ctx context.Context, r *record.Run, folders []string, size float64, f func(page.Page) error) (err error) {
	p := page.Page{Run: r, Budget: int(size * 1e6)}
	if size <= 0 {
		p.NoTexts = "it was made with --page-size 0"
		return f(p)
	}
	ledgers, why := openLedgers(folders)
	defer func() {
		for _, l := range ledgers {
			err = errors.Join(err, l.Close())
		}
	}()
	if p.NoTexts = why; len(ledgers) == 0 {
		return f(p)
	}
	var once sync.Once // a damaged ledger would warn for every completion
	p.Texts = func(key string, prompt bool) (page.Exchange, bool, error) {
		for _, l := range ledgers {
			x, ok, err := exchange(ctx, l, key, prompt)
			if err != nil {
				if ctx.Err() != nil {
					return page.Exchange{}, false, ctx.Err()
				}
				once.Do(func() { a.note("warning: texts that cannot be read are missing from the page: %v", err) })
			} else if ok {
				return x, true, nil
			}
		}
		return page.Exchange{}, false, nil
	}
	return f(p)
}

// openLedgers opens the ledgers of the stores that hold the run folders, each once. why says why there is none.
func openLedgers(folders []string) (ledgers []*ledger.Ledger, why string) {
	seen := map[string]bool{}
	why = "the store has no ledger"
	for _, dir := range folders {
		path := filepath.Join(filepath.Dir(filepath.Clean(dir)), store.LedgerFile)
		if _, err := os.Stat(path); err != nil || seen[path] {
			continue
		}
		seen[path] = true
		l, err := ledger.OpenRead(path)
		if err != nil {
			why = err.Error()
			continue
		}
		ledgers = append(ledgers, l)
	}
	return ledgers, why
}

// exchange returns a completion as text, with its prompt where prompt is set; a completion alone is read twice as fast.
// Tool calls become lines below the text. ok is false where the ledger has no such key.
func exchange(ctx context.Context, l *ledger.Ledger, key string, prompt bool) (x page.Exchange, ok bool, err error) {
	var e ledger.Entry
	if prompt {
		e, ok, err = l.Entry(ctx, key)
	} else {
		e.Response, ok, err = l.Get(ctx, key)
	}
	if err != nil || !ok {
		return page.Exchange{}, false, err
	}
	x = page.Exchange{Completion: withCalls(e.Response.Text, e.Response.ToolCalls), Reasoning: strings.TrimSpace(e.Response.Reasoning),
		Finish: e.Response.Finish}
	for _, m := range e.Request.Messages {
		x.Messages = append(x.Messages, page.Message{Role: string(m.Role), Text: withCalls(m.Text, m.Calls)})
	}
	return x, true, nil
}

// withCalls appends tool calls to a message's text, one line per call.
func withCalls(text string, calls []llm.ToolCall) string {
	var parts []string
	if text != "" || len(calls) == 0 {
		parts = append(parts, text)
	}
	for _, c := range calls {
		parts = append(parts, "call "+c.Name+" "+c.Arguments)
	}
	return strings.Join(parts, "\n")
}
