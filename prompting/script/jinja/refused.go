package jinja

// instead is what to write for a tag, filter or test of Jinja that is left out.
var instead = map[string]string{
	"break":       "pass the items that are wanted, or write {% for x in xs if ... %}",
	"continue":    "write {% for x in xs if ... %}, or an if around the loop's body",
	"dictsort":    "write {% for key, value in m.items() %}: maps that are passed are walked by their keys",
	"divisibleby": "write x % 3 == 0",
	"do":          "do it in method.star, and pass the result",
	"e":           "nothing is escaped here",
	"extends":     "a file stands alone: write blocks, which an experiment may replace",
	"filter":      "write {{ text | upper }}, with the text from a macro",
	"from":        "a file stands alone: write the macro in it",
	"import":      "a file stands alone: write the macro in it",
	"include":     "a file stands alone: fill the other file by a function, as in {{ text(\"other\") }}",
	"items":       "write m.items()",
	"tojson":      "make the text in method.star, by json.encode(x), and pass it",
	"truncate":    "write clip(text, 100)",
	"with":        "write {% set x = ... %}",
	"wordcount":   "write s.split() | length",
}

// hint is what to write in place of what is left out, or what there is.
func hint(name, offered string) string {
	if text, ok := instead[name]; ok {
		return text
	}
	return offered + "; do it in method.star, and pass what it makes"
}

// refusedNames are names that Jinja gives a meaning that is left out, with what to write instead.
var refusedNames = map[string]string{
	"caller":    "pass the text as an argument",
	"cycler":    "write loop.index0 % 2",
	"dict":      "write {\"key\": value}",
	"joiner":    "write {{ \", \" if not loop.last }}",
	"kwargs":    "name the macro's parameters",
	"lipsum":    "write the text itself",
	"namespace": "count in method.star, and pass the result",
	"range":     "make the list in method.star and pass it, or write loop.index",
	"self":      "write the text as a macro, and call that",
	"super":     "a block's replacement stands for all of it",
	"varargs":   "name the macro's parameters",
}
