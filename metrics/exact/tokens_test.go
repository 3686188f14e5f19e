package exact

import (
	"regexp"
	"testing"
)

// rules are the tokenizer's rules as regular expressions, in the order of splits.
var rules = []struct {
	find *regexp.Regexp
	with string
}{
	{regexp.MustCompile("([«“‘„]|`+)"), " $1 "},
	{regexp.MustCompile(`([^.])(\.)([\])}>»”’ ]*)\s*$`), "$1 $2 $3 "},
	{regexp.MustCompile(`([:,])([^\d])`), " $1 $2"},
	{regexp.MustCompile(`([:,])$`), " $1 "},
	{regexp.MustCompile(`\.{2,}`), " $0 "},
	{regexp.MustCompile(`[;@#$%&]`), " $0 "},
	{regexp.MustCompile(`[?!]`), " $0 "},
	{regexp.MustCompile(`[*]`), " $0 "},
	{regexp.MustCompile(`[\]\[(){}<>]`), " $0 "},
	{regexp.MustCompile(`--`), " -- "},
	{regexp.MustCompile(`([»”’])`), " $1 "},
}

// FuzzSplits holds that each rule does what its regular expression says.
func FuzzSplits(f *testing.F) {
	for _, s := range []string{"select a,,b from t where x<>1 .", "count(*),1:2::3,", "a..b...c. ) ", "x`y``z„“”’»", "a;b--c---d,", "é,é:\xff,\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for i, rule := range rules {
			want := rule.find.ReplaceAllString(s, rule.with)
			if got := splits[i](s); got != want {
				t.Fatalf("rule %d on %q: %q, want %q", i, s, got, want)
			}
		}
	})
}
