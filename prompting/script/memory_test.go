package script_test

import (
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"assay/prompting/llm"
	"assay/prompting/methodtest"
	"assay/prompting/script"
)

// TestMemoryOfQuestions: a question that fits is answered, however many others need as much; one that does not fails, and
// says which bound held.
func TestMemoryOfQuestions(t *testing.T) {
	var running, most atomic.Int64
	d, _ := deps(func(llm.Request) (string, error) {
		now := running.Add(1)
		defer running.Add(-1)
		for m := most.Load(); now > m && !most.CompareAndSwap(m, now); m = most.Load() {
		}
		return "SELECT 1", nil
	})
	check := func(what, body string, samples int, want string) {
		t.Helper()
		a := arm()
		a.Model.Samples = samples
		p := made(t, script.Answer, star(body), d, a, 1)
		var group sync.WaitGroup
		for range 12 {
			group.Go(func() {
				_, err := p.Answer(t.Context(), methodtest.Question())
				if got := ""; err != nil {
					if got = err.Error(); want == "" || !strings.Contains(got, want) {
						t.Errorf("%s: %s", what, got)
					}
				} else if want != "" {
					t.Errorf("%s: no error", what)
				}
			})
		}
		group.Wait()
	}
	const big = "l = ['x' * 15000000 for i in range(%)]\nask([user('a' + str(len(l)))])\nreturn 'SELECT 1'"
	check("alone", strings.ReplaceAll(big, "%", "6"), 1, "")
	if most.Load() > 4 { // those of 90 MB: one has more than is shared
		t.Errorf("%d questions of 90 MB at once", most.Load())
	}
	check("in samples that fit together", strings.ReplaceAll(big, "%", "2"), 3, "")
	check("in samples that do not", strings.ReplaceAll(big, "%", "2"), 8, "may keep 144 MB of texts, lists and prompts at a time")
	check("a call of too much", strings.ReplaceAll(big, "%", "20"), 1, "a call may build 128 MB")
	check("candidates", "return 'x' * 1000000 + str(q.sample)", 9, "of one question have more than 8 MB")
	check("notes", "for i in range(9):\n    c = ask([user(str(i))])\n    c.note('x' * 1000000)\nreturn c", 1, "of one question have more than 8 MB")
	check("a prompt", "return ask([user('x' * 5000000)])", 1, "a prompt of 5000128 bytes: 4194304 are the most")
}

// TestSamplesThatWait: ten thousand samples of one question fit.
func TestSamplesThatWait(t *testing.T) {
	d, _ := deps(func(llm.Request) (string, error) { return "SELECT 1", nil })
	a := arm()
	a.Model.Samples = 10_000
	p := made(t, script.Answer, star("return ask([user('a')])"), d, a, 1)
	if got, err := p.Answer(t.Context(), methodtest.Question()); err != nil || len(got.Candidates) != 10_000 {
		t.Errorf("%d candidates, %v", len(got.Candidates), err)
	}
}
