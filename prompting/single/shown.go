package single

import (
	"fmt"
	"strings"

	"assay/prompting"
)

// shownLine ends the line of a call's note after which the SQL of the prompt's examples stands, a line each.
const shownLine = "examples in the prompt:"

// withSQL adds the examples' SQL to the note of a call.
func withSQL(note string, examples []Example) string {
	if len(examples) == 0 {
		return note
	}
	if note != "" {
		note += "; "
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s%d %s", note, len(examples), shownLine)
	for _, e := range examples {
		b.WriteString("\n" + prompting.OneLine(e.SQL))
	}
	return b.String()
}

// ShownSQL reads the SQL of the examples that a prompt of method os showed, in their order, from the note of the call that
// asked for the query of sample 0: a line that ends in "examples in the prompt:", and a line an example. Other notes have
// none.
func ShownSQL(note string) []string {
	head, list, _ := strings.Cut(note, "\n")
	if !strings.HasSuffix(head, shownLine) || list == "" {
		return nil
	}
	return strings.Split(list, "\n")
}
