package tools

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"assay/prompting/relevance"
	"assay/prompting/sql/schema"
	"assay/prompting/vectors"
)

// Bounds of the text about a column.
const (
	longestQuery = 1000 // bytes of a description that count
	longestNote  = 200  // characters shown of what the dataset says of a column
)

// ranking ranks the columns of a database: by the vectors of its columns, in their order, or offline.
type ranking struct {
	columns []columnKey
	vectors *vectors.Matrix   // nil: offline
	offline *relevance.Ranker // nil: by the vectors
}

// columnKey is a column with its name folded, for queries that spell it.
type columnKey struct {
	table, column int
	names         [2]string
}

// named reports whether a spelling is the column's name.
func (k columnKey) named(spelling string) bool {
	return spelling != "" && slices.Contains(k.names[:], spelling)
}

// searchColumn ranks the columns of the database for each description: those that it names first, then by the cosine of
// vectors or, without a model that computes them, as package relevance does; ties in the order of the database. A column that
// several descriptions find is listed once. The best columns of all descriptions come before the second best.
func (s *Set) searchColumn(ctx context.Context, queries []string) (Observation, error) {
	found, err := s.findColumns(ctx, queries)
	if err != nil {
		return Observation{}, err
	}
	var lines []string
	for _, k := range found {
		line, err := s.columnLine(ctx, k)
		if err != nil {
			return Observation{}, err
		}
		lines = append(lines, line)
	}
	return Observation{Text: strings.Join(lines, "\n")}, nil
}

// Columns returns the columns that SearchColumn lists for these descriptions, in its order.
func (s *Set) Columns(ctx context.Context, descriptions []string) ([]schema.ColumnName, error) {
	found, err := s.findColumns(ctx, descriptions)
	if err != nil {
		return nil, fmt.Errorf("tools: search columns: %w", err)
	}
	out := make([]schema.ColumnName, len(found))
	for i, k := range found {
		t := s.db.Tables[k.table]
		out[i] = schema.ColumnName{Table: t.Name, Column: t.Columns[k.column].Name}
	}
	return out, nil
}

func (s *Set) findColumns(ctx context.Context, queries []string) ([]columnKey, error) {
	r, err := s.ranking(ctx)
	if err != nil {
		return nil, err
	}
	queries = slices.Clone(queries)
	for i, q := range queries {
		queries[i] = strings.ToValidUTF8(q[:min(len(q), longestQuery)], " ")
	}
	ranked := make([][]int, len(queries))
	if r.offline != nil {
		for i, q := range queries {
			ranked[i] = r.byWords(q, s.o.TopK)
		}
	} else if ranked, err = r.byVectors(ctx, s.o.Vectors, queries, s.o.TopK); err != nil {
		return nil, err
	}
	var out []columnKey
	for _, at := range rounds(ranked) {
		out = append(out, r.columns[at])
	}
	return out, nil
}

// rounds returns the first of each list, then the second of each, and so on; each number once.
func rounds(lists [][]int) (out []int) {
	for i := 0; ; i++ {
		more := false
		for _, l := range lists {
			if i < len(l) {
				more = true
				if !slices.Contains(out, l[i]) {
					out = append(out, l[i])
				}
			}
		}
		if !more {
			return out
		}
	}
}

// columnLine returns a column as JSON on one line.
func (s *Set) columnLine(ctx context.Context, k columnKey) (string, error) {
	t := s.db.Tables[k.table]
	c := t.Columns[k.column]
	stats, err := s.statistics(ctx, t.Name, c.Name)
	if err != nil {
		return "", err
	}
	return jsonLine(struct {
		Column      string `json:"column"`
		Table       string `json:"table"`
		Type        string `json:"type"`
		Description string `json:"description,omitempty"`
		Statistics  string `json:"statistics"`
	}{c.Name, t.Name, strings.ToUpper(c.Type), clip(relevance.Note(c), longestNote), stats}), nil
}

// byWords returns the places of the k best columns for a description: those that it names, then the most relevant.
func (r *ranking) byWords(query string, k int) []int {
	var out []int
	name := spelling(query)
	for i, c := range r.columns {
		if len(out) < k && c.named(name) {
			out = append(out, i)
		}
	}
	return append(out, r.offline.Rank(query, k-len(out), func(i int) bool { return !r.columns[i].named(name) })...)
}

