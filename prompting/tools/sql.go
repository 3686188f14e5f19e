package tools

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"assay/prompting/sql/engine"

	"assay/prompting/sql/tree"
)

// executeSQL runs a query in the sandbox. All rows are kept in their order; the authors' code sorts them and drops
// repeated ones, which shows a model results that its query does not have.
func (s *Set) executeSQL(ctx context.Context, sql string) (Observation, error) {
	if s.o.Spider {
		if why := s.refuse(sql); why != "" {
			return bad("%s", why), nil
		}
	}
	res, err := s.box.Run(ctx, s.base, sql)
	if err != nil {
		e, ok := errors.AsType[*engine.Error](err)
		if !ok || e.Kind == engine.Unavailable {
			return Observation{}, err
		}
		o := bad("%s", s.failed(e))
		o.SQL, o.Failure = sql, e.Kind
		return o, nil
	}
	o := Observation{SQL: sql, Rows: len(res.Rows), Columns: len(res.Columns), Empty: len(res.Rows) == 0, Void: void(res)}
	o.Text = shown(res, s.o.Observation)
	if s.o.DoubleCheck && o.Columns > 1 && !s.state.columns.Swap(true) {
		o.Text += "\nThe result has " + counted(o.Columns, "column") + ": see whether the question asks for each of them."
	}
	return o, nil
}

// failed returns a sandbox error in words for the model.
func (s *Set) failed(e *engine.Error) string {
	why := clip(e.Err.Error(), 300)
	switch e.Kind {
	case engine.Rejected:
		return "the query was refused, for only one query that reads may run: " + why
	case engine.Timeout:
		return "the query was stopped at the limit of " + string(e.Limit) + ": " + why
	}
	return "the query failed: " + why
}

// refuse returns what the authors' code would not run on Spider: LEFT JOIN and IN, NOT IN included, and the first time
// an alias of a table or column. Empty where it would, or where the text is no SQL, of which SQLite tells more.
func (s *Set) refuse(sql string) string {
	forms, err := tree.FormsOf(sql)
	switch {
	case err != nil:
		return ""
	case forms.LeftJoin:
		return "LEFT JOIN is not used here: write the query with JOIN."
	case forms.In:
		return "IN is not used here: write the query with JOIN, or with INTERSECT and EXCEPT."
	case forms.Alias && !s.state.alias.Swap(true):
		return "write the query without aliases, each column as table.column; if it cannot be done without, run it again as it is."
	}
	return ""
}

// shown writes a result as a list of tuples, cut to a number of characters.
func shown(res *engine.Result, most int) string {
	var b strings.Builder
	b.WriteByte('[')
	for i, row := range res.Rows {
		if i > 0 {
			b.WriteString(", ")
		}
		writeTuple(&b, row, most)
		if b.Len() > 4*most+8 {
			break // more bytes than the characters shown can have
		}
	}
	if b.Len() <= 4*most+8 {
		b.WriteByte(']')
	}
	text := b.String()
	whole := utf8.RuneCountInString(text) <= most
	if !whole {
		text = string([]rune(text)[:most]) + "..."
	}
	switch {
	case res.Truncated:
		return text + fmt.Sprintf(" (cut: more than %s)", counted(len(res.Rows), "row"))
	case !whole:
		return text + fmt.Sprintf(" (cut: %s in all)", counted(len(res.Rows), "row"))
	}
	return text
}

// writeTuple writes a row; of a long value no more than will be shown.
func writeTuple(b *strings.Builder, row []engine.Value, most int) {
	b.WriteByte('(')
	for i, v := range row {
		if i > 0 {
			b.WriteString(", ")
		}
		switch v.Kind() {
		case engine.Null:
			b.WriteString("None")
		case engine.Text:
			b.WriteString(repr(head(v.Bytes(), most)))
		case engine.Blob:
			bytes := v.Bytes()
			b.WriteString("x'" + hex.EncodeToString([]byte(bytes[:min(len(bytes), most)])) + "'")
		default:
			b.WriteString(v.String())
		}
	}
	if len(row) == 1 {
		b.WriteByte(',')
	}
	b.WriteByte(')')
}

// head is at least the first n characters of s, as UTF-8.
func head(s string, n int) string {
	return strings.ToValidUTF8(s[:min(len(s), 4*n+4)], "\uFFFD")
}

// void reports whether the authors' code treats a result as empty: [], [(None,)], [(None, None)], [(0,)], [(0.0,)], and
// one row with the empty text.
func void(res *engine.Result) bool {
	if len(res.Rows) == 0 {
		return true
	}
	row := res.Rows[0]
	if len(res.Rows) > 1 || len(row) > 2 {
		return false
	}
	if row[0].Kind() == engine.Null {
		return row[len(row)-1].Kind() == engine.Null
	}
	return len(row) == 1 && (row[0] == engine.OfText("") || row[0].Canonical() == engine.OfInt(0))
}
