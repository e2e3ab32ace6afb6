package postgres_test

import (
	"sync/atomic"
	"testing"

	"github.com/arcseat/arc/seat"
	"github.com/arcseat/arc/seat/postgres"
)

// Each statement is a way to the server and back, and a transaction has its time: a history of
// any length is forgotten by few of them.
func TestALongHistoryIsForgottenInTime(t *testing.T) {
	t.Parallel()
	db := open(t, url(t), &postgres.Options{Schema: schema(t)})
	var asked atomic.Int64
	db.Dialect.Rebind = func(q string) string { asked.Add(1); return q }
	svc, err := seat.Open(t.Context(), db, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := svc.Join(t.Context(), seat.Spec{Room: "demo"}); err != nil {
		t.Fatal(err)
	}
	err = db.Update(t.Context(), func(tx *seat.Tx) error {
		return tx.Script(`INSERT INTO message (id, room_id, run_id, author, seat_id, kind, body, meta, at_us)
			SELECT nextval('arc_seat_message'), 'demo', 'demo', 'agent', 'demo/main', 'reply', 'r', '', 1 FROM generate_series(1, 6000);
			INSERT INTO turn (id, seat_id, run_id, seq, status, live, origin, mode, prompt, prompt_sha, source_message_id, reply_message_id, max_steps, attempt, queue_id, started_us)
			SELECT 'turn_' || i, 'demo/main', 'demo', i, 'completed', 1, 'operator', 0, 'p', '', 2*i - 1, 2*i, 100, 1, '', 1 FROM generate_series(1, 3000) i;
			UPDATE seat SET turns = 3000, live_total = 3000`)
	})
	if err != nil {
		t.Fatal(err)
	}
	asked.Store(0)
	f, _, err := svc.Rewind(t.Context(), seat.Operator{}, seat.RewindArgs{Ref: demo, TurnID: "turn_1"})
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Superseded.Turns) != 3000 || len(f.Superseded.MessageIDs) != 6000 {
		t.Errorf("%d turns and %d messages are superseded", len(f.Superseded.Turns), len(f.Superseded.MessageIDs))
	}
	if n := asked.Load(); n > 200 { // 30 for the turns' steps, 60 for the messages
		t.Errorf("it took %d statements", n)
	}
}
