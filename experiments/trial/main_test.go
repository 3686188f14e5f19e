package trial

import (
	"os"
	"testing"
)

// TestMain keeps the sample databases, which a trial builds, out of the user's cache.
func TestMain(m *testing.M) {
	cache, err := os.MkdirTemp("", "trial")
	if err != nil {
		panic(err)
	}
	os.Setenv("XDG_CACHE_HOME", cache)
	code := m.Run()
	os.RemoveAll(cache)
	os.Exit(code)
}
