package seat

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/arcseat/arc"
)

// A Handler runs one turn: it is the host's own loop of model and tools. It returns
// what the turn says; where a tool has ended the turn, an empty text stands for what
// that tool was given. An error ends the turn as failed, with what [Turn.Say] was
// told. It returns soon after ctx ends, which is when the turn is stopped or taken
// over, or Run ends. A handler that then returns ctx's error, or its cause, because Run
// ends leaves its turn to the next Run, which resumes it.
type Handler func(ctx context.Context, t *Turn) (reply string, err error)

// Jobs tells of a seat's background jobs. Package shell's Shell is one.
type Jobs interface {
	// JobStatus returns soon after its ctx ends: an answer is waited for two seconds, and
	// nothing but that seat's turn waits for it, but Run does not return before JobStatus
	// has.
	JobStatus(ctx context.Context, seat arc.SeatID, job string) (status string, ended bool, err error)
}

// JobPIDs is for Jobs that also know the processes of a job: whoever is to end one is
// then told which. Package shell's Shell is one. JobPID does not block.
type JobPIDs interface {
	// JobPID is the process id of the job's leader, which is its group's, or 0 where
	// that is not known.
	JobPID(seat arc.SeatID, job string) int
}

// Paths says whether a plan may name a file.
type Paths interface {
	// CheckTarget refuses what no turn could read or create. Its error says why in a few
	// words for a model.
	CheckTarget(ctx context.Context, path string) error
}

// RunOptions of Run. The zero value is a good start.
type RunOptions struct {
	// Seats are those to run. Nil: all managed seats.
	Seats []arc.SeatID

	// Idle lets Run return when no turn runs and none could begin now. Waits and
	// reminders that are still to come don't keep it. Default: false, until ctx ends.
	Idle bool

	// Parallel is how many seats are in a turn at once. 0: 4.
	Parallel int

	// Env is what every turn is given. Its Mode is the turn's own.
	Env arc.Env

	// Jobs tells of background jobs. Nil: nothing can wait for one.
	Jobs Jobs

	// Keep reports whether a job may run on after the run has finished. Nil: none may.
	Keep func(job string) bool

	// Paths checks the files that a plan names. Nil: a path has to be well-formed.
	Paths Paths

	// Gates are asked before a run finishes, after the built-in ones.
	Gates []Gate

	// RequireReply lets finish ask for a reply_message_id. Default: false.
	RequireReply bool

	// Escalate is told when a turn was answered three times that the same things
	// are missing. Nil: nobody is.
	Escalate func(arc.Origin, []Missing)

	// Notice is how many requests before a checkpoint the results of tools announce
	// it. 0: 3.
	Notice int
}

// Run runs turns until ctx ends, or with Idle until there is none left to run: what
// is queued, what comes due, and first of all what was interrupted. One seat is in
// one turn at a time. When Run returns every handler has. Several may run at once,
// over one store too. What the store cannot do for want of room, or because another
// program holds it, is tried again each second, with Idle for as long as a turn runs.
// The error is ctx's, or the store's; then what runs is left to be resumed.
func (s *Service) Run(ctx context.Context, h Handler, o *RunOptions) error {
	if o == nil {
		o = &RunOptions{}
	}
	with := *o
	if with.Parallel <= 0 {
		with.Parallel = 4
	}
	if with.Notice <= 0 {
		with.Notice = 3
	}
	var asking sync.WaitGroup
	if with.Jobs != nil {
		with.Jobs = patient{with.Jobs, &asking}
	}
	mirrored, heard := s.mirroring(ctx), s.listening(ctx)
	r := &runner{s: s, h: h, o: &with, done: make(chan arc.SeatID, with.Parallel), running: map[arc.SeatID]bool{}, shown: presence{s: s}}
	turns, leave := context.WithCancelCause(ctx)
	err := r.loop(turns)
	leave(err) // of turns only where the store has failed: what they wait for may never begin
	for len(r.running) > 0 {
		delete(r.running, <-r.done)
	}
	asking.Wait()
	heard()
	mirrored()
	if err == nil {
		_, _, err = s.deliver(ctx, wait)
	}
	return err
}

// runner is one Run.
type runner struct {
	s       *Service
	h       Handler
	o       *RunOptions
	done    chan arc.SeatID
	running map[arc.SeatID]bool
	polled  time.Duration // Elapsed at the last poll of jobs
	asked   bool
	polling chan error // of the poll that is under way; nil for none
	shown   presence
	trouble bool // the store could not do the last that it was asked
}

// takenPause is after how long a seat is looked at again whose room somebody else was
// changing.
const takenPause = 20 * time.Millisecond

// tryAgain is after how long the store is asked again for what it could not do.
const tryAgain = time.Second

