package predictions

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"assay/configs/input"
)

// birdMark separates SQL and database in a value of BIRD's form.
const birdMark = "----- bird -----"

// lineCounter converts offsets, given in rising order, into line numbers.
type lineCounter struct {
	text     []byte
	at, line int
}

func (c *lineCounter) of(offset int) int {
	c.line += bytes.Count(c.text[c.at:offset], []byte("\n"))
	c.at = offset
	return c.line + 1
}

// parseJSON reads BIRD's form or JSONL: the members of the first object decide which.
func (f *File) parseJSON(b []byte) (err error) {
	jsonl, err := isJSONL(b)
	if err != nil {
		return fmt.Errorf("line %d: %w", errorLine(b, err), plain(err))
	}
	if jsonl {
		f.Form = JSONL
		f.Entries, err = f.parseJSONL(b)
		return err
	}
	f.Form = BIRD
	f.Entries, err = parseBIRD(b)
	return err
}

// isJSONL reports whether the first object has a member of JSONL's.
func isJSONL(b []byte) (bool, error) {
	dec := json.NewDecoder(bytes.NewReader(b))
	_, err := dec.Token()
	for n := 0; err == nil && dec.More() && n < mostEntries; n++ {
		var name json.Token
		if name, err = dec.Token(); err != nil {
			break
		}
		if slices.Contains([]any{"candidates", "sql", "id"}, any(name)) {
			return true, nil
		}
		var raw json.RawMessage
		err = dec.Decode(&raw)
	}
	return false, err
}

// errorLine is the line of a JSON error.
func errorLine(b []byte, err error) int {
	at := int64(len(b))
	if e, ok := errors.AsType[*json.SyntaxError](err); ok {
		at = min(at, e.Offset)
	}
	return bytes.Count(b[:at], []byte("\n")) + 1
}

// plain rewords the error of a file that ends within a value.
func plain(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return errors.New("the file ends within a JSON value")
	}
	return err
}

