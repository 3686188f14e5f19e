package census

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// How says in which form a question has a value; "" where it does not have it.
type How string

// The forms; the first that fits counts.
const (
	Literally How = "as written"
	OtherCase How = "in another case"
	AsWords   How = "as the same words"  // whatever separates them
	AsNumber  How = "as the same number" // 1,000 = 1000, two = 2, 30 % = 0.3, 3 million = 3000000
	AsDate    How = "as the same date"   // March 4, 2012 = 2012-03-04, and 2012-03
	AsPattern How = "as parts of a word" // of a LIKE pattern: the letters between its wildcards
)

// question is a text prepared for looking values up.
type question struct {
	raw     string
	folded  string
	words   []string
	numbers []float64
	dates   map[string]bool // 2012-03-04 and 2012-03
}

func read(text string) *question {
	q := &question{raw: text, folded: fold(text), words: words(text), dates: map[string]bool{}}
	q.numbers = numbers(q.folded)
	readDates(q.folded, q.dates)
	return q
}

// has looks a value up.
func (q *question) has(value string, kind Kind) How {
	switch kind {
	case Number:
		return q.number(value)
	case Pattern:
		return q.pattern(value)
	}
	value = strings.TrimSpace(value)
	switch {
	case value == "":
		return ""
	case bounded(q.raw, value):
		return Literally
	case bounded(q.folded, fold(value)):
		return OtherCase
	case within(q.words, words(value)):
		return AsWords
	case q.date(value):
		return AsDate
	}
	return q.number(value)
}

func (q *question) number(value string) How {
	f, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
	if err == nil && slices.Contains(q.numbers, f) {
		return AsNumber
	}
	return ""
}

func (q *question) date(value string) bool {
	m := dateValue.FindStringSubmatch(value)
	return m != nil && q.dates[day(m[1], m[2], m[3])]
}

// pattern looks up each part between wildcards, as letters within words.
func (q *question) pattern(value string) How {
	parts := strings.FieldsFunc(value, func(r rune) bool { return r == '%' || r == '_' || r == '*' || r == '?' })
	found := false
	for _, p := range parts {
		if p = strings.TrimSpace(p); strings.Trim(p, "-/.:, ") == "" {
			continue
		}
		if !strings.Contains(q.folded, fold(p)) && q.has(strings.TrimRight(p, "-/"), Text) == "" {
			return ""
		}
		found = true
	}
	if !found {
		return ""
	}
	return AsPattern
}

// fold makes a text lower case, with one kind of quote and dash, and single spaces.
func fold(s string) string {
	s = strings.Map(func(r rune) rune {
		switch r {
		case '\u2018', '\u2019', '`', '\u00b4':
			return '\''
		case '\u201c', '\u201d':
			return '"'
		case '\u2010', '\u2011', '\u2012', '\u2013', '\u2014':
			return '-'
		}
		return unicode.ToLower(r)
	}, s)
	return strings.Join(strings.Fields(s), " ")
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// words returns the runs of letters and digits of a text, in lower case.
func words(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !isWord(r) })
}

// bounded reports whether a text has a value without cutting a word.
func bounded(text, value string) bool {
	first, _ := utf8.DecodeRuneInString(value)
	last, _ := utf8.DecodeLastRuneInString(value)
	for at := 0; ; {
		i := strings.Index(text[at:], value)
		if i < 0 {
			return false
		}
		start := at + i
		before, _ := utf8.DecodeLastRuneInString(text[:start])
		after, _ := utf8.DecodeRuneInString(text[start+len(value):])
		if !(isWord(first) && isWord(before)) && !(isWord(last) && isWord(after)) {
			return true
		}
		_, size := utf8.DecodeRuneInString(text[start:])
		at = start + size
	}
}

// within reports whether whole has part without gaps.
func within(whole, part []string) bool {
	if len(part) == 0 {
		return false
	}
	for i := 0; i+len(part) <= len(whole); i++ {
		if slices.Equal(whole[i:i+len(part)], part) {
			return true
		}
	}
	return false
}

var numberForm = regexp.MustCompile(`(-?)(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)\s*(%|percent|k\b|thousand|million|billion)?`)

var numberWords = strings.Fields("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty")

var scales = map[string]float64{"k": 1e3, "thousand": 1e3, "million": 1e6, "billion": 1e9}

// numbers returns the numbers of a folded text, each with the value that a following percent sign or scale gives it.
func numbers(s string) (out []float64) {
	for _, m := range numberForm.FindAllStringSubmatch(s, -1) {
		f, err := strconv.ParseFloat(strings.ReplaceAll(m[2], ",", ""), 64)
		if err != nil {
			continue
		}
		out = append(out, f)
		if m[1] != "" {
			out = append(out, -f)
		}
		switch scale, known := scales[m[3]]; {
		case known:
			out = append(out, f*scale)
		case m[3] != "":
			out = append(out, f/100)
		}
	}
	for _, w := range words(s) {
		if n := slices.Index(numberWords, w); n >= 0 {
			out = append(out, float64(n))
		}
	}
	return out
}

const monthForm = `(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?`

var (
	dateValue = regexp.MustCompile(`^(\d{4})[-/](\d{1,2})(?:[-/](\d{1,2}))?(?:[ T].*)?$`)
	yearFirst = regexp.MustCompile(`\b(\d{4})[-/.](\d{1,2})(?:[-/.](\d{1,2}))?\b`)
	yearLast  = regexp.MustCompile(`\b(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})\b`)
	monthDay  = regexp.MustCompile(`\b` + monthForm + `\s*(\d{1,2})(?:st|nd|rd|th)?,?\s*(?:of |in )?(\d{4})\b`)
	dayMonth  = regexp.MustCompile(`\b(\d{1,2})(?:st|nd|rd|th)?(?: of)?[ -]` + monthForm + `,?[ -]?(?:of |in )?(\d{4})\b`)
	monthYear = regexp.MustCompile(`\b` + monthForm + `,? ?(?:of |in )?(\d{4})\b`)
)

// months are the beginnings of their names.
const months = "janfebmaraprmayjunjulaugsepoctnovdec"

func month(name string) string { return strconv.Itoa(strings.Index(months, name[:3])/3 + 1) }

// readDates adds the days and months that a folded text names. Where day and month are ambiguous, it adds both dates.
func readDates(s string, into map[string]bool) {
	add := func(y, m, d string) {
		into[day(y, m, d)], into[day(y, m, "")] = true, true
	}
	for _, m := range yearFirst.FindAllStringSubmatch(s, -1) {
		add(m[1], m[2], m[3])
	}
	for _, m := range yearLast.FindAllStringSubmatch(s, -1) {
		add(m[3], m[1], m[2])
		add(m[3], m[2], m[1])
	}
	for _, m := range monthDay.FindAllStringSubmatch(s, -1) {
		add(m[3], month(m[1]), m[2])
	}
	for _, m := range dayMonth.FindAllStringSubmatch(s, -1) {
		add(m[3], month(m[2]), m[1])
	}
	for _, m := range monthYear.FindAllStringSubmatch(s, -1) {
		add(m[2], month(m[1]), "")
	}
}

// day writes a date in one form, or a month where d is empty.
func day(y, m, d string) string {
	month, _ := strconv.Atoi(m)
	if d == "" {
		return fmt.Sprintf("%s-%02d", y, month)
	}
	n, _ := strconv.Atoi(d)
	return fmt.Sprintf("%s-%02d-%02d", y, month, n)
}
