package local

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"github.com/arcseat/arc"
)

// lookAt refuses what is no project's folder, in the words of who named it.
func lookAt(dir string) error {
	f, err := os.Open(dir)
	if err == nil {
		var info fs.FileInfo
		info, err = f.Stat()
		f.Close()
		if err == nil && !info.IsDir() {
			err = syscall.ENOTDIR
		}
	}
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return &arc.Error{Code: arc.NotFound, Message: fmt.Sprintf("there is no folder %q; name the project's.", dir), Err: err}
	case errors.Is(err, syscall.ENOTDIR):
		return &arc.Error{Code: arc.NotADirectory, Message: fmt.Sprintf("%q is no folder; name the project's.", dir), Err: err}
	case errors.Is(err, fs.ErrPermission):
		return &arc.Error{Code: arc.PermissionDenied, Message: fmt.Sprintf("the folder %q may not be read; change its rights, or name another one.", dir), Err: err}
	}
	return &arc.Error{Code: arc.IOError, Message: fmt.Sprintf("the folder %q cannot be read; look at its disk, or name another one.", dir), Err: err}
}

// ofState says what a person can do about an error that kept the state directory
// from being used. What a package says better stays.
func ofState(err error) error {
	var e *arc.Error
	if err == nil || errors.As(err, &e) && e.Error() == err.Error() {
		return err
	}
	code := arc.IOError
	switch {
	case e != nil:
		code = e.Code
	case errors.Is(err, syscall.ENOSPC):
		code = arc.NoSpace
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		code = arc.PermissionDenied
	}
	message := "the state directory cannot be used; look at its disk, or name another one with -state."
	switch code {
	case arc.NoSpace:
		message = "the disk of the state directory is full; make room on it, or name another directory with -state."
	case arc.PermissionDenied:
		message = "the state directory cannot be written; change its rights, or name another one with -state."
	case arc.Locked:
		message = "another process is changing this project and does not come to an end; try again, or end that one."
	case arc.IOError, arc.NotFound, arc.NotADirectory:
		code = arc.IOError
	default:
		message = e.Message
	}
	return &arc.Error{Code: code, Message: message, Err: err}
}

// noState is the error where the system knows no place for state.
func noState(err error) error {
	return &arc.Error{Code: arc.NotFound, Message: "the user has no directory for state; name one with -state.", Err: err}
}
