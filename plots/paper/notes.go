package paper

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"assay/configs"
	"assay/experiments/record"
	"assay/metrics"
	"assay/metrics/execution"
	"assay/metrics/goldcheck"
	"assay/plots/table"
)

// display returns a metric as tables print it. A test-suite metric of a run without suites is printed as the metric that it
// then is, so that no column claims a stricter judge than the run had.
func (v *view) display(id string) string {
	own, given := strings.CutSuffix(v.measured(id), goldcheck.GivenSuffix)
	name := v.run.Resolved.Known.Heading(own)
	if given {
		name += ", given gold"
	}
	return name
}

// measured returns the id of the metric that the run's column in fact holds: a metric over test suites falls back to the item's
// own database where no item has a suite.
func (v *view) measured(id string) string {
	own, given := strings.CutSuffix(id, goldcheck.GivenSuffix)
	if v.noSuite(id) != record.AllItems || execution.Single(own) == own {
		return id
	}
	if own = execution.Single(own); given {
		own += goldcheck.GivenSuffix
	}
	return own
}

// noSuite says of which items the metric's suites are missing, as record.Metric has it.
func (v *view) noSuite(id string) string {
	for _, m := range v.run.Manifest.Metrics {
		if m.ID == id {
			return m.NoSuite
		}
	}
	return ""
}

// distinct returns the positions of the metrics to show side by side: all but those that measure the same as another.
func (v *view) distinct() (at []int) {
	for m, id := range v.ids {
		if own := v.measured(id); own == id || !slices.Contains(v.ids, own) {
			at = append(at, m)
		}
	}
	return at
}

// notes returns the notes of one table: those that explain its cells, without the empty ones. What is the same for every table
// is in common.
func (v *view) notes(own ...string) []string {
	return slices.DeleteFunc(own, func(n string) bool { return n == "" })
}

// common returns the notes of a report: what identifies the run, what its metrics compare, and what of it may be wrong.
func (v *view) common() []string {
	out := append([]string{v.dataNote()}, v.metricNotes()...)
	out = append(append(out, v.modelNote()), v.presetNotes()...)
	if n := v.fidelityNote(); n != "" {
		out = append(out, n)
	}
	return slices.Concat(out, v.similarityNotes(), v.troubles(), v.doubts())
}

// runName returns the name of the run's folder; of a joined run, the names that it has instead.
func (v *view) runName() string { return v.run.Manifest.Experiment + "-" + v.run.Manifest.ID }

// gist returns common in one line, for a table that stands alone: whose numbers these are, and what they are not.
func (v *view) gist() string {
	m := v.run.Manifest
	parts := []string{fmt.Sprintf("Run %s: %s, %d %s, %s", v.runName(), m.Dataset, m.Items, plural(m.Items, "item", "items"), v.seedList())}
	if v.isSample() {
		parts[0] += ", a sample and no benchmark"
	}
	models := v.models(false)
	parts = append(parts, plural(len(models), "model ", "models ")+strings.Join(models, ", "))
	if !m.Complete {
		parts = append(parts, "not complete: the numbers are over what is there")
	}
	if n, of := v.without(); n > 0 {
		parts = append(parts, fmt.Sprintf("%d of %d answers have no score", n, of))
	}
	if n := v.truncated(); n > 0 {
		parts = append(parts, fmt.Sprintf("%d %s truncated at the token limit", n, plural(n, "answer", "answers")))
	}
	for _, id := range v.ids {
		if v.noSuite(id) == record.SomeItems {
			parts = append(parts, fmt.Sprintf("%s is %s where a database has no suite", id, execution.Single(id)))
		}
	}
	if n := len(m.Warnings) + len(v.above()); n > 0 {
		parts = append(parts, fmt.Sprintf("%d %s: see the report", n, plural(n, "warning", "warnings")))
	}
	return strings.Join(parts, "; ") + "."
}

// without counts the answers that have no score, and all.
func (v *view) without() (n, of int) {
	for _, r := range v.rows {
		n, of = n+withStatus(r.items, metrics.ModelError)+withStatus(r.items, metrics.GoldError), of+len(r.items)
	}
	return n, of
}

func (v *view) dataNote() string {
	m := v.run.Manifest
	s := fmt.Sprintf("Dataset %s, %d items; %s; run %s.", m.Dataset, m.Items, v.seedList(), m.ID)
	if v.isSample() {
		s += " Sample dataset: no benchmark result."
	}
	return s
}

func plural(n int, one, more string) string {
	if n == 1 {
		return one
	}
	return more
}

func (v *view) isSample() bool {
	return v.run.Resolved.Known.Kind(v.run.Resolved.Dataset.Kind).Embedded || strings.Contains(v.run.Manifest.Dataset, "sample/")
}

