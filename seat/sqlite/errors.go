package sqlite

import (
	"errors"
	"io/fs"
	"syscall"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/seat"
)

// Result codes of SQLite; but for the last without their extended part.
const (
	perm     = 3
	busy     = 5
	locked   = 6
	readOnly = 8
	ioErr    = 10
	corrupt  = 11
	full     = 13
	cantOpen = 14
	notADB   = 26

	shmSize = ioErr | 19<<8 // the file beside the log cannot grow
)

// classify says what a host or a model can do about an error of the driver or of
// the system. An *arc.Error and everything else stay as they are.
func classify(err error) error {
	var known *arc.Error
	if err == nil || errors.As(err, &known) {
		return err
	}
	var e interface{ Code() int } // *sqlite.Error
	code, extended := 0, 0
	if errors.As(err, &e) {
		code, extended = e.Code()&0xff, e.Code()
	}
	switch {
	case code == full, extended == shmSize, errors.Is(err, syscall.ENOSPC):
		return &arc.Error{Code: arc.NoSpace, Message: "the disk that holds the seats is full; make room and try again.", Err: err}
	case code == busy, code == locked:
		return &arc.Error{Code: arc.Locked, Message: "another program holds the store of seats; try again when it is done.", Err: err}
	case code == corrupt:
		return seat.Unavailable("corrupt", err, "the store of seats is damaged; restore it from a copy.")
	case code == notADB:
		return notADatabase(err)
	case code == perm, code == readOnly, code == cantOpen && !errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return &arc.Error{Code: arc.PermissionDenied, Message: "the store of seats cannot be opened or written; check the rights of its file and folder.", Err: err}
	case errors.Is(err, fs.ErrNotExist):
		return &arc.Error{Code: arc.NotFound, Message: "there is no store of seats here; run a seat once to make it.", Detail: map[string]string{"kind": "store"}, Err: err}
	case code == ioErr:
		return &arc.Error{Code: arc.IOError, Message: "the store of seats could not be read or written; the host's log has the cause.", Err: err}
	}
	return err
}

func notADatabase(cause error) error {
	return seat.Unavailable("not_a_database", cause, "the file is no store of seats; name another one.")
}

// heldBy refuses a second owner.
func heldBy(holder string) error {
	return &arc.Error{
		Code:    arc.Locked,
		Message: "another process owns this store of seats; ask that one, or open it to be read.",
		Detail:  map[string]string{"holder": holder},
	}
}
