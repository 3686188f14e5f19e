// Package plan works out what a run will do before any of it is done: the items, the arms at each sweep point, the
// demonstrations, the metrics, and the identity of all that.
//
// An experiment goes in; its dataset, overrides and demonstrations are loaded, its arms are crossed with its sweep into
// cells, and every identity that the numbers depend on is gathered in a manifest, whose hash names the run. [Plan.Forecast]
// then runs every method over what the ledger holds, with nobody or the baseline in the model's place, and sums up what the
// calls will take. A plan must never make a call that costs money, and its identity must never depend on where files lie, how
// many workers there are, or when it was made.
package plan

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"assay/configs"
	"assay/experiments/catalog"
	"assay/experiments/cost"
	"assay/experiments/dataset"
	"assay/experiments/predictions"
	"assay/experiments/record"
	"assay/metrics"
	"assay/metrics/exact"
	"assay/metrics/execution"
	"assay/prompting"
	"assay/prompting/command"
	"assay/prompting/exemplar"
	"assay/prompting/llm"
	"assay/prompting/methods"
	"assay/prompting/script"
	"assay/prompting/sql/sandbox"
	"assay/prompting/sql/sqlite"
	"assay/prompting/vectors"

	"github.com/BurntSushi/toml"
)

// Plan is everything that a run needs, before any of it is done.
type Plan struct {
	Experiment configs.Experiment
	Set        *dataset.Set
	Cells      []configs.Cell
	Pools      map[string]*exemplar.Pool // demonstrations by their source, configs.Exemplars.File
	Metrics    []metrics.Metric
	Overrides  Overrides
	Box        *sandbox.Box
	Results    *execution.Cache // results of Box, shared by metrics, fixers and selection rules
	Manifest   record.Manifest
	Config     map[string]any // the resolved experiment, as TOML tables; users' folders and files are named by their copies
	Copies     record.Copies  // the sources of the methods, parts and programs that the cells use
	Programs   *command.Host  // the programs of arms with a command
	// Imported answers in place of methods that ask a model; nil for a plan of such methods.
	Imported *predictions.Method

	indexes indexes         // of the databases' values
	spaces  *vectors.Spaces // of the demonstrations
}

// Options says where built databases are kept, and which predictions replace methods. The zero value plans an experiment as
// its file describes it.
type Options struct {
	Cache string // empty: the user's cache folder
	// Pred holds the answers of the experiment's one arm, whose method is "imported"; nil for any other experiment.
	Pred   *predictions.File
	Gold   *predictions.File // gold queries in place of the dataset's, with Pred and for GoldQueries; nil: the dataset's
	Tables []string          // files like tables.json in place of those of the dataset's folders, see dataset.Options
	// AllowCommands lets the programs of arms and metrics be started: to say their version, and to answer. Without it a plan with
	// such arms has no id that a run could be stored under, and its methods fail.
	AllowCommands bool
	// Names loads only what metrics read, see dataset.Options. Such a plan has no id, so its run cannot be stored.
	Names bool
}

