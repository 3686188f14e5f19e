package dataset

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"assay/configs"
	"assay/configs/cache"
	"assay/metrics/exact"
	"assay/prompting"
	"assay/prompting/sql/schema"
)

// Options says where Load may store files, and what it may leave out. The zero value loads everything.
type Options struct {
	Cache string // folder for built databases and file hashes; empty: cache.Dir
	// Names loads what metrics read and nothing that only prompts need: Question.Schema is nil, Set.Hash is empty, and
	// so is Hardness where no filter asks for it. Databases without an entry in a tables file are opened for their names
	// alone, the others not at all.
	Names bool
	// Bare keeps items without a database or schema, and does not warn of missing databases: their Question.Schema and
	// Schema are nil. It is for counting items, which needs no database.
	Bare bool
	// Features names what demonstrations are to have, see exemplar.FeatureOf. "plan" fills in exemplar.Demo.Plan where the
	// database has a file; of a training split, those that lack any of them are left out.
	Features []string
	// Rows replaces the questions of the dataset's file, where there are any.
	Rows []Row
	// Tables are files like tables.json in place of those of the dataset's folders. nil means those; empty, but not nil, means
	// none, so that names and keys come from the database files.
	Tables []string
}

// Row is a question as a dataset's file has it.
type Row struct {
	ID                       string // within dataset/split/; empty: made from database, question and gold query
	DB                       string
	Question, Evidence, Gold string
	Difficulty               string
}

func (o Options) cache() (string, error) {
	if o.Cache != "" {
		return o.Cache, nil
	}
	return cache.Dir()
}

// kind is a kind of dataset: how its questions are read, and where its databases and schemas are.
type kind struct {
	configs.Kind
	questions func(l *loader) ([]item, error)
	open      func(l *loader) error // sets l.bases up
	train     func(l *loader) ([]item, error)
	shipped   string // the annotations of an experiment that names none
	named     bool   // shipped annotations may name the questions of its training split by their hash
	together  bool   // its databases are in one folder, so that those next to one are no suite
	bare      bool   // it may come without databases
}

// kinds lists every kind of dataset, each in a file of its own.
var kinds = []kind{sampleKind, spiderKind, birdKind, fincKind, text2sqlKind, ownKind}

// Kinds lists the kinds of dataset with their traits.
func Kinds() []configs.Kind {
	out := make([]configs.Kind, len(kinds))
	for i, k := range kinds {
		out[i] = k.Kind
	}
	return out
}

// item is one question as a dataset's files have it.
type item struct {
	id         string // within dataset/split/
	db         string
	question   string
	evidence   string
	gold       string
	difficulty string
	apart      []string // labels of what may not be shown with it, see prompting.Question
}

// loader is the state of one load of a dataset.
type loader struct {
	ctx      context.Context
	kind     kind
	cfg      configs.Dataset
	cache    string
	lean     bool            // Options.Names
	bare     bool            // Options.Bare
	stated   []string        // Options.Tables
	wanted   map[string]bool // the databases of the items, where lean; nil for all
	bases    *bases
	warnings []Warning
	said     map[string]int // warnings by file and kind
	sources  []string       // names and hashes of the files that describe schemas, which prompts contain
}

// needs reports whether an item is over the database.
func (l *loader) needs(db string) bool { return l.wanted == nil || l.wanted[db] }

func (l *loader) describedBy(path string, b []byte) {
	l.sources = append(l.sources, filepath.Base(path)+" "+digest(b))
}

// warn adds a warning about a file or folder. Warnings are stored with results, so they name the file relative to the
// dataset's folder, or by its last name where it is elsewhere: no path of this machine.
func (l *loader) warn(file, item, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if l.cfg.Path != "" {
		text = strings.ReplaceAll(text, filepath.Clean(l.cfg.Path)+string(filepath.Separator), "")
	}
	if l.said == nil {
		l.said = map[string]int{}
	}
	kind := l.shown(file) + "\x00" + format
	if l.said[kind]++; l.said[kind] < mostWarnings {
		l.warnings = append(l.warnings, Warning{l.shown(file), item, text})
	} else if l.said[kind] == mostWarnings {
		l.warnings = append(l.warnings, Warning{l.shown(file), "", fmt.Sprintf("more than %d warnings of this kind: %s: %s", mostWarnings-1, item, text)})
	}
}

// mostWarnings bounds the warnings of one kind about one file: a file of another form would give one for each record.
const mostWarnings = 1000

