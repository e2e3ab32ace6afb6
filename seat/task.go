package seat

import (
	"context"
	"database/sql"
	"slices"
	"strings"

	"github.com/arcseat/arc"
)

// States of a task.
const (
	TaskOpen      = "open"
	TaskDone      = "done"
	TaskCancelled = "cancelled"
)

// AddTask posts a task in a room: a message of its own, whose id is the task's.
// Text, Parent, Author and Assignee (a membership; empty: nobody's) are taken from
// m. A task with parts is done when all its parts have ended. Codes: not_found,
// invalid_arguments.
func (s *Service) AddTask(ctx context.Context, m Message) (int64, error) {
	var id int64
	err := s.update(ctx, m.Room, func(tx *Tx) (err error) {
		id, err = s.addTask(tx, m)
		return err
	})
	return id, err
}

func (s *Service) addTask(tx *Tx, m Message) (int64, error) {
	if err := checkName("an author", m.Author); err != nil {
		return 0, err
	}
	if err := checkName("an assignee", m.Assignee); err != nil {
		return 0, err
	}
	if strings.TrimSpace(m.Text) == "" {
		return 0, invalid("blank", "the task is blank; say what is to be done.")
	}
	if m.Parent != 0 {
		p, err := taskByID(tx, m.Parent)
		if err != nil {
			return 0, err
		}
		if p.Room != m.Room || p.State != TaskOpen {
			return 0, invalid("parent", "the task %d is not open in this room, so it gets no more parts.", m.Parent)
		}
	}
	m.Kind, m.State = "task", TaskOpen
	return s.post(tx, m)
}

// EndTask ends a task as done or cancelled, its open parts with it in the same way, and
// what it was the last open part of. Whoever waits for one of them is woken. An ended
// task stays as it is. Codes: not_found, invalid_arguments.
func (s *Service) EndTask(ctx context.Context, id int64, state string) error {
	if state != TaskDone && state != TaskCancelled {
		return invalid("state", "a task ends as done or cancelled.")
	}
	room, err := s.roomWith(ctx, `SELECT room_id FROM message WHERE id = $1`, id)
	if err != nil {
		return err
	}
	return s.update(ctx, room, func(tx *Tx) error {
		id, state := id, state
		for id != 0 {
			m, err := taskByID(tx, id)
			if err != nil || m.State != TaskOpen {
				return err
			}
			if err := s.endWithParts(tx, m.Room, id, state); err != nil {
				return err
			}
			var open int64
			if _, err := tx.one(`SELECT COUNT(*) FROM message WHERE parent = $1 AND parent <> 0 AND kind = 'task' AND state = 'open'`, []any{m.Parent}, &open); err != nil || open > 0 {
				return err
			}
			id, state = m.Parent, TaskDone
		}
		return nil
	})
}

// endWithParts ends an open task: what is said of the whole is said of its parts. They
// come first, as when they had ended by themselves.
func (s *Service) endWithParts(tx *Tx, room string, id int64, state string) error {
	ending := []int64{id}
	for n := 0; n < len(ending); n++ { // a part is younger than its whole, so there is no ring
		if err := tx.all(`SELECT id FROM message WHERE parent = $1 AND parent <> 0 AND kind = 'task' AND state = 'open' ORDER BY id DESC`, []any{ending[n]}, func(r *sql.Rows) error {
			var part int64
			err := r.Scan(&part)
			ending = append(ending, part)
			return err
		}); err != nil {
			return err
		}
	}
	for _, id := range slices.Backward(ending) {
		if _, err := tx.Exec(`UPDATE message SET state = $1 WHERE id = $2`, state, id); err != nil {
			return err
		}
		if err := s.mirror(tx, "", RoomOp{Room: room, Changed: []int64{id}}); err != nil {
			return err
		}
		outcome, _, err := taskOutcome(tx, id)
		if err != nil {
			return err
		}
		if err := s.satisfy(tx, "", taskTarget(id), outcome); err != nil {
			return err
		}
	}
	return nil
}

// Tasks are a room's tasks in the order in which they were added.
func (s *Service) Tasks(ctx context.Context, room string) ([]Message, error) {
	var list []Message
	err := s.store.View(ctx, func(tx *Tx) error {
		return tx.all(`SELECT `+messageColumns+`WHERE room_id = $1 AND kind = 'task' ORDER BY id`, []any{room}, func(r *sql.Rows) error {
			m, err := scanMessage(r)
			list = append(list, m.public())
			return err
		})
	})
	return list, err
}

func taskByID(tx *Tx, id int64) (*Message, error) {
	m, err := messageByID(tx, id)
	if err == nil && (m == nil || m.Kind != "task") {
		err = notFound("task", "there is no task %d; check the room's tasks.", id)
	}
	return m, err
}

// taskOutcome is how a task ended, if it has.
func taskOutcome(tx *Tx, id int64) (outcome string, ended bool, err error) {
	m, err := taskByID(tx, id)
	if err != nil {
		return "", false, err
	}
	if m.State == TaskDone {
		return "completed", true, nil
	}
	return m.State, m.State != TaskOpen, nil
}

// waitable refuses a task of another room, and one that waits for this seat: its own,
// and one whose seat waits for such a task.
func waitable(tx *Tx, seat arc.SeatID, id int64) error {
	room := roomOf(seat)
	seen := map[int64]bool{}
	todo := []int64{id}
	for len(todo) > 0 {
		id, todo = todo[0], todo[1:]
		if seen[id] {
			continue
		}
		seen[id] = true
		m, err := taskByID(tx, id)
		if err != nil {
			return err
		}
		switch {
		case m.Room != room:
			return notFound("task", "there is no task %d in this room.", id)
		case m.State != TaskOpen || m.Assignee == "":
			continue
		case room+"/"+m.Assignee == string(seat):
			return refuse(WaitCycle, detail{"task_id": id}, "the task %d waits for this seat itself; do it instead of waiting for it.", id)
		}
		waits, err := wakeRows(tx, `WHERE seat_id = $1 AND state = 'armed' AND target LIKE 'task:%'`, room+"/"+m.Assignee)
		if err != nil {
			return err
		}
		for _, w := range waits {
			if n, ok := taskOf(w.Target); ok {
				todo = append(todo, n)
			}
		}
	}
	return nil
}
