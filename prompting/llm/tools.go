package llm

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
)

// Tool is a function that a model may call, by the provider's own function calling, instead of answering.
//
// After a call the conversation grows by these turns: the Assistant's, with the Text and the ToolCalls of the response
// as its Text and Calls, and then one ToolResult per call, in order, with the call's ID and the tool's name.
type Tool struct {
	Name        string `json:"name"` // letters, digits, _ and -, at most 64
	Description string `json:"description,omitempty"`

	// Parameters is the JSON Schema of the arguments, an object. All providers know "type", "properties", "required",
	// "description", "enum" and "items"; nil means no arguments.
	Parameters json.RawMessage `json:"parameters,omitempty"`
}

var toolName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// CheckTools returns an error for tools that providers would refuse: an invalid or repeated name, parameters that are
// not a JSON object.
func CheckTools(tools []Tool) error {
	seen := map[string]bool{}
	for _, t := range tools {
		var schema map[string]json.RawMessage
		switch {
		case !toolName.MatchString(t.Name):
			return fmt.Errorf("invalid tool name %q: it must be letters, digits, _ and -, at most 64", t.Name)
		case seen[t.Name]:
			return fmt.Errorf("two tools have the name %q", t.Name)
		case len(t.Parameters) > 0 && json.Unmarshal(t.Parameters, &schema) != nil:
			return fmt.Errorf("the parameters of the tool %q are not a JSON object", t.Name)
		}
		seen[t.Name] = true
	}
	return nil
}

// ToolCall is a model's request to call a tool. It is untrusted: the tool may not exist, and the arguments may not be
// JSON.
type ToolCall struct {
	ID        string `json:"id"` // the provider's; ids of one response differ
	Name      string `json:"name"`
	Arguments string `json:"arguments"` // a JSON object, as the model wrote it

	// Signature is the provider's opaque record of its own reasoning (Gemini's thoughtSignature), to be sent back
	// unchanged.
	Signature string `json:"signature,omitempty"`
}

// Answered returns the response as an Assistant's turn.
func (r Response) Answered() Message {
	return Message{Role: Assistant, Text: r.Text, Calls: r.ToolCalls}
}

// Equal reports whether all fields of two turns are equal.
func (m Message) Equal(n Message) bool {
	return m.Role == n.Role && m.Text == n.Text && m.CallID == n.CallID && m.Tool == n.Tool && slices.Equal(m.Calls, n.Calls)
}

// Answered returns the turn that carries the tool's result to the model.
func (c ToolCall) Answered(result string) Message {
	return Message{Role: ToolResult, Text: result, CallID: c.ID, Tool: c.Name}
}

// Logprob is the sum of the natural logarithms of the probabilities that the model gave to the tokens it drew.
type Logprob struct {
	Total  float64 `json:"total"`
	Tokens int     `json:"tokens"`
}

// Mean returns the mean per token, 0 if there is no token.
func (l Logprob) Mean() float64 {
	if l.Tokens == 0 {
		return 0
	}
	return l.Total / float64(l.Tokens)
}
