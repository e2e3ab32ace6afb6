//go:build unix

package main

import (
	"bufio"
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/arcseat/arc/examples/local"
	"github.com/arcseat/arc/internal/fakemodel"
	"github.com/arcseat/arc/workspace"
)

// Ctrl-C while a command runs, or a terminal that is closed: the command is ended,
// the program says so, and the workspace is whole.
func TestASignalEndsTheRunningTool(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			endsTheRunningTool(t, sig)
		})
	}
}

func endsTheRunningTool(t *testing.T, sig os.Signal) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("there is no bash")
	}
	dir, state := t.TempDir(), t.TempDir()
	srv := serve(t, fakemodel.Script{Steps: []fakemodel.Step{
		{Name: "write", Calls: []fakemodel.Call{{Tool: "workspace_write", Args: map[string]any{"path": "a.txt", "content": "a\n"}}}},
		{Name: "hang", Calls: []fakemodel.Call{{Tool: "shell_exec", Args: map[string]any{"command": "echo $$ >pid; exec sleep 300"}}}},
	}})
	flags, env := dialectOf(t).program(srv.URL())
	cmd := program(t, env, append(flags, "-dir", dir, "-state", state, "-access", "full", "hang")...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pid := waitForPID(t, filepath.Join(dir, "pid"))
	if err := cmd.Process.Signal(sig); err != nil {
		t.Fatal(err)
	}
	var shown []string
	for sc := bufio.NewScanner(out); sc.Scan(); {
		shown = append(shown, sc.Text())
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != exitInterrupted {
		t.Errorf("it ends with %v, want exit code %d", err, exitInterrupted)
	}
	if want := "agent: interrupted; every file is whole, every change is in the history\n"; stderr.String() != want {
		t.Errorf("it says %q, want %q", stderr.String(), want)
	}
	if all := strings.Join(shown, "\n"); !strings.Contains(all, "1 change can be undone:") {
		t.Errorf("the summary is missing:\n%s", all)
	}
	if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("the command still runs: %v", err)
	}

	host, err := local.Open(dir, &local.Options{State: state})
	if err != nil {
		t.Fatal(err)
	}
	defer host.Close(t.Context())
	status, err := host.Workspace.RecoveryStatus(t.Context())
	if err != nil || status.Status != "clean" {
		t.Errorf("the workspace is %+v, %v", status, err)
	}
	history, err := host.Workspace.History(t.Context(), workspace.HistoryArgs{})
	if err != nil || history.Total != 1 || history.Changes[0].Path != "a.txt" {
		t.Errorf("the history is %+v, %v", history, err)
	}
}

// waitForPID waits for a command to write its process id.
func waitForPID(t *testing.T, name string) int {
	t.Helper()
	for range 600 {
		if b, err := os.ReadFile(name); err == nil {
			if pid, err := strconv.Atoi(strings.TrimSpace(string(b))); err == nil {
				return pid
			}
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatal("the command does not start")
	return 0
}
