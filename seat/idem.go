package seat

import (
	"encoding/json"
	"strings"
	"time"
)

// How long the answers of writes are kept for those that ask again.
const (
	keepRequests = 30 * 24 * time.Hour
	maxRequests  = 10_000
	keepAtLeast  = 24 * time.Hour
)

// replayed finds the answer of the write that id belongs to and puts it into out.
// The same id with another verb or other arguments is request_id_conflict.
func replayed(tx *Tx, row *seatRow, id, verb, args string, out any) (bool, error) {
	if id == "" {
		return false, nil
	}
	var wasVerb, wasArgs, response string
	found, err := tx.one(`SELECT verb, args, response FROM idem WHERE seat_id = $1 AND request_id = $2`, []any{row.ID, id}, &wasVerb, &wasArgs, &response)
	if err != nil || !found {
		return false, err
	}
	if wasVerb != verb || wasArgs != hash(args) {
		return false, refuse(RequestIDConflict, detail{"verb": wasVerb}, "this request_id belongs to another %s; give a new one for a new write.", wasVerb)
	}
	return true, json.Unmarshal([]byte(response), out)
}

// remember keeps the answer of a write, and lets old ones go.
func (s *Service) remember(tx *Tx, row *seatRow, id, verb, args string, out any) error {
	if id == "" {
		return nil
	}
	b, err := json.Marshal(out)
	if err != nil {
		return err
	}
	now := s.now(tx)
	if _, err := tx.Exec(`INSERT INTO idem (seat_id, request_id, verb, args, response, at_us) VALUES ($1, $2, $3, $4, $5, $6)`,
		row.ID, id, verb, hash(args), string(b), now); err != nil {
		return err
	}
	if _, err := tx.Exec(`DELETE FROM idem WHERE seat_id = $1 AND at_us < $2`, row.ID, now-keepRequests.Microseconds()); err != nil {
		return err
	}
	// Counting is not for each time. The revision is no measure of it: writes that
	// change nothing leave it, and others may miss every round one.
	if !strings.HasPrefix(hash(id), "00") {
		return nil
	}
	_, err = tx.Exec(`DELETE FROM idem WHERE seat_id = $1 AND at_us < $2 AND at_us <
		COALESCE((SELECT at_us FROM idem WHERE seat_id = $1 ORDER BY at_us DESC LIMIT 1 OFFSET $3), 0)`,
		row.ID, now-keepAtLeast.Microseconds(), maxRequests)
	return err
}

func checkRequestID(id string) error {
	if why := keyFault(id); why != "" {
		return invalid("request_id", "request_id %s.", why)
	}
	return nil
}
