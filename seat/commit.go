package seat

import (
	"github.com/arcseat/arc"
)

// How a turn stands, or ended.
const (
	StatusRunning   = "running"
	StatusCompleted = "completed" // with an answer
	StatusWaiting   = "waiting"   // for a time, a task or a job: it is not done
	StatusFinished  = "finished"  // and the run with it
	StatusPlanned   = "planned"
	StatusAnswered  = "answered"
	StatusFailed    = "failed" // its handler failed, was stopped, or crashed twice
)

// commit ends a turn with a reply and lets go of the seat. The exchange is memory
// from now on.
func (s *Service) commit(tx *Tx, row *seatRow, x *turnRow, status, reply string) error {
	if x.mode == arc.Planning && status == StatusCompleted {
		status = StatusAnswered // text alone is an answer
	}
	message := int64(0)
	if reply != "" {
		meta := map[string]string{"turn_id": string(x.id), "status": status}
		var err error
		message, err = s.post(tx, Message{Room: row.Room, Run: x.run, Author: row.Agent, Seat: row.ID, Kind: "reply", Text: reply, Meta: meta})
		if err != nil {
			return err
		}
	}
	if _, err := tx.Exec(`UPDATE turn SET status = $1, live = 1, reply = $2, reply_sha = $3, reply_message_id = $4, committed_us = $5, draft = '' WHERE id = $6`,
		status, reply, hash(reply), message, s.nowMicros(), x.id); err != nil {
		return err
	}
	if _, err := tx.Exec(`UPDATE notice SET done = 1 WHERE told_in = $1`, x.id); err != nil {
		return err
	}
	_, err := tx.Exec(`UPDATE seat SET history_revision = history_revision + 1, live_total = live_total + 1,
		lease_turn = '', lease_owner = '', lease_until_us = 0 WHERE id = $1`, row.ID)
	return err
}
