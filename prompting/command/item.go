package command

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"assay/prompting"
	"assay/prompting/process"
	"assay/prompting/sql/schema"
)

// Item is the line that a program reads: a question, and where to ask a model about it.
type Item struct {
	ID       string         `json:"id"` // dataset/split/id; the answer repeats it
	Question string         `json:"question"`
	Evidence string         `json:"evidence"` // empty where there is none
	DB       string         `json:"db"`
	Schema   string         `json:"schema"` // as the arm's schema.format prints it
	Tables   []Table        `json:"tables"`
	Path     string         `json:"path"` // of the database's file; empty where there is none
	Params   map[string]any `json:"params"`
	Seed     int64          `json:"seed"` // of the run
	Sample   int            `json:"sample"`
	Samples  int            `json:"samples"` // model.samples

	Model        string `json:"model"` // the name of the arm's model, for requests
	BaseURL      string `json:"base_url"`
	AnthropicURL string `json:"anthropic_base_url"`
	Key          string `json:"api_key"`
}

// Table is a table of the item's database, without what linking cut away.
type Table struct {
	Name        string   `json:"name"`
	Description string   `json:"description,omitempty"`
	Columns     []Column `json:"columns"`
	PrimaryKey  []string `json:"primary_key"`
	ForeignKeys []Key    `json:"foreign_keys"`
}

// Column is a column of a table.
type Column struct {
	Name        string   `json:"name"`
	Type        string   `json:"type"`
	Meaning     string   `json:"meaning,omitempty"`     // its name in full, where the dataset has it
	Description string   `json:"description,omitempty"` // what it holds
	Values      string   `json:"values,omitempty"`      // what its values mean
	Samples     []string `json:"samples,omitempty"`     // some of its values
	Found       []string `json:"found,omitempty"`       // its values that the question seems to mention, where values are looked up
}

// Key says that a column of the table refers to one of another.
type Key struct {
	Column    string `json:"column"`
	RefTable  string `json:"ref_table"`
	RefColumn string `json:"ref_column"`
}

// NewItem returns what a program may know of a question, of which text is the schema as a prompt prints it. It has no address
// and no sample yet.
func NewItem(q prompting.Question, text string) Item {
	return Item{ID: q.ID, Question: q.Text, Evidence: q.Evidence, DB: q.DB, Schema: strings.TrimRight(text, "\n"),
		Tables: tables(q.Schema), Path: q.Database.Source, Params: map[string]any{}, Samples: 1}
}

// tables describes a database.
func tables(db *schema.Database) []Table {
	out := make([]Table, len(db.Tables))
	for i, t := range db.Tables {
		out[i] = Table{Name: t.Name, Description: t.Description, Columns: make([]Column, len(t.Columns)),
			PrimaryKey: append([]string{}, t.PrimaryKey...), ForeignKeys: []Key{}}
		for j, c := range t.Columns {
			out[i].Columns[j] = Column{c.Name, c.Type, c.Meaning, c.Description, c.Values, c.Samples, c.Found}
		}
		for _, k := range db.ForeignKeys {
			if k.Table == t.Name {
				out[i].ForeignKeys = append(out[i].ForeignKeys, Key{k.Column, k.RefTable, k.RefColumn})
			}
		}
	}
	return out
}

// Candidate is one SQL of an answer: a text, or an object with the part of the program that made it.
type Candidate struct {
	SQL    string `json:"sql"`
	Source string `json:"source,omitempty"` // empty where the program names no part
}

// UnmarshalJSON takes both forms.
func (c *Candidate) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		return json.Unmarshal(b, &c.SQL)
	}
	var m struct {
		SQL    *string `json:"sql"`
		Source string  `json:"source"`
	}
	if err := Decode(b, &m); err != nil {
		return err
	}
	if m.SQL == nil {
		return fmt.Errorf("a candidate is a text, or an object with sql and source")
	}
	c.SQL, c.Source = *m.SQL, m.Source
	return nil
}

// answer is the line that a program writes.
type answer struct {
	ID         string       `json:"id"`
	Candidates *[]Candidate `json:"candidates"`
	Chosen     int          `json:"chosen"`
	Note       string       `json:"note"`
	Error      string       `json:"error"` // why the program has no answer
}

// mostCandidates bounds the candidates of one answer. The lengths of texts are bounded where rows are written.
const mostCandidates = 1000

// read takes a line as the answer to an item. A process whose line is none is killed.
func read(proc *process.Process, line []byte, id string) (answer, error) {
	a, why := parse(line, id)
	if why != "" {
		return a, proc.Refuse(line, why)
	}
	return a, nil
}

// parse reads a line, or says why it is no answer to the item.
func parse(line []byte, id string) (a answer, why string) {
	const want = `want {"id": ..., "candidates": [SQL, ...]}`
	if err := Decode(line, &a); err != nil {
		return a, fmt.Sprintf("%v: %s", err, want)
	}
	if !utf8.Valid(line) {
		return a, "it is not UTF-8: encode it so"
	}
	n := 0
	if a.Candidates != nil {
		n = len(*a.Candidates)
	}
	switch {
	case a.ID != id:
		return a, fmt.Sprintf("its id is %q, and %q was asked", process.Line(a.ID, 200), process.Line(id, 200))
	case a.Candidates == nil && a.Error == "":
		return a, "it has no candidates: " + want + `, or "error" in place of them`
	case a.Candidates != nil && a.Error != "":
		return a, "it has both candidates and an error: keep one"
	}
	return a, Misfit(n, a.Chosen)
}

// Misfit says why an answer cannot have n candidates of which the one at chosen is taken; empty where it can.
func Misfit(n, chosen int) string {
	switch {
	case n > mostCandidates:
		return fmt.Sprintf("it has %d candidates, and %d are the most", n, mostCandidates)
	case chosen < 0 || chosen >= max(n, 1):
		return fmt.Sprintf("chosen is %d, and there are %d candidates, counted from 0", chosen, n)
	}
	return ""
}

// Decode reads one JSON value of a program's. A name that the type lacks is an error, and so is what comes after the value.
func Decode(b []byte, to any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(to); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("there is more after the JSON value")
	}
	return nil
}
