package prompting

import (
	"context"
	"testing"
)

// TestStagesNest: a stage within another is named after it; one beside it is not.
func TestStagesNest(t *testing.T) {
	check := func(ctx context.Context, want string) {
		t.Helper()
		if got := Stage(ctx); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	ctx := context.Background()
	pool := At(ctx, "dc-cot")
	check(ctx, "")
	check(At(ctx, "solve 2"), "solve 2")
	check(At(pool, "generate"), "dc-cot: generate")
	check(At(At(pool, "os"), "tables"), "dc-cot: os: tables")
	check(pool, "dc-cot")
}
