package site

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// dom is a page as the browser has it once its scripts have come to rest. extra is a script of the test's own at the end.
func dom(t *testing.T, dir, page, extra string) string {
	t.Helper()
	browser, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("no Chromium is installed: what the site's script does is not tested")
	}
	text, err := os.ReadFile(filepath.Join(dir, page))
	if err != nil {
		t.Fatal(err)
	}
	name, _, _ := strings.Cut(page, ".html")
	own := filepath.Join(dir, name+"-tried")
	for path, b := range map[string]string{own + ".js": extra, own + ".html": strings.Replace(string(text), "</body>", `<script src="`+filepath.Base(own)+`.js"></script></body>`, 1)} {
		if err := os.WriteFile(path, []byte(b), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for tries := 1; ; tries++ {
		c := exec.CommandContext(ctx, browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--user-data-dir="+t.TempDir(),
			"--virtual-time-budget=5000", "--dump-dom", "file://"+own+".html")
		var out, log bytes.Buffer
		c.Stdout, c.Stderr = &out, &log
		err := c.Run()
		if err == nil {
			return out.String()
		}
		if c.ProcessState == nil || c.ProcessState.ExitCode() >= 0 || tries == 3 { // a crash of the browser's own says nothing of the page
			t.Fatalf("chromium: %v\n%s", err, log.String())
		}
	}
}

// TestInABrowser opens a site from disk: its policy lets its own scripts in, and no text of a run becomes one.
func TestInABrowser(t *testing.T) {
	dir := t.TempDir()
	odd := runOf(hostile, "odd")
	odd.Scores[0].Mean = 0.25
	build(t, dir, siteOf(odd, runOf("x-1", "x")), 13, 0, 0, 0)
	check := func(html, want string, times int) {
		t.Helper()
		if got := strings.Count(html, want); got != times {
			t.Errorf("%q stands %d times, want %d", want, got, times)
		}
	}
	html := dom(t, dir, "index.html", `
const set = (id, value) => { const e = document.getElementById(id); e.value = value; e.dispatchEvent(new Event('input')); };
document.querySelectorAll('th button')[6].click();
set('query', 'WHO alert select');
document.querySelector('#search-form button').click();
set('words', 'ALERT(1)');
`)
	check(html, `data-ready="yes"`, 1)
	check(html, "1 of 2 runs", 1)
	check(html, `aria-sort="ascending"`, 1)
	if strings.Index(html, `data-value="0.25"`) > strings.Index(html, `data-value="0.5"`) {
		t.Error("the list is not sorted by score")
	}
	check(html, `runs/x-1/report.html#item=s%2F1`, 1)
	check(html, `correct: a, b`, 2)
	check(html, "<script>alert", 0)
	check(html, "2 items in 2 of 2 runs", 1)
}
