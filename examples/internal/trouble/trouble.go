// Package trouble is how the programs say that something went wrong: a code, and a
// sentence that says what to do next. Chains of causes and paths of the machine stay
// inside.
package trouble

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/examples/internal/paint"
)

// Of is err for a person: the *arc.Error in it, or what the system's error means.
// Everything else keeps its words and is internal.
func Of(err error) *arc.Error {
	var e *arc.Error
	if errors.As(err, &e) {
		return e
	}
	e = &arc.Error{Code: arc.Internal, Message: bare(err), Err: err}
	switch {
	case errors.Is(err, syscall.ENOSPC):
		e.Code, e.Message = arc.NoSpace, "the disk is full; make room on it and try again."
	case errors.Is(err, syscall.EROFS):
		e.Code, e.Message = arc.PermissionDenied, "the disk cannot be written; mount it to be written and try again."
	case errors.Is(err, fs.ErrPermission):
		e.Code, e.Message = arc.PermissionDenied, "the system does not permit this; look at the rights of the project and of its state directory."
	case errors.Is(err, context.Canceled):
		e.Code, e.Message = arc.Canceled, "it was interrupted; start it again."
	case errors.Is(err, context.DeadlineExceeded):
		e.Code, e.Message = arc.TimedOut, "it took too long; try again."
	}
	return e
}

// bare is an error without the path that the system's has.
func bare(err error) string {
	var p *fs.PathError
	var l *os.LinkError
	switch {
	case errors.As(err, &p):
		return p.Err.Error()
	case errors.As(err, &l):
		return l.Err.Error()
	}
	return err.Error()
}

// Line is err in a line: code and sentence, or for what has no code the words alone.
func Line(err error) string {
	if e := Of(err); e.Code != arc.Internal || e.Err != err {
		return paint.Clean(e.Error())
	}
	return paint.Clean(bare(err))
}

// Tell writes err as the program's.
func Tell(w io.Writer, program string, err error) { fmt.Fprintf(w, "%s: %s\n", program, Line(err)) }
