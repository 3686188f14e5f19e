package process

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"assay/configs/input"
)

// The shape of an answer: what has more would take many times its own memory.
const (
	mostDepth  = 100
	mostValues = 200_000
)

// object reports whether a line is one JSON object that can be read in one way only. cause says why it cannot; it is empty for
// what is no object.
func object(line []byte) (ok bool, cause string) {
	if begin := bytes.TrimLeft(line, " \t\r"); !bytes.HasPrefix(begin, []byte("{")) {
		return false, ""
	}
	if err := input.Shape(line, mostDepth, mostValues); err != nil {
		return false, err.Error()
	}
	if !json.Valid(line) {
		return false, ""
	}
	if name := repeated(line); name != "" {
		return false, fmt.Sprintf("it has %q twice", Line(name, clipBytes))
	}
	return true, ""
}

// repeated returns a name that an object has twice, with small or capital letters: readers differ in which value they take. It
// is empty for none.
func repeated(object []byte) string {
	d := json.NewDecoder(bytes.NewReader(object))
	_, _ = d.Token() // the bracket: the text is valid
	seen := map[string]bool{}
	for d.More() {
		name, _ := d.Token()
		text, _ := name.(string)
		if text = strings.ToLower(text); seen[text] {
			return text
		}
		seen[text] = true
		var value json.RawMessage
		if d.Decode(&value) != nil {
			return ""
		}
	}
	return ""
}
