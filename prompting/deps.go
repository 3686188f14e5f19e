package prompting

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"assay/configs"
	"assay/prompting/draw"
	"assay/prompting/exemplar"
	"assay/prompting/llm"
	"assay/prompting/render"
	"assay/prompting/sql/engine"
	"assay/prompting/sql/sandbox"
	"assay/prompting/values"
)

// Deps has what a method is constructed from besides its settings.
type Deps struct {
	Model  llm.Model
	Author llm.Author     // who answers: part of every request's identity
	Pool   *exemplar.Pool // demonstrations to choose from; nil where none are asked for

	Box sandbox.Runner // runs SQL for the parts that look at results; nil where no part does
	// Selector answers for selection in place of Model; its Model is nil where the arm's own selects.
	Selector Selector
	// Values opens the index of a database's values; nil: one that values.Open keeps in the user's cache folder.
	Values func(ctx context.Context, db engine.DB, o values.Options) (*values.Index, error)
	// Imported implements the method of that name, which reads predictions from a file; nil in every other run.
	Imported Method
}

// Selector is the model that selects among candidates, with its identity in requests.
type Selector struct {
	Model  llm.Model
	Author llm.Author
}

// Kit does what all prompting methods have in common: it chooses and prints demonstrations, prints the question and
// calls the model. It is safe for concurrent use.
type Kit struct {
	deps   Deps
	name   string // the caller: the generator, or the part around it
	arm    configs.Arm
	seed   int64
	params llm.Params // without the seed, which depends on the request

	mu      sync.Mutex
	printed map[[2]string]string // demonstrations as printed, by form and id
}

// NewKit checks an arm's settings before any work is done: the format and the strategy must exist, and the pool must be
// large enough. name is that of the generator, or of the part that calls the model. It enters the seed: parts of one
// name that send the same request about the same item draw the same completions in every arm, so that arms stay paired.
func NewKit(name string, d Deps, arm configs.Arm, seed int64) (*Kit, error) {
	if d.Model == nil {
		return nil, errors.New("no model")
	}
	if err := render.Check(arm.Schema); err != nil {
		return nil, err
	}
	if err := d.Pool.Check(arm.Exemplars); err != nil {
		return nil, err
	}
	return &Kit{deps: d, name: name, arm: arm, seed: seed, params: Params(arm.Model), printed: map[[2]string]string{}}, nil
}

// Params returns the generation parameters of a model's settings, without a seed.
func Params(m configs.Model) llm.Params {
	p := llm.Params{Temperature: m.Temperature, TopP: m.TopP, TopK: m.TopK, MaxTokens: m.MaxTokens, Stop: m.Stop, Logprobs: m.Logprobs}
	if m.Plain() { // a conversation is not named, so that keys are those of requests that could be nothing else
		p.API = llm.Completions
	}
	return p
}

// Arm returns the settings that the kit was made from.
func (k *Kit) Arm() configs.Arm { return k.arm }

// Samples returns the number of completions per question, at least 1.
func (k *Kit) Samples() int { return max(k.arm.Model.Samples, 1) }

// Wanted returns the demonstrations that a prompt may draw on: the whole pool, or none where the settings ask for none.
func (k *Kit) Wanted() []exemplar.Demo {
	if !exemplar.Shown(k.arm.Exemplars) {
		return nil
	}
	return k.deps.Pool.Demos()
}

// Lacking returns an error where a prompt may draw on demonstrations for which lacks holds, those without want: it
// names the source, at most ten of them, how many there are, and what to do.
func (k *Kit) Lacking(want string, lacks func(exemplar.Demo) bool) error {
	demos := k.Wanted()
	var ids []string
	for _, d := range demos {
		if lacks(d) {
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
		"or take those of exemplars.file = \"sample\", or none (exemplars.k = 0)", k.arm.Exemplars.File, len(ids), len(demos), want, shown)
}

// Demos chooses the demonstrations for a question.
func (k *Kit) Demos(q Question) ([]exemplar.Demo, error) {
	return k.deps.Pool.Select(exemplar.Query{Text: q.Text, DB: q.DB, Schema: q.Schema}, k.seed, k.arm.Exemplars)
}

// Input prints a question with its schema, as render.Input does. With a shuffle the order of tables and columns is
// drawn from the seed, the item and the sample. Cue asks for bare SQL, in formats that end such a prompt in SELECT.
func (k *Kit) Input(q Question, sample int, cue bool) (string, error) {
	return k.input(q, cue, "schema", q.ID, strconv.Itoa(sample))
}

// InputAs is Input, without a cue, for one of several generators: with a shuffle its name goes into the draw too, so
// that the generators of a pool see different orders.
func (k *Kit) InputAs(generator string, q Question, sample int) (string, error) {
	return k.input(q, false, "schema", q.ID, generator, strconv.Itoa(sample))
}

func (k *Kit) input(q Question, cue bool, purpose ...string) (string, error) {
	if q.Schema == nil {
		return "", fmt.Errorf("question %q has no schema", q.ID)
	}
	db := q.Schema
	if k.arm.Schema.Shuffle {
		db = db.Shuffled(draw.Rand(k.seed, purpose...))
	}
	return render.Input(render.Ask{DB: db, Question: q.Text, Evidence: q.Evidence, Cue: cue}, k.arm.Schema)
}

// Prompt returns one System message and one User message: the demonstrations, each its own input and then the target
// that the method shows for it, and the test input, joined by the separator of the settings. Form names the target: a
// demonstration is printed once for each form.
func (k *Kit) Prompt(system, form string, demos []exemplar.Demo, target func(exemplar.Demo) (string, error), input string) ([]llm.Message, error) {
	parts := make([]string, 0, len(demos)+1)
	for _, d := range demos {
		text, err := k.demonstration(form, d, target)
		if err != nil {
			return nil, err
		}
		parts = append(parts, text)
	}
	user := strings.Join(append(parts, input), k.arm.Exemplars.Separator)
	return []llm.Message{{Role: llm.System, Text: system}, {Role: llm.User, Text: user}}, nil
}

// maxPrinted bounds the printed demonstrations that a Kit caches. Strategies with a fixed choice use no more.
const maxPrinted = 256

// demonstration prints a demonstration, and caches it: most strategies show the same few for every question.
func (k *Kit) demonstration(form string, d exemplar.Demo, target func(exemplar.Demo) (string, error)) (string, error) {
	key := [2]string{form, d.ID}
	k.mu.Lock()
	text, ok := k.printed[key]
	k.mu.Unlock()
	if ok {
		return text, nil
	}
	head, err := render.Input(render.Ask{DB: d.Schema, Question: d.Question, Evidence: d.Evidence}, k.arm.Schema)
	if err != nil {
		return "", err
	}
	tail, err := target(d)
	if err != nil {
		return "", err
	}
	text = head + "\n" + tail
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.printed) < maxPrinted {
		k.printed[key] = text
	}
	return text, nil
}

