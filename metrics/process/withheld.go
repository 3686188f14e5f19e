package process

import (
	"assay/metrics/stats"
)

// Trial is one dialogue held twice: as it was, and again from a turn whose observation the model was not shown.
type Trial struct {
	Item            string
	Shown, Withheld bool // whether the answer is right
	Same            bool // whether the answer's query is the same
	Tokens          int  // of the turns whose observation was withheld, as the dialogue was; 0 where unknown
}

// Effect is what came of withholding.
type Effect struct {
	Trials       int
	Lost, Found  int            // right only as it was; right only without the observation
	Difference   stats.Interval // Found less Lost, as a share of 1, over items; NaN without trials
	Tokens, Idle int            // of the turns; of those whose withholding left the query as it was
}

// EffectOf sums up trials, with so many resamples of items from a generator with the seed.
func EffectOf(trials []Trial, confidence float64, resamples int, seed uint64) Effect {
	var e Effect
	var clusters []stats.Cluster
	at := map[string]int{}
	for _, t := range trials {
		i, seen := at[t.Item]
		if !seen {
			i = len(clusters)
			at[t.Item], clusters = i, append(clusters, stats.Cluster{})
		}
		clusters[i].N++
		e.Trials++
		e.Tokens += t.Tokens
		switch {
		case t.Shown && !t.Withheld:
			e.Lost++
			clusters[i].Diff--
		case t.Withheld && !t.Shown:
			e.Found++
			clusters[i].Diff++
		}
		if t.Same {
			e.Idle += t.Tokens
		}
	}
	e.Difference = stats.BootstrapClusters(clusters, confidence, resamples, seed)
	if e.Trials > 0 && e.Difference.Low == e.Difference.High { // drawing says nothing of items that are all alike
		e.Difference = stats.Alike(e.Difference.Estimate, len(clusters), confidence)
	}
	return e
}
