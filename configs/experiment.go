// Package configs reads an experiment from strict TOML into one Experiment value, and embeds the named experiments.
//
// Load finds the text (load.go), read sorts its values by key and notes their places (read.go), override applies the
// command line (override.go), and resolve expands variables, checks values, fills defaults and lets arms inherit
// (resolve.go). The result is decoded into an Experiment; its Cells are the arms at each sweep point (cells.go). One table
// says everything about each key (keys.go), and the reference page is printed from it. What an experiment may name comes
// from the caller as a Known.
//
// All problems of a file are collected and reported at once, each with its line. The package must never guess: a key, name
// or value that it does not know is an error. It reads no dataset, calls no model, and never holds an API key.
package configs

import (
	"cmp"
	"slices"
)

// Experiment is one experiment file after defaults, overrides and checks: everything a run depends on.
//
// The top-level tables from Model to Selection are defaults: an arm starts as a copy of them and overrides key by key,
// so that an arm states only what is different. Paths are absolute once loaded. The key table (keys.go) documents each
// key; quoted names in the comments below are names of lists of Known.Choices.
type Experiment struct {
	Name    string   `toml:"name"`    // identifier, part of the run folder's name
	Shows   string   `toml:"shows"`   // one sentence: what the experiment shows
	Seeds   []int64  `toml:"seeds"`   // every arm runs once per seed; the seed drives exemplar choice, shuffles and sampling
	Workers int      `toml:"workers"` // SQL executions at once; 0 means the number of CPUs
	Metrics []string `toml:"metrics"` // metric ids, the first is the headline
	Timeout Duration `toml:"timeout"` // deadline of one SQL execution

	Dataset    Dataset    `toml:"dataset"`
	Model      Model      `toml:"model"`
	Embeddings Embeddings `toml:"embeddings,omitempty"`
	Schema     Schema     `toml:"schema"`
	Exemplars  Exemplars  `toml:"exemplars"`
	Values     Values     `toml:"values"`
	Columns    Columns    `toml:"columns"`
	Synthetic  Synthetic  `toml:"synthetic"`
	Fixer      Fixer      `toml:"fixer"`
	Selection  Selection  `toml:"selection"`
	Stages     Stages     `toml:"stages,omitempty"`
	Agent      *Agent     `toml:"agent,omitempty"` // nil where nothing is stated and no arm is an agent
	Limits     Limits     `toml:"limits"`
	Budget     Budget     `toml:"budget"`

	Params map[string]any `toml:"params,omitempty"` // defaults of the arms' params
	Blocks map[string]any `toml:"blocks,omitempty"` // defaults of the arms' blocks

	Arms   []Arm  `toml:"arm"`
	Sweep  []Axis `toml:"-"` // the [sweep] table, axes in the file's order
	Report Report `toml:"report"`

	OwnMetrics []Metric `toml:"metric,omitempty"` // programs that Metrics may name
	Tables     []Table  `toml:"table"`

	Known Known `toml:"-"` // what it was checked against, which Cells needs again
}

// Dataset says which questions are asked, and where the demonstrations come from.
type Dataset struct {
	Kind  string `toml:"kind"`  // one of Known.Kinds
	Path  string `toml:"path"`  // folder of the dataset; unused by sample
	Split string `toml:"split"` // dev, train, realistic, ...: what the kind's loader knows
	Name  string `toml:"name"`  // which of several sets under Path: geography, imdb, yelp (text2sql)
	// Overrides is a file of corrected gold queries: CSV with the header item,reason,sql; see assay/metrics/goldcheck.
	Overrides string `toml:"overrides"`
	Suite     string `toml:"suite"`  // folder of test-suite databases, <suite>/<db>/*.sqlite; empty: ts uses the databases in the item's own folder
	Limit     int    `toml:"limit"`  // first N items after Filter; 0 means all
	Filter    Filter `toml:"filter"` // which items are kept
	Strata    Strata `toml:"strata"` // which of those are drawn

	Sets      []string `toml:"sets"`      // text2sql: several sets as one dataset, in place of Name; an item's DB is its set
	SplitBy   string   `toml:"split_by"`  // text2sql: question or query, which partition Split refers to
	Questions string   `toml:"questions"` // file of questions within Path, in place of the one Split implies (spider, bird)
	Databases []string `toml:"databases"` // further folders of databases, <folder>/<db>/<db>.sqlite
}

// Filter keeps the items that match every non-empty field.
type Filter struct {
	DB         []string `toml:"db"`
	Hardness   []string `toml:"hardness"`   // easy, medium, hard, extra
	Difficulty []string `toml:"difficulty"` // simple, moderate, challenging
	IDs        []string `toml:"ids"`        // item ids, with or without the dataset/split/ prefix
	Features   []string `toml:"features"`   // conditions on the gold query, such as "joins>=2", all of which hold; see ParseCondition
}

