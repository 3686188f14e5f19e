package process

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// group puts a program into a process group of its own, and has the kernel kill it when this process ends, however it does.
func group() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// rounds bounds how often descendants are looked for: one may start another while it is looked for.
const rounds = 5

// killMarked kills the processes that have a variable in their environment.
func killMarked(mark string) {
	for range rounds {
		left := marked(mark)
		for _, pid := range left {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		if len(left) == 0 {
			return
		}
	}
}

// marked lists the processes that have a variable in their environment. A process that is dead has none.
func marked(mark string) (out []int) {
	files, _ := filepath.Glob("/proc/[0-9]*/environ") // its only error is a wrong pattern
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil || !bytes.Contains(append([]byte{0}, text...), []byte("\x00"+mark+"\x00")) {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(f))); err == nil {
			out = append(out, pid)
		}
	}
	return out
}
