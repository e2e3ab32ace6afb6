package seat

import (
	"context"

	"github.com/arcseat/arc/internal/page"
)

// A write is what the verbs have in common that change one turn.
type write struct {
	ref      Ref
	verb     string
	args     string // canonical
	request  string
	expected *int64 // the revision that the caller has read
	turn     string
}

// change makes a write in one transaction: it checks what all verbs do, in their order,
// lets fn act, and keeps the answer that fn has put into out. again says that the answer
// is the one of a write that was made before. Codes: not_found, forbidden,
// invalid_arguments, request_id_conflict, revision_mismatch, turn_not_committed,
// turn_superseded, and those of a Ref.
func change[R any](ctx context.Context, s *Service, op Operator, w write, fn func(*Tx, *seatRow, *turnRow, *R) error) (out *R, again bool, err error) {
	err = s.update(ctx, w.ref.room(), func(tx *Tx) error {
		out = new(R) // of an attempt that was lost nothing is left
		row, err := op.find(tx, w.ref)
		if err != nil {
			return err
		}
		if again, err = replayed(tx, row, w.request, w.verb, w.args, out); err != nil || again {
			return err
		}
		if err := checkRevision(row, w.expected); err != nil {
			return err
		}
		x, err := committed(tx, row, w.turn)
		if err != nil {
			return err
		}
		if err := fn(tx, row, x, out); err != nil {
			return err
		}
		return s.remember(tx, row, w.request, w.verb, w.args, out)
	})
	return out, again, err
}

// checkRevision is the caller's compare-and-swap.
func checkRevision(row *seatRow, expected *int64) error {
	if expected == nil || *expected == row.Revision {
		return nil
	}
	return refuse(RevisionMismatch, detail{"current": row.Revision}, "the history has changed since revision %d; read the context again, then decide.", *expected)
}

// committed finds a turn that can still be changed. One that is running it also returns,
// beside the refusal. Codes: not_found, turn_not_committed, turn_superseded.
func committed(tx *Tx, row *seatRow, id string) (*turnRow, error) {
	list, err := turnRows(tx, `WHERE seat_id = $1 AND id = $2`, row.ID, id)
	switch {
	case err != nil:
		return nil, err
	case len(list) == 0:
		return nil, notFound("turn", "this seat has no turn %q; take one from its context.", page.First(id, 80))
	case list[0].status == StatusRunning:
		return list[0], refuse(TurnNotCommitted, nil, "the turn is still running; wait until it has ended, or stop it.")
	case !list[0].live:
		return nil, refuse(TurnSuperseded, nil, "the turn was forgotten; nothing of it can be changed any more.")
	}
	return list[0], nil
}
