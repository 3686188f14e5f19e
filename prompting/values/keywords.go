package values

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"assay/prompting/vectors"
)

// longestRun is how many words of a run without stop words make one keyword.
const longestRun = 3

var (
	quotedSpan = regexp.MustCompile("\"([^\"]+)\"|“([^”]+)”|‘([^’]+)’|`([^`]+)`|«([^»]+)»|(?:^|[\\s(=,:])'([^']+(?:'[a-z][^']*)*)'(?:$|[\\s).,;:?!])")
	wordToken  = regexp.MustCompile(`[\p{L}\p{N}\p{M}]+(?:['’.&@:/+#_-]+[\p{L}\p{N}\p{M}]+)*[+#]*`)
	clauseEnd  = regexp.MustCompile(`[;\n]|\brefers? to\b|\bmeans\b`)
)

// Keywords lists what a question may quote from the database, by rules and without a model, the likeliest first:
//
//   - text in quotes, in question and evidence;
//   - in the evidence, what is right of an "=" up to the end of its clause;
//   - runs of capitalised words, small words such as "of" and "the" inside them included; the sentence's first word
//     alone does not make one where it is a stop word;
//   - words with digits in them;
//   - runs of up to three words between stop words and punctuation, the longest first.
//
// Texts that are equal when folded come once.
func Keywords(question, evidence string) []string {
	var c collector
	for _, s := range []string{question, evidence} {
		for _, q := range quotedSpan.FindAllStringSubmatch(s, -1) {
			c.given(strings.Join(q[1:], ""))
		}
	}
	c.equations(evidence)
	for _, s := range []string{question, evidence} {
		tokens := tokenise(s)
		c.names(tokens)
		c.digits(tokens)
	}
	for _, s := range []string{question, evidence} {
		c.runs(tokenise(s))
	}
	return c.out
}

// collector gathers keywords, each once.
type collector struct {
	out  []string
	seen map[string]bool
}

// add adds a keyword unless it is of stop words alone.
func (c *collector) add(s string) {
	if !allStop(strings.Fields(s)) {
		c.given(s)
	}
}

// given adds a keyword whatever its words: the text says that it is a value.
func (c *collector) given(s string) {
	s = strings.Join(strings.Fields(s), " ")
	f := vectors.Fold(s)
	if f == "" || c.seen[f] {
		return
	}
	if c.seen == nil {
		c.seen = map[string]bool{}
	}
	c.seen[f] = true
	c.out = append(c.out, s)
}

// equations adds the right sides of "=" in the evidence, whole and up to a connective.
func (c *collector) equations(evidence string) {
	for _, clause := range clauseEnd.Split(evidence, -1) {
		pieces := strings.Split(clause, "=")
		for i := 1; i < len(pieces); i++ {
			right := pieces[i]
			if j := strings.Index(right, ","); j >= 0 && i == len(pieces)-1 {
				c.given(trimmed(right))
				right = right[:j]
			}
			for _, end := range []string{" and ", " AND ", " or ", " OR "} {
				right, _, _ = strings.Cut(right, end)
			}
			c.given(trimmed(right))
		}
	}
}

// trimmed takes quotes and punctuation off the ends.
func trimmed(s string) string { return strings.Trim(s, " \t'\"`“”‘’.,;:?!()") }

// token is a word, with whether something other than blanks precedes it.
type token struct {
	text   string
	breaks bool
	first  bool // of its sentence
}

func tokenise(s string) []token {
	var out []token
	end, first := 0, true
	for _, at := range wordToken.FindAllStringIndex(s, -1) {
		between := s[end:at[0]]
		if strings.ContainsAny(between, ".?!") {
			first = true
		}
		out = append(out, token{strings.TrimSuffix(strings.TrimSuffix(s[at[0]:at[1]], "'s"), "’s"), strings.TrimSpace(between) != "", first})
		end, first = at[1], false
	}
	return out
}

// capital reports whether a word begins with a capital letter, or with a digit that a name may go on with.
func capital(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsUpper(r) || unicode.IsTitle(r)
}

// joins are the words that may occur inside a name, such as "of".
var joins = map[string]bool{"of": true, "the": true, "de": true, "la": true, "le": true, "du": true, "di": true, "da": true,
	"von": true, "van": true, "del": true, "and": true, "for": true, "in": true, "on": true}

// names adds the runs of capitalised words. A run may hold numbers and the words that join names, not end in those.
func (c *collector) names(tokens []token) {
	for i := 0; i < len(tokens); i++ {
		if !capital(tokens[i].text) || tokens[i].first && stop[strings.ToLower(tokens[i].text)] {
			continue
		}
		last := i
		for j := i + 1; j < len(tokens) && !tokens[j].breaks; j++ {
			t := tokens[j].text
			if capital(t) || unicode.IsDigit(rune(t[0])) {
				last = j
			} else if !joins[t] || j > last+2 {
				break
			}
		}
		c.name(tokens[i : last+1])
		if !tokens[i].first || last == i || !joins[tokens[i+1].text] {
			i = last
		} // else the sentence's first word may be none of the name, which then begins later
	}
}

// name adds a run whole, its pieces between "and", and the words up to the first that joins.
func (c *collector) name(run []token) {
	words, plain := make([]string, len(run)), 0
	start := 0
	for i, t := range run {
		words[i] = t.text
		if joins[t.text] && plain == 0 {
			plain = i
		}
	}
	c.add(strings.Join(words, " "))
	for i, w := range words {
		if w == "and" {
			c.add(strings.Join(words[start:i], " "))
			start = i + 1
		}
	}
	c.add(strings.Join(words[start:], " "))
	c.add(strings.Join(words[:plain], " "))
}

func (c *collector) digits(tokens []token) {
	for _, t := range tokens {
		if strings.ContainsFunc(t.text, unicode.IsDigit) {
			c.add(t.text)
		}
	}
}

// runs adds the runs of words between stop words and breaks, and their parts, by number of words.
func (c *collector) runs(tokens []token) {
	var runs [][]string
	var run []string
	for _, t := range tokens {
		isStop := stop[strings.ToLower(t.text)]
		if (t.breaks || isStop) && len(run) > 0 {
			runs, run = append(runs, run), nil
		}
		if !isStop {
			run = append(run, t.text)
		}
	}
	runs = append(runs, run)
	for n := longestRun; n > 0; n-- {
		for _, r := range runs {
			for i := 0; i+n <= len(r); i++ {
				c.add(strings.Join(r[i:i+n], " "))
			}
		}
	}
}

func allStop(words []string) bool {
	return !slices.ContainsFunc(words, func(w string) bool { return !stop[strings.ToLower(w)] })
}

// stop has the words that are never a keyword alone: what questions are built with.
var stop = wordSet(`a about above according across after again all also am among an and any are as ascending asc at average avg
be because been before being below between both but by can could count descending desc did different distinct do does
doing done down during each either every exactly few find first for from get give given greater had has have having he
her here hers highest him his how i if in include including into is it its itself just kind know largest last least less
let like list longest lowest many max maximum me mean means min minimum more most much must my name named names no nor not
number of off on once one only or order other our out over per please provide rather refer refers return same select shall she
shortest should show shown smallest so some sort sorted such sum tell than that the their them then there these they
this those through to together too top total under until up us use used was we were what whats when where whether which
while who whom whose why will with within without would you your`)

func wordSet(s string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(s) {
		out[w] = true
	}
	return out
}
