package paper

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"assay/experiments/public"
	"assay/experiments/record"
)

// release is a split that numbers are published over.
type release struct {
	items  int    // as Table 1 of Interactive-T2S counts them
	digest string // contentOf its items; empty of a split whose questions cannot be checked here
}

// releases are those splits, by the name that runs have for them. The digests are of copies of what the authors released:
// Spider's dev.json of 1034 items, spider-realistic.json (Deng et al. 2021), Spider-Syn's dev.json and Spider-DK.json (Gan
// et al. 2021), BIRD's dev.json in which the gold of item 0 divides by `Enrollment (K-12)` what `Free Meal Count (K-12)`
// has, and mini_dev_sqlite.json with 500 items. Another release is not known here, nor is a copy that changes more than
// white space.
var releases = map[string]release{
	"spider/dev":         {1034, "12b9867cac627372fc5b49130e50b2cd1a0c3b6be00bb8543d6c08cbb586320a"},
	"spider/test":        {2147, ""},
	"spider/dk":          {535, "24b96dda655628d5ad2fdcaac8a0532eee79ee849ccf384e5aec3959e2f02a34"},
	"spider/syn":         {1034, "0057f387081d896839b7d83d04927e05537b04c9425ce1e89a72d6f78cedaeea"},
	"spider/realistic":   {508, "3115d9fac20ee627a96dc16e5c420c6553abef9453b050fc06cca912ec4704b8"},
	"bird/dev":           {1534, "a02251c26dee363b92bb22e898e7e3fb5377f507f6fc3dc2e36aed7c065e36d1"},
	"bird/mini_dev":      {500, "dc11bc7aadfb807a88d1e62359d4baa3e0068e6a5f0a6774914c965f2e74af2f"},
	"bird-finc/original": {106, ""},
	"bird-finc/sql":      {106, ""},
	"bird-finc/data":     {106, ""},
}

// contentOf returns the SHA-256, in hexadecimal, of the items' questions and gold queries: one line per item, its
// database, question, evidence and the dataset's own gold query between tabs, runs of white space as one space, sorted.
func contentOf(questions []record.Question) string {
	lines := make([]string, len(questions))
	for i, q := range questions {
		gold := q.Gold
		if q.GivenGold != "" {
			gold = q.GivenGold
		}
		fields := []string{q.DB, q.Question, q.Evidence, gold}
		for k, f := range fields {
			fields[k] = strings.Join(strings.Fields(f), " ")
		}
		lines[i] = strings.Join(fields, "\t")
	}
	slices.Sort(lines)
	sum := sha256.Sum256([]byte(strings.Join(lines, "\n")))
	return hex.EncodeToString(sum[:])
}

// unlike returns, as a sentence without its full stop, why rows over the questions of a split cannot be compared with numbers
// published of it; empty where they can. m is the position of the metric.
func (v *view) unlike(split string, questions []record.Question, rows []row, m int) string {
	whole := releases[split]
	switch {
	case v.corrected():
		return "This run's gold queries are corrected"
	case len(questions) < whole.items:
		return fmt.Sprintf("This run has %d of the %d items of %s", len(questions), whole.items, split)
	case whole.digest == "":
		return fmt.Sprintf("The questions and gold queries of %s cannot be checked here", split)
	case v.content(split, questions) != whole.digest:
		return fmt.Sprintf("This run's questions or gold queries are not those of a release of %s known here", split)
	}
	for _, r := range rows {
		if n := alwaysScored(r, m); n < whole.items {
			return fmt.Sprintf("%s has a score for %d of the %d items of %s", v.name(r), n, whole.items, split)
		}
	}
	return ""
}

// content is contentOf a split's questions, computed once.
func (v *view) content(split string, questions []record.Question) string {
	if v.contents == nil {
		v.contents = map[string]string{}
	}
	if _, known := v.contents[split]; !known {
		v.contents[split] = contentOf(questions)
	}
	return v.contents[split]
}

// alwaysScored counts the items that have a score under metric m in every seed of the row.
func alwaysScored(r row, m int) int {
	seeds, of := map[int64]bool{}, map[string]int{}
	for _, it := range r.items {
		seeds[it.Seed] = true
		if score(it, m).OK {
			of[it.Item]++
		}
	}
	n := 0
	for _, k := range of {
		if k == len(seeds) {
			n++
		}
	}
	return n
}

