package versus

import (
	"fmt"
	"strings"

	"assay/plots/terminal"
)

// Prompt is one example prompt under both arms.
type Prompt struct {
	Title string // the arms and the item
	Note  string // why there is no diff, or that there is no difference
	Lines []Line // the diff; empty where there is none
}

// Line is one line of a diff: Op is ' ' for both sides, '-' for A alone, '+' for B alone, and '@' for a heading.
type Line struct {
	Op   rune
	Text string
}

// String returns the line as a diff prints it.
func (l Line) String() string {
	if l.Op == '@' {
		return l.Text
	}
	return string(l.Op) + " " + l.Text
}

// Class returns the class of CSS by which a page colours the line; see package style.
func (l Line) Class() string { return map[rune]string{'+': "add", '-': "drop", '@': "at"}[l.Op] }

// context is how many lines are shown around each change.
const context = 3

// maxCells bounds the table of the longest common subsequence: 16 MB of int32.
const maxCells = 4_000_000

// DiffLines returns the unified diff of two texts, line by line, with three lines around each change; nil where they are equal.
// Texts of thousands of lines that differ throughout give all lines of A and then all of B, to bound memory.
func DiffLines(a, b string) []Line {
	if a == b {
		return nil
	}
	x, y := strings.Split(strings.TrimRight(a, "\n"), "\n"), strings.Split(strings.TrimRight(b, "\n"), "\n")
	return hunks(script(x, y))
}

// script returns the shortest way from a to b by dropping and adding words, or lines.
func script(a, b []string) (out []Line) {
	out = make([]Line, 0, max(len(a), len(b)))
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	add := func(op rune, words []string) {
		for _, w := range words {
			out = append(out, Line{op, w})
		}
	}
	add(' ', a[:head])
	x, y := a[head:len(a)-tail], b[head:len(b)-tail]
	if len(x)*len(y) > maxCells {
		add('-', x)
		add('+', y)
	} else {
		out = append(out, middle(x, y)...)
	}
	add(' ', a[len(a)-tail:])
	return out
}

// middle walks the table of the longest common subsequences of all ends of x and y.
func middle(x, y []string) (out []Line) {
	length := make([][]int32, len(x)+1)
	for i := range length {
		length[i] = make([]int32, len(y)+1)
	}
	for i := len(x) - 1; i >= 0; i-- {
		for j := len(y) - 1; j >= 0; j-- {
			if length[i][j] = max(length[i+1][j], length[i][j+1]); x[i] == y[j] {
				length[i][j] = length[i+1][j+1] + 1
			}
		}
	}
	i, j := 0, 0
	for i < len(x) || j < len(y) {
		switch {
		case i < len(x) && j < len(y) && x[i] == y[j]:
			out = append(out, Line{' ', x[i]})
			i, j = i+1, j+1
		case j == len(y) || i < len(x) && length[i+1][j] >= length[i][j+1]:
			out = append(out, Line{'-', x[i]})
			i++
		default:
			out = append(out, Line{'+', y[j]})
			j++
		}
	}
	return out
}

// hunks keeps the changes and the lines around them, with a heading before each stretch: "@@ -3,7 +3,8 @@".
func hunks(all []Line) (out []Line) {
	keep := make([]bool, len(all))
	for i, l := range all {
		if l.Op != ' ' {
			for k := max(0, i-context); k <= min(len(all)-1, i+context); k++ {
				keep[k] = true
			}
		}
	}
	a, b := 1, 1
	for i := 0; i < len(all); {
		if !keep[i] {
			a, b, i = a+1, b+1, i+1
			continue
		}
		end, na, nb := i, 0, 0
		for ; end < len(all) && keep[end]; end++ {
			if all[end].Op != '+' {
				na++
			}
			if all[end].Op != '-' {
				nb++
			}
		}
		out = append(out, Line{'@', fmt.Sprintf("@@ -%d,%d +%d,%d @@", a, na, b, nb)})
		out = append(out, all[i:end]...)
		a, b, i = a+na, b+nb, end
	}
	return out
}

// unified prints the lines as a patch does.
func (x Prompt) unified() string {
	var b strings.Builder
	for _, l := range x.Lines {
		if l.Op == '@' {
			b.WriteString(l.Text + "\n")
			continue
		}
		b.WriteString(string(l.Op) + terminal.Line(l.Text) + "\n")
	}
	return b.String()
}

// fence is a Markdown fence that the lines do not end.
func (x Prompt) fence() string {
	longest := 2
	for _, l := range x.Lines {
		run := 0
		for i := range len(l.Text) {
			if run++; l.Text[i] != '`' {
				run = 0
			}
			longest = max(longest, run)
		}
	}
	return strings.Repeat("`", longest+1)
}
