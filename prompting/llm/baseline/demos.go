package baseline

import (
	"math"
	"strings"
)

// part is a component of a query for which demonstrations are evidence.
type part int

const (
	partWhere part = iota
	partGroup
	partHaving
	partOrder
	partLimit
	partJoin
	partDistinct
	partCount
	partExtreme
	partMean
	partNotIn
	partSub
	partSet
	partOr
	partLike
	partMany // several columns selected
	parts
)

// prior is how often a query has each part. The shares are rough estimates by hand.
var prior = [parts]float64{0.45, 0.28, 0.1, 0.25, 0.18, 0.4, 0.12, 0.35, 0.08, 0.08, 0.06, 0.14, 0.07, 0.04, 0.03, 0.35}

// skeleton is the set of parts of a query, one bit per part.
type skeleton uint32

func (s skeleton) has(p part) bool { return s>>p&1 == 1 }

// skeletonOf finds the parts of a query in its text.
func skeletonOf(sql string) skeleton {
	up := " " + strings.Join(strings.Fields(strings.NewReplacer("(", " ( ", ")", " ) ", ",", " , ").Replace(strings.ToUpper(sql))), " ") + " "
	var s skeleton
	for p, marks := range [parts][]string{
		partWhere: {" WHERE "}, partGroup: {" GROUP BY "}, partHaving: {" HAVING "}, partOrder: {" ORDER BY "}, partLimit: {" LIMIT "},
		partJoin: {" JOIN "}, partDistinct: {" DISTINCT "}, partCount: {" COUNT ("}, partExtreme: {" MAX (", " MIN ("},
		partMean: {" AVG (", " SUM ("}, partNotIn: {" NOT IN ", " EXCEPT "}, partSub: {"( SELECT "},
		partSet: {" INTERSECT ", " UNION "}, partOr: {" OR "}, partLike: {" LIKE "},
	} {
		for _, m := range marks {
			if strings.Contains(up, m) {
				s |= 1 << p
			}
		}
	}
	if head, _, ok := strings.Cut(up, " FROM "); ok && strings.Contains(head, " , ") {
		s |= 1 << partMany
	}
	return s
}

// pattern returns a question without its subject matter: only words of general English remain, alone and in pairs.
func pattern(question string) map[string]float64 {
	out := map[string]float64{}
	prev := "^"
	for _, t := range tokenize(question) {
		w := "_"
		switch {
		case t.quoted || t.number:
			w = "#"
		case stop[t.low] || superlatives[t.low] != "" || comparatives[t.low] != "" || t.punct:
			w = t.low
		}
		if w == "_" && prev == "_" {
			continue
		}
		if w != "_" && w != "the" && w != "of" && !t.punct {
			out[w]++
		}
		out[prev+" "+w]++
		prev = w
	}
	return out
}

// similarity returns the weighted Jaccard overlap of two patterns, 0 to 1.
func similarity(a, b map[string]float64) float64 {
	both, all := 0.0, 0.0
	for k, x := range a {
		y := b[k]
		both += math.Min(x, y)
		all += math.Max(x, y)
	}
	for k, y := range b {
		if _, ok := a[k]; !ok {
			all += y
		}
	}
	if all == 0 {
		return 0
	}
	return both / all
}

// advice is what the demonstrations say about the parts of a question's query.
type advice struct {
	gain [parts][2]float64    // score for lacking and for having each part
	like map[skeleton]float64 // score for having all parts of a demonstration
}

// advise weights each demonstration by the similarity of its question.
func advise(question string, demos []demo) *advice {
	const memory, strength, whole = 0.6, 0.35, 0.6
	a := &advice{like: map[skeleton]float64{}}
	mine := pattern(question)
	var have [parts]float64
	total := 0.0
	for _, d := range demos {
		if d.sql == "" {
			continue
		}
		sim := similarity(mine, pattern(d.question))
		w := sim * sim * 4
		s := skeletonOf(d.sql)
		total += w
		for p := part(0); p < parts; p++ {
			if s.has(p) {
				have[p] += w
			}
		}
		a.like[s] = math.Max(a.like[s], whole*sim)
	}
	for p := part(0); p < parts; p++ {
		q := (have[p] + memory*prior[p]) / (total + memory)
		a.gain[p] = [2]float64{strength * math.Log((1-q)/(1-prior[p])), strength * math.Log(q/prior[p])}
	}
	return a
}

// score returns what the demonstrations add to the score of a query with these parts.
func (a *advice) score(s skeleton) float64 {
	out := a.like[s]
	for p := part(0); p < parts; p++ {
		if s.has(p) {
			out += a.gain[p][1]
		} else {
			out += a.gain[p][0]
		}
	}
	return out
}
