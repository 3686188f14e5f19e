package configs

import "os"

// Parse reads the resolved experiment of a stored run from text; errors print the name. It skips checks that were added after
// such a run could have been made: old runs stay readable.
func Parse(name string, text []byte, known Known) (Experiment, error) {
	return parseText(&source{name: name, text: string(text), ran: true}, known, Options{})
}

// ParseWith reads a new experiment from text, with settings applied over it. Relative paths are relative to the working
// directory.
func ParseWith(name string, text []byte, known Known, o Options) (Experiment, error) {
	return parseText(&source{name: name, text: string(text)}, known, o)
}

func parseText(s *source, known Known, o Options) (e Experiment, err error) {
	if s.dir, err = os.Getwd(); err != nil {
		return e, err
	}
	return s.load(s.name, known, o)
}
