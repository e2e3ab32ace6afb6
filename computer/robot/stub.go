//go:build !(cgo && (darwin || windows || (linux && robotgo && (386 || amd64 || arm || arm64 || riscv64))))

package robot

import (
	"context"
	"runtime"

	"github.com/arcseat/arc/computer"
)

// A Desktop does not exist in this build.
type Desktop struct{ computer.Desktop }

// Open is unavailable in this build, and says what to install.
func Open(context.Context, *Options) (*Desktop, error) {
	switch runtime.GOOS {
	case "linux":
		return nil, unavailable("engine", "this host was built without robotgo; use x11, or install libxtst-dev and a C compiler and build with -tags robotgo.")
	case "darwin", "windows":
		return nil, unavailable("engine", "this host was built without cgo, which robotgo needs; install a C compiler and build with CGO_ENABLED=1.")
	}
	return nil, unavailable("platform", "robotgo does not operate desktops of this platform; use x11.")
}
