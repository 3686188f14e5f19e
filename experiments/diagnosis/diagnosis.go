// Package diagnosis suggests why answers are wrong, by stated rules over the SQL trees, the statuses and the results.
//
// [Wrong] gathers the wrong answers of a run as cases; the rules, in order of precedence, suggest a category of each taxonomy
// for each case, with the evidence that made the rule fire; [Write] puts the suggestions into a CSV that a person fills in,
// and [ReadJudged] reads the judgements back. A suggestion must never pass for a judgement: a rule sees two queries and the
// beginning of two results, and not what the question means.
package diagnosis

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"assay/experiments/record"
	"assay/metrics"
	"assay/prompting/sql/schema"
)

// Taxonomy is a paper's list of categories of wrong answers.
type Taxonomy struct {
	ID         string
	Source     string
	Categories []Category // in the paper's order
}

// Category is one class of a taxonomy.
type Category struct {
	ID    string
	Group string // the paper's heading above it
	Shows string // one short line of help
}

// toBeJudged is the category of an answer that no rule can place. It belongs to every taxonomy.
const toBeJudged = "to-be-judged"

// The categories of CHASE-SQL, appendix A.7. Generation categories are for items without a right candidate; selection
// categories for items where one was not chosen, or where the gold query is in doubt.
const (
	SchemaLinking   = "schema-linking"
	WrongLogic      = "wrong-logic"
	SQLFunction     = "sql-function"
	Join            = "join"
	IgnoredEvidence = "ignored-evidence"
	WrongPicking    = "wrong-picking"
	GoldInDoubt     = "gold-in-doubt"
	Vague           = "vague"
	DataIntegrity   = "data-integrity"
)

// The categories of Interactive-T2S, Table 11.
const (
	goldenEmpty    = "golden-empty"
	goldenWrong    = "golden-wrong"
	DistinctOnly   = "distinct"
	ambiguous      = "ambiguous"
	format         = "format"
	lackingInfo    = "lacking-info"
	selectedColumn = "selected-column"
	filteredColumn = "filtered-column"
	reasoning      = "reasoning"
)

// The groups of categories.
const (
	Generation = "generation"
	Selection  = "selection"
	Mismatch   = "mismatch"
	Errors     = "error"
	Undecided  = "undecided"
)

// Chase is the taxonomy of CHASE-SQL (Pourreza et al., ICLR 2025), appendix A.7.
var Chase = Taxonomy{"chase", "CHASE-SQL, appendix A.7", []Category{
	{SchemaLinking, Generation, "wrong columns or tables"},
	{WrongLogic, Generation, "missing DISTINCT, conditions or result columns; other structure"},
	{SQLFunction, Generation, "a function misused or left out"},
	{Join, Generation, "tables missing from the join"},
	{IgnoredEvidence, Generation, "the evidence names what the answer does without"},
	{WrongPicking, Selection, "the chosen candidate lacks what the question asks for"},
	{GoldInDoubt, Selection, "the gold query may be wrong"},
	{Vague, Selection, "the question allows both readings"},
	{DataIntegrity, Selection, "columns that should agree do not"},
	{toBeJudged, Undecided, "no rule decides"},
}}

// IT2S is the taxonomy of Interactive-T2S (Xiong et al. 2024), Table 11.
var IT2S = Taxonomy{"it2s", "Interactive-T2S, Table 11", []Category{
	{goldenEmpty, Mismatch, "the gold's result has no rows"},
	{goldenWrong, Mismatch, "the gold query does not answer the question"},
	{DistinctOnly, Mismatch, "only a DISTINCT apart"},
	{ambiguous, Mismatch, "the question allows both readings"},
	{format, Mismatch, "the same values in another form"},
	{lackingInfo, Mismatch, "the gold query needs what was not given"},
	{selectedColumn, Errors, "other result columns"},
	{filteredColumn, Errors, "conditions on other columns"},
	{reasoning, Errors, "another structure"},
	{toBeJudged, Undecided, "no rule decides"},
}}

// Taxonomies lists both, in the order of the CSV's columns.
var Taxonomies = []Taxonomy{Chase, IT2S}

// FindTaxonomy returns the taxonomy with that id; the error names the nearest id.
func FindTaxonomy(id string) (Taxonomy, error) {
	var known []string
	for _, t := range Taxonomies {
		if t.ID == id {
			return t, nil
		}
		known = append(known, t.ID)
	}
	return Taxonomy{}, unknown("taxonomy", id, known)
}

