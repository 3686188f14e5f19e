package exemplar

import (
	"context"
	"fmt"
	"math"
	"regexp"
	"sort"
	"strings"
	"unicode"

	"assay/configs"
	"assay/prompting/sql/schema"
)

// SimilarityName is what reports call the measure that strategy similarity compares questions by.
const SimilarityName = "TF-IDF over words and pairs of words of masked questions (offline, no embedding model)"

// similar takes the k demonstrations whose questions are nearest to the query's. The nearest comes last, next to the
// question in the prompt. Questions are compared by the cosine of their TF-IDF vectors over words and pairs of words,
// after masking the words of each one's own schema, quoted text, numbers and names, so that the form of the question
// counts and not its subject. It draws nothing; of equally near ones the lower id comes first.
func (p *Pool) similar(q Query, _ int64, cfg configs.Exemplars) []Demo {
	p.once.Do(func() { p.index = newIndex(p.demos) })
	v := p.index.vector(terms(q.Text, q.Schema))
	return p.best(q, cfg.K, func(i int) float64 { return cosine(v, p.index.vectors[i]) })
}

// best takes the k demonstrations of the highest scores, the highest last.
func (p *Pool) best(q Query, k int, score func(i int) float64) []Demo {
	var hits []hit
	for i, d := range p.demos {
		if q.takes(d) {
			hits = append(hits, hit{i, score(i)})
		}
	}
	sort.SliceStable(hits, func(i, j int) bool { return hits[i].score > hits[j].score })
	hits = hits[:min(k, len(hits))]
	out := make([]Demo, len(hits))
	for i, h := range hits {
		out[len(hits)-1-i] = p.demos[h.at]
	}
	return out
}

// nearest is similar by the query's own measure of masked questions, as DAIL-SQL compares them by an embedding model.
func (p *Pool) nearest(ctx context.Context, q Query, k int) ([]Demo, error) {
	p.masking.Do(func() {
		for _, d := range p.demos {
			p.masked = append(p.masked, maskedText(d.Question, d.Schema))
		}
	})
	near, err := q.Nearness(ctx, maskedText(q.Text, q.Schema), p.masked)
	if err == nil && len(near) != len(p.demos) {
		err = fmt.Errorf("%d similarities of %d demonstrations", len(near), len(p.demos))
	}
	if err != nil {
		return nil, err
	}
	return p.best(q, k, func(i int) float64 { return math.Round(float64(near[i])*1e6) / 1e6 }), nil // what float32 is sure of
}

// maskedText is the text of a question that is compared.
func maskedText(question string, db *schema.Database) string {
	return strings.Join(masked(question, db), " ")
}

// hit is a demonstration with its similarity.
type hit struct {
	at    int
	score float64
}

// weight is one term of a vector. Vectors are sorted by term and have length 1, so that sums are computed in one order
// and ties are ties on every machine.
type weight struct {
	term string
	w    float64
}

// index holds the vectors of a pool's questions.
type index struct {
	idf     map[string]float64
	unseen  float64
	vectors [][]weight
}

// newIndex weights terms by their rarity among the demonstrations.
func newIndex(demos []Demo) *index {
	docs, count := make([][]string, len(demos)), map[string]int{}
	for i, d := range demos {
		docs[i] = terms(d.Question, d.Schema)
		seen := map[string]bool{}
		for _, t := range docs[i] {
			if !seen[t] {
				seen[t] = true
				count[t]++
			}
		}
	}
	n := float64(len(demos))
	x := &index{idf: map[string]float64{}, unseen: math.Log(1 + n)}
	for t, c := range count {
		x.idf[t] = math.Log(1 + n/float64(c))
	}
	for _, d := range docs {
		x.vectors = append(x.vectors, x.vector(d))
	}
	return x
}

// vector returns the weighted terms of one question.
func (x *index) vector(terms []string) []weight {
	tf := map[string]float64{}
	for _, t := range terms {
		tf[t]++
	}
	out := make([]weight, 0, len(tf))
	for t, n := range tf {
		idf, ok := x.idf[t]
		if !ok {
			idf = x.unseen
		}
		out = append(out, weight{t, n * idf})
	}
	sort.Slice(out, func(i, j int) bool { return out[i].term < out[j].term })
	sum := 0.0
	for _, w := range out {
		sum += w.w * w.w
	}
	for i := range out {
		out[i].w /= math.Sqrt(sum)
	}
	return out
}

// cosine returns the product of two vectors of length 1.
func cosine(a, b []weight) float64 {
	sum := 0.0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i].term == b[j].term:
			sum += a[i].w * b[j].w
			i++
			j++
		case a[i].term < b[j].term:
			i++
		default:
			j++
		}
	}
	return sum
}

var (
	quotedText = regexp.MustCompile(`"[^"]*"|'[^']+'(?:\W|$)|“[^”]*”|‘[^’]*’`)
	word       = regexp.MustCompile(`[\p{L}\p{N}]+(?:['’]\p{L}+)?`)
	camel      = regexp.MustCompile(`([\p{Ll}\p{N}])(\p{Lu})`)
)

// terms returns a question's masked words and their neighbouring pairs.
func terms(question string, db *schema.Database) []string {
	out := masked(question, db)
	for i, n := 1, len(out); i < n; i++ {
		out = append(out, out[i-1]+" "+out[i])
	}
	return out
}

// masked returns the words of a question in small letters, a name of the schema as <name>, and a value as <value>.
func masked(question string, db *schema.Database) []string {
	own := schemaWords(db)
	words := word.FindAllString(quotedText.ReplaceAllString(question, " 0quoted0 "), -1)
	out := make([]string, len(words))
	for i, w := range words {
		switch r := []rune(w); {
		case w == "0quoted0" || unicode.IsDigit(r[0]):
			out[i] = "<value>"
		case own[stem(strings.ToLower(w))]:
			out[i] = "<name>"
		case i > 0 && unicode.IsUpper(r[0]):
			out[i] = "<value>"
		default:
			out[i] = strings.ToLower(w)
		}
	}
	return out
}

// schemaWords returns the stems of the words that table and column names consist of.
func schemaWords(db *schema.Database) map[string]bool {
	out := map[string]bool{}
	if db == nil {
		return out
	}
	add := func(name string) {
		name = strings.ReplaceAll(camel.ReplaceAllString(name, "$1 $2"), "_", " ")
		for _, w := range word.FindAllString(name, -1) {
			if len(w) > 2 { // shorter words such as "id", "no" and "of" say nothing
				out[stem(strings.ToLower(w))] = true
			}
		}
	}
	for _, t := range db.Tables {
		add(t.Name)
		for _, c := range t.Columns {
			add(c.Name)
		}
	}
	return out
}

// stem removes the most common endings of an English plural.
func stem(w string) string {
	switch {
	case len(w) > 4 && strings.HasSuffix(w, "ies"):
		return w[:len(w)-3] + "y"
	case len(w) > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss"):
		return w[:len(w)-1]
	}
	return w
}
