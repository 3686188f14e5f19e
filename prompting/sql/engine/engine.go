// Package engine is the seam between this program and what runs SQL.
//
// A [DB] says which database a question is about and which [Engine] asks it. The engine reads a text for its one
// statement, opens a read-only connection and describes the database; the connection runs a statement under [Limits],
// explains it, or says what it reads. What comes back is a [Result] of [Value]s or an [Error] that says whose fault it
// is. Deadlines, turns and the keeping of connections belong to no engine: see [assay/prompting/sql/sandbox]. An engine
// must never write to what it is asked about; [assay/prompting/sql/enginetest] holds one to all of this. Which packages
// outside prompting/sql may know that it is SQLite, and why, is named in a test of cmd/assay.
//
// SQLite is the first ([assay/prompting/sql/sqlite]); [Scripted] is the test double. How others would answer:
//
//	method      PostgreSQL                       MySQL                            DuckDB
//	Dialect     "name", E'text', version(),      `name`, 'text' with \ doubled,   "name", 'text', version(),
//	            pg_proc                          version(), the manual's list     duckdb_functions()
//	Statement   a lexer with $tag$ quotes        a lexer with # comments and `    PostgreSQL's lexer
//	Open        READ ONLY transaction, limits    START TRANSACTION READ ONLY,     access_mode=READ_ONLY,
//	            as session settings (work_mem,   max_execution_time,              enable_external_access=false,
//	            temp_file_limit)                 tmp_table_size                   memory_limit, lock_configuration
//	Describe,   information_schema and           information_schema,              duckdb_tables(), duckdb_columns(),
//	Outline     pg_catalog                       SHOW CREATE TABLE                duckdb_constraints()
//	Cells       ORDER BY ctid                    in order of the primary key      ORDER BY rowid
//	Run         statement_timeout and cancel     KILL QUERY on a 2nd connection   interrupt
//	Explain     EXPLAIN (FORMAT JSON): Plan has  EXPLAIN FORMAT=JSON, likewise    EXPLAIN (FORMAT JSON), likewise
//	            one row with one column
//	Reads       EXPLAIN (VERBOSE): the Output    EXPLAIN FORMAT=JSON:             json_serialize_sql, or the plan's
//	            and filters of each scan         used_columns of each table       projections
//	Stamp       pg_current_wal_lsn()             gtid_executed                    the file's size and time
//	Digest      of pg_dump                       of mysqldump                     of the file
//
// Source is then a connection string without a password instead of a file. Statements that run in a process of their own
// are an Engine too: it wraps another, sends its calls to the process, and kills that where the context ends and the
// statement does not. A count of the steps that a statement took is one more field of [Result], and a bound on it one
// more of [Limits]; SQLite's progress handler and the worker can both fill them.
package engine

import (
	"context"
	"path/filepath"
	"time"

	"assay/prompting/sql/schema"
)

// DB is the handle of one database. It is comparable: equal handles are one database. The zero value is no database.
type DB struct {
	Engine Engine // who asks it: comparable, as all engines are; nil where there is no database
	Source string // where it is, in the engine's terms: the path of a SQLite file
}

// None says whether there is no database.
func (db DB) None() bool { return db.Engine == nil }

// Label is the last part of the source, to tell the databases of one suite apart: "pets.sqlite".
func (db DB) Label() string { return filepath.Base(db.Source) }

// Engine is one kind of database. Implementations are comparable values, safe for concurrent use.
type Engine interface {
	// Dialect says how the engine's SQL is written.
	Dialect() Dialect
	// Statement reads a text for where its one statement ends. Its error is an *Error: of kind Rejected where there are
	// several, of kind SQL where there is none.
	Statement(sql string) (Statement, error)
	// Stamp is cheap to ask, and another where the database may have changed. The error is that it is not there.
	Stamp(source string) (Stamp, error)
	// Open connects for reading, for statements that nobody vouches for.
	Open(ctx context.Context, source string, l Limits) (Conn, error)
	Describer
}

