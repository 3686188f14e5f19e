package dataset

import (
	"context"
	"errors"
	"fmt"

	"assay/configs"
	"assay/experiments/annotate"
	"assay/metrics/exact"
	"assay/prompting/exemplar"
	"assay/prompting/sql/engine"
	"assay/prompting/sql/queryplan"
	"assay/prompting/sql/sandbox"
)

// Annotations lists the names that exemplars.file may have in place of a path.
var Annotations = append(configs.Choices{
	{ID: configs.TrainFile, Shows: "the dataset's whole training split: chain of thought and columns are derived from its SQL; methods that show sub-questions refuse it"},
}, exemplar.Shipments...)

// Exemplars reads the demonstrations that ex.File names, with their schemas loaded, hardness computed, and what is not
// annotated derived from the SQL.
//
// ex.File is "sample" or "spider-train" (shipped annotations), configs.TrainFile (the dataset's training split: Spider's
// and BIRD's train, text2sql's train part; the sample's is its demonstrations), the path of an annotation file, or empty:
// what the kind of dataset ships with. A demonstration of a path may be over the dataset's databases or the sample's. A
// demonstration that cannot be used (no question, no database, SQL that does not parse) is left out with a warning; it is an
// error where none can be used. The order is that of the file.
func Exemplars(ctx context.Context, cfg configs.Dataset, ex configs.Exemplars, o Options) ([]exemplar.Demo, []Warning, error) {
	demos, warnings, err := demonstrations(ctx, cfg, ex.File, o)
	if err != nil {
		return nil, nil, fmt.Errorf("dataset: exemplars of %q: %w", cfg.Kind, err)
	}
	return demos, warnings, nil
}

func demonstrations(ctx context.Context, cfg configs.Dataset, file string, o Options) ([]exemplar.Demo, []Warning, error) {
	l, err := opened(ctx, cfg, o)
	if err != nil {
		return nil, nil, err
	}
	if o.Plans {
		l.plans = sandbox.New(sandbox.Options{})
	}
	l.warnings = nil // those of the schema files are Load's
	if file == "" {
		file = l.kind.shipped
	}
	if file == configs.TrainFile && l.kind.train == nil {
		file = exemplar.OfSample
	}
	demos, err := l.source(file)
	if err != nil {
		return nil, nil, err
	}
	from := []*loader{l}
	if l.kind.ID != sampleKind.ID {
		own, err := opened(ctx, configs.Dataset{Kind: sampleKind.ID}, o)
		if err != nil {
			return nil, nil, err
		}
		from = append(from, own)
	}
	if file == exemplar.OfSample {
		from = from[len(from)-1:]
	}
	read := len(demos)
	if demos, err = l.complete(file, demos, from); err != nil {
		return nil, nil, err
	}
	if len(demos) == 0 {
		why := "it is empty"
		if len(l.warnings) > 0 {
			why = l.warnings[0].Item + ": " + l.warnings[0].Text
		}
		return nil, nil, fmt.Errorf("%s: none of its %d demonstrations can be used: %s", file, read, why)
	}
	return demos, l.warnings, nil
}

// opened is a loader whose databases can be described.
func opened(ctx context.Context, cfg configs.Dataset, o Options) (*loader, error) {
	l, err := newLoader(ctx, cfg, o)
	if err == nil {
		err = l.kind.open(l)
	}
	return l, err
}

// source reads the demonstrations as their file has them.
func (l *loader) source(file string) ([]exemplar.Demo, error) {
	switch file {
	case configs.TrainFile:
		items, err := l.kind.train(l)
		if err != nil {
			return nil, err
		}
		identify(items)
		demos := make([]exemplar.Demo, len(items))
		for i, it := range items {
			demos[i] = exemplar.Demo{ID: it.id, DB: it.db, Question: it.question, SQL: it.gold, Evidence: it.evidence}
		}
		return demos, nil
	case exemplar.OfSample:
		return exemplar.Shipped(file)
	case exemplar.OfSpider:
		demos, err := exemplar.Shipped(file)
		if err != nil {
			return nil, err
		}
		return l.resolve(file, demos)
	}
	demos, err := exemplar.Open(file)
	if err != nil {
		return nil, err
	}
	return l.resolve(file, demos)
}

