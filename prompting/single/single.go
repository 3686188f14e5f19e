// Package single answers a question with one call per sample; method os prepares that call with others.
//
// A method chooses demonstrations, prints them and the question into its template, asks once per sample, and extracts
// the SQL from each completion. Method os first asks for synthetic examples over the question's own database. The forms
// of prompt and answer are those of Tai et al. (2023) for standard, chain of thought and question decomposition, and of
// CHASE-SQL (Pourreza et al. 2025) for the generators bird-cot, dc-cot, qp-cot and os. The wording of the instructions
// is assay's own.
//
// A method must never see gold, nor choose between samples: the answer is the first one unless package choose decides.
package single

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"strings"
	"text/template"

	"assay/configs"
	"assay/prompting"
	"assay/prompting/exemplar"
	"assay/prompting/extract"
	"assay/prompting/llm"
	"assay/prompting/render"
)

// kind is one of the methods: its template, and what its demonstrations must have.
type kind struct {
	configs.Method
	cue   bool                                  // it asks for bare SQL
	lacks func(d exemplar.Demo) bool            // the demonstration has no annotation that the target prints
	want  string                                // what it lacks, for the error
	note  func(completion string) (note string) // what the trace says of an answer; may be nil
	// takes says which demonstrations the method can print, and draws on alone; nil: all, and one that lacks something
	// is an error.
	takes func(d exemplar.Demo) bool
	// generator: the method is one of CHASE-SQL's, whose shuffles differ from those of the others in a pool.
	generator bool
}

// kinds is every method of this package.
var kinds = []kind{
	{Method: configs.Method{Choice: configs.Choice{ID: "standard", Shows: "the SQL directly"}},
		cue: true, lacks: nothing},
	{Method: configs.Method{Choice: configs.Choice{ID: "cot", Shows: "chain of thought: the SQL told clause by clause, then the SQL"}},
		lacks: noCoT, want: "cot text"},
	{Method: configs.Method{Choice: configs.Choice{ID: "qdecomp", Shows: "sub-questions, then the SQL, in one call"}, Written: "sub-questions"},
		lacks: noSteps, want: "steps", note: stepsNote},
	{Method: configs.Method{Choice: configs.Choice{ID: "qdecomp-intercol", Shows: "as qdecomp, each sub-question with the columns it newly needs"}, Written: "sub-questions with their columns"},
		lacks: noColumns, want: "steps with columns", note: stepsNote},
	{Method: configs.Method{Choice: configs.Choice{ID: "bird-cot", Shows: "BIRD's prompt with the steps before the SQL: the baseline of CHASE-SQL"}},
		lacks: noCoT, want: "cot text", generator: true},
	{Method: configs.Method{Choice: configs.Choice{ID: "dc-cot", Shows: "divide and conquer: sub-questions with pseudo SQL, assembled, then simplified, in one call"}, Written: "a division into sub-questions"},
		lacks: nothing, want: "division", takes: isDivided, note: partsNote, generator: true},
	{Method: configs.Method{Choice: configs.Choice{ID: "qp-cot", Shows: "the steps of a query plan, then the SQL, in one call"}, Plans: true},
		lacks: nothing, want: "query plan", takes: hasPlan, generator: true},
	{Method: configs.Method{Choice: configs.Choice{ID: "os", Shows: "examples that the model writes for the question's own database, then the SQL"}, Examples: true},
		lacks: nothing, generator: true},
}

// Methods lists the methods with their traits, in the order of their table.
func Methods() []configs.Method {
	out := make([]configs.Method, len(kinds))
	for i, k := range kinds {
		out[i] = k.Method
	}
	return out
}

func nothing(exemplar.Demo) bool     { return false }
func noCoT(d exemplar.Demo) bool     { return strings.TrimSpace(d.CoT) == "" }
func isDivided(d exemplar.Demo) bool { return d.Division != nil && len(d.Division.Parts) > 0 }
func hasPlan(d exemplar.Demo) bool   { return strings.TrimSpace(d.Plan) != "" }

// noSteps reports whether a demonstration has no decomposition.
func noSteps(d exemplar.Demo) bool { return len(d.Steps) == 0 }

// noColumns reports whether a demonstration has no decomposition, or one that names no column anywhere. Columns derived
// from SQL that reads none, such as a count of rows, are complete all the same.
func noColumns(d exemplar.Demo) bool {
	for _, s := range d.Steps {
		if s.Columns != "" || d.Derived {
			return false
		}
	}
	return true
}

//go:embed prompts/*.tmpl universal.go
var prompts embed.FS

// method is one kind with its settings.
type method struct {
	kind
	*prompting.Kit
	text *template.Template
}

var _ prompting.Method = (*method)(nil)

// New makes the method of that name from an arm's settings. Every demonstration that a prompt may draw on must have the
// annotations that the method prints: the error names those that have not.
func New(name string, d prompting.Deps, arm configs.Arm, seed int64) (prompting.Method, error) {
	var out prompting.Method
	m, err := newMethod(name, d, arm, seed)
	if out = m; err == nil && m.Examples {
		out, err = newSynthetic(m, d, arm, seed)
	}
	if err != nil {
		return nil, fmt.Errorf("single: method %q: %w", name, err)
	}
	return out, nil
}

