package page

import (
	"fmt"
	"hash/fnv"
	"runtime"
	"strconv"
	"strings"
	"sync"
)

// tier is a part of a group's texts. Tiers are in the order of what a reader would miss most.
type tier int

const (
	chosenTexts          tier = iota // prompts and completions of the calls that led to the answer
	otherCompletions                 // of the calls that led to other candidates
	selectionCompletions             // of comparisons
	otherPrompts
	selectionPrompts
	tiers
)

// holds returns which calls a tier has texts of, and which texts of theirs.
func (t tier) holds() (k kind, prompts, completions bool) {
	switch t {
	case chosenTexts:
		return chosen, true, true
	case otherCompletions:
		return other, false, true
	case selectionCompletions:
		return selection, false, true
	case otherPrompts:
		return other, true, false
	}
	return selection, true, false
}

// textBlock is the block of one tier of one group. A text is a list of Chunks, so that lines which prompts share are stored once.
type textBlock struct {
	Chunks  []string `json:"c"`
	Texts   [][]int  `json:"t"`
	Words   []string `json:"w"`           // roles and reasons to end
	Keys    []int    `json:"k"`           // positions in the group's keys; those without texts in the ledger are missing
	Prompts [][]int  `json:"p,omitempty"` // one per key: role, text, role, text
	Answers [][2]int `json:"a,omitempty"` // one per key: text, reason to end
}

// textual is the texts that were packed for the page.
type textual struct {
	blocks  []block
	present [tiers]int // how many groups, from the first, have the tier
	all     bool       // nothing was left out
	asked   int        // keys of the run
	missing int        // keys of the packed tiers that the ledger lacks
	items   [tiers]int // items of the groups present
	of      int        // items
}

// built is one tier of one group.
type built struct {
	block   block
	empty   bool
	missing int
	err     error
}

// texts packs the tiers in order, and within each the groups in order, until the next block would not fit in room bytes.
func (d *data) texts(texts Texts, room int) (textual, error) {
	out := textual{of: len(d.Questions)}
	for _, g := range d.groups {
		out.asked += len(g.keys.list)
	}
	if texts == nil {
		return out, nil
	}
	jobs := int(tiers) * len(d.groups)
	ahead := 2 * runtime.GOMAXPROCS(0)
	for from := 0; from < jobs; from += ahead {
		batch := d.build(texts, from, min(from+ahead, jobs))
		for i, b := range batch {
			if b.err != nil {
				return out, b.err
			}
			if room -= b.block.size(); room < 0 && !b.empty {
				return out, nil
			}
			t, g := tier((from+i)/len(d.groups)), (from+i)%len(d.groups)
			out.present[t], out.items[t] = g+1, out.items[t]+len(d.groups[g].items)
			out.missing += b.missing
			if !b.empty {
				out.blocks = append(out.blocks, b.block)
			}
		}
	}
	out.all = true
	return out, nil
}

// build packs the jobs from (inclusive) to to (exclusive) in parallel. A job is one tier of one group.
func (d *data) build(texts Texts, from, to int) []built {
	out := make([]built, to-from)
	var wg sync.WaitGroup
	for i := range out {
		wg.Go(func() {
			t, g := tier((from+i)/len(d.groups)), (from+i)%len(d.groups)
			out[i] = d.groups[g].texts(fmt.Sprintf("texts%d-%d", t, g), t, texts)
		})
	}
	wg.Wait()
	return out
}

// texts packs one tier of the group.
func (g *group) texts(id string, t tier, texts Texts) (out built) {
	of, prompts, completions := t.holds()
	var b chunked
	var words names
	block := textBlock{Keys: []int{}}
	for i, key := range g.keys.list {
		if g.kinds[i] != of {
			continue
		}
		x, ok, err := texts(key, prompts)
		if err != nil {
			return built{err: err}
		}
		if !ok {
			if completions {
				out.missing++
			}
			continue
		}
		block.Keys = append(block.Keys, i)
		if prompts {
			turns := []int{}
			for _, m := range x.Messages {
				turns = append(turns, words.of(m.Role), b.add(m.Text))
			}
			block.Prompts = append(block.Prompts, turns)
		}
		if completions {
			block.Answers = append(block.Answers, [2]int{b.add(x.answer()), words.of(x.Finish)})
		}
	}
	if len(block.Keys) == 0 {
		out.empty = true
		return out
	}
	block.Chunks, block.Texts, block.Words = b.chunks.all(), b.texts, words.all()
	out.block, out.err = pack(id, block)
	return out
}

// answer returns the completion as the page shows it, after the reasoning.
func (x Exchange) answer() string {
	if x.Reasoning == "" {
		return x.Completion
	}
	return "[reasoning, no part of the answer]\n" + x.Reasoning + "\n[answer]\n" + x.Completion
}

// chunked stores texts that share lines.
type chunked struct {
	chunks names
	whole  map[string]int
	texts  [][]int
}

// add stores a text, unless it is there, and returns its number.
func (c *chunked) add(text string) int {
	if i, ok := c.whole[text]; ok {
		return i
	}
	if c.whole == nil {
		c.whole = map[string]int{}
	}
	ids := []int{}
	for rest := text; rest != ""; {
		n := chunkLength(rest)
		ids = append(ids, c.chunks.of(rest[:n]))
		rest = rest[n:]
	}
	c.whole[text] = len(c.texts)
	c.texts = append(c.texts, ids)
	return len(c.texts) - 1
}

// chunkLength returns the length of a text's first chunk: whole lines up to one that ends a chunk wherever it occurs, which makes
// lines that two texts share mostly give the same chunks. Chunks end at empty lines, at the end of a CREATE TABLE, and at one
// line in eight, chosen by its hash.
func chunkLength(text string) int {
	n := 0
	for n < len(text) {
		end := strings.IndexByte(text[n:], '\n')
		if end < 0 {
			return len(text)
		}
		line := text[n : n+end]
		n += end + 1
		h := fnv.New32a()
		h.Write([]byte(line))
		if line == "" || line == ");" || h.Sum32()%8 == 0 {
			return n
		}
	}
	return n
}

// says returns the sentence about which prompts and completions are on the page.
func (x textual) says(p Page, budget int) string {
	switch {
	case p.Texts == nil && p.NoTexts == "":
		return "Prompts and completions are not on this page."
	case p.Texts == nil:
		return "Prompts and completions are not on this page: " + p.NoTexts + "."
	case x.asked == 0:
		return "The run made no call of a model: there are no prompts and completions."
	}
	absent := ""
	if x.missing > 0 {
		absent = fmt.Sprintf(" The ledger lacks %d of the calls.", x.missing)
	}
	if x.all {
		return fmt.Sprintf("The prompts and completions of all %d different calls are on this page.", x.asked) + absent
	}
	var on, off []string
	for t, what := range []string{"what led to the chosen answers", "the completions of other candidates", "the completions of comparisons",
		"the prompts of other candidates", "the prompts of comparisons"} {
		switch n := x.items[t]; n {
		case x.of:
			on = append(on, what)
		case 0:
			off = append(off, what)
		default:
			off = append(off, fmt.Sprintf("%s for %d of %d items", what, x.of-n, x.of))
		}
	}
	if on == nil {
		on = []string{"a part"}
	}
	return fmt.Sprintf("Of prompts and completions this page has %s. To stay under %s it leaves out %s: `assay show` prints an item's, and `assay report --page-size` sets the bound.",
		strings.Join(on, ", "), megabytes(budget), strings.Join(off, ", ")) + absent
}

func megabytes(n int) string { return strconv.FormatFloat(float64(n)/1e6, 'f', -1, 64) + " MB" }
