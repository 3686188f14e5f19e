package page

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image/color"
	"image/png"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"assay/experiments/record"
	"assay/metrics"

	"github.com/google/go-cmp/cmp"
)

// chromium finds a browser without which the test is skipped.
func chromium(t testing.TB) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("no Chromium is installed: what the page's script does is not tested")
	return ""
}

// browser starts Chromium without a window.
func browser(ctx context.Context, t testing.TB, args ...string) *exec.Cmd {
	t.Helper()
	base := []string{"--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--hide-scrollbars", "--user-data-dir=" + t.TempDir()}
	return exec.CommandContext(ctx, chromium(t), append(base, args...)...)
}

// dom is the page at path as the browser has it once it has come to rest, in the state behind the #.
func dom(t testing.TB, path, state string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for tries := 1; ; tries++ {
		cmd := browser(ctx, t, "--virtual-time-budget=10000", "--dump-dom", "file://"+path+"#"+state)
		var out, log bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &log
		err := cmd.Run()
		if err == nil {
			return out.String()
		}
		if ended := cmd.ProcessState; ended == nil || ended.ExitCode() >= 0 || tries == 3 { // a crash of the browser's own says nothing of the page
			t.Fatalf("chromium: %v\n%s", err, log.String())
		}
	}
}

func write(t testing.TB, p Page) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "index.html")
	var b bytes.Buffer
	if err := Write(&b, p); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// with is the page with scripts of the test's own at its beginning and its end, which its policy does not allow the page itself.
func with(t testing.TB, html, first, last string) string {
	t.Helper()
	_, rest, ok := strings.Cut(html, `<meta http-equiv="Content-Security-Policy"`)
	_, rest, _ = strings.Cut(rest, ">")
	if !ok {
		t.Fatal("the page has no policy")
	}
	return `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><script>` + first + "</script>" + strings.Replace(rest, "</html>", "<script>"+last+"</script></html>", 1)
}

var tags = regexp.MustCompile(`<[^>]*>`)

// shown checks what a page shows. Texts are those between tags.
type shown struct {
	t    *testing.T
	html string
}

func (f shown) check(want string, times int) {
	f.t.Helper()
	_, text, _ := strings.Cut(f.html, `<section id="items"`)
	text, _, _ = strings.Cut(text, `<script type="text/plain"`)
	if got := strings.Count(tags.ReplaceAllString(text, ""), want); got != times {
		f.t.Errorf("%q is shown %d times, want %d", want, got, times)
	}
}

func (f shown) has(want string, times int) {
	f.t.Helper()
	if got := strings.Count(f.html, want); got != times {
		f.t.Errorf("%q stands %d times, want %d", want, got, times)
	}
}

// visit is what the page shows of the list under one state after the other, as lines.
func visit(t *testing.T, p Page, states ...string) []string {
	t.Helper()
	list, err := json.Marshal(states)
	if err != nil {
		t.Fatal(err)
	}
	tell := `
	addEventListener('load', async () => {
		const seen = document.createElement('pre');
		seen.id = 'seen';
		const rest = () => new Promise((done) => setTimeout(done, 100));
		await rest();
		document.querySelector('#items').scrollIntoView();
		for (const state of ` + string(list) + `) {
			location.hash = state;
			await rest();
			const ids = [...document.querySelectorAll('#rows .id')].map((e) => e.textContent).join(' ');
			const said = document.querySelector('#trouble').textContent || document.querySelector('#count').textContent;
			seen.append(said + ' ' + ids + '\n');
		}
		document.body.append(seen);
	});`
	path := filepath.Join(t.TempDir(), "visit.html")
	if err := os.WriteFile(path, []byte(with(t, render1(t, p), "", tell)), 0o644); err != nil {
		t.Fatal(err)
	}
	_, seen, _ := strings.Cut(dom(t, path, ""), `<pre id="seen">`)
	seen, _, _ = strings.Cut(seen, "</pre>")
	return strings.Split(strings.TrimSuffix(seen, "\n"), "\n")
}

