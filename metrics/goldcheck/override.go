package goldcheck

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// Override is a person's decision about one gold.
type Override struct {
	Item    string // dataset/split/id
	Reason  string
	SQL     string // the corrected gold; empty where Exclude is set
	Exclude bool   // the item is not to be scored
}

// Overrides are the lines of an override file, in its order.
type Overrides struct {
	List   []Override
	byItem map[string]int
}

// Find is the override of an item.
func (o Overrides) Find(item string) (Override, bool) {
	i, ok := o.byItem[item]
	if !ok {
		return Override{}, false
	}
	return o.List[i], true
}

// ReadOverrides reads an override file: CSV in UTF-8 with the header "item,reason,sql", where sql is the corrected gold
// or the word exclude. Every field is needed, and an item may stand once. Errors begin with file:line.
func ReadOverrides(path string) (Overrides, error) {
	f, err := os.Open(path)
	if err != nil {
		return Overrides{}, fmt.Errorf("goldcheck: read overrides %q: %w", path, err)
	}
	defer f.Close()
	o, err := parseOverrides(f, path)
	if err != nil {
		return Overrides{}, fmt.Errorf("goldcheck: read overrides: %w", err)
	}
	return o, nil
}

func parseOverrides(r io.Reader, name string) (Overrides, error) {
	o := Overrides{byItem: map[string]int{}}
	in := csv.NewReader(r)
	in.FieldsPerRecord = -1
	lines := map[string]int{} // where each item stands
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
			err = fmt.Errorf("item %q stands on line %d already", ov.Item, lines[ov.Item])
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
