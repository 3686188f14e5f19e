package baseline

import "sort"

// draft is one partial parse of a question: the query so far, the units it accounts for and its score.
type draft struct {
	q     query
	used  [3]uint64 // one bit per unit; maxTokens < 192
	score float64
	last  int    // unit of the last value parsed, -1 if none
	lead  []expr // selected before the other columns: the group's name
}

func (d *draft) has(i int) bool { return d.used[i/64]>>(i%64)&1 == 1 }
func (d *draft) use(i int)      { d.used[i/64] |= 1 << (i % 64) }

// with returns a copy that may be changed, with s added to its score and the units marked as used.
func (d draft) with(s float64, units ...int) draft {
	d.q = d.q.copy()
	d.lead = append([]expr(nil), d.lead...)
	d.score += s
	for _, i := range units {
		if i >= 0 {
			d.use(i)
		}
	}
	return d
}

// parser parses one question over one database.
type parser struct {
	b      *base
	text   string
	toks   []token
	us     []unit
	region []bool // by unit: it is in the part of the question that says what to select
	main   int    // the table that the question is about, -1 if none
	bias   []float64
}

// beamWidth is the number of partial parses kept after each step.
const beamWidth = 48

// read returns the parses of a question with their scores, best first.
func read(b *base, text string, k *knowledge) []draft {
	toks, us := link(b, text, k.aliases)
	p := &parser{b: b, text: text, toks: toks, us: us, bias: k.bias}
	for i := range us {
		p.biasUnit(&us[i])
	}
	l := linker{b: b, text: text, toks: toks}
	p.main = l.mainTable(us)
	p.region = p.selectRegion()
	beam := p.informed(k.facts)
	for _, rule := range []func(*parser, int, draft) []draft{
		(*parser).orderAt, (*parser).averageAt, (*parser).valueAt, (*parser).withoutAt, (*parser).groupAt,
		(*parser).superlativeAt, (*parser).countAt, (*parser).selectAt, (*parser).restAt,
	} {
		beam = p.sweep(beam, rule)
	}
	var out []draft
	for _, d := range beam {
		out = append(out, p.finish(d)...)
	}
	sortDrafts(out)
	return out
}

// sweep applies a rule at every unit, from left to right.
func (p *parser) sweep(beam []draft, rule func(*parser, int, draft) []draft) []draft {
	for i := range p.us {
		var next []draft
		changed := false
		for _, d := range beam {
			out := rule(p, i, d)
			if out == nil {
				next = append(next, d)
				continue
			}
			changed = true
			next = append(next, out...)
		}
		if !changed {
			continue
		}
		sortDrafts(next)
		beam = next[:min(len(next), beamWidth)]
	}
	return beam
}

func sortDrafts(ds []draft) {
	sort.SliceStable(ds, func(i, j int) bool { return ds[i].score > ds[j].score })
}

// biasUnit shifts the scores of the options by what is already known of the answer's columns.
func (p *parser) biasUnit(u *unit) {
	if p.bias == nil {
		return
	}
	for k := range u.cols {
		u.cols[k].score += p.bias[u.cols[k].id]
	}
	u.cols = keep(u.cols, -9)
}

// word returns the plain word of unit i; empty beyond the ends and for mentions.
func (p *parser) word(i int) string {
	if i < 0 || i >= len(p.us) {
		return ""
	}
	return p.us[i].word
}

// low returns the first token of unit i in lower case.
func (p *parser) low(i int) string {
	if i < 0 || i >= len(p.us) {
		return ""
	}
	return p.toks[p.us[i].from].low
}

func (p *parser) ref(i int) bool { return i >= 0 && i < len(p.us) && p.us[i].isRef() }

// skip moves from unit i by step past words of the set, and returns where it stops.
func (p *parser) skip(i, step int, over map[string]bool) int {
	for i >= 0 && i < len(p.us) && !p.us[i].isRef() && over[p.us[i].word] {
		i += step
	}
	return i
}

