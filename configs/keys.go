package configs

import (
	"slices"
	"strings"
)

// kind is the TOML type of a key's value.
type kind int

const (
	text      kind = iota // string
	integer               // int64
	number                // float64; an integer is taken too
	boolean               // bool
	duration              // string in Go's duration form
	texts                 // []string
	integers              // []int64
	params                // any type that a param can have: the value of one name in an open table
	blocks                // string: a file, "" or "kept"; likewise
	effort                // string; an integer is taken too, and becomes its digits
	free                  // any type but a table: a field that a provider reads, below an open table; see extra.go
	variables             // string: the value of one name in a table of environment variables
)

// String says the type as the reference page and the errors do.
func (k kind) String() string {
	return [...]string{"text", "integer", "number", "true or false", `duration such as "30s"`, "list of texts", "list of integers", "table of values", "table of texts", "text or integer", "table", "table of texts"}[k]
}

// wanted is the type with its article, as errors print it.
func (k kind) wanted() string {
	switch k {
	case text, boolean, effort:
		return k.String()
	case variables:
		return text.String()
	case params:
		return "text, a number, true or false, or a list of one of these"
	case blocks:
		return `text: a file, "" for off or "kept"`
	case free:
		return "text, a number, true or false, or a list; a table by one key for each of its entries"
	case integer:
		return "an " + k.String()
	}
	return "a " + k.String()
}

// key is one row of the table below: everything that the loader knows of one key of the file.
type key struct {
	path    string
	kind    kind
	def     any    // value where the file states none; nil: the zero value
	choices string // name of the list of allowed values, for Known.Choices; empty: all that pass check
	check   func(any) string
	short   string // its short name as a sweep axis
	doc     string
	rel     bool   // a path: made absolute against the file's folder
	reads   bool   // the path of a file that every run reads
	words   string // name of the list of words allowed in place of the path
	part    string // what a folder must define whose path may stand in place of a choice; empty: none may
	need    bool   // required
}

