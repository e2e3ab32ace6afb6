package seat

import "context"

// NotKnown is the Opening of a store whose owner its reader cannot know of.
const NotKnown = "?"

// A Store is where a Service keeps everything: a database that speaks SQL. A
// driver's package opens one (seat/sqlite, seat/postgres) as a [DB]; package seattest
// holds what it must do. It is safe for concurrent use.
type Store interface {
	// Update runs fn in one transaction, and commits it unless fn fails. Updates
	// run one after the other: nothing changes between what fn reads and what it
	// writes. Where the store has lost the transaction, with the connection to a
	// server for one, nothing of it was written and fn is called again; so it sets
	// anew what it leaves outside of the transaction.
	Update(ctx context.Context, fn func(*Tx) error) error

	// View runs fn on a snapshot that does not change under it. It neither waits
	// for an Update nor holds one up. fn is called once.
	View(ctx context.Context, fn func(*Tx) error) error

	// Opening names this opening of a store that has one owner at a time, so that
	// what an earlier owner held is known to be free; of a store that is only read, the
	// opening of its owner beside it, or NotKnown where the reader may not see whether it
	// has one. Empty: owners share the store, and what they hold expires.
	Opening() string

	// ReadOnly reports whether Update is refused.
	ReadOnly() bool

	// Close waits for the transactions that run, until it is known what they came to, and
	// lets go of the store.
	Close() error
}

// A Rooms is a Store in which different rooms are changed side by side, and whose
// users hear of each other. A Service asks for it where the store is shared.
type Rooms interface {
	// UpdateRoom is an Update that changes nothing but what belongs to one room, and
	// waits for no update of another.
	UpdateRoom(ctx context.Context, room string, fn func(*Tx) error) error

	// TryRoom is UpdateRoom, unless somebody else changes the room now: then it does
	// nothing and says that the room is taken. It may be so after fn was called, in a
	// transaction that was lost.
	TryRoom(ctx context.Context, room string, fn func(*Tx) error) (taken bool, err error)

	// Listen calls heard whenever an update was committed that has called [Tx.Ring],
	// through any opening of the store, and whenever it begins or ceases to hear of
	// them, until ctx ends. It returns at once where nobody else can be heard.
	Listen(ctx context.Context, heard func(hears bool))
}
