package seat

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/internal/page"
)

// A Wake is a reminder or a wait of a seat.
type Wake struct {
	ID      string        // as [Service.Wake] takes it
	Kind    string        // remind, wait
	Target  string        // of a wait: empty for a time, task:12, job:job_x
	Note    string        // to whom is woken
	ArmedBy arc.TurnID    // the turn
	Due     time.Time     // when it wakes; of a wait for a task or a job at the latest
	State   string        // armed, fired, cancelled, satisfied, skipped
	Outcome string        // of a wait that has ended: completed, failed, timed_out, lost, …
	Late    time.Duration // how long after Due it fired
}

// Limits of wakes.
const (
	// MaxArmed is how many wakes a seat may have armed.
	MaxArmed = 64
	// MaxNote is how long a wake's note may be, in characters.
	MaxNote = 1500
	// DefaultWaitTimeout is how long a wait for a task or a job lasts at most, where the
	// seat does not say.
	DefaultWaitTimeout = 24 * time.Hour
)

func taskTarget(id int64) string  { return fmt.Sprintf("task:%d", id) }
func jobTarget(job string) string { return "job:" + job }

type wakeRow struct {
	Wake
	seat           arc.SeatID
	run, call      string
	host           string // where it was armed
	afterUS, dueUS int64
}

const wakeColumns = `id, seat_id, run_id, turn_id, call_id, kind, target, note, after_us, due_us, state, outcome, late_us, host FROM wake `

func wakeRows(tx *Tx, where string, args ...any) ([]*wakeRow, error) {
	var list []*wakeRow
	err := tx.all(`SELECT `+wakeColumns+where, args, func(r *sql.Rows) error {
		x := &wakeRow{}
		var late int64
		list = append(list, x)
		err := r.Scan(&x.ID, &x.seat, &x.run, &x.ArmedBy, &x.call, &x.Kind, &x.Target, &x.Note, &x.afterUS, &x.dueUS, &x.State, &x.Outcome, &late, &x.host)
		x.Due, x.Late = fromMicros(x.dueUS), time.Duration(late)*time.Microsecond
		return err
	})
	return list, err
}

func wakeByID(tx *Tx, id string) (*wakeRow, error) {
	list, err := wakeRows(tx, `WHERE id = $1`, id)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return list[0], nil
}

// Wakes are what a seat is to be woken for, the next first.
func (s *Service) Wakes(ctx context.Context, seat arc.SeatID) ([]Wake, error) {
	var list []Wake
	err := s.store.View(ctx, func(tx *Tx) error {
		rows, err := wakeRows(tx, `WHERE seat_id = $1 AND state = 'armed' ORDER BY due_us, id`, seat)
		for _, x := range rows {
			list = append(list, x.Wake)
		}
		return err
	})
	return list, err
}

// wakesOf are the wakes that rows of the queue bring, in their order.
func wakesOf(tx *Tx, rows []*queueRow) ([]Wake, error) {
	var list []Wake
	for _, q := range rows {
		if q.wake == "" {
			continue
		}
		x, err := wakeByID(tx, q.wake)
		if err != nil {
			return nil, err
		}
		if x != nil {
			list = append(list, x.Wake)
		}
	}
	return list, nil
}

// wakePrompt says what a seat is woken for. It is never taken for the operator's.
func wakePrompt(wakes []Wake) string {
	var b strings.Builder
	for i, w := range wakes {
		if i > 0 {
			b.WriteString("\n\n")
		}
		if w.Kind == "remind" {
			fmt.Fprintf(&b, "[reminder %s] You set this in turn %s; it was due at %s", w.ID, w.ArmedBy, w.Due.Format(time.RFC3339))
			if late := w.Late.Round(time.Second); late > 0 {
				fmt.Fprintf(&b, " and comes %s late", late)
			}
			b.WriteString(".")
		} else {
			what := w.Target
			if what == "" {
				what = "the time"
			}
			fmt.Fprintf(&b, "[wait %s] What you waited for in turn %s has ended: %s, %s.", w.ID, w.ArmedBy, what, w.Outcome)
		}
		b.WriteString(" Your note: " + w.Note)
	}
	return b.String()
}

