package seat

import (
	"cmp"
	"context"
	"slices"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/internal/page"
	"github.com/arcseat/arc/tools"
)

// StatusArgs are the arguments of Status.
type StatusArgs struct {
	_ tools.Strict
	Ref
	Before string `json:"before,omitempty" jsonschema_description:"turn_id: list the turns before this one"`
	Limit  int    `json:"limit,omitempty" check:"minimum=1" jsonschema_description:"Most turns to list, 20 if left out, at most 100"`
}

// A Status is what a seat is in, what is to come, and a page of its turns.
type Status struct {
	Seat            Ref           `json:"seat"`                   // which seat it is
	HistoryRevision int64         `json:"history_revision"`       // counts the changes of the history
	LastTurnID      arc.TurnID    `json:"last_turn_id,omitempty"` // the last committed turn; empty: none
	RunFinished     bool          `json:"run_finished"`           // the room's run has finished
	Busy            *BusyState    `json:"busy"`                   // nil: it is in no turn
	Queued          []Queued      `json:"queued"`                 // turns that wait, in order, the first 50
	QueuedTotal     int64         `json:"queued_total"`           // all that wait
	PendingWakes    []PendingWake `json:"pending_wakes"`          // that are armed
	LiveTotal       int64         `json:"live_total"`             // exchanges that stand
	ExcludedTotal   int64         `json:"excluded_total"`         // of those, excluded by an operator
	Turns           []TurnLine    `json:"turns"`                  // newest first
	Limit           int           `json:"limit,omitempty"`        // the limit in force, if a larger one was asked for
	Next            *arc.Next     `json:"-"`                      // lists older turns; nil: there are none
}

// A TurnLine is a turn in a list.
type TurnLine struct {
	TurnID arc.TurnID `json:"turn_id"` // as the verbs take it
	Seq    int64      `json:"seq"`     // counts the seat's turns from 1
	State  string     `json:"state"`   // the turn's status; excluded; superseded
	Head   string     `json:"head"`    // of its prompt; empty once superseded
}

// Status tells how a seat stands. Older turns are paged with Before. Codes:
// invalid_arguments, not_found, forbidden, and those of a Ref.
func (s *Service) Status(ctx context.Context, op Operator, a StatusArgs) (*Status, error) {
	st := &Status{Turns: []TurnLine{}}
	limit := a.Limit
	switch {
	case limit < 0:
		return nil, invalid("limit", "limit is 1 or more.")
	case limit == 0:
		limit = 20
	case limit > 100:
		limit, st.Limit = 100, 100
	}
	err := s.store.View(ctx, func(tx *Tx) error {
		row, err := op.find(tx, a.Ref)
		if err != nil {
			return err
		}
		var c Context
		if err := s.surroundings(tx, row, &c); err != nil {
			return err
		}
		st.Seat, st.HistoryRevision, st.LastTurnID, st.RunFinished = row.ref(), row.Revision, c.LastTurnID, row.Finished
		st.Busy, st.Queued, st.QueuedTotal, st.PendingWakes = c.Busy, c.Queued, c.QueuedTotal, c.PendingWakes
		st.LiveTotal, st.ExcludedTotal = row.live, row.excluded
		before := int64(1) << 62
		if a.Before != "" {
			list, err := turnRows(tx, `WHERE seat_id = $1 AND id = $2`, row.ID, a.Before)
			if err != nil {
				return err
			}
			if len(list) == 0 {
				return notFound("turn", "this seat has no turn %q; leave before out to begin with the newest.", page.First(a.Before, 80))
			}
			before = list[0].seq
		}
		rows, err := headRows(tx, `WHERE seat_id = $1 AND seq < $2 ORDER BY seq DESC LIMIT $3`, row.ID, before, limit+1)
		if err != nil {
			return err
		}
		for i, x := range rows {
			if i == limit {
				st.Next = &arc.Next{Tool: StatusTool, Arguments: StatusArgs{Ref: a.Ref, Before: string(rows[i-1].id), Limit: limit}}
				break
			}
			state, shown := x.status, page.First(x.prompt, 80)
			switch {
			case x.status == StatusRunning:
			case !x.live:
				state, shown = "superseded", "" // a stub, here too
			case x.excluded:
				state = Excluded
			}
			st.Turns = append(st.Turns, TurnLine{x.id, x.seq, state, shown})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return st, nil
}

func sortEntries(list []ContextEntry) {
	slices.SortFunc(list, func(a, b ContextEntry) int { return cmp.Compare(a.Seq, b.Seq) })
}
