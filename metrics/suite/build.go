package suite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"assay/configs/input"
	"assay/metrics/goldcheck"
	"assay/prompting/sql/engine"
	"assay/prompting/sql/sandbox"
	"assay/prompting/sql/tree"
)

// builder is one call of Build.
type builder struct {
	Options
	db, dir  string
	original engine.DB
	work     string // a folder of its own, for the neighbours on trial
	box      *sandbox.Box
	cat      *catalog
	queries  []*gold // distinct
	goals    []goal
}

// gold is one distinct gold query.
type gold struct {
	sql     string
	stmt    *tree.Stmt
	problem string
	shaky   string // on the original
	mutants []mutant
	first   int // its first goal; they are in the order of mutants, and for each of the equalities
	goals   int
}

// goal is a mutant to kill under an equality.
type goal struct {
	gold, mutant, equality int
	original               bool // killed by the original
}

// mutantTime is the deadline of a mutant: joins without a condition need one.
const mutantTime = 2 * time.Second

func (b *builder) close() {
	if b.work != "" {
		os.RemoveAll(b.work)
	}
}

// sweep removes what a build left that was killed.
func (b *builder) sweep() {
	left, _ := input.Glob(b.dir, ".work-*") // its only error is a wrong pattern
	for _, dir := range left {
		os.RemoveAll(dir)
	}
}

// build returns the report, but for the names and hashes of its files, and the bytes of the neighbours.
func (b *builder) build(ctx context.Context, queries []Gold) (Report, [][]byte, error) {
	var err error
	b.sweep()
	if b.work, err = os.MkdirTemp(b.dir, ".work-"); err != nil {
		return Report{}, nil, err
	}
	b.box = sandbox.New(sandbox.Options{Timeout: mutantTime, MaxRows: 50_000})
	if b.cat, err = readCatalog(ctx, b.original.Source); err != nil {
		return Report{}, nil, err
	}
	places := b.read(queries)
	original, err := b.startFrom(ctx)
	if err != nil {
		return Report{}, nil, err
	}
	trials, err := b.try(ctx)
	if err != nil {
		return Report{}, nil, err
	}
	chosen := b.choose(original, trials)
	var files [][]byte
	for _, t := range chosen {
		files = append(files, t.image)
	}
	return b.report(queries, places, original, trials, chosen), files, nil
}

// read takes the distinct gold queries in, and gives for each gold query its place among them.
func (b *builder) read(queries []Gold) (places []int) {
	known := map[string]int{}
	for _, g := range queries {
		sql := strings.TrimSpace(g.SQL)
		at, ok := known[sql]
		if !ok {
			at = len(b.queries)
			known[sql] = at
			d := &gold{sql: sql}
			stmt, err := tree.Parse(sql)
			switch {
			case err != nil:
				d.problem = errors.Unwrap(err).Error()
			case stmt.Query == nil:
				d.problem = "not a query"
			default:
				d.stmt = stmt
				b.cat.hint(stmt)
			}
			b.queries = append(b.queries, d)
		}
		places = append(places, at)
	}
	b.cat.sort() // gold queries may have linked tables
	return places
}

// startFrom runs gold queries and mutants on the original, which sorts out mutants that do not run, and kills most of
// the others.
func (b *builder) startFrom(ctx context.Context) (*trial, error) {
	for at, g := range b.queries {
		if g.problem != "" {
			continue
		}
		if _, err := b.box.Run(ctx, b.original, g.sql); err != nil {
			e, ok := judged(err)
			if !ok {
				return nil, err
			}
			g.problem = e.Err.Error()
			continue
		}
		if err := b.mutate(ctx, at, g); err != nil {
			return nil, err
		}
	}
	t := &trial{base: b.original}
	if err := b.settle(ctx, t, nil, len(b.queries)); err != nil {
		return nil, err
	}
	for at, why := range t.shaky {
		b.queries[at].shaky = why
	}
	if err := b.kill(ctx, t); err != nil {
		return nil, err
	}
	for i := range b.goals {
		b.goals[i].original = t.kills[i]
	}
	return t, nil
}

// mutate makes the goals of a gold query: its mutants that SQLite takes, each under every equality that runs another
// text for it than for the gold query.
func (b *builder) mutate(ctx context.Context, at int, g *gold) error {
	g.first = len(b.goals)
	for _, m := range mutants(g.stmt, b.cat) {
		_, err := b.box.Run(ctx, b.original, "EXPLAIN "+m.sql)
		if e, ok := judged(err); err != nil && !ok {
			return err
		} else if ok && e.Kind != engine.Timeout {
			continue
		}
		g.mutants = append(g.mutants, m)
		for i := range b.Equalities {
			if e := &b.Equalities[i]; squeeze(e.text(m.sql)) != squeeze(e.text(g.sql)) {
				b.goals = append(b.goals, goal{gold: at, mutant: len(g.mutants) - 1, equality: i})
			}
		}
	}
	g.goals = len(b.goals) - g.first
	return nil
}

// squeeze returns a statement with single spaces between its tokens.
func squeeze(sql string) string {
	var out strings.Builder
	for _, t := range tree.Tokens(sql) {
		out.WriteString(t.Text + " ")
	}
	return out.String()
}

// judged is SQLite's verdict on a statement, if err is one.
func judged(err error) (*engine.Error, bool) {
	e, ok := errors.AsType[*engine.Error](err)
	return e, ok && e.Kind != engine.Unavailable
}

