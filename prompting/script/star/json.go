package star

import (
	"errors"
	"strings"

	"go.starlark.net/lib/json"
	"go.starlark.net/starlark"
)

// jsonMembers is the library's json with its sizes checked, and without the escapes that are for HTML alone.
var jsonMembers = starlark.StringDict{
	"encode": starlark.NewBuiltin("json.encode", encode),
	"decode": starlark.NewBuiltin("json.decode", decode),
}

var (
	libraryEncode = json.Module.Members["encode"].(*starlark.Builtin)
	libraryDecode = json.Module.Members["decode"].(*starlark.Builtin)
	// unescape undoes the library's escapes for HTML, and makes the one that is no JSON one. A backslash that is escaped is
	// matched first, so that what follows it stays.
	unescape = strings.NewReplacer(`\\`, `\\`, `\u003c`, "<", `\u003e`, ">", `\u0026`, "&", `\u2028`, "\u2028", `\u2029`, "\u2029", `\x7f`, "\x7f")
)

// encode is json.encode(x): compact, the keys sorted, < > & and all other characters as they are.
func encode(t *thread, _ *builtin, args tuple, kw []tuple) (value, error) {
	if err := weighAll(t, args, kw); err != nil {
		return nil, err
	}
	v, err := libraryEncode.CallInternal(t, args, kw)
	if err != nil {
		return nil, err
	}
	return text(t, unescape.Replace(string(v.(starlark.String))))
}

// decode is json.decode(text, default = ...): objects become dicts, arrays lists. With a default, text that is no JSON
// gives it.
func decode(t *thread, _ *builtin, args tuple, kw []tuple) (value, error) {
	if len(args) == 1 {
		if s, ok := starlark.AsString(args[0]); ok {
			if err := decodable(t, s); err != nil {
				return nil, err
			}
		}
	} else {
		return nil, errors.New("json.decode: give one text, as in json.decode(text, default = None)")
	}
	return libraryDecode.CallInternal(t, args, kw)
}

// decodable bounds what a text can become before it does: the depth, and the memory that its signs stand for.
func decodable(t *thread, s string) error {
	depth, bytes, quoted := 0, len(s), false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{':
			depth, bytes = depth+1, bytes+sizeDict
		case c == '[':
			depth, bytes = depth+1, bytes+sizeList
		case c == '}' || c == ']':
			depth--
		case c == ',' || c == ':':
			bytes += sizeEntry
		}
		if depth > maxNesting {
			return errDeep
		}
	}
	if err := build(t, bytes); err != nil {
		return err
	}
	return work(t, bytes/8)
}
