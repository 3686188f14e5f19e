package process

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// TestMain is also the program that the tests start.
func TestMain(m *testing.M) {
	if mode := os.Getenv("PROCESS_TEST"); mode != "" {
		program(mode)
		return
	}
	os.Exit(m.Run())
}

// program answers each line in the manner of its mode.
func program(mode string) {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	say := func(text string) { fmt.Println(text) }
	switch mode {
	case "parent":
		exe, _ := os.Executable()
		p := New(Options{Argv: []string{exe}, Env: []string{"PROCESS_TEST=child"}})
		text, err := ask(context.Background(), p, 1)
		fmt.Println(text, err)
		time.Sleep(time.Hour)
	case "unasked":
		say(`{"early": true}`)
		time.Sleep(time.Hour)
	case "deaf":
		signal.Ignore(syscall.SIGTERM)
		time.Sleep(time.Hour)
	case "shut":
		os.Stdout.Close()
		time.Sleep(time.Hour)
	case "greets":
		say(`{"ready": true, "version": "2"}`)
	case "broken":
		fmt.Fprintln(os.Stderr, "first\n\x1b[31mno such model\x07")
		os.Exit(3)
	}
	for n := 1; ; n++ {
		text, err := in.ReadString('\n')
		if err != nil {
			return
		}
		switch mode {
		case "dies":
			if n == 3 {
				os.Exit(4)
			}
		case "last":
			say(`{"n": ` + strconv.Itoa(n) + `}`)
			return
		case "half":
			fmt.Print(`{"n": `)
			return
		case "flood":
			for {
				fmt.Print(strings.Repeat("x", 1<<16))
			}
		case "prints":
			say("loading the model")
		case "twice":
			say(`{"score": 1, "Score": 0}`)
			continue
		case "deep":
			say(strings.Repeat(`{"a":`, 200) + "1" + strings.Repeat("}", 200))
			continue
		case "wide":
			say(`{"a": [` + strings.Repeat("1,", 1<<16) + `1]` + strings.Repeat(`,"b": {}`, 1<<10) + `}`)
			continue
		case "two":
			fmt.Print("{\"n\": 1}\n{\"n\": 2}\n")
			continue
		case "child":
			c, apart := exec.Command("sleep", "3600"), exec.Command("sleep", "3600")
			c.Stdout, apart.SysProcAttr = os.Stdout, &syscall.SysProcAttr{Setsid: true}
			if err := errors.Join(c.Start(), apart.Start()); err != nil {
				panic(err)
			}
			say(fmt.Sprintf(`{"child": %d, "apart": %d}`, c.Process.Pid, apart.Process.Pid))
			continue
		case "env":
			b, _ := json.Marshal(map[string]any{"env": os.Environ()})
			say(string(b))
			continue
		case "noise":
			fmt.Fprint(os.Stderr, strings.Repeat("noise ", 100_000))
		}
		say(`{"n": ` + strconv.Itoa(n) + `, "length": ` + strconv.Itoa(len(text)) + `}`)
	}
}

// of returns a pool of the test's program in a mode.
func of(t testing.TB, mode string, change func(*Options)) *Pool {
	t.Helper()
	o := Options{Argv: []string{"/proc/self/exe"}, Env: []string{"PROCESS_TEST=" + mode}, Startup: 30 * time.Second, Timeout: 30 * time.Second}
	if exe, err := os.Executable(); err == nil {
		o.Argv = []string{exe}
	}
	if change != nil {
		change(&o)
	}
	p := New(o)
	t.Cleanup(p.Close)
	return p
}

func ask(ctx context.Context, p *Pool, in any) (out string, err error) {
	err = p.Do(ctx, func(proc *Process) error {
		b, err := proc.Ask(ctx, in)
		out = string(b)
		return err
	})
	return out, err
}

