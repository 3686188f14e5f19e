package judge

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"assay/metrics"
	"assay/prompting/process"
	"assay/prompting/sql/engine"
)

// question is the line that a program is asked.
type question struct {
	Item          string   `json:"item"`
	DB            string   `json:"db"`
	Question      string   `json:"question"`
	Evidence      string   `json:"evidence"`
	Gold          string   `json:"gold"`
	Predicted     string   `json:"predicted"`
	GoldRows      *results `json:"gold_rows,omitempty"`
	PredictedRows *results `json:"predicted_rows,omitempty"`
	Path          string   `json:"path"` // of the database's file; empty: there is none
}

// results is a query's result as a program sees it.
type results struct {
	Columns   []string `json:"columns"`
	Rows      []row    `json:"rows"`
	Count     int      `json:"count"`     // rows of the whole result
	Truncated bool     `json:"truncated"` // Rows is the beginning alone
}

// mostShown bounds the rows that a program is shown of one result, in bytes of JSON.
const mostShown = 4 << 20

// shown returns a result, as much of it as fits.
func shown(r *engine.Result) *results {
	out := &results{Columns: r.Columns, Rows: []row{}, Count: len(r.Rows), Truncated: r.Truncated}
	if out.Columns == nil {
		out.Columns = []string{}
	}
	left := mostShown
	for _, values := range r.Rows {
		one := rowOf(values)
		if left -= len(one) + len(","); left < 0 {
			out.Truncated = true
			break
		}
		out.Rows = append(out.Rows, one)
	}
	return out
}

// row is a row as JSON: NULL is null, a real has a point or an exponent (1e999 is infinite), and a blob, or a text that is not
// UTF-8, is an object with its bytes in hexadecimal digits.
type row []byte

// MarshalJSON returns the row itself.
func (r row) MarshalJSON() ([]byte, error) { return r, nil }

func rowOf(values []engine.Value) row {
	var b bytes.Buffer
	for i, v := range values {
		b.WriteByte("[,"[min(i, 1)])
		b.Write(cell(v))
	}
	if len(values) == 0 {
		b.WriteByte('[')
	}
	b.WriteByte(']')
	return b.Bytes()
}

func cell(v engine.Value) []byte {
	switch v.Kind() {
	case engine.Null:
		return []byte("null")
	case engine.Int:
		return strconv.AppendInt(nil, v.Int64(), 10)
	case engine.Real:
		f := v.Float64()
		if math.IsInf(f, 0) {
			return []byte(strings.Replace(strconv.FormatFloat(f, 'g', -1, 64)[:1]+"1e999", "+", "", 1))
		}
		return []byte(v.String())
	case engine.Text:
		if utf8.ValidString(v.Bytes()) {
			b, _ := json.Marshal(v.Bytes()) // a text always has a form
			return b
		}
		return fmt.Appendf(nil, `{"text": "%x"}`, v.Bytes())
	}
	return fmt.Appendf(nil, `{"blob": "%x"}`, v.Bytes())
}

// key identifies a question by its content: in place of the database's path it has the state of the file.
func (q *question) key(c metrics.Case) (string, error) {
	var state engine.Stamp
	if !c.Database.None() {
		var err error
		if state, err = c.Database.Engine.Stamp(c.Database.Source); err != nil {
			return "", err
		}
	}
	text, err := json.Marshal([]any{q, c.Database.None(), state.Size, state.Changed.UnixNano(), state.Pending})
	if err != nil {
		return "", err
	}
	if !c.Database.None() {
		q.Path = c.Database.Source
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16]), nil
}

// answer is what a program says of a case.
type answer struct {
	Score float64 `json:"score"`
	Why   string  `json:"why"`
}

// parse reads a program's answer about an item; cause says what is wrong with it, empty for nothing.
func parse(text []byte, item string) (a answer, cause string) {
	var stated struct {
		Item  *string         `json:"item"`
		Score json.RawMessage `json:"score"`
		Why   any             `json:"why"`
		Error any             `json:"error"`
	}
	if err := json.Unmarshal(text, &stated); err != nil {
		return a, err.Error()
	}
	if stated.Item != nil && *stated.Item != item {
		return a, fmt.Sprintf("it is about item %q", process.Line(*stated.Item, mostWhy))
	}
	if stated.Why != nil {
		a.Why = process.Line(fmt.Sprint(stated.Why), mostWhy)
	}
	because := a.Why
	if stated.Error != nil {
		because = process.Line(fmt.Sprint(stated.Error), mostWhy)
	}
	score := strings.TrimSpace(string(stated.Score))
	f, err := strconv.ParseFloat(score, 64)
	switch {
	case score == "" || score == "null":
		cause = "it has no score, which is a number from 0 to 1"
		if because != "" {
			cause += ": " + because
		}
		return a, cause
	case stated.Error != nil:
		return a, "it has both a score and an error: " + because
	case err != nil:
		return a, "its score is no number from 0 to 1"
	case !(f >= 0 && f <= 1):
		return a, fmt.Sprintf("its score %g is not from 0 to 1", f)
	}
	a.Score = f + 0 // no negative zero
	return a, ""
}

// mostWhy bounds a reason, in bytes.
const mostWhy = 500
