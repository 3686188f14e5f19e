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

// SpentFile is the file of a run's folder that holds what its calls took, over every time the run was started: dollars,
// tokens and calls. What the ledger answered is not in it.
const SpentFile = "spent.toml"

// ReadSpent reads what a run took so far; a folder without the file took nothing.
func ReadSpent(dir string) (c Charge, err error) {
	path := filepath.Join(dir, SpentFile)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Charge{}, nil
	}
	if err == nil {
		err = toml.Unmarshal(text, &c)
	}
	if err != nil {
		return Charge{}, fmt.Errorf("cost: read %q: %w", path, err)
	}
	return c, nil
}

// WriteSpent writes what a run took so far, whole or not at all.
func WriteSpent(dir string, c Charge) error {
	if err := writeSpent(filepath.Join(dir, SpentFile), c); err != nil {
		return fmt.Errorf("cost: write %q: %w", filepath.Join(dir, SpentFile), err)
	}
	return nil
}

func writeSpent(path string, c Charge) error {
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
