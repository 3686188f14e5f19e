package values

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"assay/prompting/sql/schema"
	"assay/prompting/vectors"

	"github.com/agnivade/levenshtein"
)

// TextQuery is a text to look for among the values.
type TextQuery struct {
	Text   string
	Table  string // only in this table, whatever the case of its name; empty: in all
	Column string // only in columns of this name; empty: in all
	K      int    // hits returned at most; 0 means 5
}

// The ways in which a text finds a value, the surest first.
const (
	Same      = "same"      // they differ in case, accents, punctuation and plural at most
	allWords  = "words"     // the value has all words of the text
	Near      = "near"      // they are spelled alike as wholes
	Corrected = "corrected" // the value has all words, those that no value has replaced by words spelled alike
	someWords = "some"      // the value has some of these words
)

// Hit is a value that a text found.
type Hit struct {
	schema.ColumnName
	Value string `json:"value"` // as stored, what is not UTF-8 replaced
	How   string `json:"how"`
}

// Bounds of a search.
const (
	longestText  = 1000 // bytes of a text that count
	mostWords    = 32   // words of a text that count
	mostVariants = 3    // words tried for one that no value has
	leastRatio   = 0.7  // least edit ratio of Near
)

// Search finds the values that a text names, as wholes or by their words. Hits come in the order of the ways above;
// within allWords, Corrected and someWords by BM25 as SQLite's FTS5 reckons it over the whole index (k1 = 1.2, b =
// 0.75), within Near by edit ratio, ties by the values' numbers. Words are compared without regard to case and accents;
// a word that no value has is replaced by those spelled like it, which differ in one letter if it has up to five and in
// two if it has more (the "AUTO" fuzziness of Elasticsearch, which the authors of Interactive-T2S used), and for none
// below three.
//
// The word index is built at the first search and stored next to the index. Having no columns to search is not an
// error: see [Index.Has].
func (x *Index) Search(ctx context.Context, q TextQuery) ([]Hit, error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	hits, err := x.search(ctx, q)
	if err != nil {
		return nil, fmt.Errorf("values: search %q: %w", short(q.Text), err)
	}
	return hits, nil
}

// Has reports whether the index has a column of that name in that table, either of which may be empty for any.
func (x *Index) Has(table, column string) bool { return len(x.within(table, column)) > 0 }

// span is the numbers from first to before end.
type span struct{ first, end int }

// within returns the spans of the columns so named, those side by side as one.
func (x *Index) within(table, column string) []span {
	var out []span
	for i, c := range x.file.Columns {
		if table != "" && !strings.EqualFold(table, c.Table) || column != "" && !strings.EqualFold(column, c.Column) {
			continue
		}
		one := span{c.First, x.file.end(i)}
		if n := len(out); n > 0 && out[n-1].end == one.first {
			out[n-1].end = one.end
		} else {
			out = append(out, one)
		}
	}
	return out
}

func inside(spans []span, id uint32) bool {
	return slices.ContainsFunc(spans, func(s span) bool { return s.first <= int(id) && int(id) < s.end })
}

// finding collects the hits of one search.
type finding struct {
	*Index
	db    *sql.DB
	spans []span
	most  int
	seen  map[uint32]bool
	hits  []Hit
}

func (f *finding) full() bool { return len(f.hits) >= f.most }

func (f *finding) add(id uint32, how string) {
	if f.full() || f.seen[id] {
		return
	}
	f.seen[id] = true
	c := f.file.Columns[f.file.column(id)]
	f.hits = append(f.hits, Hit{c.ColumnName, string(f.file.text(id)), how})
}

func (x *Index) search(ctx context.Context, q TextQuery) ([]Hit, error) {
	if x.closed {
		return nil, errors.New("the index is closed")
	}
	if q.K <= 0 {
		q.K = 5
	}
	text := strings.ToValidUTF8(q.Text[:min(len(q.Text), longestText)], " ")
	f := &finding{Index: x, spans: x.within(q.Table, q.Column), most: q.K, seen: map[uint32]bool{}}
	if len(f.spans) == 0 || strings.TrimSpace(text) == "" {
		return nil, ctx.Err()
	}
	var err error
	if f.db, err = x.openWords(ctx); err != nil {
		return nil, err
	}
	for _, id := range x.equal(text, f.spans) {
		f.add(id, Same)
	}
	list := wordsOf(text)
	if err := f.match(ctx, list, " AND ", allWords); err != nil {
		return nil, err
	}
	f.near(text)
	return f.hits, f.corrected(ctx, list)
}

