// Package relevance ranks the columns of a database by how much a text seems to be about them, offline and without a language
// model.
//
// [New] reads a database's names, and what the dataset says of them, once. [Ranker.Rank] then takes the words of a text, finds
// for each the words of the database that it may stand for (itself, one of the same stem, a short form, one that questions of
// other databases use it for), scores each column by the words of its name, its table and its description, adds how alike text
// and column are spelt, and lists the best columns, each word counting less once a column listed has it. What the score is made
// of is the table [Parts]; [Without] leaves parts out.
//
// The package must never read a row of a database, nor a question or a query of a development or test split; reports of its
// results give [Name].
package relevance

import (
	"math"
	"slices"
	"strings"

	"assay/prompting/sql/schema"
	"assay/prompting/vectors"
)

// Name is what reports call this ranking.
const Name = "words, stems, short forms, spelling, and what words stand for in Spider's training questions (offline, no embedding model)"

// field is a text about a column.
type field int

const (
	inName  field = iota
	inTable       // its table's name
	inNote        // what the dataset says of it
	fields
)

// The weights were chosen on questions of half of Spider's training databases, with the associations of the other half: they
// are not fitted to a development split. See README.md.
var (
	ofWord  = [fields]float64{1, 0.2, 0.6}     // a word of the text that a field has, by its share of the text
	ofField = [fields]float64{0.25, 0.25, 0.1} // a field whose words the text has, by their share of the field
)

const (
	ofSpelling  = 0.65 // cosine of the n-grams
	ofShort     = 0.6  // a short form, of its long one
	ofStandsFor = 0.8  // the strongest association
	ofPrior     = 0.1  // how often columns of that name are used at all
	ofTable     = 0.25 // the same, where the text names the table
	mostWords   = 64   // words of a text that count
)

// longestText is the most bytes of a text, or of what is said of a column, that are read.
const longestText = 10_000

// clip returns the beginning of a text that is read.
func clip(text string) string { return text[:min(len(text), longestText)] }

// Ranker ranks the columns of one database. It is safe for concurrent use.
type Ranker struct {
	off     map[string]bool // parts left out
	columns []column
	terms   []term
	byText  map[string]int
	byStem  map[string][]int
	byFirst map[byte][]int
	model   *vectors.Model
	spelled *vectors.Matrix
}

// term is a word that the database uses, and where.
type term struct {
	word
	rarity float64 // log(1 + columns / columns that have it)
	in     []place
}

// place is a field of a column.
type place struct {
	column int
	field  field
}

// column sums up the words about a column.
type column struct {
	words [fields]float64 // sum of their rarities
	prior float64
}

// New returns the Ranker of a database.
func New(db *schema.Database) *Ranker { return newRanker(db, nil) }

func newRanker(db *schema.Database, off map[string]bool) *Ranker {
	r := &Ranker{off: off, byText: map[string]int{}, byStem: map[string][]int{}, byFirst: map[byte][]int{}}
	var texts []string
	for _, t := range db.Tables {
		for _, c := range t.Columns {
			note := clip(Note(c))
			if off[descriptions] {
				note = ""
			}
			for f, text := range [fields]string{c.Name, t.Name, note} {
				r.add(text, place{len(r.columns), field(f)})
			}
			r.columns = append(r.columns, column{prior: prior(c.Name)})
			texts = append(texts, strings.Join([]string{c.Name, t.Name, note}, " "))
		}
	}
	for i := range r.terms {
		r.weigh(&r.terms[i])
	}
	r.spell(texts)
	return r
}

// add notes the words of a text where they are.
func (r *Ranker) add(text string, at place) {
	for _, w := range wordsOf(text) {
		i, known := r.byText[w.text]
		if !known {
			i = len(r.terms)
			r.terms = append(r.terms, term{word: w})
			r.byText[w.text] = i
			r.byStem[w.stem] = append(r.byStem[w.stem], i)
			r.byFirst[w.text[0]] = append(r.byFirst[w.text[0]], i)
		}
		if t := &r.terms[i]; len(t.in) == 0 || t.in[len(t.in)-1] != at {
			t.in = append(t.in, at)
		}
	}
}

// weigh computes the rarity of a word, and adds it to the columns that have it. Its places are in the order of the
// columns, each once.
func (r *Ranker) weigh(t *term) {
	n := 0
	for i, p := range t.in {
		if i == 0 || t.in[i-1].column != p.column {
			n++
		}
	}
	t.rarity = math.Log(1 + float64(len(r.columns))/float64(n))
	for _, p := range t.in {
		r.columns[p.column].words[p.field] += t.rarity
	}
}

// spell computes the vectors of the columns' spelling.
func (r *Ranker) spell(texts []string) {
	for i, t := range texts {
		texts[i] = Spelt(t)
	}
	r.model = vectors.Fit(vectors.Options{}, texts)
	vs := make([][]float32, len(texts))
	for i, t := range texts {
		vs[i] = r.model.Vector(t)
	}
	r.spelled, _ = vectors.NewMatrix(vs) // one model's vectors have one length
}

// Note returns what the dataset says of a column: its meaning, its description and that of its values; empty where that is no
// more than the name.
func Note(c schema.Column) string {
	var parts []string
	for _, p := range []string{c.Meaning, c.Description, c.Values} {
		if p = strings.TrimSpace(p); p != "" && !slices.Contains(parts, p) {
			parts = append(parts, p)
		}
	}
	if len(parts) == 1 && vectors.Fold(parts[0]) == vectors.Fold(c.Name) {
		return ""
	}
	return strings.Join(parts, "; ")
}
