package process

import (
	"slices"

	"assay/metrics/rows"
	"assay/prompting/sql/engine"
)

// Reference is the results of the steps of another decomposition of the question, in order. It is one of several ways to the
// answer: a step that it lacks is no error.
type Reference []*engine.Result

// ReferenceOf returns the reference of results, nil for a step that did not run. Fewer than two steps, or one that did not run,
// are no reference.
func ReferenceOf(results []*engine.Result) Reference {
	if len(results) < 2 || slices.Contains(results, nil) {
		return nil
	}
	return results
}

// mostRows bounds the results that are compared.
const mostRows = 100_000

// Like lists the reference's steps, from 0, with that result: equal as execution accuracy has it, whatever the order of rows and
// columns. It is nil, and not empty, where that cannot be told: there is no reference or no result, the result is larger than what
// is compared, or it has no rows and a step of the reference has none either, which many queries share.
func (r Reference) Like(step *engine.Result) []int {
	none := func(x *engine.Result) bool { return len(x.Rows) == 0 }
	if r == nil || step == nil || len(step.Rows) > mostRows || none(step) && slices.ContainsFunc(r, none) {
		return nil
	}
	out := []int{}
	for k, x := range r {
		if len(x.Rows) == len(step.Rows) && rows.Spider(x, step, false).Equal {
			out = append(out, k)
		}
	}
	return out
}

// Found is whether a step has the result of a step of the reference.
type Found string

// The findings.
const (
	Untold Found = "" // see Reference.Like
	Yes    Found = "yes"
	No     Found = "no"
)

// Match is the finding of a step.
type Match struct {
	Found Found
	Step  int // of the reference, from 1; 0 unless Found is Yes
}

// Matches returns the finding of each step of one answer, given what Reference.Like lists for it. Where results are equal by chance
// or steps repeat, as many steps as can be have a step of the reference of their own.
func Matches(like [][]int) []Match {
	out := make([]Match, len(like))
	for i, ks := range like {
		switch {
		case ks == nil:
		case len(ks) == 0:
			out[i].Found = No
		default:
			out[i] = Match{Yes, ks[0] + 1}
		}
	}
	for k, i := range assigned(like) {
		out[i].Step = k + 1
	}
	return out
}

// assigned gives as many as possible one of those that they are like, by augmenting paths (Kuhn 1955), and returns whose each is.
func assigned(like [][]int) map[int]int {
	owner := map[int]int{}
	var place func(i int, seen map[int]bool) bool
	place = func(i int, seen map[int]bool) bool {
		for _, k := range like[i] { // what is free first, so that earlier steps keep what they have
			if _, taken := owner[k]; !taken {
				owner[k] = i
				return true
			}
		}
		for _, k := range like[i] {
			if seen[k] {
				continue
			}
			seen[k] = true
			if place(owner[k], seen) {
				owner[k] = i
				return true
			}
		}
		return false
	}
	for i := range like {
		place(i, map[int]bool{})
	}
	return owner
}
