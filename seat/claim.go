package seat

import (
	"context"
	"strings"

	"github.com/arcseat/arc"
)

// leased reports whether the seat's turn is in somebody's hands.
func (s *Service) leased(tx *Tx, x *seatRow) bool {
	if x.leaseOwner == "" {
		return false
	}
	if x.leaseOwner == s.owner { // a turn that could not be let go of is nobody's
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.active[x.ID] != nil
	}
	opening, _, _ := strings.Cut(x.leaseOwner, "/")
	if own := s.store.Opening(); own != "" {
		// The store has one owner at a time: what an earlier one held is free, and
		// its own services let go or end with it.
		return opening == own
	}
	return x.leaseUntilUS > s.now(tx)
}

// elsewhere is who keeps a seat's turn from being begun.
type elsewhere int

const (
	nowhere  elsewhere = iota
	leased             // another service has the turn
	changing           // somebody changes the room, this very moment
)

// claim begins the seat's next turn, or resumes the one that was interrupted. Without
// a turn there is none, or another service has it.
func (s *Service) claim(ctx context.Context, id arc.SeatID, o *RunOptions) (t *Turn, other elsewhere, err error) {
	committed, at := false, s.clock.Elapsed()
	taken, err := s.transact(ctx, roomOf(id), skip, func(tx *Tx) error {
		if t != nil { // it was begun in vain
			s.setIdle(t)
		}
		t, committed, other = nil, false, nowhere
		row, err := seatByID(tx, id)
		if err != nil || row == nil {
			return err
		}
		if s.leased(tx, row) {
			other = leased
			return nil
		}
		if !s.mine(row) {
			return nil
		}
		left := row.leaseTurn
		x, err := s.interrupted(tx, row)
		if err != nil {
			return err
		}
		committed = left != "" && row.leaseTurn == ""
		if x == nil && row.leaseTurn == "" {
			x, err = s.begin(tx, row)
		}
		if err != nil || x == nil {
			return err
		}
		row.leaseGen++
		if stays := o.Env.Project || o.Env.Desktop != (arc.Desktop{}); stays && row.Host == "" {
			row.Host = s.host
		}
		if _, err := tx.Exec(`UPDATE seat SET lease_turn = $1, lease_owner = $2, lease_gen = $3, lease_until_us = $4, host = $5 WHERE id = $6`,
			x.id, s.owner, row.leaseGen, s.leaseEnd(tx), row.Host, id); err != nil {
			return err
		}
		if err := begun(tx, id); err != nil {
			return err
		}
		if t, err = s.open(tx, row, x, o); err != nil {
			t = nil
			return err
		}
		t.renewed = at
		s.setActive(id, t)
		return nil
	})
	if taken {
		committed, other = false, changing
	}
	if t != nil && (err != nil || taken) { // it was begun in vain
		s.setIdle(t)
		t = nil
	}
	if t != nil {
		s.mu.Lock()
		t.begun = true
		s.mu.Unlock()
	}
	if err == nil && committed {
		s.tell() // somebody may wait for how it ended
	}
	return t, other, err
}

// begun notes that the seat may be in a turn, so that a Run finds it without a look
// at those that are idle. That it no longer is costs its commit nothing: the next
// turn that begins anywhere clears the list.
func begun(tx *Tx, id arc.SeatID) error {
	if _, err := tx.Exec(`INSERT INTO begun (seat_id) VALUES ($1) ON CONFLICT DO NOTHING`, id); err != nil {
		return err
	}
	_, err := tx.Exec(tx.db.Dialect.Begun, id)
	return err
}

// setActive says which turn of a seat this service runs.
func (s *Service) setActive(id arc.SeatID, t *Turn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.active[id] = t
}

// setIdle says that this service runs t no more: from now on who stops it finds it in
// the store, as one that nobody runs. Another Run may have begun the seat's next turn
// since t was committed: that one stays. It reports whether t was stopped before.
func (s *Service) setIdle(t *Turn) (stopped bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.active[t.Origin.Seat] == t {
		delete(s.active, t.Origin.Seat)
	}
	return s.stopped[t.Origin.Turn]
}

func (s *Service) leaseEnd(tx *Tx) int64 { return s.now(tx) + s.o.Lease.Microseconds() }

// interrupted is the turn that its handler left without a word, to be resumed. One
// that a tool had ended is committed as that; one that the operator has stopped, or that
// was resumed already, has failed.
func (s *Service) interrupted(tx *Tx, row *seatRow) (*turnRow, error) {
	if row.leaseTurn == "" {
		return nil, nil
	}
	x, err := turnByID(tx, row.ID, row.leaseTurn)
	if err != nil || x == nil {
		return nil, err
	}
	switch {
	case x.ended != "", s.isStopped(x.id), row.stopTurn == x.id:
		err = s.commit(tx, row.committing())
	case x.attempt-x.parked > 1: // a host that is stopped in good order is no crash
		s.log.Warn("a turn was interrupted twice and has failed", "seat", row.ID, "turn", x.id)
		err = s.commit(tx, row.committing())
	default:
		x.attempt++
		_, err = tx.Exec(`UPDATE turn SET attempt = $1 WHERE id = $2`, x.attempt, x.id)
		return x, err
	}
	row.leaseTurn = ""
	return nil, err
}

