package pgserver

import (
	"os/exec"
	"syscall"
)

const quit = syscall.SIGKILL

func (s *Server) own(c *exec.Cmd) error {
	c.Dir = s.dir
	return nil
}
