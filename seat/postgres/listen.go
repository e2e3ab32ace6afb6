package postgres

import (
	"context"
	"crypto/rand"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	echoTime  = 3 * time.Second  // for a word of our own to come back
	quietTime = 30 * time.Second // after which a connection on which nothing came is tried
	deafTime  = time.Second      // between two attempts to hear, twice as long each time,
	deafest   = time.Minute      // up to this
)

// hear listens on a connection of its own, and makes it anew when it is lost.
func (d *opened) hear(ctx context.Context, heard func(hears bool)) {
	pause := deafTime
	for ctx.Err() == nil {
		err := d.hearOnce(ctx, func() { pause = deafTime; heard(true) })
		heard(false)
		if ctx.Err() != nil {
			return
		}
		d.log.Warn("what others queue is not heard now; it is found by looking, each second", "err", err)
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
		pause = min(2*pause, deafest)
	}
}

// hearOnce listens until the connection is lost. rung is called at the start, and for
// each word.
func (d *opened) hearOnce(ctx context.Context, rung func()) error {
	conn, err := pgx.ConnectConfig(ctx, d.listen)
	if err != nil {
		return err
	}
	defer hangUp(ctx, conn)
	if _, err := conn.Exec(ctx, `LISTEN `+pgx.Identifier{d.bell}.Sanitize()); err != nil {
		return err
	}
	if err := d.echo(ctx, conn); err != nil {
		return err
	}
	rung() // there may be something since before
	for {
		wait, cancel := context.WithTimeout(ctx, quietTime)
		n, err := conn.WaitForNotification(wait)
		quiet := wait.Err() != nil && ctx.Err() == nil
		cancel()
		switch {
		case err == nil && n.Payload == "":
			rung()
		case err == nil:
		case !quiet:
			return err
		default:
			try, cancel := context.WithTimeout(ctx, d.o.Timeout)
			err := conn.Ping(try)
			cancel()
			if err != nil {
				return err
			}
		}
	}
}

// echo says a word where others write and waits to hear it. Behind a pooler that hands
// connections about nothing is heard, and nothing says so.
func (d *opened) echo(ctx context.Context, conn *pgx.Conn) error {
	if d.write == nil {
		return nil // who only reads may say nothing
	}
	word := rand.Text()
	ctx, cancel := context.WithTimeout(ctx, echoTime)
	defer cancel()
	if _, err := d.write.ExecContext(ctx, `SELECT pg_notify($1, $2)`, d.bell, word); err != nil {
		return err
	}
	for {
		n, err := conn.WaitForNotification(ctx)
		if err != nil || n.Payload == word {
			return err
		}
	}
}
