package diagnosis

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"assay/metrics"
	"assay/prompting/sql/schema"
)

// Rule places an answer in a category of each taxonomy. Under a taxonomy where its category is empty the rule says
// nothing, and a later rule may. Generation and Selection are CHASE's, for items without and with a right candidate in the pool.
type Rule struct {
	ID         string
	Says       string // one sentence
	Generation string
	Selection  string
	IT2S       string

	fires func(*facts) (evidence string, ok bool)
}

// Rules lists all rules in order of precedence: under each taxonomy the first that fires decides, so specific rules come
// before general ones.
func Rules() []Rule { return slices.Clone(rules) }

var rules = []Rule{
	{"no-query", "There is no query to judge: none was found, or the sandbox refused it.", toBeJudged, WrongPicking, toBeJudged, noQuery},
	{"unknown-table", "SQLite knows no such table.", SchemaLinking, WrongPicking, reasoning, unknownTable},
	{"unknown-filter", "SQLite knows no such column, or not which of several, and it stands in a condition.", SchemaLinking, WrongPicking, filteredColumn, unknownFilter},
	{"unknown-column", "SQLite knows no such column, or not which of several, and it stands elsewhere.", SchemaLinking, WrongPicking, selectedColumn, unknownColumn},
	{"function-error", "SQLite refuses the use of a function.", SQLFunction, WrongPicking, reasoning, functionError},
	{"does-not-run", "The query fails or takes too long for another reason.", WrongLogic, WrongPicking, reasoning, doesNotRun},

	{"gold-overridden", "A person's override corrects the item's gold.", GoldInDoubt, GoldInDoubt, goldenWrong, overridden},
	{"gold-empty", "The gold's result has no rows, or one of nothing but NULL.", "", GoldInDoubt, goldenEmpty, goldEmpty},
	{"distinct-unasked", "Only a DISTINCT sets the queries apart, the question speaks of different things, and the gold query has fewer.", GoldInDoubt, GoldInDoubt, goldenWrong, distinctUnasked},
	{"distinct-missed", "Only a DISTINCT sets the queries apart, the question speaks of different things, and the prediction has fewer.", WrongLogic, WrongPicking, reasoning, distinctMissed},
	{"distinct-only", "Only a DISTINCT sets the queries apart.", WrongLogic, WrongPicking, DistinctOnly, distinctOnly},
	{"gold-case", "The gold compares with a text in another letter case than the prediction, and the question has the prediction's.", GoldInDoubt, GoldInDoubt, goldenWrong, goldCase},
	{"text-case", "Only the letter case of a text differs.", WrongLogic, Vague, format, textCase},
	{"gold-number", "The gold compares with a number that neither question nor evidence has, where the prediction's stands in them.", GoldInDoubt, GoldInDoubt, goldenWrong, goldNumber},

	{"gold-crossed", "The gold joins tables without a condition, and the prediction does not.", GoldInDoubt, GoldInDoubt, goldenWrong, goldCrossed},

	{"evidence-ignored", "The evidence names a column that the gold query uses and the prediction does not.", IgnoredEvidence, WrongPicking, "", evidenceIgnored},
	{"tie", "Both queries ask for the same extreme or order, one by LIMIT, or both: ties decide.", WrongLogic, Vague, ambiguous, tie},
	{"hollow-rows", "The results differ by rows that have NULL or an empty value.", WrongLogic, DataIntegrity, format, hollowRows},
	{"permuted", "The results are equal when columns change places.", WrongLogic, WrongPicking, format, permutedColumns},
	{"respelt", "The results are equal when case, blanks and the writing of numbers are left aside.", SQLFunction, DataIntegrity, format, respeltValues},
	{"rounded", "The results are equal when numbers are rounded.", SQLFunction, WrongPicking, format, roundedNumbers},
	{"scaled", "The results are equal but for a factor of 100: a share against a percentage.", WrongLogic, WrongPicking, format, scaledNumbers},
	{"rejoined", "The rows say the same in another number of columns.", WrongLogic, WrongPicking, format, rejoinedColumns},
	{"repetitions", "The results have the same rows, some more often.", WrongLogic, WrongPicking, DistinctOnly, repeated},

	{"same-name", "Only the table sets the result columns apart, their names being the same.", SchemaLinking, Vague, ambiguous, sameName},
	{"name-for-key", "Only the result columns differ, a key standing for a name, and the question says neither.", SchemaLinking, Vague, ambiguous, nameForKey},
	{"wider", "The prediction's result is the gold's with further columns.", WrongLogic, WrongPicking, selectedColumn, widerResult},
	{"narrower", "The prediction's result is the gold's with columns missing.", WrongLogic, WrongPicking, selectedColumn, narrowerResult},
	{"value-elsewhere", "The same value is looked for in another column.", SchemaLinking, Vague, filteredColumn, valueElsewhere},
	{"other-value", "Only the value that a column is compared with differs, and the question has neither or both.", WrongLogic, WrongPicking, lackingInfo, unsaidValue},

	{"conversion", "Only functions that convert or round differ.", SQLFunction, WrongPicking, format, conversion},
	{"functions", "Only functions differ.", SQLFunction, WrongPicking, reasoning, functionsOnly},
	{"join-condition", "Only the conditions or kinds of joins differ.", Join, WrongPicking, reasoning, joinOnly},
	{"join-missing", "The prediction lacks a table of the gold's, and selects and compares the same columns.", Join, WrongPicking, reasoning, joinMissing},
	{"join-extra", "The prediction reads further tables, and selects and compares the same columns.", Join, WrongPicking, reasoning, joinExtra},
	{"other-table", "One table stands for another, and the same columns are selected and compared.", SchemaLinking, WrongPicking, reasoning, otherTable},
	{"other-column", "Only the result columns differ, one standing for another.", SchemaLinking, WrongPicking, selectedColumn, otherColumn},
	{"concatenated", "The same columns are selected, in one query some of them put together.", WrongLogic, WrongPicking, format, concatenated},
	{"more-or-fewer", "Only the result columns differ, and in number.", WrongLogic, WrongPicking, selectedColumn, moreOrFewer},
	{"other-filter", "Only the conditions differ, and they are on other columns.", SchemaLinking, WrongPicking, filteredColumn, otherFilter},
	{"condition", "Only the conditions differ, on the same columns.", WrongLogic, WrongPicking, reasoning, condition},
	{"columns", "The prediction selects or compares other columns, and differs otherwise too.", SchemaLinking, WrongPicking, reasoning, otherColumns},
	{"structure", "The queries use the same columns and differ in structure.", WrongLogic, WrongPicking, reasoning, structure},
}

