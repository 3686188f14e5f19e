package page

import (
	"slices"
	"strings"

	"assay/experiments/diagnosis"
	"assay/experiments/record"
)

// groupItems and groupCalls bound a group, which the browser unpacks as a whole to show one item.
const (
	groupItems = 32
	groupCalls = 4000
)

// noteLength is how many bytes of a call's note or observation are kept.
const noteLength = 4000

// group is some items of one database, which share their texts.
type group struct {
	items []int   // positions in data.Questions
	rows  [][]int // of each item, positions in data.Answers
	keys  names   // of requests
	kinds []kind  // of each key
}

// kind says what a call was for. A request that several calls share has the smallest kind of them.
type kind int

const (
	chosen    kind = iota // it led to the answer
	other                 // it led to another candidate
	selection             // it compared candidates
)

// group divides the items into groups and notes in the index where each is. Items of one database are together, since their
// prompts share the schema's lines.
func (d *data) group(ix *index) {
	rows := make([][]int, len(d.Questions))
	for i, at := range ix.Rows.Item {
		rows[at] = append(rows[at], i)
	}
	order := make([]int, len(d.Questions))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return ix.Items[a].DB - ix.Items[b].DB })
	var g *group
	calls := 0
	for _, i := range order {
		if g == nil || len(g.items) == groupItems || calls > groupCalls || ix.Items[g.items[0]].DB != ix.Items[i].DB {
			g, calls = &group{}, 0
			d.groups = append(d.groups, g)
		}
		ix.Items[i].Group, ix.Items[i].Place = len(d.groups)-1, len(g.items)
		g.items = append(g.items, i)
		g.rows = append(g.rows, rows[i])
		for _, r := range rows[i] {
			calls += len(d.Answers[r].Calls)
		}
	}
	for _, g := range d.groups {
		g.sort(d)
	}
	ix.Groups = len(d.groups)
}

// sort collects the group's keys and the kind of each.
func (g *group) sort(d *data) {
	for _, rows := range g.rows {
		for _, r := range rows {
			voted := map[string]bool{}
			for _, v := range d.Answers[r].Votes {
				voted[v.Key] = true
			}
			for i := range d.Answers[r].Calls {
				call := &d.Answers[r].Calls[i]
				if call.Key == "" {
					continue
				}
				k := kindOf(call, d.Answers[r].Candidates, voted[call.Key])
				if at := g.keys.of(call.Key); at == len(g.kinds) {
					g.kinds = append(g.kinds, k)
				} else {
					g.kinds[at] = min(g.kinds[at], k)
				}
			}
		}
	}
}

// kindOf returns what a call of an answer was for. A call leads to the candidates of its generator (the stage's beginning, such as
// "os" of "os: columns") and sample; without a generator, or as its only one, to all of them.
func kindOf(c *record.Call, pool []record.Candidate, voted bool) kind {
	generator, stage, of := strings.Cut(c.Stage, ": ")
	if !of {
		generator, stage = "", c.Stage
	}
	if voted || stage == "choose" {
		return selection
	}
	at := slices.IndexFunc(pool, func(c record.Candidate) bool { return c.Chosen == 1 })
	if len(pool) < 2 || at < 0 {
		return chosen
	}
	best := &pool[at]
	shared := stage != "generate" && c.Sample == 0
	if (!of || generator == best.Generator) && (shared || c.Sample == best.Sample) {
		return chosen
	}
	return other
}

// The block of a group's rows. Texts are positions in S, results in an item's Results, keys in the group's Kinds.
type (
	groupRows struct {
		S     []string   `json:"s"`
		Items []itemRows `json:"i"`
		Kinds []kind     `json:"x"`
	}
	itemRows struct {
		Features int      `json:"f"`
		Given    int      `json:"v"`
		Override int      `json:"o"`
		Literals int      `json:"l"`
		Gold     int      `json:"g"` // result, -1 where it has none
		Results  [][2]int `json:"e"` // rows in all (-1: not recorded) and preview
		Rows     []answer `json:"r"`
	}
	answer struct {
		Setting    int             `json:"s"`
		Values     []string        `json:"v"` // one per metric
		Tokens     [2]record.Count `json:"t"` // of prompts and completions; null where they were not counted
		Made       record.Count    `json:"q"` // calls; null as the tokens
		Cached     record.Count    `json:"h"`
		Choice     int             `json:"b"`
		Candidates [][]int         `json:"c"`
		Dropped    [][]int         `json:"d,omitempty"`
		Votes      [][]int         `json:"w,omitempty"` // by column: a, b, winner, by, key (-1 for none)
		Calls      [][]int         `json:"k,omitempty"` // by column: stage, sample, key, tokens of both (-1: unknown), failure, note, observation, finish
		Links      [][]int         `json:"n,omitempty"` // each: stage, values, chosen, shown
		Errors     [][]int         `json:"m,omitempty"` // of a wrong answer, per taxonomy: source, category, rule, evidence
	}
)