// resolve fills in the questions that annotations name by their hash alone, from Spider's training split.
func (l *loader) resolve(file string, demos []exemplar.Demo) ([]exemplar.Demo, error) {
	var train map[[2]string]item
	var err error
	for _, d := range demos {
		if d.Question == "" && train == nil && err == nil {
			train, err = l.spiderTrainByHash()
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%w: the annotations %q only name Spider's training questions; exemplars.file = \"sample\" needs none", err, file)
	}
	demos, missing := exemplar.Resolve(demos, func(db, sha string) (question, sql string, ok bool) {
		it, ok := train[[2]string{db, sha}]
		return it.question, it.gold, ok
	})
	for _, id := range missing {
		l.warn(file, id, "left out: the training split has no such question")
	}
	return demos, nil
}

func (l *loader) spiderTrainByHash() (map[[2]string]item, error) {
	if !l.kind.named {
		return nil, fmt.Errorf("this dataset is not %s", spiderKind.ID)
	}
	items, err := l.kind.train(l)
	if err != nil {
		return nil, err
	}
	byHash := make(map[[2]string]item, len(items))
	for _, it := range items {
		key := [2]string{it.db, exemplar.QuestionHash(it.question)}
		if _, twice := byHash[key]; !twice {
			byHash[key] = it
		}
	}
	return byHash, nil
}

// complete gives each demonstration its schema, from the first loader that has its database, its hardness and the
// annotations it lacks.
func (l *loader) complete(file string, demos []exemplar.Demo, from []*loader) ([]exemplar.Demo, error) {
	var out []exemplar.Demo
	for _, d := range demos {
		if err := l.ctx.Err(); err != nil {
			return nil, err
		}
		var b *base
		err := errNoBase
		for i := 0; i < len(from) && errors.Is(err, errNoBase); i++ {
			b, err = from[i].bases.get(d.DB)
		}
		switch {
		case errors.Is(err, errNoBase):
			l.warn(file, d.ID, "left out: database %q is not there", d.DB)
			continue
		case err != nil:
			return nil, err
		case b.fault != "":
			l.warn(file, d.ID, "left out: database %q cannot be read: %s", d.DB, b.fault)
			continue
		case d.SQL == "":
			l.warn(file, d.ID, "left out: it has no SQL")
			continue
		}
		d.Schema = b.schema
		if d.Hardness, err = exact.Hardness(d.SQL, b.names); err != nil {
			l.warn(file, d.ID, "left out: %v", err)
			continue
		}
		if err := annotate.Fill(&d); err != nil {
			l.warn(file, d.ID, "left out: %v", err)
			continue
		}
		if err := l.addPlan(file, &d, b.db); err != nil {
			return nil, err
		}
		out = append(out, d)
	}
	return out, nil
}

// addPlan fills in a demonstration's query plan. A query that SQLite does not explain has none, with a warning: only
// method qp-cot needs plans, and it uses the demonstrations that have one.
func (l *loader) addPlan(file string, d *exemplar.Demo, db engine.DB) error {
	if l.plans == nil {
		return nil
	}
	if db.None() {
		l.warn(file, d.ID, "without a query plan: its database has no file")
		return nil
	}
	plan, err := queryplan.Steps(l.ctx, l.plans, db, d.SQL)
	switch {
	case l.ctx.Err() != nil:
		return l.ctx.Err()
	case err != nil:
		l.warn(file, d.ID, "without a query plan: %v", err)
	default:
		d.Plan = plan.Text()
	}
	return nil
}
