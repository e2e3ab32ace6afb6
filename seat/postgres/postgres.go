package postgres

import (
	"cmp"
	"context"
	"database/sql"
	"hash/fnv"
	"log/slog"
	"maps"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/arcseat/arc/seat"
)

// Options of Open. The zero value is a good start.
type Options struct {
	// Schema is the schema that holds the seats' tables; it is made if it is missing.
	// One database may have several stores so. At most 63 bytes. Empty: arc_seat.
	Schema string

	// Connections is how many transactions write at once, each on a connection of its
	// own; four more connections read, and one listens. 0: 4.
	Connections int

	// Timeout is how long the server may work at one statement or wait for the next
	// one of a transaction, and a third of how long a transaction may take altogether.
	// It is what a host that cannot be reached holds up others. 0: 5 s.
	Timeout time.Duration

	// RetryFor is for how long a transaction is tried again while the server cannot be
	// reached. 0: 10 s.
	RetryFor time.Duration

	// Listen is the URL at which the server itself is heard, where the store's own is that
	// of a pooler, which lets nobody listen. Empty: the store's. Where nothing is heard,
	// work that others queue is found by a look each second.
	Listen string

	// ReadOnly opens a store that is there to be read; a server that only follows another
	// will do.
	ReadOnly bool

	// Logger hears when others can be heard no more. Nil: discarded.
	Logger *slog.Logger
}

// opened is a store that is open.
type opened struct {
	o      Options
	lock   int64  // of the advisory lock of the schema
	bell   string // the channel
	listen *pgx.ConnConfig
	write  *sql.DB
	log    *slog.Logger
}

// Open opens the store in the database at url, a URL or a list of key=value as libpq
// reads them, and makes its schema if that is missing. The caller closes it; ctx is
// that of the opening alone. Codes: store_unavailable, not_found, permission_denied,
// invalid_arguments, no_space.
func Open(ctx context.Context, url string, o *Options) (*seat.DB, error) {
	if o == nil {
		o = &Options{}
	}
	d := &opened{o: *o, log: cmp.Or(o.Logger, slog.New(slog.DiscardHandler))}
	d.o.Schema = cmp.Or(o.Schema, "arc_seat")
	d.o.Timeout = max(o.Timeout, 0)
	d.o.Timeout = cmp.Or(d.o.Timeout, 5*time.Second)
	d.o.RetryFor = cmp.Or(max(o.RetryFor, 0), 10*time.Second)
	if o.Connections <= 0 {
		d.o.Connections = 4
	}
	if err := checkSchema(d.o.Schema); err != nil {
		return nil, err
	}
	config, err := configure(url, d.o.Timeout)
	if err != nil {
		return nil, err
	}
	if d.listen, err = configure(cmp.Or(o.Listen, url), d.o.Timeout); err != nil {
		return nil, err
	}
	h := fnv.New64a()
	h.Write([]byte("arc seats " + d.o.Schema))
	d.lock = int64(h.Sum64())
	d.bell = "arc_seat_" + hex(h.Sum64())

	if err := d.meet(ctx, config); err != nil {
		return nil, classify(err)
	}
	pool := func() *sql.DB {
		p := stdlib.OpenDB(*config)
		p.SetMaxIdleConns(0) // the store keeps those that it works with
		return p
	}
	db := &seat.DB{
		Read: pool(), Writers: d.o.Connections, Dialect: d.dialect(), Classify: classify,
		Shared: &seat.Shared{
			Enter: d.enter, Commit: commit, Undone: undone, Committed: d.committed, Listen: d.hear,
			RetryFor: d.o.RetryFor, Longest: 3 * d.o.Timeout,
		},
	}
	if !o.ReadOnly {
		d.write = pool()
		db.Write = d.write
	}
	return db, nil
}

// configure reads a URL. Nothing that a pooler would not pass on is asked of a connection.
func configure(url string, timeout time.Duration) (*pgx.ConnConfig, error) {
	c, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, badURL(err)
	}
	if c.ConnectTimeout == 0 {
		c.ConnectTimeout = timeout
	}
	// Text is sent and read as UTF-8, whatever the URL, the user's settings or the
	// database have as a default.
	maps.DeleteFunc(c.RuntimeParams, func(name, _ string) bool { return strings.EqualFold(name, "client_encoding") })
	c.RuntimeParams["client_encoding"] = "UTF8"
	return c, nil
}

// meet looks at the server for the first time, and makes what transactions need before the
// tables are there.
func (d *opened) meet(ctx context.Context, config *pgx.ConnConfig) error {
	first := config.Copy()
	first.DefaultQueryExecMode = pgx.QueryExecModeExec
	conn, err := pgx.ConnectConfig(ctx, first)
	if err != nil {
		return err
	}
	defer hangUp(ctx, conn)
	var version int
	var encoding string
	var process uint32
	err = conn.QueryRow(ctx, `SELECT current_setting('server_version_num')::int / 10000, current_setting('server_encoding'), pg_backend_pid()`).Scan(&version, &encoding, &process)
	switch {
	case err != nil:
		return err
	case version < oldest:
		return seat.Unavailable("engine", nil, "the server is PostgreSQL %d; seats need %d or newer.", version, oldest)
	case encoding != "UTF8":
		return seat.Unavailable("encoding", nil, "the database keeps text as %s; make one with the encoding UTF8.", encoding)
	}
	// A pooler names itself as what to send a cancellation to. Statements that stay with a
	// connection are lost on it.
	if conn.PgConn().PID() != process {
		config.DefaultQueryExecMode = pgx.QueryExecModeExec
	}
	if d.o.ReadOnly {
		return nil
	}
	return d.prepare(ctx, conn)
}

// prepare makes the schema, and what stands in it beside the tables of all stores, under the
// lock of all who open the store for the first time at this moment.
func (d *opened) prepare(ctx context.Context, conn *pgx.Conn) error {
	// Asked first: who may use a schema may not be allowed to make one, and nobody
	// who works is held up by who joins.
	made := func() (is bool, err error) {
		err = conn.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relname = 'arc_seat_lane')`, d.o.Schema).Scan(&is)
		return is, err
	}
	run := func(statements ...string) error {
		_, err := conn.Exec(ctx, strings.Join(statements, ";"))
		return err
	}
	if is, err := made(); err != nil {
		return err
	} else if is {
		return run(writing, d.settings(), prune, `COMMIT`)
	}
	if err := run(writing, d.settings(), `SELECT pg_advisory_xact_lock(`+decimal(d.lock)+`)`); err != nil {
		return err
	}
	if is, err := made(); err != nil || is {
		return err // the transaction ends with the connection
	}
	// Asked first too: IF NOT EXISTS wants the right to make one that does exist.
	create := `CREATE SCHEMA ` + pgx.Identifier{d.o.Schema}.Sanitize()
	var exists bool
	err := conn.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM pg_namespace WHERE nspname = $1)`, d.o.Schema).Scan(&exists)
	if err != nil {
		return err
	}
	if exists {
		create = ``
	}
	return run(
		create,
		// What a connection wrote last: whether a COMMIT was heard is read here.
		`CREATE TABLE arc_seat_lane (id TEXT PRIMARY KEY, n BIGINT NOT NULL, at TIMESTAMPTZ NOT NULL DEFAULT now())`,
		`CREATE SEQUENCE arc_seat_message`,
		`CREATE SEQUENCE arc_seat_order`,
		`COMMIT`)
}

// hangUp closes a connection, and waits for a server that cannot be reached no longer than a
// moment.
func hangUp(ctx context.Context, conn *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	conn.Close(ctx)
}

// oldest is the oldest server that the store was tried on.
const oldest = 15