// parseBIRD reads one object whose members are predictions, by key. BIRD's files have a value that is no text where there is no
// prediction.
func parseBIRD(b []byte) ([]Entry, error) {
	dec := json.NewDecoder(bytes.NewReader(b))
	lines := lineCounter{text: b}
	seen := map[string]int{}
	if _, err := dec.Token(); err != nil {
		return nil, plain(err)
	}
	out := []Entry{}
	for dec.More() {
		token, err := dec.Token()
		key, isKey := token.(string)
		line := lines.of(int(dec.InputOffset()))
		var raw json.RawMessage
		if err == nil && isKey {
			err = dec.Decode(&raw)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", line, plain(err))
		}
		if before, twice := seen[key]; twice {
			return nil, fmt.Errorf("line %d: key %q is on line %d too", line, key, before)
		}
		if seen[key] = line; len(seen) > mostEntries {
			return nil, fmt.Errorf("line %d: %w", line, errMany)
		}
		e := Entry{Line: line, ID: key}
		var text string
		if json.Unmarshal(raw, &text) == nil {
			sql, db, _ := strings.Cut(text, birdMark)
			e.DB = strings.TrimSpace(db)
			e.Candidates = []Candidate{{SQL: strings.TrimSpace(sql)}}
		}
		out = append(out, e)
	}
	if _, err := dec.Token(); err != nil {
		return nil, plain(err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, fmt.Errorf("line %d: something follows BIRD's one object", lines.of(int(dec.InputOffset())))
	}
	return out, nil
}

// line is a line of JSONL.
type line struct {
	ID         json.RawMessage   `json:"id"`
	DB         string            `json:"db_id"`
	SQL        *string           `json:"sql"` // in place of a single candidate
	Candidates []json.RawMessage `json:"candidates"`
	Seed       json.RawMessage   `json:"seed"`
	Calls      []json.RawMessage `json:"calls"`
	takenFields
}

// parseJSONL reads objects, one after the other.
func (f *File) parseJSONL(b []byte) ([]Entry, error) {
	dec := json.NewDecoder(bytes.NewReader(b))
	lines := lineCounter{text: b}
	seen := map[string]int{}
	var out []Entry
	candidates := 0
	for {
		from := dec.InputOffset()
		from += int64(len(b[from:]) - len(bytes.TrimLeft(b[from:], " \t\r\n")))
		at := lines.of(int(from))
		var raw json.RawMessage
		err := dec.Decode(&raw)
		if err == io.EOF {
			return out, nil
		}
		var e Entry
		if err == nil {
			err = input.Shape(raw, mostDepth, mostValues)
		}
		if err == nil {
			e, err = f.entry(raw)
		}
		if candidates += len(e.Candidates); err == nil && (len(out) == mostEntries || candidates > mostCandidates) {
			err = errMany
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", at, plain(err))
		}
		if before, twice := seen[e.ID]; twice && e.ID != "" {
			return nil, fmt.Errorf("line %d: id %q is on line %d too (with several seeds or systems, import one file per run)", at, e.ID, before)
		}
		e.Line, seen[e.ID] = at, at
		out = append(out, e)
	}
}

// entry reads a line, and counts the members of its objects that are not read.
func (f *File) entry(raw json.RawMessage) (e Entry, err error) {
	var r line
	if err := json.Unmarshal(raw, &r); err != nil {
		return e, err
	}
	f.untaken(raw, "", ofEntry)
	for _, c := range r.Candidates {
		f.untaken(c, "candidates.", ofCandidate)
	}
	for _, c := range r.Calls {
		f.untaken(c, "calls.", ofCall)
	}
	if e.ID, err = identity(r.ID); err == nil {
		e.Seed, err = seed(r.Seed)
	}
	if err == nil {
		e.Taken, err = r.taken()
	}
	if err == nil {
		e.Made, err = r.made()
	}
	if err == nil {
		err = r.fill(&e)
	}
	return e, err
}

// fill sets an entry's candidates.
func (r line) fill(e *Entry) error {
	e.DB = strings.TrimSpace(r.DB)
	if r.Candidates == nil && r.SQL == nil {
		return errors.New(`neither "candidates" nor "sql"`)
	}
	if e.Made != nil && e.Stated() {
		return errors.New("the entry says what it took, and its calls too: leave one of them out, it would count twice")
	}
	if r.SQL != nil {
		e.Candidates = append(e.Candidates, Candidate{SQL: strings.TrimSpace(*r.SQL)})
	}
	for i, raw := range r.Candidates {
		c, err := candidate(raw)
		if err != nil {
			return fmt.Errorf("candidate %d: %w", i+1, err)
		}
		if e.Made != nil && c.Stated() {
			return fmt.Errorf("candidate %d says what it took, and the calls of the entry too: leave one of them out, it would count twice", i+1)
		}
		if e.measured() && c.Stated() {
			return fmt.Errorf("candidate %d says what it took, and the entry too: leave one of them out, it would count twice", i+1)
		}
		e.Candidates = append(e.Candidates, c)
	}
	return nil
}

// identity reads an id: a text, or a number as it is written.
func identity(raw json.RawMessage) (string, error) {
	var text string
	var number json.Number
	switch {
	case len(raw) == 0 || string(raw) == "null":
		return "", nil
	case json.Unmarshal(raw, &text) == nil:
		return strings.TrimSpace(text), nil
	case json.Unmarshal(raw, &number) == nil:
		return number.String(), nil
	}
	return "", errors.New("the id is neither text nor a number")
}

// candidate reads {"sql": ..., "source": ...}, or the SQL alone. Null means that nothing was predicted.
func candidate(raw json.RawMessage) (Candidate, error) {
	var c struct {
		SQL    json.RawMessage `json:"sql"`
		Source string          `json:"source"`
		takenFields
	}
	var sql string
	if json.Unmarshal(raw, &sql) == nil {
		return Candidate{SQL: strings.TrimSpace(sql)}, nil
	}
	if err := json.Unmarshal(raw, &c); err != nil {
		return Candidate{}, err
	}
	if c.SQL == nil {
		return Candidate{}, errors.New(`no "sql"`)
	}
	if err := json.Unmarshal(c.SQL, &sql); err != nil {
		return Candidate{}, fmt.Errorf("sql: %w", err)
	}
	taken, err := c.taken()
	return Candidate{SQL: strings.TrimSpace(sql), Source: c.Source, Taken: taken}, err
}
