package demos

import (
	"fmt"
	"slices"
	"strings"

	"assay/configs"
	"assay/experiments/dataset"
	"assay/prompting/draw"
	"assay/prompting/exemplar"
)

// The distributions of hardness that a pool may have; a list of levels is one too.
const (
	Natural  = "natural"
	Balanced = "balanced"
)

// Distributions lists them.
var Distributions = configs.Choices{
	{ID: Natural, Shows: "as the questions have it"},
	{ID: Balanced, Shows: "as many of each level"},
}

// choice hands out questions, level by level, until each level has its number of kept demonstrations.
type choice struct {
	left   map[string]int               // demonstrations that a level still lacks; negative: no bound
	queues map[string][]dataset.Sourced // what is not yet handed out, in the order of the draw
	levels []string
	kept   int
}

// newChoice plans a choice: o.Hardness is Natural (or empty), Balanced, or a list of levels with commas, of which each gets as
// many; o.Limit is divided among the levels, and the order within a level is drawn by o.Seed.
func newChoice(questions []dataset.Sourced, o Options) (*choice, error) {
	c := &choice{left: map[string]int{}, queues: map[string][]dataset.Sourced{}, levels: exemplar.Levels}
	if o.Hardness != "" && o.Hardness != Natural && o.Hardness != Balanced {
		c.levels = strings.Split(o.Hardness, ",")
		for i, level := range c.levels {
			if c.levels[i] = strings.TrimSpace(level); !slices.Contains(exemplar.Levels, c.levels[i]) {
				return nil, fmt.Errorf("hardness %q: want natural, balanced, or some of %s", o.Hardness, strings.Join(exemplar.Levels, ","))
			}
		}
	}
	for _, i := range draw.Rand(o.Seed, "demos").Perm(len(questions)) {
		if q := questions[i]; slices.Contains(c.levels, q.Hardness) {
			c.queues[q.Hardness] = append(c.queues[q.Hardness], q)
		}
	}
	shares := make([]int, len(c.levels))
	for i, level := range c.levels {
		if shares[i] = 1; o.Hardness == "" || o.Hardness == Natural {
			shares[i] = len(c.queues[level])
		}
	}
	for i, n := range apportion(o.Limit, shares) {
		c.left[c.levels[i]] = n
	}
	return c, nil
}

// apportion divides n by shares, the largest remainders rounded up, the first of equal ones; n = 0 is no bound.
func apportion(n int, shares []int) []int {
	total := 0
	for _, s := range shares {
		total += s
	}
	out := make([]int, len(shares))
	if n <= 0 || total == 0 {
		for i := range out {
			out[i] = -1
		}
		return out
	}
	order, given := make([]int, len(shares)), 0
	for i, s := range shares {
		out[i], order[i] = n*s/total, i
		given += out[i]
	}
	slices.SortStableFunc(order, func(a, b int) int { return n*shares[b]%total - n*shares[a]%total })
	for _, i := range order[:n-given] {
		out[i]++
	}
	return out
}

// mostAtOnce bounds a wave, so that progress is seen.
const mostAtOnce = 256

// next hands out as many questions of each level as it still lacks.
func (c *choice) next() (out []dataset.Sourced) {
	for _, level := range c.levels {
		n := min(len(c.queues[level]), mostAtOnce)
		if left := c.left[level]; left >= 0 {
			n = min(n, left)
		}
		out = append(out, c.queues[level][:n]...)
		c.queues[level] = c.queues[level][n:]
	}
	return out
}

// tell counts a demonstration that was made.
func (c *choice) tell(m Made) {
	if !m.Kept {
		return
	}
	c.kept++
	if c.left[m.Hardness] > 0 {
		c.left[m.Hardness]--
	}
}