// Strata draws a seeded sample of Size items per stratum. Empty By: all items.
type Strata struct {
	By     string   `toml:"by"`     // one of StrataAxes
	Levels []string `toml:"levels"` // the strata, as Axis.Holds of package axes reads them; empty: every group
	Size   int      `toml:"size"`   // items per stratum
	Seed   int64    `toml:"seed"`
}

// Model names a provider's model and its generation parameters.
type Model struct {
	Provider    string   `toml:"provider"` // one of Known.Providers
	Name        string   `toml:"name"`
	BaseURL     string   `toml:"base_url"`      // provider's default if empty
	As          string   `toml:"as"`            // the author's name in the ledger and in a run's identity, in place of Name and BaseURL; empty: those
	KeyEnv      string   `toml:"key_env"`       // environment variable that holds the key; provider's default if empty
	KeyFile     string   `toml:"key_file"`      // file that holds the key, in place of KeyEnv
	API         string   `toml:"api,omitempty"` // one of "apis"; empty: chat
	Temperature float64  `toml:"temperature"`
	TopP        *float64 `toml:"top_p"`      // nil: not sent
	TopK        *int     `toml:"top_k"`      // nil: not sent
	MaxTokens   int      `toml:"max_tokens"` // 0: not sent
	Stop        []string `toml:"stop"`
	Samples     int      `toml:"samples"` // completions per request, n; at least 1

	// Reasoning says how much the model may reason before it answers: one of "efforts", or a budget in tokens as a decimal
	// number; empty: not sent.
	Reasoning string `toml:"reasoning,omitempty"`
	// Seed is sent with sample 0, and Seed + n with sample n, at any temperature; nil: seeds are drawn from the run's.
	Seed *int64 `toml:"seed"`
	// Extra has further fields of a request by the names that the provider gives them.
	Extra map[string]any `toml:"extra,omitempty"`

	Logprobs bool `toml:"logprobs"` // ask for log-probabilities

	Local bool `toml:"-" json:"-"` // the provider's trait: it answers in this process
}

// Limits bounds the calls to a provider, and those that a method may make. They change no result, and so are no part of a
// run's identity.
type Limits struct {
	Concurrency       int      `toml:"concurrency"`             // calls in flight at most; 0: 16
	RequestsPerMinute int      `toml:"requests_per_minute"`     // 0: no limit
	TokensPerMinute   int      `toml:"tokens_per_minute"`       // prompt and completion tokens; 0: no limit
	Attempts          int      `toml:"attempts"`                // calls for one completion, the first included; 0: 8
	CallTimeout       Duration `toml:"call_timeout"`            // for one call
	Silence           Duration `toml:"silence"`                 // the run stops once calls have failed for so long and none was answered
	GiveUp            int      `toml:"give_up"`                 // consecutive requests that fail because of the provider and stop the run; 0: 10
	CallsPerItem      int      `toml:"calls_per_item,omitzero"` // completions that an arm may request about one question; 0: the methods' own bound
}

// InFlight returns the number of calls that may be in flight at once. The default does not depend on the number of CPUs,
// because calls wait for the network.
func (l Limits) InFlight() int { return cmp.Or(l.Concurrency, 16) }

// Budget bounds the spending of a run over all its starts. It changes no result, and is no part of a
// run's identity.
type Budget struct {
	USD    float64 `toml:"usd"`    // US dollars; 0: no limit
	Tokens int     `toml:"tokens"` // prompt and completion tokens; 0: no limit
	Prices string  `toml:"prices"` // file of prices that take precedence over the shipped ones; empty: the shipped ones alone
}

// Schema says how a database is described in the prompt.
type Schema struct {
	Format  string `toml:"format"`  // one of "formats", or the absolute path of a folder
	Rows    int    `toml:"rows"`    // example rows per table (createtable) or example values per column (bird)
	Shuffle bool   `toml:"shuffle"` // order of tables and columns drawn from (seed, item, sample)
	// Descriptions is the number of columns that show their descriptions, those most similar to the question; 0: all
	Descriptions int `toml:"descriptions"`
	// HideEvidence leaves the dataset's evidence out of every request of the arm
	HideEvidence bool `toml:"hide_evidence,omitempty"`
}

