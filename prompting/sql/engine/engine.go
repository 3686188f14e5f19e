// Package engine is the seam between this program and what runs SQL.
//
// A [DB] names a database and the [Engine] that queries it. Data flows in one order: the engine splits a text and
// returns its one [Statement], and runs it under [Limits], explains it, or lists the columns that it reads. The outcome is
// a [Result] of [Value]s, or an [Error] that says whether the statement or the database is to blame. An engine also
// describes the database as a schema. It keeps connections, or processes, for as long as it finds useful. How many
// statements a run may have at once belongs to [assay/prompting/sql/sandbox].
//
// An engine must never write to a database; [assay/prompting/sql/enginetest] tests that and all other promises. Which
// packages outside prompting/sql may know that the engine is SQLite, and why, is listed in a test of cmd/assay.
//
// SQLite is the only implementation so far ([assay/prompting/sql/sqlite]); [Scripted] is the test double. This table
// sketches how other engines would implement each method, to show that the interface fits them:
//
//	method      PostgreSQL                       MySQL                            DuckDB
//	Dialect     "name", E'text', version(),      `name`, 'text' with \ doubled,   "name", 'text', version(),
//	            pg_proc                          version(), the manual's list     duckdb_functions()
//	Statement   a lexer with $tag$ quotes        a lexer with # comments and `    PostgreSQL's lexer
//	Limits      READ ONLY transaction, limits    START TRANSACTION READ ONLY,     a worker process, access_mode=
//	            as session settings (work_mem,   max_execution_time,              READ_ONLY, memory_limit,
//	            temp_file_limit)                 tmp_table_size                   enable_external_access=false
//	Describe,   information_schema and           information_schema,              duckdb_tables(), duckdb_columns(),
//	Outline     pg_catalog                       SHOW CREATE TABLE                duckdb_constraints()
//	Cells       ORDER BY ctid                    in order of the primary key      ORDER BY rowid
//	Run         statement_timeout and cancel     KILL QUERY on a 2nd connection   in a process that can be killed
//	Explain     EXPLAIN (FORMAT JSON): Plan has  EXPLAIN FORMAT=JSON, likewise    EXPLAIN (FORMAT JSON), likewise
//	            one row with one column
//	Reads       EXPLAIN (VERBOSE): the Output    EXPLAIN FORMAT=JSON:             json_serialize_sql, or the plan's
//	            and filters of each scan         used_columns of each table       projections
//	Stamp       pg_current_wal_lsn()             gtid_executed                    the file's size and time
//	Digest      of pg_dump                       of mysqldump                     of the file
//
// For these engines, Source is a connection string without a password instead of a path. To count the steps of a
// statement, add a field to [Result] and a bound to [Limits]; SQLite's progress handler can supply them.
package engine

import (
	"context"
	"path/filepath"
	"time"

	"assay/prompting/sql/schema"
)

// DB identifies one database. Handles are comparable, so they can key maps: equal handles mean the same database. The
// zero value means no database.
type DB struct {
	Engine Engine // nil where there is no database; comparable, as every implementation is
	Source string // the location in the engine's terms, such as the path of a SQLite file
}

// None reports whether the handle names no database.
func (db DB) None() bool { return db.Engine == nil }

// Label returns the last path element of the source, such as "pets.sqlite". It tells the databases of one suite apart.
func (db DB) Label() string { return filepath.Base(db.Source) }

// Engine is one kind of database system. Implementations are comparable values and safe for concurrent use.
type Engine interface {
	// Dialect returns the spelling rules of the engine's SQL.
	Dialect() Dialect
	// Statement returns the one statement of a text. It fails with an *Error: of kind Rejected where the text has several
	// statements, of kind SQL where it has none.
	Statement(sql string) (Statement, error)
	// Stamp returns a value that differs once the database may have changed. It is cheap. It fails where the database does not exist.
	Stamp(source string) (Stamp, error)
	Querier
	Describer
}

