// Package values finds database values that a question mentions.
//
// [Open] builds an index over the distinct text values of a database, once, and stores it in one file. [Keywords]
// extracts keywords from a question by rules, [ParseKeywords] from a model's answer, and [Index.Find] looks them up in
// the index. Package pipeline puts what was found into a database's description. [Index.Search] looks one text up, as a
// whole or by its words.
//
// The method is that of CHESS (Talaei et al. 2024, arXiv 2405.16755), which CHASE-SQL (ICLR 2025, section 2.2 and
// appendix A.5) takes over: MinHash LSH over the character 3-grams of the cell values proposes candidates for a
// keyword, its prefixes and its suffixes; the edit ratio and the similarity of embeddings re-rank and cut them. The
// parameters are theirs where [Options] does not say otherwise; these are the differences:
//
//   - Texts are compared without regard to case, accents and runs of white space, and a space at either end is part of
//     their grams, so that short misspelt words share one: unless Options.CaseSensitive.
//   - A text shorter than a gram is one gram of its own. In CHESS all such texts collide with each other.
//   - Candidates are ranked by the Jaccard index of the gram sets, which the MinHash signatures of CHESS estimate.
//   - A value that equals a keyword but for case, accents, punctuation and plural is found by a hash, past the LSH.
//   - Columns are chosen by what they hold; [Chess] chooses them by declared type and name.
//   - The edit ratio is that of Python's difflib without its rule for frequent characters of long texts; see [Ratio].
//   - The cut to 0.9 of the best is made within a keyword and column, not within a column alone; see Options.Pool.
//     Exact matches are never cut.
//   - Without a provider's embeddings, [assay/prompting/vectors] compares spelling alone; see offlineSimilarity.
//
// # Bands
//
// For a threshold of 0.01 and 100 permutations, the banding with the fewest false answers is 100 bands of one row: two
// texts of Jaccard index J are candidates with probability 1-(1-J)^100, which is 0.63 at J = 0.01, 0.95 at 0.03 and
// 0.995 at 0.05. A band of one row collides where the same gram wins (has the lowest hash) in both texts. The index
// therefore files a value once under each gram that wins any permutation: every collision of the 100 bands is one of
// these, with about as many entries per value as it has grams in place of 100. Values that share a gram which wins in
// different permutations are candidates too. The candidates of one search are bounded: grams are read from the rarest,
// the two rarest whole, the others while Options.MaxPostings lasts, and Options.TopN texts are kept.
package values

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"assay/configs/cache"
	"assay/prompting/sql/engine"
	"assay/prompting/sql/schema"
)

// The rules by which columns are chosen.
const (
	Content = "content" // by what they hold: Options.MinText and Options.MinWords
	Chess   = "chess"   // as CHESS does: declared TEXT, not excluded by name, not too long
	All     = "all"     // every column that has text
)

// The pools within which the weaker matches are cut.
const (
	poolKeyword = "keyword" // matches of one keyword in one column
	poolColumn  = "column"  // all matches in one column, as in CHESS: one exact match drives out other keywords' near ones
)

// Options says how an index is built and searched. The zero value takes the defaults.
type Options struct {
	// Dir is the folder of the index files; empty means assay/values in the user's cache folder. A file's name carries
	// the hashes of the database and of the building options, so that a changed database gets a new file.
	Dir string

	// For building; a change makes another file.

	Columns       string  // Content, Chess or All; empty means Content
	MinText       float64 // Content: least share of a column's non-NULL cells stored as text; 0 means 0.5
	MinWords      float64 // Content: least share of its distinct texts that are names or words (see kind); 0 means 0.5
	MaxLength     int     // longest text indexed, in characters; 0 means 200
	Gram          int     // characters of a gram; 0 means 3
	Permutations  int     // of the MinHash, at most 255; 0 means 100
	CaseSensitive bool    // grams of the text as stored, as in CHESS

	// Buffer bounds the memory of building: entries of 8 bytes held before they go to a temporary file next to the
	// index; 0 means 4,000,000. The hashes of one column's distinct values come on top, at 13 to 27 bytes per value and
	// half as much again while their table grows. Measured resident: 114 MB for a million values in one column, 474 MB
	// for ten million.
	Buffer   int
	Progress func(Progress) // called while building, by one goroutine at a time; may be nil

	// For searching.

	TopN          int     // texts kept of a search string's candidates; 0 means 10
	MinEdit       float64 // least edit ratio; 0 means 0.3, negative none
	MinSimilarity float64 // least cosine of the embeddings; 0 means 0.6, with offline vectors offlineSimilarity; negative none
	Keep          float64 // share a match must have of its pool's best edit ratio, then similarity; 0 means 0.9, negative none
	Pool          string  // poolKeyword or poolColumn; empty means poolKeyword
	PerColumn     int     // matches kept per column; 0 means 5, negative all
	MaxPostings   int     // index entries read for one search string; 0 means 20,000
	MaxKeywords   int     // keywords searched for; 0 means 64
}

// offlineSimilarity is the least similarity where the embeddings are offline vectors. They see spelling alone, and the
// 0.6 that CHESS set for a language model's would drop most typing mistakes here. 388 text literals of Spider's
// development gold queries occur in the databases. With each misspelled by one letter in the question, 0.25 finds 0.87
// of them among the first ten, at 5 matches per question; 0.6 finds 0.66 at 1, 0.4 finds 0.81 at 3, and 0.1 finds 0.89
// at 10. With the questions unchanged, 0.25 finds 0.94; the rest are written otherwise in the question ("female" for
// F).
const offlineSimilarity = 0.25

