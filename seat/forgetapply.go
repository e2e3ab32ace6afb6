package seat

import (
	"errors"
	"slices"

	"github.com/arcseat/arc"
)

// isRefusal reports whether err is an answer, as opposed to trouble with the store.
func isRefusal(err error) bool {
	var e *arc.Error
	return errors.As(err, &e) && e.Code != StoreUnavailable && e.Err == nil
}

// windowAfter is the window as it would be, oldest first.
func windowAfter(before []arc.TurnID, newestFirst []string) []WindowAfter {
	list := []WindowAfter{}
	for _, id := range slices.Backward(newestFirst) {
		is := "entered"
		if slices.Contains(before, arc.TurnID(id)) {
			is = "stays"
		}
		list = append(list, WindowAfter{arc.TurnID(id), is})
	}
	return list
}

// dryRun is the plan for whoever asked.
func (p *forgetPlan) dryRun(row *seatRow, stays *Stays) *DryRun {
	d := &DryRun{
		HistoryRevision: row.Revision, WouldRefuse: []*arc.Error{},
		WouldSupersede: Superseded{p.turns, p.messages}, WindowAfter: p.after,
		WouldDropQueued: publicQueue(p.dropped), WouldKeepQueued: publicQueue(p.kept), WouldKeepSharedRequests: p.shared,
		WouldCancelWakes: p.wakes, WouldRearmWakes: p.rearmed, WouldWithdrawPlans: p.plans, WouldReopenRun: p.reopens, NotesWouldRevertTo: p.notesTo, Stays: stays, Complete: stays.Complete,
	}
	for _, err := range p.refusals {
		d.WouldRefuse = append(d.WouldRefuse, asError(err))
	}
	return d
}

// forgottenTurns are the turns of seat $1 that stand from number $2 on. With both
// values of excluded it walks the index of those that stand, and none of the others.
const forgottenTurns = `SELECT id FROM turn WHERE seat_id = $1 AND live = 1 AND excluded IN (0, 1) AND seq >= $2`

// apply does what was planned.
func (s *Service) apply(tx *Tx, row *seatRow, f *forgetting, p *forgetPlan, out *Forgotten) error {
	by := f.op.name()
	*out = Forgotten{
		Applied: true, HistoryRevision: row.Revision + 1, Superseded: Superseded{p.turns, p.messages},
		DroppedQueued: publicQueue(p.dropped), KeptQueued: publicQueue(p.kept), KeptSharedRequests: p.shared,
		CancelledWakes: p.wakes, RearmedWakes: p.rearmed, WithdrawnPlans: p.plans, ReopenedRun: p.reopens, NotesRevertedTo: p.notesTo,
	}
	seat, seq := row.ID, p.first.seq
	for _, q := range p.dropped {
		if _, err := tx.Exec(`UPDATE queue SET state = 'dropped' WHERE id = $1`, q.id); err != nil {
			return err
		}
	}
	for _, id := range p.wakes {
		if err := cancelWake(tx, id, "turn_forgotten"); err != nil {
			return err
		}
	}
	for _, statement := range []string{
		`UPDATE notes SET live = 0 WHERE seat_id = $1 AND turn_id IN (` + forgottenTurns + `)`,
		`UPDATE plan SET state = 'withdrawn' WHERE seat_id = $1 AND state = 'submitted' AND turn_id IN (` + forgottenTurns + `)`,
		// What a forgotten turn was told is told again; what is about one is not.
		`UPDATE notice SET done = 0, told_in = '' WHERE told_in <> '' AND told_in IN (` + forgottenTurns + `)`,
		`DELETE FROM notice WHERE seat_id = $1 AND done = 0 AND kind = 'edited' AND turn_id IN (` + forgottenTurns + `)`,
	} {
		if _, err := tx.Exec(statement, seat, seq); err != nil {
			return err
		}
	}
	if _, err := tx.Exec(`UPDATE turn SET live = 0, superseded_by = $1 WHERE seat_id = $2 AND live = 1 AND excluded IN (0, 1) AND seq >= $3`, by, seat, seq); err != nil {
		return err
	}
	if _, err := tx.Exec(`UPDATE seat SET history_revision = history_revision + 1, live_total = live_total - $1, excluded_total = excluded_total - $2 WHERE id = $3`,
		len(p.turns), p.excluded, seat); err != nil {
		return err
	}
	if err := s.supersede(tx, row.Room, p.first.id, p.messages, "superseded", by); err != nil {
		return err
	}
	if p.prompt != "" {
		q := p.replacement(seat, f)
		if err := s.enqueue(tx, q); err != nil {
			return err
		}
		out.Replacement = &Replacement{q.id, q.originID}
	}
	return s.reopen(tx, row, p)
}

// replacement is the turn to come. It goes before what was kept in the queue.
func (p *forgetPlan) replacement(seat arc.SeatID, f *forgetting) *queueRow {
	q := &queueRow{seat: seat, originID: p.origin, prompt: p.prompt, source: f.source, maxSteps: f.maxSteps, mode: p.first.mode}
	q.kind, q.origin = "rewind", FromRewind
	if f.retry() {
		q.kind, q.origin = "retry", FromRetry
		if p.first.origin == FromWake {
			q.origin = FromWake
		}
		if f.message == nil {
			q.source = p.first.source
		}
		if f.maxSteps == 0 {
			q.maxSteps = p.first.maxSteps
		}
	}
	if len(p.kept) > 0 {
		q.n = p.kept[0].n - 1
	}
	return q
}
