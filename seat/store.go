package seat

import "context"

// NotKnown is the Opening of a store whose owner its reader cannot know of.
const NotKnown = "?"

// A Store is where a Service keeps everything: a database that speaks SQL. A
// driver's package opens one (seat/sqlite) as a [DB]; package seattest holds what
// it must do. It is safe for concurrent use.
type Store interface {
	// Update runs fn in one transaction, and commits it unless fn fails. Updates
	// run one after the other: nothing changes between what fn reads and what it
	// writes. fn is called once.
	Update(ctx context.Context, fn func(*Tx) error) error

	// View runs fn on a snapshot that does not change under it. It neither waits
	// for an Update nor holds one up.
	View(ctx context.Context, fn func(*Tx) error) error

	// Opening names this opening of a store that has one owner at a time, so that
	// what an earlier owner held is known to be free; of a store that is only read, the
	// opening of its owner beside it, or NotKnown where the reader may not see whether it
	// has one. Empty: owners share the store, and what they hold expires.
	Opening() string

	// ReadOnly reports whether Update is refused.
	ReadOnly() bool

	// Close waits for the transactions that run and lets go of the store.
	Close() error
}
