//go:build unix

package worker

import (
	"errors"
	"fmt"
	"os"

	"github.com/arcseat/arc/internal/proc"
	"golang.org/x/sys/unix"
)

// The descriptors of a worker. Standard output is none of them: what a program
// prints before it calls Main must not look like a frame.
const (
	fdIn = 3 + iota
	fdOut
	fdFile
)

// connect gives a command its pipes and the file, which is nil in a worker that
// is only to say hello. The tie names the pipes.
func connect(c *proc.Command, in, out, file *os.File) (tie string, err error) {
	c.Extra = []*os.File{in, out}
	if file != nil {
		c.Extra = append(c.Extra, file)
	}
	return tieOf(int(in.Fd()), int(out.Fd()))
}

// tieOf names two pipes by the system's numbers for them, which are the same in
// the process that inherits them and belong to no others meanwhile.
func tieOf(in, out int) (string, error) {
	var a, b unix.Stat_t
	if err := errors.Join(unix.Fstat(in, &a), unix.Fstat(out, &b)); err != nil {
		return "", err
	}
	if a.Mode&unix.S_IFMT != unix.S_IFIFO || b.Mode&unix.S_IFMT != unix.S_IFIFO {
		return "", unix.ENOTSUP
	}
	return fmt.Sprintf("%d-%d", a.Ino, b.Ino), nil
}

// inherited finds the pipes that connect gave and tie names; ok is false where
// there are none.
func inherited(tie string) (in, out, file *os.File, ok bool) {
	if own, err := tieOf(fdIn, fdOut); err != nil || own != tie {
		return nil, nil, nil, false
	}
	for fd := fdIn; fd <= fdFile; fd++ {
		unix.CloseOnExec(fd)
	}
	return os.NewFile(fdIn, "requests"), os.NewFile(fdOut, "replies"), os.NewFile(fdFile, "document"), true
}

func systemEnvironment() []string { return nil }
