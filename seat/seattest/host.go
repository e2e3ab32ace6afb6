package seattest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/seat"
)

// A host has the store open and a service over it. The model check has several, in its own
// process or each in one of its own.
type host interface {
	Send(context.Context, seat.Prompt) (seat.Queued, error)
	Context(context.Context, seat.Operator, seat.ContextArgs) (*seat.Context, error)
	Retry(context.Context, seat.Operator, seat.RetryArgs) (*seat.Forgotten, *seat.DryRun, error)
	Rewind(context.Context, seat.Operator, seat.RewindArgs) (*seat.Forgotten, *seat.DryRun, error)
	EditReply(context.Context, seat.Operator, seat.EditArgs) (*seat.Edited, error)
	Exclude(context.Context, seat.Operator, seat.ExcludeArgs) (*seat.Exclusion, error)
	Wake(ctx context.Context, id string) (remaining time.Duration, err error)
	Stop(context.Context, arc.SeatID) (arc.TurnID, error)

	// turns runs the turns that there are, as play says.
	turns(ctx context.Context, play player) error
	// shared reports whether others may have the store open.
	shared() bool
	// close ends the host in good order, where it has not died.
	close() error
}

// A player is the handler of a turn. say is the turn's Say.
type player func(ctx context.Context, x *seat.Turn, say func(context.Context, string) error) outcome

// An outcome is what becomes of a turn.
type outcome struct {
	Reply  string
	Failed bool // its handler fails
	Leaves bool // its host is stopped in good order
	Dies   bool // and without a word
}

// A local is a host in the process that checks, or the whole of one that is checked.
type local struct {
	*seat.Service
	store seat.Store
}

// openLocal serves a store with a seat in the room demo. Where that fails it closes the store.
func openLocal(ctx context.Context, store seat.Store, o *seat.Options) (*local, error) {
	svc, err := seat.Open(ctx, store, o)
	if err == nil {
		_, err = svc.Join(ctx, seat.Spec{Room: demo.RunID})
	}
	if err != nil {
		store.Close()
		return nil, err
	}
	return &local{svc, store}, nil
}

// locals are hosts in this process.
func locals(t *testing.T, open func() seat.Store) opens {
	return func(clock *Clock, maxChars int) (host, error) {
		return openLocal(t.Context(), open(), &seat.Options{Clock: clock, MaxChars: maxChars})
	}
}

func (l *local) turns(ctx context.Context, play player) error {
	ctx, leave := context.WithCancel(ctx)
	defer leave()
	return l.Run(ctx, func(ctx context.Context, x *seat.Turn) (string, error) {
		o := play(ctx, x, x.Say)
		switch {
		case o.Dies: // as far as a host can that its process survives
			l.store.Close()
			return "from the grave", nil
		case o.Leaves:
			leave()
			return "", ctx.Err()
		case o.Failed:
			return "", errors.New("the model is gone")
		}
		return o.Reply, nil
	}, &seat.RunOptions{Idle: true})
}

func (l *local) shared() bool { return l.store.Opening() == "" }
func (l *local) close() error { return l.store.Close() }
