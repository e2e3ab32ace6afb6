//go:build linux

package shell_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/shell"
)

// crashDir is the folder of a host that this test's process is, and that is killed.
const crashDir = "ARC_TEST_CRASH_DIR"

// crash runs the test of this name as a host in dir, whose body ends in die.
func crash(t *testing.T, dir string) {
	t.Helper()
	host := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	host.Env = append(os.Environ(), crashDir+"="+dir)
	var exit *exec.ExitError
	if out, err := host.CombinedOutput(); !errors.As(err, &exit) || exit.ExitCode() != -1 {
		t.Fatalf("the host ended by itself: %v\n%s", err, out)
	}
}

// die ends a host so that it leaves all it has: its watch ends first.
func die(t *testing.T) {
	t.Helper()
	for _, pid := range watches(t, os.Getpid()) {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
	}
	dieWatched(t)
}

// watches are the watches of a host.
func watches(t *testing.T, host int) (pids []int) {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		dir := filepath.Dir(f)
		line, err := os.ReadFile(f)
		stat, err2 := os.ReadFile(filepath.Join(dir, "stat"))
		_, rest, _ := strings.Cut(string(stat), ") ")
		if err == nil && err2 == nil && strings.Contains(string(line), "\x00arc-watch\x00") && strings.HasPrefix(rest[1:], fmt.Sprintf(" %d ", host)) {
			pid, err := strconv.Atoi(filepath.Base(dir))
			if err != nil {
				t.Fatal(err)
			}
			pids = append(pids, pid)
		}
	}
	return pids
}

