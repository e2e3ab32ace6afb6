package proc

import (
	"bytes"
	"errors"
	"math"
	"strconv"

	"golang.org/x/sys/unix"
)

// starved reports whether a look failed for want of something that the system or this
// process has used up: nobody may be said to be gone then.
func starved(err error) bool {
	return errors.Is(err, unix.EMFILE) || errors.Is(err, unix.ENFILE) || errors.Is(err, unix.ENOMEM)
}

// roomy runs a look, and once more with room if it was starved.
func roomy(look func() error) error {
	err := look()
	if starved(err) {
		_ = withRoom(func() { err = look() }) // an error: the first one's stands
	}
	return err
}

const (
	roomFor  = 16      // descriptors that a look may need at once, and some
	mostUsed = 1 << 16 // numbers that are looked through for them
)

// withRoom runs f where there are descriptors to be had though this process has used all
// of its own: on a thread that has a table of them for itself, a copy of which some are
// closed. The process keeps what it has. f may use system calls and no file of the
// runtime's, nor a timer: they know the process's table alone. Nothing is run, and the
// error says why, where the system does not let a thread have such a table.
func withRoom(f func()) (err error) {
	OnOwnThread(func() {
		if err = ownTable(); err != nil {
			return
		}
		freed := 0
		for fd := 3; fd < mostUsed && freed < roomFor; fd++ {
			if spare(fd) && unix.Close(fd) == nil {
				freed++
			}
		}
		f()
	})
	return err
}

// ownTable gives the calling thread a table of its own, for good. To close a range in
// which nothing is, and unshare, is allowed in containers in which unshare(2) is not.
func ownTable() error {
	err := unix.CloseRange(math.MaxInt32, math.MaxInt32, unix.CLOSE_RANGE_UNSHARE)
	if err != nil {
		return unix.Unshare(unix.CLONE_FILES)
	}
	return nil
}

// spare reports whether a descriptor can be closed in a copy of the table. The runtime
// waits for others by those without a file, and ends the process if they fail it.
func spare(fd int) bool {
	var at [32]byte
	n, err := unix.Readlink("/proc/thread-self/fd/"+strconv.Itoa(fd), at[:])
	return err == nil && !bytes.HasPrefix(at[:n], []byte("anon_inode:"))
}
