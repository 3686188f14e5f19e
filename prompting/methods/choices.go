package methods

import (
	"slices"

	"assay/configs"
	"assay/prompting/tools"
	"assay/prompting/values"
)

// What the tables of an experiment may say, which set the params of assay's own folders.
var (
	// ValueColumns lists the ways to choose the columns whose values are searched.
	ValueColumns = configs.Choices{
		{ID: values.Content, Shows: "columns that hold names or words, whatever type they declare"},
		{ID: values.Chess, Shows: "CHESS's rule: columns declared TEXT, less those excluded by name and length"},
	}
	// Keywords lists the ways to extract the keywords that are looked up.
	Keywords = configs.Choices{
		{ID: "rules", Shows: "rules over the question's words, offline"},
		{ID: "model", Shows: "the model, in one call a question"},
	}
	// ValueExamples lists which examples are shown besides the values found.
	ValueExamples = configs.Choices{
		{ID: "first", Shows: "the column's examples and the table's rows, after the values found"},
		{ID: "instead", Shows: "none of a column of which values were found; those of the others"},
		{ID: "only", Shows: "none: the values found are the only ones"},
	}
	// Filters lists the ways to choose columns.
	Filters = configs.Choices{
		{ID: "none", Shows: "all columns"},
		{ID: "one-call", Shows: "one call that lists the columns needed"},
		{ID: "each", Shows: "one call a column, as CHESS does: exact, and costly on wide schemas"},
	}
	// Sources lists where the examples of method os come from (CHASE-SQL, tables 8 and 9).
	Sources = []configs.Source{
		{Choice: configs.Choice{ID: "os", Shows: "written by the model for this question: SQL features, then the columns needed"}},
		{Choice: configs.Choice{ID: "train", Shows: "demonstrations of `exemplars.file` (such as train) whose questions are nearest, of other databases"}, Demos: true},
		{Choice: configs.Choice{ID: "codes", Shows: "CodeS's augmentation: questions that the model asks of the schema, then templates filled from the schema"}},
		{Choice: configs.Choice{ID: "none", Shows: "no examples"}},
	}
	// Unfixed lists what may happen to a candidate that could not be repaired.
	Unfixed = configs.Choices{
		{ID: "keep", Shows: "it stays, as the first of its queries that ran, or else as it came"},
		{ID: "drop", Shows: "it leaves the pool, as the paper's Algorithm 4 prints it"},
	}
	// Triggers lists what sets the fixer off.
	Triggers = configs.Choices{{ID: "error", Shows: "the query does not run"}, {ID: "empty", Shows: "it returns no rows"}}
	// Ties lists which of equal scores wins.
	Ties = configs.Choices{
		{ID: "first", Shows: "the earliest candidate"},
		{ID: "consistency", Shows: "the one whose result more candidates share, then the earliest"},
	}
	// AgentTools lists the tools that can be switched off.
	AgentTools = configs.Choices{
		{ID: tools.SearchColumn, Shows: "columns that fit a description"},
		{ID: tools.SearchValue, Shows: "values of the database like a text"},
		{ID: tools.FindShortestPath, Shows: "how tables join"},
	}
	// AgentObservations lists the tools whose observations can be withheld.
	AgentObservations = append(slices.Clone(AgentTools), configs.Choice{ID: tools.ExecuteSQL, Shows: "the result of a query, or its error"})
	// AgentAnswers lists the rules by which a dialogue's answer is taken.
	AgentAnswers = configs.Choices{
		{ID: "last-sql", Shows: "the last query that was run"},
		{ID: "last-non-star", Shows: "the last that does not begin with SELECT * FROM; the last of all where each does"},
		{ID: "last-valid", Shows: "the last that ran without an error; the last of all where none did"},
	}
	// AgentDialogues lists the sets of dialogues shown.
	AgentDialogues = configs.Choices{
		{ID: "auto", Shows: "by the item: bird-evidence or bird for those of BIRD, spider for the rest"},
		{ID: "spider", Shows: "two dialogues over small databases"},
		{ID: "bird", Shows: "two in the manner of BIRD, without evidence"},
		{ID: "bird-evidence", Shows: "two in the manner of BIRD, with evidence"},
		{ID: configs.PoolFamily, Shows: "those of the demonstrations drawn by [exemplars] that have one, as assay demos make writes them"},
	}
	// AgentLayouts lists the ways to list a database's tables.
	AgentLayouts = configs.Choices{
		{ID: "keys", Shows: "each table with its primary key, its foreign keys and its number of rows, as the paper does"},
		{ID: "names", Shows: "the names alone"},
		{ID: "columns", Shows: "as keys, with the names of all columns"},
	}
)

// Rules lists the rules of selection.
func Rules() (out configs.Choices) {
	for _, row := range Parts() {
		if row.Defines("choose") {
			out = append(out, row.Choice)
		}
	}
	return out
}
