package sqlite

import "strings"

// Affinity is the class to which SQLite converts the values of a column where it can.
type Affinity string

// The affinities.
const (
	Text    Affinity = "text"
	Integer Affinity = "integer"
	Real    Affinity = "real"
	Numeric Affinity = "numeric"
	Blob    Affinity = "blob"
)

// AffinityOf returns the affinity of a declared type by the rules of https://www.sqlite.org/datatype3.html, section 3.1.
// The order of the rules matters: "FLOATING POINT" contains INT, so it has integer affinity.
func AffinityOf(declared string) Affinity {
	has := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(strings.ToUpper(declared), w) {
				return true
			}
		}
		return false
	}
	switch {
	case has("INT"):
		return Integer
	case has("CHAR", "CLOB", "TEXT"):
		return Text
	case has("BLOB") || declared == "":
		return Blob
	case has("REAL", "FLOA", "DOUB"):
		return Real
	}
	return Numeric
}
