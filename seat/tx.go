package seat

import (
	"context"
	"database/sql"
	"strconv"
	"strings"

	"github.com/arcseat/arc"
)

// A Tx is one transaction. Queries number their arguments $1, $2, and so on, and
// keep to what SQLite and PostgreSQL have in common. It belongs to the goroutine of
// the function that it was given to.
type Tx struct {
	ctx   context.Context
	still context.Context // that doesn't end: a driver watches one that does at each statement, which costs as much as the statement
	db    *DB
	lane  *lane
	now   int64 // when it began by the store's own clock; 0: it has none
	rings bool

	// For the service whose transaction it is:
	armed, ended []string   // wakes
	committed    arc.TurnID // a turn
}

// Ring lets everybody who listens to the store hear that there is something to do, once
// the transaction is committed.
func (t *Tx) Ring() { t.rings = true }

// Exec runs a statement and reports how many rows it changed.
func (t *Tx) Exec(query string, args ...any) (int64, error) {
	if err := t.ctx.Err(); err != nil {
		return 0, err
	}
	var r sql.Result
	var err error
	if t.db.Dialect.Unprepared {
		r, err = t.lane.conn.ExecContext(t.still, t.bound(query), t.args(args)...)
	} else {
		var s *sql.Stmt
		if s, err = t.prepare(query); err == nil {
			r, err = s.ExecContext(t.still, t.args(args)...)
		}
	}
	if err != nil {
		return 0, err
	}
	return r.RowsAffected()
}

// Query runs a query. The caller closes the rows.
func (t *Tx) Query(query string, args ...any) (*sql.Rows, error) {
	if err := t.ctx.Err(); err != nil {
		return nil, err
	}
	if t.db.Dialect.Unprepared {
		return t.lane.conn.QueryContext(t.still, t.bound(query), t.args(args)...)
	}
	s, err := t.prepare(query)
	if err != nil {
		return nil, err
	}
	return s.QueryContext(t.still, t.args(args)...)
}

// Script runs statements without arguments, as a migration does.
func (t *Tx) Script(statements string) error {
	if t.db.Dialect.Script != nil {
		statements = t.db.Dialect.Script(statements)
	}
	_, err := t.lane.conn.ExecContext(t.still, statements)
	return err
}

func (t *Tx) bound(query string) string {
	if t.db.Dialect.Rebind == nil {
		return query
	}
	return t.db.Dialect.Rebind(query)
}

// args are those that the driver is given.
func (t *Tx) args(args []any) []any {
	if t.db.Dialect.Bind == nil || len(args) == 0 {
		return args
	}
	bound := make([]any, len(args))
	for i, a := range args {
		bound[i] = t.db.Dialect.Bind(a)
	}
	return bound
}

func (t *Tx) prepare(query string) (*sql.Stmt, error) {
	if s := t.lane.prepared[query]; s != nil {
		return s, nil
	}
	s, err := t.lane.conn.PrepareContext(t.still, t.bound(query))
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

// atOnce is how many of many rows one statement is about.
const atOnce = 100

// in is the condition of a query that something is one of list, which it adds to args.
func in[T any](args *[]any, list []T) string {
	var marks []string
	for _, x := range list {
		*args = append(*args, x)
		marks = append(marks, "$"+strconv.Itoa(len(*args)))
	}
	return `IN (` + strings.Join(marks, ", ") + `)`
}
