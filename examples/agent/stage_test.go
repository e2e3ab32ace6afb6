package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/arcseat/arc/examples/internal/desk"
	"github.com/arcseat/arc/examples/local"
	"github.com/arcseat/arc/internal/fakemodel"
	"github.com/arcseat/arc/seat"
)

// A stage is a project, its state, and a scripted model whose conversation goes on
// from one run of the program to the next.
type stage struct {
	t          *testing.T
	dir, state string
	srv        *fakemodel.Server
	dialect    dialect
}

func newStage(t *testing.T, scenes ...fakemodel.Scene) *stage {
	t.Helper()
	srv, err := fakemodel.Start(fakemodel.Script{}, &fakemodel.Options{Scenes: scenes})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		http.DefaultTransport.(*http.Transport).CloseIdleConnections()
		if err := srv.Err(); err != nil && !cutOff(err) {
			t.Error(err)
		}
		srv.Close()
	})
	return &stage{t, t.TempDir(), t.TempDir(), srv, dialectOf(t)}
}

// cutOff reports whether all that is wrong is that requests ended half-way, as those of
// a program that was killed do.
func cutOff(err error) bool {
	for l := range strings.Lines(err.Error()) {
		if strings.TrimSpace(l) != io.ErrUnexpectedEOF.Error() {
			return false
		}
	}
	return true
}

// scene is what the model does when it is asked something.
func scene(asked string, steps ...fakemodel.Step) fakemodel.Scene {
	return fakemodel.Scene{Asked: asked, Script: fakemodel.Script{Steps: steps}}
}

// says is a step of words, and calls one of a call.
func says(text string) fakemodel.Step { return fakemodel.Step{Name: text, Text: text} }

func calls(tool string, args map[string]any) fakemodel.Step {
	if args == nil {
		args = map[string]any{}
	}
	return fakemodel.Step{Name: tool, Calls: []fakemodel.Call{{Tool: tool, Args: args}}}
}

// when is st once the newest result has text.
func when(text string, st fakemodel.Step) fakemodel.Step {
	st.When.Contains = text
	return st
}

func (g *stage) args(args []string) []string {
	flags, _ := g.dialect.program(g.srv.URL())
	return slices.Concat([]string{"-dir", g.dir, "-state", g.state, "-room", "demo"}, flags, args)
}

func (g *stage) env() []string {
	_, env := g.dialect.program(g.srv.URL())
	return env
}

// run runs the program and returns its exit code and its screen.
func (g *stage) run(args ...string) (int, string) {
	g.t.Helper()
	out, err := os.CreateTemp(g.t.TempDir(), "out")
	if err != nil {
		g.t.Fatal(err)
	}
	defer out.Close()
	var stderr bytes.Buffer
	code := run(g.t.Context(), g.args(args), getenv(g.env()), out, &stderr)
	b, err := os.ReadFile(out.Name())
	if err != nil {
		g.t.Fatal(err)
	}
	return code, string(b) + stderr.String()
}

// ask runs the program with a task and wants it done.
func (g *stage) ask(args ...string) string {
	g.t.Helper()
	code, out := g.run(args...)
	if code != exitDone {
		g.t.Fatalf("exit code %d\n%s", code, out)
	}
	return out
}

// A process is the program on its own, to be interrupted or killed.
type process struct {
	t   *testing.T
	cmd *exec.Cmd
	out *lockedBuffer
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

func (g *stage) start(args ...string) *process {
	g.t.Helper()
	p := &process{t: g.t, out: &lockedBuffer{}}
	p.cmd = program(g.t, g.env(), g.args(args)...)
	p.cmd.Stdout, p.cmd.Stderr = p.out, p.out
	if err := p.cmd.Start(); err != nil {
		g.t.Fatal(err)
	}
	g.t.Cleanup(func() { p.cmd.Process.Kill(); p.cmd.Wait() })
	return p
}

// sees waits until the screen shows text.
func (p *process) sees(text string) {
	p.t.Helper()
	for range 8000 { // a guard against a hang: minutes
		if strings.Contains(p.out.String(), text) {
			return
		}
		time.Sleep(25 * time.Millisecond)
	}
	p.t.Fatalf("the screen never shows %q:\n%s", text, p.out.String())
}

// interrupt is Ctrl-C; it returns the exit code.
func (p *process) interrupt() int {
	p.t.Helper()
	if err := p.cmd.Process.Signal(os.Interrupt); err != nil {
		p.t.Fatal(err)
	}
	p.cmd.Wait()
	return p.cmd.ProcessState.ExitCode()
}

// kill is kill -9.
func (p *process) kill() {
	p.cmd.Process.Kill()
	p.cmd.Wait()
}

// host opens the project while no program has it.
func (g *stage) host(do func(context.Context, *local.Host)) {
	g.t.Helper()
	h, err := local.Open(g.dir, &local.Options{State: g.state, Seats: true})
	if err != nil {
		g.t.Fatal(err)
	}
	do(g.t.Context(), h)
	if err := h.Close(context.WithoutCancel(g.t.Context())); err != nil {
		g.t.Error(err)
	}
}

var demoRef = seat.Ref{RunID: "demo"}

// operate does an operator's verb, wherever the store is.
func operate[R any](g *stage, verb string, args any) (r R, err error) {
	g.t.Helper()
	do := func(d desk.Desk) {
		var b json.RawMessage
		if b, err = d.Do(g.t.Context(), "olga", verb, args); err == nil {
			err = json.Unmarshal(b, &r)
		}
	}
	if local.SeatsOwned(g.state) {
		if d, no := desk.Knock(g.t.Context(), g.state); no == nil {
			do(d)
			return r, err
		}
	}
	g.host(func(_ context.Context, h *local.Host) { do(desk.At(h.Seats, h.Operator)) })
	return r, err
}

// mustOperate is operate without a refusal.
func mustOperate[R any](g *stage, verb string, args any) R {
	g.t.Helper()
	r, err := operate[R](g, verb, args)
	if err != nil {
		g.t.Fatal(err)
	}
	return r
}

func (g *stage) read(name string) string {
	g.t.Helper()
	b, err := os.ReadFile(filepath.Join(g.dir, name))
	if err != nil {
		g.t.Fatal(err)
	}
	return string(b)
}

func (g *stage) put(name, content string) {
	g.t.Helper()
	if err := os.WriteFile(filepath.Join(g.dir, name), []byte(content), 0o644); err != nil {
		g.t.Fatal(err)
	}
}

// newest is the model's newest request.
func (g *stage) newest() *fakemodel.Request {
	g.t.Helper()
	all := g.srv.Requests()
	if len(all) == 0 {
		g.t.Fatal("the model was never asked")
	}
	return &all[len(all)-1]
}

func needBash(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("there is no bash")
	}
}

// newestText is what the model was last told in words.
func newestText(r *fakemodel.Request) string {
	for i := len(r.Turns) - 1; i >= 0; i-- {
		if !r.Turns[i].Model && r.Turns[i].Text != "" {
			return r.Turns[i].Text
		}
	}
	return ""
}
