package relevance

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"
)

// learnedText has what was counted in Spider's training questions; see README.md. Lines are "= STEM PERCENT", how often a gold
// query uses a column with that word in its name where its database has one, and "STEM STEM PERCENT", how strongly a word of a
// question stands for a word of a column's name.
//
//go:embed learned.txt
var learnedText string

// counted is what was counted, by stem.
type counted struct {
	prior     map[string]float64       // 0 to 1
	standsFor map[string][]association // the words of columns that a word of a question stands for
}

// association is a word of columns' names, with how surely another word stands for it, 0 to 1.
type association struct {
	stem     string
	strength float64
}

// learned reads the counts once.
var learned = sync.OnceValue(func() counted { return readCounted(learnedText) })

// readCounted passes over lines that are not of one of the two forms.
func readCounted(text string) counted {
	c := counted{map[string]float64{}, map[string][]association{}}
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if len(f) != 3 {
			continue
		}
		n, err := strconv.Atoi(f[2])
		switch {
		case err != nil:
		case f[0] == "=":
			c.prior[f[1]] = float64(n) / 100
		default:
			c.standsFor[f[0]] = append(c.standsFor[f[0]], association{f[1], float64(n) / 100})
		}
	}
	return c
}

// prior returns how often columns with such a name are used: the mean of those of its words that are known, 0 of none.
func prior(name string) float64 {
	sum, n := 0.0, 0
	for _, w := range wordsOf(name) {
		if p, known := learned().prior[w.stem]; known {
			sum, n = sum+p, n+1
		}
	}
	return sum / float64(max(n, 1))
}
