package record

import (
	"encoding/json"
	"fmt"
	"strconv"
)

// Count is a number of things that may not have been counted: the tokens of predictions that others made. The zero is
// unknown.
type Count struct {
	N  int
	OK bool
}

// CountOf is a number that is known.
func CountOf(n int) Count { return Count{n, true} }

// Plus adds two counts; what is unknown in either is unknown in the sum.
func (c Count) Plus(d Count) Count {
	if !c.OK || !d.OK {
		return Count{}
	}
	return CountOf(c.N + d.N)
}

// String is the number, or "unknown".
func (c Count) String() string {
	if !c.OK {
		return Unknown
	}
	return strconv.Itoa(c.N)
}

// Unknown is what stands for people in place of a number that was not measured.
const Unknown = "unknown"

// MarshalCSV gives the cell: the number, or nothing.
func (c Count) MarshalCSV() (string, error) {
	if !c.OK {
		return "", nil
	}
	return strconv.Itoa(c.N), nil
}

// UnmarshalCSV reads the cell that MarshalCSV gives.
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

// MarshalJSON gives the number, or null.
func (c Count) MarshalJSON() ([]byte, error) {
	if !c.OK {
		return []byte("null"), nil
	}
	return json.Marshal(c.N)
}

// UnmarshalJSON reads what MarshalJSON gives.
func (c *Count) UnmarshalJSON(b []byte) error {
	*c = Count{}
	if string(b) == "null" {
		return nil
	}
	c.OK = true
	return json.Unmarshal(b, &c.N)
}

// Plus adds two values; what is missing in either is missing in the sum.
func (v Value) Plus(w Value) Value {
	if !v.OK || !w.OK {
		return Value{}
	}
	return Value{v.V + w.V, true}
}

// MarshalCSV gives the cell: String's text.
func (v Value) MarshalCSV() (string, error) { return v.String(), nil }

// UnmarshalCSV reads the cell that MarshalCSV gives.
func (v *Value) UnmarshalCSV(cell string) error {
	got, err := parseValues([]string{cell})
	if err == nil {
		*v = got[0]
	}
	return err
}

// MarshalJSON gives the number, or null.
func (v Value) MarshalJSON() ([]byte, error) {
	if !v.OK {
		return []byte("null"), nil
	}
	return json.Marshal(v.V)
}

// UnmarshalJSON reads what MarshalJSON gives.
func (v *Value) UnmarshalJSON(b []byte) error {
	*v = Value{}
	if string(b) == "null" {
		return nil
	}
	v.OK = true
	return json.Unmarshal(b, &v.V)
}
