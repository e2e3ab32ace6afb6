package postgres

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/arcseat/arc/seat"
)

// writing begins a transaction that writes, whatever the database has as a default: who has
// waited for a room sees what others did to it meanwhile.
const writing = `BEGIN ISOLATION LEVEL READ COMMITTED`

// micros is the server's time, which all machines go by.
const micros = `SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint`

// settings are those of one transaction: a pooler may give the connection to another then.
func (d *opened) settings() string {
	ms := decimal(max(d.o.Timeout.Milliseconds(), 1)) // 0 is no limit there
	return `SELECT set_config('search_path', ` + literal(pgx.Identifier{d.o.Schema}.Sanitize()) + `, true), ` +
		`set_config('statement_timeout', '` + ms + `', true), set_config('idle_in_transaction_session_timeout', '` + ms + `', true)`
}

// prune forgets what connections wrote last that have long been gone. None is waited for.
const prune = `DELETE FROM arc_seat_lane WHERE id IN (SELECT id FROM arc_seat_lane WHERE at < now() - interval '1 day' FOR UPDATE SKIP LOCKED)`

// enter begins a transaction, all in one message. Who changes a room holds the room's row,
// and shares a lock with all who change one; who changes more holds that lock alone.
func (d *opened) enter(ctx context.Context, conn *sql.Conn, b seat.Beginning) (now int64, taken bool, err error) {
	lines := []string{`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY`, d.settings()}
	room := 0 // the result that tells whether the room is ours
	if b.Write {
		lines[0] = writing
		lock := `SELECT pg_advisory_xact_lock(`
		if b.Room != "" {
			lock = `SELECT pg_advisory_xact_lock_shared(`
		}
		lines = append(lines, lock+decimal(d.lock)+`)`)
		if b.Room != "" {
			row := `SELECT 1 FROM room WHERE id = ` + literal(b.Room) + ` FOR UPDATE`
			if b.Try {
				row += ` SKIP LOCKED`
			}
			room = len(lines)
			lines = append(lines, row)
		}
		if b.Mark.N == 1 { // the connection is new: there is one row more
			lines = append(lines, prune)
		}
		lines = append(lines, `INSERT INTO arc_seat_lane (id, n) VALUES (`+literal(b.Mark.Lane)+`, `+decimal(b.Mark.N)+`) ON CONFLICT (id) DO UPDATE SET n = excluded.n, at = now()`)
	}
	lines = append(lines, micros)
	err = conn.Raw(func(c any) error {
		results, err := c.(*stdlib.Conn).Conn().PgConn().Exec(ctx, strings.Join(lines, ";")).ReadAll()
		if err != nil {
			return err
		}
		last := results[len(results)-1]
		now, err = strconv.ParseInt(string(last.Rows[0][0]), 10, 64)
		taken = b.Try && len(results[room].Rows) == 0
		return err
	})
	return now, taken, err
}

// errRolledBack is a COMMIT that the server has answered with a ROLLBACK.
var errRolledBack = errors.New("a statement of the transaction had failed, so that nothing of it was kept")

// commit commits the transaction. The server takes the COMMIT of one in which a statement
// has failed for a ROLLBACK, and calls that no error.
func commit(ctx context.Context, conn *sql.Conn) error {
	return conn.Raw(func(c any) error {
		results, err := c.(*stdlib.Conn).Conn().PgConn().Exec(ctx, `COMMIT`).ReadAll()
		if err == nil && results[0].CommandTag.String() != "COMMIT" {
			err = errRolledBack
		}
		return err
	})
}

// committed looks for the mark. A transaction that is still at work holds the mark's row,
// also one that has only just made it, and is waited for.
func (d *opened) committed(ctx context.Context, m seat.Mark) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*d.o.Timeout)
	defer cancel()
	conn, err := d.write.Conn(ctx)
	if err != nil {
		return false, err
	}
	defer conn.Close()
	var n int64
	err = conn.Raw(func(c any) error {
		results, err := c.(*stdlib.Conn).Conn().PgConn().Exec(ctx, strings.Join([]string{
			writing, d.settings(),
			`INSERT INTO arc_seat_lane (id, n) VALUES (` + literal(m.Lane) + `, 0) ON CONFLICT (id) DO UPDATE SET n = arc_seat_lane.n RETURNING n`,
			`COMMIT`,
		}, ";")).ReadAll()
		if err != nil {
			return driver.ErrBadConn // whatever it is in, nobody else gets it
		}
		n, err = strconv.ParseInt(string(results[2].Rows[0][0]), 10, 64)
		return err
	})
	return n >= m.N, err
}

// literal quotes s, whatever the server takes a backslash for.
func literal(s string) string {
	return `E'` + strings.NewReplacer(`\`, `\\`, `'`, `''`).Replace(text(s)) + `'`
}

func decimal(n int64) string { return strconv.FormatInt(n, 10) }

func hex(n uint64) string { return strconv.FormatUint(n, 16) }
