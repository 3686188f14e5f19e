package predictions

import (
	"fmt"

	"assay/configs"
	"assay/experiments/catalog"
	"assay/experiments/record"
)

// Experiment returns the experiment in which predictions are scored: the dataset and metrics of the settings, and one arm of
// the given name without a model.
func Experiment(name string, o configs.Options) (configs.Experiment, error) {
	text := fmt.Sprintf(`name = %[1]q
shows = "Predictions of others, scored."
[dataset]
kind = "sample"
[model]
provider = %[2]q
name = %[1]q
[[arm]]
name = %[1]q
method = %[2]q
`, name, configs.Imported)
	return configs.ParseWith("assay", []byte(text), catalog.Known, o)
}

// Again returns the experiment of an imported run, under the given name and with the options applied over it.
func Again(r *record.Run, name string, o configs.Options) (configs.Experiment, error) {
	text, err := r.Resolved.TOML()
	if err != nil {
		return configs.Experiment{}, fmt.Errorf("predictions: score %q again: %w", r.Dir, err)
	}
	e, err := configs.ParseWith("assay", text, r.Resolved.Known, o)
	if err != nil {
		return e, err
	}
	e.Name, e.Model.Name = name, name
	arm := &e.Arms[0]
	arm.Name, arm.Label, arm.Model.Name = name, name, name
	return e, nil
}