// metricNotes explains what each metric compares.
func (v *view) metricNotes() []string {
	var parts, out []string
	for _, id := range v.ids {
		if of, ok := strings.CutSuffix(id, goldcheck.GivenSuffix); ok && slices.Contains(v.ids, of) {
			continue
		}
		parts = append(parts, v.meaning(id))
	}
	if len(parts) < len(v.ids) {
		out = []string{v.correctedNote()}
	}
	return append([]string{"Metrics: " + strings.Join(parts, "; ") + "."}, out...)
}

// meaning returns a metric's id with what it compares in this run.
func (v *view) meaning(id string) string {
	if own := v.measured(id); own != id {
		return fmt.Sprintf("%s: no item has a test suite, so that it is %s, and headed so", id, own)
	}
	s := id
	if c, ok := configs.Find(v.run.Resolved.Known.Choices("metrics"), id); ok {
		s = fmt.Sprintf("%s: %s", id, c.Shows)
	}
	if v.noSuite(id) == record.SomeItems {
		s += fmt.Sprintf(" (some databases have none: their items are judged as by %s)", execution.Single(id))
	}
	return s
}

// correctedNote explains the two scores of a run whose gold queries a person corrected.
func (v *view) correctedNote() string {
	corrected, excluded := 0, 0
	for _, q := range v.run.Questions {
		if q.GivenGold != "" {
			corrected++
		} else if q.Override != "" {
			excluded++
		}
	}
	return fmt.Sprintf("Gold queries: %d corrected and %d taken out by the override file; the ids that end in %s use the dataset's own gold queries.",
		corrected, excluded, goldcheck.GivenSuffix)
}

func (v *view) modelNote() string {
	models := v.models(true)
	return plural(len(models), "Model ", "Models ") + strings.Join(models, ", ") + "."
}

// models names the models of the rows, each once; answered adds who in fact answered.
func (v *view) models(answered bool) (models []string) {
	for _, r := range v.rows {
		m := r.Config.Model
		s := m.Provider + "/" + cmp.Or(m.As, m.Name)
		switch {
		case m.Provider == "":
			s = "not recorded"
		case m.Local:
			s = "baseline (rule-based baseline, no language model)"
		default:
			if m.BaseURL != "" && m.As == "" {
				s += " at " + m.BaseURL
			}
			if answered {
				s += v.answeredBy(m)
			}
		}
		if !slices.Contains(models, s) {
			models = append(models, s)
		}
	}
	return models
}

// answeredBy returns " (answered by ...)" with what a model's completions report of their author; empty where that is no more
// than the name that was requested. Providers may answer with another version than the one requested.
func (v *view) answeredBy(m configs.Model) string {
	var words []string
	for _, a := range v.run.Manifest.Answered {
		own := a.Model == m.Name && strings.HasPrefix(a.Author, m.Provider+"/")
		if m.As != "" {
			own = a.Author == m.Provider+"/"+m.As
		}
		if w := a.Words(); w != "" && own {
			words = append(words, w)
		}
	}
	if words == nil {
		return ""
	}
	return " (answered by " + strings.Join(words, "; and by ") + ")"
}

// presetNotes prints the definition of every preset that an arm used.
func (v *view) presetNotes() (out []string) {
	for _, p := range v.run.Resolved.Known.Choices("presets") {
		used := func(r row) bool { return r.Config.Exemplars.Preset == p.ID }
		if slices.ContainsFunc(v.rows, used) {
			out = append(out, p.ID+": "+p.Shows+".")
		}
	}
	return out
}

// similarityNotes names the measures of similarity: one note per measure, with its uses and arms.
func (v *view) similarityNotes() (out []string) {
	var measures []string
	uses, arms := map[string][]string{}, map[string][]string{}
	for _, r := range v.rows {
		for _, use := range v.run.Resolved.Known.Similarities(r.Config) {
			by := v.similarity(use, r.Config.Embeddings)
			if !slices.Contains(measures, by) {
				measures = append(measures, by)
			}
			uses[by] = unique(append(uses[by], use))
			arms[by] = unique(append(arms[by], r.label))
		}
	}
	for _, by := range measures {
		out = append(out, fmt.Sprintf("Similarity, for %s (%s %s): %s.", strings.Join(uses[by], ", "), plural(len(arms[by]), "arm", "arms"), strings.Join(arms[by], ", "), by))
	}
	return out
}

// similarity is what an arm measured similarity by for a use: by a model's vectors, or as the run says of the others.
func (v *view) similarity(use string, e configs.Embeddings) string {
	if e.On() {
		return e.Measure()
	}
	models := map[string]bool{}
	for _, r := range v.rows {
		models[r.Config.Embeddings.Measure()] = r.Config.Embeddings.On()
	}
	for _, s := range v.run.Manifest.Similarity {
		if s.Use == use && !models[s.By] {
			return s.By
		}
	}
	return "not recorded"
}

