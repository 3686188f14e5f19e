package baseline

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// token is one word, number, quoted span or punctuation mark of a question.
type token struct {
	text   string // as written; a quoted span without its quotes
	at, to int    // byte range in the question, quotes included
	low    string // lower case
	stem   string // low without its plural ending
	quoted bool
	number bool
	upper  bool // starts with a capital letter
	punct  bool
}

// tokenize splits a question. A quoted span becomes one token; a possessive 's is dropped.
func tokenize(s string) []token {
	var out []token
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if unicode.IsSpace(r) {
			i += n
			continue
		}
		if end, ok := quotedSpan(s, i); ok {
			text := strings.TrimSpace(s[i+n : end])
			_, w := utf8.DecodeRuneInString(s[end:])
			from := i
			i = end + w
			if text != "" {
				out = append(out, token{text: text, at: from, to: i, low: strings.ToLower(text), stem: stem(strings.ToLower(text)), quoted: true, upper: true})
			}
			continue
		}
		end := wordEnd(s, i)
		if !wordRune(r) || end == i { // a sign; at its own end: a quotation mark that opens nothing and is in no word
			out = append(out, token{text: string(r), at: i, to: i + n, low: string(r), stem: string(r), punct: true})
			i += n
			continue
		}
		if t, ok := newWord(s[i:end]); ok {
			t.at, t.to = i, end
			out = append(out, t)
		}
		i = end
	}
	return out
}

// quotedSpan finds the closing quote of a span that opens at i.
func quotedSpan(s string, i int) (int, bool) {
	r, n := utf8.DecodeRuneInString(s[i:])
	if !strings.ContainsRune("\"'“‘`", r) {
		return 0, false
	}
	if i > 0 && r == '\'' && wordRune(rune(s[i-1])) { // an apostrophe inside or after a word
		return 0, false
	}
	closers := map[rune]string{'"': "\"”", '\'': "'’", '“': "”\"", '‘': "’'", '`': "`'"}[r]
	for j := i + n; j < len(s) && j < i+n+120; {
		q, w := utf8.DecodeRuneInString(s[j:])
		next, _ := utf8.DecodeRuneInString(s[j+w:])
		if strings.ContainsRune(closers, q) && (q != '\'' || j+w >= len(s) || !wordRune(next)) {
			return j, true
		}
		j += w
	}
	return 0, false
}

func wordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r >= 0x80 }

// wordEnd returns where the word at i ends: inner hyphens, dots, slashes, at-signs and apostrophes belong to it.
func wordEnd(s string, i int) int {
	for i < len(s) {
		r, n := utf8.DecodeRuneInString(s[i:])
		if !wordRune(r) || strings.ContainsRune("“”‘’", r) {
			next, _ := utf8.DecodeRuneInString(s[min(i+n, len(s)):])
			inner := strings.ContainsRune("-./@:'’,&", r) && i+n < len(s) && wordRune(next)
			if r == ',' && !(inner && digitsAround(s, i)) {
				inner = false
			}
			if !inner {
				return i
			}
		}
		i += n
	}
	return i
}

// digitsAround reports whether the comma at i groups thousands, as in 10,000.
func digitsAround(s string, i int) bool {
	if i == 0 || i+3 >= len(s) || !isDigit(s[i-1]) {
		return false
	}
	return isDigit(s[i+1]) && isDigit(s[i+2]) && isDigit(s[i+3]) && (i+4 >= len(s) || !isDigit(s[i+4]))
}

func isDigit(b byte) bool { return b >= '0' && b <= '9' }

// newWord makes a token of a word; false for a word that is only a possessive ending.
func newWord(text string) (token, bool) {
	for _, end := range []string{"'s", "’s", "'", "’"} {
		text = strings.TrimSuffix(text, end)
	}
	if text == "" || text == "s" {
		return token{}, false
	}
	low := strings.ToLower(text)
	t := token{text: text, low: low, stem: stem(low)}
	first, _ := utf8.DecodeRuneInString(text)
	t.upper = unicode.IsUpper(first)
	if n, ok := numberOf(low); ok {
		t.number, t.text = true, n
	}
	return t, true
}

// numberOf returns the digits of a numeral, written out or not.
func numberOf(low string) (string, bool) {
	if n, ok := numerals[low]; ok {
		return n, true
	}
	plain := strings.ReplaceAll(low, ",", "")
	dots := 0
	for i := 0; i < len(plain); i++ {
		switch {
		case plain[i] == '.' && i > 0:
			dots++
		case !isDigit(plain[i]):
			return "", false
		}
	}
	return plain, plain != "" && dots <= 1
}

// stem removes the plural ending of a lower-case word.
func stem(w string) string {
	if s, ok := irregular[w]; ok {
		return s
	}
	n := len(w)
	switch {
	case w == "ids":
		return "id"
	case n > 4 && strings.HasSuffix(w, "ies"):
		return w[:n-3] + "y"
	case n > 4 && hasAnySuffix(w, "puses", "nuses", "ruses", "tuses", "sses", "ches", "shes", "xes", "zzes"):
		return w[:n-2]
	case n > 3 && strings.HasSuffix(w, "s") && !hasAnySuffix(w, "ss", "us", "is"):
		return w[:n-1]
	}
	return w
}

func hasAnySuffix(w string, ends ...string) bool {
	for _, e := range ends {
		if strings.HasSuffix(w, e) {
			return true
		}
	}
	return false
}

// alike scores how closely the question's stem a matches a schema word b: 1 equal, 0 unrelated.
func alike(a, b string) float64 {
	switch {
	case a == b:
		return 1
	case synonym(a, b):
		return 0.8
	case abbreviations[b] == a || abbreviations[a] == b && a != "":
		return 0.9
	}
	p := commonPrefix(a, b)
	ra, rb := len(a)-p, len(b)-p
	short, long := min(ra, rb), max(ra, rb)
	switch {
	case p >= 4 && short == 0 && long <= 2, p >= 5 && short <= 1 && long <= 5:
		return 0.75
	case p >= 6 && long <= 4:
		return 0.65
	case rb == 0 && p >= 3 && ra >= 3: // an abbreviation by the first letters
		return 0.5
	}
	return 0
}

func commonPrefix(a, b string) int {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	return i
}
