package wire

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"assay/prompting/llm"
	"assay/prompting/memory"
)

// counting is a text of one letter, as long as is asked for, and counts how much of all of them is kept.
type counting struct {
	left int64
	kept *atomic.Int64
	most *atomic.Int64
}

func (c *counting) Read(p []byte) (int, error) {
	if c.left == 0 {
		return 0, io.EOF
	}
	n := min(int64(len(p)), c.left)
	c.left -= n
	for now := c.kept.Add(n); ; {
		if most := c.most.Load(); now <= most || c.most.CompareAndSwap(most, now) {
			return int(n), nil
		}
	}
}

// Sixty-four answers of a megabyte share three: all are read, one after another where need be, and never more is kept
// than the free part of each, what they share, and one whole answer.
func TestMemoryIsShared(t *testing.T) {
	const answers, size, total = 64, 1 << 20, 3 << 20
	m := memory.NewPool(total)
	var kept, most atomic.Int64
	var all sync.WaitGroup
	for range answers {
		all.Go(func() {
			var s memory.Share
			body, err := read(context.Background(), m, &s, &counting{size, &kept, &most}, size)
			if err != nil || len(body) != size {
				t.Errorf("%d bytes, %v", len(body), err)
			}
			kept.Add(-size)
			s.Release()
		})
	}
	all.Wait()
	if limit := int64(answers*free + total + size); most.Load() > limit {
		t.Errorf("%d bytes were kept at once, at most %d are allowed", most.Load(), limit)
	}
}

func TestElements(t *testing.T) {
	check := func(array string, want ...string) {
		t.Helper()
		var got []string
		for e := range Elements([]byte(array)) {
			got = append(got, strings.TrimSpace(string(e)))
		}
		if strings.Join(got, "|") != strings.Join(want, "|") {
			t.Errorf("%s: %q", array, got)
		}
	}
	check(`[]`)
	check(` [ ] `)
	check(`null`)
	check(`{"a": [1, 2]}`)
	check(`"[1, 2]"`)
	check(`[1]`, "1")
	check(`[ 1 , null,"a,]b", "\"," ]`, "1", "null", `"a,]b"`, `"\","`)
	check(`[{"a": [1, {}]}, [], [[2], "}"]]`, `{"a": [1, {}]}`, "[]", `[[2], "}"]`)
	if list, more, err := List[int]([]byte(`[1, 2, "x"]`), 2); len(list) != 2 || !more || err != nil {
		t.Errorf("%v, %t, %v", list, more, err)
	}
	if _, err := Whole[int]([]byte(`[1, 2, 3]`), 2, "numbers"); err == nil || err.Error() != "more than 2 numbers" {
		t.Error(err)
	}
}

// FuzzElements: what the elements are of a JSON array does not depend on who decodes it.
func FuzzElements(f *testing.F) {
	f.Add([]byte(`[1, "a]", {"b": [null]}]`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		var want []any
		if (Key{}).Decode(&Call{Body: raw}, &want) != nil {
			for range Elements(raw) {
				continue
			}
			return
		}
		if got, _, err := List[any](raw, len(want)); err != nil || len(got) != len(want) {
			t.Errorf("%d of %d elements, %v", len(got), len(want), err)
		}
	})
}

func TestLengthOfCompletions(t *testing.T) {
	check := func(n, size int, ok bool) {
		t.Helper()
		u := llm.Usage{PromptTokens: 1, CompletionTokens: 2}
		err := CheckLength([]llm.Response{{Text: strings.Repeat("x", size/2), Reasoning: strings.Repeat("x", size-size/2), Usage: u}}, n)
		f, failed := errors.AsType[*llm.Failure](err)
		if failed == ok || failed && (f.Reason != Endless || f.Retryable || f.Usage != u) {
			t.Errorf("%d of %d bytes: %v", n, size, err)
		}
	}
	check(1, longest, true)
	check(1, longest+1, false)
	check(2, longest+further, true)
}

// What was written is charged, as far as it can be known.
func TestBill(t *testing.T) {
	r := llm.Request{Messages: []llm.Message{{Role: llm.User, Text: "four"}}}
	check := func(reason string, bound, n int, want llm.Usage) {
		t.Helper()
		r.Params.MaxTokens = bound
		f, _ := errors.AsType[*llm.Failure](Bill(&llm.Failure{Reason: reason}, r, n))
		if f.Usage != want {
			t.Errorf("%s: %+v", reason, f.Usage)
		}
	}
	check(TooLarge, 100, 3, llm.Usage{PromptTokens: 1, CompletionTokens: 300, Estimated: true})
	check(TooLarge, 0, 1, llm.Usage{PromptTokens: 1, CompletionTokens: mostTokens, Estimated: true})
	check(Malformed, 100, 1, llm.Usage{})
}
