package main

import (
	"bytes"
	"cmp"
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
	"github.com/arcseat/arc/docs"
	"github.com/arcseat/arc/examples/internal/paint"
	"github.com/arcseat/arc/examples/local"
	"github.com/arcseat/arc/internal/fakemodel"
	"github.com/arcseat/arc/tools"
	"github.com/arcseat/arc/tools/wire"
)

// A rehearsal is the demonstration's job in a test: its project, its model, and who
// looks on.
type rehearsal struct {
	job
	srv    *fakemodel.Server
	seen   *watcher
	out    bytes.Buffer
	stderr bytes.Buffer
}

// rehearse prepares the job for a model of the dialect. with is the engine, nil that of
// the programs.
func rehearse(t *testing.T, srv *fakemodel.Server, d dialect, with docs.Engine) *rehearsal {
	t.Helper()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("there is no bash")
	}
	scratch := t.TempDir()
	dir := filepath.Join(scratch, "shop")
	if err := copyDemo(dir); err != nil {
		t.Fatal(err)
	}
	env, err := demoEnv(scratch)
	if err != nil {
		t.Fatal(err)
	}
	r := &rehearsal{srv: srv, seen: &watcher{file: filepath.Join(dir, "discount.go")}}
	r.job = job{
		task: demoTask, dir: dir, check: demoTest, steps: 100,
		local: local.Options{Access: arc.FullAccess, State: filepath.Join(scratch, "state"), Env: env, Engine: with},
		watch: []tools.Middleware{r.seen.watch},
	}
	r.model = d.model(srv.URL())
	return r
}

// perform does the job and returns its exit code.
func (r *rehearsal) perform(t *testing.T) int {
	t.Helper()
	return r.do(t.Context(), &screen{Paper: paint.Paper{Out: &r.out, Width: 100}}, &r.stderr)
}

// TestFixAFailingTest is the main job, through the real loop, real tools and a
// scripted model: search, read, find out what a PDF says, edit with the hash, run the
// tests (red, then green), undo (red again), undo the undo, finish, with a gate that
// refuses once.
func TestFixAFailingTest(t *testing.T) {
	t.Parallel()
	reader := "workspace_document_read"
	if engine(t) == nil {
		reader = "workspace_search"
	}
	eachDialect(t, func(t *testing.T, d dialect) {
		srv := serve(t, demoScript())
		r := rehearse(t, srv, d, nil)
		if code := r.perform(t); code != exitDone || r.stderr.Len() > 0 {
			t.Fatalf("exit code %d\n%s\n%s", code, r.out.String(), r.stderr.String())
		}

		if d.speak == wire.Anthropic && reader == "workspace_document_read" {
			theReadmeTells(t, r.out.String())
		}
		wrong := read(t, "demo/discount.go.txt")
		right := strings.Replace(wrong, "15000", "10000", 1)
		want := []step{
			{"shell_exec", "failed", wrong},
			{"workspace_search", "", wrong},
			{"workspace_read", "", wrong},
			{"workspace_read", "", wrong},
			{"tool_search", "", wrong},
			{"workspace_document_inspect", "", wrong},
			{"workspace_document_search", "", wrong},
			{reader, "", wrong},
			{"workspace_edit", "", right},
			{"shell_exec", "completed", right},
			{"tool_search", "", right},
			{"workspace_undo", "", wrong},
			{"shell_exec", "failed", wrong},
			{"finish", "not_finished", wrong},
			{"workspace_undo", "", right},
			{"shell_exec", "completed", right},
			{"finish", "finished", right},
		}
		got := r.seen.steps
		if len(got) != len(want) {
			t.Fatalf("there were %d calls, want %d: %+v", len(got), len(want), got)
		}
		slices.SortFunc(got[5:7], func(a, b step) int { return cmp.Compare(a.tool, b.tool) }) // they ran side by side
		for i := range want {
			if strings.HasPrefix(got[i].status, string(arc.Unavailable)) && reader != "workspace_document_read" {
				got[i].status = ""
			}
			if got[i] != want[i] {
				t.Errorf("step %d should be %+v and is %+v", i+1, want[i], got[i])
			}
		}

		// What a search has found is listed from then on.
		for i, q := range srv.Requests() {
			for tool, query := range map[string]string{"workspace_document_read": "read a PDF", "workspace_undo": "undo a change"} {
				_, listed := q.Tool(tool)
				if searched := bytes.Contains(q.Raw, []byte(query)); listed != searched {
					t.Errorf("request %d: %s is listed: %v, after the search: %v", i+1, tool, listed, searched)
				}
			}
		}
	})
}

