package process

import "syscall"

// group puts a program into a process group of its own, and has the kernel kill it when this process ends, however it does.
func group() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
