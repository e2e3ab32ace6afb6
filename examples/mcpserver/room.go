package main

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/examples/local"
	"github.com/arcseat/arc/seat"
	"github.com/arcseat/arc/tools"
	"github.com/arcseat/arc/tools/mcptool"
)

// A room serves clients in turns of the seat in it.
type room struct {
	*program
	host *local.Host
	set  *tools.Set
}

// noSeat is the seat of a turn in which nothing is called.
type noSeat struct{ arc.Seat }

// serve serves one client.
func (r *room) serve(ctx context.Context, client mcp.Transport) error {
	t := &turn{room: r, over: make(chan struct{})}
	listed := r.host.Turn(arc.Origin{})
	listed.Seat = noSeat{}
	o := r.serving()
	o.Begin = t.begin
	err := mcptool.Serve(ctx, r.set, listed, client, o)
	return errors.Join(err, t.end("(the MCP client has left)"))
}

// A turn is what a client does in the room.
type turn struct {
	*room
	over chan struct{} // closed to have it committed
	once sync.Once
	says string     // its reply, once over is closed
	done chan error // has the end of the turn that was begun; nil: none was
	told sync.Once
}

// begin begins the turn at the client's first call. It outlives that call and what
// ends the program, so that it is committed and not left half done.
func (t *turn) begin(ctx context.Context) (arc.Turn, []tools.Middleware, error) {
	begun := make(chan *seat.Turn, 1)
	done := make(chan error, 1)
	go func() {
		done <- t.host.OneTurn(context.WithoutCancel(ctx), t.room.room, "(a session of an MCP client)", t.Mode,
			func(ctx context.Context, st *seat.Turn) (string, error) {
				begun <- st
				select {
				case <-t.over:
					return t.says, nil
				case <-ctx.Done():
					return "", ctx.Err()
				}
			})
	}()
	select {
	case st := <-begun:
		t.done = done
		return st.Turn, []tools.Middleware{t.watch(st), st.Record}, nil
	case err := <-done:
		if err == nil {
			err = errors.New("the turn ended before it began")
		}
		return arc.Turn{}, nil, err
	}
}

// watch tells the client's model, with the first result, what a model of the seat's own
// is told at the start of its turn, and ends the turn when a tool has.
func (t *turn) watch(st *seat.Turn) tools.Middleware {
	return func(next tools.Handler) tools.Handler {
		return func(ctx context.Context, c arc.Call) *arc.Result {
			r := next(ctx, c)
			t.told.Do(func() { r.Notices = append(r.Notices, news(st)...) })
			if r.End != arc.Continue {
				t.once.Do(func() { close(t.over) })
			}
			return r
		}
	}
}

// news are what a seat is told at the start of a turn, but for what was said in the
// turns before, which may be long and is an operator's to read.
func news(st *seat.Turn) []string {
	list := append([]string(nil), st.Notices...)
	for _, w := range st.Wakes {
		list = append(list, "You are woken: "+w.Note)
	}
	if notes := strings.TrimSpace(st.Notes); notes != "" {
		list = append(list, "Your saved notes: "+notes)
	}
	return list
}

// end commits the turn, if one was begun, and waits for that.
func (t *turn) end(reply string) error {
	t.once.Do(func() {
		t.says = reply
		close(t.over)
	})
	if t.done == nil {
		return nil
	}
	select {
	case err := <-t.done:
		return err
	case <-time.After(10 * time.Second):
		return &arc.Error{Code: seat.StoreUnavailable, Message: "the turn could not be committed in time; it is resumed by examples/agent with -room."}
	}
}
