package agent

import (
	"errors"
	"regexp"
	"strings"

	"assay/prompting/extract"
	"assay/prompting/llm"
	"assay/prompting/tools"
)

// Turn is one completion as the dialogue reads it.
type Turn struct {
	Thought string
	Action  tools.Action
	// Text is what later prompts repeat: the completion up to the end of its first action, or all of it, up to
	// maxKept bytes, where no action could be read.
	Text string
	Err  error // why there is no action; nil where there is one
}

// maxKept bounds, in bytes, a completion without an action that is repeated in later prompts, and maxRead what is read.
const (
	maxKept = 4 << 10
	maxRead = 64 << 10
)

var (
	actionLine  = regexp.MustCompile(`(?im)^[ \t>*#-]*action[ \t]*(?:\d+)?[ \t]*\**:[ \t*]*`)
	thoughtLine = regexp.MustCompile(`(?i)^[ \t\r\n>*#-]*thought[ \t]*(?:\d+)?[ \t]*\**:[ \t*]*`)
	bareCall    = regexp.MustCompile(`(?m)^[ \t` + "`" + `]*(?:SearchColumn|SearchValue|FindShortestPath|ExecuteSQL|Done)[ \t]*\(`)
	nextLine    = regexp.MustCompile(`(?im)^[ \t]*observation[ \t]*(?:\d+)?[ \t]*:`)
)

// errNone is a turn without an action.
var errNone = errors.New("there is no line that begins with Action")

// readTurn reads a completion: the first line that begins with "Action:", or else with the call of a tool, holds its
// action. What the model goes on to write after that, such as an observation of its own making, is left out. Nothing is
// evaluated.
func readTurn(completion string) Turn {
	text := completion
	if len(text) > maxRead {
		text = text[:maxRead]
	}
	text = strings.TrimSpace(strings.ToValidUTF8(extract.Answer(text, maxRead), "\uFFFD"))
	head := text
	if at := nextLine.FindStringIndex(text); at != nil {
		head = text[:at[0]]
	}
	at := actionLine.FindStringIndex(head)
	if at == nil {
		if at = bareCall.FindStringIndex(head); at == nil {
			return Turn{Thought: thought(head), Text: clipped(text), Err: errNone}
		}
		at[1] = at[0]
	}
	call := strings.TrimLeft(text[at[1]:], " \t\r\n`")
	a, rest, err := tools.Cut(call)
	if err != nil {
		return Turn{Thought: thought(text[:at[0]]), Text: clipped(text), Err: err}
	}
	return Turn{Thought: thought(text[:at[0]]), Action: a, Text: strings.TrimRight(text[:len(text)-len(rest)], " \t\r\n")}
}

// thought returns the text before an action, without its label.
func thought(text string) string {
	return strings.TrimSpace(thoughtLine.ReplaceAllString(strings.TrimRight(text, " \t\r\n`*"), ""))
}

func clipped(text string) string {
	if len(text) > maxKept {
		return strings.ToValidUTF8(text[:maxKept], "")
	}
	return text
}

// readCalls reads a turn of function calling: the first call is its action. A turn without a call is read as text.
func readCalls(r llm.Response) Turn {
	if len(r.ToolCalls) == 0 {
		return readTurn(r.Text)
	}
	a, err := tools.FromCall(r.ToolCalls[0])
	t := Turn{Thought: strings.TrimSpace(r.Text), Action: a, Err: err, Text: r.Text}
	for _, c := range r.ToolCalls {
		t.Text += "\x00" + c.Name + "\x00" + c.Arguments // tells turns apart, since the text does not include function calls
	}
	return t
}
