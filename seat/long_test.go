package seat_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/arcseat/arc/seat"
	"github.com/arcseat/arc/seat/seattest"
)

// What is forgotten at once is asked for and written many rows at a time: all of it, in the
// order in which it was.
func TestALongHistoryIsForgottenWhole(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	if _, err := r.svc.Join(r.ctx(), seat.Spec{Room: "demo", Membership: "second"}); err != nil {
		t.Fatal(err)
	}
	const n, shared = 250, 121 // a prompt that another seat remembers as well
	var did []seat.StaysThing
	err := r.store.Update(r.ctx(), func(tx *seat.Tx) error {
		for i := range n {
			turn := fmt.Sprintf("turn_%03d", n-i) // an order that is not that of their names
			for _, statement := range []string{
				fmt.Sprintf(`INSERT INTO message (id, room_id, run_id, author, seat_id, kind, body, meta, at_us) VALUES
					(%d, 'demo', 'demo', 'olga', '', 'prompt', 'p', '', 1), (%d, 'demo', 'demo', 'agent', 'demo/main', 'reply', 'r', '', 1)`, 2*i+1, 2*i+2),
				fmt.Sprintf(`INSERT INTO turn (id, seat_id, run_id, seq, status, live, origin, mode, prompt, prompt_sha, source_message_id, reply_message_id, max_steps, attempt, queue_id, started_us)
					VALUES ('%s', 'demo/main', 'demo', %d, 'completed', 1, 'operator', 0, 'p', '', %d, %d, 100, 1, '', 1)`, turn, i+1, 2*i+1, 2*i+2),
				fmt.Sprintf(`INSERT INTO step (turn_id, call_id, n, tool, ended, touched) VALUES
					('%s', 'b', 1, 'decide', 1, '[{"kind":"decision","id":"%[2]d.1"}]'), ('%[1]s', 'a', 2, 'decide', 1, '[{"kind":"decision","id":"%[2]d.2"}]')`, turn, i),
			} {
				if err := tx.Script(statement); err != nil {
					return err
				}
			}
			did = append(did, seat.StaysThing{ID: fmt.Sprint(i, ".1")}, seat.StaysThing{ID: fmt.Sprint(i, ".2")})
		}
		return tx.Script(fmt.Sprintf(`UPDATE seat SET turns = %d, live_total = %[1]d WHERE id = 'demo/main';
			INSERT INTO turn (id, seat_id, run_id, seq, status, live, origin, mode, prompt, prompt_sha, source_message_id, max_steps, attempt, queue_id, started_us)
			VALUES ('turn_else', 'demo/second', 'demo', 1, 'completed', 1, 'operator', 0, 'p', '', %d, 100, 1, '', 1)`, n, shared))
	})
	if err != nil {
		t.Fatal(err)
	}
	f, _, err := r.svc.Rewind(r.ctx(), r.op, seat.RewindArgs{Ref: seat.Ref{RunID: "demo", MembershipID: "main"}, TurnID: "turn_250"})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(f.Stays.Decisions, did) {
		t.Errorf("what stays is %v", f.Stays.Decisions)
	}
	if len(f.Superseded.Turns) != n || len(f.Superseded.MessageIDs) != 2*n-1 || !slices.Equal(f.KeptSharedRequests, []int64{shared}) {
		t.Errorf("%d turns and %d messages are superseded, %v kept", len(f.Superseded.Turns), len(f.Superseded.MessageIDs), f.KeptSharedRequests)
	}
	if stubs := seattest.Number(t, r.store, `SELECT COUNT(*) FROM message WHERE stub_us <> 0 AND stub_by = 'olga'`); stubs != 2*n-1 {
		t.Errorf("%d messages are stubs", stubs)
	}
}
