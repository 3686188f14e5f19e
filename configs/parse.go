package configs

import "os"

// Parse reads an experiment from text: a resolved one that a run folder holds. The name stands in errors; relative
// paths, which a resolved experiment has none of, are taken from the working directory. What is refused since it ran is
// read all the same.
func Parse(name string, text []byte) (Experiment, error) {
	return parseText(&source{name: name, text: string(text), ran: true}, Options{})
}

// ParseWith reads an experiment that has not run from text, with settings applied over it.
func ParseWith(name string, text []byte, o Options) (Experiment, error) {
	return parseText(&source{name: name, text: string(text)}, o)
}

func parseText(s *source, o Options) (e Experiment, err error) {
	if s.dir, err = os.Getwd(); err != nil {
		return e, err
	}
	return s.load(s.name, o)
}
