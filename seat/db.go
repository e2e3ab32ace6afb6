package seat

import (
	"context"
	"database/sql"
	"errors"
	"sync"
)

// A DB is a Store of two pools of database/sql: what drivers have in common. Its
// fields are set before its first use and not changed after.
type DB struct {
	Write *sql.DB // nil: read-only
	Read  *sql.DB // for views

	// Writers is how many transactions write at once. 0: one, where several would
	// starve each other.
	Writers int
	// Begin begins a transaction that writes. Empty: BEGIN.
	Begin string
	// Dialect is how the database speaks, where that is not as SQLite does.
	Dialect Dialect

	// ID is what Opening returns where the store is written. Empty: others write it too.
	ID string
	// Owner is what Opening returns where it is only read: the ID of the opening in
	// which somebody owns the store now, NotKnown, or a name that no opening has. Nil: ID.
	Owner func() string
	// Classify turns the driver's errors into *arc.Error where somebody can do
	// something about them. Nil: they stay.
	Classify func(error) error
	// Stands is asked after each view of a store that is read as it stood when it was
	// opened, and says why that is over; then the view has failed. Nil: it is not.
	Stands func() error
	// Done is called once when both pools are closed. Nil: nothing is.
	Done func() error

	// Shared is what a server takes that several processes use. Nil: the store is a file.
	Shared *Shared

	starting         sync.Once
	writing, reading *lanes
	closing          sync.Once
	closed           error
}

var (
	_ Store = (*DB)(nil)
	_ Rooms = (*DB)(nil)
)

// A Dialect is what databases don't say in the same words. Of each field the zero value
// is SQLite's.
type Dialect struct {
	// Rebind writes a query's $1 as the driver wants it. Nil: as it stands.
	Rebind func(query string) string
	// Bind makes of an argument what the driver can send. Nil: database/sql does.
	Bind func(arg any) any
	// Unprepared sends each query as a whole: statements that a connection has prepared
	// are lost where a pooler hands connections about.
	Unprepared bool
	// Script writes a migration, or other statements, as the database wants them. Nil: as
	// they stand.
	Script func(statements string) string
	// NextMessage is an expression that yields the id of a new message, NewMessage
	// one for the id of the message that the transaction has written last, and
	// NextOrder a query for the next place in the queues.
	NextMessage, NewMessage, NextOrder string
	// Begun drops from the list of seats that may be in a turn those that are not, but
	// for the seat $1.
	Begun string
	// Ring is a statement that tells whoever listens. Empty: nobody does.
	Ring string
}

// newestMessage is the id of what was written last. Messages are never removed, so
// that no id is given twice.
const newestMessage = `(SELECT COALESCE(MAX(id), 0) FROM message)`

func (d Dialect) filled() Dialect {
	for _, word := range []struct {
		is  *string
		not string
	}{
		{&d.NextMessage, newestMessage + ` + 1`},
		{&d.NewMessage, newestMessage},
		{&d.NextOrder, `UPDATE counter SET value = value + 1 WHERE name = 'order' RETURNING value`},
		{&d.Begun, `DELETE FROM begun WHERE seat_id <> $1 AND EXISTS (SELECT 1 FROM seat WHERE seat.id = begun.seat_id AND lease_turn = '')`},
	} {
		if *word.is == "" {
			*word.is = word.not
		}
	}
	return d
}

// readers is how many views run at once.
const readers = 4

// Opening implements Store.
func (d *DB) Opening() string {
	if d.Write == nil && d.Owner != nil {
		return d.Owner()
	}
	return d.ID
}

// ReadOnly implements Store.
func (d *DB) ReadOnly() bool { return d.Write == nil }

// Update implements Store. Codes: store_unavailable when it was opened to be read,
// and those of Classify.
func (d *DB) Update(ctx context.Context, fn func(*Tx) error) error {
	return d.UpdateRoom(ctx, "", fn)
}

// UpdateRoom implements Rooms. The codes are those of Update.
func (d *DB) UpdateRoom(ctx context.Context, room string, fn func(*Tx) error) error {
	_, err := d.update(ctx, Beginning{Write: true, Room: room}, fn)
	return err
}

// TryRoom implements Rooms. The codes are those of Update.
func (d *DB) TryRoom(ctx context.Context, room string, fn func(*Tx) error) (taken bool, err error) {
	return d.update(ctx, Beginning{Write: true, Room: room, Try: true}, fn)
}

// Listen implements Rooms.
func (d *DB) Listen(ctx context.Context, heard func(hears bool)) {
	if d.Shared != nil && d.Shared.Listen != nil {
		d.Shared.Listen(ctx, heard)
	}
}

func (d *DB) update(ctx context.Context, e Beginning, fn func(*Tx) error) (taken bool, err error) {
	if d.Write == nil {
		return false, Unavailable("read_only", nil, "this store was opened to be read; change it through its owner.")
	}
	d.start()
	if d.Shared != nil {
		taken, err = d.insist(ctx, e, fn)
	} else {
		_, _, err = d.writing.run(ctx, d, e, fn)
	}
	return taken, d.classify(ctx, err)
}

// View implements Store.
func (d *DB) View(ctx context.Context, fn func(*Tx) error) error {
	d.start()
	var err error
	if d.Shared != nil {
		err = d.look(ctx, fn)
	} else {
		_, _, err = d.reading.run(ctx, d, Beginning{}, fn)
	}
	if d.Stands != nil { // whatever it has read, or failed at
		if why := d.Stands(); why != nil {
			err = why
		}
	}
	return d.classify(ctx, err)
}

func (d *DB) start() {
	d.starting.Do(func() {
		d.Dialect = d.Dialect.filled()
		d.writing = newLanes(d.Write, max(d.Writers, 1))
		d.reading = newLanes(d.Read, readers)
	})
}

// classify says what err means. That the caller's time is over is the caller's own, and no
// trouble of the store's, which may pass.
func (d *DB) classify(ctx context.Context, err error) error {
	if err == nil || d.Classify == nil || ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return err
	}
	return d.Classify(err)
}

// begin begins a transaction on a connection.
func (d *DB) begin(ctx context.Context, tx *Tx, e Beginning) (taken bool, err error) {
	if d.Shared != nil {
		ctx, cancel := d.bounded(ctx)
		defer cancel()
		tx.now, taken, err = d.Shared.Enter(ctx, tx.lane.conn, e)
		return taken, err
	}
	word := "BEGIN"
	if e.Write && d.Begin != "" {
		word = d.Begin
	}
	_, err = tx.Exec(word)
	return false, err
}

// commit commits the transaction that began.
func (d *DB) commit(tx *Tx) error {
	if d.Shared != nil && d.Shared.Commit != nil {
		return d.Shared.Commit(tx.still, tx.lane.conn)
	}
	_, err := tx.Exec("COMMIT")
	return err
}

// Close implements Store.
func (d *DB) Close() error {
	d.closing.Do(func() {
		d.start()
		errs := []error{d.reading.close()}
		if d.Write != nil {
			errs = append(errs, d.writing.close())
		}
		if d.Done != nil {
			errs = append(errs, d.Done())
		}
		d.closed = errors.Join(errs...)
	})
	return d.closed
}