func TestAnswers(t *testing.T) {
	check := func(mode string, want ...string) *Pool {
		t.Helper()
		p := of(t, mode, nil)
		for i, w := range want {
			if out, err := ask(t.Context(), p, map[string]int{"i": i}); err != nil || !strings.Contains(out, w) {
				t.Errorf("%s, answer %d: %q, %v, want %s", mode, i, out, err, w)
			}
		}
		return p
	}
	check("echo", `"n": 1,`, `"n": 2,`, `"n": 3,`)
	check("dies", `"n": 1,`, `"n": 2,`, `"n": 1,`) // of old age: asked again in a new one
	check("last", `"n": 1}`, `"n": 1}`, `"n": 1}`)
	check("greets", `"n": 1,`, `"n": 2,`)
	check("noise", `"n": 1,`, `"n": 2,`)
	greets := of(t, "greets", func(o *Options) { o.Greets = true })
	if version, err := greets.Version(t.Context()); version != "2" || err != nil {
		t.Errorf("version %q, %v, want 2", version, err)
	}
	err := greets.Do(t.Context(), func(proc *Process) error {
		_, err := proc.Ask(t.Context(), 1)
		return err
	})
	if err != nil {
		t.Error(err)
	}
	p := of(t, "echo", nil)
	if out, err := ask(t.Context(), p, strings.Repeat("x", 1<<20)); err != nil || !strings.Contains(out, strconv.Itoa(1<<20+3)) {
		t.Errorf("a long line: %q, %v", out, err)
	}
	p.Close()
	if _, err := ask(t.Context(), p, 1); err == nil || !strings.Contains(err.Error(), "closed") {
		t.Errorf("a closed pool: %v", err)
	}
}

func TestFailures(t *testing.T) {
	check := func(mode string, kind Kind, want ...string) {
		t.Helper()
		p := of(t, mode, func(o *Options) { o.Limit, o.Startup, o.Timeout = 1<<18, 5*time.Second, 5*time.Second })
		if mode == "deaf" {
			p.o.Startup, p.o.Timeout = time.Millisecond, 50*time.Millisecond
		}
		for range 2 { // the second asks another program
			_, err := ask(t.Context(), p, strings.Repeat("x", 1<<17))
			e, ok := errors.AsType[*Error](err)
			if !ok || e.Kind != kind {
				t.Fatalf("%s: %v, want %s", mode, err, kind)
			}
			for _, w := range want {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("%s: %v, want %q", mode, err, w)
				}
			}
			if strings.ContainsAny(err.Error(), "\n\x1b\x07") {
				t.Errorf("%s: %q", mode, err)
			}
		}
	}
	check("broken", Died, "exit status 3", "no such model")
	check("half", Died, "exit status 0", `it wrote "{\"n\":"`)
	check("shut", Died, "killed")
	check("deaf", Late, "in time")
	check("flood", TooLong, "xxx...")
	check("prints", Nonsense, `"loading the model"`, "standard error")
	check("unasked", Unasked, `early`)
	check("twice", Nonsense, `it has "score" twice`)
	check("deep", Nonsense, "more than 100 deep")
	check("wide", Nonsense, `it has "b" twice`)
	greets := func(o *Options) { o.Greets, o.Startup = true, 200*time.Millisecond }
	for _, mode := range []string{"unasked", "deaf", "echo", "broken"} {
		want := Unready
		if mode == "broken" {
			want = Died
		}
		_, err := ask(t.Context(), of(t, mode, greets), 1)
		if e, ok := errors.AsType[*Error](err); !ok || e.Kind != want {
			t.Errorf("%s in place of a greeting: %v", mode, err)
		}
	}
}

func TestTwoLines(t *testing.T) {
	p := of(t, "two", nil)
	_, _ = ask(t.Context(), p, 1) // the second line comes with the first, or after it
	time.Sleep(100 * time.Millisecond)
	_, err := ask(t.Context(), p, 2)
	if e, ok := errors.AsType[*Error](err); !ok || e.Kind != Unasked {
		t.Errorf("two lines: %v", err)
	}
}

