package exemplar

import (
	"fmt"
	"strings"

	"assay/configs"
)

// Levels are the hardness levels, easiest first.
var Levels = configs.Levels.IDs()

// ofTai ends what the presets of Tai et al. show.
const ofTai = ", drawn at random; assay's reading of Tai et al. (2023), whose definition is not public"

// Presets lists all presets. The paper's own text for G1 to G3 is not public, so these are assay's interpretation, and readers
// must be able to see that. The other two have the names of their strategies, so that one sweep has them beside the groups.
var Presets = []configs.Preset{
	{Choice: configs.Choice{ID: "G1", Shows: "equal numbers of each hardness level (easy, medium, hard, extra)" + ofTai}, Strategy: balanced, Levels: Levels},
	{Choice: configs.Choice{ID: "G2", Shows: "hard and extra-hard in equal numbers" + ofTai}, Strategy: balanced, Levels: Levels[2:]},
	{Choice: configs.Choice{ID: "G3", Shows: "extra-hard alone" + ofTai}, Strategy: leveled, Levels: Levels[3:]},
	{Choice: configs.Choice{ID: atRandom, Shows: "uniform over the pool, whatever the hardness"}, Strategy: atRandom},
	{Choice: configs.Choice{ID: Nearest, Shows: "those whose questions are nearest to the item's; nothing is drawn"}, Strategy: Nearest},
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
func preset(name string) (configs.Preset, error) {
	if p, ok := configs.Find(Presets, name); ok {
		return p, nil
	}
	return configs.Preset{}, fmt.Errorf("preset %q is unknown (there are %s)", name, strings.Join(configs.ChoicesOf(Presets).IDs(), ", "))
}
