package baseline

import (
	"regexp"
	"strings"
)

var (
	missing   = regexp.MustCompile(`(?i)no such (column|table): ([^\n]+)`)
	ambiguous = regexp.MustCompile(`(?i)ambiguous column name: ([^\n]+)`)
	equals    = regexp.MustCompile(`=\s*'((?:[^']|'')*)'`)
	endWhere  = regexp.MustCompile(`(?i)\b(?:group\s+by|order\s+by|having|limit|union|intersect|except)\b`)
)

// mend answers with another query: the failed one with a name corrected or a condition loosened, or another parse of
// the question, each with a score.
func (s *session) mend() (string, bool) {
	failed := s.shown[0]
	own := s.candidates()
	var cs []candidate
	add := func(sql string, score float64) {
		if sql = strings.TrimSpace(sql); sql != "" && sql != failed.sql {
			cs = append(cs, candidate{sql: sql, score: score})
		}
	}
	for _, c := range own {
		add(c.sql, 1+c.score-own[0].score)
	}
	if hasPrefixFold(failed.result, "error") {
		add(s.renamed(failed), 2)
		add(s.qualified(failed), 2)
	} else {
		add(s.respelt(failed.sql), 2)
		add(equals.ReplaceAllString(failed.sql, "LIKE '%$1%'"), 1.2)
		add(withoutLast(failed.sql), 0.4)
	}
	if len(cs) == 0 {
		return "", false
	}
	return s.pick(rank(cs)).sql, true
}

// renamed replaces the unknown name in the failed query by the most similar name of the schema.
func (s *session) renamed(x shown) string {
	m := missing.FindStringSubmatch(x.result)
	if m == nil {
		return ""
	}
	wrong := strings.TrimSpace(m[2])
	if at := strings.LastIndex(wrong, "."); at >= 0 {
		wrong = wrong[at+1:]
	}
	wrong = strings.Trim(wrong, "\"'`[] ")
	best, score := "", 0.3
	consider := func(name string, bonus float64) {
		if k := nameCloseness(wrong, name); k > 0 && k+bonus > score && !strings.EqualFold(name, wrong) {
			best, score = ident(name), k+bonus
		}
	}
	for t := range s.base.tables {
		if strings.EqualFold(m[1], "table") {
			consider(s.base.tables[t].name, 0)
			continue
		}
		bonus := 0.0
		if word(s.base.tables[t].name).MatchString(x.sql) {
			bonus = 0.5
		}
		for _, c := range s.base.columnsOf(t) {
			consider(s.base.cols[c].name, bonus)
		}
	}
	if best == "" || wrong == "" {
		return ""
	}
	return word(wrong).ReplaceAllLiteralString(x.sql, best)
}

// word returns a pattern for a name as a whole word, quoted or not.
func word(name string) *regexp.Regexp {
	q := literally(name)
	return regexp.MustCompile("(?i)\"" + q + "\"|`" + q + "`|\\[" + q + "\\]|\\b" + q + "\\b")
}

// literally returns a pattern for a text. Bytes that are not UTF-8 are replaced, because no pattern may contain them.
func literally(text string) string { return regexp.QuoteMeta(strings.ToValidUTF8(text, "\uFFFD")) }

// nameCloseness returns the share of letter pairs that two names have in common, 0 to 1.
func nameCloseness(a, b string) float64 {
	grams := func(s string) map[string]float64 {
		out := map[string]float64{}
		s = "^" + strings.ToLower(strings.NewReplacer("_", "", " ", "").Replace(s)) + "$"
		for i := 0; i+2 <= len(s); i++ {
			out[s[i:i+2]]++
		}
		return out
	}
	return similarity(grams(a), grams(b))
}

// qualified puts the first table, or its alias, before an ambiguous column name.
func (s *session) qualified(x shown) string {
	m := ambiguous.FindStringSubmatch(x.result)
	if m == nil {
		return ""
	}
	name := strings.Trim(strings.TrimSpace(m[1]), "\"'`[]")
	for t := range s.base.tables {
		if s.base.columnNamed(t, name) < 0 || !word(s.base.tables[t].name).MatchString(x.sql) {
			continue
		}
		owner := ident(s.base.tables[t].name)
		as := regexp.MustCompile(`(?i)\b` + literally(s.base.tables[t].name) + `["'\x60\]]?\s+as\s+(\w+)`)
		if a := as.FindStringSubmatch(x.sql); a != nil {
			owner = a[1]
		}
		bare := regexp.MustCompile(`(?i)(^|[^.\w])` + literally(name) + `\b`)
		return bare.ReplaceAllString(x.sql, "${1}"+strings.ReplaceAll(owner, "$", "$$")+"."+strings.ReplaceAll(ident(name), "$", "$$"))
	}
	return ""
}

// respelt writes a compared value as it is spelled among a column's example values in the prompt.
func (s *session) respelt(sql string) string {
	return equals.ReplaceAllStringFunc(sql, func(found string) string {
		value := strings.ReplaceAll(equals.FindStringSubmatch(found)[1], "''", "'")
		best, score := value, 0.45
		for c := range s.base.cols {
			for _, v := range s.base.cols[c].samples {
				if v == value {
					return found
				}
				if k := nameCloseness(v, value); k > score {
					best, score = v, k
				}
			}
		}
		return "= " + literal(best, false)
	})
}

// withoutLast drops the last condition of a query's only WHERE; empty if the query has none, or more than one.
func withoutLast(sql string) string {
	up := upperASCII(sql)
	at := strings.Index(up, " WHERE ")
	if at < 0 || strings.Contains(up[at+1:], " WHERE ") || strings.Contains(up, " BETWEEN ") {
		return ""
	}
	end := len(sql)
	if m := endWhere.FindStringIndex(sql[at:]); m != nil {
		end = at + m[0]
	}
	if strings.ContainsAny(sql[at:end], "()") {
		return ""
	}
	from := at
	if and := strings.LastIndex(up[at:end], " AND "); and > 0 {
		from = at + and
	}
	return strings.TrimSpace(sql[:from] + " " + sql[end:])
}
