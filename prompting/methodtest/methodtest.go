// Package methodtest checks that a prompting.Method keeps its contract, and provides the data that its tests need.
//
// [Conform] runs a method on a fixed question and pool against a scripted model, and checks candidates, trace, requests
// and errors. Only tests may import the package.
package methodtest

import (
	"fmt"
	"strings"

	"assay/configs"
	"assay/prompting"
	"assay/prompting/exemplar"
	"assay/prompting/llm"
	"assay/prompting/sql/schema"
)

// New constructs the method under test.
type New func(prompting.Deps, configs.Arm, int64) (prompting.Method, error)

// Question returns one about a ferry, with evidence.
func Question() prompting.Question {
	route := schema.Table{
		Name: "Route", PrimaryKey: []string{"RouteID"}, Rows: 2,
		DDL: "CREATE TABLE Route (\n  RouteID INTEGER PRIMARY KEY,\n  \"Home Port\" TEXT\n)",
		Columns: []schema.Column{
			{Name: "RouteID", Type: "INTEGER", Samples: []string{"1", "2"}},
			{Name: "Home Port", Type: "TEXT", Samples: []string{"Sund", "Nordby"}, Meaning: "home port"}},
		Samples: [][]string{{"1", "Sund"}, {"2", "Nordby"}},
	}
	trip := schema.Table{
		Name: "Trip", Rows: 1, DDL: "CREATE TABLE Trip (\n  Route INT REFERENCES Route,\n  Guests INT\n)",
		Columns: []schema.Column{{Name: "Route", Type: "INT", Samples: []string{"2"}}, {Name: "Guests", Type: "INT", Samples: []string{"140"}}},
		Samples: [][]string{{"2", "140"}},
	}
	return prompting.Question{
		ID: "test/dev/ferry-1", DB: "ferry",
		Text:     "Which home ports have a trip with more than\n100 guests?",
		Evidence: "guests are counted on boarding",
		Schema: &schema.Database{Name: "ferry", Tables: []schema.Table{route, trip},
			ForeignKeys: []schema.ForeignKey{{Table: "Trip", Column: "Route", RefTable: "Route", RefColumn: "RouteID"}}},
	}
}

// Pool returns n fully annotated demonstrations over three databases, none of them the question's, with the levels of
// hardness in turn.
func Pool(n int) *exemplar.Pool {
	var demos []exemplar.Demo
	for i := range n {
		db := []string{"kiln", "orchard", "theatre"}[i%3]
		thing := []string{"pot", "tree", "play"}[i%3]
		d := exemplar.Demo{
			ID: fmt.Sprintf("%s-%02d", db, i+1), DB: db, Hardness: exemplar.Levels[i%4],
			Question: fmt.Sprintf("What is the name of the %s number %d?", thing, i+1),
			SQL:      fmt.Sprintf("SELECT name FROM %s WHERE id = %d", thing, i+1),
			CoT:      fmt.Sprintf("The query reads the %s table, and a WHERE clause keeps the row whose id is %d. It then selects the name column.", thing, i+1),
			Schema: schema.New(db, []schema.Table{{Name: thing, PrimaryKey: []string{"id"},
				Columns: []schema.Column{{Name: "id", Type: "INTEGER"}, {Name: "name", Type: "TEXT"}}}}, nil),
		}
		d.Steps = []exemplar.Step{{Question: d.Question, Columns: thing + " (id, name)", SQL: d.SQL}}
		if i%2 == 0 {
			d.Steps = []exemplar.Step{
				{Question: fmt.Sprintf("Which %s has number %d?", thing, i+1), Columns: thing + " (id)", SQL: fmt.Sprintf("SELECT id FROM %s WHERE id = %d", thing, i+1)},
				{Question: d.Question, Columns: thing + " (name)", SQL: d.SQL}}
		}
		d.Plan = fmt.Sprintf("**Preparation**\n1. Open the table %s.\n**Matching, filtering and counting**\n1. Keep the row whose id is %d.\n**Delivering the result**\n1. Return name.\n", thing, i+1)
		d.Division = &exemplar.Division{Simplify: "The list is a condition.", Parts: []exemplar.Part{
			{Question: d.Question, Analysis: "The answer is a name.", Pseudo: "SELECT name FROM " + thing + " WHERE the number fits", SQL: "SELECT name FROM " + thing + " WHERE id IN (SELECT id FROM " + thing + fmt.Sprintf(" WHERE id = %d)", i+1)},
			{Number: "1", Question: "the number fits", Analysis: "The id tells.", Pseudo: "SELECT id FROM " + thing + " WHERE id is the number", SQL: fmt.Sprintf("SELECT id FROM %s WHERE id = %d", thing, i+1)}}}
		demos = append(demos, d)
	}
	pool, err := exemplar.NewPool(demos)
	if err != nil {
		panic(err) // the demonstrations above are wrong
	}
	return pool
}

// Arm returns an arm of the method with k demonstrations in a format, and the defaults of an experiment file in its
// parts.
func Arm(method, format string, k int) configs.Arm {
	return configs.Arm{
		Name: method, Method: method,
		Model:     configs.Model{Samples: 1},
		Schema:    configs.Schema{Format: format, Rows: 2},
		Exemplars: configs.Exemplars{Strategy: "random", K: k, Separator: "\n"},
		Values:    configs.Values{Columns: "content", K: 10, Keywords: "rules", Show: "first"},
		Columns:   configs.Columns{Use: "none"},
		Synthetic: configs.Synthetic{Source: "os", Features: 4, Tables: 3, Columns: "one-call"},
		Fixer:     configs.Fixer{OnUnfixed: "keep", Triggers: []string{"error", "empty"}},
		Selection: configs.Selection{Rule: "first", Directions: 2, Tie: "first"},
	}
}

// Text prints messages as golden files hold them.
func Text(messages []llm.Message) string {
	var b strings.Builder
	for _, m := range messages {
		fmt.Fprintf(&b, "[%s]\n%s\n", m.Role, m.Text)
	}
	return b.String()
}
