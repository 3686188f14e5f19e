package official

import (
	"fmt"
	"io"
	"strings"

	"assay/metrics/exact"
)

// Etype is which scores of test-suite-sql-eval are asked for, its --etype.
type Etype string

// The values of --etype.
const (
	Exec  Etype = "exec"
	Match Etype = "match"
	All   Etype = "all"
)

// Etypes lists the values of --etype, the default first.
var Etypes = []Etype{Exec, Match, All}

// results and clauses report whether execution accuracy and exact match are printed.
func (e Etype) results() bool { return e != Match }
func (e Etype) clauses() bool { return e != Exec }

// Turn is a gold query with its prediction, judged.
type Turn struct {
	Session   int    // its interaction, from 0
	Place     int    // its place there, from 1
	Hardness  string // of the gold query: easy, medium, hard or extra
	Right     bool   // the result is right
	Match     exact.Match
	Predicted string // as the evaluator prints it
	Gold      string
}

// Spider is what evaluation.py of test-suite-sql-eval prints.
type Spider struct {
	Etype    Etype
	Sessions int    // interactions; with one there are no scores by turn
	Turns    []Turn // in the order of the files
}

// column is a column of the scores.
type column struct {
	head         string
	count        int
	right, exact int
	parts        exact.Tally
	joint        bool // of interactions, which have no partial scores
}

func (c *column) add(t Turn, clauses bool) {
	c.count++
	if t.Right {
		c.right++
	}
	if !clauses {
		return
	}
	if t.Match.Exact {
		c.exact++
	}
	c.parts.Add(t.Match)
}

// line is a row of scores, by column.
type line struct {
	name string
	of   func(*column) float64
}

var (
	execution = line{"execution", func(c *column) float64 { return share(c.right, c.count) }}
	matching  = line{"exact match", func(c *column) float64 { return share(c.exact, c.count) }}
)

// The lines above the scores.
var (
	aboveExecution     = banner(21, "   EXECUTION ACCURACY     ", 21)
	aboveMatching      = banner(22, " EXACT MATCHING ACCURACY ", 21)
	aboveTurnExecution = banner(21, "   TURN EXECUTION ACCURACY     ", 21)
	aboveTurnMatching  = banner(22, " TURN EXACT MATCHING ACCURACY ", 21)
)

func banner(before int, text string, after int) string {
	return strings.Repeat("=", before) + text + strings.Repeat("=", after)
}

// partials are the three tables of partial scores. The evaluator has no partial scores of interactions, and prints its
// starting values.
var partials = []struct {
	above string
	of    func(*exact.Tally, exact.Part) float64
	joint float64
}{
	{strings.Repeat("-", 21) + "PARTIAL MATCHING ACCURACY" + strings.Repeat("-", 22), (*exact.Tally).Accuracy, 0},
	{strings.Repeat("-", 22) + " PARTIAL MATCHING RECALL " + strings.Repeat("-", 22), (*exact.Tally).Recall, 0},
	{strings.Repeat("-", 22) + " PARTIAL MATCHING F1 " + strings.Repeat("-", 26), (*exact.Tally).F1, 1},
}

// Write prints the lines about single predictions, then the tables.
func (s Spider) Write(w io.Writer) error {
	var b strings.Builder
	s.writeFailures(&b)
	levels := s.levels()
	writeHeads(&b, levels)
	if s.Etype.results() {
		writeScores(&b, aboveExecution, levels, execution)
	}
	if s.Etype.clauses() {
		b.WriteString("\n")
		writeScores(&b, aboveMatching, levels, matching)
		b.WriteString("\n")
		for _, p := range partials {
			writeScores(&b, p.above, levels, partLines(p.of, p.joint)...)
		}
	}
	if s.Sessions > 1 {
		s.writeTurns(&b)
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("official: write scores: %w", err)
	}
	return nil
}

// writeFailures writes every tenth interaction's number, and the queries that are no exact match.
func (s Spider) writeFailures(b *strings.Builder) {
	at := 0
	for i := range s.Sessions {
		if (i+1)%10 == 0 {
			fmt.Fprintf(b, "Evaluating %dth prediction\n", i+1)
		}
		for ; at < len(s.Turns) && s.Turns[at].Session == i; at++ {
			if t := s.Turns[at]; s.Etype.clauses() && !t.Match.Exact {
				fmt.Fprintf(b, "%[1]s pred: %[2]s\n%[1]s gold: %[3]s\n\n", t.Hardness, t.Predicted, t.Gold)
			}
		}
	}
}

// levels are the scores by hardness, of all turns, and of interactions where there are several.
func (s Spider) levels() []*column {
	all := &column{head: "all"}
	var out []*column
	for _, level := range []string{"easy", "medium", "hard", "extra"} {
		c := &column{head: level}
		for _, t := range s.Turns {
			if t.Hardness == level {
				c.add(t, s.Etype.clauses())
				all.add(t, s.Etype.clauses())
			}
		}
		out = append(out, c)
	}
	if out = append(out, all); s.Sessions > 1 {
		out = append(out, s.joint())
	}
	return out
}

// joint is the column of interactions: right where every turn is. One without a turn is right.
func (s Spider) joint() *column {
	wrong, unlike := map[int]bool{}, map[int]bool{}
	for _, t := range s.Turns {
		wrong[t.Session] = wrong[t.Session] || !t.Right
		unlike[t.Session] = unlike[t.Session] || !t.Match.Exact
	}
	c := &column{head: "joint_all", count: s.Sessions, joint: true}
	for i := range s.Sessions {
		if !wrong[i] {
			c.right++
		}
		if !unlike[i] {
			c.exact++
		}
	}
	return c
}

// writeTurns writes the scores by place in the interaction.
func (s Spider) writeTurns(b *strings.Builder) {
	var turns []*column
	for _, head := range []string{"turn 1", "turn 2", "turn 3", "turn 4", "turn > 4"} {
		turns = append(turns, &column{head: head})
	}
	for _, t := range s.Turns {
		turns[min(t.Place, len(turns))-1].add(t, s.Etype.clauses())
	}
	b.WriteString("\n\n")
	writeHeads(b, turns)
	if s.Etype.results() {
		writeScores(b, aboveTurnExecution, turns, execution)
	}
	if s.Etype.clauses() {
		b.WriteString("\n")
		writeScores(b, aboveTurnMatching, turns, matching)
	}
}

// partLines has one row per part of exact match.
func partLines(of func(*exact.Tally, exact.Part) float64, joint float64) (out []line) {
	for p := range exact.PartCount {
		out = append(out, line{p.String(), func(c *column) float64 {
			if c.joint {
				return joint
			}
			return of(&c.parts, p)
		}})
	}
	return out
}

func writeHeads(b *strings.Builder, columns []*column) {
	heads, counts := make([]string, len(columns)), make([]string, len(columns))
	for i, c := range columns {
		heads[i], counts[i] = c.head, fmt.Sprint(c.count)
	}
	writeRow(b, "", heads)
	writeRow(b, "count", counts)
}

func writeScores(b *strings.Builder, above string, columns []*column, lines ...line) {
	b.WriteString(above + "\n")
	for _, l := range lines {
		cells := make([]string, len(columns))
		for i, c := range columns {
			cells[i] = fmt.Sprintf("%.3f", l.of(c))
		}
		writeRow(b, l.name, cells)
	}
}
