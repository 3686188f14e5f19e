package sqlite

import (
	"strings"
	"testing"
)

func TestBuild(t *testing.T) {
	if err := Check(); err != nil {
		t.Error(err)
	}
	if !strings.HasPrefix(Version(), "3.") {
		t.Errorf("version %q", Version())
	}
}
