package tools

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"assay/prompting/sql/engine"
)

// Bounds of a column's statistics.
const (
	statRows       = 1_000_000 // first rows of the table that are read: unlike a deadline, it gives the same text on any machine
	sampleLength   = 100       // characters of samples shown together
	mostCategories = 50        // distinct texts that are shown one by one
	fewNumbers     = 10        // distinct numbers that are
	categoryLength = 40        // characters of a text that is
	listLength     = 600       // characters of all of them
	mostStats      = 20_000    // columns cached per database
)

// Glob patterns of texts that are dates, and sort as such.
var datePatterns = [...]string{"[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]*", "[0-9][0-9][0-9][0-9]/[0-9][0-9]/[0-9][0-9]*"}

// statistics describes a column's cells in one line: numbers and dates by the least, the greatest and the number of
// distinct ones, few distinct texts by listing them, other texts by the first samples. The line is cached. If the query
// meets a bound of the sandbox, the line says so.
func (s *Set) statistics(ctx context.Context, table, column string) (string, error) {
	key := [2]string{table, column}
	s.desk.mu.Lock()
	text, ok := s.desk.stats[key]
	s.desk.mu.Unlock()
	if ok {
		return text, nil
	}
	text, err := s.measure(ctx, table, column)
	if e, ok := errors.AsType[*engine.Error](err); ok && e.Kind != engine.Unavailable {
		text, err = "not known: "+clip(e.Err.Error(), 100), nil
	}
	if err != nil {
		return "", err
	}
	s.desk.mu.Lock()
	defer s.desk.mu.Unlock()
	if len(s.desk.stats) < mostStats {
		s.desk.stats[key] = text
	}
	return text, nil
}

// summary is the result of the one query about a column.
type summary struct {
	rows, filled, numbers, texts, dates, distinct int64
	least, greatest                               engine.Value
}

func (s *Set) measure(ctx context.Context, table, column string) (string, error) {
	if s.base.None() {
		return "", errors.New("the question has no database")
	}
	quote := s.base.Engine.Dialect().Quote
	from := fmt.Sprintf("(SELECT %s AS c FROM %s NOT INDEXED LIMIT %d)", quote(column), quote(table), statRows)
	m, err := s.summarize(ctx, from)
	if err != nil {
		return "", err
	}
	var text string
	switch {
	case m.rows == 0:
		return "the table is empty", nil
	case m.filled == 0:
		return "all NULL", nil
	case m.numbers == m.filled:
		text, err = s.ends(ctx, "numbers", from, m, fewNumbers)
	case m.dates == m.filled:
		text, err = s.ends(ctx, "dates", from, m, 0)
	case m.texts == 0 && m.numbers == 0:
		text = "binary data"
	default:
		text, err = s.texts(ctx, from, m)
	}
	if m.filled < m.rows {
		text += fmt.Sprintf("; %d of %d are NULL", m.rows-m.filled, m.rows)
	}
	if m.rows == statRows {
		text += fmt.Sprintf("; of the first %d rows", statRows)
	}
	return text, err
}

// summarize reads the cells once. Texts are compared by their first characters, so that long ones are not held.
func (s *Set) summarize(ctx context.Context, from string) (m summary, err error) {
	q := fmt.Sprintf(`SELECT count(*), count(c), total(typeof(c) IN ('integer', 'real')), total(typeof(c) = 'text'),
total(typeof(c) = 'text' AND (c GLOB '%s' OR c GLOB '%s')), count(DISTINCT c), min(c), max(c)
FROM (SELECT CASE typeof(c) WHEN 'text' THEN substr(c, 1, 200) WHEN 'blob' THEN substr(c, 1, 16) ELSE c END AS c FROM %s)`,
		datePatterns[0], datePatterns[1], from)
	res, err := s.box.Run(ctx, s.base, q)
	if err != nil {
		return m, err
	}
	row := res.Rows[0]
	for i, p := range []*int64{&m.rows, &m.filled, &m.numbers, &m.texts, &m.dates, &m.distinct} {
		*p = int64(row[i].Float64())
	}
	m.least, m.greatest = row[6], row[7]
	return m, nil
}

// ends returns the ends of numbers or dates, or all of them where they are few.
func (s *Set) ends(ctx context.Context, what, from string, m summary, few int64) (string, error) {
	if m.distinct <= few {
		all, err := s.cells(ctx, from, few)
		return fmt.Sprintf("%s: %s", what, strings.Join(all, ", ")), err
	}
	return fmt.Sprintf("%s from %s to %s, %d different", what, clip(m.least.String(), 40), clip(m.greatest.String(), 40), m.distinct), nil
}

// cells reads the distinct cells in their order.
func (s *Set) cells(ctx context.Context, from string, most int64) ([]string, error) {
	res, err := s.box.Run(ctx, s.base, fmt.Sprintf("SELECT DISTINCT substr(c, 1, 200) FROM %s WHERE c IS NOT NULL ORDER BY c LIMIT %d", from, most))
	if err != nil {
		return nil, err
	}
	out := make([]string, len(res.Rows))
	for i, row := range res.Rows {
		out[i] = strings.ToValidUTF8(row[0].String(), "\uFFFD")
	}
	return out, nil
}

// texts lists all distinct texts where they are few and short, else the first in storage order.
func (s *Set) texts(ctx context.Context, from string, m summary) (string, error) {
	if m.distinct <= mostCategories {
		all, err := s.cells(ctx, from, mostCategories)
		if err != nil {
			return "", err
		}
		list := strings.Join(reprs(all), ", ")
		long := slices.ContainsFunc(all, func(s string) bool { return utf8.RuneCountInString(s) > categoryLength })
		if !long && utf8.RuneCountInString(list) <= listLength {
			return "categories: " + list, nil
		}
	}
	res, err := s.box.Run(ctx, s.base, fmt.Sprintf("SELECT DISTINCT substr(c, 1, %d) FROM %s WHERE c IS NOT NULL LIMIT 10", sampleLength+1, from))
	if err != nil {
		return "", err
	}
	var first []string
	for _, row := range res.Rows {
		first = append(first, strings.ToValidUTF8(row[0].String(), "\uFFFD"))
	}
	return fmt.Sprintf("texts, %d different, such as %s", m.distinct, cut(strings.Join(reprs(first), ", "), sampleLength)), nil
}

func reprs(all []string) []string {
	out := make([]string, len(all))
	for i, s := range all {
		out[i] = repr(s)
	}
	return out
}

// cut returns the first n characters of s, marked where there were more.
func cut(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n]) + "..."
}
