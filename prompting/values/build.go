package values

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"assay/prompting/sql/engine"
	"assay/prompting/sql/schema"
)

// format is part of an index's identity: a change of what is filed, or how, must raise it.
const format = 1

// identity identifies the database and the options of an index.
type identity struct {
	Name     string `json:"name"`     // of the database, in the file's name only for people
	Database string `json:"database"` // engine.Describer.Digest
	Options  string `json:"options"`  // what decides the content, in words
}

func identify(ctx context.Context, db engine.DB, o Options) (id identity, err error) {
	id.Name = strings.TrimSuffix(db.Label(), filepath.Ext(db.Label()))
	id.Options = fmt.Sprintf("format %d, columns %s, min text %g, min words %g, max length %d, gram %d, permutations %d, case sensitive %t",
		format, o.Columns, o.MinText, o.MinWords, o.MaxLength, o.Gram, o.Permutations, o.CaseSensitive)
	id.Database, err = db.Engine.Digest(ctx, db.Source)
	return id, err
}

// fileName returns the database's name, cut to what any file system takes, and the two hashes.
func (id identity) fileName() string {
	name := strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
			return r
		}
		return '_'
	}, id.Name)
	opts := sha256.Sum256([]byte(id.Options))
	return fmt.Sprintf("%s-%s-%s.values", name[:min(len(name), 60)], id.Database[:16], hex.EncodeToString(opts[:4]))
}

// builder holds one building. What grows with the database is in temporary files.
type builder struct {
	o       Options
	c       engine.Cells
	h       hasher
	w       *writer
	starts  *spool
	sizes   *spool
	grams   *sorter // gram << 32 | number
	exact   *sorter // hash of the normal form << 32 | number
	scratch []uint32
	textLen uint64
	state   Progress
}