// keys is every key of an experiment file. Reading, unknown-key errors, value checks, defaults, sweeps, --set and the
// reference page all come from this table. Arms take the keys of the inherited tables too.
var keys = []key{
	{path: "name", kind: text, need: true, check: identifier, doc: "Names the experiment; part of the run folder's name."},
	{path: "shows", kind: text, doc: "One sentence: what the experiment shows."},
	{path: "seeds", kind: integers, def: []int64{0}, check: seedList, doc: "Every arm runs once per seed. The seed drives the choice of demonstrations, shuffles and sampling; `exemplars.pool_seed`, `exemplars.draw`, `exemplars.order` and `model.seed` take theirs out of it."},
	{path: "workers", kind: integer, check: between(0, 4096), doc: "SQL executions at once; where no model is called over a network, also questions answered at once. 0: the number of CPUs. Calls in flight: `limits.concurrency`."},
	{path: "metrics", kind: texts, def: []string{"ts", "ex"}, choices: "metrics", check: list, doc: "Metrics, the headline first."},
	{path: "timeout", kind: duration, def: "30s", check: deadline, doc: "Deadline of one SQL execution."},

	{path: "dataset.kind", kind: text, need: true, choices: "kinds", doc: "The dataset's form. With {embedded}, path, split, name, sets, split_by, questions, databases and suite are not used."},
	{path: "dataset.path", kind: text, rel: true, doc: "The dataset's folder. Needed by every kind but {embedded}."},
	{path: "dataset.split", kind: text, check: identifier, doc: "Which part: {usual}. {splits} With `questions` any name."},
	{path: "dataset.name", kind: text, check: identifier, doc: "{sets}: the one set to load, such as `geography`."},
	{path: "dataset.sets", kind: texts, check: identifiers, doc: "{sets}: several sets as one dataset, in this order. An item's database is its set, so results break down by set. In place of `name`."},
	{path: "dataset.split_by", kind: text, def: "question", choices: "splitters", doc: "{sets}: which of the two partitions `split` refers to."},
	{path: "dataset.questions", kind: text, doc: "{files}: the file of questions, within `path` unless absolute, in place of the one the split implies. Of kind `questions` it is CSV with the columns `id, db, question, evidence, gold, difficulty`, of which `question` alone is needed and `db` where there are several databases; not stated: `questions.csv`."},
	{path: "dataset.databases", kind: texts, rel: true, check: list, doc: "Further folders of databases, `<folder>/<db>/<db>.sqlite`, searched after the dataset's own. Of kind `questions` they are SQLite files, or folders of them; not stated: those in `path`."},
	{path: "dataset.suite", kind: text, rel: true, doc: "Folder of test-suite databases, `<suite>/<db>/*.sqlite`. Empty: `ts` uses the databases beside the item's own."},
	{path: "dataset.overrides", kind: text, rel: true, reads: true, doc: "File of corrected gold queries: CSV with the header `item,reason,sql`, where sql is the corrected gold query, or `exclude`. Scores are then by the corrected gold queries; metrics whose ids end in `-given` have the scores by the dataset's own."},
	{path: "dataset.limit", kind: integer, check: between(0, 1e9), doc: "The first N items after the filter. 0: all."},
	{path: "dataset.filter.db", kind: texts, check: list, doc: "Keeps the items of these databases."},
	{path: "dataset.filter.hardness", kind: texts, choices: "levels", check: list, doc: "Keeps the items whose gold query has one of these hardness labels."},
	{path: "dataset.filter.difficulty", kind: texts, choices: "difficulties", check: list, doc: "Keeps the items of these BIRD difficulties."},
	{path: "dataset.filter.features", kind: texts, check: conditions, doc: "Keeps the items whose gold query meets every condition, such as `[\"joins>=2\", \"subqueries=0\"]`: a feature, one of = != < <= > >=, and a number. A gold query that does not parse meets none."},
	{path: "dataset.filter.ids", kind: texts, check: list, doc: "Keeps these items; ids with or without the `dataset/split/` prefix."},
	{path: "dataset.strata.by", kind: text, choices: "strata", doc: "Draws a sample of equal strata from the items that the filter keeps, before `limit`: by this label of the item, or this count in its gold query. Empty: no sample."},
	{path: "dataset.strata.levels", kind: texts, check: list, doc: "The strata: labels, or counts such as `[\"1\", \"2\", \"3+\"]`, where `3+` is 3 and above; strata may not overlap. Items in none of them are left out. Not stated: every group."},
	{path: "dataset.strata.size", kind: integer, check: between(0, 1e9), doc: "Items of each stratum. Where a stratum has fewer, all of them, with a warning; where it has none, an error."},
	{path: "dataset.strata.seed", kind: integer, doc: "Seed of the draw. An item's rank in it depends only on the seed and the item's id: a larger size keeps the items of a smaller one."},

	{path: "model.provider", kind: text, def: "baseline", choices: "providers", doc: "Where completions come from."},
	{path: "model.name", kind: text, doc: "The provider's model. Needed by every provider but {local}."},
	{path: "model.base_url", kind: text, check: webAddress, doc: "The provider's address. Empty: its own default. An arm of another provider than `[model]` states it itself, and the key."},
	{path: "model.as", kind: text, check: plainName, doc: "The name of the author of the completions, such as `llama-3-8b-q4`, in place of `name` and `base_url`. The same weights at several addresses are then one author, and the ledger's completions of that author are used for all of them. In one experiment it names one model; an arm that states another model does not inherit it. Empty: the author is the provider and the name, and also the address where `base_url` is not the provider's own. The baseline names itself."},
	{path: "model.key_env", kind: text, check: variable, doc: "The environment variable that holds the key. Empty: the provider's default. Never write a key itself into the file."},
	{path: "model.key_file", kind: text, rel: true, doc: "A file that holds the key, in place of `key_env`."},
	{path: "model.api", kind: text, choices: "apis", doc: "How the model is asked. Not stated: `chat`. {plain} have `completions`; it needs `model.max_tokens`, because most servers end a plain completion after 16 tokens where none is sent. The prompt is then the method's one message, byte for byte; of several messages the texts, without their roles, with an empty line between two. Models call no tools in it. llama.cpp and vLLM send the prompt to the model as it is; Ollama puts it into the template of the model, if that has one. The model of [selection], where it is another, is asked by `chat`."},
	{path: "model.temperature", kind: number, def: 0.0, check: between(0, 2), short: "temperature", doc: "Sampling temperature."},
	{path: "model.top_p", kind: number, check: between(0, 1), doc: "Nucleus sampling. Not stated: not sent."},
	{path: "model.top_k", kind: integer, check: between(1, 1e6), doc: "Top-k sampling. Not stated: not sent."},
	{path: "model.max_tokens", kind: integer, check: between(0, 1e7), doc: "Longest completion. 0: not sent."},
	{path: "model.stop", kind: texts, check: stops, doc: "Texts at which a completion ends."},
	{path: "model.reasoning", kind: effort, choices: "efforts", check: reasoning, doc: "How much the model may reason before it answers: an effort, or a budget in tokens as a whole number. Each provider takes the efforts that are listed with it below, and a budget where that says so; others are refused. The baseline does not reason, and ignores it. Not stated: not sent."},
	{path: "model.seed", kind: integer, check: between(0, 2e9), doc: "The seed that is sent with a request's first sample, and one more with each further sample, at any temperature. Every call then asks for one completion. All seeds of the experiment send the same. Not stated: above temperature 0, a seed drawn from the experiment's seed, the item, the stage and the sample; at 0, none."},
	{path: "model.extra", kind: free, doc: "Further fields of a request, by the names that the provider gives them, sent as they are: `extra.min_p = 0.05`, `extra.chat_template_kwargs.enable_thinking = false`. They are part of what identifies a completion. Fields that have a key of their own are refused. An arm inherits them one by one, and none where it states another provider. A value that has entries is swept by one of them."},
	{path: "model.logprobs", kind: boolean, doc: "Requests the tokens' log-probabilities. The ledger keeps their sum with the completion, and `assay ledger export` writes it. A warning says where a server gives none. The baseline has none."},
	{path: "model.samples", kind: integer, def: int64(1), check: between(1, 10000), short: "samples", doc: "Completions per request."},

	{path: "embeddings.provider", kind: text, choices: "embedders", doc: "The model that computes vectors wherever texts are compared: value retrieval, SearchColumn, `schema.descriptions`, demonstrations of strategy {nearest}. Not stated: `offline`: columns and their descriptions are ranked by words, stems, spelling and what words stand for in Spider's training questions, the others compared by spelling. `assay recall` measures both. Its vectors are kept in the ledger."},
	{path: "embeddings.name", kind: text, doc: "The provider's embedding model. Needed by every provider but `offline`."},
	{path: "embeddings.base_url", kind: text, check: webAddress, doc: "As `model.base_url`."},
	{path: "embeddings.as", kind: text, check: plainName, doc: "As `model.as`, of the embedding model."},
	{path: "embeddings.key_env", kind: text, check: variable, doc: "As `model.key_env`."},
	{path: "embeddings.key_file", kind: text, rel: true, doc: "As `model.key_file`."},
	{path: "embeddings.dimensions", kind: integer, check: between(0, 16384), doc: "Length of the vectors, sent where it is not 0; other lengths are then an error. 0: the model's own."},

	{path: "schema.format", kind: text, def: "apidocs", choices: "formats", short: "format", part: "schema", doc: "How a database is described. Also a folder that defines `schema(db)`, by its path."},
	{path: "schema.rows", kind: integer, def: int64(3), check: between(0, 100), doc: "Example rows per table (createtable), example values per column (bird)."},
	{path: "schema.shuffle", kind: boolean, doc: "Draws the order of tables and columns from (seed, item, sample), for bird-cot, dc-cot, qp-cot and os from the method's name too."},
	{path: "schema.descriptions", kind: integer, check: between(0, 10000), doc: "Columns whose descriptions are shown (bird): those most similar to the question, see `embeddings.provider`; CHESS has 5. 0: all."},
	{path: "schema.hide_evidence", kind: boolean, doc: "Leaves the evidence of items and demonstrations out of every request of the arm: BIRD without oracle knowledge."},

	{path: "exemplars.preset", kind: text, choices: "presets", doc: "A named pair of strategy and levels, in place of both."},
	{path: "exemplars.strategy", kind: text, choices: "strategies", short: "strategy", doc: "How demonstrations are chosen; `random` where neither it nor a preset is stated."},
	{path: "exemplars.levels", kind: texts, choices: "levels", check: list, doc: "The hardness levels that hardness-balanced and hardness-only draw from. Not stated: all for hardness-balanced; hardness-only needs it."},
	{path: "exemplars.k", kind: integer, check: between(0, 32), short: "k", doc: "Demonstrations per prompt. 0: zero-shot."},
	{path: "exemplars.file", kind: text, rel: true, words: "annotations", doc: "The annotation file, or one of the words `train` (the dataset's whole training split, annotated by rule from its SQL, as `assay demos make` does, with the shipped annotation where a question has one), `sample` and `spider-train` (the shipped ones). Empty: `spider-train` for spider, `sample` for the other kinds."},
	{path: "exemplars.pool_size", kind: integer, check: between(0, 1e6), doc: "Demonstrations drawn at random from `file` before any choice: the small pool that authors annotate. 0: all of `file`."},
	{path: "exemplars.pool_seed", kind: integer, check: between(0, 2e9), short: "pool", doc: "The seed of that draw. Not stated: the run's seed."},
	{path: "exemplars.draw", kind: integer, check: between(0, 2e9), short: "draw", doc: "The seed by which the strategy draws from the pool. Not stated: the run's seed."},
	{path: "exemplars.order", kind: integer, check: between(0, 2e9), short: "order", doc: "The seed of the order in which a prompt shows what was chosen, whatever order the choice had. Not stated: the order of the choice. With `pool_seed`, `draw` and `order` stated or swept, the run's seed drives what is left: sampling, and `schema.shuffle`."},
	{path: "exemplars.same_database", kind: boolean, doc: "Demonstrations are of the question's own database, as in data sets of one database each ({sets}); of any database where it has fewer than k that may be shown. Never the question itself, nor one of the same query's template, nor one of the same fold."},
	{path: "exemplars.separator", kind: text, def: "\n", check: realBreaks, doc: "Text between demonstrations."},

	{path: "values.use", kind: boolean, doc: "Looks up the database values that a question mentions and shows them in the schema."},
	{path: "values.columns", kind: text, def: "content", choices: "value columns", doc: "How the columns to search are chosen."},
	{path: "values.k", kind: integer, def: int64(10), check: between(1, 1000), doc: "Most values shown per question."},
	{path: "values.keywords", kind: text, def: "rules", choices: "keywords", doc: "How the words to look up are chosen from the question."},
	{path: "values.show", kind: text, def: "first", choices: "value examples", doc: "Which example values prompts show beside the values found."},

	{path: "columns.use", kind: text, def: "none", choices: "column filters", doc: "The model chooses the columns that later prompts show. Keys stay with their tables."},
	{path: "columns.names", kind: boolean, doc: "Keeps, besides the columns chosen, those whose names a keyword of the question matches (by rules), as CHESS does."},

	{path: "synthetic.source", kind: text, def: "os", choices: "sources", doc: "Where the examples of method {examples} come from."},
	{path: "synthetic.features", kind: integer, def: int64(38), check: between(0, 1000), doc: "Requested examples that show common SQL features over the whole schema, n_f. With sources `train` and `codes`, the prompt has `features + tables` examples."},
	{path: "synthetic.tables", kind: integer, def: int64(37), check: between(0, 1000), doc: "Requested examples over the columns that the question needs, n_t."},
	{path: "synthetic.columns", kind: text, def: "one-call", choices: "column filters", doc: "How those columns are chosen, unless `columns.use` has chosen them already."},
	{path: "synthetic.runnable", kind: boolean, doc: "Keeps only those of the model's examples whose SQL runs and returns a row."},

	{path: "fixer.tries", kind: integer, check: between(0, 20), doc: "Most calls that try to fix a candidate; the paper has 3. 0: no fixer."},
	{path: "fixer.on_unfixed", kind: text, def: "keep", choices: "unfixed", doc: "What to do with a candidate that still fails."},
	{path: "fixer.triggers", kind: texts, def: []string{"error", "empty"}, choices: "triggers", check: list, doc: "What counts as failing."},

	{path: "agent.preset", kind: text, choices: "agent presets", doc: "Method {agent}: a set of defaults for the agent's keys; `paper` where no preset is stated. For an arm with that method it also sets `model.temperature`, `top_p`, `max_tokens` and `stop` where the file does not."},
	{path: "agent.turns", kind: integer, check: between(1, 100), short: "turns", doc: "Most turns per dialogue. Both presets: 12."},
	{path: "agent.votes", kind: integer, check: between(1, 32), short: "votes", doc: "Completions per turn. Equal actions are counted together, and the most frequent one with a valid observation is taken. paper: 3, code: 1."},
	{path: "agent.bad", kind: integer, check: between(1, 100), doc: "Consecutive turns without a usable action that end a dialogue. Both presets: 3."},
	{path: "agent.redo", kind: integer, check: between(0, 10), doc: "Restarts of a dialogue whose answer returns nothing, or one row with only NULL, 0 or empty texts. It hurts questions whose right answer is empty or 0. paper: 0, code: 3."},
	{path: "agent.wall", kind: duration, check: deadline, doc: "Time for one question, after which no further turn begins. Both presets: 5m. It is wall-clock time: where it is reached, another run may differ."},
	{path: "agent.answer", kind: text, choices: "agent answers", doc: "Which of the executed queries is the answer. paper: last-sql, code: last-non-star."},
	{path: "agent.off", kind: texts, choices: "agent tools", check: list, doc: "Tools that are switched off; the prompt does not mention them."},
	{path: "agent.withhold", kind: texts, choices: "agent observations", check: list, doc: "Tools that the model can call, but whose answers it is not shown: what the answers are worth, where `agent.off` says what the tools are."},
	{path: "agent.withhold_turn", kind: integer, check: between(0, 100), short: "turn withheld", doc: "The turn whose observation is not shown, of whichever tool. The turns before it are those of the same arm with 0, and come from the ledger. 0: none."},
	{path: "agent.native", kind: boolean, doc: "Tools are called by the provider's own function calling, in place of the text protocol."},
	{path: "agent.spider_rules", kind: boolean, doc: "ExecuteSQL refuses LEFT JOIN, IN and, the first time, aliases, as the released code does on Spider."},
	{path: "agent.demos", kind: integer, check: between(0, 2), doc: "Dialogues shown in the prompt. Both presets: 2."},
	{path: "agent.family", kind: text, choices: "agent dialogues", doc: "Which dialogues are shown. Both presets: auto."},
	{path: "agent.layout", kind: text, choices: "agent layouts", doc: "How the database's tables are listed. Both presets: keys."},
	{path: "agent.observation", kind: integer, check: between(20, 20000), doc: "Characters of a query's result shown. Both presets: 200."},
	{path: "agent.top_k", kind: integer, check: between(1, 100), doc: "Columns or values that a search returns. Both presets: 5."},

	{path: "selection.rule", kind: text, def: "first", choices: "selection rules", doc: "Which candidate is the answer."},
	{path: "selection.directions", kind: integer, def: int64(2), check: between(1, 2), doc: "pairwise: 2 compares each pair in both orders, 1 in one."},
	{path: "selection.tie", kind: text, def: "first", choices: "ties", doc: "pairwise and ranker: which of equal scores wins."},
	{path: "selection.provider", kind: text, choices: "providers", doc: "The provider of the model that selects. Empty: the arm's."},
	{path: "selection.name", kind: text, doc: "The model that selects. Empty: the arm's."},
	{path: "selection.base_url", kind: text, check: webAddress, doc: "As `model.base_url`. Empty: the arm's, unless `selection.provider` is stated."},
	{path: "selection.as", kind: text, check: plainName, doc: "As `model.as`, of the model that selects; goes with `selection.provider`, `name` or `base_url`."},
	{path: "selection.key_env", kind: text, check: variable, doc: "As `model.key_env`; goes with `selection.provider` or `selection.base_url`."},
	{path: "selection.key_file", kind: text, rel: true, doc: "As `model.key_file`; goes with `selection.provider` or `selection.base_url`."},
	{path: "selection.temperature", kind: number, def: 0.0, check: between(0, 2), doc: "Sampling temperature of calls that select."},
	{path: "selection.max_tokens", kind: integer, check: between(0, 1e7), doc: "Longest completion of such a call. 0: `model.max_tokens`."},
	{path: "selection.reasoning", kind: effort, choices: "efforts", check: reasoning, doc: "As `model.reasoning`, for calls that select. Not stated: `model.reasoning` or, for another model, none."},
	{path: "selection.extra", kind: free, doc: "As `model.extra`, for calls that select: beside `model.extra` or, for another model, in place of it."},

	{path: "stages.keywords.temperature", kind: number, check: between(0, 2), doc: "Sampling temperature of the call that lists the words to look up; CHESS has 0.2. Not stated: `model.temperature`."},
	{path: "stages.keywords.max_tokens", kind: integer, check: between(0, 1e7), doc: "Longest completion of such a call; 0: not sent. Not stated: `model.max_tokens`."},
	{path: "stages.keywords.reasoning", kind: effort, choices: "efforts", check: reasoning, doc: "As `model.reasoning`, for the call that lists the words to look up. Not stated: `model.reasoning`."},
	{path: "stages.columns.temperature", kind: number, check: between(0, 2), doc: "Sampling temperature of calls that choose columns. Not stated: `model.temperature`."},
	{path: "stages.columns.max_tokens", kind: integer, check: between(0, 1e7), doc: "Longest completion of such a call; 0: not sent. Not stated: `model.max_tokens`."},
	{path: "stages.columns.reasoning", kind: effort, choices: "efforts", check: reasoning, doc: "As `model.reasoning`, for calls that choose columns. Not stated: `model.reasoning`."},
	{path: "stages.examples.temperature", kind: number, check: between(0, 2), doc: "Sampling temperature of calls that write examples for method {examples}. Not stated: `model.temperature`."},
	{path: "stages.examples.max_tokens", kind: integer, check: between(0, 1e7), doc: "Longest completion of such a call; 0: not sent. Not stated: `model.max_tokens`."},
	{path: "stages.examples.reasoning", kind: effort, choices: "efforts", check: reasoning, doc: "As `model.reasoning`, for calls that write examples. Not stated: `model.reasoning`."},
	{path: "stages.fix.temperature", kind: number, check: between(0, 2), doc: "Sampling temperature of calls that fix a query. Not stated: `model.temperature`."},
	{path: "stages.fix.max_tokens", kind: integer, check: between(0, 1e7), doc: "Longest completion of such a call; 0: not sent. Not stated: `model.max_tokens`."},
	{path: "stages.fix.reasoning", kind: effort, choices: "efforts", check: reasoning, doc: "As `model.reasoning`, for calls that fix a query. Not stated: `model.reasoning`."},

	{path: "limits.concurrency", kind: integer, check: between(0, 4096), doc: "Calls in flight at once, per provider and address; fewer while it answers 429. 0: 16."},
	{path: "limits.requests_per_minute", kind: integer, check: between(0, 1e9), doc: "0: no limit."},
	{path: "limits.tokens_per_minute", kind: integer, check: between(0, 1e12), doc: "Prompt and completion tokens. 0: no limit."},
	{path: "limits.attempts", kind: integer, check: between(0, 1000), doc: "Most calls for one completion, the first included; at most 3 while no server was reached, and at most 2 that time out. 0: 8."},
	{path: "limits.call_timeout", kind: duration, def: "5m", check: deadline, doc: "Deadline of one call. A call that times out is repeated once. A completion that never ends (no `model.max_tokens`) takes both."},
	{path: "limits.silence", kind: duration, def: "1m", check: deadline, doc: "Longest time in which calls fail and none is answered; then the run stops, with everything kept. Waits that the provider requests do not count, nor do slow calls. Where no server was ever reached the run stops at once."},
	{path: "limits.give_up", kind: integer, check: between(0, 1e9), doc: "Consecutive requests that fail because of the provider and stop the run. 0: 10."},
	{path: "limits.calls_per_item", kind: integer, check: between(0, 1e9), doc: "Completions that an arm may request about one question, over all its samples and parts. A method that asks for more is stopped with an error: it asks in a loop that does not end. 0: 20,000."},

	{path: "budget.usd", kind: number, check: between(0, 1e9), doc: "US dollars that the run may spend in all. At the limit it stops with everything kept, and continues when the limit is raised. Completions from the ledger cost nothing. Without `model.max_tokens` the length of a completion has no bound: calls reserve what the longest so far took, and batches are not sent. 0: no limit."},
	{path: "budget.tokens", kind: integer, check: between(0, 1e15), doc: "Prompt and completion tokens that the run may spend in all. 0: no limit."},
	{path: "budget.prices", kind: text, rel: true, reads: true, doc: "A file of prices that take precedence over the shipped ones."},

	{path: "arm.name", kind: text, need: true, check: identifier, doc: "Names the arm; unique, a column value in items.csv."},
	{path: "arm.label", kind: text, doc: "How tables and plots print it; no number depends on it. Empty: the name. `report --labels` shows a stored run under labels that were edited later."},
	{path: "params", kind: params, doc: "Sets params of the arm's method, or of the generators that have them: `params.rounds = 2`. Those of its parts by the part's name: `params.fix.x`, also `link`, `choose` and `schema`. At the top of the file: the default of the arms that have the param. Its type is that of the method's own default. A sweep changes nothing in arms that lack the param."},
	{path: "blocks", kind: blocks, doc: "Replaces blocks of the prompts' templates: `blocks.rules = \"\"` leaves the block out, a file's path puts the file's text in its place, `\"kept\"` keeps it as the template has it. The texts that a method names in `texts` are supplied in the same way. Those of parts as for params: `blocks.fix.x`. A sweep is printed as `off`, `kept` and the files' names."},

	{path: "arm.method", kind: text, need: true, choices: "methods", part: "answer", doc: "The prompting method; `command` may stand in its place. Also a folder of one's own, by its path: `methods/mine`, `./mine`. What the folder itself sets of `[model]` holds where neither the arm nor `[model]` states it."},
	{path: "arm.generators", kind: texts, choices: "generators", check: list, part: "answer", doc: "Method {pool}: the methods whose candidates it gathers, `model.samples` of each. Also folders."},
	{path: "arm.link", kind: texts, choices: "linkers", check: list, part: "link", doc: "The parts that link the question to the schema before the generators, in this order. Also folders that define `link(q)`. Not stated: `values` where `values.use` is true, then `columns` where `columns.use` is not none."},
	{path: "arm.fix", kind: text, choices: "fixers", part: "fix", doc: "The part that fixes candidates. Also a folder that defines `fix(q, candidate)`. Empty: `fixer` where `fixer.tries` is above 0."},
	{path: "arm.choose", kind: text, choices: "choosers", part: "choose", doc: "The part that chooses the answer, in place of `selection.rule`. Also a folder that defines `choose(q, candidates)`."},
	{path: "arm.command", kind: texts, check: words, doc: "A program of one's own in place of a method, in any language: its name and its arguments, as in `[\"python3\", \"mine.py\"]`; no shell reads them. It answers one line of JSON to each, and asks its model at an address that the run gives it; see METHODS.md. It runs only with `--allow-commands`, and the run's identity has its command line, its sources, its version, its params and its environment."},
	{path: "arm.dir", kind: text, rel: true, doc: "The program's working directory. Not stated: the folder of the experiment."},
	{path: "arm.env", kind: variables, doc: "Variables of the program's environment: `env.SHOTS = \"4\"`. Of assay's own it gets those that programs need, such as PATH and HOME, and no keys. A value that looks like a secret is refused: the run's files would hold it."},
	{path: "arm.sources", kind: texts, rel: true, check: list, doc: "Files, folders and patterns such as `lib/*.py` that the program is made of. Their digests are part of the run's identity, and the run's folder keeps copies. Words of the command that are files in the working directory always count. Hidden files, `__pycache__` and `node_modules` within a folder do not."},
	{path: "arm.startup", kind: duration, check: deadline, doc: "States that the program's first line says that it is ready, and how long that may take: `{\"ready\": true, \"version\": \"2\"}`. The version, where it has one, is part of the run's identity. Not stated: no such line is awaited, and a first answer may take a minute more."},
	{path: "arm.timeout", kind: duration, check: deadline, doc: "How long the program may take for one item and sample, with the calls that it waits for. Then it is killed and the item is a model-error. Not stated: 10m."},
	{path: "arm.models", kind: texts, check: list, doc: "Models that the program may ask for by name. A request that names any other is answered by `model.name`."},
	{path: "arm.published", kind: text, check: plainName, doc: "The row of a published table that the arm repeats, by the name it has there; tables of papers show that row beside the arm. A key of the arm in braces, such as `{model.temperature}`, is replaced by its value, which a sweep may set. It changes no number. Empty: none."},

	{path: "metric.id", kind: text, need: true, check: identifier, doc: "The metric's id, which `metrics` names it by; a column of items.csv."},
	{path: "metric.name", kind: text, check: plainName, doc: "What tables and figures call the metric, such as `Row F1`; empty: its id. No part of a run's identity."},
	{path: "metric.shows", kind: text, check: plainName, doc: "What the metric measures, in one line, which reports print."},
	{path: "metric.command", kind: texts, need: true, check: words, doc: "The program that scores, and its arguments: a line of JSON in, a line of JSON out; see metrics/README.md. It runs only with `--allow-commands`, and its command line, the files that it names, its sources, version and environment are part of the run's identity."},
	{path: "metric.results", kind: boolean, def: true, doc: "The program compares results: the gold query and the prediction are run, and a prediction that fails is scored 0 without asking it. false: it reads their texts alone, and nothing is run."},
	{path: "metric.dir", kind: text, rel: true, doc: "As `arm.dir`."},
	{path: "metric.env", kind: variables, doc: "As `arm.env`."},
	{path: "metric.sources", kind: texts, rel: true, check: list, doc: "As `arm.sources`."},
	{path: "metric.startup", kind: duration, check: deadline, doc: "As `arm.startup`."},
	{path: "metric.timeout", kind: duration, check: deadline, doc: "How long the program may take for one case; then the run stops. Not stated: 10m."},

	{path: "table.name", kind: text, need: true, check: identifier, doc: "Names the table; `assay report` makes it as `table/NAME`."},
	{path: "table.title", kind: text, doc: "Its heading. Empty: the name."},
	{path: "table.rows", kind: texts, need: true, check: list, doc: "Dimensions of the rows: `arm`, `seed`, an axis of the sweep as the file names it, hardness, difficulty, database, or a feature of the gold query. Several give one row per combination."},
	{path: "table.columns", kind: texts, check: list, doc: "Dimensions of the columns, from the same list. Not stated: one column for all items."},
	{path: "table.cells", kind: texts, need: true, choices: "cells", check: list, doc: "The values of a cell; several are printed side by side."},
	{path: "table.arms", kind: texts, check: list, doc: "The arms that count. Not stated: all."},
	{path: "table.interval", kind: boolean, doc: "Prints the 95 % interval of a metric, over items: Wilson's with one seed."},
	{path: "report.tables", kind: texts, check: list, doc: "Tables that `assay report` makes by default."},
	{path: "report.figures", kind: texts, check: list, doc: "Figures that `assay report` makes by default."},
}

