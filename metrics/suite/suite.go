// Package suite makes test-suite databases.
//
// [Build] reads a database's schema and rows, derives hints and mutants from the gold queries, makes many neighbours of
// the database, runs gold queries and mutants on each, keeps the few neighbours that distinguish most, and writes them
// with a manifest and a [Report]. It must never change the original, and the same inputs must give the same files.
//
// A result that agrees with the gold query's on one database may agree by chance. Build makes neighbours of a database
// by fuzzing it with regard to types, keys and references, makes mutants of the gold queries asked of it, and keeps the
// few neighbours on which the most mutants are found out (killed), in the manner of Zhong et al. (2020), "Semantic
// Evaluation for Text-to-SQL with Distilled Test Suites". Unlike theirs, a neighbour is not kept where some gold query
// depends on a choice of SQLite's, such as a tie at a LIMIT, that it does not depend on in the original: a right
// prediction could be called wrong there. For the same reason columns that join tables have NULLs in a neighbour only
// where they have some in the original. Other columns may have NULLs and repeated values wherever the schema lets them:
// count(name) is not count(*), and two may share a name.
package suite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"assay/configs/input"
	"assay/prompting/sql/engine"
)

// Gold is a gold query whose predictions the suite will judge.
type Gold struct {
	Item string // dataset/split/id
	SQL  string
}

// Options of Build. The zero value takes the defaults.
type Options struct {
	Seed         uint64
	MaxDatabases int // neighbours kept; 0 means 8
	Tries        int // neighbours made to choose from; 0 means 160
	MaxRows      int // rows of a table of a neighbour; 0 means 120
	MaxBytes     int // size of a neighbour's file; 0 means 1 MiB
	Workers      int // 0 means 2; the outcome does not depend on it
	// Equalities are the ways in which metrics compare results. The suite kills mutants under each of them. None means
	// testSuite and keepDistinct.
	Equalities []Equality
	Progress   func(done, all int) // called after each try, by one goroutine at a time; may be nil
}

func (o Options) withDefaults() Options {
	for _, d := range []struct {
		field *int
		value int
	}{{&o.MaxDatabases, 8}, {&o.Tries, 160}, {&o.MaxRows, 120}, {&o.MaxBytes, 1 << 20}, {&o.Workers, 2}} {
		if *d.field <= 0 {
			*d.field = d.value
		}
	}
	if len(o.Equalities) == 0 {
		o.Equalities = []Equality{testSuite(), keepDistinct()}
	}
	if o.Progress == nil {
		o.Progress = func(int, int) {}
	}
	return o
}

// Build makes the suite of a SQLite database for the gold queries asked of it. It writes <outDir>/<db>/<db>.sqlite, a
// copy of the original, <db>_fuzz_01.sqlite and so on, and manifest.json; <db> is the name of the file without its
// extension. Where the manifest there is of the same inputs and all files are as it says, Build only reads it. A Build
// that was stopped leaves no manifest, and the next starts anew.
//
// The same seed, gold queries and original give the same files, byte for byte, under one version of SQLite; the one
// exception is a mutant that takes about as long as its deadline of two seconds.
func Build(ctx context.Context, o Options, original engine.DB, queries []Gold, outDir string) (Report, error) {
	o = o.withDefaults()
	db := strings.TrimSuffix(original.Label(), filepath.Ext(original.Source))
	fail := func(err error) (Report, error) { return Report{}, fmt.Errorf("suite: build %q: %w", db, err) }
	if now, err := original.Engine.Stamp(original.Source); err != nil {
		return fail(err)
	} else if now.Pending {
		return fail(errors.New("a log or a journal lies beside it with changes that a copy would not have: open it once with a program that may write"))
	}
	source, err := input.Open(original.Source, input.Database)
	if err != nil {
		return fail(input.Cause(err))
	}
	defer source.Close()
	dir := filepath.Join(outDir, db)
	inputs, err := fingerprint(o, source.Until(ctx), queries)
	if err != nil {
		return fail(err)
	}
	if r, ok := stored(ctx, dir, inputs); ok {
		return r, nil
	}
	if err := emptyDir(dir, db); err != nil {
		return fail(err)
	}
	b := &builder{Options: o, db: db, original: original, dir: dir}
	defer b.close()
	r, files, err := b.build(ctx, queries)
	if err != nil {
		return fail(err)
	}
	if err := store(ctx, dir, db, inputs, original.Source, files, &r); err != nil {
		return fail(err)
	}
	return r, nil
}

// emptyDir makes the folder, and takes away what an earlier Build left in it.
func emptyDir(dir, db string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	old, err := input.Glob(dir, "*")
	if err != nil {
		return err
	}
	for _, path := range old {
		name := filepath.Base(path)
		if name == manifestName || name == db+".sqlite" || strings.HasPrefix(name, db+"_fuzz_") {
			if err := os.Remove(path); err != nil {
				return err
			}
		}
	}
	return nil
}
