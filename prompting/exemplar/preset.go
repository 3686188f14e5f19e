package exemplar

import (
	"fmt"
	"strings"

	"assay/configs"
)

// Levels are the hardness levels, easiest first.
var Levels = configs.Levels.IDs()

// Preset is a named choice of strategy and levels. What it shows is printed with every result that used it. The paper's own
// text for G1 to G3 is not public, so these are assay's interpretation, and readers must be able to see that.
type Preset struct {
	configs.Choice
	Strategy string
	Levels   []string
}

// ofTai ends what each preset shows.
const ofTai = ", drawn at random by the run's seed; assay's reading of Tai et al. (2023), whose definition is not public"

// Presets lists all presets.
var Presets = []Preset{
	{configs.Choice{ID: "G1", Shows: "equal numbers of each hardness level (easy, medium, hard, extra)" + ofTai}, balanced, Levels},
	{configs.Choice{ID: "G2", Shows: "hard and extra-hard in equal numbers" + ofTai}, balanced, Levels[2:]},
	{configs.Choice{ID: "G3", Shows: "extra-hard alone" + ofTai}, leveled, Levels[3:]},
}

// settings returns cfg with defaults for what it leaves open: a preset's strategy and levels, the strategy "random",
// and all levels for hardness-balanced.
func settings(cfg configs.Exemplars) (configs.Exemplars, error) {
	if cfg.Preset != "" {
		p, err := preset(cfg.Preset)
		if err != nil {
			return cfg, err
		}
		cfg.Strategy, cfg.Levels = p.Strategy, p.Levels
	}
	if cfg.Strategy == "" {
		cfg.Strategy = atRandom
	}
	if cfg.Strategy == balanced && len(cfg.Levels) == 0 {
		cfg.Levels = Levels
	}
	return cfg, nil
}

// preset finds a preset by its name.
func preset(name string) (Preset, error) {
	if p, ok := configs.Find(Presets, name); ok {
		return p, nil
	}
	return Preset{}, fmt.Errorf("preset %q is unknown (there are %s)", name, strings.Join(configs.ChoicesOf(Presets).IDs(), ", "))
}