// Make loads the dataset and the demonstrations, and checks all that can be checked before work starts: a run must not fail
// half-way over a mistake that was there at the start.
func Make(ctx context.Context, e configs.Experiment, o Options) (*Plan, error) {
	p := &Plan{Experiment: e, Cells: e.Cells(), Pools: map[string]*exemplar.Pool{}, indexes: newIndexes(o.Cache), spaces: &vectors.Spaces{}}
	p.Programs = command.NewHost(command.Options{Allowed: o.AllowCommands, Workers: p.Workers()})
	if err := p.make(ctx, o); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

func (p *Plan) make(ctx context.Context, o Options) error {
	if err := p.copySources(); err != nil {
		return err
	}
	warnings, err := p.load(ctx, o)
	if err != nil {
		return err
	}
	for _, c := range p.Cells {
		more, err := p.loadPool(ctx, c.Arm, o)
		if err != nil {
			return err
		}
		warnings = append(warnings, more...)
	}
	e := p.Experiment
	p.Box = sandbox.New(sandbox.Options{Timeout: time.Duration(e.Timeout), AtOnce: p.Workers()})
	p.Results = execution.NewCache(0)
	if p.Metrics, err = p.metrics(ctx, o); err != nil {
		return err
	}
	p.copyMetrics()
	p.Manifest, err = p.manifest(ctx, warnings, o)
	return err
}

// load loads the items, the imported answers where there are some, and the overrides.
func (p *Plan) load(ctx context.Context, o Options) (warnings []string, err error) {
	e, from := p.Experiment, dataset.Options{Cache: o.Cache, Names: o.Names, Tables: o.Tables}
	if o.Pred == nil {
		warnings = []string{}
		p.Set, err = dataset.Load(ctx, e.Dataset, from)
	} else if len(p.Cells) != 1 || !p.Cells[0].Arm.Row.Imported || len(e.Seeds) != 1 {
		err = fmt.Errorf("plan: experiment %q: predictions are of one arm and seed, with the method %s", e.Name, configs.Imported)
	} else {
		var entries []predictions.Entry
		if p.Set, entries, err = predictions.LoadWith(ctx, e.Dataset, o.Pred, o.Gold, from); err == nil {
			p.Imported = predictions.NewMethod(p.Set.Examples, entries, p.Cells[0].Arm.Model.Name, e.Seeds[0])
			warnings = o.Pred.Doubts()
		}
	}
	if err != nil {
		return nil, err
	}
	if len(p.Set.Examples) == 0 {
		return nil, fmt.Errorf("plan: experiment %q: dataset %s has no items after its filter", e.Name, p.Set.Name)
	}
	if p.Overrides, err = newOverrides(e.Dataset.Overrides, p.Set.Examples); err != nil {
		return nil, fmt.Errorf("plan: experiment %q: %w", e.Name, err)
	}
	warnings = append(append(warnings, dataset.Describe(p.Set.Warnings)...), p.Overrides.notes...)
	return append(append(warnings, suiteNotes(e.Metrics, p.Set.Examples)...), p.sentNotes()...), nil
}

// sentNotes warns of what the experiment states for its models and has no effect, or another than it seems to have.
func (p *Plan) sentNotes() (notes []string) {
	seeded, ignored := false, false
	for _, c := range p.Cells {
		m := c.Arm.Model
		seeded = seeded || m.Seed != nil && !m.Local
		ignored = ignored || m.Local && (m.Seed != nil || m.Reasoning != "" || len(m.Extra) > 0)
	}
	if n := len(p.Experiment.Seeds); seeded && n > 1 {
		notes = append(notes, fmt.Sprintf("model.seed is stated, so that the experiment's %d seeds send the same requests wherever their prompts are the same: a difference between seeds is not one of sampling", n))
	}
	if ignored {
		notes = append(notes, "model.reasoning, model.seed and model.extra have no effect on the baseline, which is no language model")
	}
	return notes
}

// Workers returns how many SQL statements may run at once. It is also the number of questions in progress where none waits
// for a network.
func (p *Plan) Workers() int {
	if n := p.Experiment.Workers; n > 0 {
		return n
	}
	return runtime.GOMAXPROCS(0)
}

// Exact returns the metric of exact set match: the plan's own where it has one, since that parses each gold query once for
// all its users.
func (p *Plan) Exact() *exact.Metric {
	for _, m := range p.Metrics {
		if em, ok := m.(*exact.Metric); ok {
			return em
		}
	}
	return exact.New(exact.Options{})
}

// Advisory reports whether a metric of the plan depends on the speed of the machine.
func (p *Plan) Advisory() bool {
	return slices.ContainsFunc(p.Metrics, func(m metrics.Metric) bool { return execution.Advisory(m.ID()) })
}

// Close ends the programs, and releases the databases.
func (p *Plan) Close() error {
	errs := []error{p.Programs.Close(), p.indexes.close()}
	for _, m := range p.judges() {
		errs = append(errs, m.Close())
	}
	return errors.Join(errs...)
}

// loadPool loads the demonstrations of an arm, each source once. An arm without demonstrations needs none, unless the
// examples of its methods are drawn from them.
func (p *Plan) loadPool(ctx context.Context, arm configs.Arm, o Options) ([]string, error) {
	ex := arm.Exemplars
	if _, ok := p.Pools[ex.File]; ok || !p.draws(arm) {
		return nil, nil
	}
	ex.SameDatabase = slices.ContainsFunc(p.Cells, func(c configs.Cell) bool { // of any arm, as they share the pool
		return c.Arm.Exemplars.File == ex.File && c.Arm.Exemplars.SameDatabase
	})
	demos, warnings, err := dataset.Exemplars(ctx, p.Experiment.Dataset, ex, dataset.Options{Cache: o.Cache, Features: p.features(ex.File)})
	if err != nil {
		return nil, err
	}
	p.Pools[ex.File], err = exemplar.NewPool(demos)
	return dataset.Describe(warnings), err
}

// draws reports whether an arm can draw on demonstrations.
func (p *Plan) draws(arm configs.Arm) bool {
	return arm.Exemplars.K > 0 || p.Experiment.Known.DrawsExamples(arm)
}

// features lists what the arms that draw from a source show of its demonstrations: all of them draw from those that have all of
// it, so that no arm's demonstrations depend on its method.
func (p *Plan) features(file string) (out []string) {
	for _, c := range p.Cells {
		if c.Arm.Exemplars.File != file || !exemplar.Shown(c.Arm.Exemplars) {
			continue
		}
		for _, m := range c.Arm.Asked {
			out = append(out, m.Features...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// configMap returns the resolved experiment as run.toml stores it.
func configMap(e configs.Experiment) (map[string]any, error) {
	text, err := e.TOML()
	if err != nil {
		return nil, err
	}
	m := map[string]any{}
	if err := toml.Unmarshal(text, &m); err != nil {
		return nil, fmt.Errorf("plan: experiment %q: %w", e.Name, err)
	}
	return m, nil
}

// manifest gathers the identities that the run's numbers depend on, the id last.
func (p *Plan) manifest(ctx context.Context, warnings []string, o Options) (m record.Manifest, err error) {
	version, revision := Build()
	m = record.Manifest{
		Experiment: p.Experiment.Name, Assay: version, Revision: revision, SQLite: sqlite.Version(),
		Dataset: p.Set.Name, DatasetHash: p.Set.Hash, Items: len(p.Set.Examples), Warnings: warnings,
	}
	m.Metrics = p.Overrides.Columns(p.Metrics, p.Set.Examples)
	for _, a := range p.Experiment.Sweep {
		m.Axes = append(m.Axes, a.Key)
	}
	if o.Names {
		return m, nil
	}
	if p.Imported != nil { // imported answers depend on no prompt of this program
		answers, err := p.Imported.Hash()
		if err == nil {
			m.ID, err = p.id(m, answers)
		}
		return m, err
	}
	if m.Programs, err = p.programs(ctx); err != nil {
		return m, err
	}
	m.PromptHash, m.ExemplarsHash = catalog.PromptHash(p.digests()), p.exemplarsHash()
	m.Similarity, m.Demonstrations = p.similarities(), p.demonstrated()
	authors, err := p.authors()
	if err != nil {
		return m, err
	}
	m.ID, err = p.id(m, authors)
	return m, err
}

// authors names the author of every cell's completions as request keys do, the selector where that is another, and who
// computes the vectors.
func (p *Plan) authors() ([]string, error) {
	names := make([]string, len(p.Cells))
	for i, c := range p.Cells {
		models := []configs.Model{c.Arm.Model}
		if own, ok := c.Arm.Selector(); ok {
			models = append(models, own)
		}
		e := c.Arm.Embeddings
		if e.On() {
			models = append(models, e.Model())
		}
		for _, m := range models {
			a, err := catalog.Author(m)
			if err != nil {
				return nil, fmt.Errorf("plan: arm %q: %w", c.Arm.Name, err)
			}
			names[i] += fmt.Sprintf("%q ", a.Identity())
		}
		if e.On() {
			names[i] += fmt.Sprintf("embeds %d ", e.Dimensions)
		}
	}
	return names, nil
}

// demonstrated counts the demonstrations of each source, in the order of their names.
func (p *Plan) demonstrated() (out []record.Pool) {
	for file, pool := range p.Pools {
		name := cmp.Or(record.PoolFile(file), dataset.Shipped(p.Experiment.Dataset.Kind))
		demos := pool.Demos()
		out = append(out, record.Pool{File: record.PoolFile(file), Name: name, Size: len(demos), Levels: pool.ByLevel(), By: exemplar.Makers(demos)})
	}
	slices.SortFunc(out, func(a, b record.Pool) int { return strings.Compare(a.File, b.File) })
	return out
}

// exemplarsHash identifies the demonstrations of all sources. Files go by their contents, not by their path.
func (p *Plan) exemplarsHash() string {
	files := make([]string, 0, len(p.Pools))
	for f := range p.Pools {
		name := f
		if f != "" && !p.Experiment.Known.Choices("annotations").Has(f) {
			name = p.demonstrations(f)
		}
		files = append(files, fmt.Sprintf("%q %s\n", name, p.Pools[f].Hash()))
	}
	slices.Sort(files)
	h := sha256.New()
	for _, f := range files {
		fmt.Fprint(h, f)
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

// contents replaces a path in an identity by the hash of what lies there; that of a method or part by its name, too, which
// the seeds of requests are drawn by.
func (p *Plan) contents(key, path string) string {
	if key == "command" || strings.HasPrefix(key, "env.") { // a program may lie elsewhere
		return filepath.Base(path)
	}
	if configs.IsSource(key) {
		return p.Experiment.Known.Named(key, path)
	}
	return p.demonstrations(path)
}

// demonstrations replaces a path in an identity by the hash of the demonstrations in the file, empty where it has none. All
// other files have a hash in the manifest.
func (p *Plan) demonstrations(path string) string {
	if pool := p.Pools[path]; pool != nil {
		return pool.Hash()
	}
	return ""
}

// id hashes what decides the numbers: the decisive part of the experiment, every identity of the manifest, and answers, which
// are the authors or the hash of the imported answers. A run started again, with any number of workers, therefore is the
// same run in the same folder.
func (p *Plan) id(m record.Manifest, answers any) (string, error) {
	config, err := configMap(decisive(p.Experiment))
	if err != nil {
		return "", err
	}
	config = p.Experiment.Known.Placeless(config, p.contents)
	m.ID, m.Complete, m.Warnings, m.Demonstrations = "", false, nil, nil
	b, err := json.Marshal([]any{config, m, answers})
	if err != nil {
		return "", fmt.Errorf("plan: experiment %q: %w", p.Experiment.Name, err)
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:5]), nil
}

// decisive returns the experiment without the settings that change no number: workers, limits, budget, the place of keys,
// reports and descriptions.
func decisive(e configs.Experiment) configs.Experiment {
	e.Workers, e.Limits, e.Budget = 0, configs.Limits{}, configs.Budget{}
	e.Shows, e.Report, e.Tables = "", configs.Report{}, nil
	e.OwnMetrics = nil // their fingerprints are in the manifest
	// The authors, which id hashes apart, identify who answers: they spell each address in one way and know a named author
	// by its name.
	unnamed := func(m *configs.Model, s *configs.Selection) {
		m.Name, m.BaseURL, m.As, m.KeyEnv, m.KeyFile = "", "", "", "", ""
		s.Name, s.BaseURL, s.As, s.KeyEnv, s.KeyFile = "", "", "", "", ""
	}
	unnamed(&e.Model, &e.Selection)
	e.Embeddings = configs.Embeddings{} // likewise
	e.Arms = slices.Clone(e.Arms)
	for i := range e.Arms {
		e.Arms[i].Label, e.Arms[i].Published, e.Arms[i].Embeddings = "", "", configs.Embeddings{}
		e.Arms[i].Startup, e.Arms[i].Timeout, e.Arms[i].Sources = 0, 0, nil // the manifest has version and digests
		unnamed(&e.Arms[i].Model, &e.Arms[i].Selection)
	}
	return e
}

// Build returns the module's version and the VCS revision that the binary was built from.
func Build() (version, revision string) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown", "unknown"
	}
	version, revision = info.Main.Version, "unknown"
	dirty := ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			revision = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			dirty = "+dirty"
		}
	}
	return version, revision + dirty
}

// Models answer what an arm asks.
type Models struct {
	Model    llm.Model
	Selector llm.Model          // makes the completions of selection where the arm names another model for it
	Vectors  llm.EmbeddingModel // computes the vectors of an arm that states [embeddings]
}

// Method constructs the method of a cell for one seed. The model makes all completions, including those of selection, and
// computes the vectors.
func (p *Plan) Method(c configs.Cell, m llm.Model, seed int64) (prompting.Method, error) {
	e, _ := m.(llm.EmbeddingModel)
	return p.MethodWith(c, Models{m, m, e}, seed)
}

// MethodWith is Method with models of their own for selection and vectors.
func (p *Plan) MethodWith(c configs.Cell, m Models, seed int64) (prompting.Method, error) {
	if p.Imported != nil {
		return catalog.Method(prompting.Deps{Imported: p.Imported}, c.Arm, seed)
	}
	d, err := p.Deps(c, m)
	if err != nil {
		return nil, err
	}
	if c.Arm.Row.Program {
		if d.Program, err = p.Programs.Method(script.Setup{Deps: d, Arm: c.Arm, Seed: seed, Open: methods.Open}); err != nil {
			return nil, err
		}
	}
	return catalog.Method(d, c.Arm, seed)
}

// Deps returns what the method and the parts of a cell are constructed from.
func (p *Plan) Deps(c configs.Cell, m Models) (d prompting.Deps, err error) {
	d = prompting.Deps{Model: m.Model, Box: cachedBox{p.Box, p.Results}, Values: p.indexes.open, Calls: p.Experiment.Limits.CallsPerItem}
	if p.draws(c.Arm) { // not because another arm has loaded them
		d.Pool = p.Pools[c.Arm.Exemplars.File]
	}
	if d.Author, err = catalog.Author(c.Arm.Model); err != nil {
		return d, err
	}
	if own, ok := c.Arm.Selector(); ok {
		d.Selector.Model = m.Selector
		if d.Selector.Author, err = catalog.Author(own); err != nil {
			return d, err
		}
	}
	if c.Arm.Embeddings.On() {
		d.Spaces, d.EmbedderName = p.spaces, cost.ModelName(c.Arm.Embeddings.Model())
		d.Embedder, err = catalog.Embedder(m.Vectors, c.Arm.Embeddings)
	}
	return d, err
}
