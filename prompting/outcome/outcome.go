// Package outcome runs a candidate's query and tells, as a prompt would, what came of it.
package outcome

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"assay/prompting/sql/engine"
	"assay/prompting/sql/sandbox"

	"assay/prompting/sql/tree"
)

// Outcome is what running one query gave: a result or an error.
type Outcome struct {
	Result *engine.Result // nil where there is an error
	Err    *engine.Error  // nil where there is a result
	Whole  *Whole         // where Result holds the first rows alone, see Head; nil where it holds all

	text string // of the whole, where Result does not hold it
}

// Run executes sql on a database. A question without one has the error that an
// unreadable one has, of kind [engine.Unavailable]. The Go error is ctx.Err() alone.
func Run(ctx context.Context, box sandbox.Runner, db engine.DB, sql string) (Outcome, error) {
	if db.None() {
		return Outcome{Err: &engine.Error{Kind: engine.Unavailable, SQL: sql, Err: errors.New("the question has no database file")}}, ctx.Err()
	}
	res, err := box.Run(ctx, db, sql)
	if err == nil {
		return Outcome{Result: res}, nil
	}
	if e, ok := errors.AsType[*engine.Error](err); ok {
		return Outcome{Err: e}, nil
	}
	return Outcome{}, err
}

// OK says whether the query ran to its end.
func (o Outcome) OK() bool { return o.Err == nil && o.Result != nil }

// Empty says whether the query ran and returned no row.
func (o Outcome) Empty() bool { return o.OK() && o.rows() == 0 }

// Unknown says whether nothing is known of the query because its database could not be had.
func (o Outcome) Unknown() bool { return o.Err != nil && o.Err.Kind == engine.Unavailable }

// Bounds of what Text prints.
const (
	MaxRows = 10   // rows of a result
	MaxCell = 60   // characters of a value or a column's name
	MaxText = 2000 // bytes in all, but for the line that counts the rows
)

// Preview is Text with at most that many rows.
func (o Outcome) Preview(rows int) string { return o.printed(rows) }

// Text prints the outcome: a line of column names, the first rows, and how many rows there are; or the error's cause.
// Cells are divided by " | ", and nothing in one can end its line. At most MaxRows rows are shown, and MaxText bytes.
func (o Outcome) Text() string {
	if o.Whole != nil {
		return o.text
	}
	return o.printed(MaxRows)
}

func (o Outcome) printed(rows int) string {
	if o.Err != nil {
		return "error: " + clip(o.Err.Err.Error(), MaxText/4)
	}
	if o.Result == nil {
		return "not run"
	}
	var b strings.Builder
	b.WriteString(line(o.Result.Columns))
	shown := 0
	for _, row := range o.Result.Rows {
		cells := make([]string, len(row))
		for i, v := range row {
			cells[i] = Cell(v)
		}
		next := line(cells)
		if shown == rows || b.Len()+len(next) > MaxText {
			break
		}
		b.WriteString(next)
		shown++
	}
	b.WriteString(count(o.rows(), shown))
	return b.String()
}

// count is the last line of a result.
func count(rows, shown int) string {
	switch {
	case rows == 0:
		return "(no rows)"
	case rows == 1 && shown == 1:
		return "(1 row)"
	case shown == rows:
		return fmt.Sprintf("(%d rows)", rows)
	}
	return fmt.Sprintf("(the first %d of %d rows)", shown, rows)
}

// line joins cells, as many as MaxText has room for.
func line(cells []string) string {
	var b strings.Builder
	for i, c := range cells {
		if i > 0 {
			b.WriteString(" | ")
		}
		if c = clip(c, MaxCell); b.Len()+len(c) > MaxText/2 {
			b.WriteString("...")
			break
		}
		b.WriteString(c)
	}
	return b.String() + "\n"
}

// Cell prints a value: a text as it is, a blob by its length.
func Cell(v engine.Value) string {
	if v.Kind() == engine.Blob {
		return fmt.Sprintf("(blob of %d bytes)", len(v.Bytes()))
	}
	return v.String()
}

// clip keeps s on one line, valid UTF-8, and at most n characters long but for the dots that stand for the rest.
func clip(s string, n int) string {
	most := 8 * n
	long := len(s) > most // what is cut off need not be read
	if long {
		s = s[:most]
	}
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "\uFFFD")), " ")
	if r := []rune(s); len(r) > n {
		s, long = string(r[:n]), true
	}
	if long {
		s += "..."
	}
	return s
}

// Flat prints a query on one line but for what its quotes hold: its tokens as written, one space where white space or
// comments stood, no semicolon at its end. Text that SQLite's tokenizer cannot read is only trimmed.
func Flat(sql string) string {
	sql = strings.Trim(sql, " \t\r\n\f") // SQLite's white space
	if strings.IndexByte(sql, 0) >= 0 {
		return sql
	}
	toks := tree.Tokens(sql)
	for len(toks) > 0 && toks[len(toks)-1].Text == ";" {
		toks = toks[:len(toks)-1]
	}
	var b strings.Builder
	for i, t := range toks {
		if t.Kind == tree.IllegalText {
			return sql
		}
		if i > 0 && t.Start > toks[i-1].End {
			b.WriteByte(' ')
		}
		b.WriteString(t.Text)
	}
	return b.String()
}
