package annotate_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"
	"time"

	"assay/configs"
	"assay/experiments/annotate"
	"assay/experiments/dataset"
	"assay/prompting/exemplar"
	"assay/prompting/sql/sandbox"
)

const dataFolder = "../../../shared/data"

// tally counts what the rules give for the questions of one hardness.
type tally struct {
	questions, steps, several, divided     int
	made, tried, ran, rows                 int // intermediate steps: those with a database are tried
	refused                                map[string]int
	example                                map[string]string
	score                                  float64
	parts, partsRan, assembled, assembleOK int
}

// TestCoverage derives steps for every query of the real data sets, and prints what share there is of each; where
// ASSAY_RUN_STEPS is set it runs them too. It skips what is not there.
func TestCoverage(t *testing.T) {
	path := func(name string) string {
		p, err := filepath.Abs(filepath.Join(dataFolder, name))
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	for _, c := range []struct {
		name    string
		cfg     configs.Dataset
		several float64 // the least share with more than one step
		covered float64 // the least share with any
	}{
		{"Spider train", configs.Dataset{Kind: "spider", Path: path("spider"), Split: "train"}, 0.72, 0.98},
		{"Spider train_others", configs.Dataset{Kind: "spider", Path: path("spider"), Split: "train_others"}, 0.44, 0.58},
		{"Spider dev", configs.Dataset{Kind: "spider", Path: path("spider"), Split: "dev"}, 0.73, 0.99},
		{"GeoQuery", configs.Dataset{Kind: "text2sql", Path: path("classical"), Name: "geography", Split: "train", SplitBy: "query"}, 0.57, 0.98},
		{"IMDB", configs.Dataset{Kind: "text2sql", Path: path("classical"), Name: "imdb", Split: "all"}, 0.79, 0.97},
		{"Yelp", configs.Dataset{Kind: "text2sql", Path: path("classical"), Name: "yelp", Split: "all"}, 0.83, 0.96},
		{"BIRD dev", configs.Dataset{Kind: "bird", Path: path("bird/dev"), Split: "dev", Databases: []string{path("bird/stand_in/database")}}, 0.81, 0.90},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := os.Stat(c.cfg.Path); err != nil {
				t.Skipf("no real data here: %v", err)
			}
			set, err := dataset.Load(context.Background(), c.cfg, dataset.Options{Cache: t.TempDir()})
			if err != nil {
				t.Fatal(err)
			}
			all := measure(t, set.Examples)
			if share := float64(all.several) / float64(all.questions); share < c.several {
				t.Errorf("%.3f have more than one step, and %.3f did", share, c.several)
			}
			if share := float64(all.steps) / float64(all.questions); share < c.covered {
				t.Errorf("%.3f have steps, and %.3f did", share, c.covered)
			}
			if os.Getenv("ASSAY_RUN_STEPS") != "" {
				oneMeaning(t, set.Examples)
			}
		})
	}
}

// oneMeaning holds the steps of a dataset against each other: two of one database that ask the same return the same rows,
// if not as often. Those whose rows have more columns, as where a group is named too, are of another kind.
func oneMeaning(t *testing.T, examples []dataset.Example) {
	type asked struct {
		database, question string
		columns            int
	}
	box, first := sandbox.New(sandbox.Options{}), map[asked][2]string{} // the rows and the SQL
	for _, x := range examples {
		steps, err := annotate.Decompose(x.Question.Text, x.Gold, x.Question.Schema)
		for i := 0; err == nil && i+1 < len(steps) && !x.Question.Database.None(); i++ {
			r, err := box.Run(context.Background(), x.Question.Database, steps[i].SQL)
			if err != nil {
				continue // told by run
			}
			key, now := asked{x.Question.Schema.Name, steps[i].Question, len(r.Columns)}, [2]string{r.SetDigest(), steps[i].SQL}
			if before, ok := first[key]; ok && before[0] != now[0] {
				t.Errorf("%s: %s\n  %s\n  %s", key.database, key.question, before[1], now[1])
			}
			first[key] = now
		}
	}
}

// measure derives and runs, and prints a line per hardness.
func measure(t *testing.T, examples []dataset.Example) *tally {
	box := sandbox.New(sandbox.Options{})
	by := map[string]*tally{}
	at := func(h string) *tally {
		if by[h] == nil {
			by[h] = &tally{refused: map[string]int{}, example: map[string]string{}}
		}
		return by[h]
	}
	var derive time.Duration
	usage := usageOf(examples)
	for _, x := range examples {
		level := x.Hardness
		if level == "" {
			level = x.Difficulty
		}
		start := time.Now()
		d := exemplar.Demo{Question: x.Question.Text, SQL: x.Gold, Schema: x.Question.Schema}
		_, err := annotate.Derive(&d)
		derive += time.Since(start)
		for _, ta := range []*tally{at(level), at("all")} {
			count(ta, d, usage, err)
		}
		if err == nil && !x.Question.Database.None() && os.Getenv("ASSAY_RUN_STEPS") != "" {
			run(t, box, x, d, at(level), at("all"))
		}
	}
	var levels []string
	for h := range by {
		levels = append(levels, h)
	}
	sort.Strings(levels)
	for _, h := range levels {
		ta := by[h]
		n := float64(ta.questions)
		t.Logf("%-11s %5d questions: %.3f with steps, %.3f with more than one, %.3f divided; %d intermediate steps, %d of %d ran, %d with rows, naturalness %.3f; %d parts, %d ran; %d assembled, %d equal the gold query",
			h, ta.questions, float64(ta.steps)/n, float64(ta.several)/n, float64(ta.divided)/n, ta.made, ta.ran, ta.tried, ta.rows, ta.score/max(1, float64(ta.steps)),
			ta.parts, ta.partsRan, ta.assembled, ta.assembleOK)
	}
	for why, n := range by["all"].refused {
		t.Logf("  %4d %s, as %s", n, why, by["all"].example[why])
	}
	t.Logf("  %v per query", derive/time.Duration(max(1, len(examples))))
	return by["all"]
}

