package configs

import "os"

// Parse reads an experiment from text: a resolved one that a run folder holds. The name stands in errors; relative
// paths, which a resolved experiment has none of, are taken from the working directory. What is refused since it ran is
// read all the same.
func Parse(name string, text []byte, known Known) (Experiment, error) {
	return parseText(&source{name: name, text: string(text), ran: true}, known, Options{})
}

// ParseWith reads an experiment that has not run from text, with settings applied over it.
func ParseWith(name string, text []byte, known Known, o Options) (Experiment, error) {
	return parseText(&source{name: name, text: string(text)}, known, o)
}

func parseText(s *source, known Known, o Options) (e Experiment, err error) {
	if s.dir, err = os.Getwd(); err != nil {
		return e, err
	}
	return s.load(s.name, known, o)
}
