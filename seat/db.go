package seat

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"sync"

	"github.com/arcseat/arc"
)

// A DB is a Store of two pools of database/sql: what drivers have in common. Its
// fields are set before its first use and not changed after.
type DB struct {
	Write *sql.DB // nil: read-only
	Read  *sql.DB

	// Writers is how many transactions write at once. 0: one, where several would
	// starve each other.
	Writers int
	// Begin begins a transaction that writes. Empty: BEGIN.
	Begin string

	// ID is what Opening returns where the store is written.
	ID string
	// Owner is what Opening returns where it is only read: the ID of the opening in
	// which somebody owns the store now, NotKnown, or a name that no opening has. Nil: ID.
	Owner func() string
	// Rebind writes a query's $1 as the driver wants it. Nil: as it stands.
	Rebind func(query string) string
	// Classify turns the driver's errors into *arc.Error where somebody can do
	// something about them. Nil: they stay.
	Classify func(error) error
	// Stands is asked after each view of a store that is read as it stood when it was
	// opened, and says why that is over; then the view has failed. Nil: it is not.
	Stands func() error
	// Done is called once when both pools are closed. Nil: nothing is.
	Done func() error

	starting         sync.Once
	writing, reading *lanes
	closing          sync.Once
	closed           error
}

var _ Store = (*DB)(nil)

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
	if d.Write == nil {
		return refuse(StoreUnavailable, detail{"reason": "read_only"}, "this store was opened to be read; change it through its owner.")
	}
	d.start()
	begin := d.Begin
	if begin == "" {
		begin = "BEGIN"
	}
	return d.classify(d.writing.run(ctx, d, begin, fn))
}

// View implements Store.
func (d *DB) View(ctx context.Context, fn func(*Tx) error) error {
	d.start()
	err := d.reading.run(ctx, d, "BEGIN", fn)
	if d.Stands != nil { // whatever it has read, or failed at
		if why := d.Stands(); why != nil {
			err = why
		}
	}
	return d.classify(err)
}

func (d *DB) start() {
	d.starting.Do(func() {
		d.writing = newLanes(d.Write, max(d.Writers, 1))
		d.reading = newLanes(d.Read, readers)
	})
}

func (d *DB) classify(err error) error {
	if err == nil || d.Classify == nil {
		return err
	}
	return d.Classify(err)
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

// lanes are a pool's connections, each with the statements that it has prepared:
// a service has a fixed number of queries and asks them at every turn.
type lanes struct {
	pool *sql.DB
	free chan *lane // one for each connection; nil where there is none yet
}

type lane struct {
	conn     *sql.Conn
	prepared map[string]*sql.Stmt
}

func newLanes(pool *sql.DB, n int) *lanes {
	l := &lanes{pool: pool, free: make(chan *lane, n)}
	for range n {
		l.free <- nil
	}
	return l
}

// isClosed is what a closed store answers.
func isClosed() error {
	return refuse(StoreUnavailable, detail{"reason": "closed"}, "the store of seats is closed; open it again.")
}

func (l *lanes) run(ctx context.Context, d *DB, begin string, fn func(*Tx) error) (err error) {
	var x *lane
	var open bool
	select {
	case x, open = <-l.free:
		if !open {
			return isClosed()
		}
	case <-ctx.Done():
		return ctx.Err()
	}
	if x == nil {
		conn, err := l.pool.Conn(ctx)
		if err != nil {
			l.free <- nil
			return err
		}
		x = &lane{conn: conn, prepared: map[string]*sql.Stmt{}}
	}
	// A panic of fn does not leave a transaction open.
	still := context.WithoutCancel(ctx)
	done := false
	defer func() {
		if !done {
			if _, undo := x.conn.ExecContext(still, "ROLLBACK"); undo != nil {
				x.drop() // whatever it is in, nobody else gets it
				x = nil
			}
		}
		l.free <- x
	}()
	tx := &Tx{ctx: ctx, still: still, db: d, lane: x}
	if _, err := tx.Exec(begin); err != nil {
		x.drop()
		x, done = nil, true
		return err
	}
	if err := fn(tx); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if _, err := tx.Exec("COMMIT"); err != nil {
		return err
	}
	done = true
	return nil
}

// drop ends the connection. Back in its pool it would keep its statements, and the
// transaction that it may be in.
func (x *lane) drop() {
	for _, s := range x.prepared {
		s.Close()
	}
	x.conn.Raw(func(any) error { return driver.ErrBadConn })
	x.conn.Close()
}

// close takes every connection, so that none is in a transaction.
func (l *lanes) close() error {
	for range cap(l.free) {
		if x := <-l.free; x != nil {
			x.drop()
		}
	}
	close(l.free)
	return l.pool.Close()
}

// A Tx is one transaction. Queries number their arguments $1, $2, and so on, and
// keep to what SQLite and PostgreSQL have in common. It belongs to the goroutine of
// the function that it was given to.
type Tx struct {
	ctx   context.Context
	still context.Context // that doesn't end: a driver watches one that does at each statement, which costs as much as the statement
	db    *DB
	lane  *lane

	// For the service whose transaction it is:
	armed, ended []string   // wakes
	committed    arc.TurnID // a turn
}

// Exec runs a statement and reports how many rows it changed.
func (t *Tx) Exec(query string, args ...any) (int64, error) {
	s, err := t.prepare(query)
	if err != nil {
		return 0, err
	}
	r, err := s.ExecContext(t.still, args...)
	if err != nil {
		return 0, err
	}
	return r.RowsAffected()
}

// Query runs a query. The caller closes the rows.
func (t *Tx) Query(query string, args ...any) (*sql.Rows, error) {
	s, err := t.prepare(query)
	if err != nil {
		return nil, err
	}
	return s.QueryContext(t.still, args...)
}

// Script runs statements without arguments, as a migration does.
func (t *Tx) Script(statements string) error {
	_, err := t.lane.conn.ExecContext(t.still, statements)
	return err
}

func (t *Tx) prepare(query string) (*sql.Stmt, error) {
	if err := t.ctx.Err(); err != nil {
		return nil, err
	}
	if s := t.lane.prepared[query]; s != nil {
		return s, nil
	}
	bound := query
	if t.db.Rebind != nil {
		bound = t.db.Rebind(query)
	}
	s, err := t.lane.conn.PrepareContext(t.still, bound)
	if err != nil {
		return nil, err
	}
	t.lane.prepared[query] = s
	return s, nil
}

// one scans the only row of a query into dst, and reports whether there was one.
func (t *Tx) one(query string, args []any, dst ...any) (bool, error) {
	rows, err := t.Query(query, args...)
	if err != nil {
		return false, err
	}
	defer rows.Close()
	if !rows.Next() {
		return false, rows.Err()
	}
	if err := rows.Scan(dst...); err != nil {
		return false, err
	}
	return true, rows.Close()
}

// all calls scan for each row of a query.
func (t *Tx) all(query string, args []any, scan func(*sql.Rows) error) error {
	rows, err := t.Query(query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// texts are the values of a query of one column.
func (t *Tx) texts(query string, args ...any) ([]string, error) {
	var list []string
	err := t.all(query, args, func(r *sql.Rows) error {
		var s string
		if err := r.Scan(&s); err != nil {
			return err
		}
		list = append(list, s)
		return nil
	})
	return list, err
}
