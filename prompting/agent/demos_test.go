package agent

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/configs"
	"assay/prompting"
	"assay/prompting/llm"
	"assay/prompting/methodtest"
	"assay/prompting/sql/schema"
	"assay/prompting/sql/sqlite"
	"assay/prompting/tools"
)

// replayed is a demonstration's file with the observations that the tools return.
func (w *world) replayed(t *testing.T, d demo) string {
	t.Helper()
	db, path := w.database(t, d.db.Name)
	set, err := tools.New(db, sqlite.DB(path), w.box, tools.Options{Values: w.values})
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close()
	var b strings.Builder
	fmt.Fprintf(&b, "database: %s\n", db.Name)
	for i := range db.Tables {
		x := &db.Tables[i]
		var all []string
		for _, c := range x.Columns {
			all = append(all, c.Name)
		}
		fmt.Fprintf(&b, "table: %s\n", strings.ReplaceAll(strings.Join([]string{x.Name, names(x.PrimaryKey), keys(db, x.Name), count(x.Rows), names(all)}, " | "), "|  |", "| |"))
	}
	fmt.Fprintf(&b, "question: %s\n", d.question)
	if d.evidence != "" {
		fmt.Fprintf(&b, "evidence: %s\n", d.evidence)
	}
	for _, turn := range d.turns {
		a, err := tools.Parse(turn.Action)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "\nThought: %s\nAction: %s\n", turn.Thought, turn.Action)
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

// TestDemonstrations replays every action shown: each observation is, byte for byte, what the tools return.
func TestDemonstrations(t *testing.T) {
	w := newWorld(t)
	all, err := demos()
	if err != nil {
		t.Fatal(err)
	}
	for name, d := range all {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join("prompts", name+".demo")
			got := w.replayed(t, d)
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if want, _ := promptFiles.ReadFile(file); string(want) != got {
				t.Errorf("the tools return otherwise (run with -update to accept):\n%s", got)
			}
		})
	}
}

// TestShown: the two dialogues of a family use every tool, one joins three tables or more, and each ends in Done.
func TestShown(t *testing.T) {
	all, err := demos()
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range []string{"spider", "bird", "bird-evidence"} {
		used, most := "", 0
		for i := 1; i <= maxDemos; i++ {
			d := all[fmt.Sprintf("%s-%d", family, i)]
			if (d.evidence != "") != (family == "bird-evidence") {
				t.Errorf("%s-%d: evidence %q", family, i, d.evidence)
			}
			for _, turn := range d.turns {
				used += turn.Action + "\n"
				most = max(most, strings.Count(turn.Action, "JOIN")+1)
			}
			if last := d.turns[len(d.turns)-1]; last.Action != "Done()" {
				t.Errorf("%s-%d ends in %q", family, i, last.Action)
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

func system(t *testing.T, q prompting.Question, a configs.Arm) (string, string) {
	t.Helper()
	m, err := New(Methods[0].ID, prompting.Deps{Model: &llm.Scripted{}}, a, 1)
	if err != nil {
		t.Fatal(err)
	}
	p, err := m.Prompts(q)
	if err != nil {
		t.Fatal(err)
	}
	return p[0].Text, p[1].Text
}

// TestOff: nothing in the prompt names a tool that is switched off.
func TestOff(t *testing.T) {
	q := methodtest.Question()
	for _, family := range Families.IDs() {
		for _, c := range Tools {
			text, _ := system(t, q, arm(func(a *configs.Agent) { a.Off, a.Family = []string{c.ID}, family }))
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
		text, _ := system(t, q, arm(func(a *configs.Agent) { a.Family = family }))
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
		_, user := system(t, q, arm(func(a *configs.Agent) { a.Layout = layout }))
		if got := user; got != want {
			t.Errorf("%s:\n%s", layout, got)
		}
	}
	rest := "\n\nQ: Which home ports have a trip with more than 100 guests?\nEvidence: guests are counted on boarding"
	check("keys", "Tables of the database ferry:\n| Table | Primary Key | Foreign Key | Row Count |\n| --- | --- | --- | --- |\n| Route | RouteID |  | 2 |\n| Trip |  | Route -> Route.RouteID | 1 |"+rest)
	check("names", "Tables of the database ferry:\n| Table |\n| --- |\n| Route |\n| Trip |"+rest)
	check("columns", "Tables of the database ferry:\n| Table | Primary Key | Foreign Key | Row Count | Columns |\n| --- | --- | --- | --- | --- |\n| Route | RouteID |  | 2 | RouteID, Home Port |\n| Trip |  | Route -> Route.RouteID | 1 | Route, Guests |"+rest)
	if got := tables(&schema.Database{Tables: []schema.Table{{Name: "a | b\nc", Rows: -1}}}, ""); !strings.HasSuffix(got, "| a \\| b c |  |  | ? |") {
		t.Errorf("a hostile name:\n%s", got)
	}
}
