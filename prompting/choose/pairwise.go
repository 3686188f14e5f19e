package choose

import (
	"context"
	"fmt"
	"strings"

	"assay/prompting"
)

// pairwise is Algorithm 3 of CHASE-SQL: every ordered pair of candidates is compared, and the one with the most wins is
// the answer. Where the two returned the same, the first of the pair wins; otherwise the model says. With one direction
// each pair is compared once, the earlier candidate shown first.
//
// Equal prompts are sent once per question. Two pairs have equal prompts if their queries and results are equal. They
// share the answer, and so have the same winner as with two calls, because a completion is a function of its request.
//
// An answer that is neither A nor B is followed by one reminder. A pair that then still has no winner, or whose
// completion the model would not give, gives its point to neither.
type pairwise struct{ setup }

// pair is all that a comparison's prompt is made of besides the question: two queries and their two results, A's first.
// What the queries use of the schema follows from the queries.
type pair struct{ sql, text [2]string }

// duel is the model's answer to one prompt.
type duel struct {
	key    string // of the deciding request
	letter string // A, B, or empty
}

// Choose compares the candidates that have SQL.
func (p *pairwise) Choose(ctx context.Context, q prompting.Question, cs []prompting.Candidate) (Choice, error) {
	c, pool, done := start(p.rule, cs)
	if done {
		return c, ctx.Err()
	}
	if err := p.tournament(ctx, q, cs, pool, &c); err != nil {
		return Choice{}, fmt.Errorf("choose: %s %q: %w", p.rule, q.ID, err)
	}
	return c, nil
}

func (p *pairwise) tournament(ctx context.Context, q prompting.Question, cs []prompting.Candidate, pool []int, c *Choice) error {
	entries, err := p.entries(ctx, q, cs, pool)
	if err != nil {
		return err
	}
	score := make([]int, len(entries))
	known := map[pair]duel{}
	for i := range entries {
		for j := range entries {
			if i == j || j < i && p.arm.Selection.Directions == 1 {
				continue
			}
			v, err := p.compare(ctx, q, entries[i], entries[j], known, c)
			if err != nil {
				return err
			}
			switch v.Winner {
			case v.A:
				score[i]++
			case v.B:
				score[j]++
			}
			c.Votes = append(c.Votes, v)
		}
	}
	p.decide(entries, score, c)
	return nil
}

// compare returns one comparison, a shown first.
func (p *pairwise) compare(ctx context.Context, q prompting.Question, a, b entry, known map[pair]duel, c *Choice) (Vote, error) {
	v := Vote{A: a.index, B: b.index, Order: forward, Winner: -1, DecidedBy: byReuse}
	if b.index < a.index {
		v.Order = reverse
	}
	if a.result == b.result {
		v.Winner, v.DecidedBy = a.index, byExecution
		return v, nil
	}
	same := pair{[2]string{a.sql, b.sql}, [2]string{a.text, b.text}}
	d, ok := known[same]
	if !ok {
		var err error
		if d, err = p.duel(ctx, q, a, b, c); err != nil {
			return v, err
		}
		known[same], v.DecidedBy = d, byModel
	}
	v.Key = d.key
	switch d.letter {
	case "A":
		v.Winner = a.index
	case "B":
		v.Winner = b.index
	}
	return v, nil
}

// duel asks the model.
func (p *pairwise) duel(ctx context.Context, q prompting.Question, a, b entry, c *Choice) (duel, error) {
	messages, err := p.messages(q, []entry{a, b}, []string{"A", "B"})
	if err != nil {
		return duel{}, err
	}
	calls, answer, err := p.ask(ctx, q.ID, messages, fmt.Sprintf("A is %d, B is %d", a.index, b.index), func(text string) string {
		if l := Letter(text); l != 0 {
			return string(l)
		}
		return ""
	})
	c.Calls = append(c.Calls, calls...)
	d := duel{letter: answer}
	if len(calls) > 0 {
		d.key = calls[len(calls)-1].Key
	}
	return d, err
}

// decide picks the highest score and says what it rested on.
func (p *pairwise) decide(entries []entry, score []int, c *Choice) {
	var best []int
	for i, s := range score {
		if len(best) > 0 && s > score[best[0]] {
			best = nil
		}
		if len(best) == 0 || s == score[best[0]] {
			best = append(best, i)
		}
	}
	c.Index = entries[p.tied(entries, best)].index
	by := map[string]int{}
	open := 0
	for _, v := range c.Votes {
		by[v.DecidedBy]++
		if v.Winner < 0 {
			open++
		}
	}
	parts := []string{fmt.Sprintf("%s: %d of %d comparisons won", p.rule, score[best[0]], len(c.Votes)),
		fmt.Sprintf("%d by execution, %d asked, %d remembered", by[byExecution], by[byModel], by[byReuse])}
	if open > 0 {
		parts = append(parts, fmt.Sprintf("%d without a winner", open))
	}
	if len(best) > 1 {
		parts = append(parts, fmt.Sprintf("tie of %d: %s", len(best), p.arm.Selection.Tie))
	}
	c.Note = strings.Join(parts, "; ")
}