// Progress reports how far the building of an index has come.
type Progress struct {
	schema.ColumnName     // being read; empty while the index is put together
	Done, Total       int // columns
	Values            int // distinct values so far
}

func (o Options) filled() (Options, error) {
	setText := func(p *string, def string, known ...string) error {
		if *p == "" {
			*p = def
		}
		for _, k := range known {
			if *p == k {
				return nil
			}
		}
		return fmt.Errorf("unknown choice %q (there are %q)", *p, known)
	}
	if err := setText(&o.Columns, Content, Content, Chess, All); err != nil {
		return o, fmt.Errorf("option Columns: %w", err)
	}
	if err := setText(&o.Pool, poolKeyword, poolKeyword, poolColumn); err != nil {
		return o, fmt.Errorf("option Pool: %w", err)
	}
	for _, f := range []struct {
		v   *int
		def int
	}{{&o.MaxLength, 200}, {&o.Gram, 3}, {&o.Permutations, 100}, {&o.Buffer, 4_000_000}, {&o.TopN, 10},
		{&o.MaxPostings, 20_000}, {&o.MaxKeywords, 64}} {
		if *f.v <= 0 {
			*f.v = f.def
		}
	}
	o.Permutations = min(o.Permutations, 255)
	o.Buffer = max(o.Buffer, 1024)
	if o.PerColumn == 0 {
		o.PerColumn = 5
	}
	for _, f := range []struct {
		v   *float64
		def float64
	}{{&o.MinText, 0.5}, {&o.MinWords, 0.5}, {&o.MinEdit, 0.3}, {&o.Keep, 0.9}} {
		if *f.v == 0 {
			*f.v = f.def
		}
	}
	return o, nil
}

// Index is the index of one database. It is safe for concurrent use.
type Index struct {
	// Warnings are for the caller to show: a damaged file was built again.
	Warnings []string
	// Built says that Open built the file, for it was not there.
	Built bool

	opts Options
	file *indexFile
	hash hasher
	pool sync.Pool // *scratch

	words  words
	mu     sync.RWMutex // held for reading by every search
	closed bool
}

// Open returns the index of a database: the stored one where there is one for the same database content and building
// options, else one that it builds and stores. A stored file that is damaged is built again, with a warning. The file
// is written under a temporary name and renamed when done, so that an interrupted build leaves nothing, and several
// processes may build at once. Within a process the same file is built once.
func Open(ctx context.Context, db engine.DB, o Options) (*Index, error) {
	x, err := open(ctx, db, o)
	if err != nil {
		return nil, fmt.Errorf("values: open index of %q: %w", db.Source, err)
	}
	return x, nil
}

func open(ctx context.Context, db engine.DB, o Options) (*Index, error) {
	o, err := o.filled()
	if err != nil {
		return nil, err
	}
	if o.Dir == "" {
		dir, err := cache.Dir()
		if err != nil {
			return nil, err
		}
		o.Dir = filepath.Join(dir, "values")
	}
	if err := os.MkdirAll(o.Dir, 0o755); err != nil {
		return nil, err
	}
	id, err := identify(ctx, db, o)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(o.Dir, id.fileName())
	leave, err := enter(ctx, path)
	if err != nil {
		return nil, err
	}
	defer leave()
	x := &Index{opts: o, hash: newHasher(o)}
	if x.file, err = openFile(path, id); err == nil {
		return x, nil
	}
	if !os.IsNotExist(err) {
		x.Warnings = append(x.Warnings, fmt.Sprintf("values: index file %q is damaged (%v): built again", path, err))
	}
	x.Built = true
	if err := build(ctx, db, path, id, o); err != nil {
		return nil, err
	}
	x.file, err = openFile(path, id)
	return x, err
}

// Len returns the number of values in the index: a text counts once for each column that has it.
func (x *Index) Len() int { return x.file.n }

// Path returns the index's file.
func (x *Index) Path() string { return x.file.path }

// Column is a column of the index.
type Column struct {
	schema.ColumnName
	Values int // distinct values indexed
}

// Columns lists the columns in the index, in the order of the database.
func (x *Index) Columns() []Column {
	out := make([]Column, len(x.file.Columns))
	for i, c := range x.file.Columns {
		out[i] = Column{c.ColumnName, x.file.end(i) - c.First}
	}
	return out
}

// Close closes the file. It waits for running searches to end; later ones fail.
func (x *Index) Close() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closed {
		return nil
	}
	x.closed = true
	return errors.Join(x.words.close(), x.file.close())
}

// turns has, for each index file being opened in this process, a channel of one place.
var turns struct {
	sync.Mutex
	open map[string]*turn
}

type turn struct {
	place   chan struct{}
	waiting int
}

// enter waits for its turn at a path; leave ends it.
func enter(ctx context.Context, path string) (leave func(), err error) {
	turns.Lock()
	if turns.open == nil {
		turns.open = map[string]*turn{}
	}
	t := turns.open[path]
	if t == nil {
		t = &turn{place: make(chan struct{}, 1)}
		turns.open[path] = t
	}
	t.waiting++
	turns.Unlock()
	forget := func() {
		turns.Lock()
		defer turns.Unlock()
		if t.waiting--; t.waiting == 0 {
			delete(turns.open, path)
		}
	}
	select {
	case t.place <- struct{}{}:
		return func() { <-t.place; forget() }, nil
	case <-ctx.Done():
		forget()
		return nil, ctx.Err()
	}
}
