package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/examples/internal/desk"
	"github.com/arcseat/arc/examples/local"
	"github.com/arcseat/arc/seat"
	"github.com/arcseat/arc/tools"
	"github.com/arcseat/arc/tools/mcptool"
)

// verbs serves the operator's tools. A client may stay for days, and the store of seats
// has one owner: what looks does so beside that, and what changes something has the
// store open for its own time alone, or asks the agent that has it.
func (p *program) verbs() (server, func(context.Context) error, error) {
	view, err := local.Look(p.dir, &p.Options)
	if errors.Is(err, arc.NotFound) { // nobody has sat here yet
		if host, openErr := p.owner(); openErr == nil {
			if err = host.Close(context.Background()); err == nil {
				view, err = local.Look(p.dir, &p.Options)
			}
		}
	}
	if err != nil {
		return nil, nil, err
	}
	so := p.serving()
	if p.room != "" {
		so.Instructions = fmt.Sprintf("The run_id of these tools is %q.", p.room)
	}
	set, err := p.operators(view.Seats, view.Operator, p.change)
	if err != nil {
		return nil, nil, errors.Join(err, view.Close())
	}
	return func(ctx context.Context, client mcp.Transport) error {
		return mcptool.Serve(ctx, set, arc.Turn{}, client, so)
	}, func(context.Context) error { return view.Close() }, nil
}

// owner opens the project with its store.
func (p *program) owner() (*local.Host, error) {
	o := p.Options
	o.Seats = true
	return local.Open(p.dir, &o)
}

const by = "operator" // who signs what is changed

// operators are the verbs on seats.
func (p *program) operators(seats *seat.Service, as func(string) seat.Operator, mw ...tools.Middleware) (*tools.Set, error) {
	op := as(by)
	if p.room != "" {
		op.Rooms = []string{p.room}
	}
	return tools.NewSet([]arc.Provider{seat.OperatorTools(seats, op)}, &tools.Options{Logger: p.Logger, Middleware: mw})
}

// asked are the names that an agent's door has for the verbs that change something.
var asked = map[string]string{
	seat.RetryTool: "retry", seat.RewindTool: "rewind", seat.EditTool: "edit-reply", seat.ExcludeTool: "exclude",
}

// change is a middleware that makes changes where they can be made.
func (p *program) change(next tools.Handler) tools.Handler {
	return func(ctx context.Context, c arc.Call) *arc.Result {
		var dry struct {
			Dry bool `json:"dry_run"`
		}
		verb := asked[c.Name]
		if verb == "" || json.Unmarshal(c.Args, &dry) == nil && dry.Dry {
			return next(ctx, c)
		}
		host, err := p.owner()
		if errors.Is(err, arc.Locked) {
			return p.ask(ctx, verb, c.Args, err)
		}
		if err != nil {
			return refused(err)
		}
		defer func() {
			late, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
			defer cancel()
			if err := host.Close(late); err != nil {
				p.Logger.Warn("the project was not closed in order", "err", err)
			}
		}()
		set, err := p.operators(host.Seats, host.Operator)
		if err != nil {
			return refused(err)
		}
		return set.Session(arc.Turn{}).Call(ctx, arc.Call{Name: c.Name, Args: c.Args})
	}
}

// ask has the agent that owns the store do the verb; locked is the error where it lets
// nobody in.
func (p *program) ask(ctx context.Context, verb string, args json.RawMessage, locked error) *arc.Result {
	var of struct {
		Run string `json:"run_id"`
	}
	if err := json.Unmarshal(args, &of); p.room != "" && (err != nil || !runOf(of.Run, p.room)) {
		return refused(&arc.Error{Code: arc.Forbidden, Message: fmt.Sprintf("this server is for the room %q alone.", p.room)})
	}
	state, err := local.StateDir(p.dir, &p.Options)
	if err != nil {
		return refused(err)
	}
	door, err := desk.Knock(ctx, state)
	if err != nil {
		return refused(locked)
	}
	answer, err := door.Do(ctx, by, verb, args)
	if err != nil {
		return refused(err)
	}
	return &arc.Result{Data: answer}
}

// runOf reports whether a run is one of the room: the first is called by its name, and
// a later one NAME#2.
func runOf(run, room string) bool {
	n, later := strings.CutPrefix(run, room+"#")
	return run == room || later && strings.Trim(n, "0123456789") == ""
}

// refused is err as a result.
func refused(err error) *arc.Result {
	var e *arc.Error
	if !errors.As(err, &e) {
		e = &arc.Error{Code: arc.Internal, Message: "the verb could not be done; tell the operator, the server's log says why.", Err: err}
	}
	return &arc.Result{Err: e}
}
