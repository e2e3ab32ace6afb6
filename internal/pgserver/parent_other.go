//go:build unix && !linux

package pgserver

import "syscall"

func endWithParent(*syscall.SysProcAttr) {}
