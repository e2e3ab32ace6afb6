package proc

import (
	"os"

	"golang.org/x/sys/unix"
)

// pipeSize lets programs that exit before their output is written, as Node does,
// lose none of their first MiB. It is also the system's limit for a user.
const pipeSize = 1 << 20

// ends makes a pipe. Only the end that is read here is one for the runtime's poller: that
// both are, as os.Pipe has it, costs a quick command several calls, and wakes the poller
// for an end that goes to the command as it is.
func ends() (r, w *os.File, err error) {
	var fds [2]int
	if err := unix.Pipe2(fds[:], unix.O_CLOEXEC); err != nil {
		return nil, nil, os.NewSyscallError("pipe2", err)
	}
	// A user who has many pipes is refused the size, and does without.
	_, _ = unix.FcntlInt(uintptr(fds[1]), unix.F_SETPIPE_SZ, pipeSize)
	if err := unix.SetNonblock(fds[0], true); err != nil {
		_, _ = unix.Close(fds[0]), unix.Close(fds[1])
		return nil, nil, os.NewSyscallError("fcntl", err)
	}
	return os.NewFile(uintptr(fds[0]), "|0"), os.NewFile(uintptr(fds[1]), "|1"), nil
}
