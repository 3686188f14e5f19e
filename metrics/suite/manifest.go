package suite

import (
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
func fingerprint(o Options, source []byte, queries []Gold) string {
	h := sha256.New()
	fmt.Fprintf(h, "%d sqlite=%s seed=%d databases=%d tries=%d rows=%d bytes=%d\n", version, sqlite.Version(), o.Seed, o.MaxDatabases,
		o.Tries, o.MaxRows, o.MaxBytes)
	for _, e := range o.Equalities {
		fmt.Fprintf(h, "%q\n", e.ID)
	}
	for _, g := range queries {
		fmt.Fprintf(h, "%q %q\n", g.Item, g.SQL)
	}
	h.Write(source)
	return hex.EncodeToString(h.Sum(nil))
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// stored returns the report of a suite that is there and whole.
func stored(dir, inputs string) (Report, bool) {
	data, err := input.Read(filepath.Join(dir, manifestName), input.Suite)
	var m manifest
	if err != nil || json.Unmarshal(data, &m) != nil || m.Inputs != inputs {
		return Report{}, false
	}
	for _, f := range m.Report.Databases {
		data, err := input.Read(filepath.Join(dir, filepath.Base(f.Name)), input.SuiteDatabase)
		if err != nil || digest(data) != f.SHA256 {
			return Report{}, false
		}
	}
	return m.Report, true
}

// store writes the databases, and then the manifest.
func store(dir, db, inputs string, source []byte, neighbours [][]byte, r *Report) error {
	for i, data := range append([][]byte{source}, neighbours...) {
		f := &r.Databases[i]
		f.Name = db + ".sqlite"
		if i > 0 {
			f.Name = fmt.Sprintf("%s_fuzz_%02d.sqlite", db, i)
		}
		f.SHA256, f.Bytes = digest(data), len(data)
		if err := output.File(filepath.Join(dir, f.Name), func(w io.Writer) error { _, err := w.Write(data); return err }); err != nil {
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
