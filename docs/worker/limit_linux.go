package worker

import (
	"bytes"
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// leastRoom is what a worker may take beyond what its program had taken when it
// began, in bytes. It matters where the program itself is large: a race
// detector's shadow alone is more than any limit.
const leastRoom = 256 << 20

// limit takes from this process what the reading of a file has no need of.
// RLIMIT_AS would be the wrong limit for memory: Go reserves address space that
// it never uses.
func limit(memory int64) error {
	if taken, err := dataSize(); err == nil && taken+leastRoom > memory {
		memory = taken + leastRoom
	}
	for _, l := range []struct {
		name  string
		which int
		most  int64
	}{
		{"memory", unix.RLIMIT_DATA, memory},
		{"core files", unix.RLIMIT_CORE, 0},
		{"the size of files", unix.RLIMIT_FSIZE, 0},
		{"open files", unix.RLIMIT_NOFILE, 64},
	} {
		n := uint64(l.most)
		if err := unix.Setrlimit(l.which, &unix.Rlimit{Cur: n, Max: n}); err != nil {
			return fmt.Errorf("%s cannot be limited: %w", l.name, err)
		}
	}
	// The host's end also closes a pipe, which the worker watches; this is for a
	// worker that has stopped to watch. It counts from the thread that started
	// the worker, and a Go program ends threads only where a goroutine that was
	// locked to one returns: then the host starts another worker.
	parent := os.Getppid()
	if err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0); err != nil {
		return err
	}
	if os.Getppid() != parent {
		os.Exit(exitHost) // it died before it was watched
	}
	return nil
}

// dataSize is what RLIMIT_DATA counts, in bytes.
func dataSize() (int64, error) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, err
	}
	_, rest, _ := bytes.Cut(status, []byte("\nVmData:"))
	line, _, _ := bytes.Cut(rest, []byte("kB"))
	n, err := strconv.ParseInt(string(bytes.TrimSpace(line)), 10, 64)
	return n << 10, err
}
