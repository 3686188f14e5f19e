package paper

import (
	"strings"

	"assay/configs"
	"assay/experiments/record"
	"assay/metrics"
	"assay/metrics/pool"
	"assay/plots/table"
)

// measure computes one cell, a number or a text, from a sample of answers.
type measure func(*sheet, field, sample) table.Cell

// measures are the columns that a table can have: of a description, of an experiment's [[table]], or of assay's own tables.
// Shares are in percent.
var measures = map[string]measure{
	"accuracy":          (*sheet).accuracy, // with its interval
	"mean":              func(s *sheet, f field, x sample) table.Cell { return s.v.mean(x.row, s.index(f), nil, s.places(f)) },
	"mean of databases": func(s *sheet, f field, x sample) table.Cell { return s.v.macro(x.row) },
	"mean of levels":    (*sheet).meanOfLevels,

	"items":            func(_ *sheet, _ field, x sample) table.Cell { return table.Count(distinctItems(x.items)) },
	"answers":          func(_ *sheet, _ field, x sample) table.Cell { return table.Count(len(x.items)) },
	"scored by status": func(_ *sheet, _ field, x sample) table.Cell { return table.Count(scoredStatuses(x.items)) },
	"status": func(_ *sheet, f field, x sample) table.Cell {
		return table.Count(withStatus(x.items, metrics.Status(f.Of[0])))
	},
	"truncated":         func(_ *sheet, _ field, x sample) table.Cell { return x.endings.cell() },
	"scored":            func(_ *sheet, _ field, x sample) table.Cell { return table.Count(scoredAnswers(x.items)) },
	"calls":             perAnswer(func(it *record.Item) record.Count { return it.Calls }),
	"prompt_tokens":     perAnswer(func(it *record.Item) record.Count { return it.PromptTokens }),
	"completion_tokens": perAnswer(func(it *record.Item) record.Count { return it.CompletionTokens }),
	"cached_tokens":     perCall(func(c record.Call) record.Count { return c.CachedTokens }),
	"reasoning_tokens":  perCall(func(c record.Call) record.Count { return c.ReasoningTokens }),

	"one candidate":    ofPools(pool.UpperAt(1)),
	"self-consistency": ofPools(pool.SelfConsistency(pool.Any)),
	"upper bound":      ofPools(pool.Upper),
	"lower bound":      ofPools(pool.Lower),
	"chosen":           ofPools(pool.Chosen),
	"pooled items":     func(s *sheet, _ field, x sample) table.Cell { return table.Count(itemsIn(s.poolsOf(x))) },
	"outcome":          func(s *sheet, f field, x sample) table.Cell { return outcomeShare(s.poolsOf(x), pool.Outcome(f.Of[0])) },
	"outcome count":    (*sheet).outcomeCount,
	"binary accuracy":  func(s *sheet, _ field, x sample) table.Cell { return binary(s.poolsOf(x)) },
	"comparisons": func(s *sheet, _ field, x sample) table.Cell {
		return table.Count(pool.BinaryAccuracy(ballots(s.poolsOf(x), true)).Votes)
	},

	"parts":             func(s *sheet, f field, x sample) table.Cell { return s.parts.of(x.row, f.Of) },
	"rounds":            perQuestion(rounds),
	"length":            perQuestion(length),
	"billed tokens":     perQuestion(billed),
	"prompts":           perQuestion(asked),
	"prompt tokens":     perQuestion(sent),
	"completion tokens": perQuestion(output),
	"cached tokens":     perQuestion(cachedOf),
	"reasoning tokens":  perQuestion(reasoningOf),
	"usd":               func(s *sheet, _ field, x sample) table.Cell { return s.spent[x.at].money() },

	"trained with Spider": func(s *sheet, _ field, x sample) table.Cell {
		return table.Text(spiderDemos(s.v.run.Resolved.Known, x.row))
	},
}

