package dataset

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

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
	{ID: configs.TrainFile, Shows: "the dataset's whole training split, annotated by rule from its SQL, with the shipped annotations in their place; those that lack what an arm shows are left out for all arms"},
}, exemplar.Shipments...)

// Shipped returns the name of the annotations that a kind of dataset has where no file is stated.
func Shipped(kind string) string {
	one, _ := configs.Find(kinds, kind)
	return one.shipped
}

// Exemplars reads the demonstrations that ex.File names, with their schemas loaded, hardness computed, and what is not
// annotated derived from the SQL.
//
// ex.File is "sample" or "spider-train" (shipped annotations), configs.TrainFile (the dataset's training split: Spider's
// and BIRD's train, text2sql's train part; the sample's is its demonstrations), the path of an annotation file, or empty:
// what the kind of dataset ships with. A demonstration of a path may be over the dataset's databases or the sample's. A
// demonstration that cannot be used (no question, no database, SQL that does not parse) is left out with a warning; it is an
// error where none can be used. The order is that of the file.
//
// Of a training split, steps and divisions are derived too, the shipped annotations of the same questions stand in their
// place, and demonstrations that lack one of o.Features are left out, with one warning for each feature.
func Exemplars(ctx context.Context, cfg configs.Dataset, ex configs.Exemplars, o Options) ([]exemplar.Demo, []Warning, error) {
	demos, warnings, err := demonstrations(ctx, cfg, ex, o)
	if err != nil {
		return nil, nil, fmt.Errorf("dataset: exemplars of %q: %w", cfg.Kind, err)
	}
	return demos, warnings, nil
}

func demonstrations(ctx context.Context, cfg configs.Dataset, ex configs.Exemplars, o Options) ([]exemplar.Demo, []Warning, error) {
	l, err := opened(ctx, cfg, o)
	if err != nil {
		return nil, nil, err
	}
	l.warnings = nil // those of the schema files are Load's
	file := ex.File
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
	from, err := l.places(file, o)
	if err != nil {
		return nil, nil, err
	}
	read := len(demos)
	located, err := l.located(file, demos, from)
	if err != nil {
		return nil, nil, err
	}
	if demos, err = l.annotated(file, located, o.Features); err != nil {
		return nil, nil, err
	}
	if ex.SameDatabase {
		for i, d := range demos {
			demos[i].Apart = append(slices.Clip(d.Apart), template(d.SQL))
		}
	}
	return demos, l.warnings, l.empty(file, len(demos), read)
}

// empty is an error where nothing of a file can be used.
func (l *loader) empty(file string, used, read int) error {
	if used > 0 {
		return nil
	}
	why := "it is empty"
	if len(l.warnings) > 0 {
		why = l.warnings[0].Item + ": " + l.warnings[0].Text
	}
	return fmt.Errorf("%s: none of its %d demonstrations can be used: %s", file, read, why)
}

// places are the loaders whose databases the demonstrations of a file may be over.
func (l *loader) places(file string, o Options) ([]*loader, error) {
	if l.kind.ID == sampleKind.ID {
		return []*loader{l}, nil
	}
	own, err := opened(l.ctx, configs.Dataset{Kind: sampleKind.ID}, o)
	if file == exemplar.OfSample {
		return []*loader{own}, err
	}
	return []*loader{l, own}, err
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
			demos[i] = exemplar.Demo{ID: it.id, DB: it.db, Question: it.question, SQL: it.gold, Evidence: it.evidence, Apart: it.apart}
		}
		return demos, l.overlay(demos)
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
	if demos, err = l.resolve(file, demos); err != nil {
		return nil, err
	}
	return demos, l.setApart(demos)
}

// setApart gives demonstrations of a file the labels that their questions have in the sets of the dataset, which no file
// holds: a question must see none of its own fold, wherever the annotations are from.
func (l *loader) setApart(demos []exemplar.Demo) error {
	if !l.kind.Sets {
		return nil
	}
	quiet := *l // what is left out of the sets is said where they are read as questions
	items, err := quiet.readSets(l.sets(), "all")
	if err != nil {
		return err
	}
	of := map[[2]string][]string{}
	for _, it := range items {
		key := [2]string{it.db, exemplar.QuestionHash(it.question)}
		of[key] = append(of[key], it.apart...)
	}
	for i, d := range demos {
		demos[i].Apart = append(slices.Clip(d.Apart), of[[2]string{d.DB, exemplar.QuestionHash(d.Question)}]...)
	}
	return nil
}

// overlay puts the shipped annotations of a training split in the place of its own questions, whose ids are kept.
func (l *loader) overlay(demos []exemplar.Demo) error {
	if !l.kind.named {
		return nil
	}
	shipped, err := exemplar.Shipped(l.kind.shipped)
	if err != nil {
		return err
	}
	at := map[[2]string]exemplar.Demo{}
	for _, d := range shipped {
		at[[2]string{d.DB, d.QuestionSHA256}] = d
	}
	for i, d := range demos {
		named, ok := at[[2]string{d.DB, exemplar.QuestionHash(d.Question)}]
		if !ok {
			continue
		}
		full, _ := exemplar.Resolve([]exemplar.Demo{named}, func(string, string) (exemplar.Original, bool) {
			return exemplar.Original{Question: d.Question, SQL: d.SQL, Evidence: d.Evidence}, true
		})
		demos[i] = full[0]
		demos[i].ID, demos[i].QuestionSHA256 = d.ID, ""
	}
	return nil
}

