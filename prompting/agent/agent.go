// Package agent answers a question by a dialogue in which the model uses tools on the database.
//
// The method is Interactive-T2S (Xiong et al. 2024, arXiv 2408.11062). In each turn the model writes a thought and one
// action, [assay/prompting/tools] performs the action, and the observation becomes part of the next prompt, until the
// model calls Done or the dialogue meets a bound. The form of prompt and turn is the paper's; all wording is assay's
// own. Where the paper and the released code differ, there is a preset of [assay/configs.Agent] for each. The released
// scoring edits the predicted SQL (it strips CAST and " * 1.0)"). This package must not: its answer is the query
// exactly as it was run.
//
// Each turn is one call of the trace with stage "turn N", or "redo R: turn N" in a repeated dialogue. Its Note is the
// action in canonical form, or "no action"; where a turn has several completions, those not taken have the prefix "not
// taken: ". Its Observation is the text that the model reads. The note of the last call says how the dialogue ended,
// such as "(end: turns)":
//
//	done      the model called Done after it had run a query
//	repeated  the model wrote the same turn twice
//	bad       too many turns in a row without a usable action
//	turns     no turn is left
//	wall      no time is left
//	failure   the model gave no completion
package agent

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"slices"

	"text/template"
	"time"

	"assay/configs"
	"assay/prompting"
	"assay/prompting/draw"
	"assay/prompting/llm"
	"assay/prompting/sql/sandbox"
	"assay/prompting/sql/schema"
	"assay/prompting/tools"
)

// Methods are those that New knows.
var Methods = []configs.Method{{Choice: configs.Choice{ID: "interactive", Shows: "the model works on the database with tools, a step a turn, see `[agent]`"}, Agent: true}}

//go:embed prompts
var promptFiles embed.FS

var prompts = template.Must(template.ParseFS(promptFiles, "prompts/*.tmpl"))

// method is the interactive method with its settings.
type method struct {
	name string
	*prompting.Kit
	agent   configs.Agent
	deps    prompting.Deps
	seed    int64
	cache   *tools.Cache
	offered []llm.Tool // by function calling; nil with the text protocol
	now     func() time.Time
}

var _ prompting.Method = (*method)(nil)

// New makes the method of that name from an arm's settings. A sandbox that d lacks is made with its usual bounds.
func New(name string, d prompting.Deps, arm configs.Arm, seed int64) (prompting.Method, error) {
	m, err := newMethod(name, d, arm, seed)
	if err != nil {
		return nil, fmt.Errorf("agent: method %q: %w", name, err)
	}
	return m, nil
}

// maxSets bounds the databases of which columns and statistics are cached.
const maxSets = 64

func newMethod(name string, d prompting.Deps, arm configs.Arm, seed int64) (*method, error) {
	if name != Methods[0].ID {
		return nil, fmt.Errorf("unknown (there are %s)", Methods[0].ID)
	}
	kit, err := prompting.NewKit(name, d, arm, seed)
	if err != nil {
		return nil, err
	}
	if d.Box == nil {
		d.Box = sandbox.New(sandbox.Options{})
	}
	m := &method{name: name, Kit: kit, agent: arm.Agent.OrPaper(), deps: d, seed: seed, cache: tools.NewCache(maxSets), now: time.Now}
	for _, off := range m.agent.Off {
		if !Tools.Has(off) {
			return nil, fmt.Errorf("no tool %q can be switched off", off)
		}
	}
	if m.agent.Native {
		m.offered, err = m.functions()
	}
	return m, err
}

