package script

import (
	"crypto/sha256"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"assay/prompting/llm"
	"assay/prompting/script/star"
	"assay/prompting/sql/schema"
	"assay/prompting/sql/tree"
	"assay/prompting/vectors"

	"go.starlark.net/starlark"
)

// Bounds and charges of comparing texts.
const (
	mostCompared = 4 << 20 // bytes of a list
	mostTexts    = 10_000  // of a list
	mostLists    = 2       // whose vectors are kept
	keptList     = 200     // texts that a list which is kept has at least: it is likely the pool, with which every question is compared
	mostRead     = 4096    // bytes of a text whose runs of words are compared
	mostWords    = 40      // the same in words
	mostWanted   = 200     // texts for which a run is looked for
	mostPhrases  = 2048    // answers of phrases that are kept
	compareWork  = 64      // steps a text that another is compared with
	embedWork    = 500     // steps a run
)

// likeness compares texts by the arm's embeddings, or by the offline vectors where it has none. It is safe for concurrent use.
type likeness struct {
	mu      sync.Mutex
	offline *vectors.Model
	lists   map[[32]byte][]string // long lists by content: their vectors are known by the place of the list
	phrases map[string][]string   // what phrases found, by its arguments
}

// embedder returns what makes the arm's vectors.
func (k *kit) embedder() llm.Embedder {
	if by := k.deps.Embedder; by != nil {
		return by
	}
	k.alike.mu.Lock()
	defer k.alike.mu.Unlock()
	if k.alike.offline == nil {
		k.alike.offline = vectors.New(vectors.Options{})
	}
	return k.alike.offline
}

// kept returns the same list for equal long lists, so that vectors are made once; nil for one whose vectors are not kept.
func (l *likeness) kept(list []string) []string {
	if len(list) < keptList {
		return nil
	}
	h := sha256.New()
	for _, s := range list {
		fmt.Fprintf(h, "%d\n%s", len(s), s)
	}
	key := [32]byte(h.Sum(nil))
	l.mu.Lock()
	defer l.mu.Unlock()
	if known, ok := l.lists[key]; ok {
		return known
	}
	if len(l.lists) == mostLists {
		return nil
	}
	if l.lists == nil {
		l.lists = map[[32]byte][]string{}
	}
	l.lists[key] = list
	return list
}

// cosines compares a text with each of a list.
func (s *session) cosines(text string, list []string) ([]float32, error) {
	k := s.part.kit
	if kept := k.alike.kept(list); kept != nil {
		near, err := k.deps.Spaces.Cosines(s.ctx, k.embedder(), text, kept)
		return near, withheld(err)
	}
	near, err := s.nearness([]string{text}, list)
	if err != nil || len(near) == 0 {
		return nil, err
	}
	return near[0], nil
}

// nearness compares each of some texts with each of a list.
func (s *session) nearness(some, list []string) ([][]float32, error) {
	by := s.part.kit.embedder()
	vs, err := by.Embed(s.ctx, slices.Concat(some, list))
	if err == nil && len(vs) != len(some)+len(list) {
		err = fmt.Errorf("%d vectors for %d texts", len(vs), len(some)+len(list))
	}
	if err != nil {
		return nil, withheld(err)
	}
	m, err := vectors.NewMatrix(vs[len(some):])
	if err != nil {
		return nil, err
	}
	out := make([][]float32, len(some))
	for i := range some {
		out[i] = m.Cosines(vs[i])
	}
	return out, nil
}

// similarFunc is similar(text, texts): how near each of the texts is to the text, by the cosine of the arm's embeddings, to six
// places: what float32 is sure of.
func similarFunc(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, named []starlark.Tuple) (starlark.Value, error) {
	s, text, list, err := comparison(t, b, args, named, mostTexts, compareWork)
	if err != nil {
		return nil, err
	}
	near, err := s.cosines(text, list)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", b.Name(), err)
	}
	return floats(near), nil
}

func floats(in []float32) starlark.Value {
	return list(in, func(x float32) starlark.Value { return starlark.Float(math.Round(float64(x)*1e6) / 1e6) })
}

