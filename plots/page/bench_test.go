package page

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/experiments/record"
	"assay/metrics"
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

// rows is the page of so many items under so many arms, with one candidate each and no texts.
func rows(items, arms int) Page {
	f := fabric{rng: rand.New(rand.NewPCG(1, 2)), run: &record.Run{}}
	for range 3000 {
		f.words = append(f.words, f.word())
	}
	r := f.run
	r.Manifest = record.Manifest{ID: "0123456789", Experiment: "rows", Complete: true, Items: items, Metrics: []record.Metric{{ID: "ex", Fingerprint: "ex"}}}
	for i := range items {
		id, gold := fmt.Sprintf("bird/dev/%d", i), f.sql()
		db := fmt.Sprintf("database_%d", i*80/items)
		r.Questions = append(r.Questions, record.Question{Item: id, DB: db, Question: f.text(16), Gold: gold, GoldDigest: "gold",
			Hardness: []string{"easy", "medium", "hard", "extra"}[f.rng.IntN(4)], Features: fmt.Sprintf("joins=%d limit=1", f.rng.IntN(3))})
		sql := []string{gold, f.sql(), f.sql()}
		for a := range arms {
			arm, status, of := fmt.Sprintf("arm-%d", a), metrics.Wrong, f.rng.IntN(3)
			if of == 0 {
				status = metrics.Correct
			}
			r.Items = append(r.Items, record.Item{Item: id, DB: db, Arm: arm, Status: status, SQL: sql[of], Values: []record.Value{{V: 1, OK: true}}})
			r.Candidates = append(r.Candidates, record.Candidate{Item: id, Arm: arm, Status: status, SQL: sql[of], Digest: digest(of), Chosen: 1})
		}
	}
	return Page{Title: "rows", Run: r}
}

func BenchmarkWrite(b *testing.B) { benchmarkWrite(b, big(b), "big") }

// BenchmarkWriteWide has 1,000 items under 100 arms, BenchmarkWriteLong 100,000 under one.
func BenchmarkWriteWide(b *testing.B) { benchmarkWrite(b, rows(1000, 100), "wide") }
func BenchmarkWriteLong(b *testing.B) { benchmarkWrite(b, rows(100_000, 1), "long") }

func benchmarkWrite(b *testing.B, p Page, name string) {
	var size bytes.Buffer
	for b.Loop() {
		size.Reset()
		if err := Write(&size, p); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(size.Len())/1e6, "MB")
	if dir := os.Getenv("ASSAY_FIGURES"); dir != "" { // a folder in which to look at the page
		if err := os.WriteFile(filepath.Join(dir, name+".html"), size.Bytes(), 0o644); err != nil {
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