// costMeasures are the measures of tokens, calls and money. They need every call of the run added up, so that the sums are
// made only where a table has one of these columns.
var costMeasures = []string{"parts", "rounds", "length", "billed tokens", "prompts", "prompt tokens", "completion tokens", "cached tokens", "reasoning tokens",
	"usd"}

// index returns the position of a column's metric, the headline one where the column names none.
func (s *sheet) index(f field) int {
	if f.Metric == "" {
		return 0
	}
	return s.v.metric(f.Metric)
}

func (s *sheet) accuracy(f field, x sample) table.Cell {
	return s.v.ranged(x.row, s.index(f), nil, s.places(f))
}

func (s *sheet) meanOfLevels(f field, x sample) table.Cell {
	return s.overLevels(f, func(k keep) table.Cell { return s.accuracy(field{}, x.where(k)) })
}

// overLevels returns the mean over the levels of the description's columns; blank where a level has no number, since a mean
// over fewer levels would be another quantity.
func (s *sheet) overLevels(f field, of func(keep) table.Cell) table.Cell {
	sum, signed := 0.0, false
	for _, l := range s.levels() {
		c := of(s.atLevel(l))
		if c.Num == nil {
			return table.Cell{}
		}
		sum, signed = sum+c.Num.Value, c.Num.Signed
	}
	return table.Measured(table.Number{Value: sum / float64(len(s.levels())), Decimals: s.places(f), Signed: signed})
}

func distinctItems(items []*record.Item) int {
	seen := map[string]bool{}
	for _, it := range items {
		seen[it.Item] = true
	}
	return len(seen)
}

// scoredAnswers counts the answers with a score under the headline metric.
func scoredAnswers(items []*record.Item) (n int) {
	for _, it := range items {
		if score(it, 0).OK {
			n++
		}
	}
	return n
}

// scoredStatuses counts the answers whose status counts in shares. It differs from scoredAnswers where a metric has no score
// for an answer that ran.
func scoredStatuses(items []*record.Item) (n int) {
	for _, it := range items {
		if it.Status.Scored() {
			n++
		}
	}
	return n
}

// perAnswer measures the mean of a count over answers; "unknown" where that of one answer is.
func perAnswer(of func(*record.Item) record.Count) measure {
	return func(_ *sheet, _ field, x sample) table.Cell {
		sum := record.CountOf(0)
		for _, it := range x.items {
			sum = sum.Plus(of(it))
		}
		return meanOf(sum, len(x.items))
	}
}

// perCall measures the mean over answers of what a count of their calls adds up to; "unknown" where an answer's calls are.
func perCall(of func(record.Call) record.Count) measure {
	return func(s *sheet, _ field, x sample) table.Cell {
		in := map[*record.Item]bool{}
		for _, it := range x.items {
			in[it] = true
		}
		sum := record.CountOf(0)
		for _, r := range s.v.rows {
			for _, a := range r.Answers {
				if !in[a.Item] {
					continue
				}
				if !a.Item.Calls.OK || a.Item.Calls.N > 0 && len(a.Calls) == 0 {
					return unknown()
				}
				for _, c := range a.Calls {
					sum = sum.Plus(of(c))
				}
			}
		}
		return meanOf(sum, len(x.items))
	}
}

// meanOf is the cell of a sum over n answers.
func meanOf(sum record.Count, n int) table.Cell {
	switch {
	case n == 0:
		return table.Cell{}
	case !sum.OK:
		return unknown()
	}
	return table.Measured(table.Number{Value: float64(sum.N) / float64(n), N: n, Decimals: 1})
}

// perQuestion measures the mean of what an answer took, with an interval over items.
func perQuestion(of func(spend) record.Value) measure {
	return func(s *sheet, f field, x sample) table.Cell { return s.spent[x.at].mean(of, s.places(f)) }
}

// ofPools measures the mean of a pool measure over the items with a scored candidate.
func ofPools(m pool.Measure) measure {
	return func(s *sheet, _ field, x sample) table.Cell { return shareOf(s.poolsOf(x), m) }
}

