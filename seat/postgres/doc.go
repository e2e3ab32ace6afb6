// Package postgres keeps seats in PostgreSQL, where several machines work the same rooms.
//
// # Overview
//
// [Open] opens the store in a schema of a database. Any number of hosts may have it open.
// The tables are those of every store; migrations run under an advisory lock. Who
// changes a room holds the room's row, so that rooms are changed side by side; who looks
// for a turn to run skips a room that is held. A turn is held by a lease of
// [seat.Options] and a generation, by the server's clock; a host that is gone loses its
// turn when the lease runs out, and one that comes back finds lease_lost.
//
// What one host queues or stops the others hear at once, by LISTEN and NOTIFY on a connection of
// its own, and find by looking where they do not hear.
//
// A transaction whose connection is lost is begun again until RetryFor is over. Where the
// answer to its COMMIT was lost, the store finds out whether it stands, also after the
// server has restarted: each connection writes the number of its transaction in
// the transaction.
//
// # Usage
//
//	store, err := postgres.Open(ctx, "postgres://arc@db.example:5432/arc", nil)
//	if err != nil {
//		return err
//	}
//	defer store.Close()
//	service, err := seat.Open(ctx, store, nil)
//
// pgbouncer may stand between, in transaction mode: nothing is left on a connection from
// one transaction to the next. It lets nobody listen, so Listen names the server itself.
//
// # Trust
//
// Who may write the schema is the seats' operator. All values are sent apart from the
// statements, but for the room's name and the settings of a transaction, which are
// quoted. No error for a model has the URL.
//
// # Concurrency
//
// A store is used from many goroutines. Updates of one room wait for each other, those of
// different rooms don't, and views for nothing.
//
// The first Open by a newer version brings the tables up to it. A host of an older one
// that is at work then goes on, and does not know what has been added: of version 3, that
// a turn was stopped on another host, and that one host at a time tells of a room. End
// older hosts before.
//
// # Errors
//
// store_unavailable with a reason: connection (the server cannot be reached, and could not
// for RetryFor), unknown (nor can it be told whether a transaction stands), engine,
// encoding, version, read_only, corrupt, closed. locked: others held a room for longer
// than Timeout. not_found: no such database or schema. permission_denied, no_space,
// invalid_arguments (of the URL, or the schema's name) as named.
package postgres
