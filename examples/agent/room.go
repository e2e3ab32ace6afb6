package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/examples/internal/desk"
	"github.com/arcseat/arc/examples/internal/paint"
	"github.com/arcseat/arc/examples/local"
	"github.com/arcseat/arc/seat"
)

// sitting is an agent on a seat: what it does in each of the seat's turns.
type sitting struct {
	*agent
	host    *local.Host
	room    string       // empty: every room's seats
	ids     []arc.SeatID // of the seats; nil: all
	serving desk.Serving // what is run, and on which terms
	turns   int          // that were run
	before  []failure    // turns that others had begun, which may have failed since
	broken  []failure    // turns that have failed
	checks  checks
}

// inRoom runs turns of the seat in the room, or without a room of all seats, and says
// what came of them: the task's and what else waits for the seat, or with -serve all
// that comes until ctx ends. It returns the exit code.
func (j job) inRoom(ctx context.Context, s *screen, stderr io.Writer) (code int) {
	j.local.Seats, j.local.Stop = true, ctx.Done()
	host, err := local.Open(j.dir, &j.local)
	if errors.Is(err, arc.Locked) && j.task != "" && !j.serve {
		return j.handOver(ctx, err, s, stderr)
	}
	if err != nil {
		return failed(stderr, err)
	}
	defer func() { code = max(code, closed(ctx, host, stderr)) }()
	sit := &sitting{host: host, room: j.room}
	var info seat.Info
	if j.room != "" {
		if info, err = host.Seats.Join(ctx, seat.Spec{Room: j.room}); err != nil {
			return failed(stderr, err)
		}
		sit.ids = []arc.SeatID{info.ID}
	}
	terms, err := j.terms()
	if err != nil {
		return failed(stderr, err)
	}
	sit.serving = desk.Serving{Room: j.room, Ends: !j.serve, Terms: terms}
	door, err := desk.Open(host, sit.serving) // so that an operator is heard while this runs
	if err != nil {
		return failed(stderr, err)
	}
	defer door.Close()
	set, before, err := j.begin(ctx, host, s)
	if err != nil {
		return failed(stderr, err)
	}
	s.words("Room: " + cmp.Or(j.room, "all of them"))

	queue, ref := "", seat.Ref{RunID: info.Run, MembershipID: info.Membership}
	if j.task != "" {
		q, err := host.Seats.Send(ctx, seat.Prompt{Ref: ref, Text: j.task, Mode: j.local.Mode, MaxSteps: j.steps})
		if err != nil {
			return failed(stderr, err)
		}
		queue = q.ID
	}
	sit.agent = &agent{model: j.model, set: set, screen: s, context: budget{most: j.context}}
	o := host.RunOptions()
	o.Seats, o.Parallel = sit.ids, 1 // the model has one conversation at a time
	o.Gates = append(o.Gates, sit.checkGate(terms.Checks))
	if err := sit.begun(ctx); err != nil {
		return failed(stderr, err)
	}
	o.Escalate = func(_ arc.Origin, missing []seat.Missing) {
		s.note("The model tries again and again to finish, and this is missing: %s", missing[0].Detail)
	}
	switch {
	case j.serve && host.SharesSeats():
		s.note("Serving until Ctrl-C; the program operator and others like this one, with the same -store, are heard meanwhile.")
	case j.serve:
		s.note("Serving until Ctrl-C; the program operator, and this one without -serve, are heard meanwhile.")
	}
	err = sit.heard(ctx, door, o, j.serve)

	last := "Nothing was to be run."
	if sit.turns > 0 {
		last = "Ran " + paint.Count(sit.turns, "turn") + "."
	}
	switch {
	case err != nil && ctx.Err() == nil:
		return failed(stderr, err)
	case ctx.Err() != nil:
		left, err := sit.left(context.WithoutCancel(ctx))
		if err != nil {
			return failed(stderr, err)
		}
		if left || !j.serve { // between turns serving ends so
			code, last = exitInterrupted, "Interrupted."
			fmt.Fprintln(stderr, "agent: interrupted; every file is whole, every change is in the history")
		}
		if left {
			last = "Interrupted; the room's next run goes on with the turn."
		}
	case queue != "":
		how := ""
		if code, how, err = sit.came(ctx, queue); err != nil {
			return failed(stderr, err)
		}
		if sit.turns == 1 || code != exitDone { // of several the last has said how things stand
			last = how
		}
	}
	ctx = context.WithoutCancel(ctx)
	code = max(code, sit.leave(ctx, before, last, stderr))
	if j.serve {
		return code // what has failed since was told when it did
	}
	return max(code, sit.failures(ctx, stderr))
}

