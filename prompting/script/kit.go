package script

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"assay/configs"
	"assay/prompting"
	"assay/prompting/draw"
	"assay/prompting/exemplar"
	"assay/prompting/llm"
	"assay/prompting/sql/schema"
	"assay/prompting/vectors"
)

// kit is what a part asks with under one arm and seed: the model, the parameters, the demonstrations and the schema's
// format. It is safe for concurrent use.
type kit struct {
	deps  prompting.Deps
	arm   configs.Arm
	seed  int64
	model configs.Model // of the part's calls, before its stages' settings
	name  string        // of the part: requests of parts of one name draw the same completions in every arm
	order string        // name in the draw of a shuffle; empty where the draw is shared
	print printer       // of schemas

	mu    sync.Mutex
	demos map[string]*demo // by id
	alike likeness
}

// mostDemos bounds the demonstrations that are kept as methods see them. Strategies with a fixed choice use no more.
const mostDemos = 256

// request returns the request for a sample of the messages, about an item or what else it depends on. A seed goes with it
// only where the model samples, at a temperature above 0: greedy requests of different seeds are one request, and are
// answered once. One that the experiment states goes with it at any temperature, and is the same under all seeds.
func (k *kit) request(about, stage string, sample int, p llm.Params, messages []llm.Message) llm.Request {
	r := llm.Request{Author: k.deps.Author, Params: p, Messages: messages, Sample: sample}
	if p.Temperature > 0 && p.FixedSeed == nil {
		seed := llm.DrawSeed(k.seed, about, k.name, stage)
		r.Params.Seed = &seed
	}
	return r
}

// stage returns the model's settings under a table of [stages], named as ask() takes it.
func (k *kit) stage(settings string) (configs.Model, error) {
	s := k.arm.Stages
	of, ok := map[string]configs.Stage{"": {}, "keywords": s.Keywords, "columns": s.Columns, "examples": s.Examples, "fix": s.Fix}[settings]
	if !ok {
		return configs.Model{}, fmt.Errorf("settings = %q names no table of [stages]: keywords, columns, examples or fix", settings)
	}
	return of.Over(k.model), nil
}

// choose chooses the demonstrations for a question by the arm's settings, or with others in place of them.
func (k *kit) choose(ctx context.Context, q prompting.Question, x configs.Exemplars) ([]exemplar.Demo, error) {
	query := queryOf(q)
	if by := k.deps.Embedder; by != nil {
		query.Nearness = func(ctx context.Context, text string, list []string) ([]float32, error) {
			return k.deps.Spaces.Cosines(ctx, by, text, list)
		}
	}
	demos, err := k.deps.Pool.Select(ctx, query, k.seed, x)
	return demos, withheld(err)
}

// queryOf is a question as demonstrations are chosen for it.
func queryOf(q prompting.Question) exemplar.Query {
	return exemplar.Query{Text: q.Text, DB: q.DB, Schema: q.Schema, Apart: q.Apart}
}

// shuffled returns the question's schema in the order that the arm asks for.
func (k *kit) shuffled(q prompting.Question, sample int) *schema.Database {
	if !k.arm.Schema.Shuffle {
		return q.Schema
	}
	purpose := []string{"schema", q.ID, strconv.Itoa(sample)}
	if k.order != "" {
		purpose = slices.Insert(purpose, 2, k.order)
	}
	return q.Schema.Shuffled(draw.Rand(k.seed, purpose...))
}

// schema prints a schema without the line break at its end.
func (k *kit) schema(db *schema.Database) (string, error) {
	text, err := k.print.schema(db)
	return strings.TrimRight(text, "\n"), err
}

// keepTakes keeps the demonstrations that the method can print and checks that there are enough of them.
func (k *kit) keepTakes(takes []exemplar.Feature) error {
	all := len(k.deps.Pool.Demos())
	for _, f := range takes {
		k.deps.Pool = k.deps.Pool.Only(f.Has)
	}
	err := k.deps.Pool.Check(k.arm.Exemplars)
	if n := len(k.deps.Pool.Demos()); err != nil && n < all {
		err = fmt.Errorf("%w (%d of %d demonstrations have a %s; those of exemplars.file = \"sample\" do)", err, n, all, takes[0].Said)
	}
	return err
}

// lacking returns an error where a prompt may draw on demonstrations without f: it names the source, at most ten of
// them, how many there are, and what to do.
func (k *kit) lacking(f exemplar.Feature) error {
	if !exemplar.Shown(k.arm.Exemplars) {
		return nil
	}
	demos := k.deps.Pool.Demos()
	var ids []string
	for _, d := range demos {
		if !f.Has(d) {
			ids = append(ids, d.ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	shown := strings.Join(ids[:min(len(ids), 10)], ", ")
	if len(ids) > 10 {
		shown += ", ..."
	}
	return fmt.Errorf("exemplars.file = %q: %d of %d demonstrations have no %s, which the method shows: %s; annotate them, "+
		"or take those of exemplars.file = \"sample\", or none (exemplars.k = 0)", k.arm.Exemplars.File, len(ids), len(demos), f.Said, shown)
}

// newKit checks an arm's settings before any work is done: the format and the strategy must exist, and the pool must be
// large enough.
func newKit(p *Part, d prompting.Deps, arm configs.Arm, seed int64) (*kit, error) {
	if d.Model == nil {
		return nil, errors.New("no model")
	}
	if d.Spaces == nil {
		d.Spaces = new(vectors.Spaces)
	}
	k := &kit{deps: d, arm: arm, seed: seed, model: arm.Model, name: p.name, order: p.folder.order, demos: map[string]*demo{}}
	switch p.kind {
	case Choose:
		k.name, k.model = Choose, ownModel(arm)
		if s := d.Selector; s.Model != nil {
			k.deps.Model, k.deps.Author = s.Model, s.Author
		}
	case Fix:
		k.name = Fix
	case Schema: // it prints schemas itself, those of other formats by render()
		k.arm.Schema.Format = usualFormat
	}
	var err error
	if k.print, err = printerOf(p, d, k.arm, seed); err != nil {
		return nil, err
	}
	if p.kind != Answer {
		// The generators' stop sequences would cut other answers; it is the generators that want variety of order; and parts
		// show no demonstrations.
		k.model.Stop, k.arm.Schema.Shuffle = nil, false
		return k, nil
	}
	if k.deps.Pool, err = d.Pool.Drawn(arm.Exemplars, seed); err != nil {
		return nil, err
	}
	if err := k.keepTakes(p.folder.takes); err != nil {
		return nil, err
	}
	for _, f := range p.folder.needs {
		if err := k.lacking(f); err != nil {
			return nil, err
		}
	}
	return k, nil
}

// ownModel returns the model that selects.
func ownModel(arm configs.Arm) configs.Model {
	m, _ := arm.Selector()
	return m
}
