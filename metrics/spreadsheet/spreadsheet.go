// Package spreadsheet writes and reads the CSV files that people open in a spreadsheet, so that no cell of them is a formula
// and every text is read back as it was.
//
// [Files] lists those files, and how the exact text is got without this package. A cell that a spreadsheet would compute
// gets an apostrophe in front ([Guard]), and so does one that would look like a guarded one, so that [Exact] is the inverse.
// All CSV that assay writes goes through a [Writer], and a [Reader] reads it; a test finds any other. The package must never
// change a number.
//
// A file has commas between its cells. A spreadsheet that is told to split at semicolons splits within texts, and no guard
// holds there: import the file with the comma as the only separator.
package spreadsheet

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"io"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// File describes a CSV file, or several of one kind.
type File struct {
	Name  string // the file in its folder, or the flags that ask for it
	Holds string // the texts in it that others wrote
	Exact string // where they are without apostrophes
}

// Files are all CSV files that assay writes. All of them are opened in spreadsheets, so all of them are guarded.
var Files = []File{
	{"RUN/questions.csv", "questions, evidence, gold queries", "assay show RUN ITEM --json"},
	{"RUN/items.csv", "item ids, databases, the answers' SQL", "assay show RUN ITEM --json"},
	{"RUN/candidates.csv, dropped.csv", "candidates' SQL, and why they fail", "assay show RUN ITEM --json"},
	{"RUN/calls.csv", "finish reasons, failures, observations", "assay show RUN ITEM --json"},
	{"RUN/votes.csv, links.csv", "what methods decided and linked", "assay show RUN ITEM"},
	{"RUN/steps.csv", "sub-questions, columns and SQL of steps, and why they fail", "assay show RUN ITEM --json"},
	{"RUN/components.csv", "item ids", "assay show RUN ITEM --json"},
	{"RUN/demonstrations.csv", "ids of demonstrations", "the annotation file, or the training split"},
	{"RUN/vectors.csv", "why there is no vector", "assay run"},
	{"RUN/results.csv, columns.csv", "cell values, table and column names", "the database itself"},
	{"RUN/parts.csv", "item ids", "assay tokens RUN --json"},
	{"RUN/statistics.csv", "the dataset's name", "RUN/run.toml"},
	{"RUN/report/*.csv", "labels", "RUN/run.toml"},
	{"diff --out: groups.csv, flips.csv, patterns.csv; --format csv", "labels, item ids, SQL", "assay diff A B --json"},
	{"errors --out", "questions, gold queries, SQL, evidence", "assay show RUN ITEM --json"},
	{"eval --items, --format csv", "item ids, databases", "assay eval --json"},
	{"check-gold --items", "item ids, findings", "assay check-gold --json"},
	{"suite build: report.csv", "item ids, problems", "the report.json beside it"},
	{"init: questions.csv", "names of databases and tables, in questions and gold queries", "the database itself"},
	{"demos make --review, demos review --out", "questions, sub-questions, SQL, dialogues", "the annotation file"},
	{"stats --items, --format csv", "item ids, databases, values in gold queries", "assay stats --json"},
}

// starts are the characters at which spreadsheets begin a formula, with their full-width and small forms, and the controls
// that make one skip to the next cell or line (OWASP, "CSV Injection").
const starts = "=+-@\t\r\n" + "＝＋－＠" + "﹦﹢﹣﹫"

// quotes may stand before a formula: spreadsheets drop some of them on import.
const quotes = "\"'`´‘’‚‛“”„‟«»‹›＂＇"

// number matches what spreadsheets read as a number, and a sign alone.
var number = regexp.MustCompile(`^[+-](?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?%?)? *$`)

// Guard returns the cell for a text: with an apostrophe in front where a spreadsheet would compute it, perhaps after it
// dropped blanks, quotes and characters that are not seen.
func Guard(text string) string {
	if computed(text) {
		return "'" + text
	}
	return text
}

// Exact returns the text of a cell that Guard made. Of a cell that a person wrote it drops an apostrophe before a formula,
// and nothing else.
func Exact(cell string) string {
	if rest, ok := strings.CutPrefix(cell, "'"); ok && computed(rest) {
		return rest
	}
	return cell
}

// computed reports whether a text is a formula after what may be dropped before it. Apostrophes are among that, so one
// more changes nothing: that makes Exact the inverse of Guard.
func computed(text string) bool {
	for i, r := range text {
		switch {
		case strings.ContainsRune(starts, r) && r != utf8.RuneError:
			return !number.MatchString(text[i:])
		case !unicode.In(r, unicode.White_Space, unicode.Cc, unicode.Cf) && !strings.ContainsRune(quotes, r):
			return false
		}
	}
	return false
}

