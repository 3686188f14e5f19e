package predictions

import (
	"errors"
	"fmt"
	"strings"

	"assay/configs/input"
)

// Place is where a query stands in its interaction.
type Place struct {
	Session int // the interaction, from 0
	Turn    int // from 1
}

// Turn is a line of a file of interactions.
type Turn struct {
	Line int    // from 1
	SQL  string // the text before the first tab, as written
	DB   string // the text after the tab; of a gold file alone
}

// Sessions are the interactions of a file as SParC's, CoSQL's and the test-suite evaluators read it: lines up to a blank line,
// or to the end of the file. Of several blank lines in a row each after the first makes an empty interaction.
type Sessions struct {
	Path string
	All  [][]Turn
	ends []int // the line that ends each, from 1; past the last line for one that the file's end ends
}

// ReadSessions reads a file of gold queries, each with a tab and its database's id, or of predictions, where what follows a
// tab is left out. The error names the file and the line.
func ReadSessions(path string, gold bool) (*Sessions, error) {
	b, err := input.Text(path, input.Predictions)
	if err != nil {
		return nil, fmt.Errorf("predictions: read %q: %w", path, input.Cause(err))
	}
	s, err := parseSessions(path, string(b), gold)
	if err != nil {
		return nil, fmt.Errorf("predictions: read %q: %w", path, err)
	}
	return s, nil
}

func parseSessions(path, text string, gold bool) (*Sessions, error) {
	if looksJSON([]byte(text)) {
		return nil, errors.New("this is JSON: the official evaluators read one query per line; assay eval reads JSON too")
	}
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(strings.TrimPrefix(text, "\ufeff"))
	if strings.Count(text, "\n") > mostEntries {
		return nil, errMany
	}
	s := &Sessions{Path: path}
	var turns []Turn
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i, line := range lines {
		if line = strings.TrimSpace(line); line == "" {
			if text != "" {
				s.All, s.ends, turns = append(s.All, turns), append(s.ends, i+1), nil
			}
			continue
		}
		t, err := cutTurn(line, i+1, gold)
		if err != nil {
			return nil, err
		}
		turns = append(turns, t)
	}
	if len(turns) > 0 {
		s.All, s.ends = append(s.All, turns), append(s.ends, len(lines)+1)
	}
	return s, nil
}

func cutTurn(line string, at int, gold bool) (Turn, error) {
	fields := strings.Split(line, "\t")
	t := Turn{Line: at, SQL: fields[0]}
	if !gold {
		return t, nil
	}
	if len(fields) != 2 {
		return t, fmt.Errorf("line %d has %d tabs: want one, between the gold query and the id of its database", at, len(fields)-1)
	}
	t.DB = fields[1]
	return t, nil
}

// Turns returns how many queries the file has.
func (s *Sessions) Turns() (n int) {
	for _, one := range s.All {
		n += len(one)
	}
	return n
}

// End returns the line that ends interaction i, from 1: a blank one, or the one past the file's last.
func (s *Sessions) End(i int) int { return s.ends[i] }

// Pair is a gold query and its prediction.
type Pair struct {
	Place
	Gold, Predicted Turn
}

// Pairs matches the turns of each interaction in order, as the test-suite evaluator does. The number of interactions must agree.
// Turns without a counterpart are left out, and notes say so: a gold query without a prediction is not counted as wrong.
func Pairs(gold, pred *Sessions) (out []Pair, notes []string, err error) {
	if len(gold.All) != len(pred.All) {
		return nil, nil, unlike(gold, pred)
	}
	first, uneven, empty := 0, 0, 0
	for i, g := range gold.All {
		p := pred.All[i]
		n := min(len(g), len(p))
		for k := range n {
			out = append(out, Pair{Place{i, k + 1}, g[k], p[k]})
		}
		if len(g) == len(p) {
			continue
		}
		if uneven++; uneven == 1 {
			first = i
		}
		if n == 0 {
			empty++
		}
	}
	if uneven > 0 {
		notes = append(notes, fmt.Sprintf("%q has %d gold queries and %q %d predictions; they part at interaction %d, which has %d and %d: what has no counterpart is left out, as in the official evaluator, and does not count as wrong",
			gold.Path, gold.Turns(), pred.Path, pred.Turns(), first+1, len(gold.All[first]), len(pred.All[first])))
	}
	if len(out) < gold.Turns() {
		notes = append(notes, fmt.Sprintf("%d of %d gold queries have no prediction; write an empty prediction as SELECT, since a blank line ends an interaction", gold.Turns()-len(out), gold.Turns()))
	}
	if empty > 0 && len(gold.All) > 1 {
		notes = append(notes, fmt.Sprintf("%d interactions have nothing to compare, and are right in joint_all, as in the official evaluator", empty))
	}
	return out, notes, nil
}

// unlike says how two files differ in their number of interactions, and where the first that has blank lines too many may have
// one that should be a prediction.
func unlike(gold, pred *Sessions) error {
	at := 0
	for at < min(len(gold.All), len(pred.All)) && len(gold.All[at]) == len(pred.All[at]) {
		at++
	}
	more := pred
	if len(gold.All) > len(pred.All) {
		more = gold
	}
	return fmt.Errorf("predictions: pair %q with %q: %s in the gold file (%d queries), %s in the predictions (%d); they part at interaction %d, which line %d of %q ends: a blank line ends an interaction, so an empty prediction is written as SELECT",
		pred.Path, gold.Path, interactions(gold), gold.Turns(), interactions(pred), pred.Turns(), at+1, more.ends[at], more.Path)
}

func interactions(s *Sessions) string {
	if len(s.All) == 1 {
		return "1 interaction"
	}
	return fmt.Sprintf("%d interactions", len(s.All))
}

// File returns the queries of the file without their interactions, which Fit matches line by line.
func (s *Sessions) File() *File {
	f := &File{Path: s.Path, Form: Lines}
	for _, one := range s.All {
		for _, t := range one {
			f.Entries = append(f.Entries, t.entry())
		}
	}
	return f
}

func (t Turn) entry() Entry {
	return Entry{Line: t.Line, DB: t.DB, Candidates: []Candidate{{SQL: strings.TrimSpace(t.SQL)}}}
}

// Files returns the pairs as a gold file and a file of predictions, which Fit matches line by line.
func Files(pairs []Pair, gold, pred *Sessions) (g, p *File) {
	g, p = &File{Path: gold.Path, Form: Lines}, &File{Path: pred.Path, Form: Lines}
	for _, x := range pairs {
		g.Entries, p.Entries = append(g.Entries, x.Gold.entry()), append(p.Entries, x.Predicted.entry())
	}
	return g, p
}

// Places returns where each query stands in its interaction, where blank lines part the file's queries into several
// interactions; otherwise nil.
func (f *File) Places() (out []Place) {
	at := Place{}
	for _, e := range f.Entries {
		if e.blank {
			if at.Turn > 0 {
				at = Place{Session: at.Session + 1}
			}
			continue
		}
		at.Turn++
		out = append(out, at)
	}
	if f.Form != Lines || len(out) == 0 || out[len(out)-1].Session == 0 {
		return nil
	}
	return out
}
