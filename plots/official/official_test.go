package official

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"assay/metrics/exact"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files")

// golden compares a text with a file of testdata.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), string(got)); d != "" {
		t.Errorf("%s: %s", name, d)
	}
}

// turn is a turn with its exact match.
func turn(t *testing.T, session, place int, hardness string, right bool, predicted, gold string) Turn {
	t.Helper()
	m, err := exact.New(exact.Options{}).Match(predicted, gold, nil)
	if err != nil {
		t.Fatal(err)
	}
	return Turn{Session: session, Place: place, Hardness: hardness, Right: right, Match: m, Predicted: predicted, Gold: gold}
}

// TestSpider: the numbers can be counted by hand. Eleven interactions, of which the third is empty, and so right, and the first
// has six turns.
func TestSpider(t *testing.T) {
	const gold = "SELECT name FROM pier WHERE depth > 3"
	var turns []Turn
	for k := range 6 {
		turns = append(turns, turn(t, 0, k+1, "easy", k != 4, gold, gold))
	}
	turns = append(turns, turn(t, 1, 1, "hard", true, "SELECT name FROM pier", gold))
	for i := range 8 {
		turns = append(turns, turn(t, i+3, 1, "medium", i%2 == 0, gold, gold))
	}
	for _, e := range Etypes {
		var b bytes.Buffer
		if err := (Spider{Etype: e, Sessions: 11, Turns: turns}).Write(&b); err != nil {
			t.Fatal(err)
		}
		golden(t, "interactions-"+string(e)+".txt", b.Bytes())
	}
	var b bytes.Buffer
	if err := (Spider{Etype: All, Sessions: 1, Turns: turns[:6]}).Write(&b); err != nil {
		t.Fatal(err)
	}
	golden(t, "single.txt", b.Bytes())
	b.Reset()
	if err := (Spider{Etype: All}).Write(&b); err != nil {
		t.Fatal(err)
	}
	golden(t, "none.txt", b.Bytes())
}

func TestBIRD(t *testing.T) {
	items := []Item{{"simple", 1}, {"simple", 0}, {"moderate", 0.5}, {"other", 1}}
	for _, s := range Scores {
		var b bytes.Buffer
		x := BIRD{Score: s, Items: items}
		if err := x.Write(&b); err != nil {
			t.Fatal(err)
		}
		b.WriteString("--- log\n")
		if err := x.WriteLog(&b); err != nil {
			t.Fatal(err)
		}
		golden(t, "bird-"+s.ID+".txt", b.Bytes())
	}
}
