package configs

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// The checks of the key table: each takes a value of its key's Go type and says what is wrong, or "".

var (
	identifierForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_+-]*$`)
	variableForm   = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
)

// identifier takes names that are safe in file names and in columns of a CSV.
func identifier(v any) string {
	s := v.(string)
	switch {
	case len(s) > 80:
		return "is longer than 80 characters"
	case !identifierForm.MatchString(s):
		return fmt.Sprintf("%q may hold letters, digits, -, _ and + only", s)
	}
	return ""
}

// identifiers takes a list of identifiers without duplicates.
func identifiers(v any) string {
	for _, s := range v.([]string) {
		if why := identifier(s); why != "" {
			return why
		}
	}
	return list(v)
}

// variable takes the name of an environment variable. People paste the key itself here, so the value is not repeated.
func variable(v any) string {
	if s := v.(string); !variableForm.MatchString(s) || len(s) >= shortestKey && mixed.MatchString(s) {
		return "is not the name of an environment variable: state the name of the one that holds the key, never the key itself"
	}
	return ""
}

// A text of this length with capital and small letters and digits is a key rather than a name.
const shortestKey = 16

var mixed = regexp.MustCompile(`[A-Z].*[a-z].*[0-9]|[A-Z].*[0-9].*[a-z]|[a-z].*[A-Z].*[0-9]|[a-z].*[0-9].*[A-Z]|[0-9].*[A-Z].*[a-z]|[0-9].*[a-z].*[A-Z]`)

// plainName takes names that can be printed in a table, a file name and a note.
func plainName(v any) string {
	s := v.(string)
	for _, r := range s {
		if !unicode.IsPrint(r) {
			return fmt.Sprintf("%q is no plain name", s)
		}
	}
	if len(s) > 100 || strings.TrimSpace(s) != s {
		return fmt.Sprintf("%q is no plain name: at most 100 bytes, no space at either end", s)
	}
	return ""
}

// webAddress takes an address without credentials.
func webAddress(v any) string {
	if err := Address(v.(string)); err != nil {
		return err.Error()
	}
	return ""
}

// between takes integers and numbers from lo to hi.
func between(lo, hi float64) func(any) string {
	return func(v any) string {
		f, isFloat := v.(float64)
		if !isFloat {
			f = float64(v.(int64))
		}
		switch {
		case math.IsNaN(f):
			return fmt.Sprintf("is no number: state one from %s to %s", short(lo), short(hi))
		case f < lo:
			return fmt.Sprintf("%s is too small: state one from %s to %s", show(v), short(lo), short(hi))
		case f > hi:
			return fmt.Sprintf("%s is too large: state one from %s to %s", show(v), short(lo), short(hi))
		}
		return ""
	}
}

// short prints a bound without an exponent where it is a whole number.
func short(f float64) string {
	if f == math.Trunc(f) && math.Abs(f) < 1e15 {
		return strconv.FormatInt(int64(f), 10)
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}

// longest is the longest deadline.
const longest = 24 * time.Hour

// deadline takes durations above 0 and up to a day.
func deadline(v any) string {
	d, err := time.ParseDuration(v.(string))
	switch {
	case err != nil:
		return fmt.Sprintf("%q is no duration up to 24h: write one such as \"30s\" or \"5m\"", v)
	case d <= 0:
		return fmt.Sprintf("%q is too small: state a duration above 0", v)
	case d > longest:
		return fmt.Sprintf("%q is too large: state a duration up to 24h", v)
	}
	return ""
}

// seedList takes at least one seed, each once.
func seedList(v any) string {
	seen := map[int64]bool{}
	for _, s := range v.([]int64) {
		if seen[s] {
			return fmt.Sprintf("has %d twice", s)
		}
		seen[s] = true
	}
	if len(seen) == 0 {
		return "is empty: state at least one seed"
	}
	return ""
}

// list refuses empty and repeated elements.
func list(v any) string {
	seen := map[string]bool{}
	for _, s := range v.([]string) {
		if s == "" {
			return "has an empty element"
		}
		if seen[s] {
			return fmt.Sprintf("has %q twice", s)
		}
		seen[s] = true
	}
	return ""
}

// stops takes stop sequences.
func stops(v any) string {
	for _, s := range v.([]string) {
		if why := realBreaks(s); why != "" {
			return why
		}
	}
	return list(v)
}

// realBreaks catches '\n' in TOML's single quotes, where it is a backslash and an n: no completion would ever stop at it.
func realBreaks(v any) string {
	if s := v.(string); strings.Contains(s, `\n`) {
		return `holds a backslash and an "n", not a line break: use double quotes, "\n"`
	}
	return ""
}

// allowed checks a value against its key's choices and check, and returns what is wrong or "". An empty text means "not
// stated" and passes unless the key is required.
func (k *key) allowed(v any, known Known) string {
	if s, isText := v.(string); isText && s == "" {
		switch {
		case k.need:
			return "is empty"
		case k.choices != "" && k.def != nil && k.path != "selection.rule": // which choose empties
			return fmt.Sprintf("is empty: leave it out for %q", k.def)
		case k.kind == duration:
			return k.check(v)
		}
		return ""
	}
	if k.choices != "" {
		for _, s := range elements(v) {
			if k.part != "" && isPath(s) || k.kind == effort && isNumber(s) {
				continue
			}
			if wrong := Unknown(s, known.Choices(k.choices).IDs()); wrong != "" {
				return wrong
			}
		}
	}
	if k.check != nil {
		return k.check(v)
	}
	return ""
}

// elements returns a text as a list of one, and a list as it is.
func elements(v any) []string {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []string:
		return v
	}
	return nil
}

// show prints a TOML value for an error message.
func show(v any) string {
	switch v := v.(type) {
	case string:
		return strconv.Quote(v)
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case bool:
		return strconv.FormatBool(v)
	case []any, []string, []int64:
		return "a list"
	case map[string]any, []map[string]any:
		return "a table"
	}
	return "a date"
}
