//go:build linux

package shell_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/shell"
)

var stressJobs = flag.Int("jobs", 60, "how many commands TestManyCommands runs")

// Commands of all sizes and ends, half of which leave somebody who speaks when the shell
// is gone: each keeps its bytes and its end, and nothing is left of any of them. It is
// not parallel: it counts what the process has.
func TestManyCommands(t *testing.T) {
	dir := t.TempDir()
	letters := make([]byte, 300_000)
	for i := range letters {
		letters[i] = "abcdefghijklmnopqrstuvwxyz\n"[rand.IntN(27)]
	}
	if err := os.WriteFile(filepath.Join(dir, "letters"), letters, 0o600); err != nil {
		t.Fatal(err)
	}
	goroutines, descriptors := runtime.NumGoroutine(), openFiles(t)
	// Each output is read again at once: none needs to be kept.
	sh, err := shell.Open(dir, &shell.Options{State: t.TempDir(), Limits: shell.Limits{Foreground: 4, Jobs: 4}})
	if err != nil {
		t.Fatal(err)
	}
	next := make(chan int)
	var working sync.WaitGroup
	for worker := range 4 {
		working.Go(func() {
			seat := me
			seat.Seat = arc.SeatID(fmt.Sprint("seat", worker))
			for i := range next {
				oneOfMany(t, sh, seat, i, letters)
			}
		})
	}
	for i := range *stressJobs {
		next <- i
	}
	close(next)
	working.Wait()
	if err := sh.Close(context.Background()); err != nil {
		t.Error(err)
	}
	await(t, "the end of all goroutines and descriptors", func() bool {
		return runtime.NumGoroutine() <= goroutines && openFiles(t) <= descriptors+2 // the poller's
	})
	if n := zombies(t); n != 0 {
		t.Errorf("%d zombies are left", n)
	}
}

// oneOfMany runs one command whose output, end and survivors are chosen at random.
func oneOfMany(t *testing.T, sh *shell.Shell, origin arc.Origin, i int, letters []byte) {
	size, late := rand.IntN(len(letters)), 0
	command := fmt.Sprintf("head -c %d letters", size)
	if rand.IntN(2) == 0 {
		late = 1 + rand.IntN(1000)
		command = fmt.Sprintf("shell=$$; (while kill -0 $shell 2>/dev/null; do sleep 0.005; done; tail -c %d letters) &\n", late) + command
	}
	exit, signal := rand.IntN(256), ""
	if rand.IntN(4) == 0 {
		signal = "SIGKILL"
		command += "\nkill -KILL $$"
	} else {
		command += fmt.Sprintf("\nexit %d", exit)
	}
	r, err := sh.Exec(context.Background(), origin, shell.ExecArgs{Command: command})
	if err != nil {
		t.Errorf("%d: %v", i, err)
		return
	}
	if r.Background != nil {
		await(t, "the end of who was left", func() bool {
			_, ended, err := sh.JobStatus(context.Background(), origin.Seat, r.Background.JobID)
			return ended || err != nil
		})
	}
	if r.Signal != signal || signal == "" && (code(r) != exit || (r.Status == "completed") != (exit == 0)) {
		t.Errorf("%d: the answer is %+v, want exit %d, signal %q", i, r, exit, signal)
	}
	var said strings.Builder
	for offset, eof := int64(0), false; !eof; {
		p, err := sh.Output(context.Background(), origin.Seat, shell.OutputArgs{SpoolID: r.SpoolID, Offset: offset})
		if err != nil {
			t.Errorf("%d: %v", i, err)
			return
		}
		said.WriteString(p.Output)
		offset, eof = offset+p.Bytes, p.EOF
	}
	if want := string(letters[:size]) + string(letters[len(letters)-late:]); said.String() != want {
		t.Errorf("%d: it said %d bytes, want %d, or others", i, said.Len(), len(want))
	}
}

func openFiles(t *testing.T) int {
	t.Helper()
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(fds)
}

// zombies counts this process's children that have ended and were not waited for.
func zombies(t *testing.T) (n int) {
	t.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range stats {
		if b, err := os.ReadFile(f); err == nil && strings.Contains(string(b), fmt.Sprintf(") Z %d ", os.Getpid())) {
			n++
		}
	}
	return n
}
