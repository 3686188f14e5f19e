package record

import (
	"encoding/json"
	"fmt"
	"strconv"
)

// Count is a number that may be unknown, such as the tokens of imported predictions. The zero value is unknown: a 0 would
// enter sums and means as a measurement.
type Count struct {
	N  int
	OK bool
}

// CountOf returns a known number.
func CountOf(n int) Count { return Count{n, true} }

// Plus adds two counts; the sum is unknown where either is.
func (c Count) Plus(d Count) Count {
	if !c.OK || !d.OK {
		return Count{}
	}
	return CountOf(c.N + d.N)
}

// String returns the number, or "unknown".
func (c Count) String() string {
	if !c.OK {
		return Unknown
	}
	return strconv.Itoa(c.N)
}

// Unknown is the text that people see in place of a number that was not measured.
const Unknown = "unknown"

// MarshalCSV returns the cell: the number, or nothing.
func (c Count) MarshalCSV() (string, error) {
	if !c.OK {
		return "", nil
	}
	return strconv.Itoa(c.N), nil
}

// UnmarshalCSV reads a cell that MarshalCSV wrote.
func (c *Count) UnmarshalCSV(cell string) error {
	if *c = (Count{}); cell == "" {
		return nil
	}
	n, err := strconv.Atoi(cell)
	if err != nil {
		return fmt.Errorf("count %q is not a whole number", cell)
	}
	*c = CountOf(n)
	return nil
}

// MarshalJSON returns the number, or null.
func (c Count) MarshalJSON() ([]byte, error) {
	if !c.OK {
		return []byte("null"), nil
	}
	return json.Marshal(c.N)
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (c *Count) UnmarshalJSON(b []byte) error {
	*c = Count{}
	if string(b) == "null" {
		return nil
	}
	c.OK = true
	return json.Unmarshal(b, &c.N)
}

// Plus adds two values; the sum is missing where either is.
func (v Value) Plus(w Value) Value {
	if !v.OK || !w.OK {
		return Value{}
	}
	return Value{v.V + w.V, true}
}

// MarshalCSV returns the cell, the text of String.
func (v Value) MarshalCSV() (string, error) { return v.String(), nil }

// UnmarshalCSV reads a cell that MarshalCSV wrote.
func (v *Value) UnmarshalCSV(cell string) error {
	got, err := parseValues([]string{cell})
	if err == nil {
		*v = got[0]
	}
	return err
}

// MarshalJSON returns the number, or null.
func (v Value) MarshalJSON() ([]byte, error) {
	if !v.OK {
		return []byte("null"), nil
	}
	return json.Marshal(v.V)
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (v *Value) UnmarshalJSON(b []byte) error {
	*v = Value{}
	if string(b) == "null" {
		return nil
	}
	v.OK = true
	return json.Unmarshal(b, &v.V)
}
