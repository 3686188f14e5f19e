package tools

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"assay/prompting/llm"
)

// Native describes the tools named for a provider's own function calling.
func Native(names []string) []llm.Tool {
	type property struct {
		Type        string         `json:"type"`
		Description string         `json:"description"`
		Items       map[string]any `json:"items,omitempty"`
	}
	var out []llm.Tool
	for _, n := range names {
		t := find(n)
		if t == nil {
			continue
		}
		properties, required := map[string]property{}, []string{}
		for _, p := range t.Params {
			one := property{Type: "string", Description: p.Is}
			if p.List {
				one.Type, one.Items = "array", map[string]any{"type": "string"}
			}
			if properties[p.Name] = one; !p.Optional {
				required = append(required, p.Name)
			}
		}
		schema, err := json.Marshal(map[string]any{"type": "object", "properties": properties, "required": required})
		if err != nil { // unreachable: texts alone
			continue
		}
		out = append(out, llm.Tool{Name: t.Name, Description: t.Name + " " + t.Does, Parameters: schema})
	}
	return out
}

// FromCall returns the action that a model asked for by function calling, in the canonical form of [Action.String].
// Arguments are texts, numbers, booleans, null, or lists of texts and numbers. An error is a *syntaxError.
func FromCall(c llm.ToolCall) (Action, error) {
	if len(c.Arguments) > maxText {
		return Action{}, &syntaxError{0, fmt.Sprintf("the arguments are longer than %d bytes", maxText)}
	}
	if identifier.FindString(c.Name) != c.Name || c.Name == "" {
		return Action{}, &syntaxError{0, "the call has no name of a tool"}
	}
	args := map[string]any{}
	text := strings.TrimSpace(c.Arguments)
	if text != "" {
		d := json.NewDecoder(strings.NewReader(text))
		d.UseNumber()
		if err := d.Decode(&args); err != nil || d.More() {
			return Action{}, &syntaxError{0, "the arguments are no JSON object"}
		}
	}
	if len(args) > maxArgs {
		return Action{}, &syntaxError{0, fmt.Sprintf("more than %d arguments", maxArgs)}
	}
	a := Action{Name: c.Name}
	for _, name := range slices.Sorted(maps.Keys(args)) {
		if identifier.FindString(name) != name || name == "" {
			return Action{}, &syntaxError{0, "an argument has no name"}
		}
		arg, ok := fromJSON(args[name])
		if !ok {
			return Action{}, &syntaxError{0, "the argument " + name + " is no text, number, or list of texts"}
		}
		arg.Name = name
		a.Args = append(a.Args, arg)
	}
	return a.canonical(), nil
}

// fromJSON returns a decoded JSON value as an argument.
func fromJSON(v any) (Arg, bool) {
	switch v := v.(type) {
	case nil:
		return Arg{Text: words[0], Bare: true}, true
	case bool:
		if v {
			return Arg{Text: words[1], Bare: true}, true
		}
		return Arg{Text: words[2], Bare: true}, true
	case string:
		return Arg{Text: v}, true
	case json.Number:
		f, err := strconv.ParseFloat(v.String(), 64)
		return Arg{Text: canonicalNumber(v.String(), f), Bare: true}, err == nil
	case []any:
		list := []string{}
		for _, e := range v {
			one, ok := fromJSON(e)
			if !ok || one.IsList || slices.Contains(words[:], one.Text) && one.Bare || len(list) == maxList {
				return Arg{}, false
			}
			list = append(list, one.Text)
		}
		return Arg{List: list, IsList: true}, true
	}
	return Arg{}, false
}
