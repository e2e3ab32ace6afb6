//go:build unix

package shelltest

import (
	"os"

	"golang.org/x/sys/unix"
)

// dup makes a second hold of a pipe. It blocks, so that the shell's stays as it is.
func dup(f *os.File) (*os.File, error) {
	raw, err := f.SyscallConn()
	if err != nil {
		return nil, err
	}
	var fd int
	inner := error(nil)
	if err := raw.Control(func(old uintptr) { fd, inner = unix.FcntlInt(old, unix.F_DUPFD_CLOEXEC, 0) }); err != nil {
		return nil, err
	}
	if inner != nil {
		return nil, os.NewSyscallError("fcntl", inner)
	}
	return os.NewFile(uintptr(fd), f.Name()), nil
}
