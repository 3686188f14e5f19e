package dataset

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// suiteFile holds the neighbours of the sample's evaluation databases, <db>/<db>_fuzz_01.sqlite and so on as metrics/suite
// makes them, the manifest.json of each, and suiteIndex. The originals are not in it: they are built from their scripts.
const suiteFile = "sample/suite.zip"

// suiteIndex is the file in the archive that says what each suite was made from.
const suiteIndex = "index.json"

// sampleSuites is the index: what the sample's test suites are, and what they were made of.
type sampleSuites struct {
	SQLite    string       // version that wrote the files
	Databases []suiteEntry // in the order of their names
}

// suiteEntry is the suite of one database.
type suiteEntry struct {
	DB         string
	Script     string      // SHA-256 of the script that builds the original
	Golds      string      // goldHash
	Neighbours []neighbour // in the order of their names
}

// neighbour is a file of a suite.
type neighbour struct{ Name, SHA256 string }

// suiteArchive is the opened archive and its index.
var suiteArchive = sync.OnceValues(func() (*openedSuites, error) {
	b, err := sample.ReadFile(suiteFile)
	if err != nil {
		return nil, err
	}
	z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return nil, fmt.Errorf("read %q: %w", suiteFile, err)
	}
	out := &openedSuites{zip: z}
	index, err := out.read(suiteIndex)
	if err == nil {
		err = json.Unmarshal(index, &out.sampleSuites)
	}
	if err != nil {
		return nil, fmt.Errorf("read %q: %w", suiteFile, err)
	}
	return out, nil
})

type openedSuites struct {
	sampleSuites
	zip *zip.Reader
}

func (s *openedSuites) read(name string) ([]byte, error) {
	f, err := s.zip.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// of lists the neighbours of a database; none for a database of demonstrations.
func (s *openedSuites) of(db string) []neighbour {
	for _, d := range s.Databases {
		if d.DB == db {
			return d.Neighbours
		}
	}
	return nil
}

// unpack writes the neighbours of a database to a folder.
func (s *openedSuites) unpack(db, dir string) error {
	for _, n := range s.of(db) {
		b, err := s.read(db + "/" + n.Name)
		if err != nil {
			return fmt.Errorf("unpack %q: %w", n.Name, err)
		}
		if err := os.WriteFile(filepath.Join(dir, n.Name), b, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// sampleHash is the hash of a database of the sample or of its suite. An original has its script's hash, which does
// not depend on the version of SQLite that built the file.
func (l *loader) sampleHash(path string) (string, error) {
	script, err := sampleScript(strings.TrimSuffix(filepath.Base(path), ".sqlite"))
	if errors.Is(err, fs.ErrNotExist) {
		return fileHash(l.ctx, l.cache, path)
	}
	return digest(script), err
}
