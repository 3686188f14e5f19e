package configs

import (
	"os"
	"path/filepath"
)

// Parse reads the resolved experiment of a stored run from text; errors print the name. Relative paths are relative to the
// name's folder. It skips checks that were added after such a run could have been made, and those of folders and files: old
// runs stay readable, and so do runs whose copies are damaged. Methods that cannot be read have no traits.
func Parse(name string, text []byte, known Known) (Experiment, error) {
	return parseBeside(&source{name: name, text: string(text), ran: true}, known, Options{})
}

// ParseAgain reads the resolved experiment of a stored run to run it again, with settings applied over it and every check of a
// new experiment. Relative paths in the text are relative to the name's folder. A setting of an inherited table is refused,
// because the stored arms state all that they inherited.
func ParseAgain(name string, text []byte, known Known, o Options) (Experiment, error) {
	return parseBeside(&source{name: name, text: string(text), again: true}, known, o)
}

func parseBeside(s *source, known Known, o Options) (e Experiment, err error) {
	if s.dir, err = filepath.Abs(filepath.Dir(s.name)); err != nil {
		return e, err
	}
	return s.load(s.name, known, o)
}

// ParseWith reads a new experiment of imported predictions from text, with settings applied over it. Relative paths are relative
// to the working directory.
func ParseWith(name string, text []byte, known Known, o Options) (Experiment, error) {
	dir, err := os.Getwd()
	if err != nil {
		return Experiment{}, err
	}
	s := &source{name: name, dir: dir, text: string(text), imports: true}
	return s.load(name, known, o)
}
