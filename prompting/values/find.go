package values

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"assay/prompting/llm"
	"assay/prompting/sql/schema"
	"assay/prompting/vectors"
)

// Query is what to look for.
type Query struct {
	Question string
	Evidence string
	// Keywords replaces the rules of [Keywords], for a model's list; nil means those rules.
	Keywords []string
	K        int // matches returned, the best first; 0 means all that the options leave
}

// Match is a value that a question seems to mention.
type Match struct {
	schema.ColumnName
	Value   string `json:"value"`   // as stored, what is not UTF-8 replaced
	Keyword string `json:"keyword"` // as given
	Search  string `json:"search"`  // the keyword, or the prefix or suffix of it that found the value

	Exact      bool    `json:"exact"`      // they differ in case, accents, punctuation and plural at most
	Edit       float64 `json:"edit"`       // [Ratio] of search string and value, both folded
	Similarity float64 `json:"similarity"` // cosine of their embeddings, to six decimals

	order int // of the keyword
	at    uint32
}

// Find looks up the keywords of a question, with their prefixes and suffixes at each space. Values that fall short of
// Options.MinEdit or Options.MinSimilarity are dropped, and then those short of Options.Keep of the best of their pool;
// exact ones never are. Of a value that several search strings found, the best match is returned.
//
// Order: exact matches before others, then longer search strings before shorter where exact, and the sum of edit
// ratio and similarity where not, then the order of the keywords, the database's columns, and the values. The result
// depends on the index, the query and the vectors alone.
//
// emb embeds search strings and values in one call; nil means offline vectors. Its errors are returned wrapped.
func (x *Index) Find(ctx context.Context, q Query, emb llm.Embedder) ([]Match, error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	found, err := x.findAll(ctx, q, emb)
	if err != nil {
		return nil, fmt.Errorf("values: find %q: %w", short(q.Question), err)
	}
	return found, nil
}

func short(s string) string {
	if r := []rune(s); len(r) > 60 {
		return string(r[:60]) + "..."
	}
	return s
}

func (x *Index) findAll(ctx context.Context, q Query, emb llm.Embedder) ([]Match, error) {
	if x.closed {
		return nil, errors.New("the index is closed")
	}
	if emb == nil {
		emb = vectors.New(vectors.Options{})
	}
	matches, err := x.lookUp(ctx, x.searches(q))
	if err != nil {
		return nil, err
	}
	if matches, err = x.compare(ctx, matches, emb); err != nil {
		return nil, err
	}
	matches = x.cut(matches)
	slices.SortFunc(matches, byRank)
	matches = x.once(matches)
	if q.K > 0 && len(matches) > q.K {
		matches = matches[:q.K]
	}
	return matches, nil
}

// search is one string to look up.
type search struct {
	keyword string
	text    string
	order   int
}

// searches lists the keywords and then their prefixes and suffixes, each text once.
func (x *Index) searches(q Query) []search {
	words := q.Keywords
	if words == nil {
		words = Keywords(q.Question, q.Evidence)
	}
	words = words[:min(len(words), x.opts.MaxKeywords)]
	var out []search
	seen := map[string]bool{}
	add := func(order int, t string) {
		if f := vectors.Fold(t); f != "" && !seen[f] && len(f) <= 4*x.opts.MaxLength {
			seen[f] = true
			out = append(out, search{words[order], t, order})
		}
	}
	for i, k := range words { // whole keywords first: each is a pool of its own, not a part of another's
		add(i, k)
	}
	for i, k := range words {
		for _, t := range parts(k) {
			add(i, t)
		}
	}
	return out
}

// parts returns what is right of an "=" in a keyword, and its prefixes and suffixes at each space, without those of
// stop words alone.
func parts(keyword string) []string {
	var out []string
	if _, right, ok := strings.Cut(keyword, "="); ok {
		out = append(out, strings.Trim(right, "= '\"`"))
	}
	words := strings.Fields(keyword)
	if len(words) > 8 {
		return out // a sentence: its own keywords are better
	}
	for i := len(words) - 1; i > 0; i-- {
		for _, part := range [][]string{words[:i], words[i:]} {
			if !allStop(part) {
				out = append(out, strings.Join(part, " "))
			}
		}
	}
	return out
}

// hit is a value that a search string found.
type hit struct {
	id   uint32
	same bool // in normal form
}

// hits looks each search string up, a few at once, each with its own place in the result.
func (x *Index) hits(ctx context.Context, searches []search) ([][]hit, error) {
	out := make([][]hit, len(searches))
	var next atomic.Int64
	var all sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), 4, len(searches)) {
		all.Go(func() {
			s := x.scratch()
			defer x.pool.Put(s)
			for i := next.Add(1) - 1; i < int64(len(searches)) && ctx.Err() == nil; i = next.Add(1) - 1 {
				out[i] = x.one(searches[i].text, s)
			}
		})
	}
	all.Wait()
	return out, ctx.Err()
}

