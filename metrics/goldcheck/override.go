package goldcheck

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"

	"assay/configs/input"
	"assay/metrics"
)

// Override is a person's decision about one gold query.
type Override struct {
	Item    string // dataset/split/id
	Reason  string
	SQL     string // the corrected gold query; empty where Exclude is set
	Exclude bool   // the item is not to be scored
}

// Overrides are the lines of an override file, in its order.
type Overrides struct {
	List   []Override
	Hash   string // "sha256:" and hexadecimal digits, of the file
	byItem map[string]int
}

// Find returns the override of an item.
func (o Overrides) Find(item string) (Override, bool) {
	i, ok := o.byItem[item]
	if !ok {
		return Override{}, false
	}
	return o.List[i], true
}

// ReadOverrides reads an override file: CSV in UTF-8 with the header "item,reason,sql", where sql is the corrected gold
// query or the word exclude. Every field is required, and an item may occur once. Errors begin with file:line.
func ReadOverrides(path string) (Overrides, error) {
	b, err := input.Text(path, input.Overrides)
	if err != nil {
		return Overrides{}, fmt.Errorf("goldcheck: read overrides %q: %w", path, input.Cause(err))
	}
	o, err := parseOverrides(bytes.NewReader(b), path)
	if err != nil {
		return Overrides{}, fmt.Errorf("goldcheck: read overrides: %w", err)
	}
	sum := sha256.Sum256(b)
	o.Hash = "sha256:" + hex.EncodeToString(sum[:])
	return o, nil
}

// Score judges a case under the item's override: by the corrected gold query, or as a gold-error where the item is
// excluded. Without an override (nil) it is the metric's own score.
func (o *Override) Score(ctx context.Context, m metrics.Metric, c metrics.Case) (metrics.Score, error) {
	if o == nil {
		return m.Score(ctx, c)
	}
	if o.Exclude {
		return metrics.Score{Status: metrics.GoldError, Why: "excluded: " + o.Reason}, nil
	}
	c.Gold = o.SQL
	return m.Score(ctx, c)
}

// Gold returns the gold query by which the item is judged; given is the dataset's.
func (o *Override) Gold(given string) string {
	if o == nil || o.Exclude {
		return given
	}
	return o.SQL
}

// GivenSuffix is appended to a metric's id for its score by the dataset's own gold queries, in a run that has
// overrides.
const GivenSuffix = "-given"

func parseOverrides(r io.Reader, name string) (Overrides, error) {
	o := Overrides{byItem: map[string]int{}}
	in := csv.NewReader(r)
	in.FieldsPerRecord = -1
	lines := map[string]int{} // the line of each item
	for first := true; ; first = false {
		rec, err := in.Read()
		if err == io.EOF {
			if first {
				return Overrides{}, fmt.Errorf("%s:1: the header item,reason,sql is missing", name)
			}
			return o, nil
		}
		if err != nil {
			return Overrides{}, place(name, err)
		}
		line, _ := in.FieldPos(0)
		if first {
			rec[0] = strings.TrimPrefix(rec[0], "\ufeff")
			if strings.Join(rec, ",") != "item,reason,sql" {
				return Overrides{}, fmt.Errorf("%s:%d: the header is %q, not item,reason,sql", name, line, strings.Join(rec, ","))
			}
			continue
		}
		ov, err := override(rec)
		if err == nil && lines[ov.Item] > 0 {
			err = fmt.Errorf("item %q is on line %d already", ov.Item, lines[ov.Item])
		}
		if err != nil {
			return Overrides{}, fmt.Errorf("%s:%d: %w", name, line, err)
		}
		lines[ov.Item] = line
		o.byItem[ov.Item] = len(o.List)
		o.List = append(o.List, ov)
	}
}

// place puts file:line before a CSV fault.
func place(name string, err error) error {
	if pe, ok := errors.AsType[*csv.ParseError](err); ok {
		return fmt.Errorf("%s:%d: %w", name, pe.Line, pe.Err)
	}
	return fmt.Errorf("%s: %w", name, err)
}

func override(rec []string) (Override, error) {
	if len(rec) != 3 {
		return Override{}, fmt.Errorf("%d fields, want 3", len(rec))
	}
	for i, name := range []string{"item", "reason", "sql"} {
		rec[i] = strings.TrimSpace(rec[i])
		if rec[i] == "" {
			return Override{}, fmt.Errorf("%s is empty", name)
		}
	}
	o := Override{Item: rec[0], Reason: rec[1], SQL: rec[2]}
	if o.SQL == "exclude" {
		o.SQL, o.Exclude = "", true
	}
	return o, nil
}
