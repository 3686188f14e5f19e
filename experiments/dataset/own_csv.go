package dataset

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"assay/configs"
	"assay/metrics/spreadsheet"
)

// ownColumns are the columns of a file of one's own questions, each with the headers that stand for it; the first is the one
// that assay writes.
var ownColumns = []struct {
	names []string
	to    func(*Row) *string
}{
	{[]string{"id", "question_id"}, func(r *Row) *string { return &r.ID }},
	{[]string{"db", "db_id", "database"}, func(r *Row) *string { return &r.DB }},
	{[]string{"question"}, func(r *Row) *string { return &r.Question }},
	{[]string{"evidence", "hint"}, func(r *Row) *string { return &r.Evidence }},
	{[]string{"gold", "sql", "query", "gold_query", "gold_sql"}, func(r *Row) *string { return &r.Gold }},
	{[]string{"difficulty"}, func(r *Row) *string { return &r.Difficulty }},
}

// OwnHeader is the first line of a file of one's own questions.
func OwnHeader() []string {
	out := make([]string, len(ownColumns))
	for i, c := range ownColumns {
		out[i] = c.names[0]
	}
	return out
}

// mostFaults bounds what is listed: a file of another form would give a fault for each line.
const mostFaults = 100

// ownParser reads a file of one's own questions.
type ownParser struct {
	Asked
	bases   []string
	columns []func(*Row) *string // by position; nil for one that is not read
	seen    map[string]int       // ids, with the line of each
}

// parseOwn reads the text of a CSV file over the databases of these names. Cells are split at the comma, semicolon or tab that
// the header has most of, or at that of a first line such as "sep=;". Rows without any text are left out.
func parseOwn(text []byte, bases []string) *Asked {
	p := &ownParser{bases: bases, seen: map[string]int{}}
	text, comma, skipped := separator(text)
	r := csv.NewReader(bytes.NewReader(text))
	r.Comma, r.FieldsPerRecord = comma, -1
	for len(p.Faults) < mostFaults {
		cells, err := r.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			p.broken(err, skipped)
			break
		}
		line, _ := r.FieldPos(0)
		for i := range cells {
			cells[i] = strings.TrimSpace(spreadsheet.Exact(cells[i]))
		}
		switch {
		case slices.Max(cells) == "": // a line of separators, as spreadsheets write below the last row
		case p.columns == nil:
			if !p.header(cells, line+skipped, comma) {
				return &p.Asked
			}
		default:
			p.row(cells, line+skipped, comma)
		}
		if len(p.Rows) > mostRecords {
			p.fault(0, "more than %d questions: split the file", mostRecords)
			break
		}
	}
	if len(p.Rows) == 0 && len(p.Faults) == 0 {
		p.fault(0, "it has no question: write one a line, below a first line such as %q", strings.Join(OwnHeader(), ","))
	}
	return &p.Asked
}

func (p *ownParser) fault(line int, format string, args ...any) {
	p.Faults = append(p.Faults, Fault{line, fmt.Sprintf(format, args...)})
}

// broken says in which line the quotes are wrong.
func (p *ownParser) broken(err error, skipped int) {
	e, ok := errors.AsType[*csv.ParseError](err)
	switch {
	case !ok:
		p.fault(0, "%v", err)
	case errors.Is(e.Err, csv.ErrQuote) && e.Line > e.StartLine:
		p.fault(e.StartLine+skipped, "a quote is opened here that does not end where its cell does (line %d): double the quotes within a cell", e.Line+skipped)
	default:
		p.fault(e.StartLine+skipped, "a quote is out of place: put the whole cell in quotes, and double those in it (\"WHERE name = \"\"x\"\"\")")
	}
}

// named is a first line that only names what the cells are split at, as spreadsheets understand it.
var named = regexp.MustCompile("^sep=([,;|\t])\r?\n")

// separator finds what the cells are split at, and cuts a first line that only names it; skipped counts that line.
func separator(text []byte) (rest []byte, comma rune, skipped int) {
	if m := named.FindSubmatch(text); m != nil {
		return text[len(m[0]):], rune(m[1][0]), 1
	}
	head, after, _ := bytes.Cut(text, []byte("\n"))
	for len(bytes.Trim(head, "\r;,\t ")) == 0 && len(after) > 0 { // empty lines before the header
		head, after, _ = bytes.Cut(after, []byte("\n"))
	}
	return text, spreadsheet.Separator(head), 0
}

// header reads the names of the columns; false where the file cannot be read on.
func (p *ownParser) header(cells []string, line int, comma rune) bool {
	p.columns = make([]func(*Row) *string, len(cells))
	var known []string
	at := map[string]string{} // the header that was taken for each column
	for i, cell := range cells {
		name := strings.ToLower(strings.NewReplacer(" ", "_", "-", "_").Replace(cell))
		for _, c := range ownColumns {
			known = append(known, c.names...)
			if !slices.Contains(c.names, name) {
				continue
			}
			if other := at[c.names[0]]; other != "" {
				p.fault(line, "the columns %q and %q both hold the %s: rename one", other, cell, c.names[0])
			}
			at[c.names[0]], p.columns[i] = cell, c.to
		}
		if p.columns[i] == nil && cell != "" {
			p.Unread = append(p.Unread, cell)
		}
	}
	for _, cell := range p.Unread {
		if near := configs.Nearest(cell, known); near != "" && at[near] == "" && strings.EqualFold(cell[:1], near[:1]) && len(cell) > 3 {
			p.fault(line, "unknown column %q: did you mean %q?", cell, near)
		}
	}
	if at["question"] == "" {
		p.fault(line, "no column \"question\" among %s, split at %q: the first line names the columns, such as %q", quoted(cells), comma, strings.Join(OwnHeader(), ","))
	}
	return at["question"] != ""
}

// quoted lists the first cells of a header for a message.
func quoted(cells []string) string {
	const most = 6
	out := make([]string, 0, most+1)
	for i, c := range cells {
		if i == most {
			out = append(out, fmt.Sprintf("%d more", len(cells)-most))
			break
		}
		if r := []rune(c); len(r) > 40 {
			c = string(r[:40]) + "..."
		}
		out = append(out, fmt.Sprintf("%q", c))
	}
	return strings.Join(out, ", ")
}

// row reads one question.
func (p *ownParser) row(cells []string, line int, comma rune) {
	var r Row
	for i, cell := range cells {
		if i >= len(p.columns) && cell != "" {
			p.fault(line, "%d cells, and the header has %d: put a cell that holds %q in quotes", len(cells), len(p.columns), comma)
			return
		}
		if i < len(p.columns) && p.columns[i] != nil {
			*p.columns[i](&r) = cell
		}
	}
	if r.DB == "" && len(p.bases) == 1 {
		r.DB = p.bases[0]
	}
	id := clean(r.ID)
	switch {
	case r.Question == "":
		p.fault(line, "no question: fill the cell, or empty the whole row")
	case r.DB == "":
		p.fault(line, "no database: name one of %s in the column db", quoted(p.bases))
	case !slices.Contains(p.bases, r.DB):
		p.fault(line, "unknown database %q: there are %s", r.DB, quoted(p.bases))
	case id != "" && p.seen[id] > 0:
		p.fault(line, "the id %q is that of line %d too: each question needs its own", r.ID, p.seen[id])
	default:
		p.Rows = append(p.Rows, AskedRow{r, line})
	}
	if id != "" && p.seen[id] == 0 {
		p.seen[id] = line
	}
}
