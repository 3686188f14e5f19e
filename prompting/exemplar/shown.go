package exemplar

import (
	"fmt"
	"strings"
)

// shownLine ends the line of a call's note after which the SQL of the prompt's examples stands, a line each.
const shownLine = "examples in the prompt:"

// NoteSQL adds the SQL of the examples that a prompt shows to the note of its call: a line that ends in "examples in the
// prompt:", and a line an example, its white space made single blanks. Without examples the note stays as it is.
func NoteSQL(note string, sql []string) string {
	if len(sql) == 0 {
		return note
	}
	if note != "" {
		note += "; "
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s%d %s", note, len(sql), shownLine)
	for _, s := range sql {
		b.WriteString("\n" + strings.Join(strings.Fields(s), " "))
	}
	return b.String()
}

// NotedSQL reads back what NoteSQL added, in its order. Other notes have none.
func NotedSQL(note string) []string {
	head, list, _ := strings.Cut(note, "\n")
	if !strings.HasSuffix(head, shownLine) || list == "" {
		return nil
	}
	return strings.Split(list, "\n")
}
