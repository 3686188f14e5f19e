package paper

import (
	"fmt"
	"slices"
	"strings"

	"assay/configs"
	"assay/experiments/public"
	"assay/experiments/record"
	"assay/plots/table"
)

func isText2SQL(v *view) bool { return v.run.Resolved.Dataset.Kind == "text2sql" }

// isPublic reports whether the run's questions are of the databases of the public dataset whose name it has.
func (v *view) isPublic() bool {
	var dbs []string
	for _, q := range v.run.Questions {
		dbs = append(dbs, q.DB)
	}
	return public.Is(v.run.Manifest.Dataset, dbs)
}

// whose names the run's items in a sentence that sets them apart from the published ones.
func (v *view) whose() string {
	if !v.isPublic() {
		return "of other databases in the form of " + v.run.Manifest.Dataset
	}
	return v.run.Manifest.Dataset
}

func whyNoTable1(v *view) string {
	if v.metric("ts") < 0 {
		return "it needs the metric ts"
	}
	if v.leveling != "hardness" || len(v.levels) == 0 {
		return "its items have no hardness"
	}
	return ""
}

// impossible is said wherever the published row is shown.
const impossible = "The published CoT row has TS 56.8 above EX 53.9, which one comparator cannot give (a suite includes the original database): the paper's two columns do not come from the same one."

// table1 is TS by hardness, then TS and EX overall, the published values beside.
func table1(v *view) (Output, error) {
	pub, err := readPublished("tai2023-table1.csv")
	if err != nil {
		return Output{}, err
	}
	split, questions := "dev", 1034
	if v.run.Manifest.Dataset == "spider/realistic" {
		split, questions = "realistic", 508
	}
	with := v.repeats(pub)
	ts := v.display("ts")
	title := ts + " by hardness, and TS (EX) overall"
	if ts != "TS" {
		title = ts + " by hardness and overall"
	}
	t := v.table("tai2023/table1", title, v.table1Columns(pub, split, with))
	t.Notes = v.notes(v.spread(), v.levelNote())
	if with {
		t.Notes = append(t.Notes, v.suiteNote())
		t.Notes = append(t.Notes, v.publishedNote(fmt.Sprintf("Codex on the %d questions of Spider %s", questions, split), v.elsewhere("spider/"+split)))
		if split == "dev" && slices.ContainsFunc(v.rows, func(r row) bool { return taiMethod(r.arm) == "cot" }) {
			t.Notes = append(t.Notes, impossible)
		}
	}
	return Output{Table: t}, nil
}

// table1Columns are a group a hardness, and one overall. By hardness the paper has Spider dev alone.
func (v *view) table1Columns(pub published, split string, with bool) (out []column) {
	ts, ex := v.metric("ts"), v.metric("ex")
	printed := func(column string) func(row) table.Cell {
		return func(r row) table.Cell { return pub.cell(taiMethod(r.arm), column, 1) }
	}
	parens := func(c column) column {
		c.Parens = true
		return c
	}
	head := v.display("ts")
	for _, l := range configs.Levels.IDs() {
		out = append(out, accuracy(l, head, func(r row) table.Cell { return v.mean(r, ts, v.atLevel(l), 1) }))
		if with && split == "dev" {
			out = append(out, beside(l, "TS", printed(l+"_ts")))
		}
	}
	out = append(out, accuracy("overall", head, func(r row) table.Cell { return v.mean(r, ts, nil, 1) }))
	if ex >= 0 && head == "TS" {
		out = append(out, parens(accuracy("overall", "EX", func(r row) table.Cell { return v.mean(r, ex, nil, 1) })))
	}
	if with {
		out = append(out, beside("overall", "TS", printed(split+"_ts")), parens(beside("overall", "EX", printed(split+"_ex"))))
	}
	return out
}

// suiteNote says what published TS and this run's have to do with each other.
func (v *view) suiteNote() string {
	switch v.noSuite("ts") {
	case record.AllItems:
		return "Published TS is over the test suites of Zhong et al. (2020). No item here has a suite, so that this run's numbers are EX: published TS is another metric, and only published EX is of the same."
	case record.SomeItems:
		return "Published TS is over the test suites of Zhong et al. (2020). Here some databases have no suite and are judged on themselves alone, so that this run's TS is not the published metric."
	}
	return "Published TS is over the test suites of Zhong et al. (2020): it is this run's metric only where dataset.suite holds those."
}

// repeats reports whether any arm is one of the paper's.
func (v *view) repeats(p published) bool {
	return slices.ContainsFunc(v.rows, func(r row) bool { return p.has(taiMethod(r.arm)) })
}

// publishedNote says whose the published numbers are, and why they cannot be compared with this run's; "" for no reason.
func (v *view) publishedNote(what, elsewhere string) string {
	s := fmt.Sprintf("Published: %s, with %s; another model, not this run's.", tai, what)
	if elsewhere != "" {
		s += " " + cannot(elsewhere)
	}
	return s
}

// levelNote counts the items of each level.
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

// widest is how many sets a table shows as columns.
const widest = 12

func whyNoTable2(v *view) string {
	if len(v.sets) > widest {
		return fmt.Sprintf("it has a column a set or database, and the run has %d (at most %d)", len(v.sets), widest)
	}
	return ""
}

// taiSets names the paper's sets by text2sql-data's names.
var taiSets = map[string]string{"geography": "geoquery", "geo": "geoquery", "geoquery": "geoquery", "imdb": "imdb", "yelp": "yelp"}

// table2 is the headline metric on each set, and the mean over the sets, the published values beside.
func table2(v *view) (Output, error) {
	pub, err := readPublished("tai2023-table2.csv")
	if err != nil {
		return Output{}, err
	}
	metric := v.display(v.ids[0])
	known := func(set string) bool { return taiSets[set] != "" }
	unknown := func(set string) bool { return !known(set) }
	with := v.repeats(pub) && slices.ContainsFunc(v.sets, known)
	printed := func(column string) func(row) table.Cell {
		return func(r row) table.Cell { return pub.cell(taiMethod(r.arm), column, 2) }
	}
	var columns []column
	for _, s := range v.sets {
		columns = append(columns, accuracy(s, metric, func(r row) table.Cell { return v.mean(r, 0, inSet(s), 2) }))
		if with && known(s) {
			columns = append(columns, beside(s, "", printed(taiSets[s])))
		}
	}
	columns = append(columns, accuracy("macro average", metric, v.macro))
	if with && len(v.sets) == 3 && !slices.ContainsFunc(v.sets, unknown) {
		columns = append(columns, beside("macro average", "", printed("macro_avg")))
	}
	t := v.table("tai2023/table2", metric+" by set", columns)
	t.Notes = v.notes(v.spread(), "The macro average is the mean over the sets, each counting the same; blank where a set has no score.")
	if with {
		elsewhere := ""
		if !isText2SQL(v) {
			elsewhere = "This run's items are " + v.whose()
		}
		t.Notes = append(t.Notes, v.publishedNote("Codex", elsewhere),
			"The paper does not say whether these are TS or EX.")
	}
	return Output{Table: t}, nil
}

// macro is the mean over the sets within each seed, then over seeds. It is blank unless every set was scored in each.
func (v *view) macro(r row) table.Cell {
	sums, scores := make([]float64, len(r.seeds)), 0
	for _, s := range v.sets {
		all, n := shares(v.scores(r, 0, inSet(s)))
		if len(all) != len(r.seeds) {
			return table.Cell{}
		}
		scores += n
		for i := range sums {
			sums[i] += all[i] / float64(len(v.sets))
		}
	}
	return table.Measured(summary(sums, scores, 2))
}
