package baseline

import (
	"math"
	"strconv"
	"strings"
)

// judged is the number of parses of the question with which a shown query is compared.
const judged = 12

// compare answers which of two queries is better.
func (s *session) compare() (string, bool) {
	if len(s.shown) < 2 {
		return "", false
	}
	best := s.draw(s.judge())
	if best > 1 {
		best = 0
	}
	return [2]string{"A", "B"}[best], true
}

// order ranks the shown queries: by score, or by one draw after the other.
func (s *session) order() (string, bool) {
	scores := s.judge()
	left := make([]int, len(scores))
	for i := range left {
		left[i] = i
	}
	var out []string
	for len(left) > 0 {
		var logits []float64
		for _, i := range left {
			logits = append(logits, scores[i])
		}
		k := s.draw(logits)
		out = append(out, strconv.Itoa(left[k]+1))
		left = append(left[:k:k], left[k+1:]...)
	}
	return strings.Join(out, ", "), true
}

// judge returns log odds for each shown query: its similarity to the parses of the question, weighted by their scores,
// less what its result says against it.
func (s *session) judge() []float64 {
	cs := s.candidates()
	cs = cs[:min(len(cs), judged)]
	out := make([]float64, len(s.shown))
	for i, x := range s.shown {
		mine, total := profile(x.sql), 0.0
		for _, c := range cs {
			w := math.Exp((c.score - cs[0].score) * sharpness)
			total += w
			out[i] += w * similarity(mine, profile(c.sql))
		}
		if total > 0 {
			out[i] *= 4 * sharpness / total
		}
		switch low := strings.ToLower(x.result); {
		case strings.HasPrefix(low, "error"):
			out[i] -= 20
		case strings.HasSuffix(low, "(no rows)"):
			out[i] -= 6
		}
	}
	return out
}

// profile returns the features of a query: its words without aliases, and the parts that [skeletonOf] finds.
func profile(sql string) map[string]float64 {
	out := map[string]float64{}
	words := strings.FieldsFunc(strings.ToLower(sql), func(r rune) bool { return strings.ContainsRune(" \t\r\n.,()=<>!'\"`;[]", r) })
	for _, w := range words {
		if alias := len(w) > 1 && w[0] == 't' && strings.Trim(w[1:], "0123456789") == ""; !alias && w != "as" && w != "on" {
			out[w] = 1
		}
	}
	s := skeletonOf(sql)
	for p := part(0); p < parts; p++ {
		if s.has(p) {
			out["part "+strconv.Itoa(int(p))] = 1
		}
	}
	return out
}
