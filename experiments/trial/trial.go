// Package trial tries a method's folder on an item or a few, with the baseline in the model's place.
//
// [Experiment] makes an experiment of one arm that uses every part that the folder defines, on the sample dataset or with the
// settings of a stored experiment. [Run] then runs the parts one after the other, each by itself: what links on the item, a
// method and a schema format on the item, a fixer on a query that fails, a choice on three candidates. Every prompt and what
// became of its answer is kept. A trial must never call a model that costs money, write to the ledger, or show a part the gold
// query.
package trial

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"assay/configs"
	"assay/experiments/catalog"
	"assay/experiments/plan"
	"assay/prompting"
	"assay/prompting/methods"
	"assay/prompting/pipeline"
	"assay/prompting/script"
	"assay/prompting/sql/schema"
	"assay/prompting/vectors"
)

// Trial is what came of a folder's parts.
type Trial struct {
	Items    int      `json:"items"`    // tried at most
	Parts    []Part   `json:"parts"`    // in the order in which a question passes them
	Unfilled []string `json:"unfilled"` // templates that no item reached
}

// Part is one part of the folder, tried on one item.
type Part struct {
	Kind     string   `json:"kind"` // "link", "answer", "fix", "choose" or "schema"
	Item     string   `json:"item"`
	Question string   `json:"question"`
	Reaches  []string `json:"reaches"` // templates that were filled here first
	Given    []SQL    `json:"given"`   // the candidates that a fixer or a choice was given
	Calls    []Call   `json:"calls"`

	Linked []Link `json:"linked,omitempty"`
	Gives  []SQL  `json:"gives"` // the candidates that a method or a fixer makes
	Drops  bool   `json:"drops,omitempty"`
	Chosen int    `json:"chosen"`        // of choose: index into Given, from 0
	Why    string `json:"why,omitempty"` // of choose
}

// Link is what a stage linked to the question.
type Link struct {
	Stage   string   `json:"stage"`
	Values  []string `json:"values,omitempty"`  // table.column = "value"
	Columns []string `json:"columns,omitempty"` // table.column, those that were named
}

func linksOf(all []prompting.Linked) (out []Link) {
	for _, l := range all {
		one := Link{Stage: l.Stage}
		for _, v := range l.Values {
			one.Values = append(one.Values, fmt.Sprintf("%s = %q", v.Dotted(), v.Value))
		}
		for _, c := range l.Chosen {
			one.Columns = append(one.Columns, c.Dotted())
		}
		out = append(out, one)
	}
	return out
}

// SQL is a candidate.
type SQL struct {
	SQL     string `json:"sql"`
	Rule    string `json:"rule"`    // that found it, or why there is none
	Failure string `json:"failure"` // of the model; empty where it answered
}

func sqlOf(c prompting.Candidate) SQL { return SQL{c.SQL, c.Rule, c.Failure} }

// The settings of a trial on the sample dataset.
const sample = `name = "check"
[dataset]
kind = "sample"
[model]
provider = "baseline"
temperature = 0
[exemplars]
k = 4
[[arm]]
name = "check"
`

// plainMethod answers where the folder defines no method.
const plainMethod = "standard"

// Experiment returns an experiment of one arm that uses the parts of the folder dir, an absolute path: that of the file or
// name base, in the arm that uses the folder, or else with the settings of its first; on the sample dataset where base is
// empty. The settings are applied over it. item, where it is not empty, is the one item.
func Experiment(dir, base, item string, set []string) (configs.Experiment, error) {
	row, err := methods.Folder(dir)
	if err != nil {
		return configs.Experiment{}, err
	}
	var e configs.Experiment
	if base == "" {
		e, err = configs.ParseWith("check", []byte(sample+uses(row)), catalog.Known, configs.Options{Set: set})
	} else if e, err = configs.Load(base, catalog.Known, configs.Options{Set: set}); err == nil {
		narrow(&e, row)
	}
	if item != "" {
		e.Dataset.Limit, e.Dataset.Filter, e.Dataset.Strata = 0, configs.Filter{IDs: []string{item}}, configs.Strata{}
	}
	return e, err
}

