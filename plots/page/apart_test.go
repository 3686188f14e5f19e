package page

import (
	"fmt"
	"testing"

	"assay/experiments/record"
)

func TestTokensApart(t *testing.T) {
	check := func(want string, calls ...record.Call) {
		t.Helper()
		if got := fmt.Sprint(apart(calls)); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	check("[]")
	check("[]", record.Call{CachedTokens: record.CountOf(0)}, record.Call{})
	check("[[3 0] [0 0]]", record.Call{CachedTokens: record.CountOf(3)}, record.Call{})
	check("[[0 0] [0 9]]", record.Call{}, record.Call{ReasoningTokens: record.CountOf(9)})
}
