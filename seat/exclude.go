package seat

import (
	"context"
	"slices"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/tools"
)

// ExcludeArgs are the arguments of Exclude.
type ExcludeArgs struct {
	_ tools.Strict
	Ref
	TurnID           string `json:"turn_id" jsonschema_description:"A committed turn"`
	Excluded         *bool  `json:"excluded,omitempty" jsonschema_description:"true (default) to exclude, false to restore"`
	ExpectedRevision *int64 `json:"expected_history_revision,omitempty" jsonschema_description:"history_revision that you read; refused if it has changed"`
	RequestID        string `json:"request_id,omitempty" jsonschema_description:"Idempotency key: retry a timed-out write with the same id"`
}

// Exclusion is what Exclude has done.
type Exclusion struct {
	HistoryRevision int64        `json:"history_revision"` // after it
	TurnID          arc.TurnID   `json:"turn_id"`          // whose exchange it is
	Excluded        bool         `json:"excluded"`         // how it is now
	Changed         bool         `json:"changed"`          // false: it was so already
	Entered         []arc.TurnID `json:"entered"`          // came into the window
	Left            []arc.TurnID `json:"left"`             // the exchanges that left the window
	Window          []arc.TurnID `json:"window"`           // oldest first
	Notes           []string     `json:"notes,omitempty"`  // beyond_window: restored, and too old to be replayed all the same
	Replayed        bool         `json:"replayed"`         // the request had been done before, and this is its answer
}

// beyondWindow is the note that a restored exchange stands beyond the window.
const beyondWindow = "beyond_window"

// Exclude takes an exchange out of what is replayed, or puts it back at its old
// place. The room stays as it is. One that is restored beyond the window stays
// unreplayed, and the notes say so. Codes: invalid_arguments, not_found, forbidden,
// request_id_conflict, revision_mismatch, turn_not_committed, turn_superseded, and
// those of a Ref.
func (s *Service) Exclude(ctx context.Context, op Operator, a ExcludeArgs) (*Exclusion, error) {
	if err := checkRequestID(a.RequestID); err != nil {
		return nil, err
	}
	if a.Excluded == nil {
		a.Excluded = new(true)
	}
	w := write{ref: a.Ref, verb: ExcludeTool, args: canonical(a), request: a.RequestID, expected: a.ExpectedRevision, turn: a.TurnID}
	out, again, err := change(ctx, s, op, w, func(tx *Tx, row *seatRow, x *turnRow, out *Exclusion) error {
		before, err := windowIDs(tx, row.ID)
		if err != nil {
			return err
		}
		*out = Exclusion{HistoryRevision: row.Revision, TurnID: x.id, Excluded: *a.Excluded, Changed: x.excluded != *a.Excluded}
		if out.Changed {
			by := 2*truth(*a.Excluded) - 1
			if _, err := tx.Exec(`UPDATE turn SET excluded = $1 WHERE id = $2`, truth(*a.Excluded), x.id); err != nil {
				return err
			}
			if _, err := tx.Exec(`UPDATE seat SET history_revision = history_revision + 1, excluded_total = excluded_total + $1 WHERE id = $2`, by, row.ID); err != nil {
				return err
			}
			out.HistoryRevision++
		}
		if out.Window, err = windowIDs(tx, row.ID); err != nil {
			return err
		}
		out.Entered, out.Left = without(out.Window, before), without(before, out.Window)
		if !*a.Excluded && !slices.Contains(out.Window, x.id) {
			out.Notes = []string{beyondWindow}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	out.Replayed = again
	return out, nil
}

// windowIDs are the turns in the window, oldest first.
func windowIDs(tx *Tx, seat arc.SeatID) ([]arc.TurnID, error) {
	list, err := tx.texts(`SELECT id FROM turn WHERE seat_id = $1 AND live = 1 AND excluded = 0 ORDER BY seq DESC LIMIT $2`, seat, Window)
	ids := make([]arc.TurnID, 0, len(list))
	for _, id := range slices.Backward(list) {
		ids = append(ids, arc.TurnID(id))
	}
	return ids, err
}

// without are those of list that other has not.
func without(list, other []arc.TurnID) []arc.TurnID {
	out := []arc.TurnID{}
	for _, id := range list {
		if !slices.Contains(other, id) {
			out = append(out, id)
		}
	}
	return out
}