// The model has the sum from the rules and from nowhere else.
func TestTheEditIsWhatTheRulesSay(t *testing.T) {
	t.Parallel()
	needEngine(t)
	srv, err := fakemodel.Start(demoScript(), nil) // which is not content: the tests stay red
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { srv.Close() })
	r := rehearse(t, srv, dialectOf(t), nil)
	other := rules()
	other.Pages[1].Lines[1] = "2.1 There is one discount. It begins at a sum of 80.50, so that a cart of"
	if err := os.WriteFile(filepath.Join(r.dir, "rules.pdf"), other.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	r.perform(t)
	want := strings.Replace(read(t, "demo/discount.go.txt"), "15000", "8050", 1)
	if !slices.Contains(r.seen.steps, step{"workspace_edit", "", want}) {
		t.Errorf("the steps were %+v\n%s", r.seen.steps, r.out.String())
	}
}

// Where no PDF can be read the job is done all the same, and the screen says what was
// missing.
func TestTheJobOnAMachineThatReadsNoPDF(t *testing.T) {
	t.Parallel()
	r := rehearse(t, serve(t, demoScript()), dialectOf(t), docs.Missing(docs.Unavailable("install a C compiler")))
	if code := r.perform(t); code != exitDone || r.stderr.Len() > 0 {
		t.Fatalf("exit code %d\n%s\n%s", code, r.out.String(), r.stderr.String())
	}
	at := 0
	for _, want := range []string{
		"· unavailable\n",
		"PDF files cannot be read on this host (install a C compiler)",
		"No PDF can be read on this machine.",
		"● workspace_search  query 100.00\n",
		"The test alone does.",
		"  + discountFrom    = 10000\n",
		"status completed",
		"Finished.\n",
	} {
		i := strings.Index(r.out.String()[at:], want)
		if i < 0 {
			t.Fatalf("%q is missing after byte %d of\n%s", want, at, r.out.String())
		}
		at += i
	}
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
		"● tool_search  query read a PDF",
		"● workspace_document_search  path rules.pdf",
		"● workspace_edit  path discount.go",
		"  - discountFrom    = 15000",
		"  + discountFrom    = 10000",
		"● tool_search  query undo a change",
		"● workspace_undo",
		"status failed",
		"status not_finished",
		"● workspace_undo",
		"status completed",
		"status finished",
		"Finished.",
		"17 calls, 15 requests: ",
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
		"a flag that is none":     {[]string{"-nonsense"}, exitUsage, "agent: flag provided but not defined: -nonsense; -h says more\n"},
		"a budget without a room": {[]string{"-context", "9000", "fix it"}, exitUsage, "-context is a number of tokens, and goes with -room or -serve"},
		"a provider that is none": {[]string{"-provider", "x", "fix it"}, exitUsage, "-provider is anthropic, openai, openai-chat or gemini"},
		"flags without a task":    {[]string{"-dir", "."}, exitUsage, "a task is missing"},
		"a task without a model":  {[]string{"fix it"}, exitUsage, "a task needs a model"},
		"an access that is none":  {[]string{"-access", "most", "fix it"}, exitUsage, "it is safe or full"},
		"help is no mistake":      {[]string{"-h"}, exitDone, "OPENAI_BASE_URL"},
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
