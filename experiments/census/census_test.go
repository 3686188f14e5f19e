package census

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"assay/configs"
	"assay/experiments/axes"
	"assay/experiments/dataset"
	"assay/prompting/sql/schema"
	"assay/prompting/sql/tree"

	"github.com/google/go-cmp/cmp"
)

var names = new(schema.Database).Add("pet", "id", "name", "kind", "weight", "born").Add("owner", "id", "city")

func TestValues(t *testing.T) {
	check := func(sql, want string) {
		t.Helper()
		s, err := tree.Parse(sql)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, v := range Values(s, names) {
			got = append(got, string(v.Kind)+" "+v.Text)
		}
		if g := strings.Join(got, ", "); g != want {
			t.Errorf("%s: %q, want %q", sql, g, want)
		}
	}
	check("SELECT name FROM pet", "")
	check("SELECT name FROM pet WHERE kind = 'dog' AND weight > -3.5", "text dog, number -3.5")
	check(`SELECT name FROM pet WHERE kind = "dog" OR "kind" = name`, "text dog") // "kind" is a column
	check("SELECT name FROM pet WHERE 'dog' <> kind AND kind IS NOT 'cat' AND name IS NULL", "text dog, text cat")
	check("SELECT name FROM pet WHERE kind IN ('dog', 'cat') AND weight BETWEEN 2 AND 3", "text dog, text cat, number 2, number 3")
	check("SELECT name FROM pet WHERE name LIKE '%an%' AND born GLOB '19*'", "pattern %an%, pattern 19*")
	check("SELECT name FROM pet WHERE strftime('%Y', born) = '1999' AND weight * 100 > 5", "text 1999, number 5")
	check("SELECT kind FROM pet GROUP BY kind HAVING count(*) > 2 AND max(weight) < 9", "")
	check("SELECT sum(kind = 'dog'), CASE kind WHEN 'cat' THEN 1 ELSE 0 END FROM pet LIMIT 5", "text dog, text cat")
	check("SELECT sum(CASE WHEN kind = 'dog' THEN 1 ELSE 0 END) FROM pet", "text dog")
	check("SELECT name FROM pet WHERE weight > (SELECT avg(weight) FROM pet WHERE kind = 'dog')", "text dog")
	check("SELECT p.name FROM pet p JOIN owner o ON p.id = o.id AND o.city = 'Bonn' COLLATE NOCASE", "text Bonn")
	check("SELECT 1 = 1 FROM pet WHERE 'a' = 'a'", "")
	check("SELECT name FROM pet WHERE (SELECT count(*) FROM owner) = 3", "")
}

func TestHas(t *testing.T) {
	check := func(question, value string, kind Kind, want How) {
		t.Helper()
		if got := read(question).has(value, kind); got != want {
			t.Errorf("%q in %q: %q, want %q", value, question, got, want)
		}
	}
	check("Pets of France?", "France", Text, Literally)
	check("pets of FRANCE", "France", Text, OtherCase)
	check("Female pets", "F", Text, "")
	check("pets of type F", "F", Text, Literally)
	check("students with pets", "Student", Text, "")
	check("Pets of O\u2019Neil", "O'Neil", Text, OtherCase)
	check("Pets of St Louis", "St. Louis", Text, AsWords)
	check("Pets of Louis", "St. Louis", Text, "")
	check("more than 1,000 pets", "1000", Number, AsNumber)
	check("more than 1000 pets", "100", Number, "")
	check("more than 2.5 kg", "2.50", Number, AsNumber)
	check("at least two pets", "2", Number, AsNumber)
	check("over 30% of pets", "0.3", Number, AsNumber)
	check("over 3 million pets", "3000000", Number, AsNumber)
	check("below -3 degrees", "-3", Number, AsNumber)
	check("born in 1999", "1999", Text, Literally)
	check("more than 1,000 pets", "1000", Text, AsNumber)
	check("born on March 4th, 2012", "2012-03-04", Text, AsDate)
	check("born on 4 March 2012", "2012-03-04", Text, AsDate)
	check("born on 2012/3/4", "2012-03-04", Text, AsDate)
	check("born on 3/4/2012", "2012-03-04 00:00:00", Text, AsDate)
	check("born in March 2012", "2012-03", Text, AsDate)
	check("born in March 2012", "2012-03-04", Text, "")
	check("names with the letter a", "%a%", Pattern, AsPattern)
	check("names that contain Ham", "%ham%", Pattern, AsPattern)
	check("names that contain Ham", "%zen%", Pattern, "")
	check("born in January 1996", "1996-01%", Pattern, AsPattern)
	check("any name", "%", Pattern, "")
	check("any name", "", Text, "")
}

