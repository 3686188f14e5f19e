package predictions

import (
	"fmt"
	"strings"
	"testing"
)

func TestSessions(t *testing.T) {
	check := func(text, want string) {
		t.Helper()
		s, err := parseSessions("file", text, false)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			return
		}
		var all []string
		for i, one := range s.All {
			line := ""
			for _, turn := range one {
				line += fmt.Sprintf("%s@%d ", turn.SQL, turn.Line)
			}
			all = append(all, fmt.Sprintf("%s.%d", line, s.End(i)))
		}
		if got := strings.Join(all, " | "); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
	check("", "")
	check("a\nb", "a@1 b@2 .3")
	check("a\nb\n", "a@1 b@2 .3")
	check("a\n\nb\n", "a@1 .2 | b@3 .4")
	check("a\r\n \r\nb\r\n", "a@1 .2 | b@3 .4")
	check("a\rb", "a@1 b@2 .3")
	check("a\n\n", "a@1 .2") // one blank line at the end ends the last interaction
	check("a\n\n\n", "a@1 .2 | .3")
	check("\na\n", ".1 | a@2 .3")
	check("a \tdb\n", "a @1 .2")
	fail := func(text, want string) {
		t.Helper()
		if _, err := parseSessions("file", text, true); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	fail("SELECT 1\ta\nSELECT 2\n", "line 2 has 0 tabs: want one")
	fail("SELECT\t1\ta\n", "line 1 has 2 tabs")
	fail(`{"0": "SELECT 1"}`, "this is JSON")
}

func TestPairs(t *testing.T) {
	pairs := func(gold, pred string) ([]Pair, []string, error) {
		g, err := parseSessions("gold", strings.ReplaceAll(gold, "\n", "\td\n"), true)
		if err != nil {
			g, err = parseSessions("gold", gold, false)
		}
		if err != nil {
			t.Fatal(err)
		}
		p, err := parseSessions("pred", pred, false)
		if err != nil {
			t.Fatal(err)
		}
		return Pairs(g, p)
	}
	check := func(gold, pred, want, note string) {
		t.Helper()
		all, notes, err := pairs(gold, pred)
		got := ""
		for _, x := range all {
			got += fmt.Sprintf("%s=%s@%d.%d ", x.Gold.SQL, x.Predicted.SQL, x.Session, x.Turn)
		}
		if err != nil || got != want || !strings.Contains(strings.Join(notes, "; "), note) || note == "" && len(notes) > 0 {
			t.Errorf("%q %q: %s %q %v", gold, pred, got, notes, err)
		}
	}
	check("a\nb\n\nc\n", "x\ny\n\nz\n", "a=x@0.1 b=y@0.2 c=z@1.1 ", "")
	check("a\nb\n\nc\n", "x\n\nz\nw\n", "a=x@0.1 c=z@1.1 ", `they part at interaction 1, which has 2 and 1`)
	check("a\n\nb\n", "x\n\n\n", "a=x@0.1 ", "1 interactions have nothing to compare, and are right in joint_all")
	if _, _, err := pairs("a\nb\nc\n", "x\n\nz\n"); err == nil || !strings.Contains(err.Error(), `interaction 1, which line 2 of "pred" ends`) {
		t.Error(err)
	}
	if _, _, err := pairs("a\n\nb\n\nc\n", "x\n\ny\n"); err == nil || !strings.Contains(err.Error(), `interaction 3, which line 6 of "gold" ends`) {
		t.Error(err)
	}
}

func TestPlaces(t *testing.T) {
	check := func(text, want string) {
		t.Helper()
		f, err := Parse("file", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(f.Places()); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
	check("a\nb\n", "[]") // one interaction is none
	check("a\nb\n\nc\n", "[{0 1} {0 2} {1 1}]")
	check("\n\na\n\n\nb\n\n", "[{0 1} {1 1}]")
	check(`{"sql": "a"}`, "[]")
}

func TestDifficulties(t *testing.T) {
	check := func(text, want string) {
		t.Helper()
		got, err := difficulties([]byte(text))
		if s := fmt.Sprint(got, err); !strings.Contains(s, want) {
			t.Errorf("%q: %s, want %s", text, s, want)
		}
	}
	check("{\"difficulty\": \"simple\"}\n{\"difficulty\": \"moderate\", \"x\": 1}\n", "[simple moderate] <nil>")
	check(`[{"difficulty": "simple"}]`, "[simple] <nil>")
	check("", "[] <nil>")
	check("{}", `record 1 has no "difficulty"`)
	check("{\"difficulty\": \"a\"}\nx", "record 2: ")
	check("{\"difficulty\": 1}", "record 1: ")
}

func FuzzSessions(f *testing.F) {
	for _, seed := range []string{"", "\n\n", "a\tb\n\nc\td\n\n", "{\"", "\ufeffa\td\r\r\n", "a\t\tb"} {
		f.Add(seed, seed+"\n\nx\ty\n")
	}
	f.Fuzz(func(t *testing.T, gold, pred string) {
		g, err := parseSessions("gold", gold, true)
		if err != nil {
			return
		}
		p, err := parseSessions("pred", pred, false)
		if err != nil {
			return
		}
		pairs, _, err := Pairs(g, p)
		if err == nil && len(pairs) > min(g.Turns(), p.Turns()) {
			t.Errorf("%d pairs of %d and %d turns", len(pairs), g.Turns(), p.Turns())
		}
		a, b := Files(pairs, g, p)
		if len(a.Entries) != len(pairs) || len(b.Entries) != len(pairs) {
			t.Errorf("%d and %d entries of %d pairs", len(a.Entries), len(b.Entries), len(pairs))
		}
	})
}

func FuzzDifficulties(f *testing.F) {
	for _, seed := range []string{"", "[]", "{\"difficulty\": \"a\"}", "[{}]", "{", "[1]"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if levels, err := difficulties([]byte(text)); err != nil && levels != nil {
			t.Errorf("%v with %v", levels, err)
		}
	})
}
