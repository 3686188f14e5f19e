package agent

import (
	"fmt"
	"strconv"
	"strings"
	"sync"

	"assay/prompting"
	"assay/prompting/sql/schema"
	"assay/prompting/tools"
)

// maxDemos is the number of dialogues of a family.
const maxDemos = 2

// demo is a whole dialogue shown in the prompt, from prompts/FAMILY-N.demo.
//
// Such a file begins with lines "word: text": the database, one line per table as "name | primary key | foreign keys |
// rows | columns", the question, and the evidence if there is any. An empty line ends that. Each turn after it is a
// line that begins with "Thought:", one with "Action:" and, but for the last, one with "Observation:", which may go on
// over lines. Every observation is what the tools return on the sample's database of that name; a test replays them.
type demo struct {
	db                 *schema.Database
	question, evidence string
	turns              []demoTurn
}

type demoTurn struct{ Thought, Action, Observation string }

// shown is a demonstration as the template prints it.
type shown struct {
	Number int
	Asked  string
	Steps  []demoTurn
}

var demos = sync.OnceValues(func() (map[string]demo, error) {
	out := map[string]demo{}
	for _, family := range []string{spider, bird, birdEvidence} {
		for i := 1; i <= maxDemos; i++ {
			name := family + "-" + strconv.Itoa(i)
			text, err := promptFiles.ReadFile("prompts/" + name + ".demo")
			if err != nil {
				return nil, err
			}
			if out[name], err = parseDemo(string(text)); err != nil {
				return nil, fmt.Errorf("demonstration %q: %w", name, err)
			}
		}
	}
	return out, nil
})

// parseDemo reads a demonstration's file.
func parseDemo(text string) (d demo, err error) {
	head, body, _ := strings.Cut(text, "\n\n")
	d.db = &schema.Database{}
	for _, line := range strings.Split(head, "\n") {
		word, rest, _ := strings.Cut(line, ": ")
		switch word {
		case "database":
			d.db.Name = rest
		case "table":
			err = addTable(d.db, rest)
		case "question":
			d.question = rest
		case "evidence":
			d.evidence = rest
		default:
			err = fmt.Errorf("no line %q", line)
		}
		if err != nil {
			return d, err
		}
	}
	for _, turn := range strings.Split("\n"+strings.TrimSpace(body), "\nThought: ")[1:] {
		thought, rest, ok := strings.Cut(turn, "\nAction: ")
		if !ok {
			return d, fmt.Errorf("a turn without an action: %q", turn)
		}
		action, seen, _ := strings.Cut(rest, "\nObservation: ")
		d.turns = append(d.turns, demoTurn{thought, strings.TrimSpace(action), strings.TrimSpace(seen)})
	}
	return d, nil
}

func addTable(db *schema.Database, line string) (err error) {
	cells := strings.Split(line, "|")
	if len(cells) != 5 {
		return fmt.Errorf("a table of %d cells", len(cells))
	}
	for i := range cells {
		cells[i] = strings.TrimSpace(cells[i])
	}
	t := schema.Table{Name: cells[0], PrimaryKey: commas(cells[1])}
	for _, k := range commas(cells[2]) {
		from, to, _ := strings.Cut(k, " -> ")
		table, column, _ := strings.Cut(to, ".")
		db.ForeignKeys = append(db.ForeignKeys, schema.ForeignKey{Table: t.Name, Column: from, RefTable: table, RefColumn: column})
	}
	if t.Rows, err = strconv.Atoi(cells[3]); err != nil {
		return err
	}
	for _, c := range commas(cells[4]) {
		t.Columns = append(t.Columns, schema.Column{Name: c})
	}
	db.Tables = append(db.Tables, t)
	return nil
}

func commas(list string) []string {
	if list == "" {
		return nil
	}
	return strings.Split(list, ", ")
}

// family names the dialogues for a question.
func (m *method) family(q prompting.Question) string {
	switch {
	case m.agent.Family != auto && m.agent.Family != "":
		return m.agent.Family
	case !strings.HasPrefix(q.ID, "bird/") && !strings.HasPrefix(q.ID, "bird-"): // bird-finc is BIRD's too
		return spider
	case q.Evidence != "":
		return birdEvidence
	}
	return bird
}

// demonstrations returns the dialogues for a question, without the turns of tools that are off.
func (m *method) demonstrations(q prompting.Question) ([]shown, error) {
	all, err := demos()
	if err != nil {
		return nil, err
	}
	var out []shown
	for i := 1; i <= min(m.agent.Demos, maxDemos); i++ {
		name := m.family(q) + "-" + strconv.Itoa(i)
		d, ok := all[name]
		if !ok {
			return nil, fmt.Errorf("no demonstration %q", name)
		}
		asked, err := m.asked(d.db, d.question, d.evidence)
		if err != nil {
			return nil, err
		}
		s := shown{Number: i, Asked: asked}
		for _, t := range d.turns {
			if name, _, _ := strings.Cut(t.Action, "("); name == tools.ExecuteSQL || name == tools.Done || m.has(name) {
				s.Steps = append(s.Steps, t)
			}
		}
		out = append(out, s)
	}
	return out, nil
}
