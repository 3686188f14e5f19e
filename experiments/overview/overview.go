// Package overview says of each run of a store what it is: its models, what it scored, and what sets it apart from the
// other runs of its name.
package overview

import (
	"cmp"
	"runtime"
	"slices"
	"strings"

	"assay/configs"
	"assay/experiments/cost"
	"assay/experiments/join"
	"assay/experiments/record"
	"assay/experiments/store"
	"assay/metrics/execution"
	"assay/metrics/stats"

	"golang.org/x/sync/errgroup"
)

// Run is one run of a store.
type Run struct {
	store.Info
	Models  []string  // provider/name, in the order of the arms
	Scores  []Score   // under the headline metric, an arm and sweep point each, in the order of the rows
	Differs []Setting // what is not the same in all runs of its name; nil for a name of one run, empty where their answers alone differ
}

// Score is what one arm scored at one sweep point.
type Score struct {
	Arm    string   `json:"arm"`
	Point  []string `json:"point,omitempty"`
	Mean   float64  `json:"mean"`   // 0 to 1: the mean over seeds of the share over scored answers
	Scored int      `json:"scored"` // answers with a score
}

// Setting is a key with the run's value; empty where it has none.
type Setting struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// Of reads what there is to say of the runs, in their order. One that cannot be read has its Err.
func Of(infos []store.Info, known configs.Known) []Run {
	out, read := make([]Run, len(infos)), make([]*record.Run, len(infos))
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, in := range infos {
		out[i].Info = in
		if in.Err != nil {
			continue
		}
		g.Go(func() error {
			r, err := record.ReadItems(in.Dir, known)
			if err != nil {
				out[i].Err = err
				return nil
			}
			out[i].Models, out[i].Scores = models(r), scores(r)
			read[i] = &record.Run{Manifest: r.Manifest, Config: r.Config, Resolved: configs.Experiment{Known: known}}
			return nil
		})
	}
	_ = g.Wait() // what went wrong stands with its run
	apart(out, read)
	return out
}

// models are those that the arms of a run may ask.
func models(r *record.Run) (out []string) {
	for _, c := range r.Resolved.Cells() {
		for _, m := range cost.ModelsOf(c.Arm) {
			if name := cost.ModelName(m); !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	return out
}

// scores are the means of the first metric. An arm without a score has none.
func scores(r *record.Run) (out []Score) {
	type seeded struct {
		seed int64
		sum  float64
		n    int
	}
	for _, under := range r.Index().Series {
		var seeds []seeded // in the order of their first scores
		for _, a := range under.Answers {
			if len(a.Item.Values) == 0 || !a.Item.Values[0].OK {
				continue
			}
			i := slices.IndexFunc(seeds, func(s seeded) bool { return s.seed == a.Item.Seed })
			if i < 0 {
				i = len(seeds)
				seeds = append(seeds, seeded{seed: a.Item.Seed})
			}
			seeds[i].sum, seeds[i].n = seeds[i].sum+a.Item.Values[0].V, seeds[i].n+1
		}
		one := Score{Arm: under.Arm, Point: under.Point}
		for _, s := range seeds {
			one.Mean += s.sum / float64(s.n) / float64(len(seeds))
			one.Scored += s.n
		}
		if one.Scored > 0 {
			out = append(out, one)
		}
	}
	return out
}

// apart fills in what sets runs of one name apart.
func apart(all []Run, read []*record.Run) {
	byName := map[string][]int{}
	for i, r := range read {
		if r != nil {
			byName[r.Manifest.Experiment] = append(byName[r.Manifest.Experiment], i)
		}
	}
	for _, at := range byName {
		if len(at) < 2 {
			continue
		}
		runs := make([]*record.Run, len(at))
		for k, i := range at {
			runs[k] = read[i]
		}
		order, values := settings(runs)
		for k, i := range at {
			all[i].Differs = []Setting{}
			for _, key := range order {
				all[i].Differs = append(all[i].Differs, Setting{key, values[key][k]})
			}
		}
	}
}

// settings are the keys that differ between runs, then the arms, the metrics and the identities that do.
func settings(runs []*record.Run) (order []string, values map[string][]string) {
	order, values = join.Settings(runs)
	for _, x := range []struct {
		key string
		of  func(*record.Run) string
	}{
		{"arms", func(r *record.Run) string { return strings.Join(join.ArmNames(r), " ") }},
		{"metrics", func(r *record.Run) string { return strings.Join(r.Manifest.MetricIDs(), " ") }},
		{"data", func(r *record.Run) string { return short(r.Manifest.DatasetHash) }},
		{"prompts", func(r *record.Run) string { return short(r.Manifest.PromptHash) }},
		{"demonstrations", func(r *record.Run) string { return short(r.Manifest.ExemplarsHash) }},
		{"assay", func(r *record.Run) string { return cmp.Or(short(r.Manifest.Revision), r.Manifest.Assay) }},
		{"sqlite", func(r *record.Run) string { return r.Manifest.SQLite }},
	} {
		of := make([]string, len(runs))
		for i, r := range runs {
			of[i] = x.of(r)
		}
		if slices.ContainsFunc(of, func(s string) bool { return s != of[0] }) {
			order, values[x.key] = append(order, x.key), of
		}
	}
	return order, values
}

// short is the beginning of a hash, enough to tell it from others.
func short(hash string) string {
	const enough = 8
	hash = strings.TrimPrefix(hash, "sha256:")
	if len(hash) <= enough {
		return hash
	}
	if dirty := strings.HasSuffix(hash, "+dirty"); dirty {
		return hash[:enough] + "+dirty"
	}
	return hash[:enough]
}

// Headline is the score of the run in few words: "ts 33.3", or the range over its arms, "ts 16.9..20.0"; empty where
// nothing is scored. A metric over test suites that no item has is named as what it is then, as tables head it.
func (r Run) Headline() string {
	if len(r.Scores) == 0 || len(r.Manifest.Metrics) == 0 {
		return ""
	}
	by := func(a, b Score) int { return cmp.Compare(a.Mean, b.Mean) }
	low, high := 100*slices.MinFunc(r.Scores, by).Mean, 100*slices.MaxFunc(r.Scores, by).Mean
	headline := r.Manifest.Metrics[0]
	id := headline.ID
	if headline.NoSuite == record.AllItems {
		id = execution.Single(id)
	}
	s := id + " " + stats.Fixed(low, 1)
	if top := stats.Fixed(high, 1); !strings.HasSuffix(s, " "+top) {
		s += ".." + top
	}
	return s
}