// Has reports whether the taxonomy has the category.
func (t Taxonomy) Has(id string) bool {
	return slices.ContainsFunc(t.Categories, func(c Category) bool { return c.ID == id })
}

// Case is one wrong answer, with everything that rules may use.
type Case struct {
	Question record.Question
	Answer   record.Item
	Why      string           // one line: the metric's reason or SQLite's error; may be empty
	Gold     *record.Result   // the beginning of the gold result; nil where the run has none
	Got      *record.Result   // the beginning of the answer's result
	GotSame  bool             // the results differ at most in the order of rows
	Passed   string           // SQL of a right candidate that was not chosen; empty where the pool has none
	Schema   *schema.Database // may be nil: columns are then known by name alone
}

// Suggestion is the category that the rules suggest for a case under one taxonomy.
type Suggestion struct {
	Category string
	Rule     string // id of the first rule that fired; empty for none
	Evidence string // what made it fire
}

// Diagnosis is a case with one suggestion per taxonomy.
type Diagnosis struct {
	Case
	Chase, IT2S Suggestion
}

// Of returns the suggestion under a taxonomy.
func (d Diagnosis) Of(t Taxonomy) Suggestion {
	if t.ID == IT2S.ID {
		return d.IT2S
	}
	return d.Chase
}

// suggest applies the rules to a case.
func suggest(c Case) Diagnosis {
	f := newFacts(c)
	d := Diagnosis{Case: c, Chase: Suggestion{Category: toBeJudged}, IT2S: Suggestion{Category: toBeJudged}}
	for _, r := range rules {
		chase := r.Generation
		if c.Passed != "" {
			chase = r.Selection
		}
		chase, it2s := open(d.Chase, chase), open(d.IT2S, r.IT2S)
		if chase == "" && it2s == "" {
			continue
		}
		evidence, ok := r.fires(f)
		if !ok {
			continue
		}
		if chase != "" {
			d.Chase = Suggestion{chase, r.ID, evidence}
		}
		if it2s != "" {
			d.IT2S = Suggestion{it2s, r.ID, evidence}
		}
	}
	return d
}

// open returns the category that a rule gives, empty once an earlier rule has fired.
func open(s Suggestion, category string) string {
	if s.Rule != "" {
		return ""
	}
	return category
}

// Wrong gathers the run's wrong answers of an arm, all arms where it is empty, in the order of items.csv, and suggests
// for each. Answers that were not scored are not wrong.
func Wrong(x *record.Index, arm string) (out []Diagnosis) {
	at := map[seen]int{}
	var different []Case
	var of []int // of each case, its position in different
	for i := range x.Answers {
		a := &x.Answers[i]
		if !a.Item.Status.Incorrect() || arm != "" && a.Item.Arm != arm {
			continue
		}
		c := caseOf(x, a)
		s := seen{a.Item.Item, a.Item.SQL, string(a.Item.Status), c.Why, c.Passed, c.Got, c.GotSame}
		if _, known := at[s]; !known {
			at[s] = len(different)
			different = append(different, c)
		}
		of, out = append(of, at[s]), append(out, Diagnosis{Case: c})
	}
	suggested := suggestAll(different)
	for i := range out {
		out[i].Chase, out[i].IT2S = suggested[of[i]].Chase, suggested[of[i]].IT2S
	}
	return out
}

// seen is all that the rules see of an answer. Arms often answer an item with the same query, which is then parsed once.
type seen struct {
	item, sql, status, why, passed string
	got                            *record.Result
	same                           bool
}

// suggestAll applies the rules to the cases, as many at a time as there are processors.
func suggestAll(cases []Case) []Diagnosis {
	out := make([]Diagnosis, len(cases))
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(cases)) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(cases); i = int(next.Add(1)) - 1 {
				out[i] = suggest(cases[i])
			}
		})
	}
	wg.Wait()
	return out
}

// caseOf gathers everything known about an answer.
func caseOf(x *record.Index, a *record.Answer) Case {
	c := Case{Question: *a.Question, Answer: *a.Item, Schema: x.Schema(a.Question.DB)}
	if c.Question.GoldDigest != "" {
		c.Gold = x.Result(a.Item.Item, c.Question.GoldDigest)
	}
	for i := range a.Candidates {
		one := &a.Candidates[i]
		if one.Status == metrics.Correct && c.Passed == "" {
			c.Passed = one.SQL
		}
		if one.Chosen == 1 {
			c.Why = one.Why
			if one.Digest != "" {
				c.Got, c.GotSame = x.Result(a.Item.Item, one.Digest), one.Digest == c.Question.GoldDigest
			}
		}
	}
	return c
}