// maxWakes is how many wakes one turn delivers.
const maxWakes = 20

// begin makes a turn of what stands first in the seat's queue. Wakes that stand
// there together are one turn's.
func (s *Service) begin(tx *Tx, row *seatRow) (*turnRow, error) {
	rows, err := queueRows(tx, `WHERE q.seat_id = $1 AND q.state = 'queued' ORDER BY q.n LIMIT $2`, row.ID, maxWakes)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	n := 1
	if rows[0].kind == "wake" {
		for n < len(rows) && rows[n].kind == "wake" {
			n++
		}
	}
	first := rows[0]
	if row.Finished { // by another seat, while this stood in the queue
		if row.Run, err = openNextRun(tx, row.Room); err != nil {
			return nil, err
		}
	}
	x := &turnRow{
		id: arc.TurnID("turn_" + random()), seat: row.ID, run: row.Run, seq: row.turns + 1, status: StatusRunning,
		origin: first.origin, mode: first.mode, prompt: first.prompt, source: first.source, maxSteps: first.maxSteps, attempt: 1, startedUS: s.now(tx),
	}
	if first.kind == "wake" {
		wakes, err := wakesOf(tx, rows[:n])
		if err != nil {
			return nil, err
		}
		x.prompt = wakePrompt(wakes)
	}
	if x.maxSteps == 0 {
		x.maxSteps = s.o.MaxSteps
	}
	x.promptSHA = hash(x.prompt)
	if _, err := tx.Exec(`INSERT INTO turn (id, seat_id, run_id, seq, status, origin, mode, prompt, prompt_sha, source_message_id, max_steps, attempt, queue_id, started_us)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
		x.id, x.seat, x.run, x.seq, x.status, x.origin, x.mode, x.prompt, x.promptSHA, x.source, x.maxSteps, x.attempt, first.id, x.startedUS); err != nil {
		return nil, err
	}
	for _, q := range rows[:n] {
		if _, err := tx.Exec(`UPDATE queue SET state = 'started', turn_id = $1 WHERE id = $2`, x.id, q.id); err != nil {
			return nil, err
		}
	}
	_, err = tx.Exec(`UPDATE seat SET turns = turns + 1 WHERE id = $1`, row.ID)
	return x, err
}

// open is the handler's view of a turn that has been claimed.
func (s *Service) open(tx *Tx, row *seatRow, x *turnRow, o *RunOptions) (*Turn, error) {
	exchanges, _, err := window(tx, row.ID)
	if err != nil {
		return nil, err
	}
	notes, _, err := notesOf(tx, row.ID)
	if err != nil {
		return nil, err
	}
	// What an attempt that crashed was told, it was told in vain.
	if x.attempt > 1 {
		if _, err := tx.Exec(`UPDATE notice SET told_in = '' WHERE seat_id = $1 AND done = 0 AND told_in = $2`, row.ID, x.id); err != nil {
			return nil, err
		}
	}
	pending, err := pendingNotices(tx, row.ID)
	if err != nil {
		return nil, err
	}
	t := &Turn{
		Info: row.Info, Seq: x.seq, From: x.origin, Prompt: x.prompt, MaxSteps: x.maxSteps, Attempt: x.attempt,
		Replay: BuildReplay(exchanges, s.o.MaxChars), Notes: notes,
		svc: s, o: o, gen: row.leaseGen, stop: make(chan struct{}), requests: x.requests, mark: x.mark, steps: x.steps,
		told: map[string]bool{}, missed: map[string]int{},
	}
	for _, n := range pending {
		if _, err := tx.Exec(`UPDATE notice SET told_in = $1 WHERE id = $2`, x.id, n.id); err != nil {
			return nil, err
		}
		t.told[n.id] = true
		t.Notices = append(t.Notices, n.text)
	}
	started, err := queueRows(tx, `WHERE q.turn_id = $1 AND q.turn_id <> '' ORDER BY q.n`, x.id)
	if err != nil {
		return nil, err
	}
	if t.Wakes, err = wakesOf(tx, started); err != nil {
		return nil, err
	}
	steps, err := stepsOf(tx, `turn_id = $1`, x.id)
	if err != nil {
		return nil, err
	}
	for _, p := range steps {
		t.CallIDs = append(t.CallIDs, p.call)
	}
	if x.attempt > 1 || x.checkpointStep > 0 {
		t.digest = digest(steps, x.draft, x.attempt > 1)
	}
	t.Env = o.Env
	t.Mode, t.mode = x.mode, x.mode
	t.Info.Run = x.run
	t.Origin = arc.Origin{Run: x.run, Seat: row.ID, Turn: x.id}
	t.Seat = &hold{t}
	return t, nil
}
