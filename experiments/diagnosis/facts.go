package diagnosis

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"assay/prompting/sql/schema"
)

// facts is a case with both statements parsed, and their differences. Where either does not parse, want or got is nil and no
// difference is known.
type facts struct {
	Case
	swapped   bool   // one has ORDER BY with LIMIT where the other has max or min in a sub-query
	want, got *shape // of the gold query, of the answer
	goldRows  grid
	gotRows   grid
	whole     bool // the run has both results completely

	parts                    []string // the parts in which the statements differ
	noTables, moreTables     []string
	noColumns, moreColumns   []schema.ColumnName // of the result columns
	noSelected, moreSelected []string
	noFilters, moreFilters   []atom // conditions that only one statement has
	noFiltered, moreFiltered []schema.ColumnName
	noCalls, moreCalls       []string
	noJoins, moreJoins       []string
}

// The parts of a statement.
const (
	inTables    = "tables"
	inSelect    = "result columns"
	inFilters   = "conditions"
	inJoins     = "join conditions"
	inGroups    = "grouping"
	inOrder     = "order"
	inLimit     = "limit"
	inSets      = "set operations"
	inNesting   = "sub-queries"
	inFunctions = "functions"
	inEither    = "OR"
)

func newFacts(c Case) *facts {
	f := &facts{Case: c, want: shapeOf(c.Question.Gold, c.Schema), got: shapeOf(c.Answer.SQL, c.Schema)}
	gold, ok := gridOf(c.Gold)
	got, ok2 := gridOf(c.Got)
	f.goldRows, f.gotRows, f.whole = gold, got, ok && ok2
	if f.want != nil && f.got != nil {
		f.compare()
	}
	return f
}

func (f *facts) compare() {
	w, g := f.want, f.got
	equal := slices.Concat(w.equal, g.equal)
	f.noTables, f.moreTables = less(w.tables, g.tables), less(g.tables, w.tables)
	f.noColumns, f.moreColumns = unlike(w.shown, g.shown, equal...), unlike(g.shown, w.shown, equal...)
	f.noSelected, f.moreSelected = less(w.selected, g.selected), less(g.selected, w.selected)
	f.noFilters, f.moreFilters = without(w.filters, g.filters, equal), without(g.filters, w.filters, equal)
	f.noFiltered, f.moreFiltered = unlike(filtered(w.filters), filtered(g.filters), equal...), unlike(filtered(g.filters), filtered(w.filters), equal...)
	f.noCalls, f.moreCalls = less(w.calls, g.calls), less(g.calls, w.calls)
	f.noJoins, f.moreJoins = less(w.joins, g.joins), less(g.joins, w.joins)
	f.swapped = f.swap()
	for _, p := range []struct {
		name   string
		differ bool
	}{
		{inTables, len(f.noTables)+len(f.moreTables) > 0},
		{inSelect, len(f.noSelected)+len(f.moreSelected)+len(f.noColumns)+len(f.moreColumns) > 0},
		{inFilters, len(f.noFilters)+len(f.moreFilters) > 0},
		{inJoins, len(f.noJoins)+len(f.moreJoins) > 0 || w.outer != g.outer},
		{inGroups, w.group != g.group},
		{inOrder, !f.swapped && !slices.Equal(w.order, g.order)},
		{inLimit, !f.swapped && w.limit != g.limit},
		{inSets, w.sets != g.sets},
		{inNesting, w.nested != g.nested && !(f.swapped && w.nested+g.nested == 1)},
		{inFunctions, len(f.noCalls)+len(f.moreCalls) > 0},
		{inEither, w.either != g.either},
	} {
		if p.differ {
			f.parts = append(f.parts, p.name)
		}
	}
}

// swap finds two ways to ask for an extreme, one in each statement, and takes the condition of one of them from the
// differences.
func (f *facts) swap() bool {
	w, g := f.want, f.got
	switch {
	case w.limit != "" && g.limit == "" && g.extremes > w.extremes:
		f.moreFilters, f.moreCalls = withoutExtreme(f.moreFilters), less(f.moreCalls, []string{"max", "min"})
	case g.limit != "" && w.limit == "" && w.extremes > g.extremes:
		f.noFilters, f.noCalls = withoutExtreme(f.noFilters), less(f.noCalls, []string{"max", "min"})
	default:
		return false
	}
	equal := slices.Concat(w.equal, g.equal)
	f.noFiltered = unlike(filtered(f.noFilters), filtered(g.filters), equal...)
	f.moreFiltered = unlike(filtered(f.moreFilters), filtered(w.filters), equal...)
	return true
}

func withoutExtreme(atoms []atom) []atom {
	return slices.DeleteFunc(slices.Clone(atoms), func(a atom) bool {
		return strings.Contains(a.text, "(select max(") || strings.Contains(a.text, "(select min(")
	})
}

// read reports whether both statements parse.
func (f *facts) read() bool { return f.want != nil && f.got != nil }

// only reports whether the statements differ, and only in these parts.
func (f *facts) only(parts ...string) bool {
	return f.read() && len(f.parts) > 0 && !slices.ContainsFunc(f.parts, func(p string) bool { return !slices.Contains(parts, p) })
}

func (f *facts) differ(part string) bool { return slices.Contains(f.parts, part) }

func without(a, b []atom, equal [][2]schema.ColumnName) (out []atom) {
	for _, x := range a {
		if !slices.ContainsFunc(b, func(y atom) bool {
			return x.text == y.text && len(unlike(x.columns, y.columns, equal...)) == 0
		}) {
			out = append(out, x)
		}
	}
	return out
}

func filtered(atoms []atom) (out []schema.ColumnName) {
	for _, a := range atoms {
		out = append(out, a.columns...)
	}
	return out
}

// says reports whether the question or its evidence has the text as whole words, letter case aside.
func (f *facts) says(text string) bool {
	wanted := words(text)
	return wanted != "  " && strings.Contains(words(f.Question.Question+" "+f.Question.Evidence), wanted)
}

// words returns a text's words in lower case, with a blank around each, so that a search finds whole words.
func words(text string) string {
	return " " + strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}), " ") + " "
}

var distinctWords = regexp.MustCompile(`(?i)\b(different|distinct|unique|distinctive|various)\b`)

// asksDistinct reports whether the question asks for different things.
func (f *facts) asksDistinct() bool { return distinctWords.MatchString(f.Question.Question) }

// worded returns a column's name as people write it, with blanks for underscores.
func worded(name string) string { return strings.ReplaceAll(strings.ToLower(name), "_", " ") }

// listed prints a few names.
func listed[T any](list []T) string {
	const most = 3
	var out []string
	for i, x := range list {
		if i == most {
			out = append(out, fmt.Sprintf("and %d more", len(list)-most))
			break
		}
		out = append(out, fmt.Sprint(x))
	}
	return strings.Join(out, ", ")
}

// against prints what only the one, and what only the other statement has.
func against[T any](gold, prediction []T) string {
	var out []string
	if len(gold) > 0 {
		out = append(out, "the gold query has "+listed(gold))
	}
	if len(prediction) > 0 {
		out = append(out, "prediction has "+listed(prediction))
	}
	return strings.Join(out, "; ")
}

func (a atom) String() string { return a.text }
