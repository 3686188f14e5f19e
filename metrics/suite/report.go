package suite

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"

	"assay/metrics/spreadsheet"
)

// Report measures the quality of a suite.
type Report struct {
	DB        string `json:"db"`
	Databases []File `json:"databases"` // the original first
	Items     []Item `json:"items"`     // in the order of the gold queries
	Totals    []Rate `json:"totals"`    // over distinct gold queries, one per equality
	Tries     int    `json:"tries"`     // neighbours made
	Unfit     int    `json:"unfit"`     // neighbours that cannot be kept: a gold query fails on them, or depends on a choice of SQLite's
}

// File is a database of the suite.
type File struct {
	Name    string `json:"name"`
	SHA256  string `json:"sha256"`
	Bytes   int    `json:"bytes"`
	Answers int    `json:"answers"` // distinct gold queries that return rows on it
}

// Item reports how well the suite distinguishes one gold query from its mutants.
type Item struct {
	Item    string  `json:"item"`
	Problem string  `json:"problem,omitempty"` // why no mutants could be made; Rates is empty then
	Shaky   string  `json:"shaky,omitempty"`   // the choice of SQLite's that the gold query depends on, on the original
	Answers int     `json:"answers"`           // databases on which the gold query returns rows
	Rates   []Score `json:"rates,omitempty"`   // one per equality
}

// Rate is how many mutants a suite kills under an equality.
type Rate struct {
	Equality string `json:"equality"`
	Mutants  int    `json:"mutants"`
	Killed   int    `json:"killed"`
	Original int    `json:"killed_on_original"` // of Killed, those that the original kills by itself
}

// Score is a Rate with what was left.
type Score struct {
	Rate
	Survivors []Survivor `json:"survivors,omitempty"`
}

// Survivor is a mutant that no database of the suite kills. It is perhaps equivalent to the gold query, and that is
// likely where no neighbour of all those tried killed it.
type Survivor struct {
	Rule    string `json:"rule"`
	SQL     string `json:"sql"`
	Tried   bool   `json:"killed_by_others"` // a neighbour that was not kept would have killed it
	Stopped bool   `json:"stopped"`          // it met its deadline on some database, so nothing is known there
}

// Percent is Killed of Mutants, 100 where there are none.
func (r Rate) Percent() float64 {
	if r.Mutants == 0 {
		return 100
	}
	return 100 * float64(r.Killed) / float64(r.Mutants)
}

// WriteJSON writes the report as indented JSON.
func (r Report) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(r); err != nil {
		return fmt.Errorf("suite: write report %q: %w", r.DB, err)
	}
	return nil
}

// WriteCSV writes one line per item and equality: db, item, equality, mutants, killed, killed_on_original, answers,
// problem.
func (r Report) WriteCSV(w io.Writer) error {
	c := spreadsheet.NewWriter(w)
	c.Write([]string{"db", "item", "equality", "mutants", "killed", "killed_on_original", "answers", "problem"})
	for _, it := range r.Items {
		if it.Problem != "" {
			c.Write([]string{r.DB, it.Item, "", "", "", "", "", it.Problem})
		}
		for _, s := range it.Rates {
			c.Write([]string{r.DB, it.Item, s.Equality, strconv.Itoa(s.Mutants), strconv.Itoa(s.Killed), strconv.Itoa(s.Original),
				strconv.Itoa(it.Answers), ""})
		}
	}
	if c.Flush(); c.Error() != nil {
		return fmt.Errorf("suite: write report %q: %w", r.DB, c.Error())
	}
	return nil
}
