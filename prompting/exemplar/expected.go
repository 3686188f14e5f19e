package exemplar

import (
	"slices"

	"assay/configs"
)

// Expected returns how many demonstrations two draws by cfg share on average, where the pool has so many of each level: k
// squared over their number for a uniform draw of k, summed over quotas. Strategies that draw nothing share all. A pool that
// is drawn first, by a seed that both draws have, has its part of each level; cfg must be one that Pool.Check accepts.
func Expected(levels map[string]int, cfg configs.Exemplars) float64 {
	cfg, err := settings(cfg)
	s, _ := configs.Find(strategies, cfg.Strategy)
	if err != nil || cfg.K == 0 || s.None {
		return 0
	}
	if s.Nearest {
		return float64(cfg.K)
	}
	total, scale := 0, 1.0
	for _, n := range levels {
		total += n
	}
	if cfg.PoolSize > 0 && cfg.PoolSeed != nil {
		scale = float64(cfg.PoolSize) / float64(total)
	}
	both := func(k, n int) float64 {
		return min(float64(k), float64(k*k)/max(1, float64(n)*scale))
	}
	if s.quotas == nil {
		n := 0
		for level, have := range levels {
			if !s.leveled || slices.Contains(cfg.Levels, level) {
				n += have
			}
		}
		return both(cfg.K, n)
	}
	sum := 0.0
	for level, k := range s.quotas(cfg) {
		sum += both(k, levels[level])
	}
	return sum
}

// ByLevel counts the pool's demonstrations of each hardness.
func (p *Pool) ByLevel() map[string]int {
	out := map[string]int{}
	for _, d := range p.Demos() {
		out[d.Hardness]++
	}
	return out
}
