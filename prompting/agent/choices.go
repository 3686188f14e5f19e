package agent

import (
	"assay/configs"
	"assay/prompting/tools"
)

// What configs.Agent may say.
const (
	lastSQL     = "last-sql"
	lastNonStar = "last-non-star"
	lastValid   = "last-valid"

	auto         = "auto"
	spider       = "spider"
	bird         = "bird"
	birdEvidence = "bird-evidence"

	layoutKeys    = "keys"
	layoutNames   = "names"
	layoutColumns = "columns"
)

var (
	// Tools lists the tools that can be switched off.
	Tools = configs.Choices{
		{ID: tools.SearchColumn, Shows: "columns that fit a description"},
		{ID: tools.SearchValue, Shows: "values of the database like a text"},
		{ID: tools.FindShortestPath, Shows: "how tables join"},
	}
	// Answers lists the rules by which a dialogue's answer is taken.
	Answers = configs.Choices{
		{ID: lastSQL, Shows: "the last query that was run"},
		{ID: lastNonStar, Shows: "the last that does not begin with SELECT * FROM; the last of all where each does"},
		{ID: lastValid, Shows: "the last that ran without an error; the last of all where none did"},
	}
	// Families lists the sets of dialogues shown.
	Families = configs.Choices{
		{ID: auto, Shows: "by the item: bird-evidence or bird for those of BIRD, spider for the rest"},
		{ID: spider, Shows: "two dialogues over small databases"},
		{ID: bird, Shows: "two in the manner of BIRD, without evidence"},
		{ID: birdEvidence, Shows: "two in the manner of BIRD, with evidence"},
	}
	// Layouts lists the ways to list a database's tables.
	Layouts = configs.Choices{
		{ID: layoutKeys, Shows: "each table with its primary key, its foreign keys and its number of rows, as the paper does"},
		{ID: layoutNames, Shows: "the names alone"},
		{ID: layoutColumns, Shows: "as keys, with the names of all columns"},
	}
)
