package process

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"sync"
	"time"
)

// grace is how long a program may take to end once it has closed its output, and its pipes once it has ended; a grandchild
// that left the group may hold them.
const grace = 250 * time.Millisecond

// start starts the program of a slot. It waits for nothing that the program does.
func (p *Pool) start(ctx context.Context, slot int) (*Process, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	env, done := slices.Concat(Environment(), p.o.Env), func() {}
	if p.o.Setup != nil {
		more, end, err := p.o.Setup(ctx, slot)
		if err != nil {
			return nil, p.unstarted(err)
		}
		env = append(env, more...)
		if end != nil {
			done = end
		}
	}
	proc, err := p.spawn(slot, env)
	if err != nil {
		done()
		return nil, p.unstarted(err)
	}
	proc.done = done
	return proc, nil
}

func (p *Pool) unstarted(err error) error {
	return &Error{Kind: Unstarted, Argv: p.o.Argv, Dir: p.o.Dir, Cause: err.Error()}
}

// spawn starts the program between three pipes.
func (p *Pool) spawn(slot int, env []string) (*Process, error) {
	if len(p.o.Argv) == 0 {
		return nil, errors.New("the command is empty")
	}
	var mine, its [3]*os.File
	for i := range mine {
		r, w, err := os.Pipe()
		if err != nil {
			shut(mine[:], its[:])
			return nil, err
		}
		mine[i], its[i] = r, w
	}
	mine[0], its[0] = its[0], mine[0]
	cmd := exec.Command(p.o.Argv[0], p.o.Argv[1:]...)
	mark := newMark()
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = p.o.Dir, append(env, mark), its[0], its[1], its[2]
	cmd.SysProcAttr = group()
	done := make(chan error)
	starter() <- func() { done <- cmd.Start() }
	err := <-done
	shut(its[:])
	if err != nil {
		shut(mine[:])
		return nil, err
	}
	return p.attend(slot, cmd, mark, mine), nil
}

func shut(lists ...[]*os.File) {
	for _, list := range lists {
		for _, f := range list {
			if f != nil {
				f.Close()
			}
		}
	}
}

// starter runs functions on one thread that never ends: a program asks the kernel to be killed with its parent, which for the
// kernel is the thread that started it.
var starter = sync.OnceValue(func() chan<- func() {
	c := make(chan func())
	go func() {
		runtime.LockOSThread()
		for f := range c {
			f()
		}
	}()
	return c
})

// attend reads what a program writes, and waits for its end.
func (p *Pool) attend(slot int, cmd *exec.Cmd, mark string, pipes [3]*os.File) *Process {
	written, quit, gone := make(chan line), make(chan struct{}), make(chan struct{})
	proc := &Process{pool: p, slot: slot, in: pipes[0], lines: written, tail: &tail{}, started: time.Now()}
	var readers sync.WaitGroup
	readers.Go(func() { read(pipes[1], p.o.Limit, written, quit) })
	readers.Go(func() {
		log := &lines{to: p.stderr}
		_, _ = io.Copy(io.MultiWriter(proc.tail, log), pipes[2])
		log.end()
	})
	theGuard().add(cmd.Process.Pid)
	go func() {
		_ = cmd.Wait() // its verdict is in cmd.ProcessState
		killGroup(cmd.Process.Pid)
		killMarked(mark)
		theGuard().remove(cmd.Process.Pid)
		for _, f := range pipes[1:] {
			_ = f.SetReadDeadline(time.Now().Add(grace))
		}
		close(gone)
	}()
	proc.gone = gone
	proc.stop = sync.OnceValue(func() string {
		how := "killed"
		select {
		case <-gone:
			how = cmd.ProcessState.String()
		default:
			killGroup(cmd.Process.Pid)
			<-gone
		}
		close(quit)
		readers.Wait()
		shut(pipes[:])
		proc.done()
		return how
	})
	return proc
}

// read hands over a program's lines until quit is closed, and then why there are no more.
func read(from io.Reader, limit int, to chan<- line, quit <-chan struct{}) {
	r := bufio.NewReaderSize(from, 64<<10)
	for {
		l := next(r, limit)
		select {
		case to <- l:
		case <-quit:
			return
		}
		if l.why != "" {
			return
		}
	}
}

// next reads a line; one that has no end is the beginning of it, with the reason.
func next(r *bufio.Reader, limit int) line {
	var text []byte
	for {
		part, err := r.ReadSlice('\n')
		text = append(text, part...)
		switch {
		case len(text) > limit+1:
			return line{text[:limit], TooLong}
		case err == nil:
			return line{bytes.TrimRight(text, "\r\n"), ""}
		case !errors.Is(err, bufio.ErrBufferFull):
			return line{text, Died}
		}
	}
}
