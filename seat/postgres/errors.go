package postgres

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/seat"
)

// States that the server gives its errors, and their classes.
const (
	connectionLost      = "08"
	authorization       = "28"
	noDatabase          = "3D000"
	noSchema            = "3F000"
	serialization       = "40001"
	deadlock            = "40P01"
	noPrivilege         = "42501"
	noTable             = "42P01"
	diskFull            = "53100"
	tooManyConnections  = "53300"
	readOnlyTransaction = "25006"
	idleInTransaction   = "25P03"
	lockNotAvailable    = "55P03"
	queryCanceled       = "57014"
	adminShutdown       = "57P01"
	crashShutdown       = "57P02"
	cannotConnectNow    = "57P03"
	idleSession         = "57P05"
	corrupt             = "XX001"
	corruptIndex        = "XX002"
)

// state is the server's own word for an error, empty where it did not say one.
func state(err error) string {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return e.Code
	}
	return ""
}

// undone reports whether a transaction is over for a reason that is not its own.
func undone(err error) bool {
	if _, known := errors.AsType[*arc.Error](err); err == nil || known {
		return false
	}
	switch s := state(err); s {
	case "":
		return away(err)
	case serialization, deadlock, lockNotAvailable, queryCanceled, tooManyConnections, idleInTransaction, adminShutdown, crashShutdown, cannotConnectNow, idleSession:
		return true
	default:
		return strings.HasPrefix(s, connectionLost)
	}
}

// away reports whether the server could not be reached, or could no more.
func away(err error) bool {
	if errors.Is(err, context.Canceled) {
		return false
	}
	if _, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		return true
	}
	if _, ok := errors.AsType[net.Error](err); ok {
		return true
	}
	for _, gone := range []error{io.EOF, io.ErrUnexpectedEOF, net.ErrClosed, driver.ErrBadConn, sql.ErrConnDone, pgconn.ErrConnClosed, context.DeadlineExceeded} {
		if errors.Is(err, gone) {
			return true
		}
	}
	return pgconn.SafeToRetry(err) || pgconn.Timeout(err)
}

// classify says what a host or a model can do about an error of the driver. An *arc.Error
// and everything else stay as they are.
func classify(err error) error {
	if _, known := errors.AsType[*arc.Error](err); err == nil || known {
		return err
	}
	switch s := state(err); {
	case strings.HasPrefix(s, authorization), s == noPrivilege:
		return &arc.Error{Code: arc.PermissionDenied, Message: "the server does not let this user in, or not do this; check the user and its rights.", Err: err}
	case s == noDatabase, s == noSchema, s == noTable:
		return &arc.Error{Code: arc.NotFound, Message: "there is no store of seats here; name another database, or run a seat once to make it.", Detail: map[string]string{"kind": "store"}, Err: err}
	case s == diskFull:
		return &arc.Error{Code: arc.NoSpace, Message: "the disk that holds the seats is full; make room and try again.", Err: err}
	case s == lockNotAvailable, s == queryCanceled:
		return &arc.Error{Code: arc.Locked, Message: "others held what this needs of the store of seats for too long; try again.", Err: err}
	case s == readOnlyTransaction:
		return seat.Unavailable("read_only", err, "the server lets nobody write here: it follows another one, or is set so; open the store where it is written.")
	case s == corrupt, s == corruptIndex:
		return seat.Unavailable("corrupt", err, "the store of seats is damaged; restore it from a copy.")
	case undone(err):
		return seat.Unavailable(seat.ReasonConnection, err, "the server that keeps the seats cannot be reached; try again when it is there.")
	}
	return err
}

// badURL says nothing of what the URL holds, which may be a password. The driver's own
// error quotes it, and doesn't find each password.
func badURL(err error) error {
	return &arc.Error{
		Code:    arc.InvalidArguments,
		Message: "this is no URL of a PostgreSQL database; it is such as postgres://user@host:5432/database.",
		Detail:  map[string]string{"reason": "url"},
		Err:     errors.Unwrap(err),
	}
}

// checkSchema refuses a name that the server would take for another. One that is too long
// it cuts, so that two stores would be one, each with locks of its own.
func checkSchema(name string) error {
	if len(name) <= 63 && text(name) == name && !strings.HasPrefix(name, "pg_") && name != "$user" {
		return nil
	}
	return &arc.Error{
		Code:    arc.InvalidArguments,
		Message: "this is no name of a schema; give one of at most 63 bytes that does not begin with pg_.",
		Detail:  map[string]string{"reason": "schema"},
	}
}
