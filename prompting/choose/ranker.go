package choose

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"assay/prompting"
)

// ranker shows the model all candidates in one prompt and takes the one that it ranks first: the ranker agent of
// CHASE-SQL's Table 7. The prompt lists queries of equal text once. A ranking that cannot be parsed is followed by one
// reminder. If that fails too, or there is no completion, the tie rule picks.
type ranker struct{ setup }

// Choose ranks the candidates that have SQL.
func (r *ranker) Choose(ctx context.Context, q prompting.Question, cs []prompting.Candidate) (Choice, error) {
	c, pool, done := start(r.rule, cs)
	if done {
		return c, ctx.Err()
	}
	if err := r.rank(ctx, q, cs, pool, &c); err != nil {
		return Choice{}, fmt.Errorf("choose: %s %q: %w", r.rule, q.ID, err)
	}
	return c, nil
}

func (r *ranker) rank(ctx context.Context, q prompting.Question, cs []prompting.Candidate, pool []int, c *Choice) error {
	entries, err := r.entries(ctx, q, cs, pool)
	if err != nil {
		return err
	}
	shown := distinct(entries)
	if len(shown) == 1 {
		c.Index, c.Note = shown[0].index, fmt.Sprintf("%s: all %d candidates read the same", r.rule, len(entries))
		return nil
	}
	names, key := numbered(shown)
	messages, err := r.messages(q, shown, names)
	if err != nil {
		return err
	}
	var order []int
	c.Calls, _, err = r.ask(ctx, q.ID, messages, key, func(text string) string {
		order = Ranking(text, len(shown))
		return printed(order)
	})
	if err != nil {
		return err
	}
	if len(order) == 0 {
		every := make([]int, len(entries))
		for i := range every {
			every[i] = i
		}
		c.Index = entries[r.tied(entries, every)].index
		c.Note = fmt.Sprintf("%s: no ranking of %d candidates: %s", r.rule, len(shown), r.arm.Selection.Tie)
		return nil
	}
	c.Index = shown[order[0]].index
	c.Note = fmt.Sprintf("%s: the first of %d candidates that do not read the same", r.rule, len(shown))
	return nil
}

// distinct keeps the first of each that read the same.
func distinct(entries []entry) (out []entry) {
	seen := map[string]bool{}
	for _, e := range entries {
		if !seen[e.sql] {
			seen[e.sql] = true
			out = append(out, e)
		}
	}
	return out
}

// numbered names candidates by number, from 1; key maps each number to its candidate in the pool.
func numbered(shown []entry) (names []string, key string) {
	var is []string
	for i, e := range shown {
		names = append(names, strconv.Itoa(i+1))
		is = append(is, fmt.Sprintf("%d is %d", i+1, e.index))
	}
	return names, strings.Join(is, ", ")
}

// printed returns a ranking by number; empty where there is none.
func printed(order []int) string {
	var parts []string
	for _, i := range order {
		parts = append(parts, strconv.Itoa(i+1))
	}
	return strings.Join(parts, ", ")
}