// packing is the state while one group is packed.
type packing struct {
	*data
	g       *group
	s       names
	results names // digests of the current item
}

func (g *group) pack(d *data) groupRows {
	p := packing{data: d, g: g}
	p.s.of("") // an empty text is always 0
	out := groupRows{Kinds: orEmpty(g.kinds)}
	for i, at := range g.items {
		out.Items = append(out.Items, p.item(d.Questions[at], g.rows[i]))
	}
	out.S = p.s.all()
	return out
}

func (p *packing) item(q *record.Question, rows []int) itemRows {
	p.results = names{}
	out := itemRows{Features: p.s.of(q.Features), Given: p.s.of(q.GivenGold), Override: p.s.of(q.Override), Literals: p.s.of(q.Literals),
		Gold: p.result(q.GoldDigest), Rows: []answer{}, Results: [][2]int{}}
	for _, r := range rows {
		out.Rows = append(out.Rows, p.answer(r))
	}
	for _, digest := range p.results.list {
		r := p.Result(q.Item, digest)
		if r == nil {
			out.Results = append(out.Results, [2]int{-1, 0})
			continue
		}
		out.Results = append(out.Results, [2]int{r.Rows, p.s.of(r.Preview)})
	}
	return out
}

func (p *packing) answer(r int) answer {
	rows := &p.Answers[r]
	it := rows.Item
	out := answer{Setting: p.setting[r], Tokens: [2]record.Count{it.PromptTokens, it.CompletionTokens}, Made: it.Calls,
		Cached: it.Cached, Choice: p.s.of(it.Choice), Candidates: [][]int{}}
	for _, v := range it.Values {
		out.Values = append(out.Values, v.String())
	}
	for i := range rows.Candidates {
		out.Candidates = append(out.Candidates, p.candidate(&rows.Candidates[i]))
	}
	for i := range rows.Dropped {
		out.Dropped = append(out.Dropped, p.candidate(&rows.Dropped[i]))
	}
	for _, v := range rows.Votes {
		out.Votes = columns(out.Votes, v.A, v.B, v.Winner, p.s.of(v.DecidedBy), p.key(v.Key))
	}
	for i := range rows.Calls {
		c := &rows.Calls[i]
		out.Calls = columns(out.Calls, p.s.of(c.Stage), c.Sample, p.key(c.Key), number(c.PromptTokens), number(c.CompletionTokens), p.s.of(c.Failure),
			p.s.of(shorten(c.Note)), p.s.of(shorten(c.Observation)), p.s.of(c.Finish))
	}
	out.Calls = append(out.Calls, apart(rows.Calls)...)
	for _, l := range rows.Links {
		out.Links = append(out.Links, []int{p.s.of(l.Stage), p.s.of(l.Values), p.s.of(l.Chosen), p.s.of(l.Shown)})
	}
	if w, ok := p.wrong[it.Key()]; ok {
		for _, t := range diagnosis.Taxonomies {
			x := w.Of(t)
			out.Errors = append(out.Errors, []int{p.s.of(t.Source), p.s.of(x.Category), p.s.of(x.Rule), p.s.of(shorten(x.Evidence))})
		}
	}
	return out
}

// apart returns the columns of the tokens that were read from a provider's cache, and of those that are reasoning; none where
// all are 0, as in most runs.
func apart(calls []record.Call) [][]int {
	cached, reasoning, any := make([]int, len(calls)), make([]int, len(calls)), false
	for i, c := range calls {
		cached[i], reasoning[i] = c.CachedTokens.N, c.ReasoningTokens.N
		any = any || cached[i]+reasoning[i] > 0
	}
	if !any {
		return nil
	}
	return [][]int{cached, reasoning}
}

func (p *packing) candidate(c *record.Candidate) []int {
	return []int{c.Sample, p.s.of(c.Generator), p.status.at[string(c.Status)], p.s.of(c.SQL), p.result(c.Digest), c.Chosen, p.s.of(c.Rule),
		p.s.of(c.Why), p.s.of(c.Trigger), c.Tries, c.Fixed, p.s.of(c.Original), p.s.of(string(c.OriginalStatus))}
}

// result returns a digest's position among the item's results, or -1.
func (p *packing) result(digest string) int {
	if digest == "" {
		return -1
	}
	return p.results.of(digest)
}

// key returns a key's position among the group's, or -1.
func (p *packing) key(key string) int {
	if i, ok := p.g.keys.at[key]; ok {
		return i
	}
	return -1
}

// number returns a count as a column holds it: -1 where it is unknown.
func number(c record.Count) int {
	if !c.OK {
		return -1
	}
	return c.N
}

// columns adds a value to each column.
func columns(to [][]int, values ...int) [][]int {
	if to == nil {
		to = make([][]int, len(values))
	}
	for i, v := range values {
		to[i] = append(to[i], v)
	}
	return to
}

// shorten keeps the beginning of a long text, without half a character at its end.
func shorten(s string) string {
	if len(s) <= noteLength {
		return s
	}
	return strings.ToValidUTF8(s[:noteLength], "") + " ..."
}