// Exemplars says which demonstrations a prompt has.
type Exemplars struct {
	Preset    string   `toml:"preset"`    // G1, G2, G3: sets Strategy and Levels, and prints its definition
	Strategy  string   `toml:"strategy"`  // one of Known.Strategies
	Levels    []string `toml:"levels"`    // hardness levels that hardness-balanced and hardness-only draw from
	K         int      `toml:"k"`         // demonstrations per prompt, 0 to 32
	File      string   `toml:"file"`      // annotation file; empty: the one shipped for the dataset's kind; TrainFile: the training split
	Separator string   `toml:"separator"` // text between demonstrations; default "\n"

	// The sources of chance apart; nil: the run's seed, but for Order, which is then that of the draw.
	PoolSize int    `toml:"pool_size,omitzero"` // demonstrations drawn from File before any choice; 0: all of them
	PoolSeed *int64 `toml:"pool_seed"`          // of that draw
	Draw     *int64 `toml:"draw"`               // of the choice that Strategy makes
	Order    *int64 `toml:"order"`              // shuffles what was chosen

	SameDatabase bool `toml:"same_database,omitempty"` // demonstrations are of the question's own database
}

// WithStrategy returns the settings with another strategy, and no preset or levels: what a program of a method asks for.
func (x Exemplars) WithStrategy(strategy string) Exemplars {
	x.Preset, x.Strategy, x.Levels = "", strategy, nil
	return x
}

// Values says how database values that a question mentions are looked up and shown in the schema (CHASE-SQL,
// section 2.2).
type Values struct {
	Use      bool   `toml:"use"`
	Columns  string `toml:"columns"`  // how the columns to index are chosen
	K        int    `toml:"k"`        // values shown per question
	Keywords string `toml:"keywords"` // how the words to look up are chosen
	Show     string `toml:"show"`     // which other examples prompts show beside the values found
}

// Columns says whether the model chooses the columns that later prompts show.
type Columns struct {
	Use   string `toml:"use"`   // one of "column filters"
	Names bool   `toml:"names"` // columns whose names a keyword of the question matches are kept too
}

// Synthetic says where the examples of method os come from, and how many there are (CHASE-SQL, Algorithm 2).
type Synthetic struct {
	Source   string `toml:"source"`   // one of Known.Sources
	Features int    `toml:"features"` // n_f: examples of common SQL features over the whole schema
	Tables   int    `toml:"tables"`   // n_t: examples over the columns that the question needs
	Columns  string `toml:"columns"`  // how those columns are chosen
	Runnable bool   `toml:"runnable"` // keep only the examples that run and return rows
}

// Fixer says how queries that fail are fixed (CHASE-SQL, Algorithm 4).
type Fixer struct {
	Tries     int      `toml:"tries"`      // most calls per candidate; 0: off
	OnUnfixed string   `toml:"on_unfixed"` // what to do with a candidate that still fails
	Triggers  []string `toml:"triggers"`   // what counts as failing
}

// Selection says how the answer is chosen among candidates (CHASE-SQL, section 2.5), and by which model.
type Selection struct {
	Rule        string  `toml:"rule"`       // one of "selection rules"; empty where the arm states choose
	Directions  int     `toml:"directions"` // pairwise: 2 compares each pair in both orders, 1 in one
	Tie         string  `toml:"tie"`        // which of equal scores wins
	Provider    string  `toml:"provider"`   // of the model that selects; empty: the arm's
	Name        string  `toml:"name"`       // its name; empty: the arm's model
	BaseURL     string  `toml:"base_url"`   // as in Model; with a provider of its own
	As          string  `toml:"as"`         // as in Model, of the model that selects
	KeyEnv      string  `toml:"key_env"`
	KeyFile     string  `toml:"key_file"`
	Temperature float64 `toml:"temperature"`
	MaxTokens   int     `toml:"max_tokens"` // 0: the arm's

	Reasoning string         `toml:"reasoning,omitempty"` // as in Model; empty: the arm's, and of a model of its own none
	Extra     map[string]any `toml:"extra,omitempty"`     // as in Model; beside the arm's, unless the model is one of its own

	Local bool `toml:"-" json:"-"` // the trait of Provider
}

// Stages are generation parameters of the other calls, which neither generate nor select candidates.
type Stages struct {
	Keywords Stage `toml:"keywords,omitempty"` // which words of the question to look up
	Columns  Stage `toml:"columns,omitempty"`  // which columns to show
	Examples Stage `toml:"examples,omitempty"` // examples of method os
	Fix      Stage `toml:"fix,omitempty"`      // queries that fail
}

// Stage is the generation parameters of one kind of call; nil means the arm's.
type Stage struct {
	Temperature *float64 `toml:"temperature"`
	MaxTokens   *int     `toml:"max_tokens"` // 0: not sent
	Reasoning   string   `toml:"reasoning,omitempty"`
}

// Over returns the model with the stage's parameters in place of its own.
func (s Stage) Over(m Model) Model {
	if s.Temperature != nil {
		m.Temperature = *s.Temperature
	}
	if s.MaxTokens != nil {
		m.MaxTokens = *s.MaxTokens
	}
	if s.Reasoning != "" {
		m.Reasoning = s.Reasoning
	}
	return m
}

