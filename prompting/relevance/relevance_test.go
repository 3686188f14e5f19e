package relevance

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"assay/prompting/sql/hostile"
	"assay/prompting/sql/schema"

	"github.com/google/go-cmp/cmp"
)

// school has columns of short names, two of one name, and one that the dataset describes.
func school() *schema.Database {
	db := new(schema.Database).Add("Student", "StuID", "LName", "Age", "dept_code", "qty_books").Add("Professor", "prof_id", "name", "Age", "sal").Add("Department", "dept_code", "name")
	db.Table("Professor").Columns[3].Description = "yearly wage in euros"
	return db
}

// listed returns the k best columns for a text, as table.column.
func listed(t *testing.T, text string, k int, without ...string) string {
	t.Helper()
	r, err := Without(school(), without...)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, i := range r.Rank(text, k, nil) {
		out = append(out, school().Columns()[i].Dotted())
	}
	return strings.Join(out, " ")
}

func TestRank(t *testing.T) {
	check := func(text, want string, without ...string) {
		t.Helper()
		if got := listed(t, text, 1, without...); got != want {
			t.Errorf("the column for %q without %q is %q, want %q", text, without, got, want)
		}
	}
	check("the ages of professors", "Professor.Age")
	check("ages of the students", "Student.Age")
	check("quantity of books", "Student.qty_books")
	check("what does it earn: wages", "Professor.sal")
	check("how old is each student", "Student.Age")
	check("name of the department", "Department.name")
	check("the quantity", "Student.qty_books", spelling, priors)
	if got := listed(t, "the wages", 1, descriptions); got == "Professor.sal" {
		t.Error("a description was read that is left out")
	}
}

// A word counts less once a column has it, so that two columns of one name do not push out what else is asked for.
func TestSpread(t *testing.T) {
	if got := listed(t, "age, code of a dept", 3); !strings.Contains(got, ".Age") || !strings.Contains(got, ".dept_code") {
		t.Errorf("listed %q", got)
	}
}

func TestRankBounds(t *testing.T) {
	r := New(school())
	check := func(name string, got []int, n int) {
		t.Helper()
		if len(got) != n || len(slices.Compact(slices.Sorted(slices.Values(got)))) != n {
			t.Errorf("%s: %d different columns wanted, got %v", name, n, got)
		}
	}
	check("none asked for", r.Rank("age", 0, nil), 0)
	check("fewer than none", r.Rank("age", -3, nil), 0)
	check("more than there are", r.Rank("age", 99, nil), 11)
	check("no word", r.Rank("", 3, nil), 3)
	check("stop words", r.Rank("what is the", 3, nil), 3)
	check("some columns", r.Rank("age", 5, func(i int) bool { return i < 2 }), 2)
	check("no database", New(&schema.Database{}).Rank("age", 5, nil), 0)
	if first, again := r.Rank("age of students", 11, nil), New(school()).Rank("age of students", 11, nil); !slices.Equal(first, again) {
		t.Errorf("%v, then %v", first, again)
	}
}

func TestWithout(t *testing.T) {
	for _, p := range Parts() {
		if _, err := Without(school(), p.Name); err != nil {
			t.Error(err)
		}
	}
	if _, err := Without(school(), "magic"); err == nil || !strings.Contains(err.Error(), "there are stems, short-forms") {
		t.Errorf("error %v", err)
	}
}

func TestAbbreviates(t *testing.T) {
	check := func(short, long string, want bool) {
		t.Helper()
		if got := abbreviates(short, long); got != want {
			t.Errorf("%q for %q: %t", short, long, got)
		}
	}
	check("dept", "department", true)
	check("qty", "quantity", true)
	check("num", "number", true)
	check("prof", "professor", true)
	check("sal", "salary", true)
	check("id", "identifier", false) // two letters begin too much
	check("name", "number", false)
	check("nme", "name", false) // longer than two thirds
	check("number", "number", false)
	check("", "x", false)
}

