package shell

import (
	"fmt"

	"github.com/arcseat/arc"
)

// The codes of this family. It also returns invalid_arguments, path_escape,
// not_found, expired, out_of_range, limit_reached, shutting_down, locked and io_error.
const (
	// CwdNotFound: the working directory does not exist or is no directory.
	CwdNotFound arc.Code = "cwd_not_found"
	// ShellNotFound: the host has neither bash nor sh.
	ShellNotFound arc.Code = "shell_not_found"
	// SandboxUnavailable: the host wants commands confined, and that cannot be done
	// here. They are never run unconfined instead.
	SandboxUnavailable arc.Code = "sandbox_unavailable"
	// SpawnFailed: the system would not start the command. Detail has errno.
	SpawnFailed arc.Code = "spawn_failed"
)

func invalid(reason, format string, args ...any) error {
	return &arc.Error{
		Code:    arc.InvalidArguments,
		Message: fmt.Sprintf(format, args...),
		Detail:  map[string]string{"reason": reason},
	}
}

func shuttingDown() error {
	return &arc.Error{Code: arc.ShuttingDown, Message: "the host is closing its shell and starts nothing more; go on without a command."}
}

func noSandbox(cause error) error {
	return &arc.Error{
		Code:    SandboxUnavailable,
		Message: "the sandbox in which commands are to run is not usable on this machine, so nothing was run; tell the operator.",
		Err:     cause,
	}
}

type notFound struct {
	Kind   string   `json:"kind"`
	Recent []string `json:"recent,omitempty"`
}

type droppedDetail struct {
	Kind string `json:"kind"`
}

func expired(id string) error {
	return &arc.Error{
		Code:    arc.Expired,
		Message: fmt.Sprintf("the output %s is no longer kept; run the command again if you need it.", id),
		Detail:  droppedDetail{"spool"},
	}
}
