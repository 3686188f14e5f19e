package extract

import (
	"regexp"
	"strings"

	"assay/prompting/sql/tree"
)

// Bounds on the search, so that a hostile completion cannot take long.
const (
	maxStarts    = 20    // places tried as the start of a statement
	maxLines     = 60    // line ends tried as its end
	maxStatement = 20000 // bytes of a statement
)

// piece is a part of a text that is taken as a statement.
type piece struct {
	sql       string
	parsed    bool // SQLite's grammar accepts it
	truncated bool // it is incomplete and ends where the text ends
}

// statement finds the first statement of a text that starts with SELECT or WITH: the first start that parses, or else
// the first that is truncated, or else the first at the start of a line that has a FROM and is not capitalised like
// prose.
func (s *search) statement(text string) piece {
	var cut, fallback piece
	for _, at := range queryStarts(text) {
		if s.left < 0 {
			break
		}
		p := s.endOf(s.stripQuote(text, at))
		if p.parsed {
			return p
		}
		if p.truncated && cut.sql == "" && lineStart(text, at) && !proseCase(p.sql) {
			cut = p
		}
		if fallback.sql == "" && lineStart(text, at) && fromClause.MatchString(p.sql) && !proseCase(p.sql) {
			fallback = p
		}
	}
	if cut.sql != "" && fallback.sql == "" {
		return cut
	}
	return fallback
}

var starts = regexp.MustCompile(`(?i)\(*\bSELECT\b|\bWITH[ \t\r\n]+(?:RECURSIVE[ \t\r\n]+)?["\w]+[ \t\r\n]*(?:\([^()]*\)[ \t\r\n]*)?AS\b`)

// queryStarts returns the offsets at which a query may start, including those inside an earlier statement, which are
// tried only if the earlier one is not a query. The method of an object, as in df.select(a), is not a start.
func queryStarts(text string) []int {
	var out []int
	for _, at := range starts.FindAllStringIndex(text, maxStarts) {
		if at[0] == 0 || !strings.Contains("._$", text[at[0]-1:at[0]]) {
			out = append(out, at[0])
		}
	}
	return out
}

// proseCase reports whether a statement's first word is capitalised like a sentence's: "Select", "With".
func proseCase(sql string) bool {
	sql = strings.TrimLeft(sql, "(")
	return len(sql) > 1 && sql[0] < 'a' && sql[1] >= 'a'
}

// lineStart reports whether only list marks, quotes, a closing label or white space precede at on its line.
func lineStart(text string, at int) bool {
	line := text[strings.LastIndexByte(text[:at], '\n')+1 : at]
	line = strings.TrimRight(line, " \t\"'`*(")
	return strings.Trim(line, " \t\r>-*0123456789.)") == "" || strings.HasSuffix(line, ":")
}

// stripQuote returns text from at on. If a lone backtick or double quote precedes the statement, as in inline code or
// JSON, the text ends at the first such sign after which the rest is no longer SQL.
func (s *search) stripQuote(text string, at int) string {
	rest := text[at:]
	if at == 0 || text[at-1] != '`' && text[at-1] != '"' {
		return rest
	}
	quote := text[at-1 : at]
	for i, tries := 0, 0; tries < maxLines; tries++ {
		n := strings.Index(rest[i:], quote)
		if n < 0 {
			break
		}
		if i += n; s.refusal(trim(rest[:i])) == nil {
			return rest[:i]
		}
		i++
	}
	return rest
}

// hardEnd matches lines and signs that end a statement in any context: a fence, a closing tag, a comment of a kind that
// SQLite lacks, the beginning of another question or schema, and the words that models write after an answer.
var hardEnd = regexp.MustCompile("```|</?(?i:FINAL_ANSWER|answer|sql)>|(?m:^[ \t]*#)|(?m:^(?:Q|A|Question|Answer|Explanation|Note)[ \t]*:)|(?m:^-- Using valid SQLite)|(?m:^CREATE TABLE )")