// Writer writes a CSV file with guarded cells. It is a writer of gocsv.
type Writer struct{ csv *csv.Writer }

// NewWriter returns a Writer; Flush ends the file.
func NewWriter(w io.Writer) *Writer { return &Writer{csv.NewWriter(w)} }

// Write writes one record.
func (w *Writer) Write(record []string) error {
	cells := make([]string, len(record))
	for i, text := range record {
		cells[i] = Guard(text)
	}
	return w.csv.Write(cells)
}

// WriteAll writes the records of a whole file.
func (w *Writer) WriteAll(records [][]string) error {
	for _, r := range records {
		if err := w.Write(r); err != nil {
			return err
		}
	}
	w.Flush()
	return w.Error()
}

// Flush writes what is buffered; Error says if that failed.
func (w *Writer) Flush() { w.csv.Flush() }

// Error returns the first error of Write and Flush.
func (w *Writer) Error() error { return w.csv.Error() }

// Reader reads a CSV file that a Writer wrote. It is a reader of gocsv.
type Reader struct{ csv *csv.Reader }

// longestHeader is how many bytes are looked at for the end of the first record.
const longestHeader = 64 << 10

// NewReader reads a file. Where its lines end in line feeds alone, as a Writer's do, a carriage return before a line feed
// is part of a text and is kept; package csv would drop it. A file that another program saved with both has lost the
// difference.
func NewReader(from io.Reader) *Reader {
	b := bufio.NewReaderSize(from, longestHeader)
	head, _ := b.Peek(longestHeader) // an error is that of the first Read too
	if bytes.HasPrefix(head, []byte("\ufeff")) {
		_, _ = b.Discard(3)
	}
	if returns(head) {
		return &Reader{csv.NewReader(b)}
	}
	return &Reader{csv.NewReader(&doubler{from: b})}
}

// SplitAt says at which character cells are split, before the first record is read; a Writer's is the comma.
func (r *Reader) SplitAt(comma rune) { r.csv.Comma = comma }

// Separator returns the comma, semicolon or tab that the first line of a file has most of: spreadsheets of other languages than
// English save files with semicolons.
func Separator(file []byte) rune {
	head, _, _ := bytes.Cut(bytes.TrimLeft(file, "\ufeff\r\n"), []byte("\n"))
	comma := ','
	for _, c := range []rune{';', '\t'} {
		if strings.Count(string(head), string(c)) > strings.Count(string(head), string(comma)) {
			comma = c
		}
	}
	return comma
}

// doubler reads a carriage return before a line feed twice, because package csv drops one.
type doubler struct {
	from *bufio.Reader
	owed []byte
}

func (d *doubler) Read(p []byte) (n int, err error) {
	for n < len(p) {
		if len(d.owed) > 0 {
			p[n], d.owed = d.owed[0], d.owed[1:]
			n++
			continue
		}
		if n > 0 && d.from.Buffered() == 0 {
			return n, nil
		}
		chunk, err := d.from.Peek(max(1, min(d.from.Buffered(), len(p)-n)))
		if len(chunk) == 0 {
			return n, err
		}
		at := bytes.IndexByte(chunk, '\r')
		if at != 0 {
			if at < 0 {
				at = len(chunk)
			}
			n += copy(p[n:], chunk[:at])
			_, _ = d.from.Discard(at)
			continue
		}
		_, _ = d.from.Discard(1)
		d.owed = []byte("\r")
		if next, _ := d.from.Peek(1); len(next) == 1 && next[0] == '\n' {
			d.owed = []byte("\r\r")
		}
	}
	return n, nil
}

// returns reports whether the first record ends in a carriage return and a line feed.
func returns(file []byte) bool {
	within := false // quotes
	for i, c := range file {
		switch {
		case c == '"':
			within = !within
		case c == '\n' && !within:
			return i > 0 && file[i-1] == '\r'
		}
	}
	return false
}

// Read returns the next record's texts.
func (r *Reader) Read() ([]string, error) {
	record, err := r.csv.Read()
	for i, cell := range record {
		record[i] = Exact(cell)
	}
	return record, err
}

// Line returns the line, from 1, on which the record that was read last begins.
func (r *Reader) Line() int {
	line, _ := r.csv.FieldPos(0)
	return line
}

// ReadAll returns the texts of all further records.
func (r *Reader) ReadAll() (all [][]string, err error) {
	for {
		record, err := r.Read()
		if err == io.EOF {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		all = append(all, record)
	}
}