// one looks one search string up: what equals it, and then what is like it.
func (x *Index) one(text string, s *scratch) []hit {
	var out []hit
	for _, id := range x.equal(text, nil) {
		out = append(out, hit{id, true})
	}
	equal := out
	for _, c := range x.similar(text, s) {
		if !slices.Contains(equal, hit{c.id, true}) {
			out = append(out, hit{c.id, false})
		}
	}
	return out
}

// lookUp finds the values for each search string and keeps those of enough edit ratio.
func (x *Index) lookUp(ctx context.Context, searches []search) ([]Match, error) {
	found, err := x.hits(ctx, searches)
	if err != nil {
		return nil, err
	}
	var m matcher
	var out []Match
	folded := map[uint32][]rune{}
	for i, one := range searches {
		target := []rune(vectors.Fold(one.text))
		for _, h := range found[i] {
			value, ok := folded[h.id]
			if !ok {
				value = []rune(vectors.Fold(string(x.file.text(h.id))))
				folded[h.id] = value
			}
			edit := m.ratio(value, target)
			if !h.same && edit < x.opts.MinEdit {
				continue
			}
			c := x.file.Columns[x.file.column(h.id)]
			out = append(out, Match{ColumnName: c.ColumnName, Value: string(x.file.text(h.id)), Keyword: one.keyword,
				Search: one.text, Exact: h.same, Edit: edit, order: one.order, at: h.id})
		}
	}
	return out, nil
}

// compare adds the similarities, of each different text embedded once, and drops what is not similar enough.
func (x *Index) compare(ctx context.Context, matches []Match, emb llm.Embedder) ([]Match, error) {
	var texts []string
	place := map[string]int{}
	number := func(s string) int {
		n, ok := place[s]
		if !ok {
			n = len(texts)
			place[s] = n
			texts = append(texts, s)
		}
		return n
	}
	for _, m := range matches {
		number(m.Search)
		number(m.Value)
	}
	if len(texts) == 0 {
		return nil, nil
	}
	vs, err := emb.Embed(ctx, texts)
	if err != nil {
		return nil, err
	}
	if len(vs) != len(texts) {
		return nil, fmt.Errorf("%d vectors for %d texts", len(vs), len(texts))
	}
	least := x.least(emb)
	kept := matches[:0]
	for _, m := range matches {
		cosine := float64(vectors.Cosine(vs[place[m.Search]], vs[place[m.Value]]))
		m.Similarity = math.Round(cosine*1e6) / 1e6 // what float32 is sure of, whatever order a machine adds in
		if m.Exact || m.Similarity >= least {
			kept = append(kept, m)
		}
	}
	return kept, nil
}

// least returns the similarity that a match must have.
func (x *Index) least(emb llm.Embedder) float64 {
	if x.opts.MinSimilarity != 0 {
		return x.opts.MinSimilarity
	}
	if _, offline := emb.(*vectors.Model); offline {
		return offlineSimilarity
	}
	return 0.6
}

// cut drops, in each pool, the matches that fall short of a share of its best edit ratio, and of what is left those
// that fall short of the same share of its best similarity.
func (x *Index) cut(matches []Match) []Match {
	if x.opts.Keep < 0 {
		return matches
	}
	for _, measure := range []func(Match) float64{
		func(m Match) float64 { return m.Edit }, func(m Match) float64 { return m.Similarity },
	} {
		best := map[[2]int]float64{}
		for _, m := range matches {
			p := x.poolOf(m)
			best[p] = max(best[p], measure(m))
		}
		matches = slices.DeleteFunc(matches, func(m Match) bool {
			return !m.Exact && measure(m) < x.opts.Keep*best[x.poolOf(m)]
		})
	}
	return matches
}

// poolOf names the pool that a match competes in: a column, or a keyword and a column.
func (x *Index) poolOf(m Match) [2]int {
	if x.opts.Pool == poolColumn {
		return [2]int{x.file.column(m.at), -1}
	}
	return [2]int{x.file.column(m.at), m.order}
}

// byRank returns the order that Find documents.
func byRank(a, b Match) int {
	if a.Exact != b.Exact {
		if a.Exact {
			return -1
		}
		return 1
	}
	first := cmp.Compare(b.Edit+b.Similarity, a.Edit+a.Similarity)
	if a.Exact {
		first = cmp.Compare(len(b.Search), len(a.Search))
	}
	return cmp.Or(first, cmp.Compare(a.order, b.order), cmp.Compare(b.Edit, a.Edit), cmp.Compare(a.at, b.at),
		cmp.Compare(a.Search, b.Search))
}

// once keeps the first match of each value, and of each column as many as the options say.
func (x *Index) once(matches []Match) []Match {
	seen, perColumn := map[uint32]bool{}, map[int]int{}
	return slices.DeleteFunc(matches, func(m Match) bool {
		column := x.file.column(m.at)
		if seen[m.at] || x.opts.PerColumn > 0 && perColumn[column] >= x.opts.PerColumn {
			return true
		}
		seen[m.at] = true
		perColumn[column]++
		return false
	})
}
