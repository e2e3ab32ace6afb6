package shell

import (
	"fmt"

	"github.com/arcseat/arc"
)

// The codes of this family. It also returns invalid_arguments, path_escape,
// not_found, expired, out_of_range, limit_reached, shutting_down, no_space and
// io_error.
const (
	// CwdNotFound: the working directory does not exist or is no directory.
	CwdNotFound arc.Code = "cwd_not_found"
	// ShellNotFound: the host has neither bash nor sh.
	ShellNotFound arc.Code = "shell_not_found"
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
