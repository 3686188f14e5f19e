package record

import (
	"os"
	"path/filepath"
	"testing"

	"assay/metrics/exact"
)

func TestComponentDigits(t *testing.T) {
	var m exact.Counted
	m.Parsed, m.Predicted[exact.SelectPart], m.Gold[exact.KeywordPart], m.Right[exact.SelectPart] = true, true, true, true
	var c Component
	c.SetCounted(m)
	if c.Parsed != 1 || c.Predicted != "1000000000" || c.Gold != "0000000001" || c.Right != "1000000000" {
		t.Errorf("%+v", c)
	}
	if got := c.Counted(); got != m {
		t.Errorf("%+v, want %+v", got, m)
	}
	if got := (Component{Predicted: "1x"}).Counted(); !got.Predicted[0] || got.Predicted[1] || got.Predicted[9] {
		t.Errorf("digits that are not there: %+v", got)
	}
}

// A run without steps has no file of them, and an earlier start's goes.
func TestNoStepsNoFile(t *testing.T) {
	dir := t.TempDir()
	r := example(t)
	path := filepath.Join(dir, StepsFile)
	if err := Write(dir, r); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Fatal(err)
	}
	r.Steps = nil
	if err := Write(dir, r); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("%s: %v, want none", StepsFile, err)
	}
}