func (r *runner) loop(ctx context.Context) error {
	polls, endPolls := context.WithCancel(ctx)
	defer func() {
		endPolls()
		if r.polling != nil {
			<-r.polling
		}
	}()
	for {
		changes := r.s.changes() // before looking, so that nothing is missed
		if ctx.Err() != nil {
			return ctx.Err()
		}
		var soon <-chan time.Time // somebody else's transaction takes no time of a clock's
		sleep, more, held, err := r.look(ctx, polls)
		switch {
		case err != nil && !r.passes(err):
			return err
		case err != nil:
			sleep = tryAgain
		case r.o.Idle && !more && len(r.running) == 0 && r.polling == nil:
			return nil
		case held:
			soon = time.After(takenPause)
		}
		select {
		case <-ctx.Done():
		case <-changes:
		case <-soon:
		case id := <-r.done:
			delete(r.running, id)
		case err := <-r.polling:
			r.polling = nil
			if err != nil && !r.passes(err) {
				return err
			}
		case <-r.s.clock.After(max(sleep, time.Millisecond)):
		}
	}
}

// look does what there is to do now, and says how long until there may be more, whether
// some of it had to wait, and whether that is for a room that is held this very moment.
func (r *runner) look(ctx, polls context.Context) (sleep time.Duration, more, held bool, err error) {
	if err := r.shown.show(ctx); err != nil {
		return 0, false, false, err
	}
	due := r.s.due(r.s.horizon())
	defer due.putBack() // what was not fired
	var ready []arc.SeatID
	err = r.s.store.View(ctx, func(tx *Tx) error {
		if err := due.find(tx); err != nil {
			return err
		}
		ready, sleep, err = r.ready(tx)
		return err
	})
	if err != nil {
		return 0, false, false, err
	}
	sleep = min(sleep, due.sleep)
	fired, waits, err := due.fire(ctx)
	if err != nil {
		return 0, false, false, err
	}
	if fired {
		err = r.s.store.View(ctx, func(tx *Tx) error {
			ready, sleep, err = r.ready(tx)
			return err
		})
		if err != nil {
			return 0, false, false, err
		}
		sleep = 0
	}
	if now := r.s.clock.Elapsed(); (r.o.Jobs != nil || r.s.shared) && r.polling == nil && (!r.asked || now-r.polled >= jobsPoll) {
		r.asked, r.polled = true, now
		answer := make(chan error, 1)
		r.polling = answer
		go func() { answer <- r.s.pollJobs(polls, r.o.Jobs) }()
	}
	more, held, err = r.start(ctx, ready)
	if err == nil {
		r.trouble = false
	}
	return sleep, more || waits, held || waits, err
}

// passes reports whether the store's trouble may pass while this waits for it.
func (r *runner) passes(err error) bool {
	if !errors.Is(err, arc.NoSpace) && !errors.Is(err, arc.Locked) && !outOfReach(err) || r.o.Idle && len(r.running) == 0 {
		return false
	}
	if !r.trouble {
		r.s.log.Warn("the store of seats cannot be written now; it is tried again each second", "err", err)
	}
	r.trouble = true
	return true
}

// ready are the seats that could begin a turn: first those that were left in one half done,
// then those that have waited longest. Some may be in a turn of another service, which
// keeps them until sleep has passed at the latest, unless it goes on.
func (r *runner) ready(tx *Tx) (ready []arc.SeatID, sleep time.Duration, err error) {
	sleep = r.s.horizon()
	err = tx.all(`SELECT seat_id, until_us, stop_turn FROM (
		SELECT seat_id, 0 AS n, (SELECT lease_until_us FROM seat WHERE seat.id = begun.seat_id) AS until_us, (SELECT stop_turn FROM seat WHERE seat.id = begun.seat_id) AS stop_turn FROM begun
			WHERE EXISTS (SELECT 1 FROM seat WHERE seat.id = begun.seat_id AND managed = 1 AND lease_turn <> '' AND host IN ('', $1))
		UNION ALL
		SELECT seat_id, MIN(n), 0, '' FROM queue
			WHERE state = 'queued' AND EXISTS (SELECT 1 FROM seat WHERE seat.id = queue.seat_id AND managed = 1 AND lease_turn = '' AND host IN ('', $1)) GROUP BY seat_id
		) ready ORDER BY n, seat_id`, []any{r.s.host}, func(rows *sql.Rows) error {
		var id arc.SeatID
		var until int64
		var stopped arc.TurnID
		err := rows.Scan(&id, &until, &stopped)
		ready = append(ready, id)
		if stopped != "" { // by somebody elsewhere, or here already
			r.s.stopHere(id, stopped)
		}
		if left := time.Duration(until-r.s.now(tx)) * time.Microsecond; left > 0 {
			sleep = min(sleep, left+time.Millisecond)
		}
		return err
	})
	return ready, sleep, err
}

// start begins what can begin, and reports whether there is more than that, and whether
// some of it stands in a room that is held this very moment.
func (r *runner) start(ctx context.Context, ready []arc.SeatID) (more, held bool, err error) {
	for _, id := range ready {
		switch {
		case r.o.Seats != nil && !slices.Contains(r.o.Seats, id), r.running[id]:
			continue
		case len(r.running) >= r.o.Parallel:
			more = true
			continue
		}
		t, elsewhere, err := r.s.claim(ctx, id, r.o)
		if err != nil {
			return more, held, err
		}
		if t == nil {
			more, held = more || elsewhere != nowhere, held || elsewhere == changing
			continue
		}
		r.running[id] = true
		go func() {
			defer func() { r.done <- id }()
			r.s.runTurn(ctx, r.h, t)
		}()
	}
	return more, held, nil
}

