package docs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/internal/page"
)

// The codes of this package, beside those of package arc.
const (
	// NotPDF: the file is something else. Detail has what, as far as its first bytes
	// tell.
	NotPDF arc.Code = "not_pdf"
	// Encrypted: the file needs a password that nobody gave, or uses an encryption
	// that the engine does not know.
	Encrypted arc.Code = "encrypted"
	// Damaged: the engine cannot open the file, or finds no page in it, or more than
	// fit into it.
	Damaged arc.Code = "damaged"
	// EngineCrashed: the file made the engine crash.
	EngineCrashed arc.Code = "engine_crashed"
	// MemoryLimit: the file needs more memory than the engine may use.
	MemoryLimit arc.Code = "memory_limit"
	// ChangedDuringRead: somebody writes to the file.
	ChangedDuringRead arc.Code = "changed_during_read"
)

// Causes by which a call's context ends, beside its caller's own.
var (
	errSpent   = errors.New("the time limit of the call")
	errClosing = errors.New("the library is closing")
)

// errMoved says that the file at the path is not the version any more that the call
// began with.
var errMoved = errors.New("the file was replaced")

type pathDetail struct {
	Path    string `json:"path,omitempty"` // empty: there is none
	Kind    string `json:"kind,omitempty"`
	Sniffed string `json:"sniffed,omitempty"`
}

// ended is the error of a call whose context ended.
func ended(ctx context.Context, path string) error {
	switch context.Cause(ctx) {
	case errSpent:
		return &arc.Error{
			Code:    arc.TimedOut,
			Message: fmt.Sprintf("reading %s took too long and was ended; ask for fewer pages, or work without this file.", path),
			Detail:  pathDetail{Path: path},
		}
	case errClosing:
		return &arc.Error{Code: arc.ShuttingDown, Message: "the host is closing; nothing more can be read."}
	}
	return ctx.Err()
}

// engineFaults are what an engine's errors are to a model.
var engineFaults = []struct {
	is      error
	code    arc.Code
	message string // with %s for the path
}{
	{ErrEncrypted, Encrypted, "%s needs a password, or uses an encryption that cannot be read here; ask the user for a copy without one."},
	{ErrNotPDF, NotPDF, "%s is not a PDF; read it with another tool."},
	{ErrDamaged, Damaged, "%s is damaged so that it cannot be read as a PDF; ask the user for another copy."},
	{ErrMemory, MemoryLimit, "%s needs more memory to read than is allowed here; work without it, or tell the operator."},
	{ErrTimeout, arc.TimedOut, "%s takes too long to read; work without it, or tell the operator."},
	{ErrCrashed, EngineCrashed, "%s makes the program that reads PDF files crash; work without it, or tell the operator."},
	{errMoved, ChangedDuringRead, "%s is being written to; try again when the program that writes it is done."},
}

// fault turns an error into one for the model.
func fault(err error, path string) error {
	var known *arc.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &known), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, ErrUnavailable):
		why := strings.TrimPrefix(err.Error(), ErrUnavailable.Error()+": ")
		return &arc.Error{
			Code:    arc.Unavailable,
			Message: fmt.Sprintf("PDF files cannot be read on this host (%s); tell the operator.", why[:page.Cut(why, 300)]),
			Detail:  map[string]string{"reason": "engine"},
			Err:     err,
		}
	}
	for _, f := range engineFaults {
		if errors.Is(err, f.is) {
			return &arc.Error{Code: f.code, Message: fmt.Sprintf(f.message, path), Detail: pathDetail{Path: path}, Err: err}
		}
	}
	return &arc.Error{Code: arc.Internal, Message: fmt.Sprintf("%s could not be read, for a reason that is in the host's log; work without it, or tell the operator.", path), Detail: pathDetail{Path: path}, Err: err}
}

// fileFault turns the operating system's error about the file, or about its copy,
// into one for the model.
func fileFault(err error, path string) error {
	var known *arc.Error
	if errors.As(err, &known) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	e := &arc.Error{Code: arc.IOError, Message: fmt.Sprintf("the system could not read %s; try once more, then tell the operator.", path), Detail: pathDetail{Path: path}, Err: err}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		e.Code, e.Message = arc.NotFound, fmt.Sprintf("%s does not exist; list its directory to see what does.", path)
	case errors.Is(err, fs.ErrPermission):
		e.Code, e.Message = arc.PermissionDenied, fmt.Sprintf("the system does not permit reading %s; tell the operator.", path)
	}
	return e
}

// copyFault is fileFault for the copy, which a model cannot see.
func copyFault(err error) error {
	e := &arc.Error{Code: arc.IOError, Message: "the host cannot make a copy of the file to read it; tell the operator.", Err: err}
	if errors.Is(err, syscall.ENOSPC) {
		e.Code, e.Message = arc.NoSpace, "the host's disk for temporary files is full, so nothing was read; tell the operator."
	}
	return e
}

func invalid(reason, format string, args ...any) error {
	return &arc.Error{Code: arc.InvalidArguments, Message: fmt.Sprintf(format, args...), Detail: map[string]string{"reason": reason}}
}

// spent reports whether a call's own time limit ended ctx, so that what there is by
// then is its result.
func spent(ctx context.Context) bool { return context.Cause(ctx) == errSpent }
