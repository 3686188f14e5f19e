//go:build unix

package sqlite

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// worker is a process that answers requests: see worker.c. One goroutine at a time may use it; any may kill it.
type worker struct {
	process *os.Process
	in, out int        // the parent's ends of its pipes; they block, which is twice as fast as the poller for answers this short
	closing sync.Mutex // a descriptor that was closed may be another file's by now
	closed  bool
	killed  atomic.Bool
	late    atomic.Bool   // it was killed at its deadline
	timer   *time.Timer   // kills it then
	silence time.Duration // where above 0, the timer runs while an answer is waited for, and begins anew with each part of it
	wire
}

// spawn runs functions on one thread that never ends. A worker asks the kernel to be killed with its parent, and for the
// kernel the parent is the thread that started it.
var spawn = sync.OnceValue(func() chan<- func() {
	c := make(chan func())
	go func() {
		runtime.LockOSThread()
		for f := range c {
			f()
		}
	}()
	return c
})

// program returns the path of this program. On Linux that is also right after the file was replaced.
func program() (string, error) {
	if runtime.GOOS == "linux" {
		return "/proc/self/exe", nil
	}
	return os.Executable()
}

// start starts a worker whose address space has room for these many bytes beyond the program itself.
func start(space int64) (*worker, error) {
	path, err := program()
	if err != nil {
		return nil, err
	}
	w := &worker{}
	var child [2]*os.File
	if child[0], w.in, err = pipe(false); err != nil {
		return nil, fmt.Errorf("sqlite: start a process for statements: %w", err)
	}
	defer child[0].Close()
	if child[1], w.out, err = pipe(true); err != nil {
		syscall.Close(w.in)
		return nil, fmt.Errorf("sqlite: start a process for statements: %w", err)
	}
	defer child[1].Close()
	c := &exec.Cmd{Path: path, Args: []string{"assay-sql"}, Dir: "/", Stdin: child[0], Stdout: child[1],
		Env: []string{"ASSAY_SQL_WORKER=1", "ASSAY_SQL_SPACE_MB=" + strconv.FormatInt(space>>20, 10)}}
	for _, name := range []string{"SQLITE_TMPDIR", "TMPDIR"} {
		if v := os.Getenv(name); v != "" {
			c.Env = append(c.Env, name+"="+v)
		}
	}
	done := make(chan error)
	spawn() <- func() { done <- c.Start() }
	if err := <-done; err != nil {
		syscall.Close(w.in)
		syscall.Close(w.out)
		return nil, fmt.Errorf("sqlite: start a process for statements: %w", err)
	}
	w.process = c.Process
	w.wire.from = w.read
	return w, nil
}

// pipe returns a pipe as the child's end, a file, and the parent's end, a descriptor that no child inherits. What comes
// from the child is a pair of sockets, because a read of one can be ended by the parent: after a kill, the end of a pipe
// comes once the kernel has freed the child's temporary files, which takes it a while.
func pipe(fromChild bool) (child *os.File, parent int, err error) {
	var p [2]int
	syscall.ForkLock.RLock() // between the calls below, no process may be started that would inherit the descriptors
	if fromChild {
		p, err = syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	} else {
		err = syscall.Pipe(p[:])
	}
	if err == nil {
		syscall.CloseOnExec(p[0])
		syscall.CloseOnExec(p[1])
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, 0, err
	}
	if fromChild {
		return os.NewFile(uintptr(p[1]), "out"), p[0], nil
	}
	return os.NewFile(uintptr(p[0]), "in"), p[1], nil
}

// read reads what there is of an answer, up to the length of b.
func (w *worker) read(b []byte) (int, error) {
	if w.silence > 0 {
		w.timer.Reset(w.silence)
		defer w.timer.Stop()
	}
	for {
		n, err := syscall.Read(w.out, b)
		switch {
		case err == syscall.EINTR:
		case err != nil:
			return 0, err
		case n == 0:
			return 0, errGone
		default:
			return n, nil
		}
	}
}

// send writes a request.
func (w *worker) send(b []byte) error {
	for len(b) > 0 {
		n, err := syscall.Write(w.in, b)
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			return errGone
		}
		b = b[n:]
	}
	return nil
}

// errGone says that a worker ended in the middle of an answer.
var errGone = errors.New("the process ended")

// kill ends the process at once. Reading from it then fails.
func (w *worker) kill() {
	w.killed.Store(true)
	w.closing.Lock()
	defer w.closing.Unlock()
	if !w.closed {
		w.process.Kill()
		_ = syscall.Shutdown(w.out, syscall.SHUT_RD)
	}
}

// end kills the process and returns how it ended.
func (w *worker) end() *os.ProcessState {
	w.process.Kill()
	state, _ := w.process.Wait()
	w.closing.Lock()
	defer w.closing.Unlock()
	w.closed = true
	syscall.Close(w.in)
	syscall.Close(w.out)
	return state
}
