package suite

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"

	"assay/configs/input"
	"assay/configs/output"
	"assay/prompting/sql/sqlite"
)

// manifestName has no ".sqlite" in it: evaluators of the field take every file that has for a database.
const manifestName = "manifest.json"

// version is raised whenever the same inputs give another suite.
const version = 1

// manifest describes the files of a suite's folder.
type manifest struct {
	Inputs string `json:"inputs"` // fingerprint
	Report Report `json:"report"`
}

// fingerprint returns a hash of all that a suite depends on.
func fingerprint(o Options, source io.Reader, queries []Gold) (string, error) {
	h := sha256.New()
	fmt.Fprintf(h, "%d sqlite=%s seed=%d databases=%d tries=%d rows=%d bytes=%d\n", version, sqlite.Version(), o.Seed, o.MaxDatabases,
		o.Tries, o.MaxRows, o.MaxBytes)
	for _, e := range o.Equalities {
		fmt.Fprintf(h, "%q\n", e.ID)
	}
	for _, g := range queries {
		fmt.Fprintf(h, "%q %q\n", g.Item, g.SQL)
	}
	_, err := io.Copy(h, source)
	return hex.EncodeToString(h.Sum(nil)), err
}

// digest returns the SHA-256 of a file, in hex, and its length in bytes.
func digest(ctx context.Context, path string) (string, int, error) {
	f, err := input.Open(path, input.Database)
	if err != nil {
		return "", 0, err
	}
	defer f.Close()
	h := sha256.New()
	n, err := io.Copy(h, f.Until(ctx))
	return hex.EncodeToString(h.Sum(nil)), int(n), err
}

// stored returns the report of a suite that is there and whole.
func stored(ctx context.Context, dir, inputs string) (Report, bool) {
	data, err := input.Read(filepath.Join(dir, manifestName), input.Suite)
	var m manifest
	if err != nil || json.Unmarshal(data, &m) != nil || m.Inputs != inputs {
		return Report{}, false
	}
	for _, f := range m.Report.Databases {
		if sum, _, err := digest(ctx, filepath.Join(dir, filepath.Base(f.Name))); err != nil || sum != f.SHA256 {
			return Report{}, false
		}
	}
	return m.Report, true
}

// store writes the databases, of which the original is a file and may be large, and then the manifest.
func store(ctx context.Context, dir, db, inputs, original string, neighbours [][]byte, r *Report) error {
	for i := range r.Databases {
		f := &r.Databases[i]
		write := func(w io.Writer) error {
			source, err := input.Open(original, input.Database)
			if err != nil {
				return err
			}
			defer source.Close()
			_, err = io.Copy(w, source.Until(ctx))
			return err
		}
		f.Name = db + ".sqlite"
		if i > 0 {
			f.Name = fmt.Sprintf("%s_fuzz_%02d.sqlite", db, i)
			write = func(w io.Writer) error { _, err := w.Write(neighbours[i-1]); return err }
		}
		path := filepath.Join(dir, f.Name)
		err := output.File(path, write)
		if err == nil {
			f.SHA256, f.Bytes, err = digest(ctx, path)
		}
		if err != nil {
			return err
		}
	}
	return output.File(filepath.Join(dir, manifestName), func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetEscapeHTML(false)
		e.SetIndent("", " ")
		return e.Encode(manifest{Inputs: inputs, Report: *r})
	})
}
