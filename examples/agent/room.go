package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/examples/internal/desk"
	"github.com/arcseat/arc/examples/internal/paint"
	"github.com/arcseat/arc/examples/internal/trouble"
	"github.com/arcseat/arc/examples/local"
	"github.com/arcseat/arc/seat"
	"github.com/arcseat/arc/tools"
)

// sitting is an agent on a seat: what it does in each of the seat's turns.
type sitting struct {
	*agent
	host  *local.Host
	room  string
	id    arc.SeatID
	ref   seat.Ref // the same seat
	turns int      // that were run
}

// inRoom runs turns of the seat in the room and says what came of them: the task's
// and what else waits for the seat, or with -serve all that comes until ctx ends. It
// returns the exit code.
func (j job) inRoom(ctx context.Context, s *screen, stderr io.Writer) (code int) {
	j.local.Seats = true
	host, err := local.Open(j.dir, &j.local)
	if errors.Is(err, arc.Locked) && j.task != "" && !j.serve {
		return j.handOver(ctx, err, s, stderr)
	}
	if err != nil {
		return failed(stderr, err)
	}
	defer func() { code = max(code, closed(ctx, host, stderr)) }()
	info, err := host.Seats.Join(ctx, seat.Spec{Room: j.room})
	if err != nil {
		return failed(stderr, err)
	}
	door, err := desk.Open(host, j.room) // so that an operator is heard while this runs
	if err != nil {
		return failed(stderr, err)
	}
	defer door.Close()
	set, err := host.Set(&tools.Options{Middleware: append(j.watch, s.watch)})
	if err != nil {
		return failed(stderr, err)
	}
	before, err := newTally(ctx, host.Workspace)
	if err != nil {
		return failed(stderr, err)
	}
	s.words("Project: " + j.dir)
	s.project, _ = filepath.Abs(j.dir) // only to shorten what is shown
	s.words("Room: " + j.room)

	queue, ref := "", seat.Ref{RunID: info.Run, MembershipID: info.Member}
	if j.task != "" {
		q, err := host.Seats.Send(ctx, seat.Prompt{Ref: ref, Text: j.task, Mode: j.local.Mode, MaxSteps: j.steps})
		if err != nil {
			return failed(stderr, err)
		}
		queue = q.ID
	}
	sit := &sitting{agent: &agent{model: j.model, set: set, screen: s}, host: host, room: j.room, id: info.ID, ref: ref}
	o := host.RunOptions()
	o.Seats = []arc.SeatID{info.ID}
	if j.check != "" {
		o.Gates = append(o.Gates, checkGate(host, j.check))
	}
	o.Escalate = func(_ arc.Origin, missing []seat.Missing) {
		s.note("The model tries again and again to finish, and this is missing: %s", missing[0].Detail)
	}
	if j.serve {
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
	return max(code, sit.leave(context.WithoutCancel(ctx), before, j.at, last, stderr))
}

// handOver gives the task to the process that owns the seats.
func (j job) handOver(ctx context.Context, locked error, s *screen, stderr io.Writer) int {
	state, err := local.StateDir(j.dir, &j.local)
	if err != nil {
		return failed(stderr, err)
	}
	there, err := desk.Knock(ctx, state)
	if err != nil {
		return failed(stderr, locked)
	}
	if there.Room() != j.room { // it would stay queued
		return failed(stderr, &arc.Error{
			Code:    arc.Locked,
			Message: fmt.Sprintf("another process runs this project's room %s and no other; ask there, or wait until it has ended.", there.Room()),
		})
	}
	b, err := there.Do(ctx, "", "send", desk.SendArgs{Ref: seat.Ref{RunID: j.room}, Text: j.task, Mode: j.local.Mode, MaxSteps: j.steps})
	if err != nil {
		return failed(stderr, err)
	}
	var q seat.Queued
	if err := json.Unmarshal(b, &q); err != nil {
		return failed(stderr, err)
	}
	s.note("Queued in the room %s as %s: the process that serves this project's seats runs it.", j.room, q.ID)
	return exitDone
}

// checkGate keeps a run from finishing until the operator's command succeeds.
func checkGate(host *local.Host, command string) seat.Gate {
	return seat.Gate{Name: "the check succeeds", Check: func(ctx context.Context, o arc.Origin, _ arc.Finish) (seat.Verdict, error) {
		detail, next, err := check(ctx, host.Shell, o, command)
		if err != nil && ctx.Err() == nil { // a check that cannot be made is not passed
			return seat.Verdict{Missing: command + " could not be run", Next: "tell the operator; only the operator can mend this"}, nil
		}
		return seat.Verdict{Missing: detail, Next: next}, err
	}}
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
		st, err := s.host.Seats.Status(ctx, s.host.Operator(""), seat.StatusArgs{Ref: s.ref, Limit: 1})
		if err != nil || len(st.Queued) == 0 {
			return err
		}
		if door, err = desk.Open(s.host, s.room); err != nil {
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
				s.screen.words("The turn has failed: " + trouble.Line(cmp.Or(context.Cause(turn), err)))
			}
			return reply, err
		}, o)
		if err != nil {
			return err
		}
		wakes, err := s.host.Seats.Wakes(ctx, s.id)
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
	system := systemSeat
	if t.Mode == arc.Planning {
		system = systemPlanning
	}
	tasks, err := s.openTasks(ctx)
	if err != nil {
		return "", err
	}
	end, err := s.handle(ctx, t, system+tasks)
	return end.text, err
}

