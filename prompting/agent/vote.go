package agent

import (
	"context"
	"slices"
)

// take chooses among the completions of a turn and performs the chosen action; -1 where no completion came.
//
// Equal actions are counted together. The commonest are performed first, equal counts in order of their first
// completion, until an observation is no complaint. Where all complain the first completion is taken (Interactive-T2S's
// self_consistency_for_action).
func (d *dialogue) take(ctx context.Context, steps []step) (int, error) {
	first := slices.IndexFunc(steps, func(s step) bool { return s.reply.Failure == "" })
	if first < 0 {
		if len(steps) > 0 {
			d.failure = steps[0].reply.Failure
		}
		return -1, nil
	}
	for _, i := range byVotes(steps) {
		if err := d.perform(ctx, &steps[i]); err != nil {
			return i, err
		}
		if !steps[i].seen.Bad || d.end != "" {
			return i, nil
		}
	}
	if steps[first].performed {
		return first, nil
	}
	return first, d.perform(ctx, &steps[first])
}

// byVotes lists the first completion of each different action, the commonest action first.
func byVotes(steps []step) (order []int) {
	votes := map[string]int{}
	for i, s := range steps {
		if s.key == "" {
			continue
		}
		if votes[s.key]++; votes[s.key] == 1 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return votes[steps[b].key] - votes[steps[a].key] })
	return order
}