// heard runs turns while others are let in at the door, and closes it. A task that was
// handed over in the last moment is run too: who brought it has been told so.
func (s *sitting) heard(ctx context.Context, door *desk.Door, o *seat.RunOptions, forever bool) error {
	for {
		err := s.serve(ctx, o, forever)
		door.Close()
		if err != nil {
			return err
		}
		late := false
		err = s.each(ctx, func(_ seat.Info, st *seat.Status) { late = late || len(st.Queued) > 0 })
		if err != nil || !late {
			return err
		}
		if door, err = desk.Open(s.host, s.serving); err != nil {
			return err
		}
	}
}

// serve runs turns: until ctx ends, or else until none can begin and no job of this
// process, which would end with it, is waited for.
func (s *sitting) serve(ctx context.Context, o *seat.RunOptions, forever bool) error {
	o.Idle = !forever
	for told := false; ; {
		err := s.host.Seats.Run(ctx, func(turn context.Context, t *seat.Turn) (string, error) {
			reply, err := s.turn(turn, t)
			if err != nil && ctx.Err() == nil {
				s.cut(t, cmp.Or(context.Cause(turn), err))
			}
			return reply, err
		}, o)
		if err != nil {
			return err
		}
		wakes, err := s.wakes(ctx)
		if err != nil {
			return err
		}
		job := ""
		for _, w := range wakes {
			if id, ok := strings.CutPrefix(w.Target, "job:"); ok {
				job = id
			}
		}
		if job == "" {
			return nil
		}
		if !told {
			s.screen.note("The seat waits for %s, which would end with this program.", job)
			told = true
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// turn is the seat's handler.
func (s *sitting) turn(ctx context.Context, t *seat.Turn) (string, error) {
	s.turns++
	s.began(t)
	t.Env = s.model.profile(t.Env)
	system := systemSeat
	if t.Mode == arc.Planning {
		system = systemPlanning
	}
	tasks, err := s.openTasks(ctx, t.Info.Room)
	if err != nil {
		return "", err
	}
	forget, err := s.allowed(ctx, t)
	if err != nil {
		return "", err
	}
	defer forget()
	end, err := s.handle(ctx, t, system+tasks)
	return end.text, err
}

// left reports whether a seat has a turn that was interrupted and is to be resumed.
func (s *sitting) left(ctx context.Context) (left bool, err error) {
	err = s.each(ctx, func(_ seat.Info, st *seat.Status) { left = left || st.Busy != nil })
	return left, err
}

// openTasks are the room's, in order, as a model is told them: what a plan that was
// approved has become.
func (s *sitting) openTasks(ctx context.Context, room string) (string, error) {
	list, err := s.host.Seats.Tasks(ctx, room)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, m := range list {
		if m.State == seat.TaskOpen {
			fmt.Fprintf(&b, "\n\nOpen task %d, which the operator marks done: %s", m.ID, m.Text)
		}
	}
	return b.String(), nil
}

// froms say where a turn without a wake of its own comes from. One that was woken has
// none when it is retried: the prompt says what it was woken for.
var froms = map[string]string{
	seat.FromOperator: "Task", seat.FromRetry: "Retried", seat.FromRewind: "After a rewind", seat.FromWake: "Retried, once woken",
}

// began shows what the turn is.
func (s *sitting) began(t *seat.Turn) {
	sc := s.screen
	how := ""
	if s.room == "" {
		how = " of the room " + t.Info.Room
	}
	switch {
	case t.Attempt > 1:
		how += ", resumed after an interruption"
	case t.Mode == arc.Planning:
		how += ", planning"
	}
	sc.heading(fmt.Sprintf("Turn %d%s", t.Seq, how))
	sc.note("%s · remembers %s%s", t.Origin.Turn, paint.Count(len(t.Replay), "exchange"), map[bool]string{true: " and its notes"}[t.Notes != ""])
	for _, n := range t.Notices {
		sc.note("notice: %s", n)
	}
	for _, w := range t.Wakes {
		sc.woken(w)
	}
	if len(t.Wakes) == 0 {
		sc.words(froms[t.From] + ": " + t.Prompt)
	}
}

// woken shows a wake, its note and how late it comes.
func (s *screen) woken(w seat.Wake) {
	what := "Reminder"
	if w.Kind == "wait" {
		what = "Wait for " + w.Target + " ended, " + w.Outcome
		if w.Target == "" {
			what = "Wait ended"
		}
	}
	s.words(fmt.Sprintf("%s (%s late): %s", what, duration(w.Late), w.Note))
}
