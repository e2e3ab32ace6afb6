// Package sqlite keeps seats in a file: the embedded store, on SQLite without cgo.
//
// # Overview
//
// [Open] opens or makes the file. One connection writes, in immediate
// transactions, to a write-ahead log that is synced at each commit; others read
// snapshots beside it. One process owns the file: a second that wants to write is
// refused, because SQLite would let one of the two starve. It may read: what the owner
// runs is told as running, or as unknown to who may not read the lock file. Where nothing
// can be written, a read-only disk for one, a store that was closed in order is read as it
// stands, until somebody writes it.
//
// # Usage
//
//	store, err := sqlite.Open("state/seat.db", nil)
//	if err != nil {
//		return err
//	}
//	defer store.Close()
//	service, err := seat.Open(ctx, store, nil)
//
// # Trust
//
// The file is made for its user alone (0600) and holds all that was said. It is marked
// as a store of seats, and one that is not is refused before anything is written.
// Links to it and a removed lock file give it no second owner on Linux; elsewhere a
// hard link may be refused, and the lock file has to stay. Files on network file
// systems are not safe: their locks are not kept.
//
// # Concurrency
//
// A store is used from many goroutines. Updates wait for each other, views for
// nothing.
//
// # Errors
//
// locked with the holder in its detail: another process owns the file, or a lock
// was not free in time. store_unavailable with a reason: corrupt, not_a_database,
// foreign (another program's), engine (SQLite is older than 3.51.3, whose predecessors
// may corrupt a log), version, read_only, log (it cannot be read without writing),
// changed (it was read as it stood, and was written since), linked, closed. no_space,
// permission_denied and io_error as the system said.
package sqlite
