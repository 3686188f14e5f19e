//go:build unix

package process

import "syscall"

// killGroup kills a program and its children, but for those that made a group of their own.
func killGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) }
