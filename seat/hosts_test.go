package seat_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/seat"
)

// host is a service of a store that hosts share.
func (r *room) host(label string) *seat.Service {
	r.t.Helper()
	return r.sharing(seat.Options{Clock: r.clock, Host: label})
}

// ran is how many turns a service had to run.
func (r *room) ran(svc *seat.Service, o seat.RunOptions) (turns int) {
	r.t.Helper()
	o.Idle = true
	err := svc.Run(r.ctx(), func(context.Context, *seat.Turn) (string, error) { turns++; return "ok", nil }, &o)
	if err != nil {
		r.t.Fatal(err)
	}
	return turns
}

var project = seat.RunOptions{Env: arc.Env{Project: true}}

func TestASeatWithAProjectStaysOnItsHost(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	here, there := r.host("here"), r.host("there")
	runs := func(svc *seat.Service, want int) {
		t.Helper()
		r.send("work")
		if got := r.ran(svc, project); got != want {
			t.Errorf("%d turns ran, want %d", got, want)
		}
	}
	runs(here, 1)
	if info, err := here.Seat(r.ctx(), r.op, ref); err != nil || info.Host != "here" {
		t.Errorf("it is bound to %q, %v", info.Host, err)
	}
	runs(there, 0)
	runs(here, 2)
	if err := there.Bind(r.ctx(), id, "there"); err != nil {
		t.Fatal(err)
	}
	runs(here, 0)
	runs(there, 2)
	if err := here.Bind(r.ctx(), id, ""); err != nil {
		t.Fatal(err)
	}
	r.send("without a project")
	if got := r.ran(here, seat.RunOptions{}); got != 1 {
		t.Errorf("%d turns ran of a seat that is free", got)
	}
	if info, err := here.Seat(r.ctx(), r.op, ref); err != nil || info.Host != "" {
		t.Errorf("without a project it is bound to %q, %v", info.Host, err)
	}
	code(t, here.Bind(r.ctx(), "demo/nobody", "here"), arc.NotFound)
}

func TestASeatWithADesktopStaysOnItsHost(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	here := r.host("here")
	r.send("look")
	r.ran(here, seat.RunOptions{Env: arc.Env{Desktop: arc.Desktop{OS: "linux"}}})
	if info, err := here.Seat(r.ctx(), r.op, ref); err != nil || info.Host != "here" {
		t.Errorf("it is bound to %q, %v", info.Host, err)
	}
}

// A label is the same to the host that has it and to the store, whatever is in it.
func TestAHostWithALabelThatNoStoreKeeps(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	const label = "here\x00\xff"
	here := r.host(label)
	if err := here.Bind(r.ctx(), id, label); err != nil {
		t.Fatal(err)
	}
	r.send("work")
	if got := r.ran(here, project); got != 1 {
		t.Errorf("%d turns ran", got)
	}
}

func TestASeatIsNotMovedInTheMiddleOfATurn(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	here, there := r.host("here"), r.host("there")
	r.send("work")
	err := here.Run(r.ctx(), func(ctx context.Context, _ *seat.Turn) (string, error) {
		code(t, there.Bind(ctx, id, "there"), seat.Busy)
		return "ok", nil
	}, &seat.RunOptions{Idle: true, Env: project.Env})
	if err != nil {
		t.Fatal(err)
	}
}

// ownJobs are the jobs of one host.
type ownJobs struct {
	job   string
	ended atomic.Bool
}

func (j *ownJobs) JobStatus(_ context.Context, _ arc.SeatID, job string) (string, bool, error) {
	if job != j.job {
		return "", false, arc.NotFound
	}
	return "completed", j.ended.Load(), nil
}

// waitsFor lets the seat wait for a job of this host.
func (r *room) waitsFor(svc *seat.Service, jobs *ownJobs) {
	r.t.Helper()
	r.send("wait")
	err := svc.Run(r.ctx(), func(ctx context.Context, t *seat.Turn) (string, error) {
		_, err := t.Seat.Wait(ctx, "c", arc.Wait{JobID: jobs.job, Note: "n"})
		return "", err
	}, &seat.RunOptions{Idle: true, Jobs: jobs, Env: project.Env})
	if err != nil {
		r.t.Fatal(err)
	}
}

