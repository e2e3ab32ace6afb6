//go:build linux

package shell_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/shell"
)

const password = "hunter22-пароль"

func TestSecretsOfTheHost(t *testing.T) {
	t.Parallel()
	var notices told
	state, dir := t.TempDir(), t.TempDir()
	o := &shell.Options{State: state, Notify: notices.add, Secrets: func() []string { return []string{password} }, Env: []string{"PW=" + password}}
	sh := openIn(t, dir, o)
	stars := strings.Repeat("*", len(password))

	t.Run("are covered in the answer, the pages, and what is kept of the command", func(t *testing.T) {
		r := run(t, sh, shell.ExecArgs{Command: "echo pw=$PW; echo is " + password})
		if want := "pw=" + stars + "\nis " + stars + "\n"; r.Output != want || whole(t, sh, r.SpoolID, new(5)) != want {
			t.Errorf("the answer is %q, the pages %q, want %q", r.Output, whole(t, sh, r.SpoolID, new(5)), want)
		}
		if want := int64(2*len(password) + len("pw=\nis \n")); r.OutputBytes != want {
			t.Errorf("%d bytes, want %d", r.OutputBytes, want)
		}
		touched, err := sh.Touched(t.Context(), me.Seat, []arc.TurnID{me.Turn})
		if err != nil || len(touched) != 1 || strings.Contains(touched[0].Note, "hunter") {
			t.Errorf("touched is %+v, %v", touched, err)
		}
	})
	t.Run("are covered in a notice", func(t *testing.T) {
		r := background(t, sh, "echo now; sleep 0.3; printf 'last \\033[1m%s\\033[0m%s' ${PW%%-*} -${PW#*-}; exit 3 # "+password)
		ended(t, sh, r.JobID)
		await(t, "the notice", func() bool { return len(notices.all()) == 1 })
		text := notices.all()[0].Text
		if !strings.HasSuffix(text, "; last line: last "+stars) || strings.Contains(text, "hunter") {
			t.Errorf("the notice is %q", text)
		}
	})
	t.Run("are covered in what a poll and the tail show", func(t *testing.T) {
		r := background(t, sh, "sleep 0.3; echo $PW")
		ended(t, sh, r.JobID)
		for _, tail := range []bool{true, false} {
			j, err := sh.Job(t.Context(), me.Seat, shell.JobArgs{JobID: r.JobID, Tail: tail})
			if err != nil || j.Output != stars+"\n" {
				t.Errorf("it shows %+v, %v", j, err)
			}
		}
	})
	t.Run("are in no record, wherever the command runs", func(t *testing.T) {
		cwd := filepath.Join(dir, password)
		if err := os.Mkdir(cwd, 0o700); err != nil {
			t.Fatal(err)
		}
		r := run(t, sh, shell.ExecArgs{Command: "true", Cwd: cwd})
		b, err := os.ReadFile(filepath.Join(state, "spool", r.SpoolID+".json"))
		if err != nil || strings.Contains(string(b), password) {
			t.Errorf("the record is %s, %v", b, err)
		}
	})
	t.Run("may become known later", func(t *testing.T) {
		t.Parallel()
		var known atomic.Bool
		sh := openIn(t, t.TempDir(), &shell.Options{Secrets: func() []string {
			if known.Load() {
				return []string{"token-1"}
			}
			return nil
		}})
		r := run(t, sh, shell.ExecArgs{Command: "echo token-1"})
		known.Store(true)
		if got := whole(t, sh, r.SpoolID, nil); r.Output != "token-1\n" || got != "*******\n" {
			t.Errorf("first %q, then %q", r.Output, got)
		}
	})
}

func TestASecretThatIsStillBeingWritten(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := syscall.Mkfifo(dir+"/gate", 0o600); err != nil {
		t.Fatal(err)
	}
	sh := openIn(t, dir, &shell.Options{Secrets: func() []string { return []string{password} }, Limits: shell.Limits{PollHold: guard}})
	r := background(t, sh, `printf 'a hunter'; read -r x <gate; printf '22-пароль\n'`)
	await(t, "the first half", func() bool {
		p, err := sh.Output(t.Context(), me.Seat, shell.OutputArgs{SpoolID: r.SpoolID})
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(p.Output, "h") {
			t.Fatalf("it shows %q", p.Output)
		}
		return p.TotalBytes == int64(len("a hunter")) && p.Output == "a "
	})
	// What is held back is nothing new: a look at it is given the time to hear the rest.
	if r.Output == "" {
		if j, err := sh.Job(t.Context(), me.Seat, shell.JobArgs{JobID: r.JobID}); err != nil || j.Output != "a " {
			t.Fatalf("a look shows %+v, %v", j, err)
		}
	}
	look := make(chan string, 1)
	go func() {
		j, err := sh.Job(t.Context(), me.Seat, shell.JobArgs{JobID: r.JobID})
		if err != nil {
			t.Error(err)
			close(look)
			return
		}
		look <- j.Output
	}()
	select {
	case said := <-look:
		t.Fatalf("a look that has nothing new returns at once with %q", said)
	case <-time.After(100 * time.Millisecond):
	}
	if r := run(t, sh, shell.ExecArgs{Command: "echo x >gate"}); r.Status != shell.StatusCompleted {
		t.Fatal(r.Status)
	}
	if said := <-look; said != strings.Repeat("*", len(password))+"\n" {
		t.Errorf("the look that waited shows %q", said)
	}
	ended(t, sh, r.JobID)
	if got, want := whole(t, sh, r.SpoolID, nil), "a "+strings.Repeat("*", len(password))+"\n"; got != want {
		t.Errorf("it says %q, want %q", got, want)
	}
}
