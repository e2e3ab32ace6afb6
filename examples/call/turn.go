package main

import (
	"bytes"
	"context"
	"encoding/json"
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
func verbs(seats *seat.Service, as func(string) seat.Operator, room string) (*tools.Set, error) {
	op := as("operator")
	if room != "" {
		op.Rooms = []string{room}
	}
	return tools.NewSet([]arc.Provider{seat.OperatorTools(seats, op)}, nil)
}

// asIs leaves arguments as they were given.
func asIs(args []byte) []byte { return args }

// inRoom is arguments of an operator's verb with the room that -room names for a run
// that they don't name.
func inRoom(args []byte, room string) []byte {
	fields := map[string]json.RawMessage{}
	if len(bytes.TrimSpace(args)) > 0 && json.Unmarshal(args, &fields) != nil || fields == nil {
		return args // the tool says what is wrong
	}
	if _, named := fields["run_id"]; named {
		return args
	}
	run, err := json.Marshal(room)
	if err != nil {
		return args
	}
	fields["run_id"] = run
	filled, err := json.Marshal(fields)
	if err != nil {
		return args
	}
	return filled
}

// looks reports whether an operator only looks: at the list of verbs, at what is
// remembered, or at what a verb would do.
func looks(list bool, words []string) bool {
	if list || len(words) == 0 {
		return list
	}
	var args struct {
		DryRun bool `json:"dry_run"`
	}
	switch words[0] {
	case seat.ContextTool, seat.StatusTool:
		return true
	case seat.RetryTool, seat.RewindTool:
		return len(words) == 2 && json.Unmarshal([]byte(words[1]), &args) == nil && args.DryRun
	}
	return false
}

// looking is act with the verbs on seats that are only read: beside whoever owns them,
// and where the disk is full or cannot be written.
func looking(ctx context.Context, dir string, o *local.Options, room string, stderr io.Writer, act func(context.Context, *tools.Session) int) int {
	view, err := local.Look(dir, o)
	if err != nil {
		return failed(stderr, err)
	}
	defer view.Close()
	set, err := verbs(view.Seats, view.Operator, room)
	if err != nil {
		return failed(stderr, err)
	}
	return act(ctx, set.Session(arc.Turn{}))
}
