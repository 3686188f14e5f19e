package process

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"assay/prompting/sql/schema"
	"assay/prompting/sql/tree"
)

// Worth is what a turn of a dialogue with tools did for the answer.
type Worth string

// The worths, told from the texts alone: whether the answer has what the turn's observation told first. That is a
// counterfactual without a model: an answer that has nothing of a turn could have come without it, and one that has
// something might have all the same, since models guess.
const (
	Answered Worth = "answer"   // it ran the query that became the answer
	Used     Worth = "used"     // it told a column, value or join first that the answer has
	Tried    Worth = "tried"    // it ran a query that was given up for another
	Unused   Worth = "unused"   // the answer has nothing of what it told
	Repeated Worth = "repeated" // its action was taken before, or an earlier turn had told all that the answer has of it
	Failed   Worth = "failed"   // the tool complained, or the turn has no action
	Ended    Worth = "end"      // it ended the dialogue
)

// Worths are all of them, in the order of reports.
var Worths = []Worth{Answered, Used, Tried, Unused, Repeated, Failed, Ended}

// Wasted reports whether the observation changed nothing.
func (w Worth) Wasted() bool { return w == Unused || w == Repeated || w == Failed }

// Turn is one turn of a dialogue.
type Turn struct {
	Action      string // in the form Tool('argument', ...); empty for none
	Observation string // what the tool answered
}

// The tools of Interactive-T2S, and the start of their complaints.
const (
	searchColumn = "SearchColumn"
	searchValue  = "SearchValue"
	findPath     = "FindShortestPath"
	executeSQL   = "ExecuteSQL"
	done         = "Done"
	complaint    = "Error"
)

// mostText bounds the action or the observation of a turn that is read, and the answer, in bytes: none is that long.
const mostText = 1 << 16

// Tools are the tools that turns call, in the order of reports.
var Tools = []string{searchColumn, searchValue, findPath, executeSQL, done}

// Tool returns the name of the tool that the turn calls; empty for none.
func (t Turn) Tool() string {
	name, _, call := strings.Cut(t.Action, "(")
	if !call {
		return ""
	}
	return strings.TrimSpace(name)
}

// SQL returns the query that the turn runs; empty for other turns.
func (t Turn) SQL() string {
	if t.Tool() != executeSQL || len(t.Action) > mostText {
		return ""
	}
	_, rest, _ := strings.Cut(t.Action, "(")
	return unquote(strings.TrimSuffix(strings.TrimSpace(rest), ")"))
}

// JudgeTurns returns the worth of each turn of one dialogue, given the answer's query; db, which may be nil, resolves the
// names in it.
func JudgeTurns(turns []Turn, answer string, db *schema.Database) []Worth {
	if len(answer) > mostText {
		answer = ""
	}
	a := factsOf(answer, db)
	out := make([]Worth, len(turns))
	taken, told := map[string]bool{}, map[string]bool{}
	final := slices.IndexFunc(turns, func(t Turn) bool { return t.SQL() != "" && flat(t.SQL()) == flat(answer) })
	for i, t := range turns {
		tool := t.Tool()
		facts := t.facts()
		switch has, fresh := a.has(facts, told); {
		case tool == done && !strings.HasPrefix(t.Observation, complaint):
			out[i] = Ended
		case tool == "" || strings.HasPrefix(t.Observation, complaint):
			out[i] = Failed
		case i == final:
			out[i] = Answered
		case taken[t.Action]:
			out[i] = Repeated
		case fresh:
			out[i] = Used
		case tool == executeSQL:
			out[i] = Tried
		case has:
			out[i] = Repeated
		default:
			out[i] = Unused
		}
		taken[t.Action] = true
		for _, f := range facts {
			told[f] = true
		}
	}
	return out
}

// facts of an answer: what a turn can tell that a query has, folded.
type facts map[string]bool

