package page

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// big is the page of 1534 items with 21 candidates each.
func big(b *testing.B) Page {
	run, texts := bigRun(1534, 21)
	prompts, completions := 0, 0
	for _, c := range run.Calls {
		x, _, _ := texts(c.Key, true)
		completions += len(x.Completion)
		for _, m := range x.Messages {
			prompts += len(m.Text)
		}
	}
	b.Logf("%d items, %d candidates, %d votes, %d calls; prompts %.0f MB, completions %.0f MB", len(run.Items), len(run.Candidates), len(run.Votes),
		len(run.Calls), float64(prompts)/1e6, float64(completions)/1e6)
	return Page{Title: "big", Run: run, Texts: texts}
}

func BenchmarkWrite(b *testing.B) {
	p := big(b)
	var size bytes.Buffer
	for b.Loop() {
		size.Reset()
		if err := Write(&size, p); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(size.Len())/1e6, "MB")
	if dir := os.Getenv("ASSAY_FIGURES"); dir != "" { // a folder in which to look at the page
		if err := os.WriteFile(filepath.Join(dir, "big.html"), size.Bytes(), 0o644); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkWriteRows is without prompts and completions.
func BenchmarkWriteRows(b *testing.B) {
	p := big(b)
	p.Texts = nil
	for b.Loop() {
		if err := Write(io.Discard, p); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkChunks cuts a prompt, which is most of the work on texts.
func BenchmarkChunks(b *testing.B) {
	run, texts := bigRun(11, 21)
	x, _, _ := texts(run.Calls[1].Key, true)
	text := x.Messages[1].Text
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		var c chunked
		c.add(strings.Clone(text))
	}
}
