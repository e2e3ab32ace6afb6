// Package desk is where an operator's verbs reach the seats of a project: in the
// process that owns their store, whoever that is.
//
// A [Desk] answers verbs, JSON in and JSON out. The process that owns the store also
// opens a [Door]: an HTTP server on loopback whose address and key stand in a file
// beside the store, readable to its user alone. Another process [Knock]s there. A
// door that a crash has left open is never asked, because the store is then free. A store
// on a server has no owner, and so no door.
package desk

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/seat"
)

// A Desk answers the verbs of operators. It is safe for concurrent use.
type Desk interface {
	// Do does what verb says as the operator by. Errors are *arc.Error where a person
	// can do something about them.
	Do(ctx context.Context, by, verb string, args any) (json.RawMessage, error)
}

// At is the desk of seats that are open here; as is the operator of a name. Nobody runs
// their turns.
func At(seats *seat.Service, as func(name string) seat.Operator) Desk { return at{seats, as, nil} }

type at struct {
	seats   *seat.Service
	as      func(name string) seat.Operator
	serving *Serving
}

// Do implements Desk.
func (h at) Do(ctx context.Context, by, verb string, args any) (json.RawMessage, error) {
	do, ok := verbs[verb]
	if !ok {
		return nil, &arc.Error{Code: arc.UnknownTool, Message: fmt.Sprintf("%q is no verb of an operator.", verb)}
	}
	b, err := json.Marshal(args)
	if err != nil {
		return nil, err
	}
	answer, err := do(ctx, h, h.as(by), b)
	if err != nil {
		return nil, err
	}
	return json.Marshal(answer)
}

// A verb is something that an operator asks for.
type verb func(ctx context.Context, h at, op seat.Operator, args []byte) (any, error)

// verbs are all of them. Those that are the seat's own have its arguments and answers.
var verbs = map[string]verb{
	"hello":   with(hello),
	"seats":   with(seats),
	"context": with((*seat.Service).Context),
	"status":  with((*seat.Service).Status),
	"retry": with(func(s *seat.Service, ctx context.Context, op seat.Operator, a seat.RetryArgs) (any, error) {
		return forgotten(s.Retry(ctx, op, a))
	}),
	"rewind": with(func(s *seat.Service, ctx context.Context, op seat.Operator, a seat.RewindArgs) (any, error) {
		return forgotten(s.Rewind(ctx, op, a))
	}),
	"edit-reply": with((*seat.Service).EditReply),
	"exclude":    with((*seat.Service).Exclude),
	"plans":      with(plans),
	"approve":    with(approve),
	"reject":     with(reject),
	"tasks":      with(tasks),
	"task-add":   with(addTask),
	"task-end":   with(endTask),
	"stop":       with(stop),
	"serving":    of(at.serves),
	"send":       of(at.send),
}

// with is a verb of the seats.
func with[A, R any](do func(*seat.Service, context.Context, seat.Operator, A) (R, error)) verb {
	return of(func(h at, ctx context.Context, op seat.Operator, a A) (R, error) { return do(h.seats, ctx, op, a) })
}

// of is a verb of typed arguments. Unknown ones are refused.
func of[A, R any](do func(at, context.Context, seat.Operator, A) (R, error)) verb {
	return func(ctx context.Context, h at, op seat.Operator, args []byte) (any, error) {
		var a A
		dec := json.NewDecoder(bytes.NewReader(args))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&a); err != nil {
			return nil, &arc.Error{Code: arc.InvalidArguments, Message: "the arguments are not those of this verb: " + err.Error()}
		}
		return do(h, ctx, op, a)
	}
}

// forgotten is whichever of the two there is.
func forgotten(f *seat.Forgotten, d *seat.DryRun, err error) (any, error) {
	if d != nil {
		return d, err
	}
	return f, err
}
