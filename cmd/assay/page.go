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

// pageSize is the bound of a page in MB, unless --page-size gives another.
const pageSize = float64(page.Budget) / 1e6

// withPage calls f with the page of a run: prompts and completions come from the ledgers beside the run folders given,
// as far as size MB hold them. A ledger that is missing or damaged leaves them out, and the page says so.
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
	var once sync.Once
	p.Texts = func(key string, prompt bool) (page.Exchange, bool, error) {
		for _, l := range ledgers {
			x, ok, err := exchange(ctx, l, key, prompt)
			if err != nil {
				if ctx.Err() != nil {
					return page.Exchange{}, false, ctx.Err()
				}
				once.Do(func() { a.note("warning: the page lacks what cannot be read: %v", err) })
			} else if ok {
				return x, true, nil
			}
		}
		return page.Exchange{}, false, nil
	}
	return f(p)
}

// openLedgers opens the ledgers of the stores that run folders stand in. why says what there is none for.
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

// exchange is a completion, with its prompt where that is asked for, in words: calls of tools stand as lines below what
// was said. Without its prompt it is read twice as fast.
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
	x = page.Exchange{Completion: said(e.Response.Text, e.Response.ToolCalls), Reasoning: strings.TrimSpace(e.Response.Reasoning),
		Finish: e.Response.Finish}
	for _, m := range e.Request.Messages {
		x.Messages = append(x.Messages, page.Message{Role: string(m.Role), Text: said(m.Text, m.Calls)})
	}
	return x, true, nil
}

func said(text string, calls []llm.ToolCall) string {
	var parts []string
	if text != "" || len(calls) == 0 {
		parts = append(parts, text)
	}
	for _, c := range calls {
		parts = append(parts, "call "+c.Name+" "+c.Arguments)
	}
	return strings.Join(parts, "\n")
}
