package dataset

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"assay/configs/input"
	"assay/metrics"
	"assay/prompting/sql/engine"
	"assay/prompting/sql/schema"
	"assay/prompting/sql/sqlite"
)

// errNoBase: neither a file nor a description of the database exists.
var errNoBase = errors.New("no database and no schema")

// base is one database of a dataset.
type base struct {
	db     engine.DB   // none: no file
	suite  []engine.DB // see Example.Suite
	hashes []string    // of the suite's files, with their names
	schema *schema.Database
	names  *schema.Database // names and keys as the data set states them; the schema where it states none
	fault  string           // why the file cannot be read
	err    error
}

// bases finds the databases of a dataset and describes each once.
type bases struct {
	l       *loader
	folders []string                        // searched in order for <folder>/<db>/<db>.sqlite
	find    func(db string) (string, error) // before folders, where set; "" where there is none
	flat    []string                        // folders of databases without one of their own: the files next to one are no suite
	tables  tableFile                       // schemas as the dataset describes them
	enrich  func(db string, d *schema.Database)
	known   map[string]*base
	hashOf  func(path string) (string, error) // in place of fileHash, where set
}

// where says which folders were searched, for errors.
func (bs *bases) where() string {
	if len(bs.folders) == 0 {
		return bs.l.cfg.Path
	}
	return strings.Join(bs.folders, ", ")
}

// get describes a database. Without any trace of it the error is errNoBase.
func (bs *bases) get(db string) (*base, error) {
	b, ok := bs.known[db]
	if !ok {
		b = &base{}
		if b.err = bs.load(db, b); bs.l.bare && errors.Is(b.err, errNoBase) {
			b.err = nil
		}
		bs.known[db] = b
	}
	return b, b.err
}

func (bs *bases) load(db string, b *base) error {
	path, err := bs.file(db)
	if err != nil {
		return err
	}
	b.db = sqlite.DB(path)
	described := bs.tables[db]
	if described != nil && len(described.Tables) > 0 {
		b.names = described
	}
	opts := engine.Detail{Name: db}
	if bs.l.lean {
		if b.names != nil {
			return bs.addSuite(db, b)
		}
		opts.Rows, opts.Values = -1, -1
	}
	switch {
	case !b.db.None():
		if b.schema, err = b.db.Engine.Describe(bs.l.ctx, b.db.Source, opts); err == nil {
			bs.tables.apply(db, b.schema)
			break
		}
		if b.fault = bs.faulty(b.db.Source, err); b.fault == "" {
			return err
		}
		if b.schema = schema.New(db, nil, nil); described != nil {
			b.schema = schema.New(db, described.Tables, described.ForeignKeys)
		}
	case described != nil:
		b.schema = schema.New(db, described.Tables, described.ForeignKeys)
	default:
		return errNoBase
	}
	if bs.enrich != nil {
		bs.enrich(db, b.schema)
	}
	if b.names == nil {
		b.names = b.schema
	}
	return bs.addSuite(db, b)
}

// faulty says what is wrong with a database's file; empty where the error is of the machine or the context, which are no
// fault of the file.
func (bs *bases) faulty(path string, err error) string {
	f, unread := input.Open(path, input.Database) // which may be forbidden
	if unread == nil {
		f.Close()
	}
	e, verdict := errors.AsType[*engine.Error](err)
	switch {
	case bs.l.ctx.Err() != nil, errors.Is(unread, syscall.EMFILE), errors.Is(unread, syscall.ENFILE), errors.Is(unread, syscall.ENOMEM):
		return ""
	case unread != nil:
		return input.Cause(unread).Error()
	case verdict && e.Kind == engine.Unavailable:
		return e.Err.Error()
	case errors.Is(err, engine.ErrNoTables):
		return engine.ErrNoTables.Error()
	}
	return ""
}

// file finds the SQLite file of a database; "" where there is none. A name that is no plain file name has none, so
// that a dataset cannot lead out of its folders.
func (bs *bases) file(db string) (string, error) {
	if db == "" || db == "." || db == ".." || strings.ContainsAny(db, "/\\\x00") {
		return "", nil
	}
	if bs.find != nil {
		if path, err := bs.find(db); path != "" || err != nil {
			return path, err
		}
	}
	for _, f := range bs.folders {
		path := filepath.Join(f, db, db+".sqlite")
		if _, err := os.Stat(path); err == nil { // whatever it is: what is no file is the database's fault
			return path, nil
		}
	}
	return "", nil
}

