package main

import (
	"context"
	"io"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/examples/local"
	"github.com/arcseat/arc/seat"
	"github.com/arcseat/arc/tools"
)

// noSeat is the seat of a turn in which nothing is called.
type noSeat struct{ arc.Seat }

// inTurn is act in a turn of the seat in the room.
func inTurn(ctx context.Context, host *local.Host, room string, mode arc.Mode, set *tools.Set, stderr io.Writer,
	act func(context.Context, *tools.Session) int) (code int) {
	err := host.OneTurn(ctx, room, "(calls from the command line)", mode, func(ctx context.Context, t *seat.Turn) (string, error) {
		code = act(ctx, set.Session(t.Turn, t.Record))
		return "(made from the command line)", ctx.Err()
	})
	if err != nil {
		return max(code, failed(stderr, err))
	}
	return code
}

// verbs are an operator's tools, for one room or for all.
func verbs(host *local.Host, room string) (*tools.Set, error) {
	op := host.Operator("operator")
	if room != "" {
		op.Rooms = []string{room}
	}
	return tools.NewSet([]arc.Provider{seat.OperatorTools(host.Seats, op)}, nil)
}