// arm sets a wake. Code: limit_reached.
func (s *Service) arm(tx *Tx, x *wakeRow) error {
	if x.Target != "" { // one wait for one target
		replaced, err := tx.texts(`UPDATE wake SET state = 'cancelled', outcome = 'replaced' WHERE seat_id = $1 AND target = $2 AND state = 'armed' RETURNING id`, x.seat, x.Target)
		if err != nil {
			return err
		}
		tx.ended = append(tx.ended, replaced...)
	}
	ids, err := tx.texts(`SELECT id FROM wake WHERE seat_id = $1 AND state = 'armed' ORDER BY due_us`, x.seat)
	if err != nil {
		return err
	}
	if len(ids) >= MaxArmed {
		return refuse(arc.LimitReached, detail{"limit": MaxArmed, "ids": ids[:8]}, "the seat has %d reminders and waits already; let some come first.", len(ids))
	}
	x.ID, x.State, x.Note = "wake_"+random(), "armed", storable(x.Note)
	x.dueUS = s.now(tx) + x.afterUS
	x.Due = fromMicros(x.dueUS)
	s.watch(tx, x)
	_, err = tx.Exec(`INSERT INTO wake (id, seat_id, run_id, turn_id, call_id, kind, target, note, after_us, due_us, host, state) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 'armed')`,
		x.ID, x.seat, x.run, x.ArmedBy, x.call, x.Kind, x.Target, x.Note, x.afterUS, x.dueUS, s.host)
	return err
}

// watch lets this service fire x by its own clock, which neither a step of the wall
// clock nor a sleeping machine misleads.
func (s *Service) watch(tx *Tx, x *wakeRow) {
	tx.armed = append(tx.armed, x.ID)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.timers.set(x.ID, s.clock.Elapsed()+time.Duration(x.afterUS)*time.Microsecond)
}

// fire queues the turn of an armed wake, once. It reports whether it was armed.
func (s *Service) fire(tx *Tx, x *wakeRow, outcome string, late time.Duration) (bool, error) {
	late = max(late, 0)
	tx.ended = append(tx.ended, x.ID)
	n, err := tx.Exec(`UPDATE wake SET state = 'fired', outcome = $1, fired_us = $2, late_us = $3 WHERE id = $4 AND state = 'armed'`,
		outcome, s.now(tx), late.Microseconds(), x.ID)
	if err != nil || n == 0 {
		return false, err
	}
	return true, s.enqueue(tx, &queueRow{seat: x.seat, originID: "wake:" + x.ID, kind: "wake", origin: FromWake, prompt: x.Note, wake: x.ID})
}

// satisfy fires the waits for target. A seat waits for its own jobs only; seat is
// empty for what everybody may wait for.
func (s *Service) satisfy(tx *Tx, seat arc.SeatID, target, outcome string) error {
	rows, err := wakeRows(tx, `WHERE target = $1 AND state = 'armed' AND ($2 = '' OR seat_id = $2)`, target, seat)
	if err != nil {
		return err
	}
	for _, x := range rows {
		if _, err := s.fire(tx, x, outcome, 0); err != nil {
			return err
		}
	}
	return nil
}

// Wake fires a wake whose time has come, for a host that drives timers by an engine
// of its own: it may be told of one wake any number of times. Before its time
// nothing happens, and remaining says how long that is. Code: not_found.
func (s *Service) Wake(ctx context.Context, id string) (remaining time.Duration, err error) {
	room, err := s.roomWith(ctx, `SELECT seat_id FROM wake WHERE id = $1`, id)
	if err != nil {
		return 0, err
	}
	err = s.update(ctx, room, func(tx *Tx) error {
		remaining = 0
		x, err := wakeByID(tx, id)
		if err != nil {
			return err
		}
		if x == nil {
			return notFound("wake", "there is no wake %q.", page.First(id, 80))
		}
		late := time.Duration(s.now(tx)-x.dueUS) * time.Microsecond
		if late < 0 {
			if x.State == "armed" {
				remaining = -late
			}
			return nil
		}
		return s.fireTimer(tx, x, late)
	})
	return remaining, err
}