// inherited are the tables that every arm starts as a copy of.
var inherited = []string{"model.", "embeddings.", "schema.", "exemplars.", "values.", "columns.", "synthetic.", "fixer.", "selection.", "stages.", "agent.", "params.", "blocks."}

func isInherited(path string) bool {
	for _, p := range inherited {
		if strings.HasPrefix(path+".", p) {
			return true
		}
	}
	return false
}

// scope holds the keys that are allowed in one place, such as the top of the file or an arm, by their path there.
type scope map[string]*key

var (
	topScope = newScope(func(p string) (string, bool) {
		return p, !strings.HasPrefix(p, "arm.") && !strings.HasPrefix(p, "table.") && !strings.HasPrefix(p, "metric.")
	})
	metricScope = newScope(func(p string) (string, bool) { return strings.CutPrefix(p, "metric.") })
	tableScope  = newScope(func(p string) (string, bool) { return strings.CutPrefix(p, "table.") })
	armScope    = newScope(func(p string) (string, bool) { q, own := strings.CutPrefix(p, "arm."); return q, own || isInherited(p) })
	sweepScope  = newScope(func(p string) (string, bool) {
		return strings.TrimPrefix(p, "arm."), p == "arm.method" || p == "arm.fix" || p == "arm.choose" || isInherited(p)
	})
)

