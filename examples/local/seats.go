package local

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/internal/statedir"
	"github.com/arcseat/arc/seat"
	"github.com/arcseat/arc/seat/postgres"
	"github.com/arcseat/arc/seat/sqlite"
	"github.com/arcseat/arc/shell"
)

const storeFile = "seat.db" // in the state directory

// StateDir is where the state of the project in dir is kept.
func StateDir(dir string, o *Options) (string, error) {
	if o.State != "" {
		return o.State, nil
	}
	state, err := statedir.Default(dir)
	if err != nil {
		return "", noState(err)
	}
	return state, nil
}

// openSeats opens the store of the project's seats and serves it. A store in a file that
// another process owns is locked, and the error names the process.
func (h *Host) openSeats(dir, state string, o *Options) (err error) {
	with := &seat.Options{Logger: o.Logger}
	if o.Store != "" {
		if with.Host, err = label(dir); err != nil {
			return err
		}
		h.store, err = postgres.Open(context.Background(), o.Store, &postgres.Options{Logger: o.Logger})
	} else {
		h.store, err = sqlite.Open(filepath.Join(state, storeFile), nil)
	}
	if err != nil {
		h.store = nil
		return owned(err)
	}
	h.Seats, err = seat.Open(context.Background(), h.store, with)
	return ofState(err)
}

// label tells the project in dir from those of other machines.
func label(dir string) (string, error) {
	machine, err := os.Hostname()
	if err != nil {
		return "", err
	}
	dir, err = filepath.Abs(dir)
	return machine + ":" + dir, err
}

// owned says who has the store, where somebody has.
func owned(err error) error {
	var e *arc.Error
	if !errors.As(err, &e) || e.Code != arc.Locked {
		return ofState(err)
	}
	if d, ok := e.Detail.(map[string]string); ok && d["holder"] != "" {
		return &arc.Error{Code: e.Code, Message: e.Message + " It is " + d["holder"] + ".", Detail: d, Err: err}
	}
	return err
}

// notify hands over what a background job has to say when it ends: to the store of
// its seat, or without one to the next result of its turn. What the store does not take
// now, as while another host holds it, is told again.
func (h *Host) notify(n shell.Notice) error {
	if h.Seats == nil || n.Origin.Seat == "" {
		h.notices.put(n.Origin.Seat, n.Text)
		return nil
	}
	err := h.Seats.Notify(context.Background(), n.Origin.Seat, n.JobID, n.Status, n.Text)
	if errors.Is(err, arc.NotFound) { // and never will be: the store has no such seat
		h.log.Warn("a job has ended whose seat is not there", "seat", n.Origin.Seat, "job", n.JobID, "err", err)
		h.notices.put(n.Origin.Seat, n.Text)
		return nil
	}
	return err
}

// RunOptions are what Seats.Run is given on this host: waits for the shell's jobs,
// plans that name the project's files, and a warning where the workspace has
// something to recover. The caller's own to change.
func (h *Host) RunOptions() *seat.RunOptions {
	o := &seat.RunOptions{
		Env:   h.env,
		Jobs:  h.Shell,
		Paths: h.Workspace,
		Gates: []seat.Gate{{Name: "recovery", Check: h.recovered}},
	}
	if len(h.checks) > 0 {
		o.Gates = append(o.Gates, seat.Gate{Name: "the check succeeds", Check: func(ctx context.Context, by arc.Origin, _ arc.Finish) (seat.Verdict, error) {
			return h.Check(ctx, by, h.checks...)
		}})
	}
	return o
}

// recovered warns of what a crash has left to settle. The run may finish with it.
func (h *Host) recovered(ctx context.Context, _ arc.Origin, _ arc.Finish) (seat.Verdict, error) {
	r, err := h.Workspace.RecoveryStatus(ctx)
	if err != nil || r.Status == "clean" {
		return seat.Verdict{}, err
	}
	return seat.Verdict{Warning: "the workspace is " + r.Status + "; workspace_recovery_status has the details"}, nil
}

// Operator is an operator of this host's seats, who is told what turns have left in
// the project and in the shell.
func (h *Host) Operator(name string) seat.Operator {
	return seat.Operator{Name: name, Jobs: h.Shell, Reporters: []seat.Reporter{
		{Name: "workspace", Touched: h.Workspace.Touched},
		{Name: "shell", Touched: h.Shell.Touched},
	}}
}

// OneTurn is a turn of the seat in the room for a program that is its own model: fn
// acts in it and says what the turn replies, until its context ends: with ctx, or because
// the turn is stopped. The room and its seat are made if they
// are missing. Whatever else waits for the seat is left for others to run: a seat
// that is in a turn or has one queued is busy.
func (h *Host) OneTurn(ctx context.Context, room, prompt string, mode arc.Mode, fn seat.Handler) error {
	info, err := h.Seats.Join(ctx, seat.Spec{Room: room})
	if err != nil {
		return err
	}
	ref := seat.Ref{RunID: info.Run, MembershipID: info.Membership}
	st, err := h.Seats.Status(ctx, seat.Operator{}, seat.StatusArgs{Ref: ref})
	if err != nil {
		return err
	}
	if err := first(room, st); err != nil {
		return err
	}
	if _, err := h.Seats.Send(ctx, seat.Prompt{Ref: ref, Text: prompt, Mode: mode}); err != nil {
		return err
	}
	// No turn is begun after this one: the run's end is asked for before the turn's.
	inner, stop := context.WithCancel(ctx)
	defer stop()
	ran := false
	o := h.RunOptions()
	o.Seats, o.Idle = []arc.SeatID{info.ID}, true
	err = h.Seats.Run(inner, func(ctx context.Context, t *seat.Turn) (string, error) {
		defer stop()
		ran = true
		return fn(ctx, t)
	}, o)
	if ran && ctx.Err() == nil && errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// first refuses a turn of a seat that has another to run before it, and says how that
// one is run or ended. What is queued cannot be taken out of the queue alone.
func first(room string, st *seat.Status) error {
	switch {
	case st.Busy != nil:
		return &arc.Error{Code: seat.Busy, Message: fmt.Sprintf(
			"the seat is in the turn %s (%s); go on with it by examples/agent -room %s, or end it by examples/operator -room %[3]s stop.", st.Busy.ActiveTurnID, st.Busy.State, room)}
	case len(st.Queued) > 0:
		what := map[string]string{"wake": "a reminder or a wait that is due", "prompt": "a task"}[st.Queued[0].Kind]
		return &arc.Error{Code: seat.Busy, Message: fmt.Sprintf(
			"the seat has %s to run first; run it by examples/agent -room %s, which ends when nothing is left to run.", cmp.Or(what, "a "+st.Queued[0].Kind), room)}
	}
	return nil
}

// SharesSeats reports whether the seats are on a server (Options.Store), where others reach
// them without this process.
func (h *Host) SharesSeats() bool { return h.store != nil && h.store.Opening() == "" }

// HasSeats reports whether a state directory has a store of seats, or one that this
// user may not see.
func HasSeats(state string) bool {
	_, err := os.Stat(filepath.Join(state, storeFile))
	return err == nil || errors.Is(err, fs.ErrPermission)
}

// SeatsOwned reports whether a process has the store of a state directory open now.
func SeatsOwned(state string) bool { return sqlite.Owned(filepath.Join(state, storeFile)) }
