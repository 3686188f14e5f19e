package llm

import (
	"errors"
	"strings"
)

// Completions is the Params.API of a request whose model continues one text, without a chat template.
const Completions = "completions"

// apart is put between the texts of two messages in a plain prompt.
const apart = "\n\n"

var errTools = errors.New(`a plain prompt has no tools: ask for a conversation (model.api = "chat"), or describe them in the text`)

// Plain returns the text that a request with Params.API Completions asks the model to continue: the one message's text
// byte for byte, or the texts of several, without their roles, with an empty line between two. So a prompt that was
// written as one text is that text, and one of an instruction and a question reads as such prompts were written before
// there were roles. Tools have no form as text: a request with tools, or with their results, is an error.
func (r Request) Plain() (string, error) {
	if n := len(r.Messages); n == 0 || r.Messages[n-1].Role != User {
		return "", errors.New("the last message of a plain prompt is not the user's")
	}
	texts := make([]string, len(r.Messages))
	for i, m := range r.Messages {
		if m.Role == ToolResult || len(m.Calls) > 0 || len(r.Tools) > 0 {
			return "", errTools
		}
		texts[i] = m.Text
	}
	return strings.Join(texts, apart), nil
}
