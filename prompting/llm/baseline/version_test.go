package baseline_test

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"assay/prompting/goldentest"
	"assay/prompting/llm"
	"assay/prompting/llm/baseline"
)

// TestVersion holds that the version names the answers: testdata/answers.txt has it with a digest of what the rules answer
// to the requests of testdata/requests.jsonl, which methods of every kind made, greedily and at temperature 1.
func TestVersion(t *testing.T) {
	const path = "testdata/answers.txt"
	version, digest := baseline.New().Version(), answers(t)
	kept, err := os.ReadFile(path)
	if err != nil && !goldentest.Update() {
		t.Fatal(err)
	}
	if string(kept) == version+" "+digest+"\n" {
		return
	}
	if strings.HasPrefix(string(kept), version+" ") {
		t.Fatalf("the answers are not those that %s gave: name the rules anew in baseline.go, then run this test with -update", version)
	}
	if !goldentest.Update() {
		t.Fatalf("the rules are called %s now, and %s has those of %.20q: run this test with -update", version, path, kept)
	}
	if err := os.WriteFile(path, []byte(version+" "+digest+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
}

// answers returns the digest of the answers to every request, as it is and as eight samples at temperature 1.
func answers(t *testing.T) string {
	t.Helper()
	file, err := os.Open("testdata/requests.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	h := sha256.New()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var r llm.Request
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		for sample := -1; sample < 8; sample++ {
			if sample >= 0 {
				r.Params.Temperature, r.Sample = 1, sample
			}
			answer, err := baseline.New().Generate(context.Background(), r)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(h, "%q %q %v\n", answer.Text, answer.Finish, answer.ToolCalls)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}