// dieWatched ends a host as whoever kills it would.
func dieWatched(t *testing.T) {
	t.Helper()
	if err := syscall.Kill(os.Getpid(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	select {}
}

// pidIn is the number in a file, once it is there.
func pidIn(t *testing.T, file string) string {
	t.Helper()
	var pid string
	await(t, file, func() bool {
		b, err := os.ReadFile(file)
		pid = strings.TrimSpace(string(b))
		return err == nil && pid != ""
	})
	return pid
}

func gone(pid string) bool {
	stat, err := os.ReadFile("/proc/" + pid + "/stat")
	return err != nil || strings.Contains(string(stat), ") Z ")
}

// A command that says nothing does not notice that its host was killed, and its watch
// may have been killed as well. The next host ends it, also one that will not be asked, whatever it
// has started in its group, one in the foreground, and what a finished one has left.
func TestWhatAKilledHostHasLeftIsEnded(t *testing.T) {
	names := []string{"job", "member", "foreground", "daemon"}
	if dir := os.Getenv(crashDir); dir != "" {
		sh, err := shell.Open(dir, &shell.Options{State: filepath.Join(dir, "state")})
		if err != nil {
			t.Fatal(err)
		}
		background(t, sh, "trap '' TERM; (echo $BASHPID >member; exec sleep 600) & echo $$ >job; while :; do sleep 0.1; done")
		run(t, sh, shell.ExecArgs{Command: "setsid -f bash -c 'echo $$ >daemon; exec sleep 600 >/dev/null 2>&1'"})
		go func() {
			_, _ = sh.Exec(t.Context(), me, shell.ExecArgs{Command: "echo $$ >foreground; exec sleep 600"})
		}()
		for _, name := range names {
			pidIn(t, filepath.Join(dir, name))
		}
		await(t, "the record of the command in the foreground", func() bool {
			files, err := filepath.Glob(filepath.Join(dir, "state", "spool", "*.json"))
			named := 0
			for _, f := range files {
				if strings.Contains(lastRecord(f), `"pid":`) {
					named++
				}
			}
			return err == nil && named == 2
		})
		die(t)
	}
	t.Parallel()
	dir := t.TempDir()
	crash(t, dir)
	for _, name := range names {
		if pid := pidIn(t, filepath.Join(dir, name)); gone(pid) {
			t.Fatalf("%s has ended with its host", name)
		}
	}
	var notices told
	open(t, &shell.Options{State: filepath.Join(dir, "state"), Notify: notices.add, Limits: shell.Limits{Grace: 50 * time.Millisecond}})
	await(t, "the notice", func() bool { return len(notices.all()) > 0 })
	if text := notices.all()[0].Text; !strings.Contains(text, "killed (host_restart)") || strings.Contains(text, "may still run") {
		t.Errorf("the notice is %q", text)
	}
	for _, name := range names {
		pid := pidIn(t, filepath.Join(dir, name))
		await(t, "the end of "+name, func() bool { return gone(pid) })
	}
}

// The next host could not write that it takes the job over, and let it run on.
func TestWhatAKilledHostHasLeftIsEndedThoughTheDiskTakesNoWord(t *testing.T) {
	dir := lostHost(t)
	state := filepath.Join(dir, "state")
	claims := filepath.Join(state, "spool", "claims")
	if err := os.Mkdir(claims, 0o700); err != nil { // where a file has to be
		t.Fatal(err)
	}
	pid := pidIn(t, filepath.Join(dir, "job"))
	if gone(pid) {
		t.Fatal("it has ended with its host")
	}
	var notices told
	sh := openIn(t, dir, &shell.Options{State: state, Notify: notices.add})
	await(t, "the end of the job", func() bool { return gone(pid) })
	if err := sh.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(claims); err != nil {
		t.Fatal(err)
	}
	if len(notices.all()) > 0 {
		t.Errorf("told were %+v", notices.all())
	}
	next := openIn(t, dir, &shell.Options{State: state, Notify: notices.add})
	if err := next.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if list := notices.all(); len(list) != 1 || !strings.Contains(list[0].Text, "killed (host_restart)") {
		t.Errorf("the next host tells %+v", list)
	}
}

// A process that only has the number is a stranger, and is let be.
func TestAStrangerWithTheNumberOfALostJobIsLetBe(t *testing.T) {
	if dir := os.Getenv(crashDir); dir != "" {
		sh, err := shell.Open(dir, &shell.Options{State: filepath.Join(dir, "state")})
		if err != nil {
			t.Fatal(err)
		}
		background(t, sh, "sleep 600 >/dev/null")
		die(t)
	}
	t.Parallel()
	dir := t.TempDir()
	crash(t, dir)
	stranger := exec.Command("sleep", "600")
	stranger.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := stranger.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { stranger.Process.Kill(); stranger.Wait() }()
	files, err := filepath.Glob(filepath.Join(dir, "state", "spool", "*.json"))
	if err != nil || len(files) != 1 {
		t.Fatalf("records are %v, %v", files, err)
	}
	b, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(b), `"pid":`)
	pid, _, _ := strings.Cut(rest, ",")
	job, err := strconv.Atoi(pid)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Kill(-job, syscall.SIGKILL) // nobody finds it now
	b = []byte(strings.ReplaceAll(string(b), `"pid":`+pid, `"pid":`+strconv.Itoa(stranger.Process.Pid)))
	if err := os.WriteFile(files[0], b, 0o600); err != nil {
		t.Fatal(err)
	}
	var notices told
	open(t, &shell.Options{State: filepath.Join(dir, "state"), Notify: notices.add})
	await(t, "the notice", func() bool { return len(notices.all()) > 0 })
	if gone(strconv.Itoa(stranger.Process.Pid)) {
		t.Error("the stranger was ended")
	}
}

// A host that does not reach the seat of a lost job, as a program that makes one call
// without a seat, leaves its notice to one that does, and that one tells it once.
func TestTheNoticeOfALostJobWaitsForWhoReachesItsSeat(t *testing.T) {
	if dir := os.Getenv(crashDir); dir != "" {
		sh, err := shell.Open(dir, &shell.Options{State: filepath.Join(dir, "state")})
		if err != nil {
			t.Fatal(err)
		}
		background(t, sh, "sleep 600")
		die(t)
	}
	t.Parallel()
	dir := t.TempDir()
	crash(t, dir)
	state := filepath.Join(dir, "state")
	pass := func(reaches func(arc.SeatID) bool, notify func(shell.Notice) error) {
		t.Helper()
		sh, err := shell.Open(dir, &shell.Options{State: state, Notify: notify, Reaches: reaches})
		if err != nil {
			t.Fatal(err)
		}
		if jobs, err := sh.Jobs(t.Context(), me.Seat); err != nil || len(jobs) != 1 || jobs[0].Status != "killed" {
			t.Errorf("jobs are %+v, %v", jobs, err)
		}
		if err := sh.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	var others, own told
	pass(func(seat arc.SeatID) bool { return seat == "" }, others.add)
	pass(nil, nil) // and one that tells nobody
	for range 2 {
		pass(func(seat arc.SeatID) bool { return seat == me.Seat }, own.add)
	}
	if len(others.all()) != 0 || len(own.all()) != 1 || own.all()[0].Origin != me || !strings.Contains(own.all()[0].Text, "killed (host_restart)") {
		t.Errorf("others were told %+v, the owner %+v", others.all(), own.all())
	}
}
