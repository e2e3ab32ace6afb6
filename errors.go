package arc

import (
	"encoding/json"
	"fmt"
)

// An Error is the only error that a model sees. Functions return it as error,
// never as *Error.
type Error struct {
	Code    Code   // what went wrong
	Message string // one sentence: what to do next
	Next    *Next  // the exact next call, where it helps
	Detail  any    // marshals to a JSON object; its fields stand beside code, message and next_call
	Err     error  // the cause, for the host and never for the model
}

// A Code says what went wrong in a word that never changes. It is an error, so
// that errors.Is(err, arc.Stale) works; a tool may return a bare one.
type Code string

// Error is the code itself.
func (c Code) Error() string { return string(c) }

// Error is the code and the message. A nil *Error stands in a Result that has none:
// errors.Is(r.Err, arc.Stale) is then false, so each method takes one.
func (e *Error) Error() string {
	if e == nil {
		return ""
	}
	return string(e.Code) + ": " + e.Message
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error {
	if e == nil {
		return nil
	}
	return e.Err
}

// Is reports whether target is e's Code.
func (e *Error) Is(target error) bool {
	c, ok := target.(Code)
	return ok && e != nil && c == e.Code
}

// MarshalJSON renders code, message, next_call and the fields of Detail as one
// object. A Detail with a field of one of those names stands under "detail". None is null.
func (e *Error) MarshalJSON() ([]byte, error) {
	if e == nil {
		return []byte("null"), nil
	}
	b, err := appendObject(nil, struct {
		Code    Code   `json:"code"`
		Message string `json:"message"`
		Next    *Next  `json:"next_call,omitempty"`
	}{e.Code, e.Message, e.Next})
	if err != nil {
		return nil, err
	}
	d, err := appendObject(nil, e.Detail)
	if err != nil {
		return nil, fmt.Errorf("detail of %s: %w", e.Code, err)
	}
	return joinObjects(b, nest(d, "detail", "code", "message", "next_call")), nil
}

var _ json.Marshaler = (*Error)(nil)

// The codes that any tool may return. A family's own are constants of its
// package.
const (
	// InvalidArguments: the arguments don't fit the schema or each other. Detail
	// has problems, all of them, or a reason.
	InvalidArguments Code = "invalid_arguments"
	// UnknownTool: there is no such tool. Detail has names.
	UnknownTool Code = "unknown_tool"
	// Unavailable: the tool exists, but not in this turn. Detail has the reason:
	// access, mode, project, desktop, vision, seat, grant, engine, platform.
	Unavailable Code = "unavailable"
	// Forbidden: the host's policy said no.
	Forbidden Code = "forbidden"
	// ServiceNotGranted: the seat has no grant for this MCP service.
	ServiceNotGranted Code = "service_not_granted"
	// NotFound: the file, job, spool, change or other thing does not exist.
	// Detail has its kind, and suggestions or recent ids.
	NotFound Code = "not_found"
	// Expired: it existed, and was dropped by age or quota. Detail has its kind.
	Expired Code = "expired"
	// AlreadyExists: something stands where a new thing was to be made.
	AlreadyExists Code = "already_exists"
	// InvalidPath: not a relative path with slashes inside the project.
	InvalidPath Code = "invalid_path"
	// PathEscape: the path, or a link on its way, leads out of the project.
	PathEscape Code = "path_escape"
	// IsDirectory: a directory where a file is wanted.
	IsDirectory Code = "is_directory"
	// NotADirectory: a file where a directory is wanted.
	NotADirectory Code = "not_a_directory"
	// NotRegularFile: a pipe, socket or device. Detail has its kind.
	NotRegularFile Code = "not_regular_file"
	// Stale: the thing is not in the state that the caller named. Detail has its
	// current hash.
	Stale Code = "stale"
	// NotUTF8: the text asked for is not UTF-8. Detail has offset and byte.
	NotUTF8 Code = "not_utf8"
	// BinaryFile: the file is not text.
	BinaryFile Code = "binary_file"
	// TooLarge: over a stated limit. Detail has size and limit.
	TooLarge Code = "too_large"
	// OutOfRange: a line, page or offset past the end. Detail has the total.
	OutOfRange Code = "out_of_range"
	// PermissionDenied: the operating system said no.
	PermissionDenied Code = "permission_denied"
	// NoSpace: the disk or a quota is full.
	NoSpace Code = "no_space"
	// IOError: the operating system could not do it, for another reason.
	IOError Code = "io_error"
	// Locked: another process holds it. Detail has waited_ms.
	Locked Code = "locked"
	// LimitReached: a stated number of things is in use. Detail has limit and ids.
	LimitReached Code = "limit_reached"
	// TimedOut: the time limit ended it.
	TimedOut Code = "timed_out"
	// Canceled: the host or the operator ended it.
	Canceled Code = "canceled"
	// ShuttingDown: the host is closing.
	ShuttingDown Code = "shutting_down"
	// TerminalConflict: an earlier call of the batch ended the turn.
	TerminalConflict Code = "terminal_conflict"
	// Internal: a fault of the tool or its host; the host's log has it.
	Internal Code = "internal"
)