// checkSuite fails where the folder of suites is missing: metrics over suites would silently use the items' own databases.
func (l *loader) checkSuite() error {
	if l.cfg.Suite == "" || l.kind.Embedded {
		return nil
	}
	if info, err := os.Stat(l.cfg.Suite); err != nil || !info.IsDir() {
		return fmt.Errorf("no folder %q of test suites: state it with dataset.suite or --suite", l.cfg.Suite)
	}
	return nil
}

// addSuite lists the databases of the suite: those of dataset.suite, otherwise those next to the item's own. A file with the
// same content as the item's own is not listed twice.
func (bs *bases) addSuite(db string, b *base) error {
	if b.db.None() {
		return nil
	}
	own, ownHash := b.db.Source, ""
	folder := filepath.Dir(own)
	if bs.l.cfg.Suite != "" {
		folder = filepath.Join(bs.l.cfg.Suite, db)
	}
	var files []string
	if !bs.l.kind.together && !slices.Contains(bs.flat, folder) || bs.l.cfg.Suite != "" {
		files, _ = input.Glob(folder, "*.sqlite")
	}
	b.suite = []engine.DB{b.db}
	if !bs.l.lean {
		var err error
		if ownHash, err = bs.hash(own); err != nil {
			if b.fault = cmp.Or(b.fault, bs.faulty(own, err)); b.fault == "" {
				return err
			}
			ownHash = "unreadable"
		}
		b.hashes = []string{b.db.Label() + " " + ownHash}
	}
	slices.Sort(files)
	for _, f := range files {
		if f == own {
			continue
		}
		if err := bs.addNeighbour(f, b, ownHash); err != nil {
			fault := bs.faulty(f, err)
			if fault == "" {
				return err
			}
			b.fault = cmp.Or(b.fault, "its suite's "+filepath.Base(f)+": "+fault)
		}
	}
	slices.SortFunc(b.suite, func(x, y engine.DB) int { return strings.Compare(x.Source, y.Source) })
	return nil
}

// addNeighbour adds a file to the suite unless it is a copy of the item's own database; own is that database's hash,
// or empty where hashes are not needed.
func (bs *bases) addNeighbour(f string, b *base, own string) error {
	if own == "" {
		same, err := sameContent(bs.l.ctx, f, b.db.Source)
		if err == nil && !same {
			b.suite = append(b.suite, sqlite.DB(f))
		}
		return err
	}
	h, err := bs.hash(f)
	if err == nil && h != own {
		b.suite = append(b.suite, sqlite.DB(f))
		b.hashes = append(b.hashes, filepath.Base(f)+" "+h)
	}
	return err
}

func (bs *bases) hash(path string) (string, error) {
	if bs.hashOf != nil {
		return bs.hashOf(path)
	}
	return fileHash(bs.l.ctx, bs.l.cache, path)
}

// warnFaults warns of every database that items need and that cannot be read, with the cause and the number of items.
func (bs *bases) warnFaults(all []Example) {
	items := map[string]int{}
	for _, x := range all {
		if x.Fault != "" {
			items[x.Question.DB]++
		}
	}
	for _, db := range slices.Sorted(maps.Keys(items)) {
		b := bs.known[db]
		bs.l.warn(cmp.Or(b.db.Source, bs.l.cfg.Path), "", "database %q cannot be read: %s: its %d items are not asked, and count as %s: replace the file, or leave them out with dataset.filter.db",
			db, b.fault, items[db], metrics.GoldError)
	}
}

// warnMissing warns of every database that items need and that has no file, with its number of items.
func (bs *bases) warnMissing(all []Example) {
	items := map[string]int{}
	var order []string
	for _, x := range all {
		if x.Question.Database.None() && x.Fault == "" {
			if items[x.Question.DB]++; items[x.Question.DB] == 1 {
				order = append(order, x.Question.DB)
			}
		}
	}
	switch len(order) {
	case 0:
	case 1:
		bs.l.warn(bs.l.cfg.Path, "", "database %q has no file: its %d items are asked from the schema's description and cannot be executed", order[0], items[order[0]])
	default:
		for i, db := range order {
			order[i] = fmt.Sprintf("%s (%d items)", db, items[db])
		}
		bs.l.warn(bs.l.cfg.Path, "", "databases without a file, whose items are asked from the schema's description and cannot be executed: %s", strings.Join(order, ", "))
	}
}
