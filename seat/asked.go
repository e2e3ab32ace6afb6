package seat

import (
	"context"
	"database/sql"

	"github.com/arcseat/arc"
)

// Asked are the room's messages that a turn goes back to, the oldest first: the one
// that carries its prompt, or for a turn that was woken those of the turns that armed
// its wakes. A host that keeps in a prompt's Meta what its sender allows finds it here
// also for what a reminder has led to, and for a retry with the same prompt. A message
// that is a stub is one of them, without its Meta.
func (s *Service) Asked(ctx context.Context, turn arc.TurnID) ([]Message, error) {
	var list []Message
	err := s.store.View(ctx, func(tx *Tx) error {
		return tx.all(`SELECT `+messageColumns+`WHERE id IN (
			WITH RECURSIVE up(id) AS (
				SELECT id FROM turn WHERE id = $1
				UNION SELECT w.turn_id FROM up JOIN queue q ON q.turn_id = up.id AND q.turn_id <> '' JOIN wake w ON w.id = q.wake_id
			) SELECT t.source_message_id FROM turn t JOIN up ON t.id = up.id) ORDER BY id`, []any{turn}, func(r *sql.Rows) error {
			m, err := scanMessage(r)
			list = append(list, m.public())
			return err
		})
	})
	return list, err
}
