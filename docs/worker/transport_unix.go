//go:build unix

package worker

import (
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
// is only to say hello.
func connect(c *proc.Command, in, out, file *os.File) {
	c.Extra = []*os.File{in, out}
	if file != nil {
		c.Extra = append(c.Extra, file)
	}
}

// inherited finds the pipes that connect gave; ok is false where there are none.
func inherited() (in, out, file *os.File, ok bool) {
	for _, fd := range []int{fdIn, fdOut} {
		var st unix.Stat_t
		if err := unix.Fstat(fd, &st); err != nil || st.Mode&unix.S_IFMT != unix.S_IFIFO {
			return nil, nil, nil, false
		}
		unix.CloseOnExec(fd)
	}
	unix.CloseOnExec(fdFile)
	return os.NewFile(fdIn, "requests"), os.NewFile(fdOut, "replies"), os.NewFile(fdFile, "document"), true
}

func systemEnvironment() []string { return nil }
