package cost

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"assay/configs/input"
	"assay/configs/output"

	"github.com/BurntSushi/toml"
)

// SpentFile is the file of a run's folder that shows what its calls cost, over every time the run was started: dollars,
// tokens and calls, and the seconds of those starts that made calls. Completions from the ledger are not included. The
// file only informs: a budget is checked against the ledger, of whose completions it is the sum.
const SpentFile = "spent.toml"

// spentFile is the layout of SpentFile.
type spentFile struct {
	Charge
	Seconds float64 `toml:"seconds"`
}

// ReadSpent returns what a run cost so far; nothing if the folder lacks the file.
func ReadSpent(dir string) (Charge, error) {
	s, err := readSpent(dir)
	return s.Charge, err
}

// ReadSeconds returns the wall-clock time of those starts of a run that made calls, in seconds; 0 if unknown.
func ReadSeconds(dir string) (float64, error) {
	s, err := readSpent(dir)
	return s.Seconds, err
}

// readSpent reads the whole file; a missing one is empty.
func readSpent(dir string) (c spentFile, err error) {
	path := filepath.Join(dir, SpentFile)
	text, err := input.Text(path, input.Own)
	if errors.Is(err, fs.ErrNotExist) {
		return spentFile{}, nil
	}
	if err == nil {
		err = input.TOML(string(text))
	}
	if err == nil {
		err = toml.Unmarshal(text, &c)
	}
	if err != nil {
		return spentFile{}, fmt.Errorf("cost: read %q: %w", path, input.Cause(err))
	}
	return c, nil
}

// WriteSpent writes what a run cost so far. It replaces the file as a whole, so that no reader sees half of it.
func WriteSpent(dir string, c Charge, seconds float64) error {
	if err := writeSpent(filepath.Join(dir, SpentFile), spentFile{c, seconds}); err != nil {
		return fmt.Errorf("cost: write %q: %w", filepath.Join(dir, SpentFile), err)
	}
	return nil
}

// writeSpent writes the file at path.
func writeSpent(path string, c spentFile) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return output.File(path, func(w io.Writer) error { return toml.NewEncoder(w).Encode(c) })
}
