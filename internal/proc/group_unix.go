//go:build unix

package proc

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// openNull opens the null device past the runtime's poller, which would be asked to wait
// for it and refuse.
func openNull() (*os.File, error) {
	fd, err := unix.Open(os.DevNull, unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: os.DevNull, Err: err}
	}
	return os.NewFile(uintptr(fd), os.DevNull), nil
}

func exitOf(state *os.ProcessState) Exit {
	w, ok := state.Sys().(syscall.WaitStatus)
	if ok && w.Signaled() {
		return Exit{Code: -1, Signal: unix.SignalName(w.Signal())}
	}
	return Exit{Code: state.ExitCode()}
}

// living reaps first: where the host is process 1 or a subreaper, the group's
// orphans are its children. Only this group's, and only once the leader has been
// waited for, so that nobody's Wait is robbed.
func (g *Group) living(ended bool) int {
	if ended {
		for {
			pid, err := unix.Wait4(-g.PID(), nil, unix.WNOHANG, nil)
			if pid <= 0 && !errors.Is(err, unix.EINTR) {
				break
			}
		}
		if emptySince(g.PID(), g.began) {
			return 0
		}
	}
	if n, err := living(g.PID(), ended); err == nil {
		return n
	}
	if lives(g.PID()) {
		return 1
	}
	return 0
}

// lives reports whether a process group of this number has a member.
func lives(pgid int) bool { return !errors.Is(unix.Kill(-pgid, 0), unix.ESRCH) }

// send signals the group, and then those that a shell with job control has put into
// groups of their own.
func (g *Group) send(kill bool) error {
	if kill {
		return g.toAll(unix.SIGKILL)
	}
	err := g.toAll(unix.SIGTERM)
	_ = g.toAll(unix.SIGCONT) // one that is stopped hears nothing else
	return err
}

func (g *Group) toAll(sig unix.Signal) error {
	err := unix.Kill(-g.PID(), sig)
	for _, pgid := range groups(g.PID()) {
		if e := unix.Kill(-pgid, sig); err == nil || errors.Is(err, unix.ESRCH) {
			err = e
		}
	}
	if errors.Is(err, unix.ESRCH) {
		return nil // it ended by itself
	}
	return err
}
