package configs

import "slices"

// Choice is one value that a key of the file may take.
type Choice struct {
	ID    string
	Shows string // what it stands for, in a few words
}

// Choices is a closed list of values, in the order that documentation prints.
type Choices []Choice

// Has reports whether id is one of them.
func (c Choices) Has(id string) bool {
	for _, one := range c {
		if one.ID == id {
			return true
		}
	}
	return false
}

// IDs lists the values in order.
func (c Choices) IDs() []string {
	ids := make([]string, len(c))
	for i, one := range c {
		ids[i] = one.ID
	}
	return ids
}

// without is the list but for some of its ids.
func (c Choices) without(ids ...string) (out Choices) {
	for _, one := range c {
		if !slices.Contains(ids, one.ID) {
			out = append(out, one)
		}
	}
	return out
}

// TrainFile as exemplars.file stands for the dataset's whole training split.
const TrainFile = "train"

// Annotated are the methods whose demonstrations show what their SQL does not tell: a person has to have written it. A
// training split has none of it.
var Annotated = Choices{
	{"least-to-most", "sub-questions with their SQL"},
	{"qdecomp", "sub-questions"},
	{"qdecomp-intercol", "sub-questions with their columns"},
	{"dc-cot", "a division into sub-questions"},
}

// Imported is the provider and the method of predictions that `assay import` stored.
const Imported = "imported"

// Pool is the method that gathers the candidates of several.
const Pool = "pool"

