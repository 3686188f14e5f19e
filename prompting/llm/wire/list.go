package wire

import (
	"encoding/json"
	"fmt"
	"iter"

	"assay/prompting/llm"
)

// Elements yields the elements of a JSON array that is known to be well formed, as part of it, without a copy; none of
// what is no array. Ten million empty objects are a short text: decoded into a slice of structs at once they would take
// gigabytes.
func Elements(array []byte) iter.Seq[json.RawMessage] {
	return func(yield func(json.RawMessage) bool) {
		depth, start, quoted := 0, -1, false
		for i := 0; i < len(array); i++ {
			c := array[i]
			if depth == 1 && start < 0 && c != ' ' && c != '\t' && c != '\r' && c != '\n' && c != ']' && c != ',' {
				start = i
			}
			switch {
			case quoted && c == '\\':
				i++
			case c == '"':
				quoted = !quoted
			case quoted:
			case depth == 1 && start >= 0 && (c == ',' || c == ']'):
				if !yield(array[start:i]) {
					return
				}
				start = -1
			}
			switch {
			case quoted:
			case c == '[' || c == '{':
				if depth++; depth == 1 && c == '{' {
					return
				}
			case c == ']' || c == '}':
				depth--
			}
		}
	}
}

// List decodes the first elements of a JSON array, at most that many; more says that there are others.
func List[T any](array []byte, most int) (list []T, more bool, err error) {
	for raw := range Elements(array) {
		if len(list) == most {
			return list, true, nil
		}
		var v T
		if err := json.Unmarshal(raw, &v); err != nil {
			return nil, false, err
		}
		list = append(list, v)
	}
	return list, false, nil
}

// Whole decodes a JSON array that may have at most that many elements, each of which is what.
func Whole[T any](array []byte, most int, what string) ([]T, error) {
	list, more, err := List[T](array, most)
	if more {
		return nil, fmt.Errorf("more than %d %s", most, what)
	}
	return list, err
}

// The texts of one call's completions, with reasoning and tool calls, may have longest bytes together, and further ones
// for each completion after the first. The longest known completions, of about mostTokens, have half of it.
const (
	longest    = 1 << 20
	further    = 128 << 10
	mostTokens = 128_000
)

// CheckLength returns the failure of a call for n completions whose texts are longer than assay keeps. Calls in flight
// together, and the methods that read their answers, would otherwise hold gigabytes.
func CheckLength(got []llm.Response, n int) error {
	size, most := 0, longest+further*(n-1)
	for _, r := range got {
		size += len(r.Text) + len(r.Reasoning)
		for _, c := range r.ToolCalls {
			size += len(c.ID) + len(c.Name) + len(c.Arguments) + len(c.Signature)
		}
	}
	if size <= most {
		return nil
	}
	f := &llm.Failure{Reason: Endless, Err: fmt.Errorf("completions of %d bytes, of which at most %d are kept: bound them by model.max_tokens", size, most)}
	for _, r := range got {
		f.Usage = f.Usage.Add(r.Usage)
	}
	return f
}

// Bill adds to the failure of an answer that was too large an estimate of what it costs: it was written, and is paid for.
// Any other error stays as it is.
func Bill(err error, r llm.Request, n int) error {
	f, ok := err.(*llm.Failure)
	if !ok || f.Reason != TooLarge || f.Usage != (llm.Usage{}) {
		return err
	}
	f.Usage = llm.EstimateUsage(r, "")
	f.Usage.CompletionTokens = n * mostTokens
	if r.Params.MaxTokens > 0 {
		f.Usage.CompletionTokens = n * r.Params.MaxTokens
	}
	return f
}
