//go:build unix && !linux

package worker

import (
	"os"
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// poll is how often a worker looks at its own memory where the system does not
// limit it.
const poll = 50 * time.Millisecond

// limit takes from this process what the reading of a file has no need of. The
// system's limit of data does not hold what is mapped, so memory is polled.
func limit(memory int64) error {
	for _, which := range []int{unix.RLIMIT_CORE, unix.RLIMIT_FSIZE} {
		if err := unix.Setrlimit(which, &unix.Rlimit{}); err != nil {
			return err
		}
	}
	go func() {
		for {
			var u unix.Rusage
			if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err == nil && resident(u.Maxrss) > memory {
				os.Stderr.WriteString(outOfMemory + "\n")
				os.Exit(exitMemory)
			}
			time.Sleep(poll)
		}
	}()
	return nil
}

const exitMemory = 70 // more memory than the limit

// resident is a process's largest size in bytes: macOS counts bytes, the others
// count KiB.
func resident(maxrss int64) int64 {
	if runtime.GOOS == "darwin" {
		return maxrss
	}
	return maxrss << 10
}
