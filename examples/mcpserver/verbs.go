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
	set, err := tools.NewSet([]arc.Provider{tools.Of(p.changing(p.operators(view.Seats, view.Operator))...)}, &tools.Options{Logger: p.Logger})
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
func (p *program) operators(seats *seat.Service, as func(string) seat.Operator) []arc.Tool {
	op := as(by)
	if p.room != "" {
		op.Rooms = []string{p.room}
	}
	return seat.OperatorTools(seats, op).Tools()
}

// changing are the verbs, of which those that change something do so where they can.
func (p *program) changing(list []arc.Tool) []arc.Tool {
	for i, t := range list {
		switch t.Definition(arc.Env{}).Name {
		case seat.RetryTool:
			list[i] = changer[seat.RetryArgs](p, t, "retry")
		case seat.RewindTool:
			list[i] = changer[seat.RewindArgs](p, t, "rewind")
		case seat.EditTool:
			list[i] = changer[seat.EditArgs](p, t, "edit-reply")
		case seat.ExcludeTool:
			list[i] = changer[seat.ExcludeArgs](p, t, "exclude")
		}
	}
	return list
}

// changer is t, which an agent's door calls verb, as a tool that makes its changes where
// they can be made. It is no middleware, which sees calls also that were refused.
func changer[A any](p *program, t arc.Tool, verb string) arc.Tool {
	def := t.Definition(arc.Env{})
	def.Schema = nil // A's, as t's own is
	return tools.New(def, func(ctx context.Context, c arc.Call, _ A) (*arc.Result, error) {
		var dry struct {
			Dry bool `json:"dry_run"`
		}
		if json.Unmarshal(c.Args, &dry) == nil && dry.Dry {
			return t.Call(ctx, c)
		}
		return p.change(ctx, c, verb)
	})
}

// change does the verb of a call, whose arguments were checked.
func (p *program) change(ctx context.Context, c arc.Call, verb string) (*arc.Result, error) {
	host, err := p.owner()
	if errors.Is(err, arc.Locked) {
		return p.ask(ctx, verb, c.Args, err)
	}
	if err != nil {
		return nil, undone(err)
	}
	defer func() {
		late, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		if err := host.Close(late); err != nil {
			p.Logger.Warn("the project was not closed in order", "err", err)
		}
	}()
	for _, t := range p.operators(host.Seats, host.Operator) {
		if t.Definition(c.Env).Name == c.Name {
			return t.Call(ctx, c)
		}
	}
	return nil, fmt.Errorf("there is no verb %s", c.Name)
}

// ask has the agent that owns the store do the verb; locked is the error where it lets
// nobody in.
func (p *program) ask(ctx context.Context, verb string, args json.RawMessage, locked error) (*arc.Result, error) {
	var of struct {
		Run string `json:"run_id"`
	}
	if err := json.Unmarshal(args, &of); p.room != "" && (err != nil || !runOf(of.Run, p.room)) {
		return nil, &arc.Error{Code: arc.Forbidden, Message: fmt.Sprintf("this server is for the room %q alone.", p.room)}
	}
	state, err := local.StateDir(p.dir, &p.Options)
	if err != nil {
		return nil, undone(err)
	}
	door, err := desk.Knock(ctx, state)
	if err != nil {
		return nil, undone(locked)
	}
	answer, err := door.Do(ctx, by, verb, args)
	if err != nil {
		return nil, undone(err)
	}
	return &arc.Result{Data: answer}, nil
}

// runOf reports whether a run is one of the room: the first is called by its name, and
// a later one NAME#2.
func runOf(run, room string) bool {
	n, later := strings.CutPrefix(run, room+"#")
	return run == room || later && strings.Trim(n, "0123456789") == ""
}

// undone is the error of a verb that could not be done.
func undone(err error) error {
	var e *arc.Error
	if errors.As(err, &e) {
		return e
	}
	return &arc.Error{Code: arc.Internal, Message: "the verb could not be done; tell the operator, the server's log says why.", Err: err}
}
