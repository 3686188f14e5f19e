// Package starter holds the method that a person begins with: a folder of two stages, and an experiment that compares it.
//
// [Write] puts both where the person says, under the name of the folder. The files are embedded as they are read on the
// page; Write changes nothing in them but the name. It must never write over a file.
package starter

import (
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"assay/configs/output"
)

//go:embed method experiment.toml
var embedded embed.FS

// The places of the embedded files, and the word in them that stands for the method's name.
const (
	folder     = "method"
	experiment = "experiment.toml"
	named      = "NAME"
)

// nameForm is what a name may be, since the experiment, its arm and its run are called so too.
var nameForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,79}$`)

// Write writes the method into dir, which must not be there or be empty, and the experiment beside it, as dir.toml. It
// returns the paths of the files, the experiment's last.
func Write(dir string) (files []string, err error) {
	dir = filepath.Clean(dir)
	if files, err = write(dir, filepath.Base(dir)); err != nil {
		return nil, fmt.Errorf("starter: write %q: %w", dir, err)
	}
	return files, nil
}

func write(dir, name string) (files []string, err error) {
	toml := dir + ".toml"
	if !nameForm.MatchString(name) {
		return nil, fmt.Errorf("%q may hold letters, digits, - and _ only, since the experiment is named so, too", name)
	}
	if err := free(dir, toml); err != nil {
		return nil, err
	}
	put := func(from, to string) error {
		b, err := embedded.ReadFile(from)
		if err != nil {
			return err
		}
		files = append(files, to)
		return output.File(to, func(w io.Writer) error {
			_, err := io.WriteString(w, strings.ReplaceAll(string(b), named, name))
			return err
		})
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	entries, err := embedded.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if err := put(path.Join(folder, e.Name()), filepath.Join(dir, e.Name())); err != nil {
			return nil, err
		}
	}
	return files, put(experiment, toml)
}

// free reports what is in the way of the files.
func free(dir, toml string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case err == nil && len(entries) > 0:
		return errors.New("the folder is there, and not empty: name another")
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if _, err := os.Lstat(toml); err == nil {
		return fmt.Errorf("%s is there already: name another folder", toml)
	}
	return nil
}
