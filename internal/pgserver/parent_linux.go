package pgserver

import "syscall"

// endWithParent ends the server also when the tests are killed.
func endWithParent(a *syscall.SysProcAttr) { a.Pdeathsig = syscall.SIGQUIT }
