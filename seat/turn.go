package seat

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"sync"

	"github.com/arcseat/arc"
)

// A Turn is what a Handler runs: a prompt, what the seat remembers, and its hold on
// the seat. Its Seat is what the turn-control tools act on. A handler may complete
// Env before it opens its session.
type Turn struct {
	arc.Turn
	Info     Info
	Seq      int64
	From     string // operator, wake, retry, rewind
	Prompt   string
	Replay   []Entry
	Notes    string   // what the seat noted last
	Notices  []string // what it is told once: edited replies, ended jobs
	Wakes    []Wake   // what it is woken for
	MaxSteps int
	Attempt  int // 2: the turn was interrupted and is resumed

	// CallIDs are those that the turn used before it was interrupted. Reserve them
	// in the session.
	CallIDs []string

	digest string // of what was done before the last checkpoint or the interruption
	svc    *Service
	o      *RunOptions
	gen    int64
	stop   chan struct{} // closed by Stop

	stopOnce sync.Once

	mu       sync.Mutex
	requests int             // to the model, made so far
	mark     int             // requests at the last checkpoint
	compact  bool            // the host wants a checkpoint
	steps    int64           // calls begun
	unsaved  []endedStep     // ends that the store did not take
	told     map[string]bool // notices shown within the turn
	missed   map[string]int  // sets of missing gates: how often each was answered
}

// Said is one message to a model.
type Said struct {
	Role string // user, assistant
	Text string
}

// Messages are the turn for a model, in order: each exchange that it remembers, and
// the prompt with what belongs to it. They are the same for each call until a
// checkpoint is made; what the model and its tools said since is the handler's.
func (t *Turn) Messages() []Said {
	t.mu.Lock()
	defer t.mu.Unlock()
	var list []Said
	for _, e := range t.Replay {
		list = append(list, Said{"user", e.Prompt.String()}, Said{"assistant", e.Reply.String()})
	}
	var b strings.Builder
	for _, n := range t.Notices {
		fmt.Fprintf(&b, "[notice] %s\n\n", n)
	}
	if t.Notes != "" {
		fmt.Fprintf(&b, "[your saved notes]\n%s\n[end of notes]\n\n", t.Notes)
	}
	if t.digest != "" {
		fmt.Fprintf(&b, "%s\n\n", t.digest)
	}
	b.WriteString(t.Prompt)
	return append(list, Said{"user", b.String()})
}

// turnRow is a row of the turn log.
type turnRow struct {
	id             arc.TurnID
	seat           arc.SeatID
	run            string
	seq            int64
	status         string // running, or how it ended
	live, excluded bool
	origin         string
	mode           arc.Mode
	prompt         string
	reply          string
	replyVersion   int64
	editedBy       string
	source         int64
	replyMessage   int64
	maxSteps       int
	attempt        int
	ended          string // by a tool: finished, waiting, planned, answered
	endText        string
	draft          string
	requests       int
	mark           int
	checkpointStep int64
	steps          int64
	committedUS    int64
	startedUS      int64
	promptSHA      string
	replySHA       string

	promptChars, replyChars int // where the texts are heads
}

const turnColumns = `id, seat_id, run_id, seq, status, live, excluded, origin, mode, prompt, reply, reply_version, edited_by, source_message_id,
	reply_message_id, max_steps, attempt, ended, end_text, draft, requests, checkpoint_request, checkpoint_step, steps, committed_us, started_us, prompt_sha, reply_sha FROM turn `

func turnRows(tx *Tx, where string, args ...any) ([]*turnRow, error) {
	var list []*turnRow
	err := tx.all(`SELECT `+turnColumns+where, args, func(r *sql.Rows) error {
		x := &turnRow{}
		list = append(list, x)
		return r.Scan(&x.id, &x.seat, &x.run, &x.seq, &x.status, &x.live, &x.excluded, &x.origin, &x.mode, &x.prompt, &x.reply, &x.replyVersion, &x.editedBy, &x.source,
			&x.replyMessage, &x.maxSteps, &x.attempt, &x.ended, &x.endText, &x.draft, &x.requests, &x.mark, &x.checkpointStep, &x.steps, &x.committedUS, &x.startedUS, &x.promptSHA, &x.replySHA)
	})
	return list, err
}

// turnByID is nil where the seat has no such turn.
func turnByID(tx *Tx, seat arc.SeatID, id arc.TurnID) (*turnRow, error) {
	list, err := turnRows(tx, `WHERE seat_id = $1 AND id = $2`, seat, id)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return list[0], nil
}

