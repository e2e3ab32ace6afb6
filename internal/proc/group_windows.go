package proc

import (
	"errors"
	"os"
	"syscall"
)

func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP, HideWindow: true}
}

func openNull() (*os.File, error) { return os.OpenFile(os.DevNull, os.O_RDWR, 0) }

func exitOf(state *os.ProcessState) Exit { return Exit{Code: state.ExitCode()} }

func (g *Group) living(ended bool) int {
	if ended {
		return 0
	}
	return 1
}

// send knows no way to ask.
func (g *Group) send(bool) error {
	if err := g.leader.Kill(); !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	return nil
}

// find cannot read another process's environment.
func find(pid int, _ string) (found, maybe bool) {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false, false
	}
	_ = p.Release() // it was only looked for
	return false, true
}