// corrected adds the hits by words after those that no value has are replaced.
func (f *finding) corrected(ctx context.Context, list []string) error {
	if f.full() {
		return nil
	}
	terms, changed, err := f.correct(ctx, list)
	if err == nil && changed {
		err = f.match(ctx, terms, " AND ", Corrected)
	}
	if err == nil {
		err = f.match(ctx, terms, " OR ", someWords)
	}
	return err
}

// wordsOf returns the runs of letters and digits in a text, each once, quoted as FTS5 strings.
func wordsOf(text string) []string {
	var out []string
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.In(r, unicode.L, unicode.N, unicode.M, unicode.Co) }) {
		if w = `"` + w + `"`; !slices.Contains(out, w) && len(out) < mostWords {
			out = append(out, w)
		}
	}
	return out
}

// match adds the values that an FTS5 expression of the terms matches, the best first.
func (f *finding) match(ctx context.Context, terms []string, operator, how string) error {
	if len(terms) == 0 || f.full() {
		return ctx.Err()
	}
	within := make([]string, len(f.spans))
	for i, s := range f.spans {
		within[i] = fmt.Sprintf("rowid BETWEEN %d AND %d", s.first, s.end-1)
	}
	query := fmt.Sprintf("SELECT rowid FROM cells WHERE cells MATCH ? AND (%s) ORDER BY rank, rowid LIMIT %d",
		strings.Join(within, " OR "), f.most+len(f.seen))
	rows, err := f.db.QueryContext(ctx, query, strings.Join(terms, operator))
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var id uint32
		if err := rows.Scan(&id); err != nil {
			return err
		}
		f.add(id, how)
	}
	return rows.Err()
}

// near adds the values whose whole text is spelled like the one sought.
func (f *finding) near(text string) {
	if f.full() {
		return
	}
	s := f.scratch()
	defer f.pool.Put(s)
	s.spans = f.spans
	defer func() { s.spans = nil }()
	type scored struct {
		id    uint32
		ratio float64
	}
	var m matcher
	var all []scored
	target := []rune(vectors.Fold(text))
	for _, c := range f.similar(text, s) {
		if r := m.ratio([]rune(vectors.Fold(string(f.file.text(c.id)))), target); r >= leastRatio {
			all = append(all, scored{c.id, r})
		}
	}
	slices.SortFunc(all, func(a, b scored) int { return cmp.Or(cmp.Compare(b.ratio, a.ratio), cmp.Compare(a.id, b.id)) })
	for _, one := range all {
		f.add(one.id, Near)
	}
}

// correct puts in the place of each word that no value has the words spelled like it, as one expression; without such
// words it stays.
func (f *finding) correct(ctx context.Context, list []string) (terms []string, changed bool, err error) {
	for _, quoted := range list {
		word := vectors.Fold(strings.Trim(quoted, `"`))
		var n int
		err := f.db.QueryRowContext(ctx, "SELECT count(*) FROM terms WHERE term = ?", word).Scan(&n)
		if err != nil {
			return nil, false, err
		}
		var like []string
		if n == 0 {
			if like, err = f.variants(ctx, word); err != nil {
				return nil, false, err
			}
		}
		if len(like) > 0 {
			quoted, changed = "("+strings.Join(like, " OR ")+")", true
		}
		terms = append(terms, quoted)
	}
	return terms, changed, nil
}

// variants returns the words of the index spelled like one: the fewest letters apart, then the most frequent, then by
// spelling; quoted.
func (f *finding) variants(ctx context.Context, word string) ([]string, error) {
	length := utf8.RuneCountInString(word)
	far := 2
	if length <= 5 {
		far = 1
	}
	if length < 3 || length > 64 {
		return nil, nil
	}
	rows, err := f.db.QueryContext(ctx, "SELECT term, doc FROM terms WHERE length(term) BETWEEN ? AND ?", length-far, length+far)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	type variant struct {
		term      string
		away, doc int
	}
	var all []variant
	for rows.Next() {
		var v variant
		if err := rows.Scan(&v.term, &v.doc); err != nil {
			return nil, err
		}
		if v.away = levenshtein.ComputeDistance(word, v.term); v.away <= far {
			all = append(all, v)
		}
	}
	slices.SortFunc(all, func(a, b variant) int {
		return cmp.Or(cmp.Compare(a.away, b.away), cmp.Compare(b.doc, a.doc), strings.Compare(a.term, b.term))
	})
	var out []string
	for _, v := range all[:min(len(all), mostVariants)] {
		out = append(out, `"`+v.term+`"`)
	}
	return out, rows.Err()
}
