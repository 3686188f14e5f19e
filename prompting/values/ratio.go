package values

// Ratio returns how alike two texts are, 0 to 1: twice the number of characters in matching blocks over the number of
// characters in both. Blocks are found as Ratcliff and Obershelp do and as Python's difflib.SequenceMatcher.ratio,
// which CHESS uses: the longest common run, the earliest in a and then in b, and the same again on either side of it.
// Unlike difflib with its default, it never takes frequent characters of long texts for junk. Two empty texts are
// alike.
func Ratio(a, b string) float64 {
	if a == b {
		return 1
	}
	var m matcher
	return m.ratio([]rune(a), []rune(b))
}

// matcher holds the rows of the search for a common run, to be used again.
type matcher struct{ above, row []int }

func (m *matcher) ratio(a, b []rune) float64 {
	if len(a)+len(b) == 0 {
		return 1
	}
	if len(m.row) <= len(b) {
		m.above, m.row = make([]int, 2*len(b)+1), make([]int, 2*len(b)+1)
	}
	return 2 * float64(m.matches(a, b)) / float64(len(a)+len(b))
}

// matches counts the characters in matching blocks.
func (m *matcher) matches(a, b []rune) int {
	total := 0
	for len(a) > 0 && len(b) > 0 {
		i, j, n := m.longest(a, b)
		if n == 0 {
			break
		}
		total += n + m.matches(a[:i], b[:j])
		a, b = a[i+n:], b[j+n:]
	}
	return total
}

// longest finds the longest common run, the first in a among equals, then the first in b.
func (m *matcher) longest(a, b []rune) (ai, bi, n int) {
	above, row := m.above[:len(b)+1], m.row[:len(b)+1]
	clear(above)
	row[0] = 0
	for i, r := range a {
		for j, s := range b {
			if r != s {
				row[j+1] = 0
				continue
			}
			k := above[j] + 1
			row[j+1] = k
			if k > n {
				ai, bi, n = i-k+1, j-k+1, k
			}
		}
		above, row = row, above
	}
	return ai, bi, n
}
