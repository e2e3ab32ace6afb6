package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/examples/internal/paint"
	"github.com/arcseat/arc/examples/local"
	"github.com/arcseat/arc/tools"
)

// TestFixAFailingTest is the main job, through the real loop, real tools and a
// scripted model: search, read, edit with the hash, run the tests (red, then
// green), undo (red again), undo the undo, finish, with a gate that refuses once.
func TestFixAFailingTest(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("there is no bash")
	}
	eachDialect(t, func(t *testing.T, dialect func(string) (model, *endpoint)) {
		scratch := t.TempDir()
		dir := filepath.Join(scratch, "shop")
		if err := copyDemo(dir); err != nil {
			t.Fatal(err)
		}
		env, err := demoEnv(scratch)
		if err != nil {
			t.Fatal(err)
		}
		srv := serve(t, demoScript())
		seen := &watcher{file: filepath.Join(dir, "discount.go")}
		j := job{
			task: demoTask, dir: dir, check: demoTest, steps: 100,
			local: local.Options{Access: arc.FullAccess, State: filepath.Join(scratch, "state"), Env: env},
			watch: []tools.Middleware{seen.watch},
		}
		j.model, j.at = dialect(srv.URL())
		var out, stderr bytes.Buffer
		if code := j.do(t.Context(), &screen{Paper: paint.Paper{Out: &out, Width: 100}}, &stderr); code != exitDone || stderr.Len() > 0 {
			t.Fatalf("exit code %d\n%s\n%s", code, out.String(), stderr.String())
		}

		wrong := read(t, "demo/discount.go.txt")
		right := strings.Replace(wrong, "if sum > discountFrom {", "if sum >= discountFrom {", 1)
		for i, want := range []step{
			{"shell_exec", "failed", wrong},
			{"workspace_search", "", wrong},
			{"workspace_read", "", wrong},
			{"workspace_read", "", wrong},
			{"workspace_edit", "", right},
			{"shell_exec", "completed", right},
			{"tool_search", "", right},
			{"workspace_undo", "", wrong},
			{"shell_exec", "failed", wrong},
			{"finish", "not_finished", wrong},
			{"workspace_undo", "", right},
			{"shell_exec", "completed", right},
			{"finish", "finished", right},
		} {
			if i >= len(seen.steps) || seen.steps[i] != want {
				t.Errorf("step %d should be %s %s, with the file\n%s\nthe steps were %+v", i+1, want.tool, want.status, want.file, seen.steps)
				break
			}
		}
		if len(seen.steps) != 13 {
			t.Errorf("there were %d calls, want 13", len(seen.steps))
		}

		// workspace_undo is found by tool_search, and listed from then on.
		searched := false
		for i, r := range srv.Requests() {
			if last, ok := r.Last(""); ok && last.Name == "tool_search" {
				searched = true
			}
			_, listed := r.Tool("workspace_undo")
			if listed != searched {
				t.Errorf("request %d: workspace_undo is listed: %v, after the search: %v", i+1, listed, searched)
			}
		}
		if !searched {
			t.Error("tool_search was never called")
		}
	})
}

// A step is a call as a host saw it end.
type step struct{ tool, status, file string }

// A watcher sees every call, and the file after it.
type watcher struct {
	file string

	mu    sync.Mutex
	steps []step
}

func (w *watcher) watch(next tools.Handler) tools.Handler {
	return func(ctx context.Context, c arc.Call) *arc.Result {
		r := next(ctx, c)
		s := step{tool: c.Name}
		b, err := os.ReadFile(w.file)
		if err != nil {
			s.status = err.Error()
		}
		s.file = string(b)
		bare := *r
		bare.Body = ""
		for _, f := range fields([]byte(bare.String())) {
			if f.name == "status" || f.name == "error" {
				s.status = f.value
			}
		}
		w.mu.Lock() // the two reads run side by side
		defer w.mu.Unlock()
		w.steps = append(w.steps, s)
		return r
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := project.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// The demonstration as a user runs it: a process, its output in a pipe.
func TestTheDemonstration(t *testing.T) {
	t.Parallel()
	cmd := program(t, nil)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil || stderr.Len() > 0 {
		t.Fatalf("%v\n%s\n%s", err, out, stderr.String())
	}
	if bytes.ContainsRune(out, '\x1b') {
		t.Errorf("a pipe gets escape codes:\n%q", out)
	}
	lines := strings.Split(string(out), "\n")
	for _, l := range lines {
		if n := len([]rune(l)); n > paint.PlainWidth {
			t.Errorf("a line has %d columns: %s", n, l)
		}
	}
	at := 0
	for _, want := range []string{
		"● shell_exec  command go test ./...",
		"exactly 100.00: the total is 10000, should be 9000",
		"● workspace_search  query discountFrom",
		"● workspace_read  path discount.go",
		"● workspace_edit  path discount.go",
		"  - if sum > discountFrom {",
		"  + if sum >= discountFrom {",
		"● tool_search  query undo a change",
		"● workspace_undo",
		"status failed",
		"status not_finished",
		"● workspace_undo",
		"status completed",
		"status finished",
		"Finished.",
		"13 calls, ",
		"1 change can be undone:",
		"replace discount.go  +1 −1",
	} {
		i := slices.IndexFunc(lines[at:], func(l string) bool { return strings.Contains(l, want) })
		if i < 0 {
			t.Fatalf("%q is missing after line %d of\n%s", want, at, out)
		}
		at += i + 1
	}
}

func TestTheDemonstrationOnAnOddMachine(t *testing.T) {
	t.Parallel()
	for name, env := range map[string][]string{
		"no home":                           {"HOME=", "GOCACHE=" + goCache(t.TempDir()), "XDG_CACHE_HOME=", "XDG_STATE_HOME="},
		"settings that would break a build": {"GOFLAGS=-mod=vendor", "GO111MODULE=off", "GOWORK=/nonexistent/go.work", "GOPROXY=direct", "GOTMPDIR=/nonexistent"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if out, err := program(t, env).CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

func TestWrongUse(t *testing.T) {
	t.Parallel()
	none := func(string) string { return "" }
	for name, tt := range map[string]struct {
		args []string
		code int
		want string
	}{
		"a flag that is none":    {[]string{"-nonsense"}, exitUsage, "agent: flag provided but not defined: -nonsense; -h says more\n"},
		"flags without a task":   {[]string{"-dir", "."}, exitUsage, "a task is missing"},
		"a task without a model": {[]string{"fix it"}, exitUsage, "a task needs a model"},
		"an access that is none": {[]string{"-access", "most", "fix it"}, exitUsage, "it is safe or full"},
		"help is no mistake":     {[]string{"-h"}, exitDone, "OPENAI_BASE_URL"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer null.Close()
			var stderr bytes.Buffer
			if code := run(t.Context(), tt.args, none, null, io.Writer(&stderr)); code != tt.code || !strings.Contains(stderr.String(), tt.want) {
				t.Errorf("got %d and %q, want %d and %q", code, stderr.String(), tt.code, tt.want)
			}
		})
	}
}