// shown returns a path without the part that only this machine has; "" for the dataset's folder.
func (l *loader) shown(path string) string {
	if path == l.cfg.Path {
		return ""
	}
	if rel, err := filepath.Rel(l.cfg.Path, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return filepath.Base(path)
}

// Load reads a dataset's questions with their gold queries, databases and schemas, filters them, draws the sample of
// cfg.Strata, and keeps the first cfg.Limit of them.
//
// Problems: a file of questions or schemas that cannot be read as a whole (missing, no JSON) is an error that says what to do; so is a filter value that matches nothing. A database
// that cannot be read, or has no tables, costs its items: see Example.Fault, and a warning names it. One bad row is a warning: it is
// left out where it cannot be asked (no question, no database name), and kept where it can be asked but not scored (no
// gold query, no database file: Question.Database is none then and the schema comes from the dataset's description). When no
// row is usable, or no item has a database though the kind comes with them, that is an error.
//
// An item's id is dataset/split/id: the record's own id where it has one, otherwise its database and a hash of
// question and gold query; the second of equal ids gets "-2". Except for such equals, no id depends on the item's place in
// the file.
func Load(ctx context.Context, cfg configs.Dataset, o Options) (*Set, error) {
	set, err := load(ctx, cfg, o)
	if err != nil {
		return nil, fmt.Errorf("dataset: load %q: %w", cfg.Kind, err)
	}
	return set, nil
}

func newLoader(ctx context.Context, cfg configs.Dataset, o Options) (*loader, error) {
	k, ok := configs.Find(kinds, cfg.Kind)
	if !ok {
		return nil, fmt.Errorf("no such kind")
	}
	cache, err := o.cache()
	if err != nil {
		return nil, err
	}
	l := &loader{ctx: ctx, kind: k, cfg: cfg, cache: cache, lean: o.Names, bare: o.Bare, stated: o.Tables}
	l.bases = &bases{l: l, known: map[string]*base{}}
	return l, nil
}

func load(ctx context.Context, cfg configs.Dataset, o Options) (*Set, error) {
	l, err := newLoader(ctx, cfg, o)
	if err != nil {
		return nil, err
	}
	items, err := l.items(o.Rows)
	if err != nil {
		return nil, err
	}
	ofItems := l.warnings
	l.warnings = nil
	if err := l.checkSuite(); err != nil {
		return nil, err
	}
	if err := l.kind.open(l); err != nil {
		return nil, err
	}
	l.warnings = append(l.warnings, ofItems...)
	set := &Set{Name: cfg.Kind + "/" + cfg.Split}
	if items, err = keep(items, cfg.Filter, set.Name); err != nil {
		return nil, err
	}
	if items, err = l.keepFeatures(items, set.Name); err != nil {
		return nil, err
	}
	if !l.late() {
		if items, err = l.drawItems(set.Name, items); err != nil {
			return nil, err
		}
		items = first(items, cfg.Limit)
	}
	if set.Examples, err = l.examples(set.Name, items); err != nil {
		return nil, err
	}
	if set.Examples, err = keepHardness(set.Examples, cfg.Filter.Hardness); err != nil {
		return nil, err
	}
	if l.late() {
		if set.Examples, err = l.drawExamples(set.Examples); err != nil {
			return nil, err
		}
		set.Examples = first(set.Examples, cfg.Limit)
	}
	if !l.bare {
		l.bases.warnMissing(set.Examples)
		l.bases.warnFaults(set.Examples)
	}
	set.Warnings = l.warnings
	if !l.lean {
		set.Hash, err = l.hash(set.Examples)
	}
	return set, err
}

// items are the dataset's questions, or rows in their place, with their ids.
func (l *loader) items(rows []Row) ([]item, error) {
	var items []item
	for _, r := range rows {
		items = append(items, item{id: clean(r.ID), db: r.DB, question: r.Question, evidence: r.Evidence, gold: r.Gold, difficulty: r.Difficulty})
	}
	if rows == nil {
		var err error
		if items, err = l.kind.questions(l); err != nil {
			return nil, err
		}
	}
	identify(items)
	if l.lean {
		l.wanted = map[string]bool{}
		for _, it := range items {
			l.wanted[it.db] = true
		}
	}
	return items, nil
}

func first[T any](s []T, n int) []T {
	if n > 0 && n < len(s) {
		return s[:n]
	}
	return s
}

// examples joins items with their databases.
func (l *loader) examples(set string, items []item) ([]Example, error) {
	out := make([]Example, 0, len(items))
	files := 0
	for _, it := range items {
		if err := l.ctx.Err(); err != nil {
			return nil, err
		}
		id := set + "/" + it.id
		b, err := l.bases.get(it.db)
		if errors.Is(err, errNoBase) {
			b.fault, b.schema = "there is neither a file nor a schema of it", schema.New(it.db, nil, nil)
			b.names = b.schema
		} else if err != nil {
			return nil, err
		}
		if !b.db.None() && b.fault == "" {
			files++
		}
		x := Example{
			Question: prompting.Question{ID: id, DB: it.db, Text: it.question, Evidence: it.evidence, Schema: b.schema, Database: b.db,
				Apart: append(slices.Clip(it.apart), template(it.gold))},
			Gold:       it.gold,
			Suite:      b.suite,
			Difficulty: it.difficulty,
			Schema:     b.names,
			Fault:      b.fault,
		}
		if it.gold == "" {
			l.warn(l.cfg.Path, id, "has no gold query: asked, but not scored")
		} else if l.lean && !l.late() || b.names == nil || b.fault != "" && len(b.names.Tables) == 0 {
			// left to the caller, which parses the gold queries again
		} else if x.Hardness, err = exact.Hardness(it.gold, b.names); err != nil {
			l.warn(l.cfg.Path, id, "its gold query has no hardness: %v", err)
		}
		out = append(out, x)
	}
	if at := slices.IndexFunc(out, func(x Example) bool { return x.Fault != "" && !x.Question.Database.None() }); at >= 0 && files == 0 && !l.bare {
		x := out[at]
		return nil, fmt.Errorf("no database of any item can be read: %s: %s: replace the files, or leave their items out with dataset.filter.db",
			l.shown(x.Question.Database.Source), x.Fault)
	}
	if len(items) > 0 && files == 0 && !l.kind.bare && !l.bare {
		return nil, fmt.Errorf("no database of any item found in %s: state their folder in dataset.databases", l.bases.where())
	}
	return out, nil
}
