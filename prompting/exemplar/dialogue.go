package exemplar

import (
	"fmt"
	"strings"
)

// Turn is a turn of an agent's dialogue with a database's tools.
type Turn struct {
	Thought     string // why
	Action      string // a call, such as SearchValue("Rex", table="pet")
	Observation string // what the call gave; empty for the last, Done()
}

// ParseDialogue reads turns from a text: each is a line "Thought: ...", a line "Action: ..." and, but for the last, a line
// "Observation: ..."; what follows a line belongs to it, until the next of them. White space around each is left out. It is the
// form in which annotation files and methods' folders hold dialogues.
func ParseDialogue(text string) ([]Turn, error) {
	parts := strings.Split("\n"+strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n")), "\nThought:")
	if strings.TrimSpace(parts[0]) != "" {
		return nil, fmt.Errorf("the dialogue does not begin with Thought")
	}
	turns := make([]Turn, 0, len(parts)-1)
	for i, part := range parts[1:] {
		thought, rest, ok := strings.Cut(part, "\nAction:")
		action, seen, observed := strings.Cut(rest, "\nObservation:")
		t := Turn{strings.TrimSpace(thought), strings.TrimSpace(action), strings.TrimSpace(seen)}
		switch {
		case !ok || t.Action == "":
			return nil, fmt.Errorf("turn %d of the dialogue has no Action", i+1)
		case strings.Contains(t.Action, "\n"):
			return nil, fmt.Errorf("turn %d of the dialogue: the action has more than one line", i+1)
		case !observed && i < len(parts)-2:
			return nil, fmt.Errorf("turn %d of the dialogue has no Observation", i+1)
		}
		turns = append(turns, t)
	}
	if len(turns) == 0 {
		return nil, fmt.Errorf("the dialogue has no turns")
	}
	return turns, nil
}

// DialogueText is the text of which ParseDialogue makes the turns.
func DialogueText(turns []Turn) string {
	var b strings.Builder
	for i, t := range turns {
		if i > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "Thought: %s\nAction: %s\n", t.Thought, t.Action)
		if t.Observation != "" || i < len(turns)-1 {
			fmt.Fprintf(&b, "Observation: %s\n", t.Observation)
		}
	}
	return b.String()
}
