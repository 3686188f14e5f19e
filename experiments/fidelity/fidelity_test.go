package fidelity

import (
	"io/fs"
	"slices"
	"strings"
	"testing"

	"assay/configs"
	"assay/experiments/catalog"

	"github.com/BurntSushi/toml"
)

// loaded is an embedded experiment, whether or not its data set is here.
func loaded(t *testing.T, name string, set ...string) configs.Experiment {
	t.Helper()
	e, err := configs.Load(name, catalog.Known, configs.Options{Set: set, Unset: true})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestPapers: every file is read whole, every fact says what it is about and where it is from, and either compares a key or
// states a class.
func TestPapers(t *testing.T) {
	names, err := fs.Glob(files, "papers/*.toml")
	if err != nil || len(names) != len(papers()) {
		t.Fatal(err, names)
	}
	for _, name := range names {
		b, err := files.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var p paper
		if meta, err := toml.Decode(string(b), &p); err != nil || len(meta.Undecoded()) > 0 {
			t.Errorf("%s: %v, unknown keys %v", name, err, meta.Undecoded())
		}
		if name != "papers/"+p.ID+".toml" || p.Cite == "" || p.Name == "" || len(p.Facts) == 0 {
			t.Errorf("%s: paper = %q, cite = %q, %d facts", name, p.ID, p.Cite, len(p.Facts))
		}
		for _, f := range p.Facts {
			bad := func(why string) { t.Errorf("%s: %q: %s", name, f.What, why) }
			table, _, _ := strings.Cut(f.Key, ".")
			tables := []string{"model", "schema", "exemplars", "values", "columns", "synthetic", "fixer", "selection", "agent", "embeddings", "stages", "params"}
			switch {
			case f.What == "" || f.Where == "":
				bad("it lacks what or where")
			case (f.Key == "") == (f.Class == ""):
				bad("it has a key or a class")
			case f.Class != "" && (!slices.Contains(Classes, f.Class) || f.Here == "" || len(f.Want)+len(f.StandIn) > 0):
				bad("a class is one of Classes, with what is done here")
			case (f.Class == NotStated) != (f.Says == "" && f.Class != ""):
				bad("a fact that the paper does not state has no text of it")
			case f.Says == "" && len(f.Want)+len(f.StandIn) > 0:
				bad("nothing is published where the paper says nothing")
			case f.Key != "" && derived[f.Key] == nil && !slices.Contains(tables, table):
				bad("there is no key " + f.Key)
			case f.Class != "" && slices.Contains([]string{StandIn, Differs}, f.Class) && f.Why == "":
				bad("it does not say why")
			}
		}
	}
}

// TestEveryPaperExperiment: each embedded experiment of a paper has a sheet that names its model, its data and where each row is
// from, and each fact stands in the sheet of one of them.
func TestEveryPaperExperiment(t *testing.T) {
	used, repeated := map[string]bool{}, map[string]bool{}
	for _, in := range configs.Names() {
		prefix, _, _ := strings.Cut(in.Name, "-")
		e := loaded(t, in.Name)
		rows := Of(e)
		of := slices.Contains([]string{"tai", "chase", "it2s", "rivals"}, prefix)
		if of != (len(rows) > 0) {
			t.Errorf("%s has %d rows", in.Name, len(rows))
		}
		s := read(e)
		for _, p := range papers() {
			repeated[p.ID] = repeated[p.ID] || p.repeatedBy(e)
			for i, f := range p.Facts {
				if p.repeatedBy(e) && len(f.rows(s)) > 0 {
					used[p.ID+string(rune('a'+i))] = true
				}
			}
		}
		for _, r := range rows {
			if r.Here == "" || r.Where == "" || r.Class == Differs && r.Why == "" || strings.Contains(r.Here, "not set") && r.Class != NotStated {
				t.Errorf("%s: %+v", in.Name, r)
			}
		}
		if of && prefix != "rivals" && !slices.ContainsFunc(rows, func(r Row) bool { return strings.HasPrefix(r.What, "data") }) {
			t.Errorf("%s: no row of its data", in.Name)
		}
	}
	for _, p := range papers() {
		for i, f := range p.Facts {
			if !used[p.ID+string(rune('a'+i))] && repeated[p.ID] {
				t.Errorf("%s: %q is in no sheet", p.ID, f.What)
			}
		}
	}
}

// TestOverridesChangeTheSheet: what can be compared is compared with the experiment as resolved.
func TestOverridesChangeTheSheet(t *testing.T) {
	check := func(name, what, class, here string, set ...string) {
		t.Helper()
		var got []string
		for _, r := range Of(loaded(t, name, set...)) {
			if r.What == what {
				got = append(got, r.Class+": "+r.Here)
			}
		}
		if s := strings.Join(got, "; "); s != class+": "+here {
			t.Errorf("%s %v: %s: %q", name, set, what, s)
		}
	}
	check("it2s-table2", "temperature", Published, "0.7")
	check("it2s-table2", "temperature", Differs, "0.2", "model.temperature=0.2")
	check("it2s-table2", "model", StandIn, "baseline")
	check("it2s-table2", "model", Published, "gpt-4o-2024-05-13", "model.provider=openai", "model.name=gpt-4o-2024-05-13")
	check("it2s-table2", "stop", Published, `\nObservation, \nThought, [END]`)
	check("it2s-table2", "data", StandIn, "sample", "dataset.kind=sample")
	check("it2s-table8", "completions a turn, n", Published, "3 (interactive); differs: 1 (released)")
	check("chase-table6", "temperature of candidates", Published, "0.5, 1.8")
	check("chase-table6", "temperature of candidates", Differs, "0.7", "sweep.temperature=[0.7]")
	check("chase-table7", "tries of the fixer", Published, "3")
	check("chase-table7", "value retrieval, row without LSH", Published, "false")
	check("chase-table2", "comparisons of a pair", Differs, "1", "selection.directions=1")
	check("chase-table2", "model of selection", StandIn, "baseline, not tuned")
	check("tai-table1", "choice of demonstrations, G3", StandIn, "G3")
	check("tai-table1", "input", Differs, "createtable", "schema.format=createtable")
	check("chase-table9", "correction of a candidate", Published, "none")
	check("chase-table9", "correction of a candidate", Differs, "3 tries at most", "fixer.tries=3")
	check("chase-table2", "generators", Differs, "qp-cot", `arm.chase.generators=["qp-cot"]`)
	check("chase-table2", "query fixer", Differs, "none", "fixer.tries=0")
	check("chase-table7", "query fixer", Published, "3 tries at most")
	check("chase-table2", "rule of selection", Differs, "consistency-first", "selection.rule=consistency-first")
	check("chase-table7", "rule of selection", Published, "pairwise")
	check("chase-table2", "similarity of values", StandIn, "offline")
	check("chase-table2", "similarity of values", Published, "nomic-text", "embeddings.provider=openai", "embeddings.name=nomic-text")
	check("rivals", "similarity of values", Differs, "text-embedding-3-large", "embeddings.provider=openai", "embeddings.name=text-embedding-3-large")
	check("rivals", "pool", StandIn, "of train", "exemplars.file=train")
	check("tai-table2", "data", Published, "geography, imdb, yelp")
	check("tai-table2", "data", StandIn, "sample", "dataset.kind=sample")
	check("tai-table1", "runs per row", Published, "12", "seeds=[0,1,2,3,4,5,6,7,8,9,10,11]")
	check("tai-table1", "runs per row", Differs, "1", "seeds=[0]")
	check("tai-exemplars", "annotated demonstrations", StandIn, "of train; differs: none")
	check("chase-divisions", "demonstrations of the generators", StandIn, "of sample, of train; differs: none")
	check("chase-divisions", "data", Published, "bird/dev", "dataset.kind=bird", "dataset.path=/data")
	check("tai-exemplars", "input", Published, "apidocs, createtable")
	check("tai-variance", "input", Published, "apidocs")
	check("tai-table1", "test suites", StandIn, "none: one database each")
	check("it2s-table10", "data", StandIn, "sample", "dataset.kind=sample")
	const compared = "text of a column that is compared"
	large := []string{"embeddings.provider=openai", "embeddings.name=text-embedding-3-large"}
	check("it2s-table3", compared, StandIn, "words of name, table and description")
	check("it2s-table2", compared, Published, "a sentence with both names", large...)
	check("it2s-table3", compared, Differs, "a sentence with both names, no description", large...)
	check("it2s-table2", "which query is the answer", Differs, "last-non-star", "agent.preset=code")
	if rows := Of(loaded(t, "quickstart")); rows != nil {
		t.Errorf("quickstart repeats no paper: %v", rows)
	}
}

func TestMatch(t *testing.T) {
	check := func(pattern, value string, want bool) {
		t.Helper()
		if anyMatch([]string{pattern}, value) != want {
			t.Errorf("%q matches %q: not %v", pattern, value, want)
		}
	}
	check("ex", "ex", true)
	check("ex", "ex-bird", false)
	check("Gemini-1.5*", "gemini-1.5-pro-002", true)
	check("*-g3", "qdecomp-g3", true)
	check("*embedding*", "my-embedding-3", true)
	check("*", "", false)
	check("*", "x", true)
	check("", "", true)
	check("!none*", "none: one", false)
	check("!none*", "suite", true)
	check("!none*", "", false)
	check("", "x", false)
}

func TestGist(t *testing.T) {
	rows := []Row{{Class: Differs}, {Class: Published}, {Class: Differs}}
	if got := Gist(rows); got != "1 as published, 2 differs" {
		t.Error(got)
	}
	if got := Gist(nil); got != "" {
		t.Error(got)
	}
}
