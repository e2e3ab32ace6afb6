package proc

import (
	"os"

	"golang.org/x/sys/unix"
)

// pipeSize lets programs that exit before their output is written, as Node does,
// lose none of their first MiB. It is also the system's limit for a user.
const pipeSize = 1 << 20

// enlarge does what it can: a user who has many pipes is refused.
func enlarge(f *os.File) {
	raw, err := f.SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Control(func(fd uintptr) {
		_, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, pipeSize)
	})
}
