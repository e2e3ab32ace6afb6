package main

import (
	"context"
	"errors"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/examples/internal/desk"
	"github.com/arcseat/arc/examples/local"
)

// reads reports whether the verb changes nothing.
func (r *request) reads() bool {
	switch r.words[0] {
	case "context", "status", "plan":
		return true
	case "task":
		return len(r.words) == 1
	case "retry", "rewind":
		return r.dryRun
	}
	return false
}

// makes reports whether the verb makes the room that it is about.
func (r *request) makes() bool {
	return r.words[0] == "task" && len(r.words) == 3 && r.words[1] == "add" && r.room != ""
}

// sit finds the desk: that of the process which owns the store, where it lets
// operators in, or else this process's own. Who only reads needs no store to itself.
// leave closes what was opened.
func (o *operator) sit(ctx context.Context) (leave func() error, err error) {
	leave = func() error { return nil }
	if o.local.Store != "" {
		return o.share()
	}
	state, err := local.StateDir(o.dir, &o.local)
	if err != nil {
		return nil, err
	}
	if !local.HasSeats(state) && !o.makes() {
		return nil, &arc.Error{Code: arc.NotFound, Message: "no seat was ever run here; examples/agent -room NAME makes one, and rooms on a server are named by -store."}
	}
	if local.SeatsOwned(state) {
		if o.desk, err = desk.Knock(ctx, state); err == nil {
			return leave, nil
		}
	}
	if o.reads() {
		view, err := local.Look(o.dir, &o.local)
		if err != nil {
			return nil, err
		}
		o.desk = desk.At(view.Seats, view.Operator)
		return view.Close, nil
	}
	host, err := local.Open(o.dir, &o.local)
	if errors.Is(err, arc.Locked) { // meanwhile
		if d, no := desk.Knock(ctx, state); no == nil {
			o.desk = d
			return leave, nil
		}
	}
	if err != nil {
		return nil, err
	}
	o.desk = desk.At(host.Seats, host.Operator)
	return func() error {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		return host.Close(ctx)
	}, nil
}

// share finds the desk of seats on a server: this process's own, beside those of all others.
func (o *operator) share() (leave func() error, err error) {
	open := local.Share
	if o.reads() {
		open = local.Look
	}
	view, err := open(o.dir, &o.local)
	if err != nil {
		return nil, err
	}
	o.desk = desk.At(view.Seats, view.Operator)
	return view.Close, nil
}