// window is the seat's memory as exchanges, newest first: what BuildReplay is given,
// by a turn that begins and by everybody who asks what it will be given.
func window(tx *Tx, seat arc.SeatID) ([]Exchange, []*turnRow, error) {
	rows, err := turnRows(tx, `WHERE seat_id = $1 AND live = 1 AND excluded = 0 ORDER BY seq DESC LIMIT $2`, seat, Window)
	if err != nil {
		return nil, nil, err
	}
	var list []Exchange
	for _, x := range rows {
		list = append(list, Exchange{Turn: x.id, Seq: x.seq, Prompt: x.prompt, Reply: x.reply, Ended: x.status})
	}
	return list, rows, nil
}

// leased reports whether the seat's turn is in somebody's hands.
func (s *Service) leased(x *seatRow) bool {
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
	return x.leaseUntilUS > s.nowMicros()
}

// claim begins the seat's next turn, or resumes the one that was interrupted. Without
// a turn there is none, or, where elsewhere is true, another service has it.
func (s *Service) claim(ctx context.Context, id arc.SeatID, o *RunOptions) (t *Turn, elsewhere bool, err error) {
	err = s.store.Update(ctx, func(tx *Tx) error {
		row, err := seatByID(tx, id)
		if err != nil || row == nil {
			return err
		}
		if s.leased(row) {
			elsewhere = true
			return nil
		}
		x, err := s.interrupted(tx, row)
		if err != nil {
			return err
		}
		if x == nil && row.leaseTurn == "" {
			x, err = s.begin(tx, row)
		}
		if err != nil || x == nil {
			return err
		}
		row.leaseGen++
		if _, err := tx.Exec(`UPDATE seat SET lease_turn = $1, lease_owner = $2, lease_gen = $3, lease_until_us = $4 WHERE id = $5`,
			x.id, s.owner, row.leaseGen, s.leaseEnd(), id); err != nil {
			return err
		}
		if t, err = s.open(tx, row, x, o); err != nil {
			t = nil
			return err
		}
		s.setActive(id, t)
		return nil
	})
	if err != nil && t != nil {
		s.setActive(id, nil)
		t = nil
	}
	return t, elsewhere, err
}

// setActive says which turn of a seat this service runs; nil for none.
func (s *Service) setActive(id arc.SeatID, t *Turn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t == nil {
		delete(s.active, id)
	} else {
		s.active[id] = t
	}
}

func (s *Service) leaseEnd() int64 { return micros(s.clock.Now().Add(s.o.Lease)) }

// interrupted is the turn that its handler left without a word, to be resumed. One
// that a tool had ended is committed as that; one that was resumed already has
// failed.
func (s *Service) interrupted(tx *Tx, row *seatRow) (*turnRow, error) {
	if row.leaseTurn == "" {
		return nil, nil
	}
	x, err := turnByID(tx, row.ID, row.leaseTurn)
	if err != nil || x == nil {
		return nil, err
	}
	switch {
	case x.ended != "":
		err = s.commit(tx, row.committing())
	case x.attempt > 1:
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
	x := &turnRow{
		id: arc.TurnID("turn_" + random()), seat: row.ID, run: row.Run, seq: row.turns + 1, status: StatusRunning,
		origin: first.origin, mode: first.mode, prompt: first.prompt, source: first.source, maxSteps: first.maxSteps, attempt: 1, startedUS: s.nowMicros(),
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
		t.digest = digest(steps, x.attempt > 1)
	}
	t.Env = o.Env
	t.Mode = x.mode
	t.Origin = arc.Origin{Run: row.Run, Seat: row.ID, Turn: x.id}
	t.Seat = &hold{t}
	return t, nil
}

// held runs fn in a transaction of the turn, and refuses if the turn is no longer
// its handler's. It renews the lease. Code: lease_lost.
func (t *Turn) held(ctx context.Context, fn func(*Tx, *turnRow) error) error {
	ends := t.endsToSave()
	err := t.svc.store.Update(ctx, func(tx *Tx) error {
		n, err := tx.Exec(`UPDATE seat SET lease_until_us = $1 WHERE id = $2 AND lease_turn = $3 AND lease_gen = $4`,
			t.svc.leaseEnd(), t.Origin.Seat, t.Origin.Turn, t.gen)
		if err != nil {
			return err
		}
		if n == 0 {
			return leaseLost()
		}
		x, err := turnByID(tx, t.Origin.Seat, t.Origin.Turn)
		if err != nil {
			return err
		}
		if err := saveEnds(tx, x.id, ends); err != nil {
			return err
		}
		return fn(tx, x)
	})
	if err == nil {
		t.endsSaved(ends)
	}
	return err
}
