package exemplar

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strings"
	"sync"

	"assay/configs"
	"assay/prompting/draw"
	"assay/prompting/sql/schema"
)

// Pool is a set of demonstrations to choose from. It is safe for concurrent use.
type Pool struct {
	demos []Demo // by id

	mu     sync.Mutex
	orders map[int64][]int // the permutation of demos, by seed
	drawn  map[part]*Pool

	once  sync.Once
	index *index

	masking sync.Once
	masked  []string // the questions as maskedText has them
}

// NewPool checks demonstrations and makes a pool of them. Each must have a unique id, a question, its SQL and its
// database's description. The order of the argument does not matter.
func NewPool(demos []Demo) (*Pool, error) {
	p := &Pool{demos: slices.Clone(demos), orders: map[int64][]int{}}
	sort.Slice(p.demos, func(i, j int) bool { return p.demos[i].ID < p.demos[j].ID })
	for i, d := range p.demos {
		switch {
		case d.ID == "":
			return nil, fmt.Errorf("exemplar: pool: a demonstration of database %q has no id", d.DB)
		case i > 0 && p.demos[i-1].ID == d.ID:
			return nil, fmt.Errorf("exemplar: pool: two demonstrations have the id %q", d.ID)
		case d.Question == "" || d.SQL == "":
			return nil, fmt.Errorf("exemplar: pool: demonstration %q has no question or no SQL", d.ID)
		case d.Schema == nil:
			return nil, fmt.Errorf("exemplar: pool: demonstration %q has no description of its database %q", d.ID, d.DB)
		}
	}
	return p, nil
}

// Demos returns the demonstrations, sorted by id. The caller owns the slice.
func (p *Pool) Demos() []Demo {
	if p == nil {
		return nil
	}
	return slices.Clone(p.demos)
}

// Only returns a pool of the demonstrations for which keep is true.
func (p *Pool) Only(keep func(Demo) bool) *Pool {
	out := &Pool{orders: map[int64][]int{}}
	for _, d := range p.Demos() {
		if keep(d) {
			out.demos = append(out.demos, d)
		}
	}
	return out
}

