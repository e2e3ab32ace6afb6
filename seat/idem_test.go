package seat_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/arcseat/arc/seat"
)

func TestRequestIDs(t *testing.T) {
	t.Parallel()
	t.Run("10,000 are kept, or those of a day, also where nothing changes", func(t *testing.T) {
		t.Parallel()
		r := newRoom(t)
		turn := r.exchange("a", "b")
		err := r.store.Update(r.ctx(), func(tx *seat.Tx) error {
			return tx.Script(`WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 12000)
				INSERT INTO idem (seat_id, request_id, verb, args, response, at_us) SELECT 'demo/main', 'old-' || n, '', '', '', ` + fmt.Sprint(r.clock.Now().UnixMicro()) + ` + n FROM c`)
		})
		if err != nil {
			t.Fatal(err)
		}
		r.clock.Advance(25 * time.Hour)
		const writes = 1000
		for i := range writes {
			a := seat.ExcludeArgs{Ref: ref, TurnID: string(turn), Excluded: new(false), RequestID: fmt.Sprint("req-", i)}
			if _, err := r.svc.Exclude(r.ctx(), r.op, a); err != nil {
				t.Fatal(err)
			}
		}
		kept := 0
		err = r.store.View(r.ctx(), func(tx *seat.Tx) error {
			rows, err := tx.Query(`SELECT COUNT(*) FROM idem`)
			if err != nil {
				return err
			}
			defer rows.Close()
			for rows.Next() {
				err = errors.Join(err, rows.Scan(&kept))
			}
			return errors.Join(err, rows.Err())
		})
		if err != nil || kept > 10_000+writes || kept < 10_000 {
			t.Errorf("kept %d, %v", kept, err)
		}
	})
	t.Run("a write that is sent again is answered from memory, also after a restart", func(t *testing.T) {
		t.Parallel()
		r := newRoom(t)
		ids := r.many(2)
		a := seat.RetryArgs{TurnID: string(ids[1]), RequestID: "req-1", ExpectedRevision: new(int64(3))}
		first, err := r.retry(a)
		if err != nil {
			t.Fatal(err)
		}
		r.restart()
		r.turns(say("again"))
		a.ExpectedRevision = new(int64(99)) // a precondition, not the intent
		second, err := r.retry(a)
		if err != nil || !second.Replayed || second.Replacement.QueueID != first.Replacement.QueueID || second.HistoryRevision != first.HistoryRevision {
			t.Errorf("got %+v, %v", second, err)
		}
		if got := r.window(); !slices.Equal(got, []string{"p1", "p2"}) {
			t.Errorf("the window is %q", got)
		}
		a.Message = new("other")
		_, err = r.retry(a)
		code(t, err, seat.RequestIDConflict)
	})
	t.Run("a refusal keeps nothing: the id may be tried again", func(t *testing.T) {
		t.Parallel()
		r := newRoom(t)
		ids := r.many(1)
		r.send("queued")
		_, err := r.retry(seat.RetryArgs{TurnID: string(ids[0]), RequestID: "x"})
		code(t, err, seat.TurnsQueued)
		if f, err := r.retry(seat.RetryArgs{TurnID: string(ids[0]), RequestID: "x", DropQueued: true}); err != nil || f.Replayed {
			t.Errorf("got %+v, %v", f, err)
		}
	})
	t.Run("a thousand at once are one effect", func(t *testing.T) {
		t.Parallel()
		r := newRoom(t)
		ids := r.many(1)
		var mu sync.Mutex
		queued := map[string]int{}
		fresh := 0
		var wg sync.WaitGroup
		for range 1000 {
			wg.Go(func() {
				f, err := r.retry(seat.RetryArgs{TurnID: string(ids[0]), RequestID: "same"})
				mu.Lock()
				defer mu.Unlock()
				if err != nil {
					t.Error(err)
					return
				}
				queued[f.Replacement.QueueID]++
				if !f.Replayed {
					fresh++
				}
			})
		}
		wg.Wait()
		if len(queued) != 1 || fresh != 1 {
			t.Errorf("%d turns were queued, %d answers were fresh", len(queued), fresh)
		}
		if list := r.turns(say("once")); len(list) != 1 {
			t.Errorf("%d turns ran", len(list))
		}
	})
}