// Querier answers statements that nobody trusts. Whatever the statement, a method returns by the deadline of the limits,
// which starts once the engine has a connection or a process free, and when ctx ends. Its errors are an *Error whose DB
// and SQL are empty (the sandbox fills them in), ctx.Err() once ctx is done, or another error where this machine is to
// blame and neither statement nor database: no process could be started, or no file opened.
type Querier interface {
	// Run executes a statement and returns its rows. It compiles a statement with the verb Other, and refuses it.
	Run(ctx context.Context, source string, s Statement, l Limits) (*Result, error)
	// RunMany is Run for several queries, and passes what came of each to f, in order. An engine for which the way to a
	// database is long asks for several at once.
	RunMany(ctx context.Context, queries []Execution, l Limits, f func(i int, res *Result, err error))
	// Explain returns the plan of a Query without running it. A listing over a limit is an error even under Truncate,
	// because half a plan explains nothing.
	Explain(ctx context.Context, source string, s Statement, l Limits) (*Explanation, error)
	// Reads returns the columns that a Query reads, without running it: through aliases, stars, common table expressions
	// and views, sorted by table and column, each once, spelled as the database spells them. A row id that is not a
	// declared column is "ROWID"; a table of which no column is read appears once with an empty Column.
	Reads(ctx context.Context, source string, s Statement, l Limits) ([]schema.ColumnName, error)
}

// Describer answers the program's own questions about a database. These questions are trusted, so no [Limits] apply; a
// method that bounds its reading says so by its parameters.
type Describer interface {
	// Describe returns the schema with row counts and sample values. Its errors name the source; it returns [ErrNoTables]
	// for a database without tables.
	Describe(ctx context.Context, source string, d Detail) (*schema.Database, error)
	// Outline returns the names and declared types of the tables and views in creation order, without reading any row. A
	// database without tables gives an empty outline, not an error.
	Outline(ctx context.Context, source string) (*schema.Database, error)
	// Digest returns the SHA-256, in hex, of the whole content. Files derived from a database are stored under it.
	Digest(ctx context.Context, source string) (string, error)
	// Cells opens a database for questions about the content of its columns.
	Cells(source string) (Cells, error)
}

// Cells reads column content for the program itself, for one goroutine at a time. A callback that
// returns io.EOF ends the scan without an error.
type Cells interface {
	// Texts passes a column's texts of 1 to most bytes to f, in storage order. Invalid UTF-8 is replaced by U+FFFD.
	Texts(ctx context.Context, table, column string, most int, f func(text string) error) error
	// First passes the first cells of a column that are not NULL to f, in storage order: a text cut to that many
	// characters, or an empty string with isText false for a cell of another class.
	First(ctx context.Context, table, column string, cells, characters int, f func(text string, isText bool) error) error
	// HasText reports whether a column has any text.
	HasText(ctx context.Context, table, column string) (bool, error)
	// Lengths returns the number of distinct values of a column besides NULL, and the sum of their lengths as text.
	Lengths(ctx context.Context, table, column string) (sum float64, distinct int64, err error)
	Close() error
}

// Stamp identifies a state of a database: equal stamps mean that it did not change. Engines fill in what they have.
type Stamp struct {
	Size    int64
	Changed time.Time
	Pending bool // a file next to the database holds changes, such as a write-ahead log or a rollback journal
}

// Dialect has the spelling rules of an engine's SQL.
type Dialect struct {
	Name    string // such as "SQLite"
	Version string // such as "3.53.4": results may differ between versions
	// Quote returns an identifier for use in the program's own statements. It always adds quotes, so that no keyword list
	// is needed; see [schema.Quote] for names that people read.
	Quote func(name string) string
	// Literal returns a value as SQL that evaluates to the same value.
	Literal func(v Value) string
	// Functions lists the names of the functions that a statement may call, sorted, each once.
	Functions func() ([]string, error)
}

// Verb classifies a statement by its first word.
type Verb int

// The verbs.
const (
	Other   Verb = iota // the first word is not one that only reads
	Query               // SELECT, WITH, VALUES
	Explain             // EXPLAIN
)

// Statement is the one statement of a text, as Engine.Statement found it.
type Statement struct {
	Text string // without the semicolon, and without blanks or comments after it
	Verb Verb
}

// Execution is a statement and the database that it is for.
type Execution struct {
	Source    string
	Statement Statement
}

// Explanation is what an engine reports about a statement without running it. An engine that has no virtual machine
// leaves Program and Stored without rows.
type Explanation struct {
	Columns []string // names of the statement's result, as the engine gives them
	Plan    *Result  // of SQLite EXPLAIN QUERY PLAN: id, parent, notused, detail
	Program *Result  // of SQLite EXPLAIN: addr, opcode, p1, p2, p3, p4, p5, comment
	// Stored has one row per column of every table and index, in the order of their records on disk: rootpage, type
	// ("table" or "index"), name, tbl_name, column (NULL for an expression or the row id), 1 where the column is the row
	// id itself and else 0, and the position. It has no rows where a table of the file hides the pragmas that list them.
	Stored *Result
}
