package seat

import (
	"cmp"
	"context"
	"crypto/rand"
	"log/slog"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/arcseat/arc"
)

// Options of Open. The zero value is a good start.
type Options struct {
	// MaxChars is the budget of what a turn replays, in Unicode code points. 0:
	// 24,000.
	MaxChars int

	// MaxSteps is how many requests to the model a turn makes between two automatic
	// checkpoints, 1 to 500, where a prompt does not say. 0: 100.
	MaxSteps int

	// MaxLate is how late a reminder may be delivered; a later one is skipped, and
	// logged. 0: there is no limit.
	MaxLate time.Duration

	// StubShared stubs a forgotten request also while another seat remembers it.
	// Default: false.
	StubShared bool

	// Mirror is told what happens in the rooms, for a host that shows them in a
	// place of its own: at least once for each RoomOp, by Run, and in order within a room,
	// of which one service tells at a time. Its ctx ends, after a Lease at most, when
	// another may begin to, and with Run, which waits for it. What it fails at, by a panic too, it is told again, within 15 s.
	// What a service without a Mirror does, nobody is told. Nil: nobody is told.
	Mirror func(context.Context, RoomOp) error

	// Host names the machine, or the folder on it, where the files and jobs are of the
	// seats that this service runs. In a store that several machines share, a seat with a
	// project or a desktop (RunOptions.Env) is bound to the host of its first turn; see
	// Bind. Empty: the machine's name. It means nothing in a store of one owner.
	Host string

	// Lease is how long a turn is held without a word of its handler in a store
	// that several processes share, and a room by a service that tells of it. Where the
	// clock that they share is set back, that is so much longer. 0: 30 s.
	Lease time.Duration

	// Clock tells time. Nil: the machine's, and where several machines share the store,
	// its server's for all that they have to agree on.
	Clock Clock

	// Logger gets what no caller is told. Nil: discarded.
	Logger *slog.Logger
}

// Service runs the seats of a store. Its methods may be used from many goroutines.
type Service struct {
	store Store
	// Where several processes share the store:
	shared bool
	rooms  Rooms // the store; nil if it changes one room at a time

	o     Options
	log   *slog.Logger
	clock Clock
	owner string
	host  string // empty: nothing is bound

	hears atomic.Int32 // Runs that hear what others queue in the store

	telling chan struct{} // full while a Run tells the Mirror

	mu      sync.Mutex
	changed chan struct{}        // closed, and replaced, when there is something to do
	timers  timers               // wakes that this service armed
	active  map[arc.SeatID]*Turn // turns that this service runs
	stopped map[arc.TurnID]bool  // turns that the operator has stopped, as far as this process knows, until the store has their end
}

// Open brings the store to this version and serves it. Closing the store is its
// opener's, after Run has returned. Codes: store_unavailable, and what the store
// returns.
func Open(ctx context.Context, store Store, o *Options) (*Service, error) {
	if o == nil {
		o = &Options{}
	}
	s := &Service{
		store: store, o: *o, log: o.Logger, clock: o.Clock,
		changed: make(chan struct{}), telling: make(chan struct{}, 1), active: map[arc.SeatID]*Turn{}, stopped: map[arc.TurnID]bool{},
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if s.clock == nil {
		s.clock = wall{time.Now()}
	}
	if s.o.MaxChars <= 0 {
		s.o.MaxChars = DefaultMaxChars
	}
	if s.o.MaxSteps <= 0 || s.o.MaxSteps > 500 {
		s.o.MaxSteps = 100
	}
	if s.o.Lease <= 0 {
		s.o.Lease = 30 * time.Second
	}
	if s.shared = store.Opening() == ""; s.shared {
		s.rooms, _ = store.(Rooms)
		if s.host = s.o.Host; s.host == "" {
			s.host, _ = os.Hostname() // a machine without a name has none
		}
		s.host = storable(s.host) // as the store gives it back
	}
	s.owner = store.Opening() + "/" + random()
	if err := migrate(ctx, store); err != nil {
		return nil, err
	}
	return s, nil
}

// random is a name that is not given twice: 80 bits in 16 characters.
func random() string { return strings.ToLower(rand.Text()[:16]) }

// now is the time of a transaction, in microseconds: the server's where processes share
// one, because machines don't agree.
func (s *Service) now(tx *Tx) int64 {
	if s.o.Clock == nil && tx.now != 0 {
		return tx.now
	}
	return micros(s.clock.Now())
}

// tell lets every Run look again.
func (s *Service) tell() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.changed)
	s.changed = make(chan struct{})
}

func (s *Service) changes() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.changed
}

// update is one transaction of a room, after which every Run looks again.
func (s *Service) update(ctx context.Context, room string, fn func(*Tx) error) error {
	_, err := s.transact(ctx, room, wait, fn)
	if err == nil {
		s.tell()
	}
	return err
}

// When a transaction begins of a room that somebody else is changing.
type when bool

const (
	wait when = false
	skip when = true // not at all
)

// transact is one transaction of a room, or of all where room is empty; taken says that it
// was skipped. fn may be called again, on a store that has lost what it did. What this
// service keeps beside the store follows it: the timers of wakes, which are there before
// anybody else can end them, and the turns that were stopped.
func (s *Service) transact(ctx context.Context, room string, w when, fn func(*Tx) error) (taken bool, err error) {
	var did *Tx
	var gone []string
	do := func(tx *Tx) error {
		if did != nil {
			gone = append(gone, did.armed...)
		}
		did = tx
		return fn(tx)
	}
	switch {
	case s.rooms == nil:
		err = s.store.Update(ctx, do)
	case w == skip:
		taken, err = s.rooms.TryRoom(ctx, room, do)
	default:
		err = s.rooms.UpdateRoom(ctx, room, do)
	}
	if did == nil {
		return taken, err
	}
	stands := err == nil && !taken // fn was called all the same where the attempt was lost
	if stands {
		gone = append(gone, did.ended...)
	} else {
		gone = append(gone, did.armed...)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range gone {
		s.timers.drop(id)
	}
	if stands {
		delete(s.stopped, did.committed)
	}
	return taken, err
}

// nextOrder is the next place in a queue.
func nextOrder(tx *Tx) (int64, error) {
	var n int64
	_, err := tx.one(tx.db.Dialect.NextOrder, nil, &n)
	return n, err
}

// roomOf is the room of a seat.
func roomOf(seat arc.SeatID) string { return roomIn(string(seat), "/") }

// room is that of the run which r names.
func (r Ref) room() string { return roomIn(r.RunID, "#") }

// roomIn is the room that an id begins with. Who names none changes none, and does not hold
// up all of them.
func roomIn(id, end string) string {
	room, _, _ := strings.Cut(id, end)
	return cmp.Or(room, noRoom)
}

// roomWith is the room of the row with an id, where rooms are changed side by side: query
// yields it, or a seat of it. Empty: there is no such row, or nobody asks.
func (s *Service) roomWith(ctx context.Context, query string, id any) (string, error) {
	room := ""
	if s.rooms == nil {
		return room, nil
	}
	err := s.store.View(ctx, func(tx *Tx) error {
		_, err := tx.one(query, []any{id}, &room)
		return err
	})
	if err != nil || room == "" {
		return "", err
	}
	return roomOf(arc.SeatID(room)), nil
}