// What an experiment may name. The constructors behind the names live in the packages that own them; these tables
// are what the loader checks a file against, so that a name that leads nowhere is an error before any work.
var (
	// Kinds are the forms of dataset.
	Kinds = Choices{
		{"sample", "the embedded sample dataset: needs no files"},
		{"spider", "Spider and its variants Realistic, Syn and DK"},
		{"bird", "BIRD and BIRD mini-dev"},
		{"bird-finc", "BIRD-Financial Corrected: its financial questions as given, with corrected SQL, and with both corrected"},
		{"text2sql", "text2sql-data: GeoQuery, IMDB, Yelp and their like"},
	}
	// Providers are the sources of completions.
	Providers = Choices{
		{"baseline", "the embedded rule-based parser: no key, no network, no language model"},
		{"gemini", "Google's Gemini models"},
		{"openai", "any server that speaks OpenAI's chat completions: OpenAI, Ollama, llama.cpp, vLLM, LM Studio, gateways"},
		{Imported, "no model: what `assay import` stored; such a run is reported, and not run again"},
	}
	// Methods are the prompting methods: those of Tai et al. (2023), then those of CHASE-SQL (Pourreza et al. 2025).
	Methods = Choices{
		{"standard", "the SQL directly"},
		{"cot", "chain of thought: the SQL told clause by clause, then the SQL"},
		{"least-to-most", "sub-questions in one call, then a call for each"},
		{"qdecomp", "sub-questions, then the SQL, in one call"},
		{"qdecomp-intercol", "as qdecomp, each sub-question with the columns it newly needs"},
		{"bird-cot", "BIRD's prompt with the steps before the SQL: the baseline of CHASE-SQL"},
		{"dc-cot", "divide and conquer: sub-questions with pseudo SQL, assembled, then simplified, in one call"},
		{"qp-cot", "the steps of a query plan, then the SQL, in one call"},
		{"os", "examples that the model writes for the question's own database, then the SQL"},
		{Interactive, "the model works on the database with tools, a step a turn, see `[agent]`"},
		{Pool, "the candidates of several methods, see `generators`"},
		{Imported, "predictions of others, stored by `assay import`"},
	}
	// Generators are the methods that a pool may gather.
	Generators = Methods.without(Pool, Imported)
	// ValueColumns are the ways to choose the columns whose values are searched.
	ValueColumns = Choices{
		{"content", "columns that hold names or words, whatever type they declare"},
		{"chess", "CHESS's rule: columns declared TEXT, less those excluded by name and length"},
	}
	// Keywords are who says what to look up among the values.
	Keywords = Choices{{"rules", "rules over the question's words, offline"}, {"model", "the model, in one call a question"}}
	// ColumnFilters are the ways in which a model chooses columns.
	ColumnFilters = Choices{
		{"none", "all columns"},
		{"one-call", "one call that lists the columns needed"},
		{"each", "one call a column, as CHESS does: exact, and costly on wide schemas"},
	}
	// Sources are where the examples of method os come from (CHASE-SQL, tables 8 and 9).
	Sources = Choices{
		{"os", "written by the model for this question: SQL features, then the columns needed"},
		{"train", "demonstrations of `exemplars.file` (such as train) whose questions are nearest, of other databases"},
		{"codes", "CodeS's augmentation: questions that the model asks of the schema, then templates filled from the schema"},
		{"none", "no examples"},
	}
	// Unfixed are what may become of a candidate that the fixer could not mend.
	Unfixed = Choices{{"keep", "it stays, as the first of its queries that ran, or else as it came"}, {"drop", "it leaves the pool, as the paper's Algorithm 4 prints it"}}
	// Triggers are what sets the fixer off.
	Triggers = Choices{{"error", "the query does not run"}, {"empty", "it returns no rows"}}
	// SelectionRules are the ways to choose among candidates.
	SelectionRules = Choices{
		{"first", "the first that there is"},
		{"random", "one drawn by the seed"},
		{"consistency-dail", "self-consistency as DAIL-SQL breaks ties"},
		{"consistency-chess", "self-consistency as CHESS breaks ties: the shortest SQL"},
		{"consistency-first", "self-consistency, the first of the largest cluster"},
		{"pairwise", "the model compares every pair (CHASE-SQL, Algorithm 3)"},
		{"ranker", "the model sees all candidates in one prompt"},
	}
	// Ties are which of equal scores wins.
	Ties = Choices{{"first", "the earliest candidate"}, {"consistency", "the one whose result more candidates share, then the earliest"}}
	// Formats are the ways a database is described in a prompt.
	Formats = Choices{
		{"apidocs", "one comment line a table with its columns"},
		{"createtable", "CREATE TABLE statements, each with example rows"},
		{"bird", "CREATE TABLE statements with column meanings and example values"},
	}
	// ValueShows are the examples beside the values found.
	ValueShows = Choices{
		{"first", "the column's examples and the table's rows, after the values found"},
		{"instead", "none of a column of which values were found; those of the others"},
		{"only", "none: the values found are the only ones"},
	}
	// Strategies are the ways demonstrations are chosen.
	Strategies = Choices{
		{"none", "no demonstrations, whatever k says"},
		{"random", "uniform, the same for every item of a seed"},
		{"hardness-balanced", "equal numbers of each of levels"},
		{"hardness-only", "from levels alone"},
		{"similarity", "those whose questions are nearest to the item's"},
	}
	// Presets are named pairs of strategy and levels; package exemplar defines them.
	Presets = Choices{
		{"G1", "equal numbers of every hardness level"},
		{"G2", "hard and extra, in equal numbers"},
		{"G3", "extra only"},
	}
	// Annotations are the words that exemplars.file may hold in place of a path.
	Annotations = Choices{
		{TrainFile, "the dataset's whole training split: chain of thought and columns are derived from its SQL; methods that show sub-questions refuse it"},
		{"sample", "the demonstrations shipped with the sample dataset"},
		{"spider-train", "shipped annotations of Spider train questions, whose text is read from the dataset's folder"},
	}
	// Metrics are the judges.
	Metrics = Choices{
		{"ts", "test-suite accuracy: the Spider comparator on every database of the suite"},
		{"ex", "execution accuracy: the Spider comparator on the item's own database"},
		{"em", "exact set match"},
		{"ex-bird", "execution accuracy as BIRD counts it: sets of rows"},
		{"soft-f1", "BIRD's soft F1"},
		{"ex-spider18", "execution match of Spider's first evaluator: columns by what the select list names"},
		{"ves", "BIRD's valid efficiency score; measures the machine too, so it is advisory"},
		{"r-ves", "BIRD's reward-based efficiency score; advisory, as ves"},
		{"ex-keep-distinct", "ex, with DISTINCT left in place"},
		{"ts-keep-distinct", "ts, with DISTINCT left in place"},
		{"ex-plug-value", "ex, with the gold's values plugged in"},
		{"ts-plug-value", "ts, with the gold's values plugged in"},
		{"ex-strict", "execution accuracy as we think right: columns in any order, ties too, duplicates count, reals to nine digits"},
		{"ts-strict", "ex-strict on every database of the suite"},
	}
	// Levels are Spider's hardness labels.
	Levels = Choices{{"easy", ""}, {"medium", ""}, {"hard", ""}, {"extra", ""}}
	// Difficulties are BIRD's labels.
	Difficulties = Choices{{"simple", ""}, {"moderate", ""}, {"challenging", ""}}
	// Splitters are the two ways text2sql-data cuts a set.
	Splitters = Choices{
		{"question", "by question: a query may stand in train and test"},
		{"query", "by query: test has none of the queries of train"},
	}
)
