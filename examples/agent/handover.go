package main

import (
	"context"
	"encoding/json"
	"io"
	"sync"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/examples/internal/desk"
	"github.com/arcseat/arc/examples/local"
	"github.com/arcseat/arc/seat"
)

// terms are what the flags allow.
func (j job) terms() (desk.Terms, error) {
	t := desk.Terms{Access: j.local.Access}
	if j.check != "" {
		t.Checks = []string{j.check}
	}
	var err error
	t.Deny, err = j.local.Withheld(j.dir)
	return t, err
}

// handOver gives the task to the process that owns the seats, with what the flags
// allow, and says before what will hold.
func (j job) handOver(ctx context.Context, locked error, s *screen, stderr io.Writer) int {
	state, err := local.StateDir(j.dir, &j.local)
	if err != nil {
		return failed(stderr, err)
	}
	there, err := desk.Knock(ctx, state)
	if err != nil {
		return failed(stderr, locked)
	}
	serving, err := tell[desk.Serving](ctx, there, "serving", desk.None{})
	if err != nil {
		return failed(stderr, err)
	}
	terms, err := j.terms()
	if err != nil {
		return failed(stderr, err)
	}
	held, err := serving.Take(j.room, terms)
	if err != nil {
		return failed(stderr, err)
	}
	s.note("Another process owns this project's seats, and runs the task with its own model and settings. For this task: %s.", held)
	q, err := tell[seat.Queued](ctx, there, "send", desk.SendArgs{Ref: seat.Ref{RunID: j.room}, Text: j.task, Mode: j.local.Mode, MaxSteps: j.steps, Terms: terms})
	if err != nil {
		return failed(stderr, err)
	}
	s.note("Queued in the room %s as %s: that process runs it.", j.room, q.ID)
	return exitDone
}

// tell asks at a desk and reads the answer.
func tell[R any](ctx context.Context, d desk.Desk, verb string, args any) (r R, err error) {
	b, err := d.Do(ctx, "", verb, args)
	if err == nil {
		err = json.Unmarshal(b, &r)
	}
	return r, err
}

// checks are the commands that must succeed before the runs of turns may finish,
// beside the program's own.
type checks struct {
	mu sync.Mutex
	of map[arc.TurnID][]string
}

func (c *checks) set(turn arc.TurnID, commands []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of == nil {
		c.of = map[arc.TurnID][]string{}
	}
	c.of[turn] = commands
}

func (c *checks) get(turn arc.TurnID) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.of[turn]
}

func (c *checks) drop(turn arc.TurnID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.of, turn)
}

// allowed narrows the turn to what whoever asked for it allows, where that was said.
func (s *sitting) allowed(ctx context.Context, t *seat.Turn) (forget func(), err error) {
	asked, err := desk.Asked(ctx, s.host.Seats, t.Origin.Turn)
	if err != nil || asked == nil {
		return func() {}, err
	}
	s.screen.note("asked for with: %s", asked)
	t.Env = asked.Narrow(t.Env)
	s.checks.set(t.Origin.Turn, asked.Checks)
	return func() { s.checks.drop(t.Origin.Turn) }, nil
}

// checkGate keeps a run from finishing until the operator's commands succeed: always,
// and those of whoever asked for the turn.
func (s *sitting) checkGate(always []string) seat.Gate {
	return seat.Gate{Name: "the check succeeds", Check: func(ctx context.Context, o arc.Origin, _ arc.Finish) (seat.Verdict, error) {
		all := desk.Terms{Checks: always}.Narrower(desk.Terms{Checks: s.checks.get(o.Turn)}).Checks
		return s.host.Check(ctx, o, all...)
	}}
}
