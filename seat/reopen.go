package seat

// planRun says which run goes on when the turn is forgotten that finished it, and which
// wakes come after all: those that its end had cancelled and that turns armed which
// stand. Where the room has moved on to a later run, none does.
func planRun(tx *Tx, row *seatRow, p *forgetPlan) error {
	seq := p.first.seq
	runs, err := tx.texts(`SELECT r.id FROM run r JOIN turn t ON t.run_id = r.id WHERE t.seat_id = $1 AND t.seq >= $2 AND t.live = 1 AND t.status = 'finished' ORDER BY r.n`, row.ID, seq)
	if err != nil || len(runs) == 0 {
		return err
	}
	var later int64
	if _, err := tx.one(`SELECT COUNT(*) FROM turn t JOIN run r ON r.id = t.run_id WHERE r.room_id = $1 AND r.n > (SELECT n FROM run WHERE id = $2)
		AND (t.live = 1 OR t.status = 'running') AND NOT (t.seat_id = $3 AND t.seq >= $4)`, []any{row.Room, runs[0], row.ID, seq}, &later); err != nil || later > 0 {
		return err
	}
	p.reopens = runs[0]
	rearmed, err := tx.texts(`SELECT w.id FROM wake w JOIN turn t ON t.id = w.turn_id WHERE w.run_id = $1 AND w.outcome = 'run_finished' AND w.state = 'cancelled'
		AND t.live = 1 AND NOT (t.seat_id = $2 AND t.seq >= $3) ORDER BY w.due_us, w.id`, runs[0], row.ID, seq)
	p.rearmed = append(p.rearmed, rearmed...)
	return err
}

// reopen lets the planned run go on, with the wakes that were still to come in it. A
// task that has ended meanwhile wakes who waited for it; for a job the next poll does.
func (s *Service) reopen(tx *Tx, row *seatRow, p *forgetPlan) error {
	if p.reopens == "" {
		return nil
	}
	if _, err := tx.Exec(`UPDATE run SET finished = 0 WHERE id = $1`, p.reopens); err != nil {
		return err
	}
	if _, err := tx.Exec(`UPDATE room SET run_id = $1 WHERE id = $2`, p.reopens, row.Room); err != nil {
		return err
	}
	for _, id := range p.rearmed {
		if _, err := tx.Exec(`UPDATE wake SET state = 'armed', outcome = '', fired_us = 0, late_us = 0 WHERE id = $1`, id); err != nil {
			return err
		}
		x, err := wakeByID(tx, id)
		if err != nil {
			return err
		}
		task, ok := taskOf(x.Target)
		if !ok {
			continue
		}
		outcome, ended, err := taskOutcome(tx, task)
		if err != nil {
			return err
		}
		if ended {
			if _, err := s.fire(tx, x, outcome, 0); err != nil {
				return err
			}
		}
	}
	return nil
}
