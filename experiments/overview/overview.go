// Package overview summarises each run of a store: its models, its scores, and its differences from the other runs of its
// name.
//
// The runs' folders are read several at once, their scores averaged by arm and sweep point, and runs of one name compared by
// their settings and identities. A run that cannot be read must never hide the others: it is listed with its error.
package overview

import (
	"cmp"
	"fmt"
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
	Spent   cost.Charge // by all its calls; nothing where that is not known
	Models  []string    // provider/name, in the order of the arms
	Scores  []Score     // under the headline metric, one per arm and sweep point, in the order of the rows
	Differs []Setting   // settings that differ between the runs of its name; nil where it is the only one, empty where only the answers differ
}

// Score is the score of one arm at one sweep point.
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

// Of reads the runs and returns their summaries, in their order. A run that cannot be read has its Err.
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
			out[i].Spent, out[i].Err = cost.ReadSpent(in.Dir)
			read[i] = &record.Run{Manifest: r.Manifest, Config: r.Config, Resolved: configs.Experiment{Known: known}}
			return nil
		})
	}
	_ = g.Wait() // each run has its own error
	apart(out, read)
	return out
}

// models returns the models that the arms of a run may call.
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

// scores returns the means of the first metric. An arm without a scored answer is left out.
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

// apart fills in the differences between runs of one name.
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

// settings returns the config keys that differ between runs, then arms, metrics and identities that differ.
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

// short returns the beginning of a hash, enough to distinguish it from others.
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

// Best returns the best score of the run and whose it is, in a few words: "ts 33.3 cot", and after a sweep
// "ts 33.3 cot, k 4"; where all arms have the same, "ts 33.3 all 5". It is empty where nothing is scored. A metric over test
// suites that no item has goes by the name of its single-database form, as in tables.
func (r Run) Best() string {
	if len(r.Scores) == 0 || len(r.Manifest.Metrics) == 0 {
		return ""
	}
	by := func(a, b Score) int { return cmp.Compare(a.Mean, b.Mean) }
	best := slices.MaxFunc(r.Scores, by)
	headline := r.Manifest.Metrics[0]
	id := headline.ID
	if headline.NoSuite == record.AllItems {
		id = execution.Single(id)
	}
	whose := best.Arm
	for i, v := range best.Point {
		if i < len(r.Manifest.Axes) {
			axis := r.Manifest.Axes[i]
			whose += ", " + axis[strings.LastIndex(axis, ".")+1:] + " " + v
		}
	}
	if n := len(r.Scores); n > 1 && slices.MinFunc(r.Scores, by).Mean == best.Mean {
		whose = fmt.Sprintf("all %d", n)
	}
	return id + " " + stats.Fixed(100*best.Mean, 1) + " " + whose
}

// Arms counts the arms with a score.
func (r Run) Arms() int {
	var names []string
	for _, s := range r.Scores {
		if !slices.Contains(names, s.Arm) {
			names = append(names, s.Arm)
		}
	}
	return len(names)
}

// State is "complete", "incomplete" of a run in progress or stopped before its end, or "damaged" of one that cannot be read.
func (r Run) State() string {
	switch {
	case r.Err != nil:
		return "damaged"
	case !r.Manifest.Complete:
		return "incomplete"
	}
	return "complete"
}
