package rows

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"assay/prompting/sql/engine"
)

// pythonKey returns str(v) + str(type(v)) of Python 3, for the value that its sqlite3 module makes of v. Python
// compares strings by code point, which is the order of UTF-8 bytes.
func pythonKey(v engine.Value) string {
	switch v.Kind() {
	case engine.Int:
		return strconv.FormatInt(v.Int64(), 10) + "<class 'int'>"
	case engine.Real:
		return pythonFloat(v.Float64()) + "<class 'float'>"
	case engine.Text:
		return v.Bytes() + "<class 'str'>"
	case engine.Blob:
		return pythonBytes(v.Bytes()) + "<class 'bytes'>"
	}
	return "None<class 'NoneType'>"
}

// pythonFloat returns repr(f): the fewest digits that parse back to f, with an exponent below 1e-4 and from 1e16 on.
func pythonFloat(f float64) string {
	if math.IsInf(f, 0) {
		return strings.ToLower(strings.TrimPrefix(strconv.FormatFloat(f, 'g', -1, 64), "+"))
	}
	s := strconv.FormatFloat(f, 'e', -1, 64)
	_, exponent, _ := strings.Cut(s, "e")
	if exp, _ := strconv.Atoi(exponent); exp < -4 || exp >= 16 {
		return s
	}
	s = strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}

// pythonBytes returns repr(b).
func pythonBytes(b string) string {
	quote := byte('\'')
	if strings.Contains(b, "'") && !strings.Contains(b, `"`) {
		quote = '"'
	}
	var s strings.Builder
	s.WriteByte('b')
	s.WriteByte(quote)
	for i := range len(b) {
		switch c := b[i]; {
		case c == quote || c == '\\':
			s.WriteByte('\\')
			s.WriteByte(c)
		case c == '\t':
			s.WriteString(`\t`)
		case c == '\n':
			s.WriteString(`\n`)
		case c == '\r':
			s.WriteString(`\r`)
		case c < ' ' || c >= 0x7f:
			fmt.Fprintf(&s, `\x%02x`, c)
		default:
			s.WriteByte(c)
		}
	}
	s.WriteByte(quote)
	return s.String()
}
