//go:build !((linux && (386 || amd64 || arm || arm64 || riscv64)) || freebsd || netbsd || openbsd)

package x11

import (
	"context"

	"github.com/arcseat/arc/computer"
)

// A Desktop does not exist on this platform.
type Desktop struct{ computer.Desktop }

// Open is unavailable on this platform.
func Open(context.Context, *Options) (*Desktop, error) { return nil, platform() }

// A Virtual does not exist on this platform.
type Virtual struct {
	Display    string // as DISPLAY has it
	Xauthority string // the file with its cookie
}

// StartVirtual is unavailable on this platform.
func StartVirtual(context.Context, int, int) (*Virtual, error) { return nil, platform() }

// Open is unavailable on this platform.
func (*Virtual) Open(context.Context) (*Desktop, error) { return nil, platform() }

// Env is what programs need in their environment to use the display.
func (*Virtual) Env() []string { return nil }

// Close does nothing.
func (*Virtual) Close() error { return nil }

func platform() error {
	return unavailable("platform", "this package does not operate desktops of this platform; go on without the desktop.")
}
