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

// floods returns answers of a kind of server that are large, or become so when they are decoded.
func floods(k llmtest.Kind) []llmtest.Fault {
	if k == llmtest.Anthropic {
		return blockFloods()
	}
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

// blockFloods are the answers of content blocks.
func blockFloods() []llmtest.Fault {
	many := strings.Repeat(",{}", 5<<20)
	block := func(kind, fields string) string { return `{"content": [{"type": "` + kind + `", ` + fields + `}]}` }
	return []llmtest.Fault{
		{Name: "as many blocks as fit", Body: `{"content": [{}` + many + `]}`},
		{Name: "as many fields of a block as fit", Body: block("text", strings.Repeat(`"a":1,`, 5<<19)+`"text": "x"`)},
		{Name: "as many fields of an input as fit", Body: block("tool_use", `"input": {`+strings.Repeat(`"a":1,`, 5<<19)+`"b": 2}`)},
		{Name: "as long a thought as fits", Body: block("thinking", `"signature": "s", "thinking": "`+strings.Repeat(`\u0041`, 2<<20)+`"`)},
		{Name: "as long a block of a later version as fits", Body: block("hologram", `"data": [{}`+many+`]`)},
	}
}

const (
	kindEnv = "ASSAY_TEST_FLOOD_KIND"  // the kind of the server at the address
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
	m := retry.Wrap(open(t, llmtest.Kind(os.Getenv(kindEnv)), url), retry.Options{Concurrency: calls, GiveUp: -1, Attempts: 1})
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
	for _, k := range []llmtest.Kind{llmtest.OpenAI, llmtest.Anthropic} {
		for _, f := range floods(k) {
			for _, calls := range []int{4, 64} {
				flood(t, k, f, calls)
			}
		}
	}
}

// flood measures one answer to as many calls at once.
func flood(t *testing.T, k llmtest.Kind, f llmtest.Fault, calls int) {
	s := llmtest.Start(t, k)
	s.Always(f)
	cmd := exec.Command(os.Args[0], "-test.run", "^TestAskTheFlood$")
	cmd.Env = append(os.Environ(), askEnv+"="+s.URL, fmt.Sprintf("%s=%d", atOnce, calls), kindEnv+"="+string(k))
	out, err := cmd.Output()
	var peak int
	if _, scanned := fmt.Sscanf(string(out), "peak %d", &peak); err != nil || scanned != nil {
		t.Fatalf("%s: %v: %s", f.Name, err, out)
	}
	t.Logf("| %s | %s | %d calls in flight | %d MB |", f.Name, k, calls, peak>>10)
	if peak > mostMemory {
		t.Errorf("%s, %d calls in flight: %d MB", f.Name, calls, peak>>10)
	}
}
