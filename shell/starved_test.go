//go:build linux

package shell_test

import (
	"bytes"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/arcseat/arc/shell"
)

// A host that had used up its descriptors could not look who had left, and took nobody
// found for nobody left.
func TestAHostWithoutDescriptorsLeavesNothingBehind(t *testing.T) {
	if dir := os.Getenv(crashDir); dir != "" {
		limit := syscall.Rlimit{Cur: 64, Max: 64}
		if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
			t.Fatal(err)
		}
		var logged bytes.Buffer
		log := slog.New(slog.NewTextHandler(&logged, &slog.HandlerOptions{Level: slog.LevelError}))
		sh, err := shell.Open(dir, &shell.Options{State: filepath.Join(dir, "state"), Logger: log})
		if err != nil {
			t.Fatal(err)
		}
		job := background(t, sh, "timeout 600 ./own & "+escapers(t, dir, "sleep 600"))
		await(t, "the escapees", func() bool { return exists(filepath.Join(dir, "up")) })
		member := pidIn(t, filepath.Join(dir, "member"))
		var all []int
		for {
			fd, err := syscall.Dup(0)
			if err != nil {
				break
			}
			all = append(all, fd)
		}
		if len(all) == 0 {
			t.Fatal("no descriptor was left to be used up")
		}
		err = sh.Kill(t.Context(), job.JobID)
		for _, fd := range all {
			syscall.Close(fd)
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range escapes {
			if pid := pidIn(t, filepath.Join(dir, e.name+".pid")); gone(pid) == (e.name == unmarked) {
				t.Errorf("%s is gone: %v", e.name, gone(pid))
			}
		}
		if !gone(member) {
			t.Error("one in a process group of its own lives")
		}
		endAll(t, dir)
		if err := sh.Close(t.Context()); err != nil {
			t.Error(err)
		}
		if logged.Len() > 0 {
			t.Errorf("the log has %s", &logged)
		}
		return
	}
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "own"), []byte("#!/bin/bash\nexec >/dev/null 2>&1\necho $$ > member.new; mv member.new member\nexec env -i sleep 600\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	host := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	host.Env = append(os.Environ(), crashDir+"="+dir)
	if out, err := host.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// A host refused every command once its disk took no more files.
func TestADiskThatTakesNoFile(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	sh := open(t, &shell.Options{State: state})
	spool := func(id string) string { return filepath.Join(state, "spool", id) }
	if r := run(t, sh, shell.ExecArgs{Command: "true"}); exists(spool(r.SpoolID)) || !exists(spool(r.SpoolID)+".json") {
		t.Error("a command that said nothing has a file for its words, or no record")
	}
	if err := os.RemoveAll(spool("")); err != nil {
		t.Fatal(err)
	}
	r := run(t, sh, shell.ExecArgs{Command: "yes | head -c 3000000; echo the end; exit 3"})
	if code(r) != 3 || r.OutputBytes != 3_000_008 || r.DroppedBytes == 0 || !strings.HasSuffix(r.Output, "y\nthe end\n") {
		t.Errorf("the answer is %+v", r)
	}
}
