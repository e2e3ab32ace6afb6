package seat

import (
	"time"

	"golang.org/x/sys/unix"
)

// Elapsed counts suspend, as Go's monotonic clock on Linux does not.
func (w wall) Elapsed() time.Duration {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &ts); err != nil {
		return time.Since(w.start)
	}
	return time.Duration(ts.Nano())
}
