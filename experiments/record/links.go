package record

import (
	"encoding/json"
)

// Listing writes lists of texts as a Link's cells hold them: JSON, and nothing for no list at all.
func Listing(rows [][]string) string {
	if rows == nil {
		return ""
	}
	b, err := json.Marshal(rows)
	if err != nil { // texts always encode
		return ""
	}
	return string(b)
}

// Listed reads a Listing back; nil where it is empty or malformed.
func Listed(cell string) (rows [][]string) {
	if json.Unmarshal([]byte(cell), &rows) != nil {
		return nil
	}
	return rows
}
