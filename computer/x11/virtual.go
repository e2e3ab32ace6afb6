//go:build (linux && (386 || amd64 || arm || arm64 || riscv64)) || freebsd || netbsd || openbsd

package x11

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/computer"
	"github.com/arcseat/arc/internal/proc"
)

const (
	startTime = 30 * time.Second // for a server to come up
	endTime   = 2 * time.Second  // between asking it to end and killing it
)

// A Virtual is a display without a screen, of our own.
type Virtual struct {
	Display    string // as DISPLAY has it
	Xauthority string // the file with its cookie

	group *proc.Group
	alive *wire // the server ends after its last client, and this one is there until Close
	dir   string
}

// StartVirtual starts Xvfb with a screen of w×h pixels, on a free display number
// and with a cookie of its own, so that only who is given Xauthority may use it. It
// ends with Close, and if this process ends without, once no other program is on it.
//
// Codes: unavailable with the reason engine if there is no Xvfb, no_display if it
// does not come up; invalid_arguments for a size that is no screen's.
func StartVirtual(ctx context.Context, w, h int) (*Virtual, error) {
	if w < 1 || h < 1 || w > 32767 || h > 32767 {
		return nil, &arc.Error{Code: arc.InvalidArguments, Message: fmt.Sprintf("a screen of %d×%d is none; give sides of 1 to 32767.", w, h)}
	}
	server, err := exec.LookPath("Xvfb")
	if err != nil {
		return nil, unavailable("engine", "this host has no Xvfb, which makes a display without a screen; install it (Debian: apt-get install xvfb).")
	}
	if server, err = filepath.Abs(server); err != nil {
		return nil, noDisplay(err)
	}
	dir, err := os.MkdirTemp("", "arc-display-")
	if err != nil {
		return nil, noDisplay(err)
	}
	v := &Virtual{dir: dir, Xauthority: filepath.Join(dir, "cookie")}
	if err := v.start(ctx, server, fmt.Sprintf("%dx%dx24", w, h)); err != nil {
		return nil, joinClose(v, err)
	}
	return v, nil
}

// joinClose is err, after v was closed.
func joinClose(v *Virtual, err error) error {
	_ = v.Close() // what went wrong first is what is told
	return err
}

func (v *Virtual) start(ctx context.Context, server, screen string) error {
	if err := os.WriteFile(v.Xauthority, newCookie(), 0o600); err != nil {
		return noDisplay(err)
	}
	read, write, err := os.Pipe()
	if err != nil {
		return noDisplay(err)
	}
	defer read.Close()
	v.group, err = proc.Start(proc.Command{
		Argv: []string{server, "-displayfd", "3", "-screen", "0", screen, "-nolisten", "tcp", "-terminate", "-auth", v.Xauthority},
		Dir:  v.dir,
		Env:  []string{"PATH=" + os.Getenv("PATH"), "HOME=" + v.dir, "TMPDIR=" + os.TempDir()},
		// It writes its number there once it can be connected to.
		Extra: []*os.File{write},
	})
	write.Close()
	if err != nil {
		return noDisplay(err)
	}
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	defer context.AfterFunc(ctx, func() { read.Close() })()
	number, err := bufio.NewReader(read).ReadString('\n')
	if err != nil {
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return noDisplay(err)
	}
	v.Display = ":" + strings.TrimSpace(number)
	v.alive, err = dial(ctx, Options{Display: v.Display, Xauthority: v.Xauthority})
	return err
}

// newCookie is an Xauthority file with a cookie for any display.
func newCookie() []byte {
	cookie := make([]byte, 16)
	rand.Read(cookie)
	b := binary.BigEndian.AppendUint16(nil, familyWild)
	for _, field := range []string{"", "", cookieName, string(cookie)} {
		b = binary.BigEndian.AppendUint16(b, uint16(len(field)))
		b = append(b, field...)
	}
	return b
}

// Open connects to the display.
func (v *Virtual) Open(ctx context.Context) (*Desktop, error) {
	return Open(ctx, &Options{Display: v.Display, Xauthority: v.Xauthority})
}

// Env is what programs need in their environment to use the display.
func (v *Virtual) Env() []string {
	return []string{"DISPLAY=" + v.Display, "XAUTHORITY=" + v.Xauthority}
}

// Close ends the server, and with it whatever programs it has, and removes its
// files. Closing twice is fine.
func (v *Virtual) Close() error {
	if v.alive != nil {
		v.alive.close()
	}
	if v.group != nil {
		if left := proc.End(v.group, endTime, nil); left > 0 {
			return &arc.Error{Code: computer.Backend, Message: "the virtual display does not end; tell the operator."}
		}
	}
	return os.RemoveAll(v.dir)
}
