package live

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"assay/experiments/record"
	"assay/metrics"
	"assay/plots/site"
	"assay/plots/style"
)

// world is a served store of one run under way, which notes what was asked of it.
type world struct {
	*Server
	mu     sync.Mutex
	run    site.Run
	rows   []record.Item
	made   int
	did    []string
	broken error
}

func open(t *testing.T) *world {
	t.Helper()
	w := &world{run: site.Run{Name: "x-1", Experiment: "x", State: "incomplete", Key: "1", Written: time.Now()}}
	w.rows = []record.Item{{Item: "1", Arm: "a", Status: metrics.Correct, SQL: "SELECT 1"}}
	act := func(what string) func(site.Run) error {
		return func(r site.Run) error {
			w.did = append(w.did, what+" "+r.Name)
			if what == "stop" {
				return errors.New("nobody makes it")
			}
			return nil
		}
	}
	s, err := Open(Options{Stop: act("stop"), GoOn: act("go-on"), Told: func(site.Run) string { return "said" },
		Makers: func([]site.Run) map[string]bool { return map[string]bool{"x-1": true} }, Site: w.now})
	if err != nil {
		t.Fatal(err)
	}
	w.Server = s
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(s.folder); err == nil {
			t.Error("the folder of pages is left")
		}
	})
	return w
}

// now is the store as the test has it.
func (w *world) now() (*site.Site, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return &site.Site{Runs: []site.Run{w.run}, From: site.From{
		Report: func(_ context.Context, _ site.Run, _ []style.Link, to io.Writer) error {
			w.mu.Lock()
			w.made++
			w.mu.Unlock()
			_, err := io.WriteString(to, strings.Repeat("page", 1000))
			return err
		},
		Read: func(site.Run) (*record.Run, error) {
			w.mu.Lock()
			defer w.mu.Unlock()
			return &record.Run{Rows: record.Rows{Items: w.rows}}, nil
		}}}, w.broken
}

// refresh makes the server look at the store again.
func (w *world) refresh() { w.Server.mu.Lock(); w.looked = time.Time{}; w.Server.mu.Unlock() }

// ask sends a request with headers in pairs; "Host" sets the host.
func (w *world) ask(t *testing.T, method, path string, headers ...string) (int, string, http.Header) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, "http://"+w.hosts[0]+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
		if headers[i] == "Host" {
			r.Host = headers[i+1]
		}
	}
	got, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	text, err := io.ReadAll(got.Body)
	if err != nil {
		t.Fatal(err)
	}
	return got.StatusCode, string(text), got.Header
}