// Reply is what came of one request.
type Reply struct {
	Response llm.Response
	Call     Call
	Failure  string // why the model gave no completion, as the call's Failure has it too; empty where it did
}

// Ask sends one request about an item, the question's ID or what else it is about. The error is for what ends the run;
// a completion that the model would not give is a Failure.
func (k *Kit) Ask(ctx context.Context, stage, item string, sample int, messages []llm.Message) (Reply, error) {
	r := k.Request(stage, item, sample, messages)
	resp, err := k.deps.Model.Generate(At(ctx, stage), r)
	return reply(stage, r, resp, err)
}

// AskAll sends one request per sample; prompts[i] is the prompt of sample i. Consecutive samples with equal prompts go
// into one call where the model supports it, so that the prompt is paid for once.
func (k *Kit) AskAll(ctx context.Context, stage, item string, prompts [][]llm.Message) ([]Reply, error) {
	out := make([]Reply, 0, len(prompts))
	for from := 0; from < len(prompts); {
		to := from + 1
		for to < len(prompts) && slices.EqualFunc(prompts[to], prompts[from], llm.Message.Equal) {
			to++
		}
		replies, err := k.askSame(ctx, stage, k.Request(stage, item, from, prompts[from]), to-from)
		if err != nil {
			return nil, err
		}
		out = append(out, replies...)
		from = to
	}
	return out, nil
}

// AskSame asks for n samples of one request, numbered from first, in one call where the model can. With tools the model
// may call those.
func (k *Kit) AskSame(ctx context.Context, stage, item string, first, n int, messages []llm.Message, tools []llm.Tool) ([]Reply, error) {
	r := k.Request(stage, item, first, messages)
	r.Tools = tools
	return k.askSame(ctx, stage, r, n)
}

// askSame asks for n samples of r, numbered from r.Sample.
func (k *Kit) askSame(ctx context.Context, stage string, r llm.Request, n int) (out []Reply, err error) {
	ctx, first := At(ctx, stage), r.Sample
	numbered := func(i int) llm.Request { r.Sample = first + i; return r }
	if many, ok := k.deps.Model.(llm.SampleGenerator); ok && n > 1 {
		var samples []int
		for i := range n {
			samples = append(samples, first+i)
		}
		responses, err := many.GenerateN(ctx, numbered(0), samples)
		var f *llm.Failure
		if err != nil && !errors.As(err, &f) {
			return nil, err
		}
		for i, resp := range responses {
			one, err := reply(stage, numbered(i), resp, nil)
			if err != nil {
				return nil, err
			}
			out = append(out, one)
		}
	}
	for i := len(out); i < n; i++ { // a sample that GenerateN did not return is requested alone, for its own failure
		resp, err := k.deps.Model.Generate(ctx, numbered(i))
		one, err := reply(stage, numbered(i), resp, err)
		if err != nil {
			return nil, err
		}
		out = append(out, one)
	}
	return out, nil
}

// Request returns the request that Ask sends for a sample of the messages. A seed goes with it only where the model
// samples, at a temperature above 0: greedy requests of different seeds are one request, and are answered once.
func (k *Kit) Request(stage, item string, sample int, messages []llm.Message) llm.Request {
	r := llm.Request{Author: k.deps.Author, Params: k.params, Messages: messages, Sample: sample}
	if r.Params.Temperature > 0 {
		seed := llm.DrawSeed(k.seed, item, k.name, stage)
		r.Params.Seed = &seed
	}
	return r
}

func reply(stage string, r llm.Request, resp llm.Response, err error) (Reply, error) {
	c := Call{Stage: stage, Sample: r.Sample, Key: r.Key()}
	var f *llm.Failure
	if errors.As(err, &f) {
		c.Failure = f.Why()
		return Reply{Call: c, Failure: c.Failure}, nil
	}
	c.Usage, c.Cached, c.Finish = resp.Usage, resp.Cached, resp.Finish
	return Reply{Response: resp, Call: c}, err
}
