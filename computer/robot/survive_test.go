//go:build cgo && linux && robotgo && (386 || amd64 || arm || arm64 || riscv64)

package robot_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/computer"
	"github.com/arcseat/arc/computer/robot"
)

// Each of these would end the process if robotgo were called as it stands. So each
// happens in a process of its own, which tells what it was answered and then that it
// still lives.

const (
	childVariable = "ARC_TEST_ROBOT"
	alive         = "alive"
)

// children are what may happen. tell writes a line; next waits for one.
var children = map[string]func(tell func(string, error), next func()){
	"open": func(tell func(string, error), _ func()) {
		_, err := robot.Open(context.Background(), nil)
		tell("open", err)
	},
	"calls": func(tell func(string, error), next func()) {
		ctx := context.Background()
		d, err := robot.Open(ctx, nil)
		tell("open", err)
		next()
		tell("move", d.MoveTo(ctx, image.Pt(5, 5)))
		_, err = d.Pointer(ctx)
		tell("pointer", err)
		tell("button", d.Button(ctx, computer.Left, false, 1))
		tell("wheel", d.Wheel(ctx, 1, 1))
		tell("key", d.Key(ctx, computer.Key{Name: "a", Sym: 'a'}, false))
		var f computer.Frame
		tell("capture", d.Capture(ctx, image.Rect(0, 0, 800, 600), &f))
		tell("outside", d.Capture(ctx, image.Rect(-1, -1, 5, 5), &f))
		tell("unknown", d.Key(ctx, computer.Key{Name: "nonsense"}, true))
		tell("far", d.MoveTo(ctx, image.Pt(1<<20, -1<<20)))
		tell("close", d.Close())
		d, err = robot.Open(ctx, nil)
		tell("again", err)
		if err == nil {
			tell("close", d.Close())
		}
	},
	"in a call": func(tell func(string, error), next func()) {
		ctx := context.Background()
		d, err := robot.Open(ctx, nil)
		tell("open", err)
		next()
		for i := 0; err == nil; i++ {
			err = d.MoveTo(ctx, image.Pt(i%100, i%90))
		}
		tell("move", err)
		tell("close", d.Close())
	},
	"drag": func(tell func(string, error), next func()) {
		ctx := context.Background()
		d, err := robot.Open(ctx, nil)
		tell("open", err)
		tell("shift", d.Key(ctx, computer.Key{Name: "shift", Sym: computer.SymShift}, true))
		tell("button", d.Button(ctx, computer.Left, true, 1))
		next()
	},
	"silence": func(tell func(string, error), next func()) {
		d, err := robot.Open(context.Background(), nil)
		tell("open", err)
		next()
		ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
		defer cancel()
		tell("move", d.MoveTo(ctx, image.Pt(5, 5)))
		next()
		tell("later", d.MoveTo(context.Background(), image.Pt(6, 6)))
		tell("close", d.Close())
	},
}

func child(what string) int {
	in := bufio.NewReader(os.Stdin)
	children[what](
		func(call string, err error) { fmt.Printf("%s: %s\n", call, code(err)) },
		func() { in.ReadString('\n') },
	)
	fmt.Println(alive)
	return 7 // whatever C code does at the end, the host's exit code stays
}

// code is an error's code and reason, as a test compares them.
func code(err error) string {
	var e *arc.Error
	switch {
	case err == nil:
		return "ok"
	case errors.Is(err, context.DeadlineExceeded):
		return "timed_out"
	case !errors.As(err, &e):
		return err.Error()
	}
	if e.Detail == nil {
		return string(e.Code)
	}
	b, _ := json.Marshal(e.Detail) // strings alone
	return fmt.Sprintf("%s %s", e.Code, b)
}

// A host is a process of this test's.
type host struct {
	t   *testing.T
	cmd *exec.Cmd
	in  *os.File
	out *bufio.Scanner
}

func startHost(t *testing.T, what string, env ...string) *host {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(append(os.Environ(), childVariable+"="+what), env...)
	cmd.Stderr = os.Stderr
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdin = r
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	r.Close()
	kill := time.AfterFunc(2*time.Minute, func() { cmd.Process.Kill() })
	t.Cleanup(func() {
		kill.Stop()
		w.Close()
		cmd.Process.Kill()
		cmd.Wait()
	})
	return &host{t, cmd, w, bufio.NewScanner(out)}
}

// says compares the next lines.
func (h *host) says(want ...string) {
	h.t.Helper()
	for _, w := range want {
		h.out.Scan()
		if got := h.out.Text(); got != w && !(strings.HasSuffix(w, "…") && strings.HasPrefix(got, strings.TrimSuffix(w, "…"))) {
			h.t.Errorf("the host says %q, want %q", got, w)
		}
	}
}