// Arm is one method with its settings.
type Arm struct {
	Name       string   `toml:"name"`                // unique in the experiment; a column value in items.csv
	Label      string   `toml:"label"`               // how tables and plots print it; Name if empty
	Method     string   `toml:"method"`              // one of Known.Methods, or the absolute path of a folder
	Generators []string `toml:"generators"`          // of a pool: the methods whose candidates it gathers, likewise
	Link       []string `toml:"link,omitempty"`      // parts before the generators, likewise of Known.Parts; see Parts
	Fix        string   `toml:"fix,omitempty"`       // the part that fixes candidates
	Choose     string   `toml:"choose,omitempty"`    // the part that chooses the answer, in place of selection.rule
	Published  string   `toml:"published,omitempty"` // the row of a published table that it repeats; only reports read it

	Program          // in place of a method of files; then Method is that of commands
	Models  []string `toml:"models,omitempty"` // that the program may ask for by their names; all others are answered by Model

	Row   Method   `toml:"-" json:"-"` // that of Method
	Asked []Method `toml:"-" json:"-"` // those of Asks

	Model      Model      `toml:"model"`
	Embeddings Embeddings `toml:"embeddings,omitempty"`
	Schema     Schema     `toml:"schema"`
	Exemplars  Exemplars  `toml:"exemplars"`
	Values     Values     `toml:"values"`
	Columns    Columns    `toml:"columns"`
	Synthetic  Synthetic  `toml:"synthetic"`
	Fixer      Fixer      `toml:"fixer"`
	Selection  Selection  `toml:"selection"`
	Stages     Stages     `toml:"stages,omitempty"`
	Agent      *Agent     `toml:"agent,omitempty"` // nil where nothing is stated and no arm is an agent

	// Params are set in the methods that have them, by name; those of a part in a table of the part's name.
	Params map[string]any `toml:"params,omitempty"`
	// Blocks replaces blocks of templates, by name and in tables as Params: the absolute path of a file with the text, "" for
	// a block that is switched off, BlockKept for one as the template has it.
	Blocks map[string]any `toml:"blocks,omitempty"`
}

// Selector returns the model that selects among the arm's candidates, with one completion per request. own is true where the
// arm states a provider, a name or an address for it, so that it may differ from the arm's model.
func (a Arm) Selector() (m Model, own bool) {
	s := a.Selection
	m, own = a.Model, s.Provider != "" || s.Name != "" || s.BaseURL != ""
	m.Temperature, m.Samples = s.Temperature, 1
	if s.MaxTokens > 0 {
		m.MaxTokens = s.MaxTokens
	}
	if s.Provider != "" || s.BaseURL != "" { // the arm's key must not be sent to another address
		m.BaseURL, m.KeyEnv, m.KeyFile = s.BaseURL, s.KeyEnv, s.KeyFile
	}
	if s.Provider != "" {
		m.Provider, m.Name, m.Local = s.Provider, "", s.Local
	}
	if s.Name != "" {
		m.Name = s.Name
	}
	if own { // how a model is asked, and what its server reads besides, are no settings of another model
		m.As, m.API, m.Reasoning, m.Extra = s.As, "", "", nil
	}
	if s.Reasoning != "" {
		m.Reasoning = s.Reasoning
	}
	m.Extra = joined(m.Extra, s.Extra)
	return m, own
}

// Asks lists the methods that generate the arm's candidates: its generators, or its method alone. A program is none.
func (a Arm) Asks() []string {
	switch {
	case a.Row.Pool:
		return a.Generators
	case a.Row.Program:
		return nil
	}
	return []string{a.Method}
}

// Any reports whether a method that generates the arm's candidates has a trait.
func (a Arm) Any(has func(Method) bool) bool { return slices.ContainsFunc(a.Asked, has) }

// Axis is one sweep axis: a parameter and the values it takes.
type Axis struct {
	Key    string   // as written in the file: a short name (temperature, k, strategy, format, samples) or a path within an arm
	Values []string // the TOML values, printed in their canonical form; a folder or file by its name, a block that is off as "off"
	// Stated has the values themselves where their text does not say them, by that text: absolute paths, and texts and
	// numbers of params that TOML would read as another type
	Stated map[string]any
}

// Cell is one arm at one point of the sweep: what a method is constructed from.
type Cell struct {
	Arm   Arm
	Point []Setting // one a sweep axis, in axis order; empty without a sweep
}

// Values are the sweep's, one per axis; nil without a sweep.
func (c Cell) Values() (out []string) {
	for _, s := range c.Point {
		out = append(out, s.Value)
	}
	return out
}

// Setting is one key with its value, as printed.
type Setting struct{ Key, Value string }

// Report says which tables and figures `assay report` makes by default.
type Report struct {
	Tables  []string `toml:"tables"`
	Figures []string `toml:"figures"`
}
