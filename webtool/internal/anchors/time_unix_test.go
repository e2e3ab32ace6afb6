//go:build unix

package anchors

import (
	"time"

	"golang.org/x/sys/unix"
)

// processTime is the time that this process has had a processor: what others do on
// the machine does not count.
func processTime() time.Duration {
	var u unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