// unscored counts the answers that are in no share, by status.
func (v *view) unscored() string {
	var parts []string
	n, of := v.without()
	if n == 0 {
		return ""
	}
	for _, s := range []metrics.Status{metrics.ModelError, metrics.GoldError} {
		count := 0
		for _, r := range v.rows {
			count += withStatus(r.items, s)
		}
		if count > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", count, s))
		}
	}
	return fmt.Sprintf("Without a score, and in no share: %s, of %d answers.", strings.Join(parts, ", "), of)
}

// shown is how many of a run's warnings are repeated.
const shown = 5

// warnings returns what a reader must know who sees nothing else of the run: its doubts, and its warnings.
func (v *view) warnings() []string { return append(v.doubts(), v.told()...) }

// doubts returns the warnings that only the report can give.
func (v *view) doubts() (out []string) {
	if !v.run.Manifest.Complete {
		out = append(out, "Warning: the run is not complete; the numbers are over what is there.")
	}
	return append(out, v.above()...)
}

// told returns the first of the run's own warnings, and where the rest is.
func (v *view) told() (out []string) {
	all := v.run.Manifest.Warnings
	for _, w := range all[:min(len(all), shown)] {
		out = append(out, "Warning: "+w)
	}
	if len(all) > shown {
		where := "in run.toml"
		if v.run.Joined {
			where = "on the report's page, index.html"
		}
		out = append(out, fmt.Sprintf("Warning: and %d more %s.", len(all)-shown, where))
	}
	return out
}

// above finds answers that pass a whole test suite and yet fail on one of its databases. A suite contains the item's own
// database, so that such an answer means a fault in the judge or the suite.
func (v *view) above() (out []string) {
	for ts, id := range v.ids {
		ex := v.metric(execution.Single(id))
		if ex < 0 || ex == ts {
			continue
		}
		n, first := 0, ""
		for _, r := range v.rows {
			for _, it := range r.items {
				a, b := score(it, ts), score(it, ex)
				if a.OK && b.OK && a.V > b.V {
					if n++; n == 1 {
						first = fmt.Sprintf("%s, arm %s", it.Item, it.Arm)
					}
				}
			}
		}
		if n > 0 {
			out = append(out, fmt.Sprintf("Warning: %s is above %s on %d %s (first: %s), which cannot be: the suite includes the item's own database.",
				id, v.ids[ex], n, plural(n, "answer", "answers"), first))
		}
	}
	return out
}

// spread explains the cells, and what follows ±.
func (v *view) spread() string {
	least, most := v.seedCounts()
	other := ""
	if !v.sameItems() {
		other = " The rows are not all of the same items, so that none is marked as the best."
	}
	if most < 2 {
		return "Cells are percent of scored items. One seed" + v.each() + ": no standard deviation." + other
	}
	s := fmt.Sprintf("Cells are percent of scored items: the mean over %s ± the sample standard deviation over them", v.overMeans())
	if least < 2 {
		s += ", which one seed does not have"
	}
	return s + "." + other
}

// sameItems reports whether all rows answered the same items, with a score or without. Of others, as joined runs and runs that are
// not complete may have, a higher score does not say which is better.
func (v *view) sameItems() bool {
	var first map[string]bool
	for _, r := range v.rows {
		own := make(map[string]bool, len(r.items))
		for _, it := range r.items {
			own[it.Item] = true
		}
		if first == nil {
			first = own
		}
		if !maps.Equal(first, own) {
			return false
		}
	}
	return true
}

// markBest marks the best of each of the columns where the rows can be held against each other.
func (v *view) markBest(t *table.Table, columns ...int) {
	if v.sameItems() {
		t.MarkBest(columns...)
	}
}

// name returns the row's name in a legend.
func (v *view) name(r row) string {
	if len(r.Point) == 0 {
		return r.label
	}
	return r.label + ", " + v.pointName(r.Point)
}

// suiteNote says whether published TS is the metric that this run has.
func (v *view) suiteNote() string {
	switch v.noSuite("ts") {
	case record.AllItems:
		return "Published TS is over the test suites of Zhong et al. (2020). No item here has a suite, so that this run's numbers are EX: published TS is another metric, and only published EX is of the same."
	case record.SomeItems:
		return "Published TS is over the test suites of Zhong et al. (2020). Here some databases have no suite and are judged on themselves alone, so that this run's TS is not the published metric."
	}
	return "Published TS is over the test suites of Zhong et al. (2020): it is this run's metric only where dataset.suite holds those."
}

// levelNote counts the items per level.
func (v *view) levelNote() string {
	var parts []string
	rest := len(v.run.Questions)
	for _, l := range v.levels {
		n := 0
		for _, q := range v.run.Questions {
			if q.Hardness == l && v.leveling == "hardness" || q.Difficulty == l && v.leveling == "difficulty" {
				n++
			}
		}
		rest -= n
		parts = append(parts, fmt.Sprintf("%s %d", l, n))
	}
	if rest > 0 {
		parts = append(parts, fmt.Sprintf("without a label %d", rest))
	}
	return "Items by " + v.leveling + ": " + strings.Join(parts, ", ") + "."
}