func noQuery(f *facts) (string, bool) {
	s := f.Answer.Status
	return "status " + string(s), s == metrics.NoSQL || s == metrics.Rejected || strings.TrimSpace(f.Answer.SQL) == ""
}

func (f *facts) failed() bool {
	return f.Answer.Status == metrics.SQLError || f.Answer.Status == metrics.SQLTimeout
}

func unknownTable(f *facts) (string, bool) {
	return f.Why, f.failed() && strings.Contains(f.Why, "no such table")
}

var (
	unknownName  = regexp.MustCompile(`(?:no such column|ambiguous column name):? ["'` + "`" + `]?([^"'` + "`" + `;,()]+)`)
	functionSaid = regexp.MustCompile(`no such function|misuse of|wrong number of arguments`)
)

// unknown returns the column that SQLite does not know.
func (f *facts) unknown() (schema.ColumnName, bool) {
	m := unknownName.FindStringSubmatch(f.Why)
	if m == nil || !f.failed() {
		return schema.ColumnName{}, false
	}
	parts := strings.Split(strings.ToLower(strings.TrimSpace(m[1])), ".")
	return schema.ColumnName{Column: parts[len(parts)-1]}, true
}

func unknownFilter(f *facts) (string, bool) {
	c, ok := f.unknown()
	if !ok || f.got == nil {
		return "", false
	}
	return f.Why, slices.ContainsFunc(filtered(f.got.filters), c.MayBe) && !slices.ContainsFunc(f.got.shown, c.MayBe)
}

