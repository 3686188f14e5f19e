package exemplar

import "assay/configs"

// strategy is a way to choose demonstrations.
type strategy struct {
	configs.Strategy
	leveled bool                                   // it draws from levels
	quotas  func(configs.Exemplars) map[string]int // how many of each level it needs; nil: of all levels together
	// pick returns k demonstrations that the query may have, or as many as there are.
	pick func(p *Pool, q Query, seed int64, cfg configs.Exemplars) []Demo
}

// The strategies that others here refer to.
const (
	atRandom = "random"
	balanced = "hardness-balanced"
	leveled  = "hardness-only"
	// Nearest takes those whose questions are most similar.
	Nearest = "similarity"
)

// strategies is every way to choose.
var strategies = []strategy{
	{Strategy: configs.Strategy{Choice: configs.Choice{ID: "none", Shows: "no demonstrations, whatever k says"}, None: true}},
	{Strategy: configs.Strategy{Choice: configs.Choice{ID: atRandom, Shows: "uniform, the same for every item of a seed"}}, pick: (*Pool).random},
	{Strategy: configs.Strategy{Choice: configs.Choice{ID: balanced, Shows: "equal numbers of each of levels"}},
		leveled: true, quotas: quotas, pick: (*Pool).balanced},
	{Strategy: configs.Strategy{Choice: configs.Choice{ID: leveled, Shows: "from levels alone"}, Levels: true}, leveled: true, pick: (*Pool).only},
	{Strategy: configs.Strategy{Choice: configs.Choice{ID: Nearest, Shows: "those whose questions are nearest to the item's"}, Nearest: true},
		pick: (*Pool).similar},
}

// Strategies lists the strategies with their traits, in the order of their table.
func Strategies() []configs.Strategy {
	out := make([]configs.Strategy, len(strategies))
	for i, s := range strategies {
		out[i] = s.Strategy
	}
	return out
}

// Shown reports whether prompts show demonstrations by these settings, a preset's being filled in.
func Shown(cfg configs.Exemplars) bool {
	cfg, err := settings(cfg)
	s, _ := configs.Find(strategies, cfg.Strategy)
	return err == nil && cfg.K > 0 && !s.None
}
