package page

import (
	"bytes"
	"context"
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

func TestFilters(t *testing.T) {
	t.Parallel()
	path := write(t, demo())
	show := func(state, note string, ids ...string) {
		t.Helper()
		html := dom(t, path, state)
		f := shown{t, html}
		f.check(note, 1)
		f.has(`data-shows="list"`, 1)
		f.has(`<li><a href=`, len(ids))
		for _, id := range ids {
			f.has(`<span class="id">`+id+"</span>", 1)
		}
		f.has("data-hacked", 0)
	}
	show("q=LION%20keeps", "1 of 3 items", "1")
	show("q=tiger&status=sql-error&level=hard", "1 of 3 items", "3")
	show("flip=ab&a=0&b=1", "1 of 3 items", "1")
	show("flip=ba", "0 of 3 items")
	show("arm=pool&db=zoo&sort=right&__proto__=x&a=99&s=zz", "3 of 3 items; of their 3 answers 0 are right.", "1", "2", "3")
}

func TestItem(t *testing.T) {
	t.Parallel()
	path := write(t, demo())
	f := shown{t, dom(t, path, "item=sample/dev/1&s=0.1&unfold=all")}
	f.has(`data-shows="item"`, 1)
	f.has("data-hacked", 0)
	f.has(`<section class="pane"`, 2)
	f.check("Who keeps the lions?", 2) // in the list and above the item
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
	f.check("lone \uFFFD\uFFFD\uFFFD and \uFFFD bytes, \\u2028", 3)                       // a completion by stage and by candidate, and a question in the list
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
		for (const k of ['j', 'j', 'k', 'ArrowDown', 'Enter', 'j', 'j', 'k', 'Escape', '/', 'j', 'Escape']) await key(k);
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
		"k #item=sample/dev/2 H2 Who is \"&gt;", "Escape #items A 2✗✗Who is", "/ #items search", "j #items search", "Escape #items BODY"}, "\n")
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
func BenchmarkOpen(b *testing.B) { benchmarkOpen(b, "") }

// BenchmarkOpenItem is BenchmarkOpen at a link to one item.
func BenchmarkOpenItem(b *testing.B) { benchmarkOpen(b, "#item=bird/dev/700") }

func benchmarkOpen(b *testing.B, state string) {
	chromium(b)
	html, err := os.ReadFile(write(b, big(b)))
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