func TestFilters(t *testing.T) {
	t.Parallel()
	var states, want []string
	show := func(state, line string) { states, want = append(states, state), append(want, line) }
	show("q=LION%20keeps", "1 of 3 items; of their 2 answers 1 are right. 1")
	show("q=tiger&status=sql-error&hardness=hard", "1 of 3 items; of their 2 answers 0 are right. 3")
	show("db=zoo", "3 of 3 items; of their 6 answers 1 are right. 1 2 3")
	show("db=gone", "0 of 3 items; of their 0 answers 0 are right. ")
	show("flip=ab&a=0&b=1", "1 of 3 items; of their 2 answers 1 are right. 1")
	show("flip=ba", "0 of 3 items; of their 0 answers 0 are right. ")
	show("flip=both&a=1&b=0", "1 of 3 items; of their 2 answers 1 are right. 1")
	show("arms=1&db=zoo&sort=right&__proto__=x&a=99&s=zz", "3 of 3 items; of their 3 answers 0 are right. 1 2 3")
	show("arms=none", "0 of 3 items; of their 0 answers 0 are right. ")
	show("arms=0&outcome=right", "1 of 3 items; of their 1 answer 1 are right. 1")
	show("outcome=right", "0 of 3 items; of their 0 answers 0 are right. ")
	show("outcome=wrong&sort=id", "2 of 3 items; of their 4 answers 0 are right. 2 3")
	show("outcome=differ", "1 of 3 items; of their 2 answers 1 are right. 1")
	show("outcome=constructor&sort=constructor", "3 of 3 items; of their 6 answers 1 are right. 1 2 3")
	show("sort=wrong", "3 of 3 items; of their 6 answers 1 are right. 2 3 1")
	show("hardness=easy", "1 of 3 items; of their 2 answers 1 are right. 1")
	show("feature=joins:0", "1 of 3 items; of their 2 answers 0 are right. 2")
	show("feature=joins:2%2B,limit:1", "1 of 3 items; of their 2 answers 1 are right. 1")
	show("feature=joins:0,limit:1", "0 of 3 items; of their 0 answers 0 are right. ")
	show("error=chase:wrong-logic&arms=0", "2 of 3 items; of their 2 answers 0 are right. 2 3")
	show("error=chase:wrong-logic&arms=1", "0 of 3 items; of their 0 answers 0 are right. ")
	show("status=sql-error&error=chase:wrong-logic", "1 of 3 items; of their 2 answers 0 are right. 3")
	show("status=wrong&error=chase:wrong-logic&hardness=hard", "1 of 3 items; of their 2 answers 0 are right. 2") // one answer is both
	if d := cmp.Diff(want, visit(t, demo(), states...)); d != "" {
		t.Error(d)
	}
}

// TestDisagreements: answers of one arm under two seeds are told from those of two arms.
func TestDisagreements(t *testing.T) {
	t.Parallel()
	p := demo()
	for _, it := range p.Run.Items {
		again := it
		again.Seed = 1
		if it.Item == "sample/dev/2" {
			again.Status = metrics.Correct // of both arms, which agree under either seed
		}
		p.Run.Items = append(p.Run.Items, again)
	}
	got := visit(t, p, "outcome=differ", "outcome=seeds", "outcome=wrong", "outcome=right")
	for i, want := range []string{"1 of 3 items", "1 of 3 items", "1 of 3 items", "0 of 3 items"} {
		if !strings.Contains(got[i], want) {
			t.Errorf("%q, want %q", got[i], want)
		}
	}
}

// TestFiltersSet: what is set stands above the list, each with a button that takes it away, and one takes all away.
func TestFiltersSet(t *testing.T) {
	t.Parallel()
	f := shown{t, dom(t, write(t, demo()), "q=%3Cb%3E&outcome=differ&feature=joins:2%2B,limit:1&flip=ab&a=1&b=0&arms=0")}
	f.has(`aria-label="without `, 6)
	f.check("search: &lt;b&gt; ×", 1)
	f.check("answers: arms disagree ×", 1)
	f.check("joins 2+ ×limit 1 ×", 1)
	f.check("flips: A right, B wrong ×", 1)
	f.check("1 of 2 arms ×Clear all", 1)
	f.check("Arms: 1 of 2", 1)
	f.has(`<option value="0" selected="">plain</option>`, 1) // B
}

// TestLongList: of many items those in sight are on the page, each with its place in the list.
func TestLongList(t *testing.T) {
	t.Parallel()
	run := &record.Run{Manifest: record.Manifest{ID: "0", Experiment: "long", Metrics: []record.Metric{{ID: "ex"}}}}
	for i := range 5000 {
		run.Items = append(run.Items, record.Item{Item: fmt.Sprintf("d/dev/%d", i), Arm: "a", Status: metrics.Wrong})
	}
	f := shown{t, dom(t, write(t, Page{Run: run}), "status=wrong")}
	f.check("5000 of 5000 items", 1)
	f.has(`aria-setsize="5000" aria-posinset="1"`, 1)
	if n := strings.Count(f.html, `<li aria-setsize`); n < 10 || n > 100 {
		t.Errorf("%d rows are on the page", n)
	}
}

