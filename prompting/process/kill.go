//go:build unix

package process

import "syscall"

// apart puts the guard into a session of its own, which no terminal reaches.
func apart() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// killGroup kills a program and its children, but for those that made a group of their own: see killMarked.
func killGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) }