// settle runs the gold queries on a database, and finds those that depend on a choice of SQLite's there. It begins with
// some, and gives up once it has found more than most that do not in the original.
func (b *builder) settle(ctx context.Context, t *trial, first []int, most int) error {
	t.shaky, t.answers = map[int]string{}, make([]bool, len(b.queries))
	order := slices.Clone(first)
	for at := range b.queries {
		if !slices.Contains(first, at) {
			order = append(order, at)
		}
	}
	for _, at := range order {
		g := b.queries[at]
		if g.problem != "" {
			continue
		}
		if b.harm(t) > most {
			t.fails = "gold queries have become shaky"
			return nil
		}
		res, err := b.box.Run(ctx, t.base, g.sql)
		if err != nil {
			e, ok := judged(err)
			if !ok {
				return err
			}
			t.fails = fmt.Sprintf("%s: %v", g.sql, e.Err)
			return nil
		}
		t.answers[at] = len(res.Rows) > 0
		found, err := goldcheck.Instabilities(ctx, b.box, t.base, g.stmt)
		if err != nil {
			return err
		}
		if len(found) > 0 {
			t.shaky[at] = found[0].Rule + ": " + found[0].Text
		}
	}
	return nil
}

// kill runs the mutants of the goals that the original leaves, and marks those that are found out. A kill does not
// count where the gold query is shaky: the mutant may have been unlucky.
func (b *builder) kill(ctx context.Context, t *trial) error {
	t.kills = make([]bool, len(b.goals))
	t.stopped = make([]bool, len(b.goals))
	for at, g := range b.queries {
		if _, shaky := t.shaky[at]; shaky || g.goals == 0 {
			continue
		}
		results := map[string]result{}
		for i := g.first; i < g.first+g.goals; i++ {
			if b.goals[i].original {
				continue
			}
			if err := b.killOne(ctx, t, g, i, results); err != nil {
				return err
			}
		}
	}
	return nil
}

// result is what a text gave, kept while one gold query is looked at.
type result struct {
	res *engine.Result
	err *engine.Error
}

func (b *builder) run(ctx context.Context, db engine.DB, sql string, known map[string]result) (result, error) {
	if r, ok := known[sql]; ok {
		return r, nil
	}
	res, err := b.box.Run(ctx, db, sql)
	r := result{res: res}
	if err != nil {
		e, ok := judged(err)
		if !ok {
			return r, err
		}
		r.err = e
	}
	known[sql] = r
	return r, nil
}

func (b *builder) killOne(ctx context.Context, t *trial, g *gold, i int, known map[string]result) error {
	e := &b.Equalities[b.goals[i].equality]
	text := e.text(g.sql)
	want, err := b.run(ctx, t.base, text, known)
	if err != nil || want.err != nil {
		return err
	}
	got, err := b.run(ctx, t.base, e.text(g.mutants[b.goals[i].mutant].sql), known)
	switch {
	case err != nil:
		return err
	case got.err != nil && got.err.Limit == engine.Deadline:
		t.stopped[i] = true
	case got.err != nil:
		t.kills[i] = true
	default:
		t.kills[i] = !e.Equal(want.res, got.res, e.Ordered(text))
	}
	return nil
}

// report puts together what came of it.
func (b *builder) report(queries []Gold, places []int, original *trial, trials []*trial, chosen []*trial) Report {
	r := Report{DB: b.db, Tries: len(trials)}
	kept := append([]*trial{original}, chosen...)
	for _, t := range kept {
		answers := 0
		for _, yes := range t.answers {
			if yes {
				answers++
			}
		}
		r.Databases = append(r.Databases, File{Answers: answers})
	}
	for _, t := range trials {
		if !b.fit(t) {
			r.Unfit++
		}
	}
	for i := range b.Equalities {
		r.Totals = append(r.Totals, Rate{Equality: b.Equalities[i].ID})
	}
	items := make([]Item, len(b.queries))
	for at := range b.queries {
		items[at] = b.item(at, kept, trials, r.Totals)
	}
	for i, g := range queries {
		it := items[places[i]]
		it.Item = g.Item
		it.Rates = slices.Clone(it.Rates)
		r.Items = append(r.Items, it)
	}
	return r
}

// item returns the report of one gold query, without its name; its counts are added to totals.
func (b *builder) item(at int, kept, trials []*trial, totals []Rate) Item {
	g := b.queries[at]
	it := Item{Problem: g.problem, Shaky: g.shaky}
	for _, t := range kept {
		if t.answers[at] {
			it.Answers++
		}
	}
	if g.problem != "" {
		return it
	}
	for i := range b.Equalities {
		it.Rates = append(it.Rates, Score{Rate: Rate{Equality: b.Equalities[i].ID}})
	}
	for i := g.first; i < g.first+g.goals; i++ {
		goal := b.goals[i]
		s, total := &it.Rates[goal.equality], &totals[goal.equality]
		s.Mutants++
		total.Mutants++
		by := func(t *trial) bool { return t.kills != nil && t.kills[i] }
		if slices.ContainsFunc(kept, by) {
			s.Killed++
			total.Killed++
			if goal.original {
				s.Original++
				total.Original++
			}
			continue
		}
		m := g.mutants[goal.mutant]
		s.Survivors = append(s.Survivors, Survivor{Rule: m.rule, SQL: m.sql, Tried: slices.ContainsFunc(trials, by),
			Stopped: slices.ContainsFunc(kept, func(t *trial) bool { return t.stopped != nil && t.stopped[i] })})
	}
	return it
}

// file returns where a neighbour on trial lies.
func (b *builder) file(try, step int) string {
	return filepath.Join(b.work, fmt.Sprintf("%04d-%02d.db", try, step))
}