func TestItem(t *testing.T) {
	t.Parallel()
	path := write(t, demo())
	f := shown{t, dom(t, path, "item=sample/dev/1&s=0.1&unfold=all")}
	f.has(`data-shows="item"`, 1)
	f.has("data-hacked", 0)
	f.has(`<section class="pane"`, 2)
	f.check("Who keeps the lions?", 1)
	f.check("Both have the same rows.", 1)
	f.check("&lt;b&gt;Ada&lt;/b&gt;", 2) // the answer's result, and its candidate's
	f.has("<del>'lion'</del>", 4)        // of two answers and two candidates
	f.has("<ins>'tiger'</ins>", 1)
	f.check("3 candidates, 2 different results", 1)
	f.check("1 ← chosen", 1)
	f.check("fixer called because the query failed; 2 attempts; mended", 1)
	f.check("before (sql-error)", 1)
	f.has("<del>nam</del>", 1)
	f.check("1 candidate that the fixer dropped", 1)
	f.check("SELECT dropped", 1)
	f.check("2 comparisons of candidates", 1)
	f.check("1 against 2: 1 won (model)", 1)
	f.check("values: 1 value found", 1)
	f.check("# keepers (name, animal)\n# animals (kind)", 9)                              // two schemas, and the prompts of two calls by sample, two by candidate, two by stage and one vote
	f.check("&lt;/script&gt;&lt;script&gt;document.body.dataset.hacked = 'by an end'", 8) // the prompts, and a completion
	f.check("lone \uFFFD\uFFFD\uFFFD and \uFFFD bytes, \\u2028", 2)                       // a completion by stage and by candidate
	f.check("a note", 1)

	talk := shown{t, dom(t, path, "item=sample/dev/3")}
	talk.has("<b>Thought:</b> I look.\n<b>Action:</b> Look()", 1)
	talk.has("<b>Observation: </b>what the tool said &lt;script&gt;", 1)
	talk.has(`<section class="pane"`, 1)
	talk.has("data-hacked", 0)

	gone := shown{t, dom(t, path, "item=%3Cimg%20src%3Dx%3E&s=7")}
	gone.check("This page has no item &lt;img src=x&gt;.", 1)
	gone.has("<img", 0)
}

func TestLeftOut(t *testing.T) {
	t.Parallel()
	p := demo()
	texts := p.Texts
	p.Texts = func(key string, prompt bool) (Exchange, bool, error) {
		if key == "key 0" {
			return Exchange{}, false, nil
		}
		return texts(key, prompt)
	}
	f := shown{t, dom(t, write(t, p), "item=sample/dev/1&unfold=all")}
	f.check("The completion is not in the ledger.", 1)
	p.Texts = nil
	f = shown{t, dom(t, write(t, p), "item=sample/dev/1&unfold=all")}
	f.check("The completion is left off this page.", 1)
}

// TestHugeTexts: a completion and a query of megabytes are shown from their beginning, and the rest is asked for.
func TestHugeTexts(t *testing.T) {
	t.Parallel()
	p := demo()
	texts := p.Texts
	p.Texts = func(key string, prompt bool) (Exchange, bool, error) {
		x, ok, err := texts(key, prompt)
		x.Completion = strings.Repeat("<b>\u202e ", 2_000_000) + "the end"
		return x, ok, err
	}
	p.Run.Items[0].SQL = "SELECT '" + strings.Repeat("y", 3_000_000) + "'"
	f := shown{t, dom(t, write(t, p), "item=sample/dev/1&s=0&unfold=all")}
	f.has(`data-shows="item"`, 1)
	f.check("Show more: 50000 of 10000007 characters are shown", 1)
	f.check("Show more: 50000 of 3000009 characters are shown", 1)
	f.check("the end", 0)
	f.check("\u202e", 0)
}

// TestKeys presses keys as a reader does.
func TestKeys(t *testing.T) {
	t.Parallel()
	const press = `
	addEventListener('load', async () => {
		const seen = [];
		const rest = () => new Promise((done) => setTimeout(done, 300));
		const key = async (k) => {
			const at = document.activeElement;
			at.dispatchEvent(new KeyboardEvent('keydown', {key: k, bubbles: true, cancelable: true}));
			if (k === 'Enter') at.click();
			await rest();
			seen.push(k + ' ' + (decodeURIComponent(location.hash) || 'nothing') + ' ' + (document.activeElement.id || (document.activeElement.tagName + ' ' + document.activeElement.textContent.slice(0, 9)).replace(/BODY.*/s, 'BODY')));
		};
		await rest();
		for (const k of ['j', 'j', 'k', 'ArrowDown', 'Enter', 'j', 'j', 'k', 'Escape', '/', 'j', 'Escape', '?', 'j']) await key(k);
		const pre = document.createElement('pre');
		pre.id = 'seen';
		pre.textContent = seen.join('\n');
		document.body.append(pre);
	});`
	path := filepath.Join(t.TempDir(), "keys.html")
	if err := os.WriteFile(path, []byte(with(t, render1(t, demo()), "", press)), 0o644); err != nil {
		t.Fatal(err)
	}
	_, seen, _ := strings.Cut(dom(t, path, ""), `<pre id="seen">`)
	seen, _, _ = strings.Cut(seen, "</pre>")
	want := strings.Join([]string{
		"j nothing A 1✓✗Who ke", "j nothing A 2✗✗Who is", "k nothing A 1✓✗Who ke", "ArrowDown nothing A 2✗✗Who is",
		"Enter #item=sample/dev/2 H2 Who is \"&gt;", "j #item=sample/dev/3 H2 lone \uFFFD\uFFFD\uFFFD ", "j #item=sample/dev/3 H2 lone \uFFFD\uFFFD\uFFFD ",
		"k #item=sample/dev/2 H2 Who is \"&gt;", "Escape #items A 2✗✗Who is", "/ #items search", "j #items search", "Escape #items BODY",
		"? #items BUTTON Close", "j #items BUTTON Close"}, "\n")
	if d := cmp.Diff(strings.Split(want, "\n"), strings.Split(seen, "\n")); d != "" {
		t.Error(d)
	}
}

