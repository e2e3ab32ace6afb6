package seat

import (
	"context"
	"database/sql"
	"time"
)

// A Shared is how a DB works with a server that several processes write to: how a
// transaction begins there, and what is done when the server is not there.
type Shared struct {
	// Enter begins a transaction, with the locks that its beginning asks for, and tells the
	// server's time in microseconds of UTC. Where a room is tried that somebody
	// else changes, it is taken.
	Enter func(ctx context.Context, conn *sql.Conn, e Beginning) (now int64, taken bool, err error)

	// Commit commits a transaction, and fails where the server has kept nothing of it. Nil:
	// by a COMMIT.
	Commit func(ctx context.Context, conn *sql.Conn) error

	// Undone reports whether an error ended the transaction for a reason that is not its
	// own: the connection was lost, the server restarted, two waited for each other.
	Undone func(error) bool

	// Committed reports whether the transaction with this mark was committed, after the
	// answer to its COMMIT was lost. It waits until that is certain.
	Committed func(ctx context.Context, m Mark) (bool, error)

	// Listen is that of Rooms. Nil: nobody can be heard.
	Listen func(ctx context.Context, heard func(hears bool))

	// RetryFor is for how long a transaction is tried again that was undone. 0: not at all.
	RetryFor time.Duration

	// Longest is how long a transaction may take, and how long one may wait to begin: then
	// its connection is given up. 0: there is no limit.
	Longest time.Duration
}

// A Beginning says how a transaction begins.
type Beginning struct {
	Write bool   // it is no view
	Room  string // that it changes, and nothing else; empty: whatever it likes, and nobody else changes anything
	Try   bool   // the room is not waited for
	Mark  Mark   // of a transaction that writes: to be written in it
}

// A Mark tells a transaction from all others.
type Mark struct {
	Lane string // the connection's name
	N    int64  // counts up
}

// insist is a transaction that writes, again and again while the store loses it and
// RetryFor lasts.
func (d *DB) insist(ctx context.Context, e Beginning, fn func(*Tx) error) (taken bool, err error) {
	end := time.Now().Add(d.Shared.RetryFor)
	for again := pauses(); ; {
		taken, _, err = d.writing.run(ctx, d, e, fn)
		if err == nil || taken {
			return taken, err
		}
		if !d.undone(ctx, err) || !again(ctx, end) {
			return false, err
		}
	}
}

// look is a transaction that reads. It begins again and again, as insist does; what was
// read before the store lost it is not read again.
func (d *DB) look(ctx context.Context, fn func(*Tx) error) error {
	end := time.Now().Add(d.Shared.RetryFor)
	for again := pauses(); ; {
		_, called, err := d.reading.run(ctx, d, Beginning{}, fn)
		if err == nil || called || !d.undone(ctx, err) || !again(ctx, end) {
			return err
		}
	}
}

func (d *DB) undone(ctx context.Context, err error) bool {
	return ctx.Err() == nil && d.Shared.Undone(err)
}

// bounded is ctx, but ends when a transaction has taken too long.
func (d *DB) bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	if d.Shared == nil || d.Shared.Longest <= 0 {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, d.Shared.Longest)
}

// stands finds out whether a transaction stands whose COMMIT has failed with err, and
// returns nil if it does. RetryFor begins anew: nothing else can answer that.
func (d *DB) stands(ctx context.Context, m Mark, err error) error {
	if !d.Shared.Undone(err) {
		return err
	}
	ctx = context.WithoutCancel(ctx) // who gives up now would not know either
	end := time.Now().Add(d.Shared.RetryFor)
	for again := pauses(); ; {
		done, no := d.Shared.Committed(ctx, m)
		switch {
		case no == nil && done:
			return nil
		case no == nil:
			return err
		case !again(ctx, end):
			return Unavailable(reasonUnknown, err, "the connection to the store was lost while it kept this, and it cannot be told whether it did; look before you do it again.")
		}
	}
}

// pauses are those between two attempts: each is twice as long as the last, up to a
// quarter of a second. The func waits for one, and reports whether there is time left.
func pauses() func(ctx context.Context, end time.Time) bool {
	pause := 5 * time.Millisecond
	return func(ctx context.Context, end time.Time) bool {
		if time.Now().Add(pause).After(end) {
			return false
		}
		select {
		case <-ctx.Done():
			return false
		case <-time.After(pause):
		}
		pause = min(2*pause, 250*time.Millisecond)
		return true
	}
}
