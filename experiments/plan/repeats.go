package plan

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"assay/configs"
	"assay/experiments/catalog"
	"assay/experiments/cost"
	"assay/prompting"
	"assay/prompting/llm"
)

// identity is a hash of what two calls, or two sets of calls, have in common.
type identity [sha256.Size]byte

func identify(parts ...any) (id identity, err error) {
	b, err := json.Marshal(parts)
	if err != nil {
		return id, fmt.Errorf("identity of a call: %w", err)
	}
	return sha256.Sum256(b), nil
}

// The stages after the generators, which look at all candidates. Every other stage belongs to a generator or comes before.
const (
	fixStage    = "fix"
	chooseStage = "choose"
)

// upTo is an arm's settings as far as they decide the calls of a stage, given the completions before them, and the stage
// as its part names it: a generator asks the same in a pool and on its own, and whatever is done with its candidates.
func upTo(arm configs.Arm, stage string) (configs.Arm, string) {
	arm.Name, arm.Label = "", ""
	if stage == chooseStage {
		return arm, stage
	}
	arm.Selection = configs.Selection{}
	if stage == fixStage {
		return arm, stage
	}
	arm.Fixer, arm.Stages.Fix, arm.Model.Samples = configs.Fixer{}, configs.Stage{}, 0
	if arm.Row.Pool {
		method, own, ok := strings.Cut(stage, ": ")
		if arm.Method, arm.Row, arm.Generators = "", (configs.Method{}), nil; ok {
			arm.Method, stage = method, own
		}
	}
	return arm, stage
}

// samples says whether a part of the arm samples: its requests then have a seed, which is of the run's seed and the item.
func samples(arm configs.Arm) bool {
	s := arm.Stages
	return slices.ContainsFunc([]configs.Model{arm.Model, s.Keywords.Over(arm.Model), s.Columns.Over(arm.Model), s.Examples.Over(arm.Model),
		s.Fix.Over(arm.Model), {Temperature: arm.Selection.Temperature}}, func(m configs.Model) bool { return m.Temperature > 0 })
}

// same identifies open calls: two of one identity are the same calls, whatever the completions before them turn out to
// be. Calls of two identities may be the same.
func same(arm configs.Arm, seed int64, q prompting.Question, o prompting.Outlook, p prompting.Open) (identity, error) {
	arm, stage := upTo(arm, p.Stage)
	parts := []any{arm, stage, q.DB, q.Database.Source, p.After, p.Low, p.High, p.Echoes, p.Least, p.Most}
	if samples(arm) {
		parts = append(parts, seed, q.ID)
	}
	if stage == fixStage || stage == chooseStage { // they hang on all candidates, not on that of After alone
		for _, k := range o.Known {
			parts = append(parts, k.Request.Key())
		}
	}
	return identify(parts...)
}

// temperature is that of a stage's requests.
func temperature(arm configs.Arm, stage string) float64 {
	_, stage = upTo(arm, stage)
	m := arm.Model
	switch stage {
	case chooseStage:
		m, _ = arm.Selector()
	case fixStage:
		m = arm.Stages.Fix.Over(m)
	case "column", "columns":
		m = arm.Stages.Columns.Over(m)
	case "features", "questions", "tables":
		m = arm.Stages.Examples.Over(m)
	}
	return m.Temperature
}

// frames identify what calls may have in common: who answers, the run's seed where the call samples, and the turns that a
// prompt begins with: none, one, and so on to all of these.
func frames(author llm.Author, sampling bool, seed int64, turns []llm.Message) (out []identity, err error) {
	if !sampling {
		seed = 0
	}
	id, err := identify(author.Identity(), sampling, seed)
	out = append(out, id)
	for i := 0; i < len(turns) && err == nil; i++ {
		id, err = identify(id[:], turns[i])
		out = append(out, id)
	}
	return out, err
}

// framed is all that is known of an open call whatever is filled in: another call may be the same only where it has this
// frame too. A chain whose prompts are known but for completions is that of the call it follows: another call, another chain.
func framed(arm configs.Arm, seed int64, p prompting.Open) (id identity, err error) {
	author, err := catalog.Author(cost.ModelOf(arm, p.Stage))
	if err != nil {
		return id, err
	}
	least, most := p.Least[0], p.Bound()[0]
	if p.Most == nil {
		return identify(author.Identity(), p.After, least)
	}
	n := 0
	for n < min(len(least), len(most)) && least[n].Equal(most[n]) {
		n++
	}
	all, err := frames(author, temperature(arm, p.Stage) > 0, seed, least[:n])
	return all[len(all)-1], err
}

// repeats tells which calls of a run are surely made once, as an equal call is answered by the ledger, and which may be.
type repeats struct {
	owner map[string]int   // the cell that a known call is counted under, by its key
	same  map[identity]int // open calls counted so far: the most of one identity in a view
	sure  map[identity]int // of the question at hand: different calls with a frame, at least
}

func newRepeats() *repeats { return &repeats{owner: map[string]int{}, same: map[identity]int{}} }

// begin takes the views of one question, in the order of their cells. A known call that is asked is counted in the first
// cell that has it, whatever an open call turns out to be.
func (r *repeats) begin(views []view) {
	r.sure = map[identity]int{}
	met := map[string]bool{}
	for _, v := range views {
		v.count(r.sure, met)
	}
}

// count counts the known calls that are not held, those in met aside, by frame.
func (v view) count(by map[identity]int, met map[string]bool) {
	for _, k := range v.known {
		if k.held || met[k.key] {
			continue
		}
		met[k.key] = true
		for _, id := range k.frames {
			by[id]++
		}
	}
}

// first says whether a known call is counted under this cell, and puts it down.
func (r *repeats) first(key string, cell int) bool {
	if _, ok := r.owner[key]; ok && key != "" {
		return false
	}
	r.owner[key] = cell
	return true
}

// opens says of a view's open calls which repeat others, and how many of the rest are surely calls of their own: with so
// many of a frame in one view, there are at least so many in all.
func (r *repeats) opens(v view) (repeated []bool, sure []int64) {
	own, met := map[identity]int{}, map[identity]int{}
	v.count(own, map[string]bool{})
	for _, o := range v.open {
		met[o.same]++
		again := met[o.same] <= r.same[o.same]
		own[o.frame] += int(o.low)
		n := min(max(int64(own[o.frame]-r.sure[o.frame]), 0), o.low)
		if again || o.anyones {
			n = 0
		}
		r.sure[o.frame] += int(n)
		repeated, sure = append(repeated, again), append(sure, n)
	}
	for id, n := range met {
		r.same[id] = max(r.same[id], n)
	}
	return repeated, sure
}
