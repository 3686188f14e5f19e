package demos

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"assay/metrics/spreadsheet"
	"assay/prompting/exemplar"
)

// Row is a line of the review: a demonstration, or a text of it.
type Row struct {
	ID, DB, Hardness string
	Part             string // question, cot, step 1, part 1.1, dialogue; failed for what was not kept
	Text, SQL        string
	By               string  // provenance
	Score            float64 // naturalness, of the steps; 0 elsewhere
	Why              string  // what the score takes off, or what failed
	Verdict, Note    string  // a person's: keep, drop, or nothing
}

// The verdicts.
const (
	Keep = "keep"
	Drop = "drop"
)

// header are the columns of the review.
var header = []string{"id", "db", "hardness", "part", "text", "sql", "by", "score", "why", "verdict", "note"}

// failedPart is the part of a row that says what failed.
const failedPart = "failed"

// Rows are the lines of the review of what was made: a demonstration, its texts, and what failed of it.
func Rows(made []Made) (out []Row) {
	for _, m := range made {
		if m.Kept {
			out = append(out, rowsOf(m.Demo, strings.Join(m.Why, "; "))...)
		}
		for _, f := range m.Failures {
			out = append(out, Row{ID: m.ID, DB: m.DB, Hardness: m.Hardness, Part: failedPart, Text: m.Question, SQL: m.SQL, Why: f.String()})
		}
	}
	return out
}

// RowsOf are the lines of the review of demonstrations.
func RowsOf(demos []exemplar.Demo) (out []Row) {
	for _, d := range demos {
		out = append(out, rowsOf(d, "")...)
	}
	return out
}

func rowsOf(d exemplar.Demo, why string) []Row {
	row := func(part, text, sql, by string) Row {
		return Row{ID: d.ID, DB: d.DB, Hardness: d.Hardness, Part: part, Text: text, SQL: sql, By: by}
	}
	first := row("question", d.Question, d.SQL, "")
	if first.Score, first.Why, first.Note = d.Naturalness, why, d.Note; d.Reviewed {
		first.Verdict = Keep
	}
	out := []Row{first}
	if d.CoT != "" {
		out = append(out, row(CoT, d.CoT, "", d.By.Of(CoT)))
	}
	for i, s := range d.Steps {
		out = append(out, row("step "+strconv.Itoa(i+1), s.Question, s.SQL, d.By.Of(Steps)))
	}
	if d.Division != nil {
		for _, p := range d.Division.Parts {
			out = append(out, row(strings.TrimSpace("part "+p.Number), p.Question, p.SQL, d.By.Of(Division)))
		}
	}
	if len(d.Dialogue) > 0 {
		out = append(out, row(Dialogue, exemplar.DialogueText(d.Dialogue), "", d.By.Of(Dialogue)))
	}
	return out
}

// WriteCSV writes the review.
func WriteCSV(w io.Writer, rows []Row) error {
	out := spreadsheet.NewWriter(w)
	if err := out.Write(header); err != nil {
		return err
	}
	for _, r := range rows {
		score := ""
		if r.Score != 0 {
			score = strconv.FormatFloat(r.Score, 'f', 2, 64)
		}
		if err := out.Write([]string{r.ID, r.DB, r.Hardness, r.Part, r.Text, r.SQL, r.By, score, r.Why, r.Verdict, r.Note}); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// ReadCSV reads a review, whose cells are split at the comma, semicolon or tab that its header has most of. Columns may stand in
// another order, and others may be there; an error names the line.
func ReadCSV(text []byte) ([]Row, error) {
	in := spreadsheet.NewReader(bytes.NewReader(text))
	in.SplitAt(spreadsheet.Separator(text))
	head, err := in.Read()
	if err != nil {
		return nil, fmt.Errorf("line 1: the header of the review is missing: %w", err)
	}
	var at [11]int
	for i, name := range header {
		if at[i] = slices.Index(head, name); at[i] < 0 && slices.Contains([]string{"id", "part", "text", "sql", "verdict"}, name) {
			return nil, fmt.Errorf("line 1: there is no column %q: assay demos review writes the columns %s", name, strings.Join(header, ", "))
		}
	}
	var out []Row
	for line := 2; ; line++ {
		cells, err := in.Read()
		if errors.Is(err, io.EOF) && len(out) == 0 {
			return nil, errors.New("it has no row below its header: its lines may end in another way than with a line feed")
		}
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, fmt.Errorf("row %d: %w", line, err)
		}
		cell := func(i int) string {
			if at[i] < 0 || at[i] >= len(cells) {
				return ""
			}
			return cells[at[i]]
		}
		row := Row{ID: cell(0), Part: cell(3), Text: cell(4), SQL: cell(5), Verdict: strings.ToLower(strings.TrimSpace(cell(9))), Note: cell(10)}
		if row.Verdict != "" && row.Verdict != Keep && row.Verdict != Drop {
			return nil, fmt.Errorf("row %d: verdict %q of %q: want keep, drop, or nothing", line, cell(9), row.ID)
		}
		out = append(out, row)
	}
}
