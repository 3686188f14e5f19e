package official

import (
	"fmt"
	"io"
	"strings"
)

// Score is a score of BIRD mini-dev's evaluators, each of which has a program of its own.
type Score struct {
	ID     string // as assay eval-bird --score has it
	Metric string // the metric's id
	name   string // as it is printed
	start  string // as it is printed before it is calculated
}

// Scores lists the scores, the one of evaluation_ex.py first.
var Scores = []Score{
	{"ex", "ex-bird", "EX", "EX"},
	{"f1", "soft-f1", "Soft-F1", "Soft F1"},
	{"ves", "r-ves", "R-VES", "R-VES"},
}

// Item is a judged item of BIRD.
type Item struct {
	Difficulty string  // simple, moderate or challenging; another counts in the total alone
	Value      float64 // 0 to 1; of R-VES up to 1.118
}

// BIRD is what evaluation_ex.py, evaluation_f1.py or evaluation_ves.py of BIRD mini-dev prints.
type BIRD struct {
	Score Score
	Items []Item
}

// Write prints the table of the standard output.
func (b BIRD) Write(w io.Writer) error {
	return b.write(w, "start calculate "+b.Score.start, 4, "Finished EX evaluation for SQLite on Mini Dev set\n\n\n")
}

// WriteLog prints the table of the log file, which differs in three lines.
func (b BIRD) WriteLog(w io.Writer) error {
	return b.write(w, "start calculate "+b.Score.name, 3, "Finished "+b.Score.name+" evaluation for mini dev set\n")
}

func (b BIRD) write(w io.Writer, start string, gap int, finished string) error {
	levels := []string{"simple", "moderate", "challenging", "total"}
	counts, means := make([]string, len(levels)), make([]string, len(levels))
	for i, level := range levels {
		n, sum := 0, 0.0
		for _, x := range b.Items {
			if x.Difficulty == level || level == "total" {
				n++
				sum += x.Value
			}
		}
		mean := 0.0
		if n > 0 {
			mean = 100 * sum / float64(n)
		}
		counts[i], means[i] = fmt.Sprint(n), fmt.Sprintf("%.2f", mean)
	}
	var out strings.Builder
	out.WriteString(start + "\n")
	writeRow(&out, "", levels)
	writeRow(&out, "count", counts)
	out.WriteString(strings.Repeat("=", 38) + "    " + b.Score.name + strings.Repeat(" ", gap) + strings.Repeat("=", 37) + "\n")
	writeRow(&out, b.Score.name, means)
	out.WriteString(strings.Repeat("=", 91) + "\n" + finished + "\n")
	if _, err := io.WriteString(w, out.String()); err != nil {
		return fmt.Errorf("official: write scores: %w", err)
	}
	return nil
}
