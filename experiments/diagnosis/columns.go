package diagnosis

import (
	"fmt"
	"slices"
	"strings"
)

// selectParts are the parts that change with the result columns.
var selectParts = []string{inSelect, inTables, inJoins, inGroups}

func sameName(f *facts) (string, bool) {
	if !f.only(selectParts...) || len(f.noSelected)+len(f.moreSelected) > 0 || len(f.noColumns) == 0 || len(f.moreColumns) == 0 {
		return "", false
	}
	return against(f.noColumns, f.moreColumns), true
}

// keyed reports whether a column's name is that of a key.
func keyed(name string) bool {
	return name == "id" || strings.HasSuffix(name, "id") || strings.HasSuffix(name, "code") || strings.HasSuffix(name, "number")
}

func named(name string) bool {
	return strings.Contains(name, "name") || strings.Contains(name, "title")
}

func nameForKey(f *facts) (string, bool) {
	if !f.only(selectParts...) || len(f.noSelected) != 1 || len(f.moreSelected) != 1 {
		return "", false
	}
	a, b := f.noSelected[0], f.moreSelected[0]
	if !(keyed(a) && named(b) || named(a) && keyed(b)) || f.says(worded(a)) || f.says(worded(b)) || f.says("name") || f.says("id") {
		return "", false
	}
	return against(f.noSelected, f.moreSelected), true
}

func widerResult(f *facts) (string, bool) {
	return fmt.Sprintf("prediction has %s more", listed(f.extra(f.moreSelected))), f.wrongRows() && wider(f.gotRows, f.goldRows)
}

func narrowerResult(f *facts) (string, bool) {
	return fmt.Sprintf("the gold query has %s more", listed(f.extra(f.noSelected))), f.wrongRows() && wider(f.goldRows, f.gotRows)
}

func (f *facts) extra(list []string) []string {
	if len(list) == 0 {
		return []string{"columns"}
	}
	return list
}

func valueElsewhere(f *facts) (string, bool) {
	if !f.only(inFilters, inTables, inJoins, inEither) {
		return "", false
	}
	for _, a := range f.noFilters {
		for _, b := range f.moreFilters {
			if len(a.values) == 1 && len(b.values) == 1 && a.values[0] == b.values[0] && len(a.values[0]) > 1 &&
				len(a.columns) == 1 && len(b.columns) == 1 && !a.columns[0].MayBe(b.columns[0]) {
				return fmt.Sprintf("%s is looked for in %s, by the gold query in %s", a.values[0], b.columns[0].Dotted(), a.columns[0].Dotted()), true
			}
		}
	}
	return "", false
}

// unsaidValue fires where a column is compared with two different texts, and the question has neither or both.
func unsaidValue(f *facts) (string, bool) {
	if !f.only(inFilters) || len(f.noFilters) != 1 || len(f.moreFilters) != 1 {
		return "", false
	}
	a, b := f.noFilters[0], f.moreFilters[0]
	if len(a.values) == 0 || len(b.values) == 0 || len(unlike(a.columns, b.columns)) > 0 || slices.Equal(a.values, b.values) {
		return "", false
	}
	if f.says(a.values[0]) != f.says(b.values[0]) || f.says(a.values[0]) {
		return "", false
	}
	return against(f.noFilters, f.moreFilters), true
}

// converting are the functions that change the form of a value but not its meaning.
var converting = []string{"cast", "round", "date", "datetime", "julianday", "strftime", "time", "upper", "lower", "trim", "substr", "substring", "ifnull", "coalesce", "printf"}

func conversion(f *facts) (string, bool) {
	e, ok := functionsOnly(f)
	return e, ok && !slices.ContainsFunc(slices.Concat(f.noCalls, f.moreCalls), func(c string) bool { return !slices.Contains(converting, c) })
}

func functionsOnly(f *facts) (string, bool) {
	if !f.only(inFunctions, inSelect, inOrder, inFilters) || !f.differ(inFunctions) || len(f.want.selected) != len(f.got.selected) || len(f.noColumns)+len(f.moreColumns)+len(f.noFiltered)+len(f.moreFiltered) > 0 {
		return "", false
	}
	return against(f.noCalls, f.moreCalls), true
}

func joinOnly(f *facts) (string, bool) {
	e := against(f.noJoins, f.moreJoins)
	if e == "" && f.read() {
		e = fmt.Sprintf("the gold query has %d outer joins, prediction %d", f.want.outer, f.got.outer)
	}
	return e, f.only(inJoins)
}

// sameUse reports whether result columns, conditions and functions agree.
func (f *facts) sameUse() bool {
	return f.read() && !f.differ(inSelect) && !f.differ(inFilters) && !f.differ(inFunctions) && !f.differ(inSets)
}

func joinMissing(f *facts) (string, bool) {
	return "gold joins " + listed(f.noTables) + ", prediction does not", f.sameUse() && len(f.noTables) > 0 && len(f.moreTables) == 0
}

func joinExtra(f *facts) (string, bool) {
	return "prediction joins " + listed(f.moreTables) + ", gold does not", f.sameUse() && len(f.moreTables) > 0 && len(f.noTables) == 0
}

func otherTable(f *facts) (string, bool) {
	return against(f.noTables, f.moreTables), f.sameUse() && len(f.noTables) > 0 && len(f.moreTables) > 0
}

func otherColumn(f *facts) (string, bool) {
	if !f.only(append(selectParts, inFunctions, inOrder)...) || !f.differ(inSelect) || len(f.want.selected) != len(f.got.selected) {
		return "", false
	}
	return against(f.noColumns, f.moreColumns), len(f.noColumns)+len(f.moreColumns) > 0
}

// concatenated finds the same columns in another number of result columns, one of them put together.
func concatenated(f *facts) (string, bool) {
	joins := func(s string) bool { return strings.Contains(s, "||") }
	return against(f.noSelected, f.moreSelected), f.read() && len(f.want.selected) != len(f.got.selected) && len(f.noColumns)+len(f.moreColumns) == 0 &&
		slices.ContainsFunc(f.want.selected, joins) != slices.ContainsFunc(f.got.selected, joins)
}

func moreOrFewer(f *facts) (string, bool) {
	if !f.only(append(selectParts, inFunctions, inOrder)...) || len(f.want.selected) == len(f.got.selected) {
		return "", false
	}
	return against(f.noSelected, f.moreSelected), true
}

func otherFilter(f *facts) (string, bool) {
	return against(f.noFiltered, f.moreFiltered), f.only(inFilters, inTables, inJoins, inEither, inFunctions) && len(f.noFiltered)+len(f.moreFiltered) > 0
}

func condition(f *facts) (string, bool) {
	return against(f.noFilters, f.moreFilters), f.only(inFilters, inEither, inFunctions) && f.differ(inFilters)
}

func otherColumns(f *facts) (string, bool) {
	if !f.read() {
		return "", false
	}
	want, got := slices.Concat(f.want.shown, filtered(f.want.filters)), slices.Concat(f.got.shown, filtered(f.got.filters))
	equal := slices.Concat(f.want.equal, f.got.equal)
	gold, prediction := unlike(want, got, equal...), unlike(got, want, equal...)
	return against(gold, prediction), len(gold) > 0 && len(prediction) > 0
}

func structure(f *facts) (string, bool) {
	return "they differ in " + strings.Join(f.parts, ", "), f.read() && len(f.parts) > 0
}
