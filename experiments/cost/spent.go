package cost

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/BurntSushi/toml"
)

// SpentFile is the file of a run's folder that shows what its calls took, over every time the run was started: dollars,
// tokens and calls, and the seconds of those starts that made calls. What the ledger answered is not in it. A budget
// rests on the ledger's completions, of which it is the sum.
const SpentFile = "spent.toml"

// spentFile is its layout.
type spentFile struct {
	Charge
	Seconds float64 `toml:"seconds"`
}

// ReadSpent reads what a run took so far; a folder without the file took nothing.
func ReadSpent(dir string) (Charge, error) {
	s, err := readSpent(dir)
	return s.Charge, err
}

// ReadSeconds reads how long the starts of a run took that made calls, by the clock; 0 where that is not known.
func ReadSeconds(dir string) (float64, error) {
	s, err := readSpent(dir)
	return s.Seconds, err
}

func readSpent(dir string) (c spentFile, err error) {
	path := filepath.Join(dir, SpentFile)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return spentFile{}, nil
	}
	if err == nil {
		err = toml.Unmarshal(text, &c)
	}
	if err != nil {
		return spentFile{}, fmt.Errorf("cost: read %q: %w", path, err)
	}
	return c, nil
}

// WriteSpent writes what a run took so far, whole or not at all.
func WriteSpent(dir string, c Charge, seconds float64) error {
	if err := writeSpent(filepath.Join(dir, SpentFile), spentFile{c, seconds}); err != nil {
		return fmt.Errorf("cost: write %q: %w", filepath.Join(dir, SpentFile), err)
	}
	return nil
}

func writeSpent(path string, c spentFile) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	var b bytes.Buffer
	if err := toml.NewEncoder(&b).Encode(c); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+SpentFile+".*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(b.Bytes())
	if err := errors.Join(err, f.Chmod(0o644), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
