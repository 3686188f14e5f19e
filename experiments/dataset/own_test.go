package dataset

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/configs"
	"assay/prompting/sql/sqlite"

	"github.com/google/go-cmp/cmp"
)

// What spreadsheets write is read as it was meant.
func TestOwnQuestionsAreRead(t *testing.T) {
	check := func(what, text string, want ...AskedRow) {
		t.Helper()
		got := parseOwn([]byte(text), []string{"shop"})
		if len(got.Faults) > 0 || cmp.Diff(want, got.Rows) != "" {
			t.Errorf("%s: %v\n%s", what, got.Faults, cmp.Diff(want, got.Rows))
		}
	}
	row := func(line int, id, question, gold string) AskedRow {
		return AskedRow{Row{ID: id, DB: "shop", Question: question, Gold: gold}, line}
	}
	check("commas", "id,question,gold\n1,Who?,SELECT 1\n", row(2, "1", "Who?", "SELECT 1"))
	check("semicolons and line returns", "id;question;gold\r\n1;Who, and why?;SELECT 1, 2\r\n", row(2, "1", "Who, and why?", "SELECT 1, 2"))
	check("tabs", "question\tSQL\nWho?\tSELECT 1", row(2, "", "Who?", "SELECT 1"))
	check("a line that names the separator", "sep=;\r\nquestion;sql\r\nWho?;SELECT 1\r\n", row(3, "", "Who?", "SELECT 1"))
	check("quotes", "question,sql\n\"Who, \"\"A\"\"?\",\"SELECT 1,\n2\"\nWhy?,SELECT 3\n", row(2, "", "Who, \"A\"?", "SELECT 1,\n2"), row(4, "", "Why?", "SELECT 3"))
	check("empty lines", "\n\n;;\nquestion;sql\n;\n\nWho?;SELECT 1\n;\n;;;\n", row(7, "", "Who?", "SELECT 1"))
	check("headers of other people", "Question_ID,DB_ID,Question,Gold query,Hint\n7,shop,Who?,SELECT 1,\n", row(2, "7", "Who?", "SELECT 1"))
	check("columns that mean nothing", "author,mine,question,sql,line\nI,x,Who?,SELECT 1,9\n", row(2, "", "Who?", "SELECT 1"))
	check("short rows", "question,sql,evidence\nWho?\n", row(2, "", "Who?", ""))
	check("an apostrophe before what looks like a formula", "question,sql\n'=Who?,SELECT 1\n", row(2, "", "=Who?", "SELECT 1"))
}

// Each fault names its line and the remedy.
func TestFaultsOfOwnQuestions(t *testing.T) {
	check := func(text string, line int, want string) {
		t.Helper()
		got := parseOwn([]byte(text), []string{"shop", "bank"})
		if len(got.Faults) != 1 || got.Faults[0].Line != line || !strings.Contains(got.Faults[0].Text, want) {
			t.Errorf("%q: got %v, want line %d: %s", text, got.Faults, line, want)
		}
	}
	check("", 0, "no question: write one a line")
	check("question,db\n", 0, "no question: write one a line")
	check("sql,db\nSELECT 1,shop\n", 1, `no column "question" among "sql", "db", split at ','`)
	check("question,db,evidnce\nWho?,shop,x\n", 1, `did you mean "evidence"?`)
	check("question,sql,query,db\nWho?,a,b,shop\n", 1, `"sql" and "query" both hold the gold`)
	check("question,db\n,shop\n", 2, "no question: fill the cell")
	check("question,db\nWho?,\n", 2, `no database: name one of "shop", "bank"`)
	check("question,db\nWho?,shap\n", 2, `unknown database "shap": there are "shop", "bank"`)
	check("id,question,db\n1,Who?,shop\n1,Why?,shop\n", 3, `the id "1" is that of line 2 too`)
	check("question,db,sql\nWho?,shop,SELECT a, b\n", 2, "4 cells, and the header has 3")
	check("question,db\n\"Who?,shop\nWhy?,shop\n", 2, "a quote is opened here")
	check("question,db\nWho is \"x\"?,shop\n", 2, "a quote is out of place")
	check("sep=,\nquestion,db\nWho is \"x\"?,shop\n", 3, "a quote is out of place")
}

