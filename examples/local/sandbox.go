package local

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/shell"
)

// What may confine commands, beside a program in front of the shell.
const (
	NoSandbox       = "none"     // nothing: a command can do what the host's user can
	LandlockSandbox = "landlock" // Linux's own: they write to the project and a cache of their own, and have no TCP
)

// openSandbox makes what runs commands, and the variables that go with it. A sandbox
// that cannot be used is an error: commands never run without it instead.
func (h *Host) openSandbox(dir string, o *Options) (r shell.Runner, env []string, err error) {
	switch words := strings.Fields(o.Sandbox); {
	case len(words) == 0, o.Sandbox == NoSandbox:
		return nil, nil, nil
	case o.Sandbox == LandlockSandbox:
		// A cache of their own: in the user's they could plant what the user runs next.
		cache := filepath.Join(h.State, "cache")
		h.landlock, err = shell.NewLandlock(context.Background(), dir, &shell.LandlockOptions{Write: []string{cache}})
		r = h.landlock
		env = []string{"XDG_CACHE_HOME=" + cache, "GOCACHE=" + filepath.Join(cache, "go-build"), "npm_config_cache=" + filepath.Join(cache, "npm")}
	default:
		r, err = inFront(words, dir)
	}
	if err != nil {
		h.landlock = nil
		return nil, nil, ofSandbox(o.Sandbox, err)
	}
	return r, env, nil
}

// inFront runs the shell behind a program and its arguments.
func inFront(words []string, dir string) (shell.Runner, error) {
	program, err := exec.LookPath(words[0])
	if err == nil {
		program, err = filepath.Abs(program)
	}
	if err != nil {
		return nil, err
	}
	r := shell.HostRunner{
		Wrap: func(argv []string, _ shell.Spec) []string {
			return append(append([]string{program}, words[1:]...), argv...)
		},
		Confines: "commands are confined here by " + filepath.Base(program),
	}
	return r, shell.Probe(context.Background(), r, dir)
}

// ofSandbox tells the operator why commands cannot be confined.
func ofSandbox(sandbox string, err error) error {
	cause := err
	if inner := errors.Unwrap(err); inner != nil && errors.Is(err, shell.SandboxUnavailable) {
		cause = inner
	}
	return &arc.Error{
		Code:    shell.SandboxUnavailable,
		Message: fmt.Sprintf("commands cannot be confined by %q here (%v); name another -sandbox, or none.", sandbox, cause),
		Err:     err,
	}
}