func count(ta *tally, d exemplar.Demo, usage *annotate.Usage, err error) {
	ta.questions++
	note := func(why string) {
		ta.refused[why]++
		if ta.refused[why] == 1 {
			ta.example[why] = d.SQL
		}
	}
	if err != nil {
		note("Fill: " + err.Error())
		return
	}
	if len(d.Steps) > 0 {
		ta.steps++
		score, _ := annotate.Naturalness(d.Steps, usage)
		ta.score += score
		last := d.Steps[len(d.Steps)-1]
		if last.SQL != d.SQL || last.Question != d.Question {
			note("the last step is not the question")
		}
	} else {
		_, err := annotate.Decompose(d.Question, d.SQL, d.Schema)
		if r, ok := errors.AsType[*annotate.Refusal](err); ok {
			note(string(r.Reason))
		}
	}
	if len(d.Steps) > 1 {
		ta.several++
		ta.made += len(d.Steps) - 1
	}
	if d.Division != nil {
		ta.divided++
	}
}

// run executes the intermediate steps and the parts of the division.
func run(t *testing.T, box *sandbox.Box, x dataset.Example, d exemplar.Demo, into ...*tally) {
	ctx := context.Background()
	for i := 0; i+1 < len(d.Steps); i++ {
		r, err := box.Run(ctx, x.Question.Database, d.Steps[i].SQL)
		if err != nil {
			t.Errorf("%s: %v: %s", x.Question.ID, err, d.Steps[i].SQL)
		}
		for _, ta := range into {
			ta.tried++
			if err == nil {
				ta.ran++
				if len(r.Rows) > 0 {
					ta.rows++
				}
			}
		}
	}
	if d.Division == nil {
		return
	}
	gold, errGold := box.Run(ctx, x.Question.Database, d.SQL)
	for i, p := range d.Division.Parts {
		r, err := box.Run(ctx, x.Question.Database, p.SQL)
		if err != nil {
			t.Errorf("%s: %v: %s", x.Question.ID, err, p.SQL)
		}
		equal := err == nil && errGold == nil && r.MultisetDigest() == gold.MultisetDigest()
		if i == 0 && errGold == nil && !equal {
			t.Errorf("%s: what is assembled returns something else than %s\n%s", x.Question.ID, d.SQL, p.SQL)
		}
		for _, ta := range into {
			ta.parts++
			if err == nil {
				ta.partsRan++
			}
			if i == 0 && errGold == nil {
				ta.assembled++
				if equal {
					ta.assembleOK++
				}
			}
		}
	}
}

// TestShow prints the derived steps of questions of Spider's training split for reading: as many of each hardness as
// ASSAY_SHOW says, drawn by the seed ASSAY_SEED among those with more than one step.
func TestShow(t *testing.T) {
	n, seed := 0, uint64(0)
	if fmt.Sscan(os.Getenv("ASSAY_SHOW"), &n); n < 1 { //nolint:errcheck // not asked for
		t.Skip("ASSAY_SHOW is not set")
	}
	fmt.Sscan(os.Getenv("ASSAY_SEED"), &seed) //nolint:errcheck // 0 will do
	path, _ := filepath.Abs(filepath.Join(dataFolder, "spider"))
	set, err := dataset.Load(context.Background(), configs.Dataset{Kind: "spider", Path: path, Split: "train"}, dataset.Options{Cache: t.TempDir()})
	if err != nil {
		t.Skip(err)
	}
	usage := usageOf(set.Examples)
	left := map[string]int{"easy": n, "medium": n, "hard": n, "extra": n}
	for _, i := range rand.New(rand.NewPCG(seed, 0)).Perm(len(set.Examples)) {
		x := set.Examples[i]
		steps, err := annotate.Decompose(x.Question.Text, x.Gold, x.Question.Schema)
		if err == nil && len(steps) > 1 && left[x.Hardness] > 0 {
			left[x.Hardness]--
			t.Log(shown(x, usage))
		}
	}
}

// usageOf returns the usage of the questions of a dataset.
func usageOf(examples []dataset.Example) *annotate.Usage {
	var texts []string
	for _, x := range examples {
		texts = append(texts, x.Question.Text)
	}
	return annotate.NewUsage(texts)
}

func shown(x dataset.Example, usage *annotate.Usage) string {
	d := exemplar.Demo{Question: x.Question.Text, SQL: x.Gold, Schema: x.Question.Schema}
	refused, err := annotate.Derive(&d)
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\n  Q: %s\n  %s\n", x.Question.ID, x.Hardness, d.Question, d.SQL)
	for _, s := range d.Steps[:max(0, len(d.Steps)-1)] {
		fmt.Fprintf(&b, "  - %s\n      %s   [%s]\n", s.Question, s.SQL, s.Columns)
	}
	score, why := annotate.Naturalness(d.Steps, usage)
	fmt.Fprintf(&b, "  natural %.2f %q\n", score, why)
	if d.Division != nil {
		for _, p := range d.Division.Parts {
			fmt.Fprintf(&b, "  %s) %s\n      %s\n      %s\n      %s\n", p.Number, p.Question, p.Analysis, p.Pseudo, p.SQL)
		}
		fmt.Fprintf(&b, "  %s\n", d.Division.Simplify)
	}
	fmt.Fprintln(&b, "  ", refused, err)
	return b.String()
}
