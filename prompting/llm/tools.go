package llm

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
)

// Tool is something that a model may call by the provider's own function calling, in place of an answer.
//
// A conversation with tools goes on by two turns: the Assistant's, with the Text and the ToolCalls of the response as
// its Text and Calls, and then for each call, in order, one ToolResult with its ID and the tool's name.
type Tool struct {
	Name        string `json:"name"` // letters, digits, _ and -, at most 64
	Description string `json:"description,omitempty"`

	// Parameters is the JSON Schema of the arguments, an object. Providers share "type", "properties", "required",
	// "description", "enum" and "items"; nil is a tool without arguments.
	Parameters json.RawMessage `json:"parameters,omitempty"`
}

var toolName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// CheckTools refuses tools that providers would: a name that is none or stands twice, parameters that are no JSON object.
func CheckTools(tools []Tool) error {
	seen := map[string]bool{}
	for _, t := range tools {
		var schema map[string]json.RawMessage
		switch {
		case !toolName.MatchString(t.Name):
			return fmt.Errorf("the tool's name %q is none: letters, digits, _ and -, at most 64", t.Name)
		case seen[t.Name]:
			return fmt.Errorf("two tools have the name %q", t.Name)
		case len(t.Parameters) > 0 && json.Unmarshal(t.Parameters, &schema) != nil:
			return fmt.Errorf("the parameters of the tool %q are no JSON object", t.Name)
		}
		seen[t.Name] = true
	}
	return nil
}

// ToolCall is a model's wish to call a tool. It is untrusted: the tool may not exist, and the arguments be no JSON.
type ToolCall struct {
	ID        string `json:"id"` // the provider's; ids of one response differ
	Name      string `json:"name"`
	Arguments string `json:"arguments"` // a JSON object, as the model wrote it

	// Signature is the provider's sealed note on its own reasoning (Gemini's thoughtSignature), to be sent back as it is.
	Signature string `json:"signature,omitempty"`
}

// Answered returns the Assistant's turn that a response is.
func (r Response) Answered() Message {
	return Message{Role: Assistant, Text: r.Text, Calls: r.ToolCalls}
}

// Equal reports whether two turns are the same in everything.
func (m Message) Equal(n Message) bool {
	return m.Role == n.Role && m.Text == n.Text && m.CallID == n.CallID && m.Tool == n.Tool && slices.Equal(m.Calls, n.Calls)
}

// Answered returns the turn that tells what the called tool gave back.
func (c ToolCall) Answered(result string) Message {
	return Message{Role: ToolResult, Text: result, CallID: c.ID, Tool: c.Name}
}

// Logprob sums up the natural logarithms of the probabilities that the model gave the tokens it drew.
type Logprob struct {
	Total  float64 `json:"total"`
	Tokens int     `json:"tokens"`
}

// Mean is the mean a token, 0 where there is no token.
func (l Logprob) Mean() float64 {
	if l.Tokens == 0 {
		return 0
	}
	return l.Total / float64(l.Tokens)
}