func unknownColumn(f *facts) (string, bool) {
	_, ok := f.unknown()
	return f.Why, ok
}

func functionError(f *facts) (string, bool) {
	return f.Why, f.failed() && functionSaid.MatchString(f.Why)
}

func doesNotRun(f *facts) (string, bool) {
	return strings.TrimSpace(string(f.Answer.Status) + " " + f.Why), f.failed()
}

func overridden(f *facts) (string, bool) { return f.Question.Override, f.Question.Override != "" }

func goldEmpty(f *facts) (string, bool) {
	switch {
	case f.Gold == nil:
	case f.Gold.Rows == 0:
		return "the gold query returns no rows", true
	case f.Gold.Rows == 1 && len(f.goldRows) == 1:
		return "the gold query returns NULL", !slices.ContainsFunc(f.goldRows[0], func(s string) bool { return s != "NULL" })
	}
	return "", false
}

// apart returns how many DISTINCTs each statement has, where nothing else differs.
func (f *facts) apart() (string, bool) {
	if !f.read() || f.want.distinct == f.got.distinct || len(f.parts) > 0 && !f.only(inTables, inJoins) || f.want.bare != f.got.bare {
		return "", false
	}
	return fmt.Sprintf("the gold query has %d DISTINCT, prediction %d", f.want.distinct, f.got.distinct), true
}

func distinctOnly(f *facts) (string, bool) { return f.apart() }

func distinctUnasked(f *facts) (string, bool) {
	e, ok := f.apart()
	return e + "; the question asks for different ones", ok && f.asksDistinct() && f.want.distinct < f.got.distinct
}

func distinctMissed(f *facts) (string, bool) {
	e, ok := f.apart()
	return e + "; the question asks for different ones", ok && f.asksDistinct() && f.want.distinct > f.got.distinct
}

// textCase fires where conditions differ in letter case alone, and nothing else differs.
func textCase(f *facts) (string, bool) {
	a, b, ok := f.caseApart()
	return fmt.Sprintf("the gold query has %q, prediction %q", a, b), ok
}

func goldCase(f *facts) (string, bool) {
	said := f.Question.Question + " " + f.Question.Evidence
	got := compared(f.got)
	for _, a := range compared(f.want) {
		for _, b := range got {
			if a != b && strings.EqualFold(a, b) && !strings.Contains(said, a) && strings.Contains(said, b) {
				return fmt.Sprintf("the gold query has %q, prediction and question %q", a, b), true
			}
		}
	}
	return "", false
}

// compared returns the texts and numbers in a statement's conditions.
func compared(s *shape) (out []string) {
	if s == nil {
		return nil
	}
	for _, a := range s.filters {
		out = append(out, a.values...)
	}
	return out
}

func (f *facts) caseApart() (gold, prediction string, ok bool) {
	if !f.only(inFilters) || len(f.noFilters) != len(f.moreFilters) {
		return "", "", false
	}
	for i, a := range f.noFilters {
		b := f.moreFilters[i]
		if !strings.EqualFold(a.text, b.text) || len(a.values) != len(b.values) {
			return "", "", false
		}
		for k := range a.values {
			if a.values[k] != b.values[k] {
				gold, prediction = a.values[k], b.values[k]
			}
		}
	}
	return gold, prediction, gold != ""
}

