package methods_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/configs"
	"assay/prompting"
	"assay/prompting/exemplar"
	"assay/prompting/goldentest"
	"assay/prompting/methods"
	"assay/prompting/methodtest"
	"assay/prompting/sql/sandbox"
	"assay/prompting/sql/schema"
	"assay/prompting/sql/sqlite"
	"assay/prompting/tools"
)

// shownDemo is a dialogue of a .demo file as a test reads it.
type shownDemo struct {
	db, question, evidence string
	turns                  [][2]string // thought and action
}

func readDemo(t *testing.T, name string) (shownDemo, string) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("interactive", name+".demo"))
	if err != nil {
		t.Fatal(err)
	}
	head, body, _ := strings.Cut(string(b), "\n\n")
	var d shownDemo
	for _, line := range strings.Split(head, "\n") {
		word, rest, _ := strings.Cut(line, ": ")
		switch word {
		case "database":
			d.db = rest
		case "question":
			d.question = rest
		case "evidence":
			d.evidence = rest
		}
	}
	turns, err := exemplar.ParseDialogue(body) // the form of annotation files
	if err != nil {
		t.Fatal(err)
	}
	for _, turn := range turns {
		d.turns = append(d.turns, [2]string{turn.Thought, turn.Action})
	}
	return d, string(b)
}

// tableLine is a table as a .demo file states it.
func tableLine(db *schema.Database, x schema.Table) string {
	var all, keys []string
	for _, c := range x.Columns {
		all = append(all, c.Name)
	}
	for _, k := range db.ForeignKeys {
		if strings.EqualFold(k.Table, x.Name) {
			keys = append(keys, k.Column+" -> "+k.RefTable+"."+k.RefColumn)
		}
	}
	line := strings.Join([]string{x.Name, strings.Join(x.PrimaryKey, ", "), strings.Join(keys, ", "), fmt.Sprint(x.Rows), strings.Join(all, ", ")}, " | ")
	return strings.ReplaceAll(line, "|  |", "| |")
}

// replayed is a demonstration's file with the observations that the tools return.
func (w *stock) replayed(t *testing.T, d shownDemo) string {
	t.Helper()
	db, path := w.database(t, d.db)
	set, err := tools.New(db, sqlite.DB(path), w.box, tools.Options{Values: w.values})
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close()
	var b strings.Builder
	fmt.Fprintf(&b, "database: %s\n", db.Name)
	for _, x := range db.Tables {
		fmt.Fprintf(&b, "table: %s\n", tableLine(db, x))
	}
	fmt.Fprintf(&b, "question: %s\n", d.question)
	if d.evidence != "" {
		fmt.Fprintf(&b, "evidence: %s\n", d.evidence)
	}
	for _, turn := range d.turns {
		a, err := tools.Parse(turn[1])
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "\nThought: %s\nAction: %s\n", turn[0], turn[1])
		if a.Name == tools.Done {
			continue
		}
		seen, err := set.Call(context.Background(), a)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "Observation: %s\n", seen.Text)
	}
	return b.String()
}

// TestDialogues replays every action shown: each observation is, byte for byte, what the tools return. The two dialogues of
// a family use every tool, one joins three tables or more, and each ends in Done.
func TestDialogues(t *testing.T) {
	w := newStock(t)
	for _, family := range []string{"spider", "bird", "bird-evidence"} {
		used, most := "", 0
		for i := 1; i <= 2; i++ {
			name := fmt.Sprintf("%s-%d", family, i)
			d, file := readDemo(t, name)
			got := w.replayed(t, d)
			if goldentest.Update() {
				write(t, filepath.Join("interactive", name+".demo"), got)
			} else if got != file {
				t.Errorf("%s: the tools return otherwise (run with -update to accept):\n%s", name, got)
			}
			if (d.evidence != "") != (family == "bird-evidence") {
				t.Errorf("%s: evidence %q", name, d.evidence)
			}
			for _, turn := range d.turns {
				used += turn[1] + "\n"
				most = max(most, strings.Count(turn[1], "JOIN")+1)
			}
			if last := d.turns[len(d.turns)-1]; last[1] != "Done()" {
				t.Errorf("%s ends in %q", name, last[1])
			}
		}
		for _, tool := range tools.All() {
			if !strings.Contains(used, tool.Name+"(") {
				t.Errorf("%s: no dialogue uses %s", family, tool.Name)
			}
		}
		if most < 4 {
			t.Errorf("%s: at most %d tables are joined", family, most)
		}
	}
}

