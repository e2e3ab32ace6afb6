package seat_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/seat"
	"github.com/arcseat/arc/seat/seattest"
	"github.com/arcseat/arc/seat/sqlite"
	"github.com/arcseat/arc/tools"
)

// room is a room with one seat, on a store of its own.
type room struct {
	t     *testing.T
	path  string
	clock *seattest.Clock
	o     seat.Options
	store *seat.DB
	svc   *seat.Service
	op    seat.Operator
	run   seat.RunOptions
	set   *tools.Set

	turn  *seat.Turn // that a test has claimed
	wakes []seat.Wake
}

func newRoom(t *testing.T) *room { return newRoomAt(t, "") }

// newRoomAt keeps the room in the folder dir; where that is empty, in one of its own.
func newRoomAt(t *testing.T, dir string) *room {
	t.Helper()
	if dir == "" {
		dir = t.TempDir()
	}
	r := &room{t: t, path: filepath.Join(dir, "seat.db"), clock: seattest.NewClock(), op: seat.Operator{Name: "olga"}}
	set, err := tools.NewSet([]arc.Provider{seat.Tools()}, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.set = set
	r.run.Idle = true
	r.o.Clock = r.clock
	r.open()
	if _, err := r.svc.Join(t.Context(), seat.Spec{Room: "demo"}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.store.Close() })
	return r
}

func (r *room) open() {
	r.t.Helper()
	store, err := sqlite.Open(r.path, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	r.store = store
	if r.svc, err = seat.Open(r.t.Context(), store, &r.o); err != nil {
		r.t.Fatal(err)
	}
}

// restart is a host that ended and was started again.
func (r *room) restart() {
	r.t.Helper()
	if err := r.store.Close(); err != nil {
		r.t.Fatal(err)
	}
	r.open()
}

func (r *room) ctx() context.Context { return r.t.Context() }

var ref = seat.Ref{RunID: "demo"}

const id = arc.SeatID("demo/main")

func (r *room) send(text string) seat.Queued {
	r.t.Helper()
	q, err := r.svc.Send(r.ctx(), seat.Prompt{Ref: ref, Text: text})
	if err != nil {
		r.t.Fatal(err)
	}
	return q
}

// turns runs what there is to run now, with h for every turn, and returns them.
func (r *room) turns(h seat.Handler) []*seat.Turn {
	r.t.Helper()
	var mu sync.Mutex
	var list []*seat.Turn
	err := r.svc.Run(r.ctx(), func(ctx context.Context, t *seat.Turn) (string, error) {
		mu.Lock()
		list = append(list, t)
		mu.Unlock()
		return h(ctx, t)
	}, &r.run)
	if err != nil {
		r.t.Fatal(err)
	}
	return list
}

// say answers every turn with text.
func say(text string) seat.Handler {
	return func(context.Context, *seat.Turn) (string, error) { return text, nil }
}

// exchange is one turn: a prompt and a reply.
func (r *room) exchange(prompt, reply string) arc.TurnID {
	r.t.Helper()
	r.send(prompt)
	list := r.turns(say(reply))
	if len(list) != 1 {
		r.t.Fatalf("%d turns ran, want 1", len(list))
	}
	return list[0].Origin.Turn
}

// calls makes calls in a session of the turn, as a model's batch.
func (r *room) calls(ctx context.Context, t *seat.Turn, calls ...arc.Call) []*arc.Result {
	s := r.set.Session(t.Turn, t.Record)
	return s.Run(ctx, calls)
}

func call(name, args string) arc.Call { return arc.Call{Name: name, Args: json.RawMessage(args)} }

// calling is a handler that makes calls and keeps their results.
func (r *room) calling(results *[]*arc.Result, reply string, calls ...arc.Call) seat.Handler {
	return func(ctx context.Context, t *seat.Turn) (string, error) {
		*results = append(*results, r.calls(ctx, t, calls...)...)
		return reply, nil
	}
}

func (r *room) context() *seat.Context {
	r.t.Helper()
	c, err := r.svc.Context(r.ctx(), r.op, seat.ContextArgs{Ref: ref})
	if err != nil {
		r.t.Fatal(err)
	}
	return c
}

// window are the prompts of the entries in the window, oldest first.
func (r *room) window() []string {
	r.t.Helper()
	var list []string
	for _, e := range r.context().Entries {
		if e.State == seat.InWindow {
			list = append(list, e.Prompt.Text+e.Prompt.Head)
		}
	}
	return list
}

func (r *room) messages() []seat.Message {
	r.t.Helper()
	list, err := r.svc.Messages(r.ctx(), "demo", 0, 10_000)
	if err != nil {
		r.t.Fatal(err)
	}
	return list
}

// code fails unless err has the code.
func code(t *testing.T, err error, want arc.Code) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("got %v, want %s", err, want)
	}
}

// data decodes a result's data.
func data[T any](t *testing.T, r *arc.Result) T {
	t.Helper()
	var v T
	if r.Err != nil {
		t.Fatalf("refused: %v", r.Err)
	}
	line, _, _ := strings.Cut(r.String(), "\n")
	if err := json.Unmarshal([]byte(line), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func touched(list ...arc.Touch) func(context.Context, arc.SeatID, []arc.TurnID) ([]arc.Touch, error) {
	return func(context.Context, arc.SeatID, []arc.TurnID) ([]arc.Touch, error) { return list, nil }
}

func failing(context.Context, arc.SeatID, []arc.TurnID) ([]arc.Touch, error) {
	return nil, errors.New("the ledger is away")
}

// dump is all that the store holds.
func dump(t *testing.T, r *room) string {
	t.Helper()
	var b strings.Builder
	err := r.store.View(t.Context(), func(tx *seat.Tx) error {
		for _, table := range []string{"room", "run", "seat", "message", "turn", "reply_version", "step", "queue", "wake", "notes", "notice", "idem", "plan", "outbox", "counter"} {
			rows, err := tx.Query("SELECT * FROM " + table + " ORDER BY 1, 2")
			if err != nil {
				return err
			}
			columns, _ := rows.Columns()
			for rows.Next() {
				values := make([]any, len(columns))
				for i := range values {
					values[i] = new(any)
				}
				if err := rows.Scan(values...); err != nil {
					return err
				}
				for _, v := range values {
					fmt.Fprint(&b, *v.(*any), "|")
				}
				b.WriteByte('\n')
			}
			rows.Close()
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func logger(b *strings.Builder) *slog.Logger { return slog.New(slog.NewTextHandler(b, nil)) }