// Hash identifies the pool's content, schemas included: "sha256:" and hexadecimal digits. Who made an annotation, how it reads,
// and what a reviewer said of it are no part: no prompt has them.
func (p *Pool) Hash() string {
	h := sha256.New()
	add := func(v any) {
		b, err := json.Marshal(v)
		if err != nil { // unreachable: a Demo holds only strings and numbers
			b = []byte(err.Error())
		}
		fmt.Fprintf(h, "%d\n", len(b))
		h.Write(b)
	}
	known := map[*schema.Database]bool{}
	for _, d := range p.Demos() {
		if !known[d.Schema] { // hash it once: demonstrations of a database share its description, which is long
			known[d.Schema] = true
			add(d.Schema)
		}
		d.Schema = nil
		d.By, d.Naturalness, d.Reviewed, d.Note = Provenance{}, 0, false, ""
		add(d)
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

// Query is the question for which demonstrations are chosen.
type Query struct {
	Text   string
	DB     string
	Schema *schema.Database // strategy similarity masks its words; may be nil
	Apart  []string         // labels that no demonstration may share with the question, see Demo

	// Nearness says how near the masked text of the question is to that of each demonstration's, in place of strategy
	// similarity's own measure, SimilarityName. The list is the same one at each call. Nil: that measure.
	Nearness func(ctx context.Context, text string, list []string) ([]float32, error)

	same bool // demonstrations may be of DB
	own  bool // they are of DB alone
}

// takes reports whether a demonstration may be shown with the question: it is of another database or, where those of its own
// are allowed too, of none of the question's labels and not the same question.
func (q Query) takes(d Demo) bool {
	if q.own && !strings.EqualFold(d.DB, q.DB) {
		return false
	}
	if slices.ContainsFunc(d.Apart, func(l string) bool { return l != "" && slices.Contains(q.Apart, l) }) {
		return false
	}
	return !strings.EqualFold(d.DB, q.DB) || q.same && wordsOf(d.Question) != wordsOf(q.Text)
}

// wordsOf is a question's words in small letters.
func wordsOf(question string) string {
	return strings.ToLower(strings.Join(word.FindAllString(question, -1), " "))
}

// Open returns the demonstrations that may be shown with a question under cfg, sorted by id: of its own database alone where
// cfg wants those and there are cfg.K of them.
func (p *Pool) Open(q Query, cfg configs.Exemplars) []Demo {
	q.same, q.own = cfg.SameDatabase, cfg.SameDatabase
	open := func() []Demo { return slices.DeleteFunc(p.Demos(), func(d Demo) bool { return !q.takes(d) }) }
	demos := open()
	if q.own && len(demos) < cfg.K {
		q.own = false
		return open()
	}
	return demos
}

// part names a pool drawn from another.
type part struct {
	size int
	seed int64
}

// Drawn returns the pool that cfg draws from this one before any choice: PoolSize demonstrations, uniformly, by PoolSeed or else
// the run's seed; p itself where cfg states no size. A larger pool contains a smaller one of its seed. Equal arguments give
// the same pool. The error is of a size beyond the pool's.
func (p *Pool) Drawn(cfg configs.Exemplars, seed int64) (*Pool, error) {
	if p == nil || cfg.PoolSize == 0 {
		return p, nil
	}
	if n := len(p.demos); cfg.PoolSize > n {
		return nil, fmt.Errorf("exemplar: draw a pool: exemplars.pool_size = %d is more than the %d demonstrations there are", cfg.PoolSize, n)
	}
	key := part{cfg.PoolSize, seeded(cfg.PoolSeed, seed)}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.drawn[key] == nil {
		out := &Pool{orders: map[int64][]int{}}
		for _, i := range draw.Rand(key.seed, "exemplar pool").Perm(len(p.demos))[:key.size] {
			out.demos = append(out.demos, p.demos[i])
		}
		slices.SortFunc(out.demos, func(a, b Demo) int { return strings.Compare(a.ID, b.ID) })
		if p.drawn == nil {
			p.drawn = map[part]*Pool{}
		}
		p.drawn[key] = out
	}
	return p.drawn[key], nil
}

// seeded returns a stated seed, or else the run's.
func seeded(stated *int64, run int64) int64 {
	if stated != nil {
		return *stated
	}
	return run
}

// Check says before any work whether cfg can be met: a strategy and levels that exist, and a pool that has k
// demonstrations for it.
func (p *Pool) Check(cfg configs.Exemplars) error {
	if err := p.check(cfg); err != nil {
		return fmt.Errorf("exemplar: check: %w", err)
	}
	return nil
}

// check is Check without its error prefix.
func (p *Pool) check(cfg configs.Exemplars) error {
	cfg, err := settings(cfg)
	if err != nil {
		return err
	}
	s, ok := configs.Find(strategies, cfg.Strategy)
	if !ok {
		return fmt.Errorf("strategy %q is unknown (there are %s)", cfg.Strategy, strings.Join(configs.ChoicesOf(strategies).IDs(), ", "))
	}
	if cfg.K == 0 || s.None {
		return nil
	}
	if !s.leveled {
		cfg.Levels = nil
	} else if len(cfg.Levels) == 0 {
		return fmt.Errorf("strategy %q needs levels", cfg.Strategy)
	}
	for _, l := range cfg.Levels {
		if !slices.Contains(Levels, l) {
			return fmt.Errorf("level %q is unknown (there are %s)", l, strings.Join(Levels, ", "))
		}
	}
	return p.enough(cfg, s.quotas)
}

// enough says whether the pool has as many demonstrations as cfg wants, were none of them of the question's
// database; by level where the strategy has quotas.
func (p *Pool) enough(cfg configs.Exemplars, quotas func(configs.Exemplars) map[string]int) error {
	have := map[string]int{}
	for _, d := range p.Demos() {
		have[d.Hardness]++
	}
	if quotas != nil {
		want := quotas(cfg)
		for _, level := range cfg.Levels {
			if n := want[level]; have[level] < n {
				return fmt.Errorf("k = %d needs %d demonstrations of level %q, the pool has %d", cfg.K, n, level, have[level])
			}
		}
		return nil
	}
	total := 0
	for level, n := range have {
		if len(cfg.Levels) == 0 || slices.Contains(cfg.Levels, level) {
			total += n
		}
	}
	if total < cfg.K {
		return fmt.Errorf("k = %d is more than the pool's %d demonstrations%s", cfg.K, total, ofLevels(cfg))
	}
	return nil
}

// ofLevels says to which levels a count applies; empty for all levels.
func ofLevels(cfg configs.Exemplars) string {
	if len(cfg.Levels) == 0 {
		return ""
	}
	return " of level " + strings.Join(cfg.Levels, " or ")
}

// Select chooses cfg.K demonstrations for a question, none of them of the question's own database; where cfg says so they are
// all of it, or of any database where it has too few that may be shown. Draws
// depend only on cfg.Draw, or else on the seed, never on the method, so that all methods see the same demonstrations. For
// strategies random and hardness-only a larger k begins with the demonstrations of a smaller one. A random choice is the
// same for every question of a seed, except that the next demonstration in the permutation replaces one that may not be
// shown with the question. cfg.Order puts what was chosen into an order that depends on it alone. Errors of q.Nearness are
// returned wrapped. Select takes p as it is: see Drawn.
func (p *Pool) Select(ctx context.Context, q Query, seed int64, cfg configs.Exemplars) ([]Demo, error) {
	demos, err := p.choose(ctx, q, seed, cfg)
	if err != nil {
		return nil, fmt.Errorf("exemplar: select for database %q: %w", q.DB, err)
	}
	return demos, nil
}

// choose is Select without its error prefix.
func (p *Pool) choose(ctx context.Context, q Query, seed int64, cfg configs.Exemplars) ([]Demo, error) {
	if err := p.check(cfg); err != nil {
		return nil, err
	}
	cfg, err := settings(cfg)
	s, _ := configs.Find(strategies, cfg.Strategy) // checked above
	if err != nil || cfg.K == 0 || s.None {
		return nil, err
	}
	pick := func() ([]Demo, error) {
		if s.Nearest && q.Nearness != nil {
			return p.nearest(ctx, q, cfg.K)
		}
		return s.pick(p, q, seeded(cfg.Draw, seed), cfg), nil
	}
	q.same, q.own = cfg.SameDatabase, cfg.SameDatabase
	demos, err := pick()
	if err == nil && q.own && len(demos) < cfg.K {
		q.own = false
		demos, err = pick()
	}
	if err != nil {
		return nil, err
	}
	if len(demos) < cfg.K {
		of := "are of other databases"
		if q.same {
			of = "have neither the question's words nor its query's template or fold"
		}
		return nil, fmt.Errorf("k = %d, but only %d demonstrations%s that %s may take %s", cfg.K, len(demos), ofLevels(cfg), cfg.Strategy, of)
	}
	return ordered(demos, cfg.Order), nil
}

// ordered shuffles demonstrations by a stated seed, alike from whatever order.
func ordered(demos []Demo, seed *int64) []Demo {
	if seed == nil {
		return demos
	}
	slices.SortFunc(demos, func(a, b Demo) int { return strings.Compare(a.ID, b.ID) })
	draw.Rand(*seed, "exemplar order").Shuffle(len(demos), func(i, j int) { demos[i], demos[j] = demos[j], demos[i] })
	return demos
}

// order returns the seed's permutation of the pool.
func (p *Pool) order(seed int64) []int {
	p.mu.Lock()
	defer p.mu.Unlock()
	// The purpose is fixed and names neither method nor question, so that all of them share the permutation.
	if p.orders[seed] == nil {
		p.orders[seed] = draw.Rand(seed, "exemplar").Perm(len(p.demos))
	}
	return p.orders[seed]
}

// walk takes, in the order of the seed's permutation, up to k demonstrations that the question may have and want is true of.
func (p *Pool) walk(q Query, seed int64, k int, want func(Demo) bool) []Demo {
	var out []Demo
	for _, i := range p.order(seed) {
		if len(out) == k {
			break
		}
		if d := p.demos[i]; q.takes(d) && want(d) {
			out = append(out, d)
		}
	}
	return out
}

// random takes demonstrations of any level.
func (p *Pool) random(q Query, seed int64, cfg configs.Exemplars) []Demo {
	return p.walk(q, seed, cfg.K, func(Demo) bool { return true })
}

// only takes demonstrations of cfg's levels.
func (p *Pool) only(q Query, seed int64, cfg configs.Exemplars) []Demo {
	return p.walk(q, seed, cfg.K, func(d Demo) bool { return slices.Contains(cfg.Levels, d.Hardness) })
}

// balanced takes the quota of each level, in the mixed order of the permutation.
func (p *Pool) balanced(q Query, seed int64, cfg configs.Exemplars) []Demo {
	left := quotas(cfg)
	return p.walk(q, seed, cfg.K, func(d Demo) bool {
		left[d.Hardness]--
		return left[d.Hardness] >= 0
	})
}

// quotas divides k among the levels; the first levels get the remainder.
func quotas(cfg configs.Exemplars) map[string]int {
	out := map[string]int{}
	for i, l := range cfg.Levels {
		out[l] = cfg.K / len(cfg.Levels)
		if i < cfg.K%len(cfg.Levels) {
			out[l]++
		}
	}
	return out
}
