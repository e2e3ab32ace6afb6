//go:build linux

package shell_test

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/shell"
)

func TestABackgroundJob(t *testing.T) {
	t.Parallel()
	var notices told
	sh := open(t, &shell.Options{Notify: notices.add})
	r := background(t, sh, "echo one; while [ ! -e go ]; do sleep 0.01; done; echo two; exit 3")
	if r.Status != "running" || r.ExitCode != nil || r.PID == 0 || r.Next == nil || r.Next.Tool != "shell_job" {
		t.Errorf("the answer is %+v", r)
	}
	await(t, "its first line", func() bool {
		p, err := sh.Output(t.Context(), me.Seat, shell.OutputArgs{SpoolID: r.SpoolID})
		return err == nil && p.TotalBytes == 4
	})
	p, err := sh.Job(t.Context(), me.Seat, shell.JobArgs{JobID: r.JobID, Tail: true})
	if err != nil || p.Status != "running" || p.Output != "one\n" || p.Processes < 1 {
		t.Errorf("its tail is %+v, %v", p, err)
	}
	if err := os.WriteFile(filepath.Join(r.Cwd, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if s := ended(t, sh, r.JobID); s != "failed" {
		t.Errorf("it ended %s", s)
	}
	await(t, "the notice", func() bool { return len(notices.all()) == 1 })
	n := notices.all()[0]
	if n.Origin != me || n.JobID != r.JobID || n.SpoolID != r.SpoolID || n.Status != "failed" ||
		!strings.HasPrefix(n.Text, "[shell-job] "+r.JobID+" failed (exit 3) after ") || !strings.HasSuffix(n.Text, "8 bytes in "+r.SpoolID+"; last line: two") {
		t.Errorf("the notice is %+v", n)
	}
	p, err = sh.Job(t.Context(), me.Seat, shell.JobArgs{JobID: r.JobID})
	want := "one\ntwo\n"[r.OutputBytes:] // what the answer has shown is not new
	if err != nil || p.Status != "failed" || p.ExitCode == nil || *p.ExitCode != 3 || p.Output != want || p.NewFrom != r.OutputBytes || p.NewBytes != int64(len(want)) {
		t.Errorf("the last look is %+v, %v", p, err)
	}
	p, err = sh.Job(t.Context(), me.Seat, shell.JobArgs{JobID: r.JobID})
	if err != nil || p.Output != "" || p.NewFrom != 8 || p.NewBytes != 0 {
		t.Errorf("the look after it is %+v, %v", p, err)
	}
}

func TestLooksAtOnceShowNothingTwice(t *testing.T) {
	t.Parallel()
	sh := open(t, nil)
	r := background(t, sh, "sleep 0.05; for ((i = 0; i < 300; i++)); do echo line $i; sleep 0.001; done")
	var mu sync.Mutex
	var shown []shell.Range
	var looking sync.WaitGroup
	for range 8 {
		looking.Go(func() {
			for {
				p, err := sh.Job(t.Context(), me.Seat, shell.JobArgs{JobID: r.JobID})
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				shown = append(shown, shell.Range{Offset: p.NewFrom, Bytes: p.NewBytes})
				mu.Unlock()
				if p.Status != "running" {
					return
				}
			}
		})
	}
	looking.Wait()
	slices.SortFunc(shown, func(a, b shell.Range) int { return cmp.Compare(a.Offset, b.Offset) })
	at := r.OutputBytes
	for _, s := range shown {
		if s.Bytes > 0 && s.Offset != at {
			t.Fatalf("one look shows %d bytes from %d on, those before it end at %d", s.Bytes, s.Offset, at)
		}
		at += s.Bytes
	}
	if want := int64(300*len("line 100\n") - 10*2 - 90); at != want {
		t.Errorf("all looks together end at %d, want %d", at, want)
	}
}

func TestATailDoesNotMoveTheLook(t *testing.T) {
	t.Parallel()
	sh := open(t, &shell.Options{Limits: shell.Limits{TailBytes: 10}})
	r := run(t, sh, shell.ExecArgs{Command: "sleep 300 & sleep 1; printf '0123456789é漢字'", BlockBudgetSec: new(0.05)})
	await(t, "the output", func() bool {
		p, err := sh.Job(t.Context(), me.Seat, shell.JobArgs{JobID: r.JobID, Tail: true})
		if err != nil {
			t.Fatal(err)
		}
		return p.Output == "89é漢字" && p.NewFrom == 8 && p.NewBytes == 10
	})
	p, err := sh.Job(t.Context(), me.Seat, shell.JobArgs{JobID: r.JobID})
	if err != nil || p.NewFrom != 0 || p.Output != "0123456789é漢字" {
		t.Errorf("the look is %+v, %v", p, err)
	}
}

// An idle look that answers at once makes a model poll in a loop.
func TestAnIdleLookWaitsForNews(t *testing.T) {
	t.Parallel()
	sh := open(t, &shell.Options{Limits: shell.Limits{PollHold: guard}})
	r := background(t, sh, "while [ ! -e go ]; do sleep 0.01; done; echo news; sleep 300")
	go func() {
		time.Sleep(100 * time.Millisecond)
		os.WriteFile(filepath.Join(r.Cwd, "go"), nil, 0o600)
	}()
	p, err := sh.Job(t.Context(), me.Seat, shell.JobArgs{JobID: r.JobID})
	if err != nil || p.Output != "news\n" {
		t.Errorf("the look is %+v, %v", p, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if p, err = sh.Job(ctx, me.Seat, shell.JobArgs{JobID: r.JobID}); err != nil || p.Hint == "" || p.NewBytes != 0 {
		t.Errorf("the idle look is %+v, %v", p, err)
	}
}

func TestFiveJobs(t *testing.T) {
	t.Parallel()
	sh := open(t, nil)
	var ids []string
	for i := range 4 {
		ids = append(ids, background(t, sh, fmt.Sprintf("exec sleep 30%d", i)).JobID)
	}
	t.Run("a quick command still works", func(t *testing.T) {
		if r := run(t, sh, shell.ExecArgs{Command: "echo quick"}); r.Status != "completed" || r.Hint != "" {
			t.Errorf("the answer is %+v", r)
		}
	})
	t.Run("a fifth stays in the foreground to its own end, and the answer says why", func(t *testing.T) {
		r := run(t, sh, shell.ExecArgs{Command: "sleep 1; echo slow", BlockBudgetSec: new(0.05)})
		if r.Status != "completed" || r.Output != "slow\n" || r.JobID != "" || !strings.Contains(r.Hint, "all 4 background slots were taken ("+strings.Join(ids, ", ")+")") {
			t.Errorf("the answer is %+v", r)
		}
	})
	t.Run("a fifth is ended by its own timeout alone", func(t *testing.T) {
		r := run(t, sh, shell.ExecArgs{Command: "exec sleep 300", BlockBudgetSec: new(0.05), TimeoutSec: new(1.0)})
		if r.Status != "timed_out" || r.Reason != "timeout" {
			t.Errorf("the answer is %+v", r)
		}
	})
	t.Run("what a shell leaves running needs a slot as well", func(t *testing.T) {
		r := run(t, sh, shell.ExecArgs{Command: "sleep 1 & exit 2"})
		if r.Status != "failed" || code(r) != 2 || r.Background != nil || r.Hint == "" {
			t.Errorf("the answer is %+v", r)
		}
	})
	t.Run("another seat has slots of its own", func(t *testing.T) {
		other := me
		other.Seat = "other"
		r, err := sh.Exec(t.Context(), other, shell.ExecArgs{Command: "sleep 300", BlockBudgetSec: new(0.02)})
		if err != nil || r.Status != "running" {
			t.Errorf("the answer is %+v, %v", r, err)
		}
	})
	t.Run("a slot that comes free is taken", func(t *testing.T) {
		up, answer := make(chan struct{}, 100), make(chan *shell.ExecResult)
		go func() {
			r, err := shell.ExecWithProgress(sh, t.Context(), me, shell.ExecArgs{Command: "echo up; sleep 300", BlockBudgetSec: new(0.01)}, func([]byte) { up <- struct{}{} })
			if err != nil {
				t.Error(err)
			}
			answer <- r
		}()
		<-up
		time.Sleep(50 * time.Millisecond) // beyond its budget; sooner is as right
		if err := sh.Kill(t.Context(), ids[0]); err != nil {
			t.Fatal(err)
		}
		if r := <-answer; r == nil || r.Status != "running" || r.JobID == "" {
			t.Errorf("the answer is %+v", r)
		}
	})
}

// Only the first of several notices came, or none after a timeout.
func TestNoticesComeOnceForEveryEndAndInOrder(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	var notices told
	sh := open(t, &shell.Options{
		Notify: func(n shell.Notice) error { <-release; return notices.add(n) },
		Limits: shell.Limits{Jobs: 20},
	})
	var want []string
	for _, c := range []struct{ command, status string }{
		{"sleep 0.5; exit 0", "completed"},
		{"sleep 0.5; exit 1", "failed"},
		{"sleep 0.5; kill -SEGV $$", "failed"},
		{"sleep 300", "timed_out"},
		{"sleep 301", "killed"},
	} {
		r := run(t, sh, shell.ExecArgs{Command: c.command, BlockBudgetSec: new(0.02), TimeoutSec: new(3.0)})
		if c.status == "killed" {
			if err := sh.Kill(t.Context(), r.JobID); err != nil {
				t.Fatal(err)
			}
		}
		if s := ended(t, sh, r.JobID); s != c.status {
			t.Errorf("%s ended %s, want %s", c.command, s, c.status)
		}
		want = append(want, r.JobID+" "+c.status)
	}
	seen := background(t, sh, "sleep 0.5; echo seen")
	ended(t, sh, seen.JobID)
	if p, err := sh.Job(t.Context(), me.Seat, shell.JobArgs{JobID: seen.JobID}); err != nil || p.Status != "completed" {
		t.Fatalf("%+v, %v", p, err)
	}
	run(t, sh, shell.ExecArgs{Command: "true"}) // never a notice: its call tells its end
	shut := background(t, sh, "sleep 302")
	want = append(want, shut.JobID+" killed")
	close(release)
	if err := sh.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, n := range notices.all() {
		got = append(got, n.JobID+" "+n.Status)
	}
	if !slices.Equal(got, want) {
		t.Errorf("notices are %v, want %v", got, want)
	}
}

func TestKill(t *testing.T) {
	t.Parallel()
	sh := open(t, &shell.Options{Limits: shell.Limits{Grace: 100 * time.Millisecond}})
	r := background(t, sh, "trap '' TERM; (trap '' TERM; echo up; while :; do sleep 0.01; done) & while :; do sleep 0.01; done")
	await(t, "the traps", func() bool {
		p, err := sh.Output(t.Context(), me.Seat, shell.OutputArgs{SpoolID: r.SpoolID})
		return err == nil && p.TotalBytes > 0
	})
	if err := sh.Kill(t.Context(), r.JobID); err != nil {
		t.Fatal(err)
	}
	p, err := sh.Job(t.Context(), me.Seat, shell.JobArgs{JobID: r.JobID})
	if err != nil || p.Status != "killed" || p.Reason != "operator" || p.Signal != "SIGKILL" || p.Processes != 0 {
		t.Errorf("the job is %+v, %v", p, err)
	}
	if err := sh.Kill(t.Context(), r.JobID); err != nil {
		t.Errorf("a second Kill says %v", err)
	}
	wantCode(t, sh.Kill(t.Context(), "job_nowhere"), arc.NotFound)
}

func TestAnotherSeatFindsNothing(t *testing.T) {
	t.Parallel()
	sh := open(t, nil)
	r := background(t, sh, "sleep 300")
	_, err := sh.Output(t.Context(), "other", shell.OutputArgs{SpoolID: r.SpoolID})
	wantCode(t, err, arc.NotFound)
	_, err = sh.Job(t.Context(), "other", shell.JobArgs{JobID: r.JobID})
	wantCode(t, err, arc.NotFound)
	_, _, err = sh.JobStatus(t.Context(), "other", r.JobID)
	wantCode(t, err, arc.NotFound)
	if jobs, err := sh.Jobs(t.Context(), "other"); err != nil || len(jobs) != 0 {
		t.Errorf("it lists %v, %v", jobs, err)
	}
	if touched, err := sh.Touched(t.Context(), "other", []arc.TurnID{me.Turn}); err != nil || len(touched) != 0 {
		t.Errorf("it touched %v, %v", touched, err)
	}
	_, err = sh.Job(t.Context(), me.Seat, shell.JobArgs{JobID: "job_unknown"})
	if e := wantCode(t, err, arc.NotFound); !strings.Contains(fmt.Sprint(e.Detail), r.JobID) {
		t.Errorf("the detail is %v and names no id that there is", e.Detail)
	}
}

func TestJobsAndTouched(t *testing.T) {
	t.Parallel()
	sh := open(t, nil)
	first := run(t, sh, shell.ExecArgs{Command: "echo first\necho more"})
	second := me
	second.Turn = "turn_2"
	r, err := sh.Exec(t.Context(), second, shell.ExecArgs{Command: "exec sleep 300", BlockBudgetSec: new(0.02)})
	if err != nil {
		t.Fatal(err)
	}
	jobs, err := sh.Jobs(t.Context(), me.Seat)
	if err != nil || len(jobs) != 1 || jobs[0].ID != r.JobID || jobs[0].Status != "running" || jobs[0].PID != r.PID || jobs[0].Origin != second || jobs[0].Command != "exec sleep 300" {
		t.Errorf("jobs are %+v, %v", jobs, err)
	}
	command := arc.Touch{Kind: "command", ID: first.SpoolID, Note: "exit 0: echo first …"}
	late := []arc.Touch{{Kind: "command", ID: r.SpoolID, Note: "exec sleep 300"}, {Kind: "job", ID: r.JobID, Note: "exec sleep 300"}}
	for _, c := range []struct {
		turns []arc.TurnID
		want  []arc.Touch
	}{
		{[]arc.TurnID{"turn_1"}, []arc.Touch{command}},
		{[]arc.TurnID{"turn_2"}, late},
		{[]arc.TurnID{"turn_3"}, nil},
		{[]arc.TurnID{"turn_2", "turn_1"}, append([]arc.Touch{command}, late...)},
		{nil, nil},
	} {
		if got, err := sh.Touched(t.Context(), me.Seat, c.turns); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("turns %v touched %+v, %v", c.turns, got, err)
		}
	}
}

func TestAJobThatEndsWhileItsCallIsAnsweredIsToldOnce(t *testing.T) {
	t.Parallel()
	t.Run("by its notice, if that was quicker", func(t *testing.T) {
		t.Parallel()
		var notices told
		sh := open(t, &shell.Options{Notify: notices.add})
		r := background(t, sh, "sleep 0.2; exit 3")
		await(t, "the notice", func() bool { return len(notices.all()) == 1 })
		if late := sh.AnswerLate(r.JobID); late.Status != "running" || late.ExitCode != nil || late.JobID != r.JobID {
			t.Errorf("the answer is %+v", late)
		}
	})
	t.Run("by the answer, and then by no notice", func(t *testing.T) {
		t.Parallel()
		var notices told
		hold := make(chan struct{})
		sh := open(t, &shell.Options{Notify: func(n shell.Notice) error { defer func() { <-hold }(); return notices.add(n) }})
		ended(t, sh, background(t, sh, "true; sleep 0.2").JobID)
		await(t, "the first notice", func() bool { return len(notices.all()) == 1 })
		r := background(t, sh, "sleep 0.2; exit 3")
		ended(t, sh, r.JobID)
		if late := sh.AnswerLate(r.JobID); late.Status != "failed" || code(late) != 3 {
			t.Errorf("the answer is %+v", late)
		}
		close(hold)
		if err := sh.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		if list := notices.all(); len(list) != 1 {
			t.Errorf("told were %+v", list)
		}
	})
}
