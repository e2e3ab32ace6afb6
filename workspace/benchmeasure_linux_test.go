package workspace

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// used is what something took.
type used struct{ cpu, wall time.Duration }

// call measures do, in this process.
func call(t *testing.T, do func()) used {
	t.Helper()
	began, at := selfCPU(t), time.Now()
	do()
	return used{selfCPU(t) - began, time.Since(at)}
}

func selfCPU(t *testing.T) time.Duration {
	t.Helper()
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		t.Fatal(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// program measures a program whose output goes nowhere; one that finds nothing
// fails with 1.
func program(t *testing.T, name string, args ...string) used {
	t.Helper()
	c := exec.Command(name, args...)
	at := time.Now()
	if err := c.Run(); err != nil && c.ProcessState.ExitCode() != 1 {
		t.Fatal(name, args, err)
	}
	return used{c.ProcessState.UserTime() + c.ProcessState.SystemTime(), time.Since(at)}
}

// A rival is one way to do something.
type rival struct {
	name string
	run  func() used
}

// compare lets them take turns. It returns the medians of their times, and a
// function for the median ratios of one's to another's.
func compare(rivals []rival) (times []used, ratios func(i, to int) ratio) {
	all := make([][]used, len(rivals))
	for _, r := range rivals { // brings everything into the page cache
		r.run()
	}
	for round := range *benchRuns {
		for i := range rivals {
			i = (i + round) % len(rivals)
			if round%2 == 1 { // so that none always follows the same other
				i = len(rivals) - 1 - i
			}
			all[i] = append(all[i], rivals[i].run())
		}
	}
	for i := range rivals {
		var cpu, wall []time.Duration
		for _, u := range all[i] {
			cpu, wall = append(cpu, u.cpu), append(wall, u.wall)
		}
		times = append(times, used{median(cpu), median(wall)})
	}
	return times, func(i, to int) ratio {
		var cpu, wall []float64
		for round, u := range all[i] {
			cpu = append(cpu, float64(u.cpu)/float64(all[to][round].cpu))
			wall = append(wall, float64(u.wall)/float64(all[to][round].wall))
		}
		return ratio{median(cpu), median(wall)}
	}
}

type ratio struct{ cpu, wall float64 }

// peakOf is how many MiB the process has in memory at most during do.
func peakOf(t *testing.T, do func()) float64 {
	t.Helper()
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
		t.Log("the peak is that of the whole run: ", err)
	}
	do()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	kib := 0
	if _, err := fmt.Sscan(rest, &kib); err != nil {
		t.Fatal(err)
	}
	return float64(kib) / 1024
}