// build writes the index file of a database under a temporary name and renames it.
func build(ctx context.Context, db engine.DB, path string, id identity, o Options) (err error) {
	c, err := db.Engine.Cells(db.Source)
	if err != nil {
		return err
	}
	defer c.Close()
	tmp, err := os.CreateTemp(filepath.Dir(path), ".values-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	defer tmp.Close()
	b := &builder{o: o, c: c, h: newHasher(o), w: newWriter(tmp)}
	b.w.foot.Identity = id
	defer b.close()
	if err := b.open(filepath.Dir(path)); err != nil {
		return err
	}
	if err := b.write(ctx, db); err != nil {
		return err
	}
	if err := tmp.Sync(); err != nil {
		return err
	}
	if err := tmp.Close(); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}

func (b *builder) open(dir string) (err error) {
	if b.starts, err = newSpool(dir); err != nil {
		return err
	}
	if b.sizes, err = newSpool(dir); err != nil {
		return err
	}
	if b.grams, err = newSorter(dir, b.o.Buffer*3/4); err != nil {
		return err
	}
	b.exact, err = newSorter(dir, b.o.Buffer/4)
	return err
}

func (b *builder) close() {
	for _, s := range []*spool{b.starts, b.sizes} {
		if s != nil {
			s.close()
		}
	}
	for _, s := range []*sorter{b.grams, b.exact} {
		if s != nil {
			s.close()
		}
	}
}

// write writes the whole file.
func (b *builder) write(ctx context.Context, from engine.DB) error {
	db, err := describe(ctx, from)
	if err != nil {
		return err
	}
	columns, err := choose(ctx, b.c, db, b.o)
	if err != nil {
		return err
	}
	if _, err := b.w.Write([]byte(magic)); err != nil {
		return err
	}
	b.state.Total = len(columns)
	if err := b.w.section("texts", func() error { return b.readAll(ctx, columns) }); err != nil {
		return err
	}
	if err := b.starts.number(b.textLen, 8); err != nil {
		return err
	}
	for _, s := range []struct {
		name string
		f    func() error
	}{
		{"starts", func() error { return b.starts.copy(b.w) }},
		{"sizes", func() error { return b.sizes.copy(b.w) }},
		{"exact", func() error { return b.writeExact(ctx) }},
	} {
		if err := b.w.section(s.name, s.f); err != nil {
			return err
		}
	}
	if err := b.writeGrams(ctx); err != nil {
		return err
	}
	b.w.foot.Values = b.state.Values
	return b.w.finish()
}

// describe reads the tables and their columns; a database without tables has none.
func describe(ctx context.Context, db engine.DB) (*schema.Database, error) {
	d, err := db.Engine.Describe(ctx, db.Source, engine.Detail{Rows: -1, Values: -1, Scan: 1})
	if errors.Is(err, engine.ErrNoTables) {
		return &schema.Database{}, nil
	}
	return d, err
}

// readAll reads the columns one after another and writes their distinct texts.
func (b *builder) readAll(ctx context.Context, columns []schema.ColumnName) error {
	for i, col := range columns {
		b.w.foot.Columns = append(b.w.foot.Columns, fileColumn{col, b.state.Values})
		b.state.ColumnName, b.state.Done = col, i
		b.report()
		if err := b.read(ctx, col); err != nil {
			return fmt.Errorf("column %q of table %q: %w", col.Column, col.Table, err)
		}
	}
	b.state.ColumnName, b.state.Done = schema.ColumnName{}, len(columns)
	b.report()
	return nil
}

// reportEvery is the number of values between two reports.
const reportEvery = 1 << 16

func (b *builder) report() {
	if b.o.Progress != nil {
		b.o.Progress(b.state)
	}
}

// read reads one column. 64-bit hashes distinguish values: among ten million, the chance that any is lost is
// three in a million.
func (b *builder) read(ctx context.Context, col schema.ColumnName) error {
	var seen hashSet
	return b.c.Texts(ctx, col.Table, col.Column, b.o.MaxLength*utf8.UTFMax, func(s string) error {
		if !seen.add(textHash(s)) || utf8.RuneCountInString(s) > b.o.MaxLength {
			return nil
		}
		return b.value(s)
	})
}

// value files one value under the next number. A value of blanks alone is none.
func (b *builder) value(s string) error {
	grams := b.h.grams(b.scratch[:0], b.h.text(s))
	b.scratch = grams
	if len(grams) == 0 || strings.TrimSpace(s) == "" {
		return nil
	}
	if b.state.Values == math.MaxUint32 {
		return fmt.Errorf("more than %d values", b.state.Values)
	}
	id := uint64(b.state.Values)
	b.state.Values++
	if b.state.Values%reportEvery == 0 {
		b.report()
	}
	grams = b.h.winners(grams)
	for _, g := range grams {
		if err := b.grams.add(uint64(g)<<32 | id); err != nil {
			return err
		}
	}
	if err := b.exact.add(uint64(exactKey(normal(s)))<<32 | id); err != nil {
		return err
	}
	if err := b.starts.number(b.textLen, 8); err != nil {
		return err
	}
	if err := b.sizes.number(uint64(len(grams)), 1); err != nil {
		return err
	}
	b.textLen += uint64(len(s))
	_, err := io.WriteString(b.w, s)
	return err
}

func (b *builder) writeExact(ctx context.Context) error {
	var out [8]byte
	return b.exact.each(ctx, func(v uint64) error {
		binary.LittleEndian.PutUint64(out[:], v)
		_, err := b.w.Write(out[:])
		return err
	})
}

// writeGrams writes the postings, and collects what the section of grams says of them.
func (b *builder) writeGrams(ctx context.Context) error {
	dir, err := newSpool(filepath.Dir(b.grams.tmp.Name()))
	if err != nil {
		return err
	}
	defer dir.close()
	err = b.w.section("postings", func() error { return b.writePostings(ctx, dir) })
	if err != nil {
		return err
	}
	return b.w.section("grams", func() error { return dir.copy(b.w) })
}

func (b *builder) writePostings(ctx context.Context, dir *spool) error {
	var out [binary.MaxVarintLen64]byte
	begin := b.w.at
	gram, count, start, last := uint64(0), uint64(0), begin, uint64(0)
	end := func() error {
		if count == 0 {
			return nil
		}
		if err := dir.number(gram|count<<32, 8); err != nil {
			return err
		}
		return dir.number(uint64(start-begin), 8)
	}
	err := b.grams.each(ctx, func(v uint64) error {
		if g := v >> 32; count == 0 || g != gram {
			if err := end(); err != nil {
				return err
			}
			gram, count, start, last = g, 0, b.w.at, 0
		}
		id := v & math.MaxUint32
		n := binary.PutUvarint(out[:], id-last)
		last = id
		count++
		_, err := b.w.Write(out[:n])
		return err
	})
	if err != nil {
		return err
	}
	return end()
}

// spool is a temporary file that is written once and copied once.
type spool struct {
	f *os.File
	w *bufio.Writer
}

func newSpool(dir string) (*spool, error) {
	f, err := os.CreateTemp(dir, ".spool-*")
	if err != nil {
		return nil, err
	}
	return &spool{f, bufio.NewWriterSize(f, 1<<18)}, nil
}

// number writes the low bytes of v, the lowest first.
func (s *spool) number(v uint64, bytes int) error {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], v)
	_, err := s.w.Write(b[:bytes])
	return err
}

func (s *spool) copy(w io.Writer) error {
	if err := s.w.Flush(); err != nil {
		return err
	}
	if _, err := s.f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	_, err := io.CopyBuffer(struct{ io.Writer }{w}, struct{ io.Reader }{s.f}, make([]byte, 1<<18))
	return err
}

func (s *spool) close() {
	s.f.Close()
	os.Remove(s.f.Name())
}