// goldNumber needs numbers of two digits or more: questions write smaller ones as words, or leave them out.
func goldNumber(f *facts) (string, bool) {
	if !f.read() {
		return "", false
	}
	for _, a := range f.noFilters {
		for _, b := range f.moreFilters {
			if len(a.values) != 1 || len(b.values) != 1 || len(unlike(a.columns, b.columns)) > 0 {
				continue
			}
			x, y := a.values[0], b.values[0]
			if n, err := strconv.ParseFloat(x, 64); err == nil && n >= 10 && x != y && !f.says(x) && f.says(y) {
				return fmt.Sprintf("the gold query has %s, the question %s", a, y), true
			}
		}
	}
	return "", false
}

func goldCrossed(f *facts) (string, bool) {
	return "the gold's " + listed(f.tablesOfGold()) + " have no condition between them", f.read() && f.want.crossed && !f.got.crossed
}

func (f *facts) tablesOfGold() []string {
	if f.want == nil {
		return nil
	}
	return f.want.tables
}

func evidenceIgnored(f *facts) (string, bool) {
	if !f.read() || f.Question.Evidence == "" {
		return "", false
	}
	evidence := worded(f.Question.Evidence)
	used := slices.Concat(f.got.shown, filtered(f.got.filters))
	for _, c := range slices.Concat(f.noColumns, f.noFiltered) {
		if len(c.Column) > 2 && !slices.ContainsFunc(used, c.MayBe) && strings.Contains(evidence, worded(c.Column)) &&
			!strings.Contains(worded(f.got.bare), worded(c.Column)) {
			return "the evidence names " + c.Dotted() + ", the prediction does not use it", true
		}
	}
	return "", false
}

// tie fires where tables, result columns and conditions agree, except for how the extreme is computed.
func tie(f *facts) (string, bool) {
	switch {
	case !f.read() || f.Answer.Status != metrics.Wrong:
	case f.GotSame && slices.Equal(f.want.keys, f.got.keys) && slices.Equal(f.want.order, f.got.order):
		return "the rows are the same and so is the order asked for", true
	case f.want.limit != "" && f.want.bare == f.got.bare:
		return "the queries are the same, with a LIMIT", true
	case f.swapped && (len(f.parts) == 0 || f.only(inGroups)):
		return "one has ORDER BY with LIMIT, the other max or min in a sub-query", true
	case f.want.limit != "" && f.want.limit == f.got.limit && (len(f.parts) == 0 || f.only(inGroups, inJoins)):
		return "the same order and LIMIT", true
	}
	return "", false
}

// wrongRows reports whether an answer ran and returned another result, both results being complete.
func (f *facts) wrongRows() bool { return f.whole && f.Answer.Status == metrics.Wrong && !f.GotSame }

func (f *facts) rows() string {
	return fmt.Sprintf("the gold query has %d rows, prediction %d", len(f.goldRows), len(f.gotRows))
}

func hollowRows(f *facts) (string, bool) {
	return f.rows(), f.wrongRows() && hollower(f.goldRows, f.gotRows)
}

func permutedColumns(f *facts) (string, bool) {
	return "the same values under other columns", f.wrongRows() && permuted(f.goldRows, f.gotRows)
}

func respeltValues(f *facts) (string, bool) {
	return "the same values, written otherwise", f.wrongRows() && len(f.goldRows) > 0 && respelt(f.goldRows, f.gotRows)
}

func roundedNumbers(f *facts) (string, bool) {
	return "numbers differ by rounding", f.wrongRows() && near(f.goldRows, f.gotRows, rounded)
}

func scaledNumbers(f *facts) (string, bool) {
	return "numbers differ by a factor of 100", f.wrongRows() && near(f.goldRows, f.gotRows, scaled)
}

func rejoinedColumns(f *facts) (string, bool) {
	return "the same rows in another number of columns", f.wrongRows() && rejoined(f.goldRows, f.gotRows)
}

func repeated(f *facts) (string, bool) {
	return f.rows(), f.wrongRows() && repetitions(f.goldRows, f.gotRows)
}