// byVectors returns those for each description by the cosines of a model's vectors. The texts are those of the authors' code.
func (r *ranking) byVectors(ctx context.Context, model Embedder, queries []string, k int) ([][]int, error) {
	texts := make([]string, len(queries))
	for i, q := range queries {
		texts[i] = "a column about " + q + "."
	}
	vs, err := model.Embed(ctx, texts)
	if err == nil && len(vs) != len(texts) {
		err = fmt.Errorf("%d vectors for %d texts", len(vs), len(texts))
	}
	if err != nil {
		return nil, err
	}
	out := make([][]int, len(queries))
	for i, q := range queries {
		out[i] = r.nearest(q, vs[i], k)
	}
	return out, nil
}

// nearest returns the places of the k best columns for a description with that vector.
func (r *ranking) nearest(query string, vector []float32, k int) []int {
	cosines := r.vectors.Cosines(vector)
	name := spelling(query)
	order := make([]int, len(cosines))
	score := make([]float64, len(cosines))
	for i, c := range cosines {
		order[i] = i
		score[i] = math.Round(float64(c)*1e6) / 1e6 // what float32 is sure of, whatever order a machine adds in
		if r.columns[i].named(name) {
			score[i] = 2 + score[i]
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(score[b], score[a]) })
	return order[:min(k, len(order))]
}

// ranking returns that of the database's columns, made at the first call.
func (s *Set) ranking(ctx context.Context) (*ranking, error) {
	c := s.columns()
	s.desk.mu.Lock()
	r := s.desk.rankings[c.digest]
	s.desk.mu.Unlock()
	if r != nil {
		return r, nil
	}
	r = &ranking{columns: c.keys}
	if s.o.Vectors == nil {
		var err error
		if r.offline, err = relevance.Without(s.db, s.o.Without...); err != nil {
			return nil, err
		}
	} else if err := r.embed(ctx, s.o.Vectors, c.texts); err != nil {
		return nil, err
	}
	s.desk.mu.Lock()
	defer s.desk.mu.Unlock()
	s.desk.rankings[c.digest] = r
	return r, nil
}

// embed asks for the vectors of the columns' texts.
func (r *ranking) embed(ctx context.Context, model Embedder, texts []string) error {
	vs, err := model.Embed(ctx, texts)
	if err == nil && len(vs) != len(texts) {
		err = fmt.Errorf("%d vectors for %d columns", len(vs), len(texts))
	}
	if err == nil {
		r.vectors, err = vectors.NewMatrix(vs)
	}
	return err
}

// columnTexts has the text per column whose vector is compared with a description's.
type columnTexts struct {
	texts  []string
	keys   []columnKey
	digest string // of all that a ranking depends on
}

func newColumnTexts(db *schema.Database) (c columnTexts) {
	var said []string
	for i, t := range db.Tables {
		for j, col := range t.Columns {
			c.texts = append(c.texts, fmt.Sprintf("a column named %s in %s.", col.Name, t.Name))
			c.keys = append(c.keys, columnKey{i, j, [2]string{spelling(col.Name), spelling(t.Name + "." + col.Name)}})
			said = append(said, col.Name, t.Name, relevance.Note(col))
		}
	}
	c.digest = digest(said)
	return c
}

// spelling returns a name as it is compared: folded, its parts apart by spaces.
func spelling(name string) string {
	return strings.Join(strings.FieldsFunc(vectors.Fold(name), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }), " ")
}

// digest returns a hash of texts.
func digest(texts []string) string {
	h := sha256.New()
	for _, t := range texts {
		fmt.Fprintf(h, "%d %s\n", len(t), t)
	}
	return string(h.Sum(nil))
}

// fingerprint returns a hash of a database's tables, columns and keys: all that the tools show without reading its
// rows.
func fingerprint(db *schema.Database) string {
	var all []string
	for _, t := range db.Tables {
		all = append(all, "table", t.Name)
		for _, c := range t.Columns {
			all = append(all, c.Name)
		}
	}
	for _, k := range db.ForeignKeys {
		all = append(all, "key", k.Table, k.Column, k.RefTable, k.RefColumn)
	}
	return digest(all)
}
