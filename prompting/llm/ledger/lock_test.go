package ledger

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"assay/prompting/llm"
)

// helperEnv makes the test binary hold the lock of the ledger that it names, until it is killed.
const helperEnv = "LEDGER_TEST_HOLD"

func TestMain(m *testing.M) {
	if path := os.Getenv(helperEnv); path != "" {
		if file := os.Getenv(importEnv); file != "" {
			importElsewhere(path, file)
			return
		}
		l, err := Open(path)
		if err == nil {
			_, err = l.Acquire(context.Background(), "run of another", false)
		}
		fmt.Println("held:", err)
		time.Sleep(time.Minute)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// holdElsewhere starts a process that holds the lock, and returns what kills it.
func holdElsewhere(t *testing.T, path string) (pid int, kill func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), helperEnv+"="+path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill = func() {
		cmd.Process.Kill() // SIGKILL on systems that have it
		cmd.Wait()
	}
	t.Cleanup(kill)
	if said, err := bufio.NewReader(out).ReadString('\n'); said != "held: <nil>\n" {
		t.Fatalf("the other process said %q, %v", said, err)
	}
	return cmd.Process.Pid, kill
}

func TestASecondProcessLearnsWhoHoldsTheLock(t *testing.T) {
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "ledger.db")
	pid, kill := holdElsewhere(t, path)
	l := openTest(t, path)
	_, err := l.Acquire(ctx, "mine", false)
	var held *HeldError
	if !errors.As(err, &held) || held.Holder.PID != pid || held.Holder.What != "run of another" || time.Since(held.Holder.Since) > time.Minute {
		t.Fatalf("err = %v", err)
	}
	for _, part := range []string{fmt.Sprint("process ", pid), "run of another", "--store", path} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q lacks %q", err, part)
		}
	}
	soon, cancel := context.WithTimeout(ctx, 3*lockPoll/2)
	defer cancel()
	if _, err := l.Acquire(soon, "mine", true); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), fmt.Sprint(pid)) {
		t.Errorf("a wait that ends: %v", err)
	}

	// Reading needs no lock, and a call is refused before it is made.
	inner := &llm.Scripted{}
	m := l.Wrap(inner, Options{Hold: "mine"})
	if _, err := m.Generate(ctx, request("q", 0)); !errors.As(err, &held) || len(inner.Asked()) != 0 {
		t.Errorf("a call: %v after %d calls", err, len(inner.Asked()))
	}
	if err := l.Put(ctx, request("q", 1), llm.Response{Text: "x"}); err != nil {
		t.Fatal(err)
	}
	if resp, err := m.Generate(ctx, request("q", 1)); err != nil || resp.Text != "x" {
		t.Errorf("what is held: %+v, %v", resp, err)
	}

	// The kernel gives the lock of a killed process back to the one that waits.
	done := make(chan error, 1)
	go func() {
		_, err := l.Wrap(inner, Options{Hold: "mine", Wait: true}).Generate(ctx, request("q", 0))
		done <- err
	}()
	select {
	case err := <-done:
		t.Fatalf("it did not wait: %v", err)
	case <-time.After(2 * lockPoll):
	}
	kill()
	if err := <-done; err != nil || len(inner.Asked()) != 1 {
		t.Errorf("after the kill: %v, %d calls", err, len(inner.Asked()))
	}
}

func TestTheLockIsCountedAndGivenBack(t *testing.T) {
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "ledger.db")
	a, b := openTest(t, path), openTest(t, path)
	take := func(l *Ledger, free bool) func() {
		t.Helper()
		release, err := l.Acquire(ctx, "x", false)
		if (err == nil) != free {
			t.Fatalf("err = %v, want free %v", err, free)
		}
		return release
	}
	first := take(a, true)
	second := take(a, true) // the same ledger again
	take(b, false)
	first()
	first() // twice is once
	take(b, false)
	second()
	take(b, true)()
	c, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	take(c, true)
	if err := c.Close(); err != nil { // gives it back
		t.Fatal(err)
	}
	take(b, true)
}

func TestWhatWasStoredByTheHolderIsNotAskedAgain(t *testing.T) {
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "ledger.db")
	a, b := openTest(t, path), openTest(t, path)
	release, err := a.Acquire(ctx, "x", false)
	if err != nil {
		t.Fatal(err)
	}
	inner := &llm.Scripted{}
	done := make(chan llm.Response)
	go func() {
		resp, err := b.Wrap(inner, Options{Hold: "y", Wait: true}).Generate(ctx, request("q", 0))
		if err != nil {
			t.Error(err)
		}
		done <- resp
	}()
	time.Sleep(lockPoll / 2)
	if err := a.Put(ctx, request("q", 0), llm.Response{Text: "the holder's"}); err != nil {
		t.Fatal(err)
	}
	release()
	if resp := <-done; resp.Text != "the holder's" || len(inner.Asked()) != 0 {
		t.Errorf("%+v after %d calls", resp, len(inner.Asked()))
	}
}

// TestHolding: a process is believed to hold the lock where it has the file open, whatever the file says.
func TestHolding(t *testing.T) {
	if _, err := os.Stat("/proc/self/fd"); err != nil {
		t.Skip("this system has no /proc")
	}
	path := filepath.Join(t.TempDir(), "ledger.db")
	check := func(what string, want int) {
		t.Helper()
		if h, ok := Holding(path); ok != (want != 0) || h.PID != want {
			t.Errorf("%s: %+v, %v, want %d", what, h, ok, want)
		}
	}
	check("no lock", 0)
	pid, kill := holdElsewhere(t, path)
	check("held", pid)
	kill()
	check("its holder was killed, and left its name", 0)
	host, _ := os.Hostname()
	for _, text := range []string{"", "{", `{"pid": -1}`, `{"pid": 1, "host": "elsewhere"}`, fmt.Sprintf(`{"pid": %d, "host": %q}`, os.Getppid(), host)} {
		if err := os.WriteFile(path+lockSuffix, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		check(text, 0)
	}
}