// TestOldBrowser is a browser that cannot unpack: the tables are there, and the page says what is missing.
func TestOldBrowser(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "old.html")
	if err := os.WriteFile(path, []byte(with(t, render1(t, demo()), "delete window.DecompressionStream", "")), 0o644); err != nil {
		t.Fatal(err)
	}
	shown{t, dom(t, path, "")}.check("This browser cannot unpack the items", 1)
}

// TestScreenshot looks whether something is drawn. With ASSAY_FIGURES set the pictures are left there to look at.
func TestScreenshot(t *testing.T) {
	t.Parallel()
	dir := os.Getenv("ASSAY_FIGURES")
	if dir == "" {
		dir = t.TempDir()
	}
	page := write(t, demo())
	shot := func(name, state string, args ...string) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		path := filepath.Join(dir, name)
		args = append(args, "--virtual-time-budget=10000", "--screenshot="+path, "file://"+page+"#"+state)
		if out, err := browser(ctx, t, args...).CombinedOutput(); err != nil {
			t.Fatalf("chromium: %v\n%s", err, out)
		}
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		im, err := png.Decode(bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		colours := map[color.Color]bool{}
		for x := im.Bounds().Min.X; x < im.Bounds().Max.X; x += 3 {
			for y := im.Bounds().Min.Y; y < im.Bounds().Max.Y; y += 3 {
				colours[im.At(x, y)] = true
			}
		}
		if len(colours) < 20 {
			t.Errorf("%s has %d colours: nothing is drawn", name, len(colours))
		}
	}
	shot("item.png", "item=sample/dev/1&s=0.1", "--window-size=1280,900")
	shot("item-narrow-dark.png", "item=sample/dev/1", "--window-size=500,900", "--blink-settings=preferredColorScheme=0")
}

// BenchmarkOpen opens the page of 1534 items with 21 candidates each until its list of items stands there.
func BenchmarkOpen(b *testing.B) { benchmarkOpen(b, big(b), "") }

// BenchmarkOpenItem is BenchmarkOpen at a link to one item.
func BenchmarkOpenItem(b *testing.B) { benchmarkOpen(b, big(b), "#item=bird/dev/700") }

// BenchmarkOpenWide is 1,000 items under 100 arms, BenchmarkOpenLong 100,000 under one.
func BenchmarkOpenWide(b *testing.B) { benchmarkOpen(b, rows(1000, 100), "") }
func BenchmarkOpenLong(b *testing.B) { benchmarkOpen(b, rows(100_000, 1), "") }

func benchmarkOpen(b *testing.B, p Page, state string) {
	chromium(b)
	html, err := os.ReadFile(write(b, p))
	if err != nil {
		b.Fatal(err)
	}
	tell := `new MutationObserver(() => fetch('/ready?ms=' + document.body.dataset.ready)).observe(document.body, {attributeFilter: ['data-ready']})`
	copied := with(b, string(html), "", tell)
	ready := make(chan string)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/ready" {
			ready <- r.FormValue("ms")
			return
		}
		fmt.Fprint(w, copied)
	}))
	defer server.Close()
	var total float64
	for b.Loop() {
		ctx, cancel := context.WithTimeout(b.Context(), time.Minute)
		cmd := browser(ctx, b, "--timeout=50000", "--dump-dom", server.URL+state)
		if err := cmd.Start(); err != nil {
			b.Fatal(err)
		}
		var ms float64
		select {
		case got := <-ready:
			fmt.Sscan(got, &ms)
		case <-ctx.Done():
			b.Error("the page did not get ready in a minute")
		}
		total += ms
		cancel()
		_ = cmd.Wait() // it was killed
	}
	b.ReportMetric(total/float64(b.N), "ready-ms")
	b.ReportMetric(float64(len(html))/1e6, "MB")
}
