package seat

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/arcseat/arc"
)

// A Turn is what a Handler runs: a prompt, what the seat remembers, and its hold on
// the seat. Its Seat is what the turn-control tools act on. A handler may complete
// Env before it opens its session.
type Turn struct {
	arc.Turn
	Info     Info     // the seat, as the turn began
	Seq      int64    // counts the seat's turns from 1
	From     string   // operator, wake, retry, rewind
	Prompt   string   // what is asked; of a wake, what it is for
	Replay   []Entry  // what the seat remembers, oldest first
	Notes    string   // what the seat noted last
	Notices  []string // what it is told once: edited replies, ended jobs
	Wakes    []Wake   // what it is woken for
	MaxSteps int      // requests to the model from one checkpoint to the next
	Attempt  int      // 2: the turn was interrupted and is resumed

	// CallIDs are those that the turn used before it was interrupted. Reserve them
	// in the session.
	CallIDs []string

	digest string // of what was done before the last checkpoint or the interruption
	svc    *Service
	o      *RunOptions
	gen    int64
	mode   arc.Mode      // as it was queued, whatever the handler makes of Mode
	stop   chan struct{} // closed by Stop
	begun  bool          // the store has it; under the service's lock

	mu       sync.Mutex
	renewed  time.Duration   // Elapsed when the lease was, at the latest
	requests int             // to the model, made so far
	mark     int             // requests at the last checkpoint
	compact  bool            // the host wants a checkpoint
	ending   bool            // a tool has ended it, or tried to
	steps    int64           // calls begun
	jobs     []string        // that run, as of the start or the last checkpoint
	unsaved  []endedStep     // ends that the store did not take
	told     map[string]bool // notices shown within the turn
	missed   map[string]int  // sets of missing gates: how often each was answered
}

// Said is one message to a model.
type Said struct {
	Role string // user, assistant
	Text string // as the model is to have it
}

// Messages are the turn for a model, in order: each exchange that it remembers, and
// the prompt with what belongs to it. They are the same for each call until a
// checkpoint is made; what the model and its tools said since is the handler's.
func (t *Turn) Messages() []Said {
	t.mu.Lock()
	defer t.mu.Unlock()
	var list []Said
	for _, e := range t.Replay {
		list = append(list, Said{"user", e.Prompt.String()}, Said{"assistant", e.Reply.String()})
	}
	var b strings.Builder
	for _, n := range t.Notices {
		fmt.Fprintf(&b, "[notice] %s\n\n", n)
	}
	if t.Notes != "" {
		fmt.Fprintf(&b, "[your saved notes]\n%s\n[end of notes]\n\n", t.Notes)
	}
	if len(t.jobs) > 0 {
		fmt.Fprintf(&b, "[your background jobs]\n%s\n\n", strings.Join(t.jobs, "\n"))
	}
	if t.digest != "" {
		fmt.Fprintf(&b, "%s\n\n", t.digest)
	}
	b.WriteString(t.Prompt)
	return append(list, Said{"user", b.String()})
}

// held runs fn in a transaction of the turn, and refuses if the turn is no longer
// its handler's. It renews the lease. Code: lease_lost.
func (t *Turn) held(ctx context.Context, fn func(*Tx, *turnRow) error) error {
	ends, at := t.endsToSave(), t.svc.clock.Elapsed()
	_, err := t.svc.transact(ctx, t.Info.Room, wait, func(tx *Tx) error {
		n, err := tx.Exec(`UPDATE seat SET lease_until_us = $1 WHERE id = $2 AND lease_turn = $3 AND lease_gen = $4`,
			t.svc.leaseEnd(tx), t.Origin.Seat, t.Origin.Turn, t.gen)
		if err != nil {
			return err
		}
		if n == 0 {
			return leaseLost()
		}
		x, err := turnByID(tx, t.Origin.Seat, t.Origin.Turn)
		if err != nil {
			return err
		}
		if err := saveEnds(tx, x.id, ends); err != nil {
			return err
		}
		return fn(tx, x)
	})
	if err == nil {
		t.endsSaved(ends)
		t.kept(at)
	}
	return err
}