// outcome is how the seat's only wait has ended, empty while it is armed.
func (r *room) outcome() string {
	r.t.Helper()
	if r.context().PendingWakes == nil || len(r.context().PendingWakes) > 0 {
		return ""
	}
	var said string
	for _, q := range r.context().Queued {
		said = q.Kind
	}
	return said
}

func TestAWaitForAJob(t *testing.T) {
	t.Parallel()
	t.Run("is the owner's to end, and no other host takes the job for lost", func(t *testing.T) {
		t.Parallel()
		r := newRoom(t)
		here, there := r.host("here"), r.host("there")
		jobs := &ownJobs{job: "job_here"}
		r.waitsFor(here, jobs)
		r.clock.Advance(20 * time.Second)
		r.ran(there, seat.RunOptions{Jobs: &ownJobs{job: "job_there"}})
		if got := r.outcome(); got != "" {
			t.Errorf("another host ended it: %s", got)
		}
		jobs.ended.Store(true)
		r.clock.Advance(5 * time.Second)
		var woken string
		err := here.Run(r.ctx(), func(_ context.Context, x *seat.Turn) (string, error) {
			woken = x.Wakes[0].Outcome
			return "ok", nil
		}, &seat.RunOptions{Idle: true, Jobs: jobs, Env: project.Env})
		if err != nil || woken != "completed" {
			t.Errorf("it ended as %q, %v", woken, err)
		}
	})
	t.Run("ends as lost when its owner is gone for longer than a lease", func(t *testing.T) {
		t.Parallel()
		r := newRoom(t)
		here, there := r.host("here"), r.host("there")
		r.waitsFor(here, &ownJobs{job: "job_here"})
		r.clock.Advance(31 * time.Second)
		r.ran(there, seat.RunOptions{})
		if got := r.outcome(); got != "wake" {
			t.Errorf("the seat has %q queued", got)
		}
		// The seat is still its host's. An operator who knows that this one won't come back
		// gives it to another.
		if err := there.Bind(r.ctx(), id, "there"); err != nil {
			t.Fatal(err)
		}
		var woken string
		err := there.Run(r.ctx(), func(_ context.Context, x *seat.Turn) (string, error) {
			woken = x.Wakes[0].Outcome
			return "ok", nil
		}, &seat.RunOptions{Idle: true})
		if err != nil || woken != "lost" {
			t.Errorf("it ended as %q, %v", woken, err)
		}
	})
}

// A host that cannot reach the store for as long as its lease lasts ends its own part in the
// turn, which another may have by then. The turn has not failed: it goes on.
func TestATurnEndsWhenItsLeaseCannotBeKept(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	away := &faulty{Store: shared{r.store}}
	here, err := seat.Open(r.ctx(), away, &seat.Options{Clock: r.clock})
	if err != nil {
		t.Fatal(err)
	}
	r.send("work")
	gone := &arc.Error{Code: seat.StoreUnavailable, Message: "away.", Detail: map[string]string{"reason": seat.ReasonConnection}}
	err = here.Run(r.ctx(), func(ctx context.Context, x *seat.Turn) (string, error) {
		if x.Attempt > 1 {
			return "done", nil
		}
		away.fail(gone, nil)
		for ctx.Err() == nil {
			r.clock.Advance(time.Second)
			time.Sleep(time.Millisecond)
		}
		if cause := context.Cause(ctx); !errors.Is(cause, seat.LeaseLost) {
			t.Errorf("it ended for %v", cause)
		}
		away.fail(nil, nil)
		return "", ctx.Err()
	}, &seat.RunOptions{Idle: true})
	if err != nil {
		t.Fatal(err)
	}
	if c := r.context(); len(c.Entries) != 1 || c.Entries[0].Reply.Text != "done" {
		t.Errorf("the seat remembers %+v", c.Entries)
	}
}