// PromptHash identifies the text that this package puts into prompts: "sha256:" and a hexadecimal SHA-256.
func PromptHash() string {
	h := sha256.New()
	files, _ := fs.Glob(promptFiles, "prompts/*") // the pattern is well formed: no error
	for _, f := range files {
		text, _ := promptFiles.ReadFile(f) // the file is embedded: no error
		fmt.Fprintf(h, "%s %d\n%s\n", f, len(text), text)
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

// Prompts returns the messages of the first turn.
func (m *method) Prompts(q prompting.Question) ([]llm.Message, error) {
	messages, err := m.opening(q, 0)
	if err != nil {
		return nil, fmt.Errorf("agent: prompt %q: %w", q.ID, err)
	}
	return messages, nil
}

// Answer conducts one dialogue per sample, or more where the settings repeat one that returns nothing.
func (m *method) Answer(ctx context.Context, q prompting.Question) (prompting.Answer, error) {
	a, err := m.answer(ctx, q, m.AskSame)
	if err != nil {
		return a, fmt.Errorf("agent: answer %q: %w", q.ID, err)
	}
	return a, nil
}

// asker asks for n samples of one request, as Kit.AskSame does.
type asker func(ctx context.Context, stage, item string, first, n int, messages []llm.Message, tools []llm.Tool) ([]prompting.Reply, error)

func (m *method) answer(ctx context.Context, q prompting.Question, ask asker) (a prompting.Answer, err error) {
	var set *tools.Set
	if q.Schema != nil {
		if set, err = m.toolset(q); err != nil {
			return a, err
		}
	}
	for sample := range m.Samples() {
		c, err := m.sample(ctx, q, set, sample, ask, &a.Trace)
		if err != nil {
			return a, err
		}
		a.Candidates = append(a.Candidates, c)
	}
	return a, nil
}

// toolset returns the tools over the question's database.
func (m *method) toolset(q prompting.Question) (*tools.Set, error) {
	return tools.New(q.Schema, q.Database, m.deps.Box, tools.Options{Off: m.agent.Off, TopK: m.agent.TopK, Observation: m.agent.Observation,
		Spider: m.agent.SpiderRules, Values: m.deps.Values, Cache: m.cache})
}

// sample returns one candidate: a dialogue, begun again while its answer returns nothing and tries are left.
func (m *method) sample(ctx context.Context, q prompting.Question, set *tools.Set, sample int, ask asker, trace *[]prompting.Call) (c prompting.Candidate, err error) {
	begin := m.now()
	for try := range m.agent.Redo + 1 {
		d, err := m.begin(q, set, sample, try, begin)
		if err != nil {
			return c, err
		}
		d.ask = ask
		err = d.hold(ctx)
		*trace = append(*trace, d.trace...)
		if err != nil {
			return c, err
		}
		if c = d.candidate(); !d.void() {
			break
		}
	}
	return c, nil
}

// opening returns the first prompt of a dialogue: the tools with their demonstrations, and the question with its
// tables.
func (m *method) opening(q prompting.Question, sample int) ([]llm.Message, error) {
	if q.Schema == nil {
		return nil, fmt.Errorf("question %q has no schema", q.ID)
	}
	system, err := m.system(q)
	if err != nil {
		return nil, err
	}
	db := q.Schema
	if m.Arm().Schema.Shuffle {
		db = db.Shuffled(draw.Rand(m.seed, "schema", q.ID, fmt.Sprint(sample)))
	}
	user, err := m.asked(db, q.Text, q.Evidence)
	if err != nil {
		return nil, err
	}
	return []llm.Message{{Role: llm.System, Text: system}, {Role: llm.User, Text: user}}, nil
}

// system returns the instruction with the tools that are on, and the demonstrations.
func (m *method) system(q prompting.Question) (string, error) {
	demos, err := m.demonstrations(q)
	if err != nil {
		return "", err
	}
	return prompting.Fill(prompts, "system", map[string]any{"Has": m.has, "Demos": demos, "Native": m.agent.Native,
		"Spider": m.agent.SpiderRules, "Shown": m.agent.Observation, "TopK": m.agent.TopK})
}

// has reports whether a tool is on.
func (m *method) has(tool string) bool { return !slices.Contains(m.agent.Off, tool) }

// asked returns a question with the list of its database's tables.
func (m *method) asked(db *schema.Database, question, evidence string) (string, error) {
	return prompting.Fill(prompts, "question", map[string]any{"DB": prompting.OneLine(db.Name), "Tables": tables(db, m.agent.Layout),
		"Question": prompting.OneLine(question), "Evidence": prompting.OneLine(evidence)})
}
