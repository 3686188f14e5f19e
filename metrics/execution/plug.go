package execution

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"assay/metrics"
	"assay/prompting/sql/tree"
)

// The test-suite evaluator's plug_value: a prediction passes if it does with its literals replaced by the gold query's,
// in any of the ways to do so. It asks whether the query is right but for its values.

const (
	plugTries    = 10_000 // ways tried on one case; the reference tries |values|^slots, without end
	plugTimeouts = 3      // ways that may meet the deadline before the search is given up, and deadlines that all may take
)

// slot marks a literal in a query taken apart.
const slot = "\x00"

var (
	floats   = regexp.MustCompile(`[-+]?[0-9]*\.[0-9]+`)
	integers = regexp.MustCompile(`[^tT][0-9]+`)
)

// plug tries pred with the gold query's values until one way is right, and otherwise returns score, that of pred
// itself.
func (m *metric) plug(ctx context.Context, c metrics.Case, t trial, gold, pred string, score metrics.Score) (metrics.Score, error) {
	_, values := takeApart(gold)
	words, _ := takeApart(pred)
	tries, timeouts := 0, 0
	end := time.Now().Add((plugTimeouts + 1) * m.box.Options().Timeout)
	for text := range plugged(words, values) {
		if tries++; tries > plugTries || timeouts > plugTimeouts || time.Now().After(end) {
			score.Warnings = append(score.Warnings, fmt.Sprintf("undecided: gave up after plugging in values in %d ways", tries-1))
			return score, nil
		}
		if text == "" {
			continue
		}
		s, err := m.try(ctx, c, t, text, m.box.Run)
		if err != nil {
			return metrics.Score{}, err
		}
		if s.Status == metrics.Correct {
			s.Warnings = append(s.Warnings, "right with values of the gold: "+text)
			return s, nil
		}
		if s.Status == metrics.SQLTimeout {
			timeouts++
		}
	}
	return score, nil
}

// plugged yields words with every slot filled from values, in every way, the last slot changing fastest. A way that makes
// a text too long to run is "".
func plugged(words, values []string) func(yield func(string) bool) {
	var slots []int
	for i, w := range words {
		if w == slot {
			slots = append(slots, i)
		}
	}
	join := func(words []string) string {
		length := 0
		for _, w := range words {
			length += len(w) + len(" ")
		}
		if length > tree.MaxBytes {
			return ""
		}
		return strings.Join(words, " ")
	}
	return func(yield func(string) bool) {
		if len(slots) > 0 && len(values) == 0 {
			return
		}
		pick := make([]int, len(slots))
		text := slices.Clone(words)
		for {
			for k, i := range slots {
				text[i] = values[pick[k]]
			}
			if !yield(join(text)) || !advance(pick, len(values)) {
				return
			}
		}
	}
}

// advance counts pick up by one in base n; false when it is back at zero.
func advance(pick []int, n int) bool {
	for k := len(pick) - 1; k >= 0; k-- {
		if pick[k]++; pick[k] < n {
			return true
		}
		pick[k] = 0
	}
	return false
}

// takeApart returns the words of a query in lower case, with slots where it has literals, and the literals, sorted,
// each once. As in the reference, whatever is in double quotes is a literal, and so is a name of one letter and digits,
// as q1, unless the letter is t. A text above a limit of a statement has
// neither words nor values.
func takeApart(sql string) (words, values []string) {
	if tree.Oversize(sql) != nil {
		return nil, nil
	}
	sql = strings.NewReplacer(";", "", "\t", "", slot, "").Replace(strings.TrimSpace(sql))
	var toks []string
	for _, tok := range firstStatement(sql) {
		if strings.Trim(tok, " \f\v") != "" {
			toks = append(toks, tok)
		}
	}
	for i, tok := range toks {
		if len(tok) > 1 && (tok[0] == '\'' || tok[0] == '"') {
			values = append(values, tok)
			toks[i] = slot
		}
	}
	words = strings.Fields(strings.Join(toks, " "))
	words, values = cutNumbers(floats, words, values)
	words, values = cutNumbers(integers, words, values)
	for i, w := range words {
		words[i] = strings.ToLower(w)
	}
	slices.Sort(values)
	return words, slices.Compact(values)
}

// cutNumbers makes a slot of each word that form finds whole anywhere in the query.
func cutNumbers(form *regexp.Regexp, words, values []string) ([]string, []string) {
	found := map[string]bool{}
	for _, n := range form.FindAllString(strings.Join(words, " "), -1) {
		found[strings.TrimSpace(n)] = true
	}
	for i, w := range words {
		if found[w] {
			values = append(values, w)
			words[i] = slot
		}
	}
	return words, values
}
