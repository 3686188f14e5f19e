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

// identity is a hash of what two calls, or two groups of calls, have in common.
type identity [sha256.Size]byte

// identify hashes the JSON of its parts.
func identify(parts ...any) (id identity, err error) {
	b, err := json.Marshal(parts)
	if err != nil {
		return id, fmt.Errorf("identity of a call: %w", err)
	}
	return sha256.Sum256(b), nil
}

// The stages after the generators, whose prompts depend on all candidates. Every other stage belongs to a generator or
// precedes them.
const (
	fixStage    = "fix"
	chooseStage = "choose"
)

// upTo returns the settings of an arm that decide the calls of a stage, given the completions before them, and the stage's
// name within its part. It clears all settings of later stages: a generator makes the same calls in a pool and on its own,
// whatever is done with its candidates, so two such arms share them.
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

// samples reports whether any part of the arm samples. Its requests then carry a seed made from the run's seed and the item,
// so two seeds share no call.
func samples(arm configs.Arm) bool {
	s := arm.Stages
	return slices.ContainsFunc([]configs.Model{arm.Model, s.Keywords.Over(arm.Model), s.Columns.Over(arm.Model), s.Examples.Over(arm.Model),
		s.Fix.Over(arm.Model), {Temperature: arm.Selection.Temperature}}, func(m configs.Model) bool { return m.Temperature > 0 })
}

// same identifies open calls. Two groups with one identity are the same calls, whatever the completions before them will be.
// Groups with two identities may still turn out to be the same.
func same(arm configs.Arm, seed int64, q prompting.Question, o prompting.Outlook, p prompting.Open) (identity, error) {
	arm, stage := upTo(arm, p.Stage)
	parts := []any{arm, stage, q.DB, q.Database.Source, p.After, p.Low, p.High, p.Echoes, p.Least, p.Most}
	if samples(arm) {
		parts = append(parts, seed, q.ID)
	}
	if stage == fixStage || stage == chooseStage { // they depend on all candidates, not only on the one that After names
		for _, k := range o.Known {
			parts = append(parts, k.Request.Key())
		}
	}
	return identify(parts...)
}

// temperature returns the temperature of a stage's requests.
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

// frames identifies what calls may have in common: the author, the run's seed where the call samples, and the turns that a
// prompt begins with. It returns one identity per number of turns, from none to all.
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

// framed identifies all that is certain about an open call, whatever completion its prompt will contain: another call may be
// the same only where it has this frame too. A chain whose prompts are known except for completions is identified by the
// call that it follows, as chains after different calls differ.
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

// repeats finds the calls of a run that equal others. The ledger answers the second of two equal calls, so both are paid for
// once. It separates calls that are surely equal or different from those that may be either.
type repeats struct {
	owner map[string]int   // the cell that counts a known call, by the call's key
	same  map[identity]int // open calls counted so far: the highest number per identity in one view
	sure  map[identity]int // of the current question: the least number of different calls per frame
}

func newRepeats() *repeats { return &repeats{owner: map[string]int{}, same: map[identity]int{}} }

// begin starts a question, whose views come in the order of their cells. A known call is counted in the first cell that makes
// it, whatever the open calls turn out to be.
func (r *repeats) begin(views []view) {
	r.sure = map[identity]int{}
	met := map[string]bool{}
	for _, v := range views {
		v.count(r.sure, met)
	}
}

// count counts, by frame, the known calls that the ledger does not hold and that are not in met.
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

// first reports whether a known call is counted in this cell, and records that.
func (r *repeats) first(key string, cell int) bool {
	if _, ok := r.owner[key]; ok && key != "" {
		return false
	}
	r.owner[key] = cell
	return true
}

// opens returns which of a view's open calls repeat others, and how many of the rest are surely calls of their own: where one
// view has n calls of a frame, the run makes at least n of them.
func (r *repeats) opens(v view) (repeated []bool, sure []int64) {
	own, met := map[identity]int{}, map[identity]int{}
	v.count(own, map[string]bool{})
	for _, o := range v.open {
		met[o.same]++
		again := met[o.same] <= r.same[o.same]
		own[o.frame] += int(o.low)
		n := min(max(int64(own[o.frame]-r.sure[o.frame]), 0), o.low)
		if again || o.anyQuestion {
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