// endOf truncates text, which starts with a statement, at the statement's end: at a semicolon, at what hardEnd matches,
// or after the last line up to which it parses.
func (s *search) endOf(text string) piece {
	whole := len(text)
	if len(text) > maxStatement {
		text = strings.ToValidUTF8(text[:maxStatement], "")
	}
	if at := hardEnd.FindStringIndex(text); at != nil {
		text = text[:at[0]]
	}
	closed := len(text) < whole
	if end := s.semicolon(text); end >= 0 {
		text, closed = text[:end], true
	}
	sql := trim(text)
	refused := s.refusal(sql)
	if refused == nil {
		return piece{sql: sql, parsed: true}
	}
	if p, ok := s.longestParsed(sql); ok {
		return p
	}
	if !closed && incomplete(refused) {
		return piece{sql: sql, truncated: true}
	}
	return piece{sql: paragraph(sql)}
}

// semicolon returns the offset of the first semicolon that ends a statement, -1 if there is none. A semicolon after a
// quote that is never closed does not count.
func (s *search) semicolon(text string) int {
	if s.left -= len(text); s.left < 0 {
		return -1
	}
	for _, t := range tree.Tokens(text) {
		if t.Text == ";" {
			return t.Start
		}
	}
	return -1
}

// longestParsed drops lines from the end until the rest parses. It drops only whole lines, and only from a line on that
// does not start like the continuation of SQL: prose after `FROM t` is dropped, and a faulty query is not cut in half.
func (s *search) longestParsed(sql string) (piece, bool) {
	end := len(sql)
	for tries := 0; tries < maxLines; tries++ {
		end = strings.LastIndexByte(sql[:end], '\n')
		if end < 0 {
			break
		}
		if goesOn(sql[end+1:]) {
			continue
		}
		if head := trim(sql[:end]); s.refusal(head) == nil {
			return piece{sql: head, parsed: true}, true
		}
	}
	return piece{}, false
}

// goes matches the start of a line that continues SQL.
var goes = regexp.MustCompile(`(?i)^\s*(FROM|WHERE|GROUP\s+BY|HAVING|ORDER\s+BY|LIMIT|OFFSET|UNION|INTERSECT|EXCEPT|JOIN|INNER|LEFT|RIGHT|FULL|CROSS|NATURAL|ON|AND|OR|SELECT|WHEN|THEN|ELSE|END|WINDOW|[,()=<>+*/|])`)

// goesOn reports whether text starts like a line of SQL that continues the one before. A dash or star at its start may
// also be a list in prose; prose rarely begins with a clause's name in capitals.
func goesOn(text string) bool {
	m := goes.FindStringSubmatch(text)
	return m != nil && (m[1] == strings.ToUpper(m[1]) || m[1] == strings.ToLower(m[1])) && !strings.HasPrefix(strings.TrimLeft(text, " \t"), "* ")
}

// paragraph truncates a statement that does not parse before the first blank line after which SQL does not continue.
func paragraph(sql string) string {
	for _, at := range blankLine.FindAllStringIndex(sql, maxLines) {
		if !goesOn(sql[at[1]:]) {
			return trim(sql[:at[0]])
		}
	}
	return sql
}

var blankLine = regexp.MustCompile(`\n[ \t\r]*\n`)

// incomplete says whether a refusal means that more input could have been SQL.
func incomplete(e *tree.Error) bool {
	if e.Message == "incomplete input" {
		return true
	}
	// An unclosed quote is reported as an unrecognised token that starts with the quote.
	return strings.HasPrefix(e.Message, `unrecognized token: "'`) || strings.HasPrefix(e.Message, `unrecognized token: """`) ||
		strings.HasPrefix(e.Message, "unrecognized token: \"`")
}

// trim removes white space at both ends, and semicolons at the end.
func trim(s string) string {
	return strings.TrimRight(strings.TrimSpace(s), "; \t\r\n")
}
