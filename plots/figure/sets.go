package figure

import (
	"fmt"
	"math/bits"
	"strings"

	"gonum.org/v1/plot/vg/draw"
)

// Sets shows how sets overlap, such as the items that each arm answers right: two or three sets as circles whose areas
// are true to the counts, one set or more than three as bars over a matrix of their combinations.
type Sets struct {
	ID      string // its name in errors
	Title   string
	Noun    string // plural of what is counted; empty: "items"
	Names   []string
	Counts  []int    // Counts[m]: how many are in exactly the sets whose bits m has (bit 0 is Names[0]); 1<<len(Names) values
	Bars    bool     // draw bars for two or three sets too
	Most    int      // number of combinations drawn as bars, the largest first; 0: up to 24, as fit
	Caption []string // paragraphs under the plot
}

// mostSets bounds the number of sets, because all their combinations are examined.
const mostSets = 16

func (s *Sets) check() error {
	if n := len(s.Names); n < 1 || n > mostSets {
		return fmt.Errorf("%d sets; 1 to %d can be drawn", n, mostSets)
	}
	if len(s.Counts) != 1<<len(s.Names) {
		return fmt.Errorf("%d counts for the %d combinations of %d sets", len(s.Counts), 1<<len(s.Names), len(s.Names))
	}
	for m, n := range s.Counts {
		if n < 0 || n > 1e9 {
			return fmt.Errorf("combination %d has the count %d", m, n)
		}
	}
	if s.all()-s.Counts[0] == 0 {
		return errEmpty
	}
	if s.Most < 0 || s.Most > 60 {
		return fmt.Errorf("%d combinations; 1 to 60 can be drawn", s.Most)
	}
	return nil
}

// arrange implements Drawing.
func (s *Sets) arrange(l Look) page {
	if n := len(s.Names); s.Bars || n < 2 || n > 3 {
		return s.arrangeBars(l)
	}
	return s.arrangeCircles(l)
}

// all returns the number of things counted, in a set or not.
func (s *Sets) all() (n int) {
	for _, c := range s.Counts {
		n += c
	}
	return n
}

// within returns the number of things in all sets of mask, whether they are in others or not.
func (s *Sets) within(mask int) (n int) {
	for m, c := range s.Counts {
		if m&mask == mask {
			n += c
		}
	}
	return n
}

// noun returns the noun for what is counted.
func (s *Sets) noun() string {
	if s.Noun == "" {
		return "items"
	}
	return s.Noun
}

// letter returns the short name of set i.
func letter(i int) string { return string(rune('A' + i)) }

// combination names the sets of a mask: "A and C", or "A only".
func combination(mask int) string {
	var in []string
	for i := range mostSets {
		if mask>>i&1 == 1 {
			in = append(in, letter(i))
		}
	}
	switch len(in) {
	case 0:
		return "none"
	case 1:
		return in[0] + " only"
	}
	return strings.Join(in[:len(in)-1], ", ") + " and " + in[len(in)-1]
}

// setEntries returns the legend of the circles.
func (s *Sets) setEntries() (out []entry) {
	for i, name := range s.Names {
		out = append(out, entry{fmt.Sprintf("%s: %s, %d %s", letter(i), name, s.within(1<<i), s.noun()), func(c draw.Canvas) {
			c.FillPolygon(thin(i), corners(c.Rectangle))
			c.StrokeLines(outline(i), corners(c.Rectangle))
		}})
	}
	return out
}

// outline returns the line style of circle i.
func outline(i int) draw.LineStyle {
	l := line(i)
	l.Width = 1.6
	return l
}

// regions returns the combinations of two or three sets, in the order of the list next to the circles: one set, two,
// three.
func regions(n int) (out []int) {
	for size := 1; size <= n; size++ {
		for m := 1; m < 1<<n; m++ {
			if bits.OnesCount(uint(m)) == size {
				out = append(out, m)
			}
		}
	}
	return out
}