func (h *host) next() { fmt.Fprintln(h.in) }

// lives waits for the end of a host that was not ended by anything else.
func (h *host) lives() {
	h.t.Helper()
	h.says(alive)
	var exit *exec.ExitError
	if err := h.cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 7 {
		h.t.Errorf("the host ended with %v", err)
	}
}

func TestThereIsNoDisplay(t *testing.T) {
	v := virtual(t, 320, 200)
	stranger := filepath.Join(t.TempDir(), "cookie")
	if err := os.WriteFile(stranger, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, want string
		env        []string
	}{
		{"DISPLAY is not set", `open: unavailable {"reason":"no_display"}`, []string{"DISPLAY="}},
		{"nobody listens", `open: unavailable {"reason":"no_display"}`, []string{"DISPLAY=:9173"}},
		{"no such screen", `open: unavailable {"reason":"no_display"}`, []string{"DISPLAY=" + v.Display + ".7"}},
		{"the cookie is refused", `open: unavailable {"reason":"refused"}`, []string{"XAUTHORITY=" + stranger}},
		{"the session is Wayland's", `open: unavailable {"reason":"unsupported_session"}`, []string{"WAYLAND_DISPLAY=wayland-0"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := startHost(t, "open", c.env...)
			h.says(c.want)
			h.lives()
		})
	}
}

// pidOf is the process of the display: the one at the other end of its socket.
func pidOf(t *testing.T, display string) int {
	t.Helper()
	conn, err := net.Dial("unix", "/tmp/.X11-unix/X"+strings.TrimPrefix(display, ":"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	raw, err := conn.(*net.UnixConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	pid := 0
	err = raw.Control(func(fd uintptr) {
		peer, err := syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED)
		if err != nil {
			t.Error(err)
			return
		}
		pid = int(peer.Pid)
	})
	if err != nil || pid == 0 {
		t.Fatalf("the display is of process %d, %v", pid, err)
	}
	return pid
}

func signal(t *testing.T, display string, s syscall.Signal) {
	t.Helper()
	if err := syscall.Kill(pidOf(t, display), s); err != nil {
		t.Fatal(err)
	}
}

func TestAServerThatDies(t *testing.T) {
	v := virtual(t, 800, 600)
	h := startHost(t, "calls")
	h.says("open: ok")
	signal(t, v.Display, syscall.SIGKILL)
	h.next()
	// By then another test's display may have its number, with another cookie.
	h.says("move: display_lost", "pointer: display_lost", "button: display_lost", "wheel: display_lost", "key: display_lost",
		"capture: display_lost", "outside: …", "unknown: display_lost", "far: display_lost", "close: ok", "again: unavailable …")
	h.lives()
}

// Without handlers in Xlib the process ends when the display dies within a call.
func TestAServerThatDiesInACall(t *testing.T) {
	for range 5 {
		v := virtual(t, 320, 200)
		h := startHost(t, "in a call")
		h.says("open: ok")
		h.next()
		time.Sleep(50 * time.Millisecond)
		signal(t, v.Display, syscall.SIGKILL)
		h.says("move: display_lost", "close: ok")
		h.lives()
	}
}

func TestAServerThatHangs(t *testing.T) {
	v := virtual(t, 320, 200)
	h := startHost(t, "silence")
	h.says("open: ok")
	pid := pidOf(t, v.Display)
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	h.next()
	h.says("move: timed_out")
	if err := syscall.Kill(pid, syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	h.next()
	h.says("later: ok", "close: ok")
	h.lives()
}

func TestAScreenThatShrinks(t *testing.T) {
	virtual(t, 800, 600)
	h := startHost(t, "calls")
	h.says("open: ok")
	run(t, "xrandr", "--output", "screen", "--off", "--fb", "640x480")
	h.next()
	h.says("move: ok", "pointer: ok", "button: ok", "wheel: ok", "key: ok", "capture: backend", "outside: backend", `unknown: unknown_key {"key":"nonsense"}`, "far: ok", "close: ok",
		"again: ok", "close: ok")
	h.lives()
}

// What a process holds when it is killed stays down for every program.
func TestAProcessThatIsKilledInADrag(t *testing.T) {
	virtual(t, 320, 200)
	h := startHost(t, "drag")
	h.says("open: ok", "shift: ok", "button: ok")
	if err := h.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	h.cmd.Wait()
	d := open(t)
	if held, err := d.Held(t.Context()); err != nil || !slices.Equal(held, []string{"left_button", "shift"}) {
		t.Errorf("after the kill held is %v, %v", held, err)
	}
	pc, err := computer.Open(t.Context(), d, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer pc.Close(t.Context())
	if held, err := d.Held(t.Context()); err != nil || len(held) != 0 {
		t.Errorf("after Open held is %v, %v", held, err)
	}
}