var articles = set(`the a an all any every each other different distinct unique
	their its his her our some are is was were be been many total overall`)

// These words end the part of the question that says what to select, or begin it again.
var (
	endsSelect = set(`who that whose with where having when if sorted ordered sort order ranked arranged has have had did do does
		 without but except performed than since before after between by in from at on for per during under over above below`)
	verbsOfAsk   = set("show list give find return tell display get what which how count provide report name compute calculate select identify")
	asideSelects = set("their its how what show list give return also his her along together")
)

// selectRegion marks the units that say what to select.
func (p *parser) selectRegion() []bool {
	out := make([]bool, len(p.us))
	in, comma := true, false
	for i := range p.us {
		w := p.low(i)
		first := i == 0 || p.word(i-1) == "." || p.word(i-1) == "?"
		switch {
		case p.us[i].isRef() && !stop[w]:
		case first && governs[w] && p.low(i+1) != "which" && p.low(i+1) != "what":
			in, comma = false, true
		case comma && w == ",":
			in, comma = true, false
		case first && verbsOfAsk[w], first:
			in = true
		case (w == "and" || w == ",") && (asideSelects[p.low(i+1)] || p.low(i+1) == "the" && p.low(i+2) == "number") && !comma:
			in = true
		case w == "along" || w == "together" || w == "with" && p.low(i+1) == "the" && p.low(i+2) == "number" || w == "as" && p.low(i+1) == "well":
			in = true
		case w == "with" && (p.low(i-1) == "along" || p.low(i-1) == "together"):
		case w == "which" || w == "whom":
			in = i < 3 || verbsOfAsk[p.low(i-1)]
		case endsSelect[w] && i > 0 && !(w == "for" && i < 3):
			in = false
		}
		out[i] = in
	}
	p.lastAsk(out)
	return out
}

// lastAsk removes a first sentence from the selected part if a later one says what to list: "Which X has Y? List its
// Z."
func (p *parser) lastAsk(region []bool) {
	for i := len(p.us) - 1; i > 0; i-- {
		if (p.word(i-1) != "." && p.word(i-1) != "?") || !verbsOfAsk[p.low(i)] {
			continue
		}
		for j := i; j < len(p.us); j++ {
			if p.us[j].isRef() && region[j] {
				for k := 0; k < i; k++ {
					region[k] = false
				}
				return
			}
		}
	}
}

// nameColumns returns the columns that can identify a row of table t to a reader, best first; each option is a list of
// columns to show.
func (p *parser) nameColumns(t int) [][]int {
	var first, lastName int = -1, -1
	var out [][]int
	for _, want := range nameWords {
		for _, c := range p.b.columnsOf(t) {
			col := &p.b.cols[c]
			if last(col.words) != want {
				continue
			}
			switch {
			case want == "name" && oneOf("first", col.words), want == "firstname", want == "forename":
				first = c
			case want == "name" && oneOf("last", col.words), want == "lastname", want == "surname":
				lastName = c
			default:
				out = append(out, []int{c})
			}
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return p.nameRank(out[i][0]) < p.nameRank(out[j][0]) })
	if first >= 0 && lastName >= 0 {
		out = append([][]int{{first, lastName}}, out...)
	}
	for _, c := range p.b.columnsOf(t) { // a column named after its table: award.award
		if len(out) == 0 && !p.b.cols[c].isID() && coverage(p.b.cols[c].words, p.b.tables[t].words) > 0.9 {
			out = append(out, []int{c})
		}
	}
	if k := p.b.keyOf(t); k >= 0 {
		out = append(out, []int{k})
	}
	return out
}

// nameRank ranks "name" and "student_name" in table student above "street_name".
func (p *parser) nameRank(c int) int {
	col := &p.b.cols[c]
	rank := 0
	for _, w := range col.words[:len(col.words)-1] {
		if !oneOf(w, p.b.tables[col.table].words) {
			rank++
		}
	}
	for k, w := range nameWords {
		if w == last(col.words) {
			rank += k
		}
	}
	return rank
}
