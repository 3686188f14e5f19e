package configs

import "os"

// Parse reads an experiment from text: a resolved one that a run folder holds. The name stands in errors; relative
// paths, which a resolved experiment has none of, are taken from the working directory.
func Parse(name string, text []byte) (Experiment, error) { return ParseWith(name, text, Options{}) }

// ParseWith is Parse with settings applied over the text.
func ParseWith(name string, text []byte, o Options) (Experiment, error) {
	dir, err := os.Getwd()
	if err != nil {
		return Experiment{}, err
	}
	return (&source{name: name, dir: dir, text: string(text)}).load(name, o)
}
