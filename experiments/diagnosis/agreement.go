package diagnosis

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Agreement compares suggestions with a person's judgements under one taxonomy.
type Agreement struct {
	N         int     // judged answers for which a rule suggested a category
	Same      int     // of them with the same category
	Undecided int     // judged answers without a suggestion; in no other number
	Kappa     float64 // Cohen's kappa over N; NaN where chance alone would always agree, or N is 0
}

// Agree compares the suggestions with the judgements under a taxonomy (Cohen 1960: agreement beyond that of two judges
// with the same shares who know nothing of the answer).
func Agree(t Taxonomy, all []Diagnosis, judged Judged) Agreement {
	var a Agreement
	mine, theirs := map[string]int{}, map[string]int{}
	for _, d := range all {
		j, ok := judged.Of(d)
		person := j.Under(t)
		if !ok || person == "" {
			continue
		}
		rule := d.Of(t).Category
		if rule == toBeJudged {
			a.Undecided++
			continue
		}
		a.N++
		mine[rule]++
		theirs[person]++
		if rule == person {
			a.Same++
		}
	}
	a.Kappa = kappa(t, a, mine, theirs)
	return a
}

func kappa(t Taxonomy, a Agreement, mine, theirs map[string]int) float64 {
	n := float64(a.N)
	chance := 0.0
	for _, c := range t.Categories {
		chance += float64(mine[c.ID]) / n * float64(theirs[c.ID]) / n
	}
	if a.N == 0 || chance >= 1 {
		return math.NaN()
	}
	return (float64(a.Same)/n - chance) / (1 - chance)
}

// Sample draws n of the diagnoses without repeating one, all where there are no more, in their order. The same seed
// draws the same answers.
func Sample(all []Diagnosis, n int, seed uint64) []Diagnosis {
	if n <= 0 || n >= len(all) {
		return all
	}
	rng := rand.New(rand.NewPCG(seed, 0x6d697374616b6573))
	at := rng.Perm(len(all))[:n]
	slices.Sort(at)
	out := make([]Diagnosis, n)
	for i, k := range at {
		out[i] = all[k]
	}
	return out
}
