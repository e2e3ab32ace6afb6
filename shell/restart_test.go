//go:build linux

package shell_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/shell"
)

func TestAnotherOpenReadsWhatIsKept(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	one := open(t, &shell.Options{State: state, Limits: shell.Limits{SpoolBytes: 10, SpoolTail: 5}})
	r := run(t, one, shell.ExecArgs{Command: "printf 0123456789abcdefgh"})
	job := background(t, one, "sleep 0.5; echo by; exit 4")
	running := background(t, one, "sleep 0.2; echo up; sleep 300") // its record knows of no words
	ended(t, one, job.JobID)

	looks, err := shell.ReadRecords(state)
	if err != nil {
		t.Fatal(err)
	}
	if s, done, err := looks.JobStatus(t.Context(), me.Seat, running.JobID); s != "running" || done || err != nil {
		t.Errorf("to who looks the job is %s, %v, %v", s, done, err)
	}
	beside := open(t, &shell.Options{State: state})
	if s, done, err := beside.JobStatus(t.Context(), me.Seat, running.JobID); s != "running" || done || err != nil {
		t.Errorf("beside its owner the job is %s, %v, %v", s, done, err)
	}
	wantCode(t, beside.Kill(t.Context(), running.JobID), arc.Locked)
	await(t, "its words, beside its owner", func() bool {
		p, err := beside.Job(t.Context(), me.Seat, shell.JobArgs{JobID: running.JobID})
		return err == nil && p.Output == "up\n" && p.NewFrom == 0
	})
	if p, err := beside.Job(t.Context(), me.Seat, shell.JobArgs{JobID: running.JobID}); err != nil || p.Output != "" || p.NewFrom != 3 {
		t.Errorf("a second look beside its owner is %+v, %v", p, err)
	}
	if p, err := beside.Output(t.Context(), me.Seat, shell.OutputArgs{SpoolID: running.SpoolID}); err != nil || p.EOF || !p.Running {
		t.Errorf("beside its owner the output is %+v, %v", p, err)
	}
	if err := one.Close(t.Context()); err != nil {
		t.Fatal(err)
	}

	two := open(t, &shell.Options{State: state})
	if got := whole(t, two, r.SpoolID, nil); got != "0123456789[3 bytes were not kept]\ndefgh" {
		t.Errorf("the output is %q", got)
	}
	for id, want := range map[string]string{job.JobID: "failed", running.JobID: "killed"} {
		if s, done, err := two.JobStatus(t.Context(), me.Seat, id); s != want || !done || err != nil {
			t.Errorf("%s is %s, %v, %v, want %s", id, s, done, err, want)
		}
	}
	p, err := two.Job(t.Context(), me.Seat, shell.JobArgs{JobID: job.JobID})
	if err != nil || p.ExitCode == nil || *p.ExitCode != 4 || p.Output != "by\n" {
		t.Errorf("the look is %+v, %v", p, err)
	}
	if touched, err := two.Touched(t.Context(), me.Seat, []arc.TurnID{me.Turn}); err != nil || len(touched) != 5 {
		t.Errorf("touched is %+v, %v", touched, err)
	}
}

func TestAJobDuringWhichTheClockWasSetBackHasTakenNoLessThanNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	state := filepath.Join(dir, "state")
	one := openIn(t, dir, &shell.Options{State: state})
	job := background(t, one, "sleep 0.1")
	ended(t, one, job.JobID)
	if err := one.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	record := filepath.Join(state, "spool", job.SpoolID+".json")
	set := regexp.MustCompile(`"started":"[^"]*"`).ReplaceAllString(lastRecord(record), `"started":"2999-01-01T00:00:00Z"`)
	if err := os.WriteFile(record, []byte(set), 0o600); err != nil {
		t.Fatal(err)
	}
	two := openIn(t, dir, &shell.Options{State: state})
	if p, err := two.Job(t.Context(), me.Seat, shell.JobArgs{JobID: job.JobID}); err != nil || p.Status != "completed" || p.DurationSec != 0 {
		t.Errorf("the look is %+v, %v", p, err)
	}
}

// crasher makes this test's process the host that is killed.
const crasher = "ARC_TEST_CRASH"