// poolsOf returns the pools of a sample's answers.
func (s *sheet) poolsOf(x sample) []pooled {
	whole := s.v.pools()[x.at]
	if len(x.items) == len(s.v.rows[x.at].items) {
		return whole
	}
	kept := map[*record.Item]bool{}
	for _, it := range x.items {
		kept[it] = true
	}
	out := make([]pooled, len(whole))
	for i, p := range whole {
		for k, it := range p.items {
			if kept[p.answers[k].Item] {
				out[i].items, out[i].answers = append(out[i].items, it), append(out[i].answers, p.answers[k])
			}
		}
	}
	return out
}

// outcomesOf counts the items of every seed by outcome.
func outcomesOf(ps []pooled) (counts map[pool.Outcome]int, scored int) {
	counts = map[pool.Outcome]int{}
	for _, p := range ps {
		for i, n := range pool.Split(p.items) {
			counts[pool.Outcomes[i]] += n
			if pool.Outcomes[i] != pool.Unscored {
				scored += n
			}
		}
	}
	return counts, scored
}

func (s *sheet) outcomeCount(f field, x sample) table.Cell {
	counts, _ := outcomesOf(s.poolsOf(x))
	return table.Count(counts[pool.Outcome(f.Of[0])])
}

// outcomeShare is the share of the items with a scored candidate that have the outcome.
func outcomeShare(ps []pooled, o pool.Outcome) table.Cell {
	return acrossSeeds(ps, func(_ int, p pooled) (out []pool.Value) {
		for _, it := range p.items {
			switch it.Outcome() {
			case pool.Unscored:
			case o:
				out = append(out, pool.Value{Item: it.ID, Value: 1})
			default:
				out = append(out, pool.Value{Item: it.ID})
			}
		}
		return out
	})
}

// macro is the mean over the databases within each seed, then over seeds. It is blank unless every database was scored under
// each seed.
func (v *view) macro(r row) table.Cell {
	sums, scores := make([]float64, len(r.Seeds)), 0
	for _, db := range v.sets {
		all, n := shares(v.scores(r, 0, inSet(db)))
		if len(all) != len(r.Seeds) {
			return table.Cell{}
		}
		scores += n
		for i := range sums {
			sums[i] += all[i] / float64(len(v.sets))
		}
	}
	return table.Measured(summary(sums, scores, 2))
}

// spiderDemos says whether an arm's prompts show questions of Spider's training split.
func spiderDemos(known configs.Known, r row) string {
	if r.Config.Method == "" || r.Config.Row.Imported || r.Config.Row.Program {
		return "unknown"
	}
	if !showsDemos(known, r.Config) {
		return "no"
	}
	kind, _, _ := strings.Cut(datasetOf(r), "/")
	switch file := r.Config.Exemplars.File; {
	case file == "spider-train", kind == "spider" && file == "":
		return "yes"
	case file == "sample", kind != "spider" && (file == "" || file == configs.TrainFile):
		return "no"
	case file == configs.TrainFile && !strings.HasSuffix(datasetOf(r), private):
		return "yes"
	}
	return "unknown"
}

// showsDemos reports whether any prompt of an arm shows demonstrations of exemplars.file. The dialogues of an agent are its
// own, over the sample's databases, unless it takes those of the demonstrations.
func showsDemos(known configs.Known, a configs.Arm) bool {
	x := a.Exemplars
	return a.Any(func(m configs.Method) bool {
		switch {
		case m.Agent && a.Agent.Family != configs.PoolFamily:
			return false
		case m.Examples:
			return known.DrawsExamples(a) && a.Synthetic.Features+a.Synthetic.Tables > 0
		}
		return x.K > 0 && !known.Chooses(x).None
	})
}

// modelOf names the model of an arm.
func modelOf(m configs.Model) string {
	if m.Local || m.Name == "" {
		return m.Provider
	}
	return m.Name
}
