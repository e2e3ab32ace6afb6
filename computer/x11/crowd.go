//go:build (linux && (386 || amd64 || arm || arm64 || riscv64)) || freebsd || netbsd || openbsd

package x11

import (
	"bytes"
	"os"
	"runtime"
	"strconv"
)

// crowd is how many programs want each processor of this machine at this moment: 1
// where that is not known, or the display is another machine's.
func (d *Desktop) crowd() int {
	if !d.wire.local {
		return 1
	}
	load, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return 1
	}
	return crowdOf(load, runtime.NumCPU())
}

// crowdOf reads the fourth field, which is running/all, and counts this program out.
func crowdOf(load []byte, processors int) int {
	fields := bytes.Fields(load)
	if len(fields) < 4 {
		return 1
	}
	running, _, _ := bytes.Cut(fields[3], []byte("/"))
	n, err := strconv.Atoi(string(running))
	if err != nil {
		return 1
	}
	return max(1, (n-1+processors-1)/processors)
}