// system returns the first two messages of a dialogue.
func system(t *testing.T, q prompting.Question, a configs.Arm) (string, string) {
	t.Helper()
	box := sandbox.New(sandbox.Options{})
	_, asked := ask(t, prompting.Deps{Box: box}, a, 1, q, always("nothing"))
	return asked[0].Messages[0].Text, asked[0].Messages[1].Text
}

// TestOff: nothing in the prompt names a tool that is switched off. The dialogues of pool are those of demonstrations, which have
// a test of their own.
func TestOff(t *testing.T) {
	q := methodtest.Question()
	for _, family := range methods.AgentDialogues.IDs() {
		if family == "pool" {
			continue
		}
		for _, c := range methods.AgentTools {
			text, _ := system(t, q, agentArm(func(a *configs.Agent) { a.Off, a.Family = []string{c.ID}, family }))
			if strings.Contains(text, c.ID) || !strings.Contains(text, "# Example 2") {
				t.Errorf("%s off in %s:\n%s", c.ID, family, text)
			}
		}
	}
}

// TestFamilies: which dialogues an item sees.
func TestFamilies(t *testing.T) {
	check := func(id, evidence, family, want string) {
		t.Helper()
		q := methodtest.Question()
		q.ID, q.Evidence = id, evidence
		text, _ := system(t, q, agentArm(func(a *configs.Agent) { a.Family = family }))
		if !strings.Contains(text, want) || strings.Count(text, "Thought: I select") != 2 && strings.Count(text, "\nQ: ") != 2 {
			t.Errorf("%s, evidence %q, family %q: no %q in\n%s", id, evidence, family, want, text)
		}
	}
	check("spider/dev/1", "", "auto", "bakery_orders")
	check("bird/dev/1", "", "auto", "farm_market")
	check("bird-finc/sql/1", "", "auto", "farm_market")
	check("bird/dev/1", "x means y", "auto", "Evidence: organic refers")
	check("bird/dev/1", "x means y", "bird", "farm_market")
	check("sample/dev/1", "", "bird-evidence", "Evidence: organic refers")
}

func TestLayouts(t *testing.T) {
	q := methodtest.Question()
	check := func(layout, want string) {
		t.Helper()
		_, user := system(t, q, agentArm(func(a *configs.Agent) { a.Layout = layout }))
		if got := user; got != want {
			t.Errorf("%s:\n%s", layout, got)
		}
	}
	rest := "\n\nQ: Which home ports have a trip with more than 100 guests?\nEvidence: guests are counted on boarding"
	check("keys", "Tables of the database ferry:\n| Table | Primary Key | Foreign Key | Row Count |\n| --- | --- | --- | --- |\n| Route | RouteID |  | 2 |\n| Trip |  | Route -> Route.RouteID | 1 |"+rest)
	check("names", "Tables of the database ferry:\n| Table |\n| --- |\n| Route |\n| Trip |"+rest)
	check("columns", "Tables of the database ferry:\n| Table | Primary Key | Foreign Key | Row Count | Columns |\n| --- | --- | --- | --- | --- |\n| Route | RouteID |  | 2 | RouteID, Home Port |\n| Trip |  | Route -> Route.RouteID | 1 | Route, Guests |"+rest)
	q.Schema.Tables[1].Name, q.Schema.Tables[1].Rows = "a | b\nc", -1
	if _, got := system(t, q, agentArm(nil)); !strings.Contains(got, "\n| a \\| b c |  |  | ? |\n") {
		t.Errorf("a hostile name:\n%s", got)
	}
}
