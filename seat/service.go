package seat

import (
	"context"
	"crypto/rand"
	"log/slog"
	"strings"
	"sync"
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
	StubShared bool

	// Mirror is told what happens in the rooms, for a host that shows them in a
	// place of its own: at least once for each RoomOp, in order, by Run. Nil: nobody
	// is told.
	Mirror func(context.Context, RoomOp) error

	// Lease is how long a turn is held without a word of its handler in a store
	// that several processes share. 0: 30 s.
	Lease time.Duration

	// Clock tells time. Nil: the machine's.
	Clock Clock

	// Logger gets what no caller is told. Nil: discarded.
	Logger *slog.Logger
}

// Service runs the seats of a store. Its methods may be used from many goroutines.
type Service struct {
	store Store
	o     Options
	log   *slog.Logger
	clock Clock
	owner string

	mu      sync.Mutex
	changed chan struct{}        // closed, and replaced, when there is something to do
	timers  timers               // wakes that this service armed
	active  map[arc.SeatID]*Turn // turns that this service runs
	stopped map[arc.TurnID]bool  // turns that the operator has stopped here, until the store has their end
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
		changed: make(chan struct{}), active: map[arc.SeatID]*Turn{}, stopped: map[arc.TurnID]bool{},
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
	s.owner = store.Opening() + "/" + random()
	if err := migrate(ctx, store); err != nil {
		return nil, err
	}
	return s, nil
}

// random is a name that is not given twice: 80 bits in 16 characters.
func random() string { return strings.ToLower(rand.Text()[:16]) }

func (s *Service) nowMicros() int64 { return micros(s.clock.Now()) }

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

// update is one transaction, after which every Run looks again.
func (s *Service) update(ctx context.Context, fn func(*Tx) error) error {
	err := s.transact(ctx, fn)
	if err == nil {
		s.tell()
	}
	return err
}

// transact is one transaction. What this service keeps beside the store follows it: the
// timers of wakes, which are there before anybody else can end them, and the turns that
// were stopped.
func (s *Service) transact(ctx context.Context, fn func(*Tx) error) error {
	var did *Tx
	err := s.store.Update(ctx, func(tx *Tx) error {
		did = tx
		return fn(tx)
	})
	if did == nil {
		return err
	}
	gone := did.ended
	if err != nil {
		gone = did.armed
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range gone {
		s.timers.drop(id)
	}
	if err == nil {
		delete(s.stopped, did.committed)
	}
	return err
}

// next counts up one of the store's counters.
func next(tx *Tx, counter string) (int64, error) {
	var n int64
	_, err := tx.one(`UPDATE counter SET value = value + 1 WHERE name = $1 RETURNING value`, []any{counter}, &n)
	return n, err
}
