package seat

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"
)

// due are the wakes whose time has come, for one look: what this service armed by its own
// clock; what others armed, before a restart for one, by the wall clock, or by that of the
// server which they share.
type due struct {
	s       *Service
	elapsed time.Duration
	own     map[string]time.Duration // how late each is that this service armed
	rows    map[string][]lateWake    // by what is changed in one transaction: a room, or all
	sleep   time.Duration            // until the next
}

type lateWake struct {
	id    string
	late  time.Duration
	dueUS int64
}

// due takes this service's own. Whoever takes them fires them, or puts them back.
func (s *Service) due(sleep time.Duration) *due {
	d := &due{s: s, elapsed: s.clock.Elapsed(), rows: map[string][]lateWake{}}
	s.mu.Lock()
	defer s.mu.Unlock()
	d.own, d.sleep = s.timers.take(d.elapsed, sleep)
	return d
}

// putBack keeps what this service armed for the next look: it is due still.
func (d *due) putBack() {
	d.s.mu.Lock()
	defer d.s.mu.Unlock()
	for id, late := range d.own {
		d.s.timers.set(id, d.elapsed-late)
	}
}

// find completes d with what is due by the wall clock.
func (d *due) find(tx *Tx) error {
	s, now := d.s, d.s.now(tx)
	rows, err := wakeRows(tx, `WHERE state = 'armed' AND due_us <= $1 ORDER BY due_us, id LIMIT 1000`, now+d.sleep.Microseconds())
	if err != nil {
		return err
	}
	found := map[string]bool{}
	s.mu.Lock()
	for _, x := range rows {
		ownLate, own := d.own[x.ID]
		switch late := time.Duration(now-x.dueUS) * time.Microsecond; {
		case own:
			d.add(x, ownLate)
			found[x.ID] = true
		case s.timers.has(x.ID):
		case late >= 0:
			d.add(x, late)
		default:
			d.sleep = min(d.sleep, -late)
		}
	}
	s.mu.Unlock()
	for id, late := range d.own {
		if found[id] {
			continue
		}
		x, err := wakeByID(tx, id)
		if err != nil {
			return err
		}
		if x != nil {
			d.add(x, late)
		}
	}
	return nil
}

func (d *due) add(x *wakeRow, late time.Duration) {
	room := ""
	if d.s.rooms != nil {
		room = roomOf(x.seat)
	}
	d.rows[room] = append(d.rows[room], lateWake{x.ID, late, x.dueUS})
}

// fire queues what is due. What comes together in a room comes in one transaction, so that
// one turn delivers it. Rooms that somebody changes this very moment are left for the next
// look: one whose host is frozen holds up no other.
func (d *due) fire(ctx context.Context) (some, held bool, err error) {
	for _, room := range slices.Sorted(maps.Keys(d.rows)) {
		list := d.rows[room]
		slices.SortFunc(list, func(a, b lateWake) int { return cmp.Or(cmp.Compare(a.dueUS, b.dueUS), cmp.Compare(a.id, b.id)) })
		taken, err := d.s.transact(ctx, room, skip, func(tx *Tx) error {
			for _, w := range list {
				x, err := wakeByID(tx, w.id)
				if err != nil {
					return err
				}
				if err := d.s.fireTimer(tx, x, w.late); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return some, held, err
		}
		if taken {
			held = true
			continue
		}
		some = true
		d.s.tell()
		for _, w := range list {
			delete(d.own, w.id)
		}
	}
	return some, held, nil
}

// fireTimer fires x because its time has come, or skips it if that is too long ago.
func (s *Service) fireTimer(tx *Tx, x *wakeRow, late time.Duration) error {
	outcome := "due"
	if x.Target != "" {
		outcome = "timed_out"
	}
	if s.o.MaxLate > 0 && late > s.o.MaxLate && x.Kind == "remind" {
		tx.ended = append(tx.ended, x.ID)
		n, err := tx.Exec(`UPDATE wake SET state = 'skipped', fired_us = $1, late_us = $2 WHERE id = $3 AND state = 'armed'`, s.now(tx), late.Microseconds(), x.ID)
		if err == nil && n > 0 {
			s.log.Warn("a reminder is too late and was skipped", "seat", x.seat, "wake", x.ID, "late", late)
		}
		return err
	}
	_, err := s.fire(tx, x, outcome, late)
	return err
}