// runTurn runs a turn to its commit. One that ends only because Run does is left for
// the next.
func (s *Service) runTurn(run context.Context, h Handler, t *Turn) {
	defer s.setIdle(t) // also where the handler ends its goroutine
	ctx, cancel := context.WithCancelCause(run)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		s.watchTurn(ctx, t, cancel)
	}()
	defer func() {
		cancel(nil)
		<-watched
	}()
	t.lookAtJobs(ctx)
	reply, err := handle(ctx, h, t)
	reply = storable(reply)
	cut := context.Cause(ctx)
	cancel(nil)
	<-watched
	byOperator := s.isStopped(t.Origin.Turn) // whatever else ended it at the same moment
	if err == nil && byOperator {
		err = errStopped
	}
	left := err != nil && !byOperator && (errors.Is(cut, LeaseLost) || outOfReach(err) ||
		run.Err() != nil && (errors.Is(err, run.Err()) || errors.Is(err, context.Cause(run))))
	end := s.insist(func() error {
		if left {
			return t.leave(context.WithoutCancel(ctx))
		}
		return t.end(context.WithoutCancel(ctx), reply, err != nil)
	})
	s.setIdle(t)
	switch {
	case end != nil:
		// The turn stays begun: whoever holds the seat next resumes it, or commits it
		// as failed if it was stopped.
		s.log.Error("a turn was not committed", "seat", t.Origin.Seat, "turn", t.Origin.Turn, "err", end)
		s.release(context.WithoutCancel(ctx), t)
	case left:
		s.log.Info("a turn is left to be resumed", "seat", t.Origin.Seat, "turn", t.Origin.Turn)
	case err != nil:
		s.log.Warn("a turn has failed", "seat", t.Origin.Seat, "turn", t.Origin.Turn, "err", err)
	}
	s.tell()
}

// insist ends a turn. Its answer is not to be lost to a store that is out of reach for
// a moment, so it is tried again: a few times within milliseconds, and where a server cannot
// be reached for as long as the turn may be this host's.
func (s *Service) insist(end func() error) error {
	began := s.clock.Elapsed()
	for pause := time.Millisecond; ; pause = min(4*pause, 250*time.Millisecond) {
		err := end()
		if err == nil || errors.Is(err, LeaseLost) || pause > 10*time.Millisecond && (!outOfReach(err) || s.clock.Elapsed()-began > s.o.Lease) {
			return err
		}
		time.Sleep(pause)
	}
}

// handle calls h. A panic of the host's is an error of the turn.
func handle(ctx context.Context, h Handler, t *Turn) (reply string, err error) {
	defer caught("the handler", &err)
	return h(ctx, t)
}

// release lets go of a turn that could not be committed, so that it is resumed.
func (s *Service) release(ctx context.Context, t *Turn) {
	_, err := s.transact(ctx, t.Info.Room, wait, t.letGo)
	if err != nil && !errors.Is(err, LeaseLost) {
		s.log.Error("a seat was not let go", "seat", t.Origin.Seat, "err", err)
	}
}

// letGo leaves the turn as nobody's, for whoever is there. Code: lease_lost.
func (t *Turn) letGo(tx *Tx) error {
	tx.Ring()
	n, err := tx.Exec(`UPDATE seat SET lease_owner = '', lease_until_us = 0 WHERE id = $1 AND lease_turn = $2 AND lease_gen = $3`,
		t.Origin.Seat, t.Origin.Turn, t.gen)
	if err == nil && n == 0 {
		err = leaseLost()
	}
	return err
}

// leave ends this host's part in a turn that its shutdown has cut short: the next Run
// resumes it, and does not count that as a crash. What a tool had ended is committed,
// and what the operator stops meanwhile.
func (t *Turn) leave(ctx context.Context) error {
	ends := t.endsToSave()
	return t.svc.update(ctx, t.Info.Room, func(tx *Tx) error {
		x, err := turnByID(tx, t.Origin.Seat, t.Origin.Turn)
		if err != nil {
			return err
		}
		stopped, err := t.marked(tx)
		if err != nil {
			return err
		}
		if t.svc.setIdle(t) || stopped || x.ended != "" {
			err = t.svc.commit(tx, t.committing("", true))
		} else if err = t.letGo(tx); err == nil {
			_, err = tx.Exec(`UPDATE turn SET parked = parked + 1 WHERE id = $1`, x.id)
		}
		if err != nil {
			return err
		}
		return saveEnds(tx, x.id, ends)
	})
}

func busyError(row *seatRow, state string) error {
	return refuse(Busy, detail{"active_turn_id": row.leaseTurn, "state": state},
		"the seat is in the turn %s; wait until it has ended, or stop it.", row.leaseTurn)
}
