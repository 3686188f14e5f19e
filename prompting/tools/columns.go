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

	"assay/prompting/sql/schema"
	"assay/prompting/vectors"
)

// Bounds of the text about a column.
const (
	longestQuery = 1000 // bytes of a description that count
	longestNote  = 200  // characters shown of what the dataset says of a column
)

// matrix has a vector for each column of a database, in its order, and what made them.
type matrix struct {
	vectors *vectors.Matrix
	model   Embedder
	columns []columnKey
}

// columnKey is a column with its name folded, for queries that spell it.
type columnKey struct {
	table, column int
	names         [2]string
}

// searchColumn ranks the columns of the database for each description: those that it names first, then by the cosine of
// vectors, ties in the order of the database. A column that several descriptions find is listed once. The best columns
// of all descriptions come before the second best.
func (s *Set) searchColumn(ctx context.Context, queries []string) (Observation, error) {
	m, err := s.matrix(ctx)
	if err != nil {
		return Observation{}, err
	}
	queries = slices.Clone(queries)
	for i, q := range queries {
		queries[i] = strings.ToValidUTF8(q[:min(len(q), longestQuery)], " ")
	}
	wanted, err := m.model.Embed(ctx, spelt(queries))
	if err == nil && len(wanted) != len(queries) {
		err = fmt.Errorf("%d vectors for %d texts", len(wanted), len(queries))
	}
	if err != nil {
		return Observation{}, err
	}
	ranked := make([][]int, len(queries))
	for i, q := range queries {
		ranked[i] = m.rank(q, wanted[i], s.o.TopK)
	}
	var lines []string
	for _, at := range rounds(ranked) {
		line, err := s.columnLine(ctx, m.columns[at])
		if err != nil {
			return Observation{}, err
		}
		lines = append(lines, line)
	}
	return Observation{Text: strings.Join(lines, "\n")}, nil
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
	}{c.Name, t.Name, strings.ToUpper(c.Type), clip(note(c), longestNote), stats}), nil
}

// note returns what the dataset says of a column.
func note(c schema.Column) string {
	var parts []string
	for _, p := range []string{c.Meaning, c.Description, c.Values} {
		if p = strings.TrimSpace(p); p != "" && !slices.Contains(parts, p) {
			parts = append(parts, p)
		}
	}
	if len(parts) == 1 && vectors.Fold(parts[0]) == vectors.Fold(c.Name) {
		return "" // it says no more than the name
	}
	return strings.Join(parts, "; ")
}

// rank returns the places of the k best columns for a description.
func (m *matrix) rank(query string, vector []float32, k int) []int {
	cosines := m.vectors.Cosines(vector)
	name := spelling(query)
	order := make([]int, len(cosines))
	score := make([]float64, len(cosines))
	for i, c := range cosines {
		order[i] = i
		score[i] = math.Round(float64(c)*1e6) / 1e6 // what float32 is sure of, whatever order a machine adds in
		if name != "" && slices.Contains(m.columns[i].names[:], name) {
			score[i] = 2 + score[i]
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(score[b], score[a]) })
	return order[:min(k, len(order))]
}

// matrix returns the vectors of the database's columns, made at the first call.
func (s *Set) matrix(ctx context.Context) (*matrix, error) {
	c := s.columns()
	s.desk.mu.Lock()
	m := s.desk.matrices[c.digest]
	s.desk.mu.Unlock()
	if m != nil {
		return m, nil
	}
	m = &matrix{model: s.o.Vectors, columns: c.keys}
	if m.model == nil {
		m.model = vectors.Fit(vectors.Options{}, c.texts)
	}
	vs, err := m.model.Embed(ctx, c.texts)
	if err == nil && len(vs) != len(c.texts) {
		err = fmt.Errorf("%d vectors for %d columns", len(vs), len(c.texts))
	}
	if err != nil {
		return nil, err
	}
	if m.vectors, err = vectors.NewMatrix(vs); err != nil {
		return nil, err
	}
	s.desk.mu.Lock()
	defer s.desk.mu.Unlock()
	s.desk.matrices[c.digest] = m
	return m, nil
}

// columnTexts has the text per column that is compared with a description: its name, its table's name, and what the
// dataset says about it.
type columnTexts struct {
	texts  []string
	keys   []columnKey
	digest string
}

func newColumnTexts(db *schema.Database) (c columnTexts) {
	for i, t := range db.Tables {
		for j, col := range t.Columns {
			c.texts = append(c.texts, strings.Join(spelt([]string{col.Name, t.Name, note(col)}), " "))
			c.keys = append(c.keys, columnKey{i, j, [2]string{spelling(col.Name), spelling(t.Name + "." + col.Name)}})
		}
	}
	c.digest = digest(c.texts)
	return c
}

// spelling returns a name as it is compared: folded, its parts apart by spaces.
func spelling(name string) string {
	return strings.Join(strings.FieldsFunc(vectors.Fold(name), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }), " ")
}

// spelt takes the words of run-together names apart: "StuID" also reads as "Stu ID".
func spelt(texts []string) []string {
	out := make([]string, len(texts))
	for i, t := range texts {
		var b strings.Builder
		last := ' '
		for _, r := range t {
			if unicode.IsUpper(r) && unicode.IsLower(last) || unicode.IsDigit(r) && unicode.IsLetter(last) {
				b.WriteByte(' ')
			}
			b.WriteRune(r)
			last = r
		}
		out[i] = b.String()
	}
	return out
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