// The kinds of facts.
func columnFact(table, column string) string { return "column " + strings.ToLower(table+"."+column) }
func textFact(text string) string            { return "text " + strings.ToLower(text) }

// factsOf lists the columns and texts of a query; nothing of one that does not parse.
func factsOf(sql string, db *schema.Database) facts {
	out := facts{}
	if tree.Oversize(sql) != nil {
		return out
	}
	stmt, err := tree.Parse(sql)
	if err != nil {
		return out
	}
	for _, c := range tree.Columns(stmt, db) {
		out[columnFact(c.Table, c.Column)] = true
	}
	for _, e := range tree.Literals(stmt) {
		if s := strings.Trim(e.Name, "%"); strings.TrimSpace(s) != "" {
			out[textFact(s)] = true
		}
	}
	return out
}

// has reports whether the answer has one of the facts, and whether one that was not told before. A join, which is of two
// columns, counts where it has both.
func (a facts) has(all []string, told map[string]bool) (any, fresh bool) {
	for _, f := range all {
		own := a[f]
		if left, right, join := strings.Cut(f, " = "); join {
			own = a[left] && a["column "+right]
		}
		any = any || own
		fresh = fresh || own && !told[f]
	}
	return any, fresh
}

// mostFacts bounds what is read of one observation.
const mostFacts = 1000

// joined matches a condition of a path.
var joined = regexp.MustCompile(`(?m)([\w.]+\.\w+) = ([\w.]+\.\w+)`)

// facts lists what the observation told: columns and values of the lines of JSON, conditions of joins, cells of a result.
func (t Turn) facts() (out []string) {
	if len(t.Observation) > mostText {
		return nil
	}
	switch t.Tool() {
	case searchColumn, searchValue:
		for line := range strings.Lines(t.Observation) {
			var one struct{ Contents, Table, Column string }
			if json.Unmarshal([]byte(line), &one) != nil || len(out) == mostFacts {
				continue
			}
			if t.Tool() == searchValue {
				out = append(out, textFact(one.Contents))
				continue
			}
			out = append(out, columnFact(one.Table, one.Column))
		}
	case findPath:
		for _, m := range joined.FindAllStringSubmatch(t.Observation, mostFacts) {
			out = append(out, "column "+strings.ToLower(m[1])+" = "+strings.ToLower(m[2]))
		}
	case executeSQL:
		own := factsOf(t.SQL(), nil)
		for _, text := range quoted(t.Observation) {
			if f := textFact(text); !own[f] {
				out = append(out, f)
			}
		}
	}
	return out
}

// flat is a query with every run of white space made one space.
func flat(sql string) string { return strings.TrimRight(strings.Join(strings.Fields(sql), " "), "; ") }

// quoted lists the texts of a result, as Python prints them.
func quoted(s string) (out []string) {
	for i := 0; i < len(s) && len(out) < mostFacts; i++ {
		if s[i] != '\'' && s[i] != '"' {
			continue
		}
		end := i + 1
		for end < len(s) && s[end] != s[i] {
			if s[end] == '\\' {
				end++
			}
			end++
		}
		if end >= len(s) {
			return out
		}
		out = append(out, unquote(s[i:end+1]))
		i = end
	}
	return out
}

// unquote returns the text of a literal of Python's, and other texts as they are.
func unquote(s string) string {
	s = strings.TrimSpace(s)
	if len(s) < 2 || s[0] != '\'' && s[0] != '"' || s[len(s)-1] != s[0] {
		return s
	}
	quote, rest := s[0], s[1:len(s)-1]
	var b strings.Builder
	for rest != "" {
		r, _, tail, err := strconv.UnquoteChar(rest, quote)
		if err != nil { // such as the other quote, escaped or not
			tail = strings.TrimPrefix(rest, `\`)
			size := 0
			r, size = utf8.DecodeRuneInString(tail)
			tail = tail[size:]
		}
		b.WriteRune(r)
		rest = tail
	}
	return b.String()
}
