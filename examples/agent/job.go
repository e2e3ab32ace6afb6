package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/examples/local"
	"github.com/arcseat/arc/tools"
)

// A job is what the agent is to do, and with what.
type job struct {
	task    string
	dir     string
	check   string // a command that has to succeed before the run may finish; empty: none
	model   *model
	steps   int
	context int    // tokens; see budget
	room    string // of the seat whose turns these are; empty: no seat
	serve   bool   // go on with what the seat is woken for and asked
	local   local.Options
	watch   []tools.Middleware // beside the screen; tests look on here
}

// do runs the job and says what came of it. It returns the exit code.
func (j job) do(ctx context.Context, s *screen, stderr io.Writer) (code int) {
	var host *local.Host
	var gates []gate
	if j.check != "" {
		gates = append(gates, gate{"the check succeeds", func(ctx context.Context, c arc.Call) (string, string, error) {
			v, err := host.Check(ctx, c.Origin, j.check)
			return v.Missing, v.Next, err
		}})
	}
	j.local.Providers = append(j.local.Providers, finishing(gates...))
	j.local.Stop = ctx.Done()
	host, err := local.Open(j.dir, &j.local)
	if err != nil {
		return failed(stderr, err)
	}
	defer func() { code = max(code, closed(ctx, host, stderr)) }()
	set, before, err := j.begin(ctx, host, s)
	if err != nil {
		return failed(stderr, err)
	}
	s.words("Task: " + j.task)

	a := &agent{model: j.model, set: set, turn: host.Turn(arc.Origin{}), screen: s, steps: j.steps}
	a.turn.Env = j.model.profile(a.turn.Env)
	end, err := a.run(ctx, j.task)

	switch {
	case ctx.Err() != nil:
		code = exitInterrupted
		fmt.Fprintln(stderr, "agent: interrupted; every file is whole, every change is in the history")
	case err != nil:
		code = failed(stderr, err)
	case end.how == arc.Continue && j.check != "":
		code = exitNotDone
		fmt.Fprintln(stderr, "agent: the model stopped without finishing")
	}
	if err := before.sum(ctx, s, j.model, map[bool]string{true: "Finished.", false: "Not finished."}[code == exitDone]); err != nil {
		code = max(code, failed(stderr, err))
	}
	return code
}

// begin shows what project it is about. It returns the tools, whose calls the screen
// shows, and what is to be compared at the end.
func (j job) begin(ctx context.Context, host *local.Host, s *screen) (*tools.Set, *tally, error) {
	set, err := host.Set(&tools.Options{Middleware: append(j.watch, s.watch)})
	if err != nil {
		return nil, nil, err
	}
	before, err := newTally(ctx, host.Workspace)
	if err != nil {
		return nil, nil, err
	}
	s.words("Project: " + j.dir)
	s.project, _ = filepath.Abs(j.dir) // only to shorten what is shown
	return set, before, nil
}

// closed closes the host. What still runs is ended, also after Ctrl-C, and not waited
// for long.
func closed(ctx context.Context, host *local.Host, stderr io.Writer) (code int) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	if err := host.Close(ctx); err != nil {
		return failed(stderr, err)
	}
	return exitDone
}