// elsewhere is unlike for a whole run and its headline metric, where the items may also be of another split. For a kind of dataset
// without a split it checks the kind alone.
func (v *view) elsewhere(split string) string {
	kind, _, whole := strings.Cut(split, "/")
	if !whole && v.run.Resolved.Dataset.Kind == kind {
		return ""
	}
	if v.run.Manifest.Dataset != split || !v.isPublic() {
		return "This run's items are " + v.source()
	}
	return v.unlike(split, v.run.Questions, v.rows, 0)
}

// questionsOf returns the run's questions of one dataset, as datasetOf names it.
func (v *view) questionsOf(set string) (out []record.Question) {
	for _, q := range v.run.Questions {
		if strings.HasPrefix(q.Item, strings.TrimSuffix(set, private)+"/") {
			out = append(out, q)
		}
	}
	return out
}

// corrected reports whether a person's corrections of gold queries are in the scores.
func (v *view) corrected() bool {
	return slices.ContainsFunc(v.run.Questions, func(q record.Question) bool { return q.Override != "" })
}

// cannot says why no difference is shown.
func cannot(why ...string) string {
	return strings.Join(why, "; ") + ", so the two cannot be compared."
}

// isPublic reports whether the run's questions are of the databases of the public dataset whose name it has.
func (v *view) isPublic() bool {
	var dbs []string
	for _, q := range v.run.Questions {
		dbs = append(dbs, q.DB)
	}
	return public.Is(v.run.Manifest.Dataset, dbs)
}

// source names the run's items as distinct from the published ones.
func (v *view) source() string {
	if !v.isPublic() {
		return "of other databases in the form of " + v.run.Manifest.Dataset
	}
	return v.run.Manifest.Dataset
}

// private follows the name of a dataset whose databases are not those of the public one.
const private = " (other databases)"

// datasetOf returns the dataset of a row's items, such as spider/dev.
func datasetOf(r row) string {
	if len(r.items) == 0 {
		return ""
	}
	var dbs []string
	for _, it := range r.items {
		if n := len(dbs); n == 0 || dbs[n-1] != it.DB {
			dbs = append(dbs, it.DB)
		}
	}
	set := itemSet(r.items[0])
	if !public.Is(set, dbs) {
		set += private
	}
	return set
}

func itemSet(it *record.Item) string {
	parts := strings.SplitN(it.Item, "/", 3)
	return strings.Join(parts[:min(2, len(parts))], "/")
}

// plainLabel returns a row's label without what joining runs appends.
func plainLabel(r row) string {
	if base(r.Config.Name) == r.Config.Name {
		return r.label
	}
	return base(r.label)
}

// base returns a name without what joining runs appends, which no name in an experiment has.
func base(name string) string {
	if i := strings.LastIndex(name, " ("); i > 0 && strings.HasSuffix(name, ")") {
		return name[:i]
	}
	return name
}

// itemsNote counts the items per dataset, and says where published numbers are over more.
func (v *view) itemsNote() string {
	var parts []string
	for _, set := range v.datasets() {
		n := len(v.questionsOf(set))
		s := fmt.Sprintf("%s %d", set, n)
		if whole := releases[set].items; n < whole {
			s += fmt.Sprintf(" of the %d that published numbers are over", whole)
		}
		parts = append(parts, s)
	}
	return "Items: " + strings.Join(parts, ", ") + "."
}

// datasets returns the datasets of the run's items, sorted.
func (v *view) datasets() []string {
	var out []string
	for _, r := range v.rows {
		if s := datasetOf(r); !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	slices.Sort(out)
	return out
}

// evidence returns "with" where an arm saw evidence, that is, where the dataset has some and the arm does not hide it, and
// "without" elsewhere.
func (v *view) evidence(r row) string {
	if r.Config.Schema.HideEvidence || !slices.ContainsFunc(v.questionsOf(datasetOf(r)), func(q record.Question) bool { return q.Evidence != "" }) {
		return "without"
	}
	return "with"
}
