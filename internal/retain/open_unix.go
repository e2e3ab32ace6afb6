//go:build unix

package retain

import (
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// readFlags neither follow a link nor wait on a pipe.
const readFlags = unix.O_NOFOLLOW | unix.O_NONBLOCK

// appendTo adds b to a file in one write, and makes the file if it is missing. It asks
// the system itself: os would ask it as often again for what a file does not need.
func appendTo(path string, b []byte) error {
	fd, err := unix.Open(path, unix.O_WRONLY|unix.O_APPEND|unix.O_CREAT|unix.O_CLOEXEC|readFlags, 0o600)
	if err != nil {
		return &os.PathError{Op: "open", Path: path, Err: err}
	}
	n, err := unix.Write(fd, b)
	for errors.Is(err, unix.EINTR) {
		n, err = unix.Write(fd, b)
	}
	if err == nil && n < len(b) {
		err = io.ErrShortWrite // a full disk took what fitted
	}
	if no := unix.Close(fd); err == nil {
		err = no
	}
	if err != nil {
		return &os.PathError{Op: "write", Path: path, Err: err}
	}
	return nil
}
