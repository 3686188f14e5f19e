package dataset

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"assay/configs"
	"assay/configs/input"
	"assay/prompting/exemplar"
	"assay/prompting/sql/sqlite"
)

//go:embed sample
var sample embed.FS

// sampleKind is the dataset that comes with the program.
var sampleKind = kind{
	Kind:      configs.Kind{Choice: configs.Choice{ID: "sample", Shows: "the embedded sample dataset: needs no files"}, Embedded: true, Judges: spiderJudges},
	questions: sampleQuestions, open: openSample, shipped: exemplar.OfSample,
}

// sampleQuestions reads the embedded questions, database by database in the order of their names.
func sampleQuestions(l *loader) ([]item, error) {
	if l.cfg.Split != "" && l.cfg.Split != "dev" {
		return nil, fmt.Errorf("the sample has one split, dev: there is no %q", l.cfg.Split)
	}
	files, err := fs.Glob(sample, "sample/questions/*.json")
	if err != nil {
		return nil, err
	}
	var out []item
	for _, f := range files {
		b, err := sample.ReadFile(f)
		if err != nil {
			return nil, err
		}
		items, bad, err := parseQuestions(b, form{id: []string{"id"}, question: []string{"question"}, gold: []string{"query"}})
		if err != nil {
			return nil, fmt.Errorf("read %q: %w", f, err)
		}
		if len(bad) > 0 {
			return nil, fmt.Errorf("read %q: %s: %s", f, bad[0].Item, bad[0].Text)
		}
		out = append(out, items...)
	}
	return out, nil
}

func openSample(l *loader) error {
	l.bases.find = l.sampleFile
	l.bases.hashOf = l.sampleHash
	return nil
}

func sampleScript(db string) ([]byte, error) {
	return sample.ReadFile("sample/databases/" + db + ".sql")
}

func digest(b []byte) string { sum := sha256.Sum256(b); return hex.EncodeToString(sum[:]) }

// sampleFile is the built database of an embedded script; "" where there is no such script.
//
// It lies at <cache>/sample/<db>-<hash>/<db>.sqlite, where the hash is of the script and the suite, and the neighbours of
// its suite are next to it. A file next to the database holds the database's hash; the hashes of the neighbours are embedded.
// When a file differs from its hash, or is missing, or another database is there, all is built again. Building happens
// in another folder that is then renamed, so that another process sees a whole folder or none.
func (l *loader) sampleFile(db string) (string, error) {
	script, err := sampleScript(db)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	suites, err := suiteArchive()
	if err != nil {
		return "", err
	}
	s := &sampleBase{db: db, script: string(script), suites: suites}
	s.dir = filepath.Join(l.cache, "sample", db+"-"+s.hash()[:12])
	if s.sound() {
		return s.path(s.dir), nil
	}
	if err := s.build(l.ctx); err != nil {
		return "", fmt.Errorf("build the sample database %q in %q: %w", db, l.cache, err)
	}
	if !s.sound() {
		return "", fmt.Errorf("build the sample database %q in %q: it does not stay as written", db, l.cache)
	}
	return s.path(s.dir), nil
}

// sampleBase is a database of the sample, and the folder it belongs in.
type sampleBase struct {
	db, script, dir string
	suites          *openedSuites
}

func (s *sampleBase) path(dir string) string { return filepath.Join(dir, s.db+".sqlite") }

// hash is of the script and, where there is a suite, of its files.
func (s *sampleBase) hash() string {
	all := s.script
	for _, n := range s.suites.of(s.db) {
		all += "\n" + n.Name + " " + n.SHA256
	}
	return digest([]byte(all))
}

// sound reports whether the built database and its neighbours are what they were when they were written.
func (s *sampleBase) sound() bool {
	want, err := input.Read(s.path(s.dir)+".sha256", input.Own)
	if err != nil {
		return false
	}
	files := append([]neighbour{{s.db + ".sqlite", string(want)}}, s.suites.of(s.db)...)
	there, err := input.Glob(s.dir, "*.sqlite")
	if err != nil || len(there) != len(files) {
		return false
	}
	for _, f := range files {
		if got, err := readHash(context.Background(), filepath.Join(s.dir, f.Name)); err != nil || got != f.SHA256 {
			return false
		}
	}
	return true
}

// build makes the folder with the database and its suite in it, in place of a damaged one where there is one.
func (s *sampleBase) build(ctx context.Context) error {
	parent := filepath.Dir(s.dir)
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp(parent, ".build-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	part := filepath.Join(tmp, "new")
	if err := s.write(ctx, part); err != nil {
		return err
	}
	if err := os.Rename(part, s.dir); err == nil || s.sound() { // another process may have been faster
		return nil
	}
	if err := os.Rename(s.dir, filepath.Join(tmp, "damaged")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.Rename(part, s.dir); err != nil && !s.sound() {
		return err
	}
	return nil
}

// write makes a folder with the database, its hash and its suite.
func (s *sampleBase) write(ctx context.Context, dir string) error {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	path := s.path(dir)
	if err := sqlite.Create(ctx, path, s.script); err != nil {
		return err
	}
	hash, err := readHash(ctx, path)
	if err != nil {
		return err
	}
	if err := os.WriteFile(path+".sha256", []byte(hash), 0o644); err != nil {
		return err
	}
	return s.suites.unpack(s.db, dir)
}
