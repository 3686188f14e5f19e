package choose

import (
	"slices"
	"strings"
	"testing"
)

func TestLetter(t *testing.T) {
	check := func(want byte, completions ...string) {
		t.Helper()
		for _, c := range completions {
			if got := Letter(c); got != want {
				t.Errorf("%q: got %q, want %q", c, got, want)
			}
		}
	}
	check('A', "A", "a", " A\n", "A.", "**A**", `"A"`, "“A”", "(A)", "[A]", "`A`", "```\nA\n```", "Answer: A", "**Answer:** A",
		"The correct answer is A.", "Candidate A", "The answer is: \"A\"", "<think>B is no good. B?</think>\n\nA", "Final answer: A", "answer A")
	check('B', "B", "b", "B!", "Answer: **B**", "The better query is B", "choice: b")
	check(0, "", "C", "AB", "A B", "A or B", "A, because B joins the wrong table", "Candidate A is right", "Neither", "A\nB", "not A",
		"The query", "answer", "answers A", "1", "<think>A", "À", "A=B", "Both A and B", "\x00A", "\xff", "A\n\nThe first query counts.")
}

func TestRanking(t *testing.T) {
	check := func(n int, completion string, want ...int) {
		t.Helper()
		if got := Ranking(completion, n); !slices.Equal(got, want) {
			t.Errorf("%q of %d: got %v, want %v", completion, n, got, want)
		}
	}
	check(3, "2, 1, 3", 1, 0, 2)
	check(3, "2,1,3\n", 1, 0, 2)
	check(3, "[3 > 1 > 2]", 2, 0, 1)
	check(3, "Ranking: 3; 2; 1.", 2, 1, 0)
	check(3, "3\n1\n2", 2, 0, 1)
	check(3, "**2**", 1)
	check(12, "The best candidate is 12", 11)
	check(3, "<think>1, 2, 3</think>3, 1", 2, 0)
	check(3, "4, 1, 2")
	check(3, "0, 1")
	check(3, "1, 1, 2")
	check(3, "-1")
	check(3, "+1")
	check(3, "1.5")
	check(3, "")
	check(3, "Candidate 2 is best, then 1")
	check(3, "2, 1 and 3")
	check(3, "99999999999999999999")
	check(3, "A")
	check(0, "1")
}

func FuzzLetter(f *testing.F) {
	for _, s := range []string{"A", "**Answer:** B.", "<think>A</think>b", "A or B", "\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		switch l := Letter(s); l {
		case 0:
		case 'A', 'B':
			if !strings.Contains(strings.ToUpper(s), string(l)) || Letter(" \""+s+"\".") != l {
				t.Errorf("%q is read as %c", s, l)
			}
		default:
			t.Errorf("%q is read as %q", s, l)
		}
	})
}

func FuzzRanking(f *testing.F) {
	f.Add("2, 1, 3", 3)
	f.Add("Ranking: 3 > 1", 4)
	f.Add("<think>1</think>\xff", 0)
	f.Fuzz(func(t *testing.T, s string, n int) {
		seen := map[int]bool{}
		for _, i := range Ranking(s, n) {
			if i < 0 || i >= n || seen[i] {
				t.Errorf("%q of %d: %v", s, n, Ranking(s, n))
			}
			seen[i] = true
		}
	})
}
