package choose

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"assay/prompting/extract"
)

// announced matches the words before an answer that do not make it an argument.
var announced = regexp.MustCompile(`^(?i)(?:the )?(?:(?:correct|better|right|best|final) )?(?:answer|candidate|query|choice|ranking|order)\b(?: is\b)?`)

// signs may surround an answer.
const signs = " \t\r\n\"'“”‘’*_`.:!()[]{}<>"

// Letter reads the answer of a comparison: 'A', 'B', or 0 where it is neither.
//
// It is strict: the letter alone, in either case, with quotes, brackets, emphasis or a full stop around it, or after
// "Answer:" or "Candidate". Of an answer that argues, however clearly, nothing is guessed. A think block before the
// answer is skipped.
func Letter(completion string) byte {
	switch bare(bare(completion)) {
	case "A", "a":
		return 'A'
	case "B", "b":
		return 'B'
	}
	return 0
}

// Ranking reads the answer of a ranking of n candidates: their numbers from 1, the best first, as positions from 0;
// commas, semicolons, ">" or white space divide them. It need not hold all of them, but each at most once and nothing
// else: nil where it does not keep to that. What Letter allows around an answer is allowed here.
func Ranking(completion string, n int) []int {
	parts := strings.FieldsFunc(bare(completion), func(r rune) bool { return r == ',' || r == ';' || r == '>' || unicode.IsSpace(r) })
	var order []int
	seen := map[int]bool{}
	for _, p := range parts {
		i, err := strconv.ParseUint(p, 10, 16)
		if err != nil || i < 1 || int(i) > n || seen[int(i)] {
			return nil
		}
		seen[int(i)] = true
		order = append(order, int(i)-1)
	}
	return order
}

// bare returns a completion without a think block, the words that announce an answer, and the signs around it.
func bare(completion string) string {
	s := strings.Trim(extract.Answer(completion, len(completion)), signs)
	return strings.Trim(s[len(announced.FindString(s)):], signs)
}
