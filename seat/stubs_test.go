package seat_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/seat"
)

// A stub tells every reader and every tool who wrote it, when, and why it is one, and
// nothing of what it said; the host's audit has that.
func TestAStubSaysNothingToAnyReader(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	var mu sync.Mutex
	var mirrored []seat.RoomOp
	r.o.Mirror = func(_ context.Context, op seat.RoomOp) error {
		mu.Lock()
		defer mu.Unlock()
		mirrored = append(mirrored, op)
		return nil
	}
	r.restart()
	began := r.clock.Now()
	turn := r.exchange("secret prompt", "secret reply")
	if _, err := r.svc.EditReply(r.ctx(), r.op, seat.EditArgs{Ref: ref, TurnID: string(turn), Content: "secret edit"}); err != nil {
		t.Fatal(err)
	}
	r.clock.Advance(time.Minute)
	changed := r.clock.Now()
	f, err := r.retry(seat.RetryArgs{TurnID: string(turn), Message: new("say it well")})
	if err != nil {
		t.Fatal(err)
	}
	var next []*seat.Turn
	var gate *arc.Result
	next = r.turns(func(ctx context.Context, x *seat.Turn) (string, error) {
		gate = r.calls(ctx, x, finish(`{"summary":"s","reply_message_id":2}`))[0]
		return "said well", nil
	})

	readers := map[string]any{"the retry": f, "the gate": gate.String(), "the mirror": mirrored, "the next turn": next[0].Messages()}
	read := func(who string, what any, err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", who, err)
		}
		readers[who] = what
	}
	c, s := r.ctx(), r.svc
	list, err := s.Messages(c, "demo", 0, 0)
	read("Messages", list, err)
	tasks, err := s.Tasks(c, "demo")
	read("Tasks", tasks, err)
	asked, err := s.Asked(c, turn)
	read("Asked", asked, err)
	plans, err := s.Plans(c, id)
	read("Plans", plans, err)
	wakes, err := s.Wakes(c, id)
	read("Wakes", wakes, err)
	memory, err := s.Context(c, r.op, seat.ContextArgs{Ref: ref})
	read("Context", memory, err)
	status, err := s.Status(c, r.op, seat.StatusArgs{Ref: ref})
	read("Status", status, err)
	_, dry, err := s.Rewind(c, r.op, seat.RewindArgs{Ref: ref, TurnID: string(next[0].Origin.Turn), DryRun: true})
	read("a dry run", dry, err)
	for name, args := range map[string]string{
		"arc_seat_context": `{"run_id":"demo"}`, "arc_seat_status": `{"run_id":"demo"}`,
		"arc_seat_retry":           fmt.Sprintf(`{"run_id":"demo","turn_id":%q}`, turn),
		"arc_seat_rewind":          fmt.Sprintf(`{"run_id":"demo","turn_id":%q,"dry_run":true}`, turn),
		"arc_seat_edit_reply":      fmt.Sprintf(`{"run_id":"demo","turn_id":%q,"content":"c"}`, turn),
		"arc_seat_exclude_context": fmt.Sprintf(`{"run_id":"demo","turn_id":%q}`, turn),
	} {
		readers[name] = r.verbs().Call(c, call(name, args)).String()
	}
	for who, what := range readers {
		if b, err := json.Marshal(what); err != nil || strings.Contains(string(b), "secret") {
			t.Errorf("%s tells %s, %v", who, b, err)
		}
	}

	type row struct {
		author, reason, by string
		at, since          time.Time
		original           string
	}
	want := map[int64]row{
		1: {"operator", "superseded", "olga", began, changed, "secret prompt"},
		2: {"agent", "edited", "olga", began, began, "secret reply"},
		3: {"olga", "superseded", "olga", began, changed, "secret edit"},
	}
	for _, m := range list {
		w, stub := want[m.ID]
		if stub != (m.Stub != nil) {
			t.Fatalf("message %d is %+v", m.ID, m)
		}
		if !stub {
			continue
		}
		a, err := s.Audit(c, m.ID)
		if err != nil {
			t.Fatal(err)
		}
		if got := (row{m.Author, m.Stub.Reason, m.Stub.By, m.At, m.Stub.At, a.Text}); got != w || a.Author != w.author || !a.At.Equal(w.at) || m.Meta != nil {
			t.Errorf("message %d is %+v, want %+v", m.ID, got, w)
		}
	}
	if len(list) != 4 || !strings.Contains(gate.String(), "superseded") {
		t.Errorf("the room has %d messages, and the gate says %s", len(list), gate)
	}
}
