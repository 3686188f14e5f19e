//go:build linux

package llmtest_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"

	"assay/prompting/llm"
	"assay/prompting/llm/llmtest"
	"assay/prompting/llm/retry"
)

// What a process may take at most that asks a server which floods it, in KiB.
const mostMemory = 512 << 10

// floods returns answers that are large, or become so when they are decoded.
func floods() []llmtest.Fault {
	many := "[{}" + strings.Repeat(",{}", 5<<20) + "]"
	said := func(message string) string { return `{"choices": [{"message": {` + message + `}}]}` }
	return []llmtest.Fault{
		{Name: "an endless body", Body: `{"choices": [`, Flood: "{},"},
		{Name: "an endless line", Flood: "x"},
		{Name: "an endless body in gzip", Flood: " ", Gzip: true},
		{Name: "an endless event stream", Type: "text/event-stream", Flood: "data: {}\n\n"},
		{Name: "an endless error", Status: 400, Flood: "sorry "},
		{Name: "a megabyte of header", Large: 1 << 20},
		{Name: "as many choices as fit", Body: `{"choices": ` + many + `}`},
		{Name: "as many tool calls as fit", Body: said(`"tool_calls": ` + many)},
		{Name: "as many parts as fit", Body: said(`"content": ` + many)},
		{Name: "as many tokens as fit", Body: `{"choices": [{"logprobs": {"content": ` + many + `}}]}`},
		{Name: "as long a text as fits", Body: said(`"content": "` + strings.Repeat("x", 15<<20) + `"`)},
		{Name: "as long a reasoning as fits", Body: said(`"reasoning": "` + strings.Repeat(`\u0041`, 2<<20) + `"`)},
		{Name: "as deep as fits", Body: strings.Repeat("[", 15<<20)},
		{Name: "an error as long as fits", Body: `{"error": "` + strings.Repeat("x y ", 3<<20) + `"}`},
		{Name: "a megabyte of answer", Body: said(`"content": "` + strings.Repeat("x", 1<<20-10) + `"`)},
	}
}

const (
	measure = "ASSAY_TEST_FLOODS"      // set: measure
	askEnv  = "ASSAY_TEST_FLOOD"       // the address to ask
	atOnce  = "ASSAY_TEST_FLOOD_CALLS" // how many calls at once
)

// TestAskTheFlood is the process of TestFloods that asks: as many requests as calls in flight, whose answers it keeps.
func TestAskTheFlood(t *testing.T) {
	url := os.Getenv(askEnv)
	if url == "" {
		t.Skip("TestFloods runs this")
	}
	calls, _ := strconv.Atoi(os.Getenv(atOnce))
	m := retry.Wrap(open(t, llmtest.OpenAI, url), retry.Options{Concurrency: calls, GiveUp: -1, Attempts: 1})
	answers := make([]llm.Response, calls)
	var all sync.WaitGroup
	for i := range answers {
		all.Go(func() {
			r := llmtest.Ask("x")
			r.Sample = i
			r.Params.Logprobs = true
			answers[i], _ = m.Generate(context.Background(), r)
		})
	}
	all.Wait()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, peak, _ := strings.Cut(string(status), "VmHWM:")
	fmt.Println("peak", strings.Fields(peak)[0], len(answers))
}

// TestFloods measures the memory of a process that is flooded: the peak of its resident set.
// .ci/faults runs it.
func TestFloods(t *testing.T) {
	if os.Getenv(measure) == "" {
		t.Skip("a gigabyte of answers for each row: set " + measure + " to measure")
	}
	for _, f := range floods() {
		for _, calls := range []int{4, 64} {
			s := llmtest.Start(t, llmtest.OpenAI)
			s.Always(f)
			cmd := exec.Command(os.Args[0], "-test.run", "^TestAskTheFlood$")
			cmd.Env = append(os.Environ(), askEnv+"="+s.URL, fmt.Sprintf("%s=%d", atOnce, calls))
			out, err := cmd.Output()
			var peak int
			if _, scanned := fmt.Sscanf(string(out), "peak %d", &peak); err != nil || scanned != nil {
				t.Fatalf("%s: %v: %s", f.Name, err, out)
			}
			t.Logf("| %s | %d calls in flight | %d MB |", f.Name, calls, peak>>10)
			if peak > mostMemory {
				t.Errorf("%s, %d calls in flight: %d MB", f.Name, calls, peak>>10)
			}
		}
	}
}
