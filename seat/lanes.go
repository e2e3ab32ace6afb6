package seat

import (
	"context"
	"database/sql"
	"database/sql/driver"
)

// lanes are a pool's connections, each with the statements that it has prepared:
// a service has a fixed number of queries and asks them at every turn.
type lanes struct {
	pool *sql.DB
	free chan *lane // one for each connection; nil where there is none yet
}

type lane struct {
	conn     *sql.Conn
	prepared map[string]*sql.Stmt
	mark     Mark // of its last transaction that wrote
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
	return Unavailable("closed", nil, "the store of seats is closed; open it again.")
}

// take waits for a connection, and makes it where there is none.
func (l *lanes) take(ctx context.Context) (*lane, error) {
	var x *lane
	var open bool
	select {
	case x, open = <-l.free:
		if !open {
			return nil, isClosed()
		}
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if x != nil {
		return x, nil
	}
	conn, err := l.pool.Conn(ctx)
	if err != nil {
		l.free <- nil
		return nil, err
	}
	return &lane{conn: conn, prepared: map[string]*sql.Stmt{}, mark: Mark{Lane: random()}}, nil
}

// run is one transaction, and whether fn was called in it. It is not where the room is taken.
func (l *lanes) run(ctx context.Context, d *DB, e Beginning, fn func(*Tx) error) (taken, called bool, err error) {
	x, err := l.take(ctx)
	if err != nil {
		return false, false, err
	}
	// A panic of fn does not leave a transaction open.
	still, cancel := d.bounded(context.WithoutCancel(ctx))
	defer cancel()
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
	if e.Write {
		x.mark.N++
		e.Mark = x.mark
	}
	if taken, err = d.begin(ctx, tx, e); err != nil {
		x.drop()
		x, done = nil, true
		return false, false, err
	}
	if taken {
		return true, false, nil
	}
	if err := fn(tx); err != nil {
		return false, true, err
	}
	if err := ctx.Err(); err != nil {
		return false, true, err
	}
	if tx.rings && d.Dialect.Ring != "" {
		if _, err := tx.Exec(d.Dialect.Ring); err != nil {
			return false, true, err
		}
	}
	if err := d.commit(tx); err != nil {
		if d.Shared == nil {
			return false, true, err
		}
		// No other transaction writes the mark before it is known what it says, and
		// nobody closes the store.
		x.drop()
		x, done = nil, true
		if e.Write {
			err = d.stands(ctx, e.Mark, err)
		}
		return false, true, err
	}
	done = true
	return false, true, nil
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