func TestUnstarted(t *testing.T) {
	check := func(want string, change func(*Options)) {
		t.Helper()
		_, err := ask(t.Context(), of(t, "echo", change), 1)
		if e, ok := errors.AsType[*Error](err); !ok || e.Kind != Unstarted || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	check("nowhere-such", func(o *Options) { o.Argv = []string{"nowhere-such"} })
	check("empty", func(o *Options) { o.Argv = nil })
	check("no such file", func(o *Options) { o.Dir = filepath.Join(t.TempDir(), "none") })
	check("no door", func(o *Options) {
		o.Setup = func(context.Context, int) ([]string, func(), error) { return nil, nil, errors.New("no door") }
	})
}

// TestStopped: a question ends with its context, and so does one that waits for its turn.
func TestStopped(t *testing.T) {
	p := of(t, "deaf", nil)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 2)
	for range 2 {
		go func() { _, err := ask(ctx, p, 1); ended <- err }()
	}
	time.Sleep(50 * time.Millisecond)
	cancel()
	for range 2 {
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
}

// TestChildren: a program's children end with it.
func TestChildren(t *testing.T) {
	p := of(t, "child", nil)
	out, err := ask(t.Context(), p, 1)
	var v children
	if err != nil || json.Unmarshal([]byte(out), &v) != nil || v.Child == 0 {
		t.Fatal(out, err)
	}
	p.Close()
	v.check(t)
}

// children are the processes that a program started: in its group, and in a session of its own.
type children struct{ Child, Apart int }

func (c children) check(t *testing.T) {
	t.Helper()
	if !ends(c.Child) {
		t.Error("the child lives")
	}
	if runtime.GOOS == "linux" && !ends(c.Apart) {
		t.Error("the child in a session of its own lives")
	}
}

// TestKilled: where this process is killed, its programs and their children end too.
func TestKilled(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(exe)
	c.Env = append(os.Environ(), "PROCESS_TEST=parent")
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	var v children
	if err := json.NewDecoder(out).Decode(&v); err != nil || v.Child == 0 {
		t.Fatal(v, err)
	}
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait()
	v.check(t)
}

// ends reports whether a process ends within a while.
func ends(pid int) bool {
	for range 200 {
		if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) || zombie(pid) {
			return true
		}
		time.Sleep(20 * time.Millisecond)
	}
	return false
}

// zombie reports whether a process has ended and waits for its new parent to notice.
func zombie(pid int) bool {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, after, _ := strings.Cut(string(b), ") ")
	return strings.HasPrefix(after, "Z")
}

func TestEnvironment(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "secret")
	t.Setenv("GITHUB_TOKEN", "secret")
	t.Setenv("HTTPS_PROXY", "http://u:secret@h")
	t.Setenv("LC_ALL", "C.UTF-8")
	var done atomic.Int32
	p := of(t, "env", func(o *Options) {
		o.Env = append(o.Env, "MINE=1", "TWICE=a")
		o.Setup = func(_ context.Context, slot int) ([]string, func(), error) {
			return []string{"SLOT=" + strconv.Itoa(slot), "TWICE=b"}, func() { done.Add(1) }, nil
		}
	})
	out, err := ask(t.Context(), p, 1)
	if err != nil || strings.Contains(out, "secret") {
		t.Errorf("%s, %v", out, err)
	}
	for _, want := range []string{`"MINE=1"`, `"SLOT=0"`, `"TWICE=b"`, `"PATH=`, `"LC_ALL=C.UTF-8"`, `"PYTHONUNBUFFERED=1"`} {
		if !strings.Contains(out, want) {
			t.Errorf("%s: no %s", out, want)
		}
	}
	p.Close()
	if done.Load() != 1 {
		t.Errorf("done was called %d times", done.Load())
	}
}

// TestMany: many questions at once share few programs, and nothing is left of them.
func TestMany(t *testing.T) {
	var slots [3]atomic.Bool
	p := of(t, "dies", func(o *Options) {
		o.Max = 3
		o.Setup = func(_ context.Context, slot int) ([]string, func(), error) {
			if slots[slot].Swap(true) {
				t.Errorf("slot %d is in use twice", slot)
			}
			return nil, func() { slots[slot].Store(false) }, nil
		}
	})
	theGuard() // they stay
	starter()
	before := runtime.NumGoroutine()
	var group sync.WaitGroup
	for i := range 40 {
		group.Go(func() {
			if _, err := ask(t.Context(), p, i); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	p.Close()
	for i := 0; i < 100 && runtime.NumGoroutine() > before+1; i++ {
		time.Sleep(10 * time.Millisecond)
	}
	if n := runtime.NumGoroutine(); n > before+1 {
		t.Errorf("%d goroutines, %d before", n, before)
	}
}

func TestCommandLine(t *testing.T) {
	check := func(want string, argv ...string) {
		t.Helper()
		if got := CommandLine(argv); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	check("python3 mine.py --k=3", "python3", "mine.py", "--k=3")
	check(`sh -c 'echo $HOME; it'\''s' ''`, "sh", "-c", "echo $HOME; it's", "")
	check("a 'b c'", "a", "b\x1b\nc")
}

// TestLogs: a log keeps the beginning alone.
func TestLogs(t *testing.T) {
	l := &Log{}
	var all strings.Builder
	l.To(func() (io.Writer, error) { return &all, nil })
	for range 3 {
		_, _ = l.Write(make([]byte, mostLog/2+1))
	}
	if !strings.HasSuffix(all.String(), "is left out\n") || all.Len() > mostLog+100 {
		t.Errorf("%d bytes kept", all.Len())
	}
}
