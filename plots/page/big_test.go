package page

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"

	"assay/configs"
	"assay/experiments/record"
	"assay/metrics"
)

// fabric makes a run of about the lengths that runs on BIRD's dev set have: 11 databases, prompts with their schema in
// an order of its own for each candidate, completions that reason before they answer, and pairwise selection.
type fabric struct {
	rng        *rand.Rand
	words      []string
	schemas    [][]string // of each database, its tables' texts
	shots      [3]string  // demonstrations by generator
	run        *record.Run
	exchanges  map[string]func() Exchange
	candidates int
}

var generators = [3]string{"dc-cot", "qp-cot", "os"}

// bigRun makes a run of so many items with so many candidates each, and its texts.
func bigRun(items, candidates int) (*record.Run, Texts) {
	f := fabric{rng: rand.New(rand.NewPCG(1, 2)), run: &record.Run{}, exchanges: map[string]func() Exchange{}, candidates: candidates}
	for range 3000 {
		f.words = append(f.words, f.word())
	}
	for db := range 11 {
		var tables []string
		for t := range 8 {
			tables = append(tables, f.table(db, t))
		}
		f.schemas = append(f.schemas, tables)
	}
	for i := range f.shots {
		f.shots[i] = f.text(9000 / 7)
	}
	f.run.Manifest = record.Manifest{ID: "0123456789", Experiment: "big", Complete: true, Items: items, Metrics: []record.Metric{{ID: "ex", Fingerprint: "ex"}}}
	f.run.Resolved.Arms = []configs.Arm{{Name: "chase"}}
	for i := range items {
		f.item(i, i*11/items)
	}
	return f.run, func(key string, _ bool) (Exchange, bool, error) {
		x, ok := f.exchanges[key]
		if !ok {
			return Exchange{}, false, nil
		}
		return x(), true, nil
	}
}

func (f *fabric) word() string {
	b := make([]byte, 3+f.rng.IntN(7))
	for i := range b {
		b[i] = byte('a' + f.rng.IntN(26))
	}
	return string(b)
}

// text is n words, the frequent ones more often, on lines of a dozen.
func (f *fabric) text(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(f.words[int(float64(len(f.words))*f.rng.Float64()*f.rng.Float64()*f.rng.Float64())])
		b.WriteString([]string{" ", "\n"}[min(1, i%12/11)])
	}
	return b.String()
}

func (f *fabric) table(db, t int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "CREATE TABLE t%d_%s\n(\n", t, f.word())
	for range 11 {
		fmt.Fprintf(&b, "    %s TEXT, -- %s, Example Values: `%s`, `%s`, `%s`\n", f.word(), strings.TrimSpace(f.text(4)), f.word(), f.word(), f.word())
	}
	b.WriteString(");\n\n")
	return b.String()
}

func (f *fabric) item(i, db int) {
	id := fmt.Sprintf("bird/dev/%d", i)
	gold := f.sql()
	f.run.Questions = append(f.run.Questions, record.Question{Item: id, DB: fmt.Sprintf("database_%d", db), Question: f.text(16), Evidence: f.text(14),
		Gold: gold, Difficulty: []string{"simple", "moderate", "challenging"}[f.rng.IntN(3)], GoldDigest: "gold"})
	pool := []string{gold, f.sql(), f.sql(), f.sql(), f.sql(), f.sql()}
	for d := range pool {
		lines, _ := json.Marshal([][]string{{f.word(), f.word()}, {f.word(), f.word()}, {f.word(), f.word()}, {f.word(), f.word()}})
		f.run.Results = append(f.run.Results, record.Result{Item: id, Digest: digest(d), Rows: 3, Preview: string(lines)})
	}
	question := f.run.Questions[i].Question
	f.call(id, "keywords", 0, []string{f.text(60)}, question, f.text(12))
	best := f.rng.IntN(f.candidates)
	for c := range f.candidates {
		g, sample := c%3, c/3
		of := f.rng.IntN(len(pool))
		status := metrics.Wrong
		if of == 0 {
			status = metrics.Correct
		}
		row := record.Candidate{Item: id, Arm: "chase", Sample: sample, Generator: generators[g], Status: status, SQL: pool[of], Digest: digest(of), Rule: "tag"}
		if c == best {
			row.Chosen = 1
			f.run.Items = append(f.run.Items, record.Item{Item: id, DB: fmt.Sprintf("database_%d", db), Arm: "chase", Status: status, SQL: row.SQL,
				Values: []record.Value{{V: 1, OK: true}}, Choice: "pairwise"})
		}
		f.run.Candidates = append(f.run.Candidates, row)
		var schema []string
		for _, t := range f.rng.Perm(len(f.schemas[db])) {
			schema = append(schema, f.schemas[db][t])
		}
		f.call(id, generators[g]+": generate", sample, append([]string{f.shots[g]}, schema...), question, f.text(120)+row.SQL)
	}
	f.votes(id, pool, strings.Join(f.schemas[db], ""), question)
}

func digest(d int) string {
	if d == 0 {
		return "gold"
	}
	return fmt.Sprintf("%016x", d)
}

func (f *fabric) sql() string {
	return fmt.Sprintf("SELECT T1.%s, T2.%s FROM %s AS T1 JOIN %s AS T2 ON T1.%s = T2.%s WHERE T1.%s = '%s' AND T2.%s > %d ORDER BY T1.%s DESC LIMIT 1",
		f.word(), f.word(), f.word(), f.word(), f.word(), f.word(), f.word(), f.word(), f.word(), f.rng.IntN(5000), f.word())
}

// call adds a call whose prompt is some texts and the question.
func (f *fabric) call(item, stage string, sample int, parts []string, question, completion string) string {
	key := fmt.Sprintf("sha256:%064x", len(f.run.Calls))
	f.run.Calls = append(f.run.Calls, record.Call{Item: item, Arm: "chase", Stage: stage, Sample: sample, Key: key, PromptTokens: record.CountOf(4000), CompletionTokens: record.CountOf(200)})
	f.exchanges[key] = func() Exchange {
		return Exchange{Messages: []Message{{"system", "You turn questions into queries."}, {"user", strings.Join(parts, "") + "Question: " + question}}, Completion: completion, Finish: "stop"}
	}
	return key
}

// votes compares each candidate with each, in both orders; a model decides one of eight.
func (f *fabric) votes(item string, pool []string, schema, question string) {
	for a := range f.candidates {
		for b := range f.candidates {
			if a == b {
				continue
			}
			v := record.Vote{Item: item, Arm: "chase", A: a, B: b, Winner: []int{a, b}[f.rng.IntN(2)], DecidedBy: "execution"}
			if f.rng.IntN(8) == 0 {
				v.DecidedBy = "model"
				v.Key = f.call(item, "choose", 0, []string{schema, "A: ", pool[f.rng.IntN(len(pool))], "\nB: ", pool[f.rng.IntN(len(pool))], "\n"}, question, "A")
			}
			f.run.Votes = append(f.run.Votes, v)
		}
	}
}
