package makeup

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"assay/configs"
	"assay/experiments/cost"

	"github.com/google/go-cmp/cmp"
)

// letters is a prompt of so many characters a part; the counter takes four of them for a token.
func letters(sizes map[string]int) Prompt {
	return func(i int, without []string) ([]cost.Message, error) {
		n := 0
		for part, size := range sizes {
			if !slices.Contains(without, part) {
				n += size
			}
		}
		return []cost.Message{{Text: strings.Repeat("x", n*(i+1))}}, nil
	}
}

func counter(t *testing.T) *cost.Counter {
	t.Helper()
	c, err := cost.NewCounter(configs.Model{Provider: "baseline", Local: true})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestCount(t *testing.T) {
	check := func(items int, sizes map[string]int, want ...Part) {
		t.Helper()
		got, err := Count(items, letters(sizes), counter(t))
		if err != nil {
			t.Fatal(err)
		}
		for i := range want {
			want[i].Items, want[i].How = items, got[0].How
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
	}
	check(1, map[string]int{Instruction: 40, Schema: 20, Question: 8},
		Part{Name: Instruction, Tokens: 10, Low: 10, High: 10}, Part{Name: Schema, Tokens: 5, Low: 5, High: 5}, Part{Name: Question, Tokens: 2, Low: 2, High: 2})
	check(2, map[string]int{Instruction: 4, Tools: 12, Demonstrations: 8},
		Part{Name: Instruction, Tokens: 1.5, Low: 1, High: 2}, Part{Name: Tools, Tokens: 4.5, Low: 3, High: 6}, Part{Name: Demonstrations, Tokens: 3, Low: 2, High: 4})
	broken := func(int, []string) ([]cost.Message, error) { return nil, errors.New("no schema") }
	if _, err := Count(1, broken, counter(t)); err == nil || err.Error() != "makeup: count: no schema" {
		t.Error(err)
	}
}

func TestReadWrite(t *testing.T) {
	dir := t.TempDir()
	if got, err := Read(dir); got != nil || err != nil {
		t.Errorf("of an empty folder: %v, %v", got, err)
	}
	parts := []Part{{Arm: "a", Point: `[["8"]]`, Name: Schema, Tokens: 12.25, Low: 3, High: 40, Items: 4, How: "by hand"}}
	if err := Write(dir, parts); err != nil {
		t.Fatal(err)
	}
	got, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(parts, got); d != "" {
		t.Error(d)
	}
	if err := Write(dir+"/none", parts); err == nil || !strings.HasPrefix(err.Error(), "makeup: write into ") {
		t.Error(err)
	}
}
