package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/examples/local"
	"github.com/arcseat/arc/seat"
	"github.com/arcseat/arc/tools"
	"github.com/arcseat/arc/tools/mcptool"
)

// verbs serves the operator's tools: on the store, or where another process owns it on
// what can be read beside that.
func (p *program) verbs() (server, func(context.Context) error, error) {
	o := p.Options
	o.Seats = true
	var seats *seat.Service
	var operator func(string) seat.Operator
	var leave func(context.Context) error
	host, err := local.Open(p.dir, &o)
	switch {
	case err == nil:
		seats, operator, leave = host.Seats, host.Operator, host.Close
	case errors.Is(err, arc.Locked):
		view, lookErr := local.Look(p.dir, &o)
		if lookErr != nil {
			return nil, nil, err
		}
		fmt.Fprintln(p.stderr, "mcpserver: another process owns the seats, so they can be looked at and not be changed")
		seats, operator, leave = view.Seats, view.Operator, func(context.Context) error { return view.Close() }
	default:
		return nil, nil, err
	}
	op := operator("operator")
	so := p.serving()
	if p.room != "" {
		op.Rooms = []string{p.room}
		so.Instructions = fmt.Sprintf("The run_id of these tools is %q.", p.room)
	}
	set, err := tools.NewSet([]arc.Provider{seat.OperatorTools(seats, op)}, &tools.Options{Logger: p.Logger})
	if err != nil {
		return nil, nil, errors.Join(err, leave(context.Background()))
	}
	return func(ctx context.Context, client mcp.Transport) error {
		return mcptool.Serve(ctx, set, arc.Turn{}, client, so)
	}, leave, nil
}