func TestOwnDatabases(t *testing.T) {
	dir := t.TempDir()
	database := func(name string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := sqlite.Create(t.Context(), path, "CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO item VALUES (1, 'pen')"); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	check := func(cfg configs.Dataset, want ...string) {
		t.Helper()
		cfg.Kind, cfg.Path = Own, dir
		set, err := Load(t.Context(), cfg, Options{Cache: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, x := range set.Examples {
			got = append(got, x.Question.ID+" "+x.Question.DB+" "+x.Gold)
			if x.Fault != "" || x.Question.Schema.Table("item") == nil || len(x.Suite) != 1 {
				t.Errorf("%s: %q, %v", x.Question.ID, x.Fault, x.Question.Schema)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
	refused := func(cfg configs.Dataset, want string) {
		t.Helper()
		cfg.Kind, cfg.Path = Own, dir
		if _, err := Load(t.Context(), cfg, Options{Cache: t.TempDir()}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	refused(configs.Dataset{}, "no SQLite file")
	shop := database("shop.db")
	refused(configs.Dataset{Split: "all"}, "no questions: there is no questions.csv")
	refused(configs.Dataset{Split: "dev"}, `no split "dev"`)
	write(OwnFile, "id,question,gold\n1,Names?,SELECT name FROM item\n")
	check(configs.Dataset{Split: "all"}, "questions/all/1 shop SELECT name FROM item")
	check(configs.Dataset{Split: "all", Databases: []string{shop}}, "questions/all/1 shop SELECT name FROM item")
	database("bank/bank.sqlite")
	refused(configs.Dataset{Split: "all"}, filepath.Join(dir, OwnFile)+`:2: no database: name one of "bank", "shop"`)
	write("two.csv", "id,db,question,gold\n1,bank,Names?,SELECT name FROM item\n2,shop,Names?,SELECT name FROM item\n")
	check(configs.Dataset{Split: "all", Questions: "two.csv"}, "questions/all/1 bank SELECT name FROM item", "questions/all/2 shop SELECT name FROM item")
	write("three.csv", "id,db,question\n1,bank,\n1,,x\n2,x,y\n")
	refused(configs.Dataset{Split: "all", Questions: "three.csv"}, "three.csv:2: no question: fill the cell, or empty the whole row (and 2 more")
	refused(configs.Dataset{Split: "all", Questions: "four.csv"}, `read "`+filepath.Join(dir, "four.csv"))
	refused(configs.Dataset{Databases: []string{filepath.Join(dir, "none")}}, "no database")
	database("runs/ledger.db") // no database of the dataset: not named as its folder
	check(configs.Dataset{Split: "all", Questions: "two.csv"}, "questions/all/1 bank SELECT name FROM item", "questions/all/2 shop SELECT name FROM item")
	database("shop/shop.sqlite")
	refused(configs.Dataset{}, `two databases are named "shop"`)
}

// FuzzOwn: every row can be asked, and lines count from 1.
func FuzzOwn(f *testing.F) {
	f.Add([]byte("sep=;\r\nid;question;gold\r\n1;\"Who?\";SELECT 1\r\n;;\r\n"))
	f.Add([]byte("question,db,sql\nWho is \"x\"?,shop,SELECT a, b\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		a := parseOwn(b, []string{"shop"})
		if len(a.Rows) == 0 && len(a.Faults) == 0 {
			t.Error("neither rows nor faults")
		}
		for _, r := range a.Rows {
			if r.Question == "" || r.DB != "shop" || r.Line < 2 {
				t.Errorf("kept %+v", r)
			}
		}
	})
}