// newScope collects the keys that place accepts; place also gives a key's path in the scope.
func newScope(place func(path string) (string, bool)) scope {
	s := scope{}
	for i := range keys {
		if p, in := place(keys[i].path); in {
			s[p] = &keys[i]
		}
	}
	return s
}

// find returns the key at a path: a row of the table, or that of the open table in which the path names an entry.
func (s scope) find(path string) *key {
	head, rest, below := strings.Cut(path, ".")
	if k := s[head]; k != nil && k.kind == variables {
		if below && !strings.Contains(rest, ".") {
			return k
		}
		return nil
	}
	if k := s[head]; k != nil && k.open() {
		part, name, deeper := strings.Cut(rest, ".")
		if inPart := slices.Contains(partNames, part); below && inPart == deeper && !strings.Contains(name, ".") {
			return k
		}
		return nil
	}
	if k := s[path]; k != nil && k.kind != free {
		return k
	}
	return s.around(path)
}

// open reports whether the key is a table whose names are those of a method.
func (k *key) open() bool { return k.kind == params || k.kind == blocks }

// table reports whether path is a table with keys of the scope.
func (s scope) table(path string) bool {
	head, part, below := strings.Cut(path, ".")
	if k := s[head]; k != nil && k.kind == variables {
		return !below
	}
	if k := s[head]; k != nil && k.open() {
		return !below || slices.Contains(partNames, part)
	}
	if k := s[path]; k != nil && k.kind == free || s.around(path) != nil {
		return true
	}
	for p := range s {
		if strings.HasPrefix(p, path+".") {
			return true
		}
	}
	return false
}

// axisKey finds the key that a sweep axis names, by its short name or its path within an arm.
func axisKey(name string) (path string, k *key, ok bool) {
	if k := sweepScope.find(name); k != nil {
		return name, k, true
	}
	for p, k := range sweepScope {
		if k.short != "" && k.short == name {
			return p, k, true
		}
	}
	return "", nil, false
}