func TestAHostThatIsKilled(t *testing.T) {
	if state := os.Getenv(crasher); state != "" {
		sh, err := shell.Open(filepath.Dir(state), &shell.Options{State: state})
		if err != nil {
			t.Fatal(err)
		}
		background(t, sh, "echo $$ > pid; while echo word; do sleep 0.02; done")
		await(t, "the job", func() bool {
			b, err := os.ReadFile(filepath.Join(filepath.Dir(state), "pid"))
			return err == nil && len(b) > 0
		})
		if err := syscall.Kill(os.Getpid(), syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		select {}
	}
	t.Parallel()
	dir := t.TempDir()
	host := exec.Command(os.Args[0], "-test.run=^TestAHostThatIsKilled$")
	host.Env = append(os.Environ(), crasher+"="+filepath.Join(dir, "spool"))
	var exit *exec.ExitError
	if out, err := host.CombinedOutput(); !errors.As(err, &exit) || exit.ExitCode() != -1 {
		t.Fatalf("the host ended by itself: %v\n%s", err, out)
	}
	// Who only looks is told what became of the job, and takes no notice from anybody.
	looks, err := shell.ReadRecords(filepath.Join(dir, "spool"))
	if err != nil {
		t.Fatal(err)
	}
	touched, err := looks.Touched(t.Context(), me.Seat, []arc.TurnID{me.Turn})
	if err != nil || len(touched) != 2 || touched[1].Kind != "job" {
		t.Fatalf("touched is %+v, %v", touched, err)
	}
	if s, done, err := looks.JobStatus(t.Context(), me.Seat, touched[1].ID); s != "killed" || !done || err != nil {
		t.Errorf("the job is %s, %v, %v", s, done, err)
	}
	var notices told
	sh := open(t, &shell.Options{State: filepath.Join(dir, "spool"), Notify: notices.add})
	jobs, err := sh.Jobs(t.Context(), me.Seat)
	if err != nil || len(jobs) != 1 || jobs[0].Status != "killed" {
		t.Fatalf("jobs are %+v, %v", jobs, err)
	}
	await(t, "the notice", func() bool { return len(notices.all()) == 1 })
	if n := notices.all()[0]; n.Status != "killed" || !strings.Contains(n.Text, "killed (host_restart) (") || strings.Contains(n.Text, " after ") || n.Origin != me {
		t.Errorf("the notice is %+v", n)
	}
	if got := whole(t, sh, jobs[0].SpoolID, nil); !strings.HasPrefix(got, "word\n") {
		t.Errorf("the output is %q", got)
	}
	if r := run(t, sh, shell.ExecArgs{Command: "true"}); r.SpoolID == jobs[0].SpoolID {
		t.Error("an id was used again")
	}
	await(t, "the end of a job that has lost its reader", func() bool {
		b, err := os.ReadFile(filepath.Join(dir, "pid"))
		if err != nil {
			t.Fatal(err)
		}
		_, err = os.Stat("/proc/" + strings.TrimSpace(string(b)))
		return os.IsNotExist(err)
	})
}

func TestClose(t *testing.T) {
	t.Parallel()
	t.Run("ends all, and refuses what comes later", func(t *testing.T) {
		t.Parallel()
		sh := open(t, nil)
		job := background(t, sh, "sleep 300")
		up, answer := make(chan struct{}, 10), make(chan *shell.ExecResult, 1)
		go func() {
			r, err := shell.ExecWithProgress(sh, context.Background(), me, shell.ExecArgs{Command: "echo up; sleep 300"}, func([]byte) { up <- struct{}{} })
			if err != nil {
				t.Error(err)
			}
			answer <- r
		}()
		<-up
		if err := sh.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		if r := <-answer; r == nil || r.Status != "killed" || r.Reason != "shutdown" || r.Output != "up\n" {
			t.Errorf("the command in the foreground answers %+v", r)
		}
		if s, done, err := sh.JobStatus(t.Context(), me.Seat, job.JobID); s != "killed" || !done || err != nil {
			t.Errorf("the job is %s, %v, %v", s, done, err)
		}
		if p, err := sh.Output(t.Context(), me.Seat, shell.OutputArgs{SpoolID: job.SpoolID}); err != nil || !p.EOF {
			t.Errorf("its output is %+v, %v", p, err)
		}
		_, err := sh.Exec(t.Context(), me, shell.ExecArgs{Command: "true"})
		wantCode(t, err, arc.ShuttingDown)
		late, cancel := context.WithCancel(t.Context())
		cancel()
		for range 20 {
			if err := sh.Close(late); err != nil {
				t.Fatalf("a second Close, without any time, says %v", err)
			}
		}
	})
	t.Run("without time leaves no grace", func(t *testing.T) {
		t.Parallel()
		sh := open(t, &shell.Options{Limits: shell.Limits{Grace: 24 * time.Hour}})
		r := background(t, sh, "trap '' TERM; echo up; while :; do sleep 0.01; done")
		await(t, "the trap", func() bool {
			p, err := sh.Output(t.Context(), me.Seat, shell.OutputArgs{SpoolID: r.SpoolID})
			return err == nil && p.TotalBytes > 0
		})
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		if err := sh.Close(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Close says %v", err)
		}
		if s, done, err := sh.JobStatus(t.Context(), me.Seat, r.JobID); s != "killed" || !done || err != nil {
			t.Errorf("the job is %s, %v, %v", s, done, err)
		}
	})
	t.Run("ends the hold on a daemon's output", func(t *testing.T) {
		t.Parallel()
		sh := open(t, nil)
		r := run(t, sh, shell.ExecArgs{Command: "setsid sleep 600 & echo up"})
		if err := sh.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		if p, err := sh.Output(t.Context(), me.Seat, shell.OutputArgs{SpoolID: r.SpoolID}); err != nil || !p.EOF || p.Output != "up\n" {
			t.Errorf("the output is %+v, %v", p, err)
		}
	})
}

// A search of the project that meets the spool reads what it writes, for ever.
func TestTheDefaultSpoolIsOutsideTheProjectAndPrivate(t *testing.T) {
	base := t.TempDir()
	t.Setenv("XDG_STATE_HOME", base)
	dir := t.TempDir()
	sh, err := shell.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer sh.Close(context.Background())
	if r := run(t, sh, shell.ExecArgs{Command: "echo needle; grep -r needle . | head"}); r.Output != "needle\n" {
		t.Errorf("the project holds %q", r.Output)
	}
	found := 0
	err = filepath.WalkDir(base, func(path string, e os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		if filepath.Base(path) == "spool" || !e.IsDir() {
			found++
			if info.Mode().Perm()&0o077 != 0 {
				t.Errorf("%s has mode %v", path, info.Mode())
			}
		}
		return nil
	})
	if err != nil || found < 3 {
		t.Errorf("found %d of the directory, an output and its record; %v", found, err)
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{file, filepath.Join(t.TempDir(), "nowhere")} {
		if sh, err := shell.Open(dir, &shell.Options{State: t.TempDir()}); err == nil {
			sh.Close(t.Context())
			t.Errorf("%s was opened", dir)
		}
	}
}
