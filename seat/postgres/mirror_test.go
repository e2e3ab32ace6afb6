package postgres_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/arcseat/arc/seat"
)

// A change is a seat.RoomOp on its way to a chat.
type change struct {
	seat.RoomOp
	Order int64
}

// mirrorTo tells the chat at url of each change.
func mirrorTo(url string) func(context.Context, seat.RoomOp) error {
	if url == "" {
		return nil
	}
	return func(ctx context.Context, op seat.RoomOp) error {
		b, err := json.Marshal(change{op, op.Order})
		if err != nil {
			return err
		}
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(b))
		if err != nil {
			return err
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			return err
		}
		return answer.Body.Close()
	}
}

// A chat shows rooms as it is told of them.
type chat struct {
	*httptest.Server
	mu    sync.Mutex
	rooms map[string][]change
}

func newChat(t *testing.T) *chat {
	c := &chat{rooms: map[string][]change{}}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var x change
		if err := json.NewDecoder(r.Body).Decode(&x); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		c.mu.Lock()
		c.rooms[x.Room] = append(c.rooms[x.Room], x)
		c.mu.Unlock()
		time.Sleep(5 * time.Millisecond) // so that some are killed who wait for the answer
	}))
	t.Cleanup(c.Close)
	return c
}

// Three hosts tell one chat what happens in the rooms, and one after another is killed. The
// chat hears of everything, in order; what it hears twice, it hears before it hears more.
func TestSeveralHostsTellOneChat(t *testing.T) {
	t.Parallel()
	chat := newChat(t)
	o := orders{URL: url(t), Schema: schema(t), Lease: 1500 * time.Millisecond, Work: time.Millisecond, Timeout: time.Second, Patience: 10 * time.Second, Parallel: 4, Mirror: chat.URL}
	s := newStorm(t, o, 6, 3)
	for _, w := range s.workers {
		<-w.ready
	}
	s.loaded(5*time.Millisecond, func() {
		for i := range 3 {
			time.Sleep(400 * time.Millisecond)
			s.killOne(i)
		}
		time.Sleep(400 * time.Millisecond)
	})
	s.verify()
	for guard := time.Now().Add(time.Minute); s.number(`SELECT COUNT(*) FROM outbox`) > 0; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(guard) {
			t.Fatal("the chat is not told of everything")
		}
	}
	chat.mu.Lock()
	defer chat.mu.Unlock()
	told, repeated := map[int64]bool{}, 0
	for room, list := range chat.rooms {
		var last change
		for _, x := range list {
			switch {
			case x.ID == last.ID:
				repeated++
			case x.Order <= last.Order:
				t.Errorf("%s: %v came after %v", room, x, last)
			}
			last = x
			for _, id := range x.Post {
				told[id] = true
			}
		}
	}
	if all := s.number(`SELECT COUNT(*) FROM message`); int64(len(told)) != all {
		t.Errorf("the chat has heard of %d messages of %d", len(told), all)
	}
	t.Logf("%d messages, %d changes told again, by hosts of which %d were killed", len(told), repeated, len(s.kills))
}
