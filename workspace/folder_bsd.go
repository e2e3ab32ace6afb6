//go:build unix && !linux

package workspace

import "syscall"

// openFlags keep an open from waiting on a pipe or a device.
const openFlags = syscall.O_NONBLOCK
