package seat

import (
	"errors"
	"fmt"

	"github.com/arcseat/arc"
)

// The codes of this family. It also returns invalid_arguments, not_found,
// forbidden, unavailable, limit_reached, terminal_conflict and canceled, and what its
// store could not do: locked, no_space, permission_denied and io_error.
const (
	// RevisionMismatch: the history is not the one that the caller read. Detail
	// has current.
	RevisionMismatch arc.Code = "revision_mismatch"
	// RequestIDConflict: the request id belongs to another write. Detail has verb.
	RequestIDConflict arc.Code = "request_id_conflict"
	// OriginConflict: the origin id is another turn's.
	OriginConflict arc.Code = "origin_conflict"
	// NotLastTurn: only the last committed turn can be retried. Detail has
	// last_turn_id.
	NotLastTurn arc.Code = "not_last_turn"
	// TurnNotCommitted: the turn is still running.
	TurnNotCommitted arc.Code = "turn_not_committed"
	// TurnSuperseded: the turn was forgotten.
	TurnSuperseded arc.Code = "turn_superseded"
	// SeatNotManaged: the seat is a person's or another host's.
	SeatNotManaged arc.Code = "seat_not_managed"
	// SeatAmbiguous: the run has several seats. Detail has candidates.
	SeatAmbiguous arc.Code = "seat_ambiguous"
	// Busy: the seat is in a turn. Detail has active_turn_id and state.
	Busy arc.Code = "busy"
	// NoReply: the turn ended without a reply.
	NoReply arc.Code = "no_reply"
	// TurnsQueued: the seat has queued turns. Detail has items, the first 50.
	TurnsQueued arc.Code = "turns_queued"
	// SourceMessageInvalid: the message cannot carry the new prompt.
	SourceMessageInvalid arc.Code = "source_message_invalid"
	// RunFinished: the run has ended; a new prompt opens the next one.
	RunFinished arc.Code = "run_finished"
	// LeaseLost: the turn is no longer this handler's; nothing was written.
	LeaseLost arc.Code = "lease_lost"
	// WaitCycle: the seat would wait for itself.
	WaitCycle arc.Code = "wait_cycle"
	// PlanInvalid: the plan was not recorded. Detail has problems, all of them.
	PlanInvalid arc.Code = "plan_invalid"
	// StoreUnavailable: the store cannot be read or written. Detail has reason.
	StoreUnavailable arc.Code = "store_unavailable"
)

// detail is an error's fields.
type detail = map[string]any

func refuse(code arc.Code, d detail, format string, args ...any) error {
	e := &arc.Error{Code: code, Message: fmt.Sprintf(format, args...)}
	if d != nil {
		e.Detail = d
	}
	return e
}

func invalid(reason, format string, args ...any) error {
	return refuse(arc.InvalidArguments, detail{"reason": reason}, format, args...)
}

func notFound(kind, format string, args ...any) error {
	return refuse(arc.NotFound, detail{"kind": kind}, format, args...)
}

// Unavailable is a StoreUnavailable, for who writes a Store: Detail has the reason, a word
// that a program can act on, and the host alone gets the cause, which may be nil.
func Unavailable(reason string, cause error, format string, args ...any) error {
	return &arc.Error{
		Code:    StoreUnavailable,
		Message: fmt.Sprintf(format, args...),
		Detail:  map[string]string{"reason": reason},
		Err:     cause,
	}
}

// outOfReach reports whether the store cannot be reached, which may pass.
func outOfReach(err error) bool {
	e, ok := errors.AsType[*arc.Error](err)
	if !ok || e.Code != StoreUnavailable {
		return false
	}
	d, _ := e.Detail.(map[string]string)
	return d["reason"] == ReasonConnection || d["reason"] == reasonUnknown
}

// reasonUnknown is that of a transaction of which nobody can tell whether it stands.
const reasonUnknown = "unknown"

// ReasonConnection is the reason of a StoreUnavailable that may pass by itself: the
// server that keeps the store cannot be reached.
const ReasonConnection = "connection"