// Describer answers the program's own questions about a database: no limits but those of a question apply.
type Describer interface {
	// Describe reads the description of a database. Errors name the source; a database without tables is [ErrNoTables].
	Describe(ctx context.Context, source string, d Detail) (*schema.Database, error)
	// Outline is the names and declared types of the tables and views in the order they were made; nothing of what they
	// hold is read. A database without tables has none.
	Outline(ctx context.Context, source string) (*schema.Database, error)
	// Digest is the SHA-256, in hex, of all that the database holds: what is derived from it is filed under this.
	Digest(ctx context.Context, source string) (string, error)
	// Cells opens a database for questions about what its columns hold.
	Cells(source string) (Cells, error)
}

// Conn is one read-only connection, used by one goroutine at a time. An error of its methods is an *Error, without DB and
// SQL, or ctx.Err() once ctx is done. After an error of kind Unavailable, or one that met a limit on memory or disk, it
// is to be closed.
type Conn interface {
	// Run executes a statement and returns its rows. One with the verb Other is refused, and no more than compiled.
	Run(ctx context.Context, s Statement) (*Result, error)
	// Explain says what a Query would do, without running it. A listing over a limit is an error, Truncate or not.
	Explain(ctx context.Context, s Statement) (*Explanation, error)
	// Reads says what a Query reads, without running it: through aliases, stars, common table expressions and views,
	// sorted by table and column, each once and spelled as the database does. A row id that is no column is "ROWID"; a
	// table has an empty Column only where no column of it is read.
	Reads(ctx context.Context, s Statement) ([]schema.ColumnName, error)
	Close() error
}

// Cells reads columns for the program itself, over one connection, for one goroutine at a time. A callback's io.EOF ends the reading without an error.
type Cells interface {
	// Texts hands over a column's texts of 1 to most bytes in storage order, with U+FFFD for what is not UTF-8.
	Texts(ctx context.Context, table, column string, most int, f func(text string) error) error
	// First hands over the first cells of a column that are not NULL, in storage order: a text cut to so many characters,
	// and whether it was one.
	First(ctx context.Context, table, column string, cells, characters int, f func(text string, isText bool) error) error
	// HasText says whether a column has a text at all.
	HasText(ctx context.Context, table, column string) (bool, error)
	// Lengths is how many different values a column has besides NULL, and the sum of their lengths as text.
	Lengths(ctx context.Context, table, column string) (sum float64, distinct int64, err error)
	Close() error
}

// Stamp tells that a database is still what it was. Engines fill in what they have.
type Stamp struct {
	Size    int64
	Changed time.Time
	Pending bool // changes lie beside the database that are not in it yet
}

// Dialect is how an engine's SQL is written.
type Dialect struct {
	Name    string // "SQLite"
	Version string // such as "3.53.4": results may differ between versions
	// Quote is an identifier as a statement of the program's own has it, in quotes whatever it is.
	Quote func(name string) string
	// Literal is a value as a statement has it; it reads back as the same value.
	Literal func(v Value) string
	// Functions lists the names of the functions that a statement may call, sorted, each once.
	Functions func() ([]string, error)
}

// Verb is what the word does that a statement begins with.
type Verb int

// The verbs.
const (
	Other   Verb = iota // it does not begin as one that reads
	Query               // SELECT, WITH, VALUES
	Explain             // EXPLAIN
)

// Statement is one statement of a text, as Engine.Statement found it.
type Statement struct {
	Text string // without its semicolon and whatever blank or comment follows
	Verb Verb
}

// Explanation is what an engine tells of a statement without running it. An engine without a program leaves Program and
// Stored without rows.
type Explanation struct {
	Columns []string // names of the statement's result, as the engine gives them
	Plan    *Result  // of SQLite EXPLAIN QUERY PLAN: id, parent, notused, detail
	Program *Result  // of SQLite EXPLAIN: addr, opcode, p1, p2, p3, p4, p5, comment
	// Stored has a row per column of every table and index, in the order of their records on disk: rootpage, type
	// ("table" or "index"), name, tbl_name, column (NULL for an expression or the row id), and 1 where the column
	// is the row id itself, else 0; then the position. Without rows where a table of the file hides what would tell.
	Stored *Result
}
