package configs_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/configs"
)

// TestTextsWithKeys: a text that goes to a model and stays in a run's folder holds no key, and the error does not repeat it.
func TestTextsWithKeys(t *testing.T) {
	t.Setenv("HOSTED_API_KEY", "a-key-of-the-test")
	dir, files := t.TempDir(), 0
	check := func(text, want string) {
		t.Helper()
		files++
		path := filepath.Join(dir, fmt.Sprint(files)) // BlockText reads each path once
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := configs.BlockText(path)
		switch {
		case want == "" && (err != nil || got != text):
			t.Errorf("%q: %q, %v", text, got, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "of-the-test") || strings.Contains(err.Error(), "abcdefgh")):
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	check("{QUESTION}\nkey=a-key-of-the-test\n", "holds the value of HOSTED_API_KEY")
	check("one\ntwo sk-proj-abcdefghijklmnop0123\n", "line 2: has what looks like a key")
	check("OPENAI_API_KEY=sk-abcdefghijklmnop0123", "line 1")
	check("hf_abcdefghijklmnop0123", "line 1")
	for _, text := range []string{"a task-oriented-question-about-databases", "mask_abcdefghijklmnopqrstuv", "risk-free-and-long-enough-words", "sk-short", "HF_HOME", "SELECT hf_x FROM t"} {
		check(text, "")
	}
}
