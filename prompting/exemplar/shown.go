package exemplar

import (
	"fmt"
	"strings"
)

// shownLine ends a line of a call's note; the SQL of the prompt's examples follows it, one line each.
const shownLine = "examples in the prompt:"

// NoteSQL appends the SQL of the examples that a prompt shows to the note of its call: a line that ends in "examples in
// the prompt:", and one line per example, with each run of white space made one space. Without examples it returns the
// note.
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

// NotedSQL returns the SQL that NoteSQL appended, in the same order; nil for other notes.
func NotedSQL(note string) []string {
	head, list, _ := strings.Cut(note, "\n")
	if !strings.HasSuffix(head, shownLine) || list == "" {
		return nil
	}
	return strings.Split(list, "\n")
}