// resolve fills in the questions that annotations name by their hash alone, from the dataset's training split.
func (l *loader) resolve(file string, demos []exemplar.Demo) ([]exemplar.Demo, error) {
	var train map[[2]string]item
	var err error
	for _, d := range demos {
		if d.Question == "" && train == nil && err == nil {
			train, err = l.trainByHash()
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%w: the annotations %q only name questions of a training split; exemplars.file = \"sample\" needs none", err, file)
	}
	demos, missing := exemplar.Resolve(demos, func(db, sha string) (exemplar.Original, bool) {
		it, ok := train[[2]string{db, sha}]
		return exemplar.Original{Question: it.question, SQL: it.gold, Evidence: it.evidence}, ok
	})
	for _, id := range missing {
		l.warn(file, id, "left out: the training split has no such question")
	}
	return demos, nil
}

func (l *loader) trainByHash() (map[[2]string]item, error) {
	if l.kind.train == nil {
		return nil, errors.New("this dataset has no training split")
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

// Sourced is a demonstration with the database of its query; none where there is no file.
type Sourced struct {
	exemplar.Demo
	Database engine.DB
}

// Annotated reads an annotation file as [Exemplars] does, adds nothing to it but schemas and hardness, and has the databases.
func Annotated(ctx context.Context, cfg configs.Dataset, file string, o Options) ([]Sourced, []Warning, error) {
	fail := func(err error) ([]Sourced, []Warning, error) {
		return nil, nil, fmt.Errorf("dataset: annotations %q: %w", file, err)
	}
	l, err := opened(ctx, cfg, o)
	if err != nil {
		return fail(err)
	}
	l.warnings = nil
	demos, err := l.source(file)
	if err != nil {
		return fail(err)
	}
	from, err := l.places(file, o)
	if err != nil {
		return fail(err)
	}
	out, err := l.located(file, demos, from)
	if err == nil {
		err = l.empty(file, len(out), len(demos))
	}
	if err != nil {
		return fail(err)
	}
	return out, l.warnings, nil
}

// Questions reads the questions of a dataset's split as demonstrations without annotations, by which the factory of
// demonstrations begins; those of the sample are its demonstrations' own. Their ids are those that configs.TrainFile has.
func Questions(ctx context.Context, cfg configs.Dataset, o Options) ([]Sourced, []Warning, error) {
	if cfg.Kind == sampleKind.ID {
		demos, err := exemplar.Shipped(exemplar.OfSample)
		if err != nil {
			return nil, nil, err
		}
		for _, d := range demos {
			o.Rows = append(o.Rows, Row{ID: d.ID, DB: d.DB, Question: d.Question, Evidence: d.Evidence, Gold: d.SQL})
		}
	}
	set, err := Load(ctx, cfg, o)
	if err != nil {
		return nil, nil, err
	}
	var out []Sourced
	for _, x := range set.Examples {
		q := x.Question
		if x.Gold == "" || x.Hardness == "" || x.Fault != "" {
			continue // a warning of the set says so
		}
		out = append(out, Sourced{Database: q.Database, Demo: exemplar.Demo{ID: strings.TrimPrefix(q.ID, set.Name+"/"), DB: q.DB,
			Question: q.Text, SQL: x.Gold, Evidence: q.Evidence, Hardness: x.Hardness, Schema: q.Schema}})
	}
	if len(out) == 0 {
		return nil, nil, fmt.Errorf("dataset: questions of %q: none has a gold query that can be read and a database", set.Name)
	}
	return out, set.Warnings, nil
}

// located gives each demonstration its schema and database, from the first loader that has them, and its hardness.
func (l *loader) located(file string, demos []exemplar.Demo, from []*loader) ([]Sourced, error) {
	var out []Sourced
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
		out = append(out, Sourced{d, b.db})
	}
	return out, nil
}

// annotated adds what the demonstrations lack and can be derived: of a training split steps and divisions too, where an arm
// shows them.
func (l *loader) annotated(file string, demos []Sourced, features []string) ([]exemplar.Demo, error) {
	shows := func(prefix string) bool {
		return slices.ContainsFunc(features, func(f string) bool { return strings.HasPrefix(f, prefix) })
	}
	derive := file == configs.TrainFile && (shows("steps") || shows("division"))
	var box *sandbox.Box
	if shows("plan") {
		box = sandbox.New(sandbox.Options{})
	}
	lacking := map[string]int{}
	var out []exemplar.Demo
	for _, s := range demos {
		if err := l.ctx.Err(); err != nil {
			return nil, err
		}
		d, err := s.Demo, error(nil)
		if derive {
			_, err = annotate.Derive(&d)
		} else {
			err = annotate.Fill(&d)
		}
		if err != nil {
			l.warn(file, d.ID, "left out: %v", err)
			continue
		}
		if err := l.addPlan(file, &d, s.Database, box); err != nil {
			return nil, err
		}
		if f := lacks(d, features); f != "" && file == configs.TrainFile {
			lacking[f]++
			continue
		}
		out = append(out, d)
	}
	for _, f := range slices.Sorted(maps.Keys(lacking)) {
		l.warn(file, "", "%d of %d demonstrations are left out, for all arms: they have no %s, which an arm shows", lacking[f], len(demos), f)
	}
	return out, nil
}

// lacks names the first feature that a demonstration does not have, as errors say it; empty: it has all.
func lacks(d exemplar.Demo, features []string) string {
	for _, id := range features {
		if f, err := exemplar.FeatureOf(id); err == nil && !f.Has(d) {
			return f.Said
		}
	}
	return ""
}

// addPlan fills in a demonstration's query plan where it has none, unless box is nil. A query that SQLite does not explain has
// none, with a warning.
func (l *loader) addPlan(file string, d *exemplar.Demo, db engine.DB, box *sandbox.Box) error {
	if box == nil || d.Plan != "" {
		return nil
	}
	if db.None() {
		l.warn(file, d.ID, "without a query plan: its database has no file")
		return nil
	}
	plan, err := queryplan.Steps(l.ctx, box, db, d.SQL)
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
