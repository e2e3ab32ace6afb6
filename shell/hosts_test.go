//go:build linux

package shell_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/shell"
)

// kept waits until the records of a state directory hold n notices that nobody has told.
func kept(t *testing.T, state string, n int) {
	t.Helper()
	await(t, "the records", func() bool {
		files, err := filepath.Glob(filepath.Join(state, "spool", "*.json"))
		have := 0
		for _, f := range files {
			if strings.Contains(lastRecord(f), `"kept":true`) {
				have++
			}
		}
		return err == nil && have == n
	})
}

// lastRecord is what a record says at last.
func lastRecord(file string) string {
	b, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	return lines[len(lines)-1]
}

// The host is killed while its Notify is at the first of three notices: the next tells
// it again, which is how the receiver knows it, and the second, whose output a daemon holds;
// the third was seen. What ran all the while comes last, though it began first.
func TestNoticesThatAKilledHostHasNotToldAreToldByTheNext(t *testing.T) {
	state := func(dir string) string { return filepath.Join(dir, "state") }
	if dir := os.Getenv(crashDir); dir != "" {
		sh, err := shell.Open(dir, &shell.Options{State: state(dir), Notify: func(shell.Notice) error { select {} }})
		if err != nil {
			t.Fatal(err)
		}
		running := background(t, sh, "until [ -e late ]; do sleep 0.01; done; echo running; sleep 600")
		var last string
		for _, command := range []string{"sleep 0.6; echo first", "setsid -f sleep 10; sleep 0.3; echo second; exit 2", "sleep 0.3; echo third"} {
			last = background(t, sh, command).JobID
			ended(t, sh, last)
		}
		kept(t, state(dir), 3)
		if _, err := sh.Job(t.Context(), me.Seat, shell.JobArgs{JobID: last}); err != nil {
			t.Fatal(err)
		}
		kept(t, state(dir), 2)
		if err := os.WriteFile(filepath.Join(dir, "late"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		await(t, "its word", func() bool {
			p, err := sh.Output(t.Context(), me.Seat, shell.OutputArgs{SpoolID: running.SpoolID})
			return err == nil && p.TotalBytes > 0
		})
		die(t)
	}
	t.Parallel()
	dir := t.TempDir()
	crash(t, dir)
	for i, want := range [][]string{{"first", "second", "running"}, nil} {
		var notices told
		sh := openIn(t, dir, &shell.Options{State: state(dir), Notify: notices.add})
		if err := sh.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, n := range notices.all() {
			_, line, _ := strings.Cut(n.Text, "last line: ")
			got = append(got, line)
		}
		if !slices.Equal(got, want) {
			t.Errorf("host %d after it tells %v, want %v", i+1, got, want)
		}
	}
}

// lostHost leaves a job in dir that nobody has ended.
func lostHost(t *testing.T) (dir string) {
	t.Helper()
	if dir := os.Getenv(crashDir); dir != "" {
		sh, err := shell.Open(dir, &shell.Options{State: filepath.Join(dir, "state")})
		if err != nil {
			t.Fatal(err)
		}
		background(t, sh, "echo $$ >job; exec sleep 600")
		pidIn(t, filepath.Join(dir, "job"))
		die(t)
	}
	t.Parallel()
	dir = t.TempDir()
	crash(t, dir)
	return dir
}

func TestOneOfManyHostsTellsOfALostJob(t *testing.T) {
	dir := lostHost(t)
	var notices told
	var all []*shell.Shell
	var mu sync.Mutex
	var opening sync.WaitGroup
	for range 8 {
		opening.Go(func() {
			sh, err := shell.Open(dir, &shell.Options{State: filepath.Join(dir, "state"), Notify: notices.add})
			if err != nil {
				t.Error(err)
				return
			}
			jobs, err := sh.Jobs(t.Context(), me.Seat)
			if err != nil || len(jobs) != 1 {
				t.Errorf("jobs are %+v, %v", jobs, err)
			}
			mu.Lock()
			defer mu.Unlock()
			all = append(all, sh)
		})
	}
	opening.Wait()
	for _, sh := range all {
		if jobs, err := sh.Jobs(t.Context(), me.Seat); err != nil || len(jobs) != 1 || jobs[0].Status != "killed" {
			t.Errorf("jobs are %+v, %v", jobs, err)
		}
	}
	for _, sh := range all {
		if err := sh.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if n := len(notices.all()); n != 1 {
		t.Errorf("%d notices came, want 1", n)
	}
}

// A host that runs already meets the job of one that was killed, from many sides at once.
func TestALostJobIsAdoptedOnceWhileAHostRuns(t *testing.T) {
	if dir := os.Getenv(crashDir); dir != "" {
		sh, err := shell.Open(dir, &shell.Options{State: filepath.Join(dir, "state")})
		if err != nil {
			t.Fatal(err)
		}
		job := background(t, sh, "sleep 600")
		if err := os.WriteFile(filepath.Join(dir, "name"), []byte(job.JobID), 0o600); err != nil {
			t.Fatal(err)
		}
		die(t)
	}
	t.Parallel()
	dir := t.TempDir()
	state := filepath.Join(dir, "state")
	var notices told
	runs := openIn(t, dir, &shell.Options{State: state, Notify: notices.add})
	closed := openIn(t, dir, &shell.Options{State: state, Notify: notices.add})
	if err := closed.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	crash(t, dir)
	name, err := os.ReadFile(filepath.Join(dir, "name"))
	if err != nil {
		t.Fatal(err)
	}
	job := string(name)
	record := filepath.Join(state, "spool", "sp_"+strings.TrimPrefix(job, "job_")+".json")
	before, err := os.ReadFile(record)
	if err != nil {
		t.Fatal(err)
	}

	// One that has closed tells what it sees, and takes nothing.
	if p, err := closed.Job(t.Context(), me.Seat, shell.JobArgs{JobID: job}); err != nil || p.Status != "killed" || p.Reason != "host_restart" {
		t.Errorf("to a host that has closed the job is %+v, %v", p, err)
	}
	if after, err := os.ReadFile(record); err != nil || string(after) != string(before) {
		t.Errorf("a host that has closed has written %s, %v", after, err)
	}

	var asking sync.WaitGroup
	for range 8 {
		asking.Go(func() {
			if s, done, err := runs.JobStatus(t.Context(), me.Seat, job); s != "killed" || !done || err != nil {
				t.Errorf("the job is %s, %v, %v", s, done, err)
			}
		})
	}
	asking.Wait()
	if err := runs.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := len(notices.all()); n != 1 {
		t.Errorf("%d notices came, want 1", n)
	}
}

func TestTwoHostsShareOneQuota(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	o := &shell.Options{State: state, Limits: shell.Limits{KeepBytes: 640_000, SpoolTail: 1000}}
	one, two := open(t, o), open(t, o)
	exec := func(sh *shell.Shell, turn string) *shell.ExecResult {
		t.Helper()
		origin := me
		origin.Turn = arc.TurnID(turn)
		r, err := sh.Exec(t.Context(), origin, shell.ExecArgs{Command: "yes | head -c 400000"})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	first := exec(one, "a")
	exec(one, "b") // so that the first turn of the seat is over; the first output goes
	last := exec(two, "c")
	if last.DroppedBytes != 0 {
		t.Errorf("the newest output lost %d bytes though older ones could go", last.DroppedBytes)
	}
	if _, err := one.Output(t.Context(), me.Seat, shell.OutputArgs{SpoolID: first.SpoolID}); err == nil {
		t.Error("the oldest output is still there")
	}
	var total int64
	files, err := filepath.Glob(filepath.Join(state, "spool", "sp_*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if info, err := os.Stat(f); err == nil && !strings.HasSuffix(f, ".json") {
			total += info.Size()
		}
	}
	if most := int64(640_000 + 2*640_000/32); total > most {
		t.Errorf("both have %d bytes, and may have %d", total, most)
	}
}

// A disk that is full ends no command, and what it said at its end is shown.
func TestADiskThatIsFull(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	if err := syscall.Mount("tmpfs", state, "tmpfs", 0, "size=4m"); err != nil {
		t.Skip("this user cannot mount: ", err)
	}
	defer syscall.Unmount(state, syscall.MNT_DETACH)
	var notices told
	sh := open(t, &shell.Options{State: state, Notify: notices.add})
	defer sh.Close(context.Background())
	r := run(t, sh, shell.ExecArgs{Command: "yes | head -c 20000000; echo the end; exit 5"})
	if code(r) != 5 || r.OutputBytes != 20_000_008 || r.DroppedBytes < 12_000_000 || !strings.HasSuffix(r.Output, "y\nthe end\n") {
		t.Errorf("the answer is %+v", r)
	}
	job := background(t, sh, "sleep 0.3; yes | head -c 100000; echo late; exit 6")
	if s := ended(t, sh, job.JobID); s != "failed" {
		t.Errorf("the job ended %s", s)
	}
	await(t, "the notice", func() bool { return len(notices.all()) == 1 })
	if text := notices.all()[0].Text; !strings.Contains(text, "failed (exit 6)") || !strings.HasSuffix(text, "last line: late") {
		t.Errorf("the notice is %q", text)
	}
	j, err := sh.Job(t.Context(), me.Seat, shell.JobArgs{JobID: job.JobID})
	if err != nil || j.ExitCode == nil || *j.ExitCode != 6 || !strings.HasSuffix(j.Output, "late\n") {
		t.Errorf("the job is %+v, %v", j, err)
	}
	if r := run(t, sh, shell.ExecArgs{Command: "rm " + state + "/spool/" + r.SpoolID + "; echo room"}); r.Output != "room\n" {
		t.Errorf("a command that makes room says %+v", r)
	}
	if r := run(t, sh, shell.ExecArgs{Command: "yes | head -c 1000000"}); r.DroppedBytes != 0 {
		t.Errorf("with room again %d bytes are lost", r.DroppedBytes)
	}
}
