package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"github.com/arcseat/arc"
)

// The codes of this package, beside those of package arc.
const (
	// ProtectedPath: .git, the journal, or a path that the host protects.
	ProtectedPath arc.Code = "protected_path"
	// ExpectedSHA256Required: the file exists, and replacing it needs the hash of
	// what it replaces.
	ExpectedSHA256Required arc.Code = "expected_sha256_required"
	// NoMatch: old_string is not in the file. Detail has a reason and the closest
	// lines.
	NoMatch arc.Code = "no_match"
	// MultipleMatches: old_string is there more than once. Detail has count and
	// lines.
	MultipleMatches arc.Code = "multiple_matches"
	// NoChange: the file would stay as it is.
	NoChange arc.Code = "no_change"
	// ReadOnlyFile: the file's mode forbids its owner to write.
	ReadOnlyFile arc.Code = "read_only_file"
	// RecoveryBlocked: the journal has entries that only the host can settle.
	RecoveryBlocked arc.Code = "recovery_blocked"
	// ChangedSince: the file is not as the change left it. Detail has the later
	// changes.
	ChangedSince arc.Code = "changed_since"
	// AlreadyUndone: the change was undone before. Detail says by which.
	AlreadyUndone arc.Code = "already_undone"
	// NotUndoable: the change cannot be undone. Detail has the reason.
	NotUndoable arc.Code = "not_undoable"
)

type pathDetail struct {
	Path string `json:"path"`
	Kind string `json:"kind,omitempty"`
}

// fault turns an operating system's error into one for the model: its code, the
// project's path and never the host's.
func (ws *Workspace) fault(err error, path relPath) error {
	var known *arc.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &known):
		return err
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	}
	for _, f := range faults {
		if f.is(err) {
			return &arc.Error{Code: f.code, Message: fmt.Sprintf(f.message, path), Detail: pathDetail{Path: string(path)}, Err: err}
		}
	}
	return &arc.Error{
		Code:    arc.IOError,
		Message: fmt.Sprintf("the system could not do this to %s (%s); try once more, then tell the operator.", path, reason(err)),
		Detail:  pathDetail{Path: string(path)},
		Err:     err,
	}
}

// A fault is a system's error that says something of its own.
type fault struct {
	is      func(error) bool
	code    arc.Code
	message string // with %s for the path
}

var faults = []fault{
	{oneOf(fs.ErrNotExist), arc.NotFound, "%s does not exist; list its directory to see what does."},
	{oneOf(noSpace...), arc.NoSpace, "the disk is full, and %s is as it was; free some space or tell the operator."},
	{oneOf(syscall.EROFS), arc.PermissionDenied, "%s is on a file system that is mounted read-only; tell the operator."},
	{oneOf(fs.ErrPermission), arc.PermissionDenied, "the system does not permit this for %s; work on another file or tell the operator."},
	{oneOf(syscall.ENOTDIR), arc.NotADirectory, "part of the path %s is a file, not a directory; list the directory above it."},
	{oneOf(syscall.EISDIR), arc.IsDirectory, "%s is a directory; list it instead."},
	{oneOf(syscall.ENAMETOOLONG), arc.InvalidPath, "a name in %s is too long for this file system; choose a shorter one."},
	{func(err error) bool {
		return errors.Is(err, syscall.ELOOP) || strings.Contains(err.Error(), "path escapes")
	},
		arc.PathEscape, "a link on the way to %s leads out of the project; name a file inside it."},
}

func oneOf(targets ...error) func(error) bool {
	return func(err error) bool {
		for _, t := range targets {
			if errors.Is(err, t) {
				return true
			}
		}
		return false
	}
}

// reason is the system's own word for an error, without the path that Go puts
// before it.
func reason(err error) string {
	var p *fs.PathError
	var l *os.LinkError
	var s *os.SyscallError
	switch {
	case errors.As(err, &p):
		return p.Err.Error()
	case errors.As(err, &l):
		return l.Err.Error()
	case errors.As(err, &s):
		return s.Err.Error()
	}
	var no syscall.Errno
	if errors.As(err, &no) {
		return no.Error()
	}
	return "input/output error"
}
