package seat

import (
	"context"
	"database/sql"
	"fmt"
	"slices"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/internal/page"
)

// Kinds of notices.
const (
	noticeEdited = "edited"
	noticeJob    = "job"
)

type noticeRow struct {
	id, kind, text string
	turn           arc.TurnID // that it is about
}

// pendingNotices are what the seat has not been told, or has been told by a turn
// that did not stand. A notice of an edited reply waits until the reply is in the
// window: only there can the seat see it. The text of those is made anew, as one.
func pendingNotices(tx *Tx, seat arc.SeatID) ([]noticeRow, error) {
	var list []noticeRow
	err := tx.all(`SELECT id, kind, turn_id, text FROM notice WHERE seat_id = $1 AND done = 0
		AND (kind <> 'edited' OR turn_id IN (SELECT id FROM turn WHERE seat_id = $1 AND live = 1 AND excluded = 0 ORDER BY seq DESC LIMIT $2))
		ORDER BY n LIMIT 100`, []any{seat, Window}, func(r *sql.Rows) error {
		var n noticeRow
		err := r.Scan(&n.id, &n.kind, &n.turn, &n.text)
		list = append(list, n)
		return err
	})
	return list, err
}

// addNotice adds a notice; an empty id is made up.
func (s *Service) addNotice(tx *Tx, id string, seat arc.SeatID, kind string, turn arc.TurnID, text string) error {
	n, err := nextOrder(tx)
	if err != nil {
		return err
	}
	if id == "" {
		id = "n_" + random()
	}
	_, err = tx.Exec(`INSERT INTO notice (id, seat_id, n, kind, turn_id, text, at_us) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		id, seat, n, kind, turn, storable(text), s.now(tx))
	return err
}

func editedNotice(turn arc.TurnID, seq int64) string {
	return fmt.Sprintf("The operator rewrote your reply in turn %s (number %d). The text above is authoritative: it is what was said.", turn, seq)
}

// newNotices are those that came while the turn ran. They count as told by it once the
// transaction stands.
func (t *Turn) newNotices(tx *Tx, x *turnRow) ([]noticeRow, error) {
	pending, err := pendingNotices(tx, x.seat)
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	fresh := slices.DeleteFunc(pending, func(n noticeRow) bool {
		return t.told[n.id] || n.kind != noticeJob // what the window holds was fixed when the turn began
	})
	t.mu.Unlock()
	for _, n := range fresh {
		if _, err := tx.Exec(`UPDATE notice SET told_in = $1 WHERE id = $2`, x.id, n.id); err != nil {
			return nil, err
		}
	}
	return fresh, nil
}

// tell is the texts of notices, which the turn has been told from now on.
func (t *Turn) tell(notices []noticeRow) []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var texts []string
	for _, n := range notices {
		t.told[n.id] = true
		texts = append(texts, n.text)
	}
	return texts
}

// Notify tells a seat that its background job has ended. The notice is posted in the
// room; a running turn sees it with its next result, an idle seat at its next turn;
// only a wait for the job is woken by it. A job ends once: a second notice of it, as a
// host that was killed may leave one to the next, is dropped. Code: not_found.
func (s *Service) Notify(ctx context.Context, seat arc.SeatID, job, status, text string) error {
	return s.update(ctx, roomOf(seat), func(tx *Tx) error {
		row, err := seatByID(tx, seat)
		if err != nil {
			return err
		}
		if row == nil {
			return notFound("seat", "there is no seat %q.", page.First(string(seat), 80))
		}
		once := "n_" + string(seat) + "/" + job
		var told string
		if found, err := tx.one(`SELECT id FROM notice WHERE id = $1`, []any{once}, &told); err != nil || found {
			return err
		}
		if _, err := s.post(tx, Message{Room: row.Room, Author: "host", Kind: "notice", Text: text, Meta: map[string]string{"job_id": job, "status": status}}); err != nil {
			return err
		}
		if err := s.addNotice(tx, once, seat, noticeJob, "", text); err != nil {
			return err
		}
		return s.satisfy(tx, seat, jobTarget(job), status)
	})
}
