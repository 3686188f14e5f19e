package recall

import (
	"context"
	"math/rand/v2"
	"slices"
	"unicode"

	"assay/experiments/dataset"
	"assay/metrics/linking"
	"assay/prompting/draw"
	"assay/prompting/pipeline"
	"assay/prompting/relevance"
	"assay/prompting/sql/schema"
	"assay/prompting/tools"
	"assay/prompting/values"
)

// asked is what a question's columns are looked up by: the question with its evidence.
func asked(x dataset.Example) string {
	if x.Question.Evidence == "" {
		return x.Question.Text
	}
	return x.Question.Text + " " + x.Question.Evidence
}

// byQuestion asks SearchColumn with the question as the one description.
func (w *work) byQuestion(ctx context.Context, x dataset.Example, g linking.Gold) ([]Look, error) {
	return w.searched(ctx, x, g, []string{asked(x)})
}

// byPhrases asks SearchColumn with the question's phrases as a list of descriptions. An agent's descriptions are a model's words;
// these are as near as rules come.
func (w *work) byPhrases(ctx context.Context, x dataset.Example, g linking.Gold) ([]Look, error) {
	return w.searched(ctx, x, g, relevance.Phrases(asked(x)))
}

func (w *work) searched(ctx context.Context, x dataset.Example, g linking.Gold, descriptions []string) ([]Look, error) {
	s, err := tools.New(x.Question.Schema, x.Question.Database, w.box, tools.Options{TopK: w.o.Deepest, Vectors: w.o.Embedder, Without: w.o.unranked, Cache: w.cache})
	if err != nil {
		return nil, err
	}
	found, err := s.Columns(ctx, descriptions)
	return w.places(g.Columns, found), err
}

// places returns the look of each wanted column.
func (w *work) places(wanted, found []schema.ColumnName) (out []Look) {
	for _, c := range wanted {
		at := slices.IndexFunc(found, func(f schema.ColumnName) bool { return f.Folded() == c.Folded() })
		out = append(out, Look{Gold: c.Dotted(), Rank: w.rank(at)})
	}
	return out
}

// rank is the place of an index from 0; 0 for one below, or too deep.
func (w *work) rank(at int) int {
	if at < 0 || at >= w.o.Deepest {
		return 0
	}
	return at + 1
}

// described retrieves descriptions as an arm with schema.descriptions does.
func (w *work) described(ctx context.Context, x dataset.Example, g linking.Gold) ([]Look, error) {
	var all, found, wanted []schema.ColumnName
	said := map[schema.ColumnName]bool{}
	for _, t := range x.Question.Schema.Tables {
		for _, c := range t.Columns {
			name := schema.ColumnName{Table: t.Name, Column: c.Name}
			all = append(all, name)
			said[name.Folded()] = c.Meaning+c.Description+c.Values != ""
		}
	}
	for _, c := range g.Columns {
		if said[c.Folded()] {
			wanted = append(wanted, c)
		}
	}
	if len(wanted) == 0 {
		return nil, nil
	}
	at, err := pipeline.Descriptions(ctx, x.Question, w.o.Deepest, w.o.Embedder)
	for _, i := range at {
		found = append(found, all[i])
	}
	return w.places(wanted, found), err
}

// stored looks up values as an arm with values.use does, for the texts that a column of the gold query holds.
func (w *work) stored(ctx context.Context, x dataset.Example, g linking.Gold) ([]Look, error) {
	wanted, err := w.held(ctx, x, g)
	if err != nil || len(wanted) == 0 {
		return nil, err
	}
	return w.found(ctx, x, wanted)
}

// misspelt looks up values for the question with the first mention of each misspelt. Evidence, which may spell them, is not asked
// with.
func (w *work) misspelt(ctx context.Context, x dataset.Example, g linking.Gold) ([]Look, error) {
	held, err := w.held(ctx, x, g)
	if err != nil {
		return nil, err
	}
	var wanted []string
	r := draw.Rand(0, "misspell", x.Question.ID)
	for _, text := range held {
		if q := misspell(r, x.Question.Text, text); q != x.Question.Text {
			wanted, x.Question.Text = append(wanted, text), q
		}
	}
	if len(wanted) == 0 {
		return nil, nil
	}
	x.Question.Evidence = ""
	return w.found(ctx, x, wanted)
}

// leastLetters is the length of the texts that are misspelt: of shorter ones too little would be left.
const leastLetters = 4

// misspell swaps two letters, or drops or doubles one, in the first mention of a text in a question, letter case aside. The
// question is returned as it is where it does not mention the text, or the text is short.
func misspell(r *rand.Rand, question, text string) string {
	q, lower, wanted := []rune(question), runes(question), runes(text)
	if len(wanted) < leastLetters {
		return question
	}
	for at := 0; at+len(wanted) <= len(q); at++ {
		if !slices.Equal(lower[at:at+len(wanted)], wanted) {
			continue
		}
		i := at + 1 + r.IntN(len(wanted)-2)
		switch n := r.IntN(3); {
		case n == 0 && q[i] != q[i+1]:
			q[i], q[i+1] = q[i+1], q[i]
			return string(q)
		case n <= 1:
			return string(slices.Delete(q, i, i+1))
		}
		return string(slices.Insert(q, i, q[i]))
	}
	return question
}

// runes returns the letters of a text, each in lower case.
func runes(s string) []rune {
	out := []rune(s)
	for i, r := range out {
		out[i] = unicode.ToLower(r)
	}
	return out
}

// found returns the place of each wanted text among the values found for a question.
func (w *work) found(ctx context.Context, x dataset.Example, wanted []string) ([]Look, error) {
	index, err := w.open(ctx, x)
	if err != nil {
		return nil, err
	}
	matches, err := index.Find(ctx, values.Query{Question: x.Question.Text, Evidence: x.Question.Evidence}, w.o.Embedder)
	if err != nil {
		return nil, err
	}
	var all []string
	for _, m := range matches {
		all = append(all, m.Value)
	}
	var out []Look
	for _, text := range wanted {
		out = append(out, Look{Gold: text, Rank: w.rank(linking.Rank(text, all) - 1), Among: len(all)})
	}
	return out, nil
}

// held returns the gold query's texts that one of its columns holds, letter case aside. A text that cannot be looked for is
// left out.
func (w *work) held(ctx context.Context, x dataset.Example, g linking.Gold) (out []string, err error) {
	if x.Question.Database.None() || x.Fault != "" {
		return nil, nil
	}
	for _, text := range g.Texts {
		query := g.Stored(x.Question.Database.Engine.Dialect(), text)
		if query == "" {
			continue
		}
		res, err := w.box.Run(ctx, x.Question.Database, query)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err == nil && res.Rows[0][0].Int64() != 0 {
			out = append(out, text)
		}
	}
	return out, nil
}

// open returns the index of the database's values, opened at the first question that needs it.
func (w *work) open(ctx context.Context, x dataset.Example) (*values.Index, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.index == nil {
		index, err := values.Open(ctx, x.Question.Database, w.o.Values)
		if err != nil {
			return nil, err
		}
		w.index = index
	}
	return w.index, nil
}
