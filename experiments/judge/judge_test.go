package judge

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"assay/configs"
	"assay/metrics"
	"assay/metrics/execution"
	"assay/prompting/sql/sandbox"
	"assay/prompting/sql/sqlite"
)

// TestMain is also the program that the tests start.
func TestMain(m *testing.M) {
	if mode := os.Getenv("JUDGE_TEST"); mode != "" {
		program(mode)
		return
	}
	os.Exit(m.Run())
}

// program scores 1 where the numbers of rows are equal, or says what its mode is for.
func program(mode string) {
	if version, greets := strings.CutPrefix(mode, "version "); greets {
		fmt.Printf(`{"ready": true, "version": %q}`+"\n", version)
	}
	if log := os.Getenv("JUDGE_LOG"); log != "" {
		f, _ := os.OpenFile(log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
		defer f.Close()
		os.Stderr = f
	}
	in := bufio.NewReader(os.Stdin)
	for {
		text, err := in.ReadString('\n')
		if err != nil {
			return
		}
		fmt.Fprint(os.Stderr, text)
		var q question
		_ = json.Unmarshal([]byte(strings.ReplaceAll(text, `"rows":[`, `"other":[`)), &q)
		switch {
		case mode == "dies":
			fmt.Fprintln(os.Stderr, "no such library")
			os.Exit(3)
		case strings.HasPrefix(mode, "says "):
			fmt.Println(strings.TrimPrefix(mode, "says "))
		case q.GoldRows == nil:
			fmt.Printf(`{"score": 0.5, "why": %q}`+"\n", q.Predicted)
		case q.GoldRows.Count == q.PredictedRows.Count:
			fmt.Println(`{"score": 1}`)
		default:
			fmt.Printf(`{"score": 0, "why": "%d rows, not\u001b %d", "item": %q}`+"\n", q.PredictedRows.Count, q.GoldRows.Count, q.Item)
		}
	}
}

// bench is a database with its box, and a folder for scores.
type bench struct {
	t      testing.TB
	db     string
	folder string
	log    string
	o      Options
}

func newBench(t testing.TB) *bench {
	t.Helper()
	b := &bench{t: t, db: filepath.Join(t.TempDir(), "shelf.sqlite"), folder: filepath.Join(t.TempDir(), "scores"), log: filepath.Join(t.TempDir(), "log")}
	if err := sqlite.Create(t.Context(), b.db, "CREATE TABLE t (a); INSERT INTO t VALUES (1), (NULL), ('x'), (2.0), (x'00ff'), (9e999)"); err != nil {
		t.Fatal(err)
	}
	b.o = Options{Box: sandbox.New(sandbox.Options{Timeout: 5 * time.Second}), Results: execution.NewCache(0), Folder: b.folder, Workers: 2, Allowed: true}
	return b
}

// metric returns the test's program in a mode.
func (b *bench) metric(mode string, change func(*configs.Metric)) (*Metric, error) {
	exe, err := os.Executable()
	if err != nil {
		b.t.Fatal(err)
	}
	own := configs.Metric{ID: "mine", Results: true, Program: configs.Program{Command: []string{exe}, Dir: b.t.TempDir(),
		Env: map[string]string{"JUDGE_TEST": mode, "JUDGE_LOG": b.log}, Timeout: configs.Duration(10 * time.Second)}}
	if change != nil {
		change(&own)
	}
	m, err := New(b.t.Context(), own, b.o)
	if err == nil {
		b.t.Cleanup(func() { _ = m.Close() })
	}
	return m, err
}

func (b *bench) must(mode string, change func(*configs.Metric)) *Metric {
	b.t.Helper()
	m, err := b.metric(mode, change)
	if err != nil {
		b.t.Fatal(err)
	}
	return m
}

func (b *bench) one(predicted string) metrics.Case {
	return metrics.Case{Item: "d/s/1", DB: "shelf", Question: "how many?", Evidence: "a hint", Database: sqlite.DB(b.db), Gold: "SELECT a FROM t", Predicted: predicted}
}

// asked is the lines that programs were asked so far.
func (b *bench) asked() []string {
	text, _ := os.ReadFile(b.log)
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

func TestScores(t *testing.T) {
	b := newBench(t)
	m := b.must("rows", nil)
	check := func(predicted string, value float64, status metrics.Status, why string) {
		t.Helper()
		s, err := m.Score(t.Context(), b.one(predicted))
		if err != nil || s.Value != value || s.Status != status || !strings.Contains(s.Why, why) {
			t.Errorf("%s: %+v, %v", predicted, s, err)
		}
	}
	check("SELECT a, a FROM t", 1, metrics.Correct, "")
	check("SELECT a FROM t LIMIT 2", 0, metrics.Wrong, "2 rows, not 6")
	check("", 0, metrics.NoSQL, "no SQL")
	check("SELECT b FROM t", 0, metrics.SQLError, "no such column")
	check("DELETE FROM t", 0, metrics.Rejected, "")
	bad := b.one("SELECT 1")
	bad.Gold = "SELECT nothing"
	if s, err := m.Score(t.Context(), bad); err != nil || s.Status != metrics.GoldError {
		t.Errorf("a gold query that fails: %+v, %v", s, err)
	}
	none := b.one("SELECT 1")
	none.Database.Engine = nil
	if s, err := m.Score(t.Context(), none); err != nil || s.Status != metrics.GoldError {
		t.Errorf("no database: %+v, %v", s, err)
	}
	empty := b.one("SELECT 1 WHERE 0")
	empty.Gold = "SELECT a FROM t WHERE 0"
	if s, err := m.Score(t.Context(), empty); err != nil || s.Value != 1 || len(s.Warnings) != 1 {
		t.Errorf("a gold query without rows: %+v, %v", s, err)
	}
	lines := b.asked()
	if len(lines) != 3 {
		t.Fatalf("%d lines were asked: %q", len(lines), lines)
	}
	want := `{"item":"d/s/1","db":"shelf","question":"how many?","evidence":"a hint","gold":"SELECT a FROM t","predicted":"SELECT a FROM t LIMIT 2",` +
		`"gold_rows":{"columns":["a"],"rows":[[1],[null],["x"],[2.0],[{"blob":"00ff"}],[1e999]],"count":6,"truncated":false},` +
		`"predicted_rows":{"columns":["a"],"rows":[[1],[null]],"count":2,"truncated":false},"path":"` + b.db + `"}`
	if lines[1] != want {
		t.Errorf("asked %s\nwant  %s", lines[1], want)
	}
}

func TestTextsAlone(t *testing.T) {
	b := newBench(t)
	m := b.must("texts", func(own *configs.Metric) { own.Results = false })
	for _, predicted := range []string{"SELECT b FROM t", "no SQL at all"} {
		c := b.one(predicted)
		c.Database.Engine = nil
		if s, err := m.Score(t.Context(), c); err != nil || s.Value != 0.5 || s.Status != metrics.Wrong || s.Why != predicted {
			t.Errorf("%+v, %v", s, err)
		}
	}
	if s, err := m.Score(t.Context(), b.one(" ")); err != nil || s.Status != metrics.NoSQL {
		t.Errorf("%+v, %v", s, err)
	}
}

// TestNoSilentZero: whatever else a program does is an error that names the item and says what the program wrote.
func TestNoSilentZero(t *testing.T) {
	b := newBench(t)
	check := func(mode string, want ...string) {
		t.Helper()
		_, err := b.must(mode, nil).Score(t.Context(), b.one("SELECT 1"))
		if err == nil {
			t.Fatalf("%s: no error", mode)
		}
		for _, w := range append(want, `judge: score "d/s/1" by metric "mine"`) {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%s: %v, want %q", mode, err, w)
			}
		}
	}
	check("dies", "exit status 3")
	check(`says {"score": null, "why": "undecided"}`, "no score", "undecided")
	check(`says {"error": "no grammar"}`, "no score", "no grammar")
	check(`says {"score": 1, "error": "no grammar"}`, "both a score and an error: no grammar")
	check(`says {"score": 1, "score": 0}`, `it has "score" twice`)
	check(`says {}`, "no score, which is a number from 0 to 1")
	check(`says {"score": 1.01}`, "1.01 is not from 0 to 1")
	check(`says {"score": -1e-9}`, "not from 0 to 1")
	check(`says {"score": "1"}`, "no number")
	check(`says {"score": true}`, "no number")
	check(`says {"score": 1e400}`, "no number")
	check(`says {"score": NaN}`, "no JSON object")
	check(`says {"score": 1, "item": "d/s/2"}`, `about item "d/s/2"`)
	check(`says 1`, "no JSON object", `it wrote "1"`)
	check("says Traceback \x1b[31m", `it wrote "Traceback [31m"`)
}

// TestRemembered: a question that was answered once is asked no more, not by another process either, and needs no permission.
func TestRemembered(t *testing.T) {
	b := newBench(t)
	score := func(m *Metric) {
		t.Helper()
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				if s, err := m.Score(t.Context(), b.one("SELECT a FROM t LIMIT 2")); err != nil || s.Why != "2 rows, not 6" {
					t.Errorf("%+v, %v", s, err)
				}
			})
		}
		all.Wait()
	}
	first := b.must("rows", nil)
	score(first)
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	b.o.Allowed = false
	score(b.must("rows", nil))
	if n := len(b.asked()); n != 1 {
		t.Errorf("asked %d times", n)
	}
	check := func(what string, change func(*configs.Metric), c metrics.Case) {
		t.Helper()
		_, err := b.must("rows", change).Score(t.Context(), c)
		if err == nil || !strings.Contains(err.Error(), "--allow-commands") {
			t.Errorf("%s: %v", what, err)
		}
	}
	check("another prediction", nil, b.one("SELECT a FROM t LIMIT 3"))
	check("another environment", func(own *configs.Metric) { own.Env["A"] = "1" }, b.one("SELECT a FROM t LIMIT 2"))
	check("another argument", func(own *configs.Metric) { own.Command = append(own.Command, "-x") }, b.one("SELECT a FROM t LIMIT 2"))
	check("a source", func(own *configs.Metric) {
		own.Sources = []string{filepath.Join(own.Dir, "a.py")}
		if err := os.WriteFile(own.Sources[0], nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}, b.one("SELECT a FROM t LIMIT 2"))
	other := b.one("SELECT a FROM t LIMIT 2")
	other.Question = "which?"
	check("another question", nil, other)
	if err := os.Chtimes(b.db, time.Time{}, time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	check("another state of the database", nil, b.one("SELECT a FROM t LIMIT 2"))
}

func TestIdentity(t *testing.T) {
	b := newBench(t)
	greets := func(own *configs.Metric) { own.Startup = configs.Duration(10 * time.Second) }
	two := b.must("version 2", greets)
	if f := two.Fingerprint(); !strings.Contains(f, ` version="2"`) || !strings.Contains(f, "sqlite=") || strings.Contains(f, b.t.TempDir()) {
		t.Error(f)
	}
	if _, err := b.metric("rows", func(own *configs.Metric) { own.Startup = configs.Duration(100 * time.Millisecond) }); err == nil || !strings.Contains(err.Error(), "ready") {
		t.Errorf("a program that does not greet: %v", err)
	}
	if _, err := b.metric("rows", func(own *configs.Metric) { own.Sources = []string{"/nowhere.py"} }); err == nil || !strings.Contains(err.Error(), "/nowhere.py") {
		t.Errorf("a source that is not there: %v", err)
	}
	texts := b.must("rows", func(own *configs.Metric) { own.Results = false })
	if f := texts.Fingerprint(); strings.Contains(f, "sqlite=") {
		t.Error(f)
	}
}

// TestLongResults: a program sees the beginning of a long result, and the score says so.
func TestLongResults(t *testing.T) {
	b := newBench(t)
	c := b.one("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60000) SELECT i, printf('%0100d', i) FROM n")
	c.Gold = c.Predicted
	s, err := b.must("rows", nil).Score(t.Context(), c)
	if err != nil || s.Value != 1 || len(s.Warnings) != 1 || !strings.Contains(s.Warnings[0], "beginning") {
		t.Errorf("%+v, %v", s, err)
	}
	if line := b.asked()[0]; len(line) > 2*mostShown+1000 || !strings.Contains(line, `"count":60000,"truncated":true`) {
		t.Errorf("%d bytes", len(line))
	}
}

// TestDamagedScores: what is on disk is used as far as it is answers.
func TestDamagedScores(t *testing.T) {
	b := newBench(t)
	m := b.must("rows", nil)
	if _, err := m.Score(t.Context(), b.one("SELECT 1")); err != nil {
		t.Fatal(err)
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	good, err := os.ReadFile(m.kept.path)
	if err != nil || len(read(m.kept.path)) != 1 {
		t.Fatal(string(good), err)
	}
	check := func(text string, want int) {
		t.Helper()
		if err := os.WriteFile(m.kept.path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if n := len(read(m.kept.path)); n != want {
			t.Errorf("%q: %d answers, want %d", text, n, want)
		}
	}
	check(string(good)+"{\"key\":", 1)
	check("nonsense\n"+string(good), 1)
	check(strings.Replace(string(good), `"score":0`, `"score":7`, 1), 0)
	check("", 0)
	check("\x00\xff", 0)
}

// FuzzParse: whatever a program says, it is a score from 0 to 1 or a cause.
func FuzzParse(f *testing.F) {
	for _, text := range []string{`{"score": 1}`, `{"score": 0.5, "why": "x"}`, `{"score": null}`, `{"item": "i", "score": 1e-400}`, `{"score": -0}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		a, cause := parse(text, "i")
		if cause == "" && !(a.Score >= 0 && a.Score <= 1) {
			t.Errorf("%q: %v", text, a)
		}
		if strings.ContainsAny(a.Why+cause, "\n\x1b") {
			t.Errorf("%q: %q, %q", text, a.Why, cause)
		}
	})
}