// newMethod is New without the wrapping of errors.
func newMethod(name string, d prompting.Deps, arm configs.Arm, seed int64) (*method, error) {
	k, ok := configs.Find(kinds, name)
	if !ok {
		return nil, fmt.Errorf("unknown (there are %s)", strings.Join(configs.ChoicesOf(kinds).IDs(), ", "))
	}
	kit, err := k.kit(d, arm, seed)
	if err != nil {
		return nil, err
	}
	if err := kit.Lacking(k.want, k.lacks); err != nil {
		return nil, err
	}
	text, err := template.ParseFS(prompts, "prompts/"+name+".tmpl")
	return &method{k, kit, text}, err
}

// kit returns the method's kit, over the demonstrations that it can print.
func (k kind) kit(d prompting.Deps, arm configs.Arm, seed int64) (*prompting.Kit, error) {
	if k.takes == nil {
		return prompting.NewKit(k.ID, d, arm, seed)
	}
	all := len(d.Pool.Demos())
	d.Pool = d.Pool.Only(k.takes)
	kit, err := prompting.NewKit(k.ID, d, arm, seed)
	if n := len(d.Pool.Demos()); err != nil && n < all {
		err = fmt.Errorf("%w (%d of %d demonstrations have a %s; those of exemplars.file = \"sample\" do)", err, n, all, k.want)
	}
	return kit, err
}

// PromptHash identifies the text that the methods of this package put into prompts: "sha256:" and the hexadecimal
// SHA-256 of the templates here, those of questions included, and of what package render adds.
func PromptHash() string {
	h := sha256.New()
	files := []string{"universal.go"}
	for _, k := range kinds {
		files = append(files, "prompts/"+k.ID+".tmpl")
	}
	for _, name := range files {
		b, err := prompts.ReadFile(name)
		if err != nil { // unreachable: the files are embedded
			b = []byte(err.Error())
		}
		fmt.Fprintf(h, "%s %d\n", name, len(b))
		h.Write(b)
	}
	fmt.Fprintf(h, "render %s\n", render.Hash())
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

// messages builds the prompt of one sample.
func (m *method) messages(q prompting.Question, sample int) ([]llm.Message, error) {
	demos, err := m.Demos(q)
	if err != nil {
		return nil, err
	}
	input, err := m.input(q, sample)
	if err != nil {
		return nil, err
	}
	system, err := prompting.Fill(m.text, "system", map[string]any{"K": len(demos), "Cue": m.continues()})
	if err != nil {
		return nil, err
	}
	return m.Prompt(system, m.ID, demos, m.target, input)
}

// input prints the question of one sample.
func (m *method) input(q prompting.Question, sample int) (string, error) {
	if m.generator {
		return m.InputAs(m.ID, q, sample)
	}
	return m.Input(q, sample, m.cue)
}

// continues reports whether the prompt ends in SELECT.
func (m *method) continues() bool { return m.cue && render.Cued(m.Arm().Schema) }

// target prints what the method wants for a demonstration.
func (m *method) target(d exemplar.Demo) (string, error) {
	return prompting.Fill(m.text, "target", prompting.Target(d))
}

// Prompts returns the messages that Answer would send for sample 0.
func (m *method) Prompts(q prompting.Question) ([]llm.Message, error) {
	messages, err := m.messages(q, 0)
	if err != nil {
		return nil, fmt.Errorf("single: prompt %q: %w", q.ID, err)
	}
	return messages, nil
}

// Answer makes one call per sample and chooses the first sample's SQL.
func (m *method) Answer(ctx context.Context, q prompting.Question) (prompting.Answer, error) {
	a, err := m.answer(ctx, q)
	if err != nil {
		return a, fmt.Errorf("single: answer %q: %w", q.ID, err)
	}
	return a, nil
}

func (m *method) answer(ctx context.Context, q prompting.Question) (a prompting.Answer, err error) {
	asked := make([][]llm.Message, m.Samples())
	for sample := range asked {
		if asked[sample], err = m.messages(q, sample); err != nil {
			return a, err
		}
	}
	replies, err := m.AskAll(ctx, "generate", q.ID, asked)
	if err != nil {
		return a, err
	}
	m.read(replies, &a)
	return a, nil
}

// read adds a candidate and a call for each reply, which are those of the samples in order.
func (m *method) read(replies []prompting.Reply, a *prompting.Answer) {
	for sample, r := range replies {
		c := prompting.Candidate{Sample: sample, Generator: m.ID, Failure: r.Failure}
		if r.Failure == "" {
			found := extract.SQL(r.Response.Text, extract.Options{Continuation: m.continues()})
			c.SQL, c.Rule, c.Silence = found.SQL, found.Rule, r.Response.Silence()
			r.Call.Note = note(m.kind, r.Response, found)
		}
		a.Trace = append(a.Trace, r.Call)
		a.Candidates = append(a.Candidates, c)
	}
}

// note returns what the trace says of an answer.
func note(k kind, r llm.Response, f extract.Found) string {
	if why := r.Silence(); why != "" {
		return why
	}
	var parts []string
	if k.note != nil {
		if n := k.note(r.Text); n != "" {
			parts = append(parts, n)
		}
	}
	if f.Truncated {
		parts = append(parts, "the completion ends within the SQL")
	}
	return strings.Join(parts, "; ")
}