// uses returns the lines of an arm that name the folder for every part that it defines.
func uses(row configs.Method) string {
	lines := map[string]string{script.Answer: "method = ", script.Link: "link = ", script.Fix: "fix = ", script.Choose: "choose = ", script.Schema: "schema.format = "}
	var b strings.Builder
	path := strconv.Quote(row.Dir)
	if !row.Defines(script.Answer) {
		b.WriteString("method = \"" + plainMethod + "\"\n")
	}
	for _, kind := range row.Parts {
		value := path
		if kind == script.Link {
			value = "[" + path + "]"
		}
		b.WriteString(lines[kind] + value + "\n")
	}
	return b.String()
}

// narrow leaves the experiment the one arm that uses the folder, or else its first with the folder in place of its parts.
func narrow(e *configs.Experiment, row configs.Method) {
	for _, c := range e.Cells() {
		link, fix, choose := c.Arm.Parts()
		if slices.Contains(slices.Concat(c.Arm.Asks(), link, []string{fix, choose, c.Arm.Schema.Format}), row.Dir) {
			e.Arms, e.Sweep = []configs.Arm{c.Arm}, nil
			return
		}
	}
	arm := e.Cells()[0].Arm
	arm.Method, arm.Generators, arm.Params, arm.Blocks, arm.Published = plainMethod, nil, nil, nil, ""
	for kind, to := range map[string]*string{script.Answer: &arm.Method, script.Fix: &arm.Fix, script.Choose: &arm.Choose, script.Schema: &arm.Schema.Format} {
		if row.Defines(kind) {
			*to = row.Dir
		}
	}
	if row.Defines(script.Link) {
		arm.Link = []string{row.Dir}
	}
	e.Known.Attach(&arm)
	e.Arms, e.Sweep = []configs.Arm{arm}, nil
}

// Run tries every part of the folder dir on the experiment's first item, and goes on with further items, up to most, while
// there are templates that none has reached: a stage that mends is reached by few. The error names file, line and remedy where
// the folder is to blame; what was tried before it is returned with it.
func Run(ctx context.Context, dir string, e configs.Experiment) (*Trial, error) {
	e.Seeds = e.Seeds[:1]
	if e.Dataset.Limit == 0 || e.Dataset.Limit > most {
		e.Dataset.Limit = most
	}
	p, err := plan.Make(ctx, e, plan.Options{})
	if err != nil {
		return nil, err
	}
	defer p.Close()
	row, err := methods.Folder(dir)
	if err != nil {
		return nil, err
	}
	t := &trying{Trial: &Trial{Items: len(p.Set.Examples)}, plan: p, open: map[string]bool{}}
	for i, kind := range row.Parts {
		if err := t.part(ctx, kind, dir, i == 0); err != nil {
			return t.Trial, fmt.Errorf("trial: %s of %q: %w", kind, row.ID, err)
		}
	}
	t.Unfilled = slices.Sorted(maps.Keys(t.open))
	return t.Trial, nil
}

// most is how many items are tried at most.
const most = 30

// trying is a trial in progress.
type trying struct {
	*Trial
	plan *plan.Plan
	open map[string]bool // templates that no part has filled
}

