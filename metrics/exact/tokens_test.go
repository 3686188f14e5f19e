package exact

import (
	"regexp"
	"testing"
)

// rules are the tokenizer's rules as regular expressions, in the order of splits, and which of those has them.
var rules = []struct {
	split int
	find  *regexp.Regexp
	with  string
}{
	{0, regexp.MustCompile("([«“‘„]|`+)"), " $1 "},
	{1, regexp.MustCompile(`([^.])(\.)([\])}>»”’ ]*)\s*$`), "$1 $2 $3 "},
	{2, regexp.MustCompile(`([:,])([^\d])`), " $1 $2"},
	{3, regexp.MustCompile(`([:,])$`), " $1 "},
	{4, regexp.MustCompile(`\.{2,}`), " $0 "},
	{5, regexp.MustCompile(`[;@#$%&]`), " $0 "},
	{5, regexp.MustCompile(`[?!]`), " $0 "},
	{5, regexp.MustCompile(`[*]`), " $0 "},
	{5, regexp.MustCompile(`[\]\[(){}<>]`), " $0 "},
	{6, regexp.MustCompile(`--`), " -- "},
	{7, regexp.MustCompile(`([»”’])`), " $1 "},
}

// FuzzSplits holds that each rule does what its regular expression says.
func FuzzSplits(f *testing.F) {
	for _, s := range []string{"select a,,b from t where x<>1 .", "count(*),1:2::3,", "a..b...c. ) ", "x`y``z„“”’»", "a;b--c---d,", "é,é:\xff,\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for i, split := range splits {
			want := s
			for _, rule := range rules {
				if rule.split == i {
					want = rule.find.ReplaceAllString(want, rule.with)
				}
			}
			if got := split(s); got != want {
				t.Fatalf("rule %d on %q: %q, want %q", i, s, got, want)
			}
		}
	})
}