// left reports whether the seat has a turn that was interrupted and is to be resumed.
func (s *sitting) left(ctx context.Context) (bool, error) {
	st, err := s.host.Seats.Status(ctx, s.host.Operator(""), seat.StatusArgs{Ref: s.ref, Limit: 1})
	return err == nil && st.Busy != nil, err
}

// openTasks are the room's, in order, as a model is told them: what a plan that was
// approved has become.
func (s *sitting) openTasks(ctx context.Context) (string, error) {
	list, err := s.host.Seats.Tasks(ctx, s.room)
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

// began shows what the turn is.
func (s *sitting) began(t *seat.Turn) {
	sc := s.screen
	how := ""
	switch {
	case t.Attempt > 1:
		how = ", resumed after an interruption"
	case t.Mode == arc.Planning:
		how = ", planning"
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
		sc.words(map[string]string{seat.FromOperator: "Task", seat.FromRetry: "Retried", seat.FromRewind: "After a rewind"}[t.From] + ": " + t.Prompt)
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

// came tells what became of the turn of the task.
func (s *sitting) came(ctx context.Context, queue string) (code int, last string, err error) {
	status, _, err := s.host.Seats.Await(ctx, queue)
	switch status {
	case seat.StatusFailed, "dropped":
		code = exitNotDone
	}
	if status == "" {
		return code, "", err
	}
	return code, strings.ToUpper(status[:1]) + status[1:] + ".", err
}

// leave shows what the run came to and what is still to come.
func (s *sitting) leave(ctx context.Context, before *tally, at *endpoint, last string, stderr io.Writer) int {
	if err := before.sum(ctx, s.screen, at, last); err != nil {
		return failed(stderr, err)
	}
	wakes, err := s.host.Seats.Wakes(ctx, s.id)
	if err != nil {
		return failed(stderr, err)
	}
	for _, w := range wakes {
		what, due := "a reminder", "due"
		switch {
		case w.Kind == "wait" && w.Target == "":
			what = "a wait"
		case w.Kind == "wait":
			what, due = "a wait for "+w.Target, "until"
		}
		s.screen.note("Pending: %s, %s %s: %s", what, due, w.Due.Local().Format(time.DateTime), w.Note)
	}
	if len(wakes) > 0 {
		s.screen.note("Only a running agent is woken: agent -room %s -serve runs %s.", s.room,
			map[bool]string{true: "it", false: "them"}[len(wakes) == 1])
	}
	return exitDone
}
