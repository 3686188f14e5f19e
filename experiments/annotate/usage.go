package annotate

import (
	"fmt"
	"regexp"
	"strings"
)

// Usage has the words, and the pairs of words next to each other, of questions that people wrote. Without any, which the
// names of a schema give, a wording is one that nobody used.
type Usage struct {
	words map[string]bool
	pairs map[[2]string]bool
	asked map[string]bool // the words of the question whose steps are rated
}

// fewest is how many questions say what is usual: below, most words are missing by chance.
const fewest = 200

// NewUsage returns the usage of questions; nil where they are too few to tell.
func NewUsage(questions []string) *Usage {
	if len(questions) < fewest {
		return nil
	}
	u := &Usage{words: map[string]bool{}, pairs: map[[2]string]bool{}}
	for _, q := range questions {
		list := spoken.FindAllString(strings.ToLower(begin(q)), -1)
		for i, w := range list {
			u.words[w] = true
			if i > 0 {
				u.pairs[[2]string{list[i-1], w}] = true
			}
		}
	}
	return u
}

// spoken matches a word of small letters, and token what a step is made of: values stand in quotes, or have a capital or
// a digit.
var (
	spoken = regexp.MustCompile(`[a-z]+`)
	token  = regexp.MustCompile(`"[^"]*"|[\pL\d][\pL\d_.&/'-]*|[?,]`)
)

// with returns the usage for the steps of a question.
func (u *Usage) with(question string) *Usage {
	if u == nil {
		return nil
	}
	asked := map[string]bool{}
	for _, w := range spoken.FindAllString(strings.ToLower(question), -1) {
		asked[w] = true
	}
	return &Usage{words: u.words, pairs: u.pairs, asked: asked}
}

// faults returns the words and pairs of a step that nobody used.
func (u *Usage) faults(text string) []fault {
	if u == nil {
		return nil
	}
	var out []fault
	before := ""
	for i, w := range token.FindAllString(text, -1) {
		if w = strings.TrimSuffix(w, "'s"); i == 0 {
			w = strings.ToLower(w)
		}
		if spoken.FindString(w) != w { // a value, or a comma
			before = ""
			continue
		}
		if !function[w] && !u.asked[w] && !u.words[w] {
			out = append(out, fault{0.15, fmt.Sprintf("no question has %q", w)})
		}
		if before != "" && !function[w] && !function[before] && !u.pairs[[2]string{before, w}] && !(u.asked[before] && u.asked[w]) {
			out = append(out, fault{0.1, fmt.Sprintf("no question has %q", before+" "+w)})
		}
		before = w
	}
	return out
}