func TestPhrases(t *testing.T) {
	check := func(text string, want ...string) {
		t.Helper()
		if diff := cmp.Diff(want, Phrases(text)); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
	check("")
	check("What is it?")
	check("How many singers are from each country?", "How many singers", "country")
	check("the name, age and home town of Ann Lee", "name", "age", "home town", "Ann Lee")
	check("names. names", "names")
}

// TestScripts: names in other scripts are found by their words, and by their spelling where a script has no spaces.
func TestScripts(t *testing.T) {
	db := new(schema.Database).Add("客户", "客户编号", "客户姓名", "城市").Add("Клиенты", "Имя", "Город", "Возраст").Add("étudiants", "prénom", "âge")
	check := func(text, want string) {
		t.Helper()
		if got := db.Columns()[New(db).Rank(text, 1, nil)[0]].Column; got != want {
			t.Errorf("%q: column %q, want %q", text, got, want)
		}
	}
	check("北京有多少客户姓名", "客户姓名")
	check("Возраст клиентов", "Возраст")
	check("quel est l'âge moyen", "âge")
}

// TestLongTexts: what stands behind the beginning of a text is not read.
func TestLongTexts(t *testing.T) {
	long := strings.Repeat("lorem ipsum ", longestText)
	db := school()
	db.Tables[0].Columns[0].Description = long + "zebra"
	if got := New(db).Rank("zebra", 1, nil); got[0] == 0 {
		t.Error("the end of a description was read")
	}
	if got, want := New(db).Rank(long+"age", 3, nil), New(db).Rank(long, 3, nil); !slices.Equal(got, want) {
		t.Errorf("the end of a text was read: %v, %v", got, want)
	}
	var words strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&words, "w%d, ", i)
	}
	if n := len(Phrases(words.String())); n != mostPhrases {
		t.Errorf("%d phrases", n)
	}
}

func TestReadCounted(t *testing.T) {
	c := readCounted("# a note of four words\n= name 42\nold age 60\nold birth x\nshort 3\n")
	want := fmt.Sprint(map[string]float64{"name": 0.42}, map[string][]association{"old": {{"age", 0.6}}})
	if got := fmt.Sprint(c.prior, c.standsFor); got != want {
		t.Errorf("read %s, want %s", got, want)
	}
	if c := learned(); len(c.prior) < 200 || len(c.standsFor) < 200 {
		t.Errorf("%d and %d words are learned", len(c.prior), len(c.standsFor))
	}
}

var functions = map[string]func(string){
	"Rank": func(text string) { New(school()).Rank(text, 5, nil) },
	"New": func(text string) {
		New(new(schema.Database).Add(text[:min(len(text), 200)], text[:min(len(text), 1000)]))
	},
	"Phrases": func(text string) { Phrases(text) },
}

func TestHostileTexts(t *testing.T) { hostile.Check(t, functions) }

func FuzzRank(f *testing.F) {
	f.Add("ages of the students", "dept_code")
	f.Add("\xff s'", "ıſ'sß")
	f.Fuzz(func(t *testing.T, text, name string) {
		r := New(new(schema.Database).Add(name, name, text))
		if got := r.Rank(text, 5, nil); len(got) != 2 {
			t.Errorf("%d columns", len(got))
		}
	})
}

func BenchmarkRank(b *testing.B) {
	for _, n := range []int{10, 100, 1000} {
		db := &schema.Database{}
		for i := range n {
			db.Add(fmt.Sprintf("table%d", i), "id", "name", "birthDate", "dept_code", fmt.Sprintf("amount_%d", i))
		}
		b.Run(fmt.Sprint(5*n, " columns"), func(b *testing.B) {
			r := New(db)
			b.ReportAllocs()
			for b.Loop() {
				r.Rank("the name and the birth date of the employees of each department", 5, nil)
			}
		})
		b.Run(fmt.Sprint(5*n, " columns, New"), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				New(db)
			}
		})
	}
}