// TestAdmit: pages go to who asks this machine by its own name, and to no page of another origin.
func TestAdmit(t *testing.T) {
	w := open(t)
	own := "http://" + w.hosts[0]
	check := func(want int, method, path string, headers ...string) {
		t.Helper()
		if got, text, _ := w.ask(t, method, path, headers...); got != want {
			t.Errorf("%s %s %q: %d %.80q, want %d", method, path, headers, got, text, want)
		}
	}
	check(200, "GET", "/")
	check(200, "HEAD", "/")
	check(200, "GET", "/index.html", "Host", w.hosts[1])
	check(200, "GET", "/", "Origin", own)
	check(200, "GET", "/", "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate") // a link to here
	check(403, "GET", "/", "Host", "evil.example:80")
	check(403, "GET", "/", "Host", "127.0.0.1")
	check(403, "GET", "/live.json", "Origin", "http://evil.example")
	check(403, "GET", "/live.json", "Origin", "null")
	check(403, "GET", "/runs/x-1/search.js", "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "no-cors")
	check(403, "GET", "/runs/x-1/search.js", "Sec-Fetch-Site", "same-site", "Sec-Fetch-Mode", "no-cors") // another port
	for _, method := range []string{"POST", "PUT", "DELETE", "OPTIONS", "TRACE"} {
		check(405, method, "/")
	}
	for _, path := range []string{"/runs", "/runs/", "/diffs/", "/../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/runs/x-1/..%2f..%2findex.html", "//etc/passwd", "/runs/x-1/report.html/", "/assay-site.json", "/\x00"[:1] + "%00"} {
		check(404, "GET", path)
	}
}

// TestActions need the token, and come from the pages alone.
func TestActions(t *testing.T) {
	w := open(t)
	_, token, _ := strings.Cut(w.URL(), "#token=")
	check := func(want int, path string, headers ...string) {
		t.Helper()
		if got, text, _ := w.ask(t, "POST", path, headers...); got != want {
			t.Errorf("%s %q: %d %q, want %d", path, headers, got, text, want)
		}
	}
	check(403, "/do/go-on?run=x-1")
	check(403, "/do/go-on?run=x-1", tokenHeader, token+"x")
	check(403, "/do/go-on?run=x-1", tokenHeader, "")
	check(403, "/do/go-on?run=x-1", tokenHeader, token, "Origin", "http://evil.example")
	check(403, "/do/go-on?run=x-1", tokenHeader, token, "Host", "evil.example")
	check(403, "/do/go-on?run=x-1", tokenHeader, token, "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate")
	check(404, "/do/go-on?run=../x-1", tokenHeader, token)
	check(404, "/do/remove?run=x-1", tokenHeader, token)
	if len(w.did) > 0 {
		t.Errorf("done without leave: %v", w.did)
	}
	check(204, "/do/go-on?run=x-1", tokenHeader, token, "Origin", "http://"+w.hosts[0])
	check(409, "/do/stop?run=x-1", tokenHeader, token)
	if got := fmt.Sprint(w.did); got != "[go-on x-1 stop x-1]" {
		t.Error(got)
	}
	if other := open(t); strings.HasSuffix(other.URL(), token) || len(token) < 40 {
		t.Error("the token can be guessed")
	}
}

// TestPages: a page is made once for each state of its run, also where many ask at once.
func TestPages(t *testing.T) {
	w := open(t)
	var g sync.WaitGroup
	for range 300 {
		g.Go(func() {
			if got, text, h := w.ask(t, "GET", "/runs/x-1/report.html"); got != 200 || len(text) != 4000 || h.Get("Cross-Origin-Resource-Policy") != "same-origin" {
				t.Errorf("%d, %d bytes, %v", got, len(text), h)
			}
		})
	}
	g.Wait()
	if w.made != 1 {
		t.Errorf("made %d times", w.made)
	}
	w.mu.Lock()
	w.run.Key = "2"
	w.mu.Unlock()
	w.refresh()
	if got, _, _ := w.ask(t, "GET", "/runs/x-1/report.html"); got != 200 || w.made != 2 {
		t.Errorf("%d, made %d times", got, w.made)
	}
	w.mu.Lock()
	w.broken = errors.New("the disk is gone")
	w.mu.Unlock()
	w.refresh()
	if got, text, _ := w.ask(t, "GET", "/"); got != 503 || !strings.Contains(text, "the disk is gone") {
		t.Errorf("%d %s", got, text)
	}
}

// TestNews: what was not there at the last reading comes last.
func TestNews(t *testing.T) {
	w := open(t)
	check := func(want string) {
		t.Helper()
		got, text, _ := w.ask(t, "GET", "/live.json")
		text, _, _ = strings.Cut(text[strings.Index(text, `"done"`):], `,"ago"`)
		if got != 200 || text != want {
			t.Errorf("%d %s, want %s", got, text, want)
		}
	}
	check(`"done":1,"all":0,"right":1,"failed":0,"paid":""`)
	w.mu.Lock()
	w.rows = append(w.rows, record.Item{Item: "2", Arm: "a", Status: metrics.ModelError}, record.Item{Item: "3", Arm: "a", Status: metrics.Wrong, SQL: strings.Repeat("é", 400)})
	w.run.Key = "2"
	w.mu.Unlock()
	w.refresh()
	check(`"done":3,"all":0,"right":1,"failed":1,"paid":""`)
	if _, text, _ := w.ask(t, "GET", "/live.json"); strings.Index(text, `"item":"1"`) > strings.Index(text, `"item":"2"`) || !strings.Contains(text, `"item":"3","arm":"a","status":"wrong","sql":"`+strings.Repeat("é", 300)+`..."`) {
		t.Error(text)
	}
}

// TestTicket lets one page in, once.
func TestTicket(t *testing.T) {
	w := open(t)
	_, token, _ := strings.Cut(w.URL(), "#token=")
	check := func(ticket string, want int, headers ...string) {
		t.Helper()
		got, text, _ := w.ask(t, "POST", "/do/enter", append(headers, ticketHeader, ticket)...)
		if got != want || (text == token) != (want == 200) {
			t.Errorf("%d %q, want %d", got, text, want)
		}
	}
	check("", 403)
	address, ticket, _ := strings.Cut(w.Ticket(), "#ticket=")
	if address != "http://"+w.hosts[0]+"/" || strings.Contains(ticket, token) {
		t.Errorf("%s holds the token", address+ticket)
	}
	check("", 403)
	check(ticket+"x", 403)
	check(ticket, 403, "Origin", "http://evil.example")
	check(ticket, 200)
	check(ticket, 403)
	check("", 403)
}

func TestOpenTakenPort(t *testing.T) {
	w := open(t)
	var port int
	if _, err := fmt.Sscanf(w.hosts[0], "127.0.0.1:%d", &port); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(Options{Port: port}); err == nil || !strings.Contains(err.Error(), "live: open port") {
		t.Error(err)
	}
}
