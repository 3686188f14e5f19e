package sqlite

import (
	"fmt"
	"slices"
	"strings"

	"assay/prompting/sql/tree"
)

// newerFunctions lists the functions, table functions included, that this binary's SQLite has and version 3.40.1 has not.
// The reference verdicts were made with 3.40.1; each function was run on both versions. The jsonb functions are missing
// here because Newer matches their prefix.
var newerFunctions = strings.Fields(`concat concat_ws if json_array_insert json_error_position json_pretty octet_length string_agg
	timediff unhex unistr unistr_quote`)

// newerFormats lists the letters of strftime for which 3.40.1 returns NULL, and newerModifiers the modifiers of date
// functions for which it does.
const newerFormats = "eFgGIklpPRTuUV"

var newerModifiers = strings.Fields("ceiling floor subsec subsecond")

// dateFunctions lists the functions that take modifiers.
var dateFunctions = strings.Fields("date datetime julianday strftime time unixepoch")

// mostNewer bounds the warnings of one query: a hostile one may have thousands of names.
const mostNewer = 20

// call is one function call of a statement.
type call struct {
	name    string
	args    [][]tree.Token // the tokens of each argument, without those in nested parentheses
	ordered bool           // there is an ORDER BY among the arguments
}

// Newer returns a warning for each part of a query that SQLite 3.40.1 refuses, or evaluates to NULL, and this binary's
// SQLite runs. Such a query can be right here and wrong in the official evaluator. Each warning occurs once, and there are
// no more than mostNewer.
func Newer(sql string) (out []string) {
	said := map[string]bool{}
	say := func(format string, args ...any) {
		if s := fmt.Sprintf(format, args...); !said[s] && len(out) < mostNewer {
			said[s] = true
			out = append(out, s)
		}
	}
	const refused = " is newer than SQLite 3.40.1: an evaluator on that refuses the query"
	tokens := tree.Tokens(sql)
	if slices.ContainsFunc(tokens, func(t tree.Token) bool { return t.Kind == tree.Number && strings.Contains(t.Text, "_") }) {
		say("a number with _ between digits" + refused)
	}
	for _, c := range calls(tokens) {
		switch {
		case slices.Contains(newerFunctions, c.name) || strings.HasPrefix(c.name, "jsonb"):
			say("%s()"+refused, c.name)
		case c.name == "iif" && len(c.args) != 3 || c.name == "json_valid" && len(c.args) == 2:
			say("%s() of %d arguments"+refused, c.name, len(c.args))
		case c.ordered:
			say("ORDER BY within %s()"+refused, c.name)
		case slices.Contains(dateFunctions, c.name):
			for _, what := range c.unknown() {
				say("%s of %s() is newer than SQLite 3.40.1: an evaluator on that gets NULL", what, c.name)
			}
		}
	}
	return out
}

// unknown returns the formats and modifiers in a date function's text arguments that 3.40.1 does not know. Modifiers that
// are computed cannot be checked without running the query.
func (c call) unknown() (out []string) {
	for i, arg := range c.args {
		if len(arg) != 1 || arg[0].Kind != tree.TextToken {
			continue
		}
		text := strings.Trim(arg[0].Text, "'")
		if low := strings.ToLower(text); i > 0 && slices.Contains(newerModifiers, low) {
			out = append(out, "'"+low+"'")
		}
		if i > 0 || c.name != "strftime" {
			continue
		}
		for _, part := range strings.Split(strings.ReplaceAll(text, "%%", ""), "%")[1:] {
			if part != "" && strings.Contains(newerFormats, part[:1]) {
				out = append(out, "%"+part[:1])
			}
		}
	}
	return out
}

// calls returns the function calls of a statement in the order in which they end. It reads tokens and not the tree,
// because the tree drops where an ORDER BY is.
func calls(tokens []tree.Token) (out []call) {
	open := []*call{{}} // outside all parentheses
	for i, t := range tokens {
		in := open[len(open)-1]
		switch {
		case t.Text == "(":
			in.add(t)
			c := &call{}
			if i > 0 && named(tokens[i-1]) {
				c.name = strings.ToLower(strings.Trim(tokens[i-1].Text, "\"`[]"))
			}
			open = append(open, c)
		case t.Text == ")":
			if in.name != "" {
				out = append(out, *in)
			}
			open = open[:max(len(open)-1, 1)]
		case t.Text == ",":
			in.args = append(in.args, nil)
		case t.Keyword == "ORDER":
			in.ordered = true
		default:
			in.add(t)
		}
	}
	return out
}

// named reports whether a token may be a function's name. IF is a keyword and, in newer versions, a function.
func named(t tree.Token) bool {
	return t.Kind == tree.QuotedName || t.Kind == tree.Word && (t.Keyword == "" || t.Keyword == "IF")
}

// add appends a token to the current argument.
func (c *call) add(t tree.Token) {
	if len(c.args) == 0 {
		c.args = [][]tree.Token{nil}
	}
	c.args[len(c.args)-1] = append(c.args[len(c.args)-1], t)
}