// part tries one part. An item that fills a template which none before it filled is kept, and so is the first.
func (t *trying) part(ctx context.Context, kind, id string, first bool) error {
	shown := kind
	if kind == script.Schema { // a format is seen in the prompt of the method that prints with it
		kind, id = script.Answer, t.plan.Cells[0].Arm.Asks()[0]
	}
	m := newNoting()
	deps, err := t.plan.Deps(t.plan.Cells[0], plan.Models{Model: m, Selector: m, Vectors: vectors.New(vectors.Options{})})
	if err != nil {
		return err
	}
	s := script.Setup{Deps: deps, Arm: t.plan.Cells[0].Arm, Seed: t.plan.Experiment.Seeds[0]}
	p, err := pipeline.Part(kind, id, s)
	if err != nil {
		return err
	}
	before := p.Unfilled()
	for i, ex := range t.plan.Set.Examples {
		out := Part{Kind: shown, Item: ex.Question.ID, Question: ex.Question.Text}
		calls, err := out.try(ctx, kind, p, s, ex.Question)
		left := p.Unfilled()
		out.Reaches = slices.DeleteFunc(before, func(name string) bool { return slices.Contains(left, name) })
		if out.Calls = m.calls(calls); i == 0 || len(out.Reaches) > 0 || err != nil {
			t.Parts = append(t.Parts, out)
		}
		if before = left; err != nil {
			return err
		}
		if len(left) == 0 || kind != shown || kind == script.Fix || kind == script.Choose {
			break
		}
	}
	if kind == shown {
		t.leave(before, first)
	}
	return nil
}

// leave notes the templates that a part has not filled; the first part's are all that may be left.
func (t *trying) leave(unfilled []string, first bool) {
	if first {
		for _, name := range unfilled {
			t.open[name] = true
		}
	}
	maps.DeleteFunc(t.open, func(name string, _ bool) bool { return !slices.Contains(unfilled, name) })
}

// try runs a part on one question.
func (out *Part) try(ctx context.Context, kind string, part *script.Part, s script.Setup, q prompting.Question) (calls []prompting.Call, err error) {
	switch kind {
	case script.Link:
		var links []prompting.Linked
		_, calls, links, err = part.Link(ctx, q)
		out.Linked = linksOf(links)
	case script.Fix:
		calls, err = out.fix(ctx, part, q)
	case script.Choose:
		calls, err = out.choose(ctx, part, s, q)
	default:
		var a prompting.Answer
		a, err = part.Answer(ctx, q)
		for _, c := range a.Candidates {
			out.Gives = append(out.Gives, sqlOf(c))
		}
		calls, out.Linked = a.Trace, linksOf(a.Linked)
	}
	return calls, err
}

// fix gives a fixer a query that names a column that is not there.
func (out *Part) fix(ctx context.Context, part *script.Part, q prompting.Question) ([]prompting.Call, error) {
	c := prompting.Candidate{SQL: "SELECT no_such_column FROM " + firstTable(q), Rule: "check", Generator: plainMethod}
	out.Given = []SQL{sqlOf(c)}
	fixed, calls, keep, err := part.Fix(ctx, q, c)
	if err != nil {
		return calls, err
	}
	out.Gives, out.Drops = []SQL{sqlOf(fixed)}, !keep
	return calls, nil
}

// choose gives a rule three candidates: the baseline's answer, and two that look at one table.
func (out *Part) choose(ctx context.Context, part *script.Part, s script.Setup, q prompting.Question) ([]prompting.Call, error) {
	method, err := pipeline.Part(script.Answer, plainMethod, s)
	if err != nil {
		return nil, err
	}
	a, err := method.Answer(ctx, q)
	if err != nil {
		return nil, err
	}
	cs := a.Candidates[:1]
	for i, sql := range []string{"SELECT count(*) FROM ", "SELECT * FROM "} {
		cs = append(cs, prompting.Candidate{Sample: i + 1, Generator: plainMethod, SQL: sql + firstTable(q), Rule: "check"})
	}
	for _, c := range cs {
		out.Given = append(out.Given, sqlOf(c))
	}
	choice, err := part.Choose(ctx, q, cs)
	out.Chosen, out.Why = choice.Index, choice.Why
	return choice.Calls, err
}

// firstTable is the name of the schema's first table, quoted.
func firstTable(q prompting.Question) string {
	if len(q.Schema.Tables) == 0 {
		return "no_such_table"
	}
	return schema.Quote(q.Schema.Tables[0].Name)
}