// comparison reads the arguments text and texts, and charges steps a text.
func comparison(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, named []starlark.Tuple, most, steps int) (s *session, text string, of []string, err error) {
	var v starlark.Value
	if err = starlark.UnpackArgs(b.Name(), args, named, "text", &text, "texts", &v); err != nil {
		return nil, "", nil, err
	}
	if s, err = host(t, b); err != nil {
		return nil, "", nil, err
	}
	if of, err = texts(v); err != nil {
		return nil, "", nil, fmt.Errorf("%s: texts: %w", b.Name(), err)
	}
	if len(of) > most {
		return nil, "", nil, fmt.Errorf("%s: %d texts: %d are the most", b.Name(), len(of), most)
	}
	size := len(text)
	for _, one := range of {
		size += len(one)
	}
	if size > mostCompared {
		return nil, "", nil, fmt.Errorf("%s: the texts have %d bytes: %d are the most", b.Name(), size, mostCompared)
	}
	if err = star.Work(t, size+steps*len(of)); err != nil {
		return nil, "", nil, fmt.Errorf("%s: %w", b.Name(), err)
	}
	return s, text, of, nil
}

// phrasesFunc is phrases(text, texts): for each of the texts, the run of words of the text that is most similar to it; of equally
// similar ones the shortest, then the first. ACT-SQL (Zhang et al. 2023) tells so which words of a question ask for a column.
func phrasesFunc(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, named []starlark.Tuple) (starlark.Value, error) {
	s, text, of, err := comparison(t, b, args, named, mostWanted, embedWork)
	if err != nil {
		return nil, err
	}
	text = strings.ToValidUTF8(text[:min(len(text), mostRead)], "")
	runs := runsOf(text)
	if err := star.Work(t, embedWork*len(runs)); err != nil {
		return nil, fmt.Errorf("%s: %w", b.Name(), err)
	}
	found, err := s.phrases(text, runs, of)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", b.Name(), err)
	}
	return list(found, textOf), nil
}

// phrases returns the run nearest to each text; what was found before is remembered, since prompts share demonstrations.
func (s *session) phrases(text string, runs, of []string) ([]string, error) {
	l := &s.part.kit.alike
	key := text + "\x00" + strings.Join(of, "\x00")
	l.mu.Lock()
	known, ok := l.phrases[key]
	l.mu.Unlock()
	if ok || len(of) == 0 || len(runs) == 0 {
		return known, nil
	}
	near, err := s.nearness(of, runs)
	if err != nil {
		return nil, err
	}
	out := make([]string, len(of))
	for i := range of {
		best := 0
		for j, x := range near[i] {
			if float64(x) > float64(near[i][best])+1e-6 {
				best = j
			}
		}
		out[i] = runs[best]
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.phrases == nil {
		l.phrases = map[string][]string{}
	}
	if len(l.phrases) < mostPhrases && len(key) <= 2*mostRead {
		l.phrases[key] = out
	}
	return out, nil
}

// runsOf lists the runs of words of a text, the shortest first: all of its first 40 words.
func runsOf(text string) (out []string) {
	words := strings.Fields(text)
	words = words[:min(len(words), mostWords)]
	for n := 1; n <= len(words); n++ {
		for i := 0; i+n <= len(words); i++ {
			out = append(out, strings.Trim(strings.Join(words[i:i+n], " "), `.,;:?!"'()`))
		}
	}
	return out
}

// parsedFunc is parsed(sql, schema): what a query is made of.
func parsedFunc(_ *session, name string, args starlark.Tuple, named []starlark.Tuple) (starlark.Value, error) {
	var text string
	var d *database
	if err := starlark.UnpackArgs(name, args, named, "sql", &text, "schema", &d); err != nil {
		return nil, err
	}
	stmt, err := tree.Parse(text)
	if err != nil || stmt.Query == nil {
		return partsOf(tree.Parts{}, false), nil
	}
	return partsOf(tree.PartsOf(stmt, d.db), true), nil
}

func partsOf(p tree.Parts, ok bool) starlark.Value {
	join := func(j [2]schema.ColumnName) starlark.Value {
		return starlark.String(j[0].Dotted() + " = " + j[1].Dotted())
	}
	return record("parsed_query", "ok", starlark.Bool(ok), "tables", p.Tables, "columns", list(p.Columns, columnOf), "asked", list(p.Asked, columnOf),
		"joins", list(p.Joins, join), "values", p.Values, "nested", starlark.Bool(p.Nested), "unjoined", p.Unjoined)
}
