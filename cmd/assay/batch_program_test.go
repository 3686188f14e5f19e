package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"assay/prompting/llm/llmtest"
)

// TestAProgramInBatches: a program that asks twice ends its items in three starts, though it dies of each completion that is
// not there yet, and what it is told of that is no failure. Each request is asked once.
func TestAProgramInBatches(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("no python3 here: programs are not tried in batches")
	}
	program, err := os.ReadFile("../../configs/commands/link.py")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(allowing, "1")
	check := func(what, text string) {
		t.Helper()
		b := &llmtest.Batches{Kind: llmtest.OpenAI}
		r := newBatchRun(t, t.TempDir(), b, "")
		experiment, err := os.ReadFile(filepath.Join(r.dir, "x.toml"))
		if err != nil {
			t.Fatal(err)
		}
		arms := strings.Index(string(experiment), "[[arm]]")
		for name, text := range map[string]string{"two.py": text, "x.toml": string(experiment)[:arms] + "[[arm]]\nname = \"two\"\ncommand = [\"python3\", \"two.py\"]\n"} {
			if err := os.WriteFile(filepath.Join(r.dir, name), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		dir, starts, _ := r.finish()
		items, err := os.ReadFile(filepath.Join(dir, "items.csv"))
		if err != nil {
			t.Fatal(err)
		}
		if requests, twice := b.Done(); starts != 3 || requests != 8 || twice != 0 {
			t.Errorf("%s: %d starts, %d requests, %d asked twice; want 3, 8, 0", what, starts, requests, twice)
		}
		if strings.Contains(string(items), "model-error") || strings.Count(string(items), "\n") != 5 {
			t.Errorf("%s: %s", what, items)
		}
	}
	check("it says that it has no answer", string(program))
	check("it dies", strings.Replace(string(program), "except urllib.error.HTTPError as e:", "except ZeroDivisionError as e:", 1))
}
