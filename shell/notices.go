package shell

import (
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/arcseat/arc"
)

// How long a seat whose notice was refused is left in peace: each time twice as long.
const (
	firstRetry = 250 * time.Millisecond
	lastRetry  = time.Minute
)

// notices hands notices to the host, without making anybody wait. Those of one seat are
// told in the order in which its jobs ended: one that is refused holds up those after it,
// and no other seat's.
type notices struct {
	notify  func(Notice) error
	reaches func(arc.SeatID) bool // nil: all
	log     *slog.Logger
	stopped <-chan struct{} // closed when the host has no time to be told again

	mu      sync.Mutex
	queue   []*run
	refused map[arc.SeatID]retry
	more    chan struct{} // closed when something is queued while deliver rests; nil: it does not
	busy    bool
	working sync.WaitGroup
}

// A retry is when a seat is told again of what was refused.
type retry struct {
	at    time.Time
	pause time.Duration // before it
	never bool          // not by this host, which closes
}

// reach reports whether there is somebody who can tell a seat.
func (n *notices) reach(seat arc.SeatID) bool {
	return n.notify != nil && (n.reaches == nil || n.reaches(seat))
}

func (n *notices) wait() { n.working.Wait() }

// add queues the notice of r.
func (n *notices) add(r *run) {
	if n.notify == nil {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.refused[r.origin.Seat].never {
		return // it stays on the record, behind the one that was refused
	}
	n.queue = append(n.queue, r)
	if n.more != nil {
		close(n.more)
		n.more = nil
	}
	if !n.busy {
		n.busy = true
		n.working.Go(n.deliver)
	}
}

// deliver tells until there is nothing to tell. It asks late whether a poll has
// shown the end in the meantime.
func (n *notices) deliver() {
	for {
		r, rest := n.next()
		switch {
		case rest != nil:
			rest()
		case r == nil:
			return
		case !r.tell() || r.seenBeside():
			n.taken(r)
		default:
			err := n.post(r)
			if err == nil {
				n.taken(r)
				continue
			}
			n.log.Warn("a seat was not told of the end of its job, and will be", "job", r.jobID(), "seat", r.origin.Seat, "error", err)
			n.refuse(r)
		}
	}
}

// post tells the host. One that panics has not taken the notice, and ends nobody's commands.
func (n *notices) post(r *run) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the host panicked when it was told: %v\n%s", p, debug.Stack())
		}
	}()
	return n.notify(r.notice())
}

// next is the first run whose seat may be told now, or else what to do until one may be.
// Neither: there is nothing more to tell.
func (n *notices) next() (r *run, rest func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	var soonest time.Time
	for _, r := range n.queue {
		again, held := n.refused[r.origin.Seat]
		if !held || n.stopping() || !again.at.After(time.Now()) {
			return r, nil
		}
		if soonest.IsZero() || again.at.Before(soonest) {
			soonest = again.at
		}
	}
	if len(n.queue) == 0 {
		n.busy, n.queue = false, nil
		return nil, nil
	}
	more := make(chan struct{})
	n.more = more
	return nil, func() {
		timer := time.NewTimer(time.Until(soonest))
		defer timer.Stop()
		select {
		case <-more:
		case <-timer.C:
		case <-n.stopped:
		}
	}
}

// taken takes a run off the queue: its seat knows.
func (n *notices) taken(r *run) {
	n.mu.Lock()
	delete(n.refused, r.origin.Seat)
	n.drop(func(x *run) bool { return x == r })
	n.mu.Unlock()
	r.wasTold()
}

// refuse keeps a run whose notice was refused for later. A host that closes leaves it on
// its record, with those of its seat that are behind it.
func (n *notices) refuse(r *run) {
	r.untell()
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.refused == nil {
		n.refused = map[arc.SeatID]retry{}
	}
	seat, never := r.origin.Seat, n.stopping()
	pause := min(max(firstRetry, 2*n.refused[seat].pause), lastRetry)
	n.refused[seat] = retry{at: time.Now().Add(pause), pause: pause, never: never}
	if never {
		n.drop(func(x *run) bool { return x.origin.Seat == seat })
	}
}

// drop takes runs off the queue. The caller holds mu.
func (n *notices) drop(which func(*run) bool) { n.queue = slices.DeleteFunc(n.queue, which) }

func (n *notices) stopping() bool {
	select {
	case <-n.stopped:
		return true
	default:
		return false
	}
}
