package exact

import (
	"fmt"
	"regexp"
	"strings"
)

// The official evaluator cuts a query with an English word tokenizer (NLTK's Treebank rules), after masking the
// quoted strings. What that does to SQL decides which queries it can read: "a=1" stays one word, "(1,2)" becomes
// "(", "1,2", ")", and "<>" two words. splits are those rules that can meet SQL without quotes, in their order.
// The tokenizer's division into sentences is left out: it could only part a full stop from the word before it.
// near holds bytes without one of which a rule cannot apply.
var splits = []struct {
	near string
	find *regexp.Regexp
	with string
}{
	{"«“‘„`", regexp.MustCompile("([«“‘„]|`+)"), " $1 "},
	{".", regexp.MustCompile(`([^.])(\.)([\])}>»”’ ]*)\s*$`), "$1 $2 $3 "},
	{":,", regexp.MustCompile(`([:,])([^\d])`), " $1 $2"},
	{":,", regexp.MustCompile(`([:,])$`), " $1 "},
	{".", regexp.MustCompile(`\.{2,}`), " $0 "},
	{";@#$%&", regexp.MustCompile(`[;@#$%&]`), " $0 "},
	{"?!", regexp.MustCompile(`[?!]`), " $0 "},
	{"*", regexp.MustCompile(`[*]`), " $0 "},
	{"[](){}<>", regexp.MustCompile(`[\]\[(){}<>]`), " $0 "},
	{"-", regexp.MustCompile(`--`), " -- "},
	{"»”’", regexp.MustCompile(`([»”’])`), " $1 "},
}

// contractions are the English words that the tokenizer parts in two.
var contractions = map[string]int{"cannot": 3, "gimme": 3, "gonna": 3, "gotta": 3, "lemme": 3}

// cut gives the lower-case words of a query as the official evaluator sees them. Strings keep their case and stand in
// double quotes. An "=" is parted from a string right behind it, as the test-suite evaluator does, but not from a number
// or from what stands before it.
func cut(sql string) ([]string, error) {
	masked, values, err := mask(strings.ReplaceAll(sql, "'", `"`))
	if err != nil {
		return nil, err
	}
	for _, s := range splits {
		if !strings.ContainsAny(masked, s.near) {
			continue
		}
		masked = s.find.ReplaceAllString(masked, s.with)
	}
	var words []string
	for _, w := range strings.Fields(masked) {
		w = strings.ToLower(w)
		if strings.HasPrefix(w, "=__val_") {
			words = append(words, "=")
			w = w[1:]
		}
		if v, ok := values[w]; ok {
			w = v
		}
		if at := contractions[w]; at > 0 {
			words = append(words, w[:at])
			w = w[at:]
		}
		words = append(words, w)
	}
	return joinComparisons(words), nil
}

// mask replaces each quoted string by a word of its own.
func mask(sql string) (masked string, values map[string]string, err error) {
	parts := strings.Split(sql, `"`)
	if len(parts)%2 == 0 {
		return "", nil, fmt.Errorf("unexpected quote")
	}
	values = make(map[string]string, len(parts)/2)
	var b strings.Builder
	for i, part := range parts {
		if i%2 == 0 {
			b.WriteString(part)
			continue
		}
		key := fmt.Sprintf("__val_%d__", i)
		values[key] = `"` + part + `"`
		b.WriteString(key)
	}
	return b.String(), values, nil
}

// joinComparisons puts "!", ">" and "<" together with an "=" that follows.
func joinComparisons(words []string) []string {
	out := words[:0]
	for _, w := range words {
		if n := len(out); w == "=" && n > 0 && (out[n-1] == "!" || out[n-1] == ">" || out[n-1] == "<") {
			out[n-1] += "="
			continue
		}
		out = append(out, w)
	}
	return out
}
