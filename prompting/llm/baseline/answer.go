package baseline

import (
	"strconv"
	"strings"
)

// session computes the answer to one request.
type session struct {
	*prompt
	chooser
	knowledge
}

// answer returns the completion in the form that the prompt asks for.
func (s *session) answer() (string, bool) {
	if s.task != nil {
		return s.task.answer(s)
	}
	cs := s.candidates()
	if len(cs) == 0 {
		return "", false
	}
	switch s.form {
	case formContinue:
		return strings.TrimPrefix(s.pick(cs).sql, "SELECT "), true
	case formCoT:
		return s.chainOfThought(cs), true
	case formReduce:
		return s.reduce(cs), true
	case formDecomp, formInterCol:
		return s.decompose(cs), true
	}
	return s.pick(cs).sql, true
}

// candidates returns the parses of the question under everything the prompt says, best first; none for a schema without
// columns.
func (s *session) candidates() []candidate {
	s.bias = s.learnFromSolved()
	s.facts, s.aliases = readFacts(s.base, s.evidence), readAliases(s.base, s.evidence)
	if len(s.base.cols) == 0 {
		return nil
	}
	cs := candidates(s.base, s.question, &s.knowledge)
	if len(cs) == 0 {
		cs = guesses(s.base)
	}
	return cs
}

// learnFromSolved returns a bias for the columns that the answers to earlier sub-questions use.
func (s *session) learnFromSolved() []float64 {
	if len(s.solved) == 0 {
		return s.evidenceBias()
	}
	bias := s.evidenceBias()
	if bias == nil {
		bias = make([]float64, len(s.base.cols))
	}
	for _, p := range s.solved {
		words := map[string]bool{}
		for _, w := range strings.FieldsFunc(strings.ToLower(p.sql), func(r rune) bool { return strings.ContainsRune(" .,()=<>'\";", r) }) {
			words[w] = true
		}
		for c := range s.base.cols {
			if words[strings.ToLower(s.base.cols[c].name)] && words[strings.ToLower(s.base.tables[s.base.cols[c].table].name)] {
				bias[c] = 0.2
			}
		}
	}
	return bias
}

// evidenceBias returns a bias for the columns that the evidence names.
func (s *session) evidenceBias() []float64 {
	if s.evidence == "" {
		return nil
	}
	low := strings.ToLower(s.evidence)
	bias := make([]float64, len(s.base.cols))
	for c := range s.base.cols {
		if name := strings.ToLower(s.base.cols[c].name); len(name) > 2 && strings.Contains(low, name) {
			bias[c] = 0.5
		}
	}
	return bias
}

// chainOfThought decides clause by clause, in the order of execution, and explains each decision.
func (s *session) chainOfThought(cs []candidate) string {
	cs = s.stage(cs, fromOf(s.base))
	cs = s.stage(cs, whereOf(s.base))
	c := s.pick(cs)
	return "# " + describe(s.base, &c.q) + "\n# Thus, the answer for the question is: " + s.question + "\n" + c.sql
}

// reduce lists the simpler questions, and the question itself last.
func (s *session) reduce(cs []candidate) string {
	c := s.pick(cs)
	var quoted []string
	for _, q := range append(subQuestions(s.base, s.question, &c.q), s.question) {
		quoted = append(quoted, `"`+q+`"`)
	}
	return `# To answer the question "` + s.question + `", we need to know: ` + strings.Join(quoted, ", ") + "."
}

// decompose answers the simpler questions first and is bound by their answers: by the columns that the first one
// selects and, in the form with columns, by the set of columns named on the way.
func (s *session) decompose(cs []candidate) string {
	draft := s.pick(cs)
	steps := subQuestions(s.base, s.question, &draft.q)
	var solved []query
	for _, step := range steps {
		if part := candidates(s.base, step, &s.knowledge); len(part) > 0 {
			solved = append(solved, s.pick(part).q)
		}
	}
	cs = rank(s.agreeing(cs, solved))
	if s.form == formInterCol {
		cs = s.stage(cs, columnsOf(s.base))
	}
	c := s.pick(cs)
	var out strings.Builder
	out.WriteString("decompose the question\n")
	var known []use
	for i, step := range append(steps, s.question) {
		out.WriteString(strconv.Itoa(i+1) + ".  " + step + "\n")
		if s.form != formInterCol {
			continue
		}
		q := &c.q
		if i < len(solved) && i < len(steps) {
			q = &solved[i]
		}
		if line := s.newColumns(q, &known); line != "" {
			out.WriteString("SQL table (column):  " + line + "\n")
		}
	}
	out.WriteString("# Thus, the answer for the question is:  " + s.question + "\n" + c.sql)
	return out.String()
}

// agreeing raises the scores of candidates that share columns with the answers to the simpler questions.
func (s *session) agreeing(cs []candidate, solved []query) []candidate {
	out := append([]candidate(nil), cs...)
	for _, q := range solved {
		for i := range out {
			same := 0
			for _, e := range q.sel {
				for _, f := range out[i].q.sel {
					if e == f {
						same++
						break
					}
				}
			}
			if len(q.sel) > 0 {
				out[i].score += 0.3 * float64(same) / float64(len(q.sel))
			}
		}
	}
	return out
}

// newColumns returns the columns that a step needs and no earlier step named, and adds them to known.
func (s *session) newColumns(q *query, known *[]use) string {
	var fresh []use
	for _, u := range usage(s.base, q, nil) {
		found := false
		for _, k := range *known {
			found = found || k == u
		}
		if !found {
			fresh = append(fresh, u)
		}
	}
	*known = append(*known, fresh...)
	return printUses(s.base, fresh)
}