func TestPublished(t *testing.T) {
	check := func(gold, want string) {
		t.Helper()
		if got := fmt.Sprint(Published(gold, "Pets of Bonn?")); got != want {
			t.Errorf("%s: %s, want %s", gold, got, want)
		}
	}
	check("SELECT 'x' = 'x' FROM pet", "[]")
	check(`SELECT 1 FROM pet WHERE city = "Bonn"`, "[]")
	check("SELECT 1 FROM pet where city='Bonn' OR city = 'bonn'", "[{Bonn true} {bonn false}]")
	check("SELECT 1 FROM pet WHERE city != 'Bonn' AND city >= 'Bonn' AND city LIKE 'Bonn' AND city IN ('Bonn')", "[]")
}

func TestPrintedOf(t *testing.T) {
	p, err := PrintedOf("spider/dev")
	if err != nil || p.Table1.CVR != 10.25 || p.Table6.Tokens != 307 || p.Table9.Mean != 1.5 {
		t.Errorf("%+v, %v", p, err)
	}
	p, err = PrintedOf("bird/mini_dev")
	if err != nil || p.Table1.Items != 500 || p.Table1.DBs != 0 || p.Table6 != nil {
		t.Errorf("%+v, %v", p, err)
	}
	if p, err = PrintedOf("sample/dev"); err != nil || p != (Printed{}) {
		t.Errorf("%+v, %v", p, err)
	}
	for _, name := range []string{"spider/dk", "spider/realistic", "spider/syn", "bird/dev", "bird-finc/original", "bird-finc/sql", "bird-finc/data"} {
		if p, err := PrintedOf(name); err != nil || p.Table1 == nil || (p.Table6 == nil) != (name != "bird/dev") {
			t.Errorf("%s: %+v, %v", name, p, err)
		}
	}
}

// TestTake counts the embedded sample, whose files are here for all to see.
func TestTake(t *testing.T) {
	set, err := dataset.Load(context.Background(), configs.Dataset{Kind: "sample", Split: "dev"}, dataset.Options{Cache: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	c, err := Take(context.Background(), set, Options{Schema: configs.Schema{Format: "apidocs"}})
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Items) != len(set.Examples) || len(c.Databases) == 0 || c.Text != "format apidocs, tokens of gpt-4o" {
		t.Errorf("%d items, %d databases, %s", len(c.Items), len(c.Databases), c.Text)
	}
	r, spread := c.Rates(), c.Tables()
	if r.GoldQueries != len(c.Items) || r.Found > r.Evidence || r.Evidence > r.Values || spread.GoldQueries[0]+spread.GoldQueries[1]+spread.GoldQueries[2]+spread.GoldQueries[3] != r.GoldQueries {
		t.Errorf("%+v, %+v", r, spread)
	}
	for _, b := range c.Databases {
		if b.Tokens < int64(b.Columns) || b.Rows <= 0 {
			t.Errorf("%+v", b)
		}
	}
	parts := c.Split(set, axes.Database)
	var items, bases int
	for _, p := range parts {
		items += len(p.Items)
		bases += len(p.Databases)
	}
	if items != len(c.Items) || bases != len(c.Databases) {
		t.Errorf("parts have %d items and %d databases", items, bases)
	}
	again, err := Take(context.Background(), set, Options{Schema: configs.Schema{Format: "apidocs"}})
	if d := cmp.Diff(c, again); err != nil || d != "" {
		t.Errorf("%v\n%s", err, d)
	}
}

func FuzzHas(f *testing.F) {
	f.Add("born on March 4th, 2012, 30% of \u201cO\u2019Neil\u201d", "2012-03-04")
	f.Add("1,000,000.5 million", "%a_b%")
	f.Add("\xff 3/4/20", "\xff")
	f.Fuzz(func(t *testing.T, text, value string) {
		q := read(text)
		for _, k := range []Kind{Text, Number, Pattern} {
			q.has(value, k)
		}
		Published(text, value)
		if s, err := tree.Parse(text); err == nil && s.Query != nil {
			Values(s, nil)
		}
	})
}

func BenchmarkItem(b *testing.B) {
	x := dataset.Example{Gold: "SELECT p.name FROM pet p JOIN owner o ON p.id = o.id WHERE o.city = 'Bonn' AND weight > 3", Schema: names}
	x.Question.Text = "Which pets of Bonn weigh more than three kilograms?"
	for b.Loop() {
		itemOf(x)
	}
}
