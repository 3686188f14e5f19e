package english

import "testing"

func TestWords(t *testing.T) {
	check := func(name, want string) {
		t.Helper()
		if got := Words(name); got != want {
			t.Errorf("%q: %q, and not %q", name, got, want)
		}
	}
	check("Singer_ID", "singer id")
	check("StuID", "student id")
	check("LName", "last name")
	check("stu_fname", "student first name")
	check("birthPlace", "birth place")
	check("HTTPServer2Name", "http server2 name")
	check("num of staff", "number of staff")
	check("Free Meal Count (K-12)", "free meal count k 12")
	check("", "")
	check("___", "")
	check("名前", "名前")
}

func TestNumber(t *testing.T) {
	check := func(one, many string) {
		t.Helper()
		if got := Plural(one); got != many {
			t.Errorf("plural of %q: %q, and not %q", one, got, many)
		}
		if got := Plural(many); got != many {
			t.Errorf("plural of %q: %q", many, got)
		}
		if got := Singular(many); got != one {
			t.Errorf("singular of %q: %q, and not %q", many, got, one)
		}
		if got := Singular(one); got != one {
			t.Errorf("singular of %q: %q", one, got)
		}
	}
	check("singer", "singers")
	check("city", "cities")
	check("toy", "toys")
	check("person", "people")
	check("match", "matches")
	check("box", "boxes")
	check("class", "classes")
	check("address", "addresses")
	check("course", "courses")
	check("status", "statuses")
	check("movie", "movies")
	check("aircraft", "aircraft")
	check("singer in concert", "singers in concert")
	check("date of birth", "dates of birth")
	check("destroyed by employee", "destroyed by employees")
	check("enrolled in record", "enrolled in records")
	check("", "")
	for phrase, want := range map[string]bool{"body builder": true, "gymnast": true, "order": false, "payment": false, "": false} {
		if Personal(phrase) != want {
			t.Errorf("%q", phrase)
		}
	}
}

func TestA(t *testing.T) {
	check := func(phrase, want string) {
		t.Helper()
		if got := A(phrase); got != want {
			t.Errorf("%q: %q, and not %q", phrase, got, want)
		}
	}
	check("age", "an age")
	check("pet", "a pet")
	check("university", "a university")
	check("user", "a user")
	check("hour", "an hour")
	check("details", "details")
	check("", "")
}

func TestList(t *testing.T) {
	for want, words := range map[string][]string{"": nil, "a": {"a"}, "a or b": {"a", "b"}, "a, b or c": {"a", "b", "c"}} {
		if got := List(words, "or"); got != want {
			t.Errorf("%v: %q", words, got)
		}
	}
}

func FuzzEnglish(f *testing.F) {
	f.Add("Member_of_Club")
	f.Fuzz(func(t *testing.T, s string) {
		words := Words(s)
		Plural(words)
		A(Singular(words))
		A(s)
	})
}
