package baseline

import (
	"bytes"
	"encoding/json"
	"strings"
)

// asJSON returns a value as JSON on one line, without HTML escapes.
func asJSON(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil {
		return ""
	}
	return strings.TrimSpace(b.String())
}

// readings is how many parses of a question are searched for the columns that it may need.
const readings = 3

// chooseColumns names the columns of a few parses of the question, by table: the best parses, or drawn ones.
func (s *session) chooseColumns() (string, bool) {
	cs := s.candidates()
	if len(cs) == 0 {
		return "", false
	}
	chosen := make([]bool, len(s.base.cols))
	for i := 0; i < readings && i < len(cs); i++ {
		c := cs[i]
		if s.params.Temperature > 0 {
			c = s.pick(cs)
		}
		for _, u := range usage(s.base, &c.q, nil) {
			if u.col == star {
				u.col = s.base.keyOf(u.table)
			}
			if u.col >= 0 {
				chosen[u.col] = true
			}
		}
	}
	var out []string
	for t := range s.base.tables {
		var names []string
		for _, c := range s.base.columnsOf(t) {
			if chosen[c] {
				names = append(names, s.base.cols[c].name)
			}
		}
		if len(names) > 0 {
			out = append(out, asJSON(s.base.tables[t].name)+": "+strings.ReplaceAll(asJSON(names), `","`, `", "`))
		}
	}
	return "{" + strings.Join(out, ", ") + "}", true
}

// relevant judges the one column that the prompt asks about.
func (s *session) relevant() (string, bool) {
	score, why := s.relevance()
	said := [2]string{"Yes", "No"}[s.draw([]float64{sharpness * score, 0})]
	return `{"reasoning": ` + asJSON(why) + `, "relevant": "` + said + `"}`, true
}

// relevance returns a score above 0 for a column that the question or the evidence mentions by name, by a value or by a
// comparing word, and for the key of a mentioned table.
func (s *session) relevance() (float64, string) {
	const c = 0
	col := &s.base.cols[c]
	if bias := s.evidenceBias(); bias != nil && bias[c] > 0 {
		return 1, "The evidence names it."
	}
	toks, us := link(s.base, s.question, readAliases(s.base, s.evidence))
	table := false
	for _, u := range us {
		table = table || len(u.tabs) > 0
		for _, o := range u.cols {
			if o.score >= 0.6 {
				return o.score, "The question mentions it."
			}
		}
		if u.isValue && !u.number && oneOf(strings.ToLower(u.value), lowered(col.samples)) {
			return 1, "The question names one of its values."
		}
	}
	for _, t := range toks {
		for _, w := range strings.FieldsFunc(superlatives[t.low]+" "+comparatives[t.low], func(r rune) bool { return r == ' ' || r == ':' }) {
			if col.has(w) {
				return 0.8, "The question compares it."
			}
		}
	}
	switch {
	case col.isID():
		return 0.3, "It may join tables."
	case table && oneOf(last(col.words), nameWords):
		return 0.4, "It names the rows of a table that the question mentions."
	case oneOf(last(tokenWords(s.meaning)), tokenWords(s.question)):
		return 0.5, "Its meaning is mentioned."
	}
	return -1, "Nothing in the question is about it."
}

// tokenWords returns the stems of a text's content words.
func tokenWords(text string) []string {
	out := []string{}
	for _, t := range tokenize(text) {
		if !t.punct && !stop[t.low] {
			out = append(out, t.stem)
		}
	}
	return out
}

func lowered(in []string) []string {
	var out []string
	for _, s := range in {
		out = append(out, strings.ToLower(s))
	}
	return out
}

// keywords lists the words that may be values or names of what is asked for: quoted text, numbers, names, and runs of
// content words, with each word of a run.
func (s *session) keywords() (string, bool) {
	out := []string{}
	add := func(w string) {
		if w = strings.Trim(w, " ,.?!"); w != "" && !oneOf(w, out) {
			out = append(out, w)
		}
	}
	for _, text := range []string{s.question, s.evidence} {
		l := linker{b: s.base, text: text, toks: tokenize(text)}
		for i := 0; i < len(l.toks); {
			t := l.toks[i]
			end := i + 1
			switch name := l.properName(i); {
			case t.quoted || t.number:
				add(t.text)
			case name > i:
				end = name
				add(text[t.at:l.toks[end-1].to])
			case !t.punct && !stop[t.low]:
				for end < len(l.toks) && !l.toks[end].punct && !l.toks[end].quoted && !stop[l.toks[end].low] && l.properName(end) == end {
					end++
				}
				add(text[t.at:l.toks[end-1].to])
			}
			for k := i; k < end && end > i+1; k++ {
				if !l.toks[k].punct && !stop[l.toks[k].low] {
					add(l.toks[k].text)
				}
			}
			i = end
		}
	}
	return strings.ReplaceAll(asJSON(out), `","`, `", "`), true
}
