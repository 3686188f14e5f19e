package exact

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"assay/prompting/sql/tree"
)

// The official evaluator cuts a query with an English word tokenizer (NLTK's Treebank rules), after masking the
// quoted strings. What that does to SQL decides which queries it can read: "a=1" stays one word, "(1,2)" becomes
// "(", "1,2", ")", and "<>" two words. splits are those rules that can meet SQL without quotes, in their order.
// The tokenizer's division into sentences is left out: it could only part a full stop from the word before it.
var splits = []func(string) string{
	where(func(s string) bool { return strings.IndexByte(s, '`') >= 0 || !ascii(s) }, regexp.MustCompile("([«“‘„]|`+)"), " $1 "),
	where(endsInStop, regexp.MustCompile(`([^.])(\.)([\])}>»”’ ]*)\s*$`), "$1 $2 $3 "),
	padSeparators, // ([:,])([^\d])
	where(func(s string) bool { return strings.HasSuffix(s, ":") || strings.HasSuffix(s, ",") }, regexp.MustCompile(`([:,])$`), " $1 "),
	where(func(s string) bool { return strings.Contains(s, "..") }, regexp.MustCompile(`\.{2,}`), " $0 "),
	pad(";@#$%&?!*[](){}<>"), // four rules, which do not meet
	func(s string) string { return strings.ReplaceAll(s, "--", " -- ") },
	where(func(s string) bool { return !ascii(s) }, regexp.MustCompile(`([»”’])`), " $1 "),
}

// where returns a rule that cannot apply but where may says so.
func where(may func(string) bool, find *regexp.Regexp, with string) func(string) string {
	return func(s string) string {
		if !may(s) {
			return s
		}
		return find.ReplaceAllString(s, with)
	}
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func endsInStop(s string) bool {
	return strings.HasSuffix(strings.TrimRight(s, "])}>»”’ \t\n\v\f\r"), ".")
}

// pad puts a blank on either side of each of the ASCII marks.
func pad(marks string) func(string) string {
	var is [256]bool
	for i := range len(marks) {
		is[marks[i]] = true
	}
	return func(s string) string {
		n := 0
		for i := range len(s) {
			if is[s[i]] {
				n++
			}
		}
		if n == 0 {
			return s
		}
		out := make([]byte, 0, len(s)+2*n)
		for i := range len(s) {
			if is[s[i]] {
				out = append(out, ' ', s[i], ' ')
			} else {
				out = append(out, s[i])
			}
		}
		return string(out)
	}
}

// padSeparators puts a blank on either side of a colon or comma that something other than a digit follows. That
// something is used up: of two commas in a row only the first is padded.
func padSeparators(s string) string {
	if !strings.ContainsAny(s, ":,") {
		return s
	}
	out := make([]byte, 0, len(s)+16)
	for i := 0; i < len(s); i++ {
		if c := s[i]; (c != ':' && c != ',') || i+1 == len(s) || (s[i+1] >= '0' && s[i+1] <= '9') {
			out = append(out, c)
			continue
		}
		out = append(out, ' ', s[i], ' ', s[i+1])
		i++
	}
	return string(out)
}

// contractions are the English words that the tokenizer parts in two.
var contractions = map[string]int{"cannot": 3, "gimme": 3, "gonna": 3, "gotta": 3, "lemme": 3}

// cut returns the lower-case words of a query as the official evaluator sees them. Strings keep their case and stand in
// double quotes. An "=" is parted from a string right behind it, as the test-suite evaluator does, but not from a
// number or from what precedes it.
func cut(sql string) ([]string, error) {
	masked, values, err := mask(strings.ReplaceAll(sql, "'", `"`))
	if err != nil {
		return nil, err
	}
	for _, split := range splits {
		masked = split(masked)
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
	if strings.Count(sql, `"`) > 2*tree.MaxTokens { // to SQLite, doubled quotes are within one token
		return "", nil, fmt.Errorf("more than %d quoted strings", tree.MaxTokens)
	}
	parts := strings.Split(sql, `"`)
	if len(parts)%2 == 0 {
		return "", nil, fmt.Errorf("unexpected quote")
	}
	if len(parts) == 1 {
		return sql, nil, nil
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
