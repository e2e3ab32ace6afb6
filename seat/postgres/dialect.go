package postgres

import (
	"database/sql/driver"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/arcseat/arc/seat"
)

// dialect is how PostgreSQL speaks. Ids and places come from sequences, which nobody waits
// for: within a room they are given in order, because the room's row is held.
func (d *opened) dialect() seat.Dialect {
	return seat.Dialect{
		Bind:        bind,
		Unprepared:  true, // the driver prepares what it may
		Script:      script,
		NextMessage: `nextval('arc_seat_message')`,
		NewMessage:  `currval('arc_seat_message')`,
		NextOrder:   `SELECT nextval('arc_seat_order')`,
		// A seat whose turn begins this very moment is locked, and stays on the list.
		Begun: `DELETE FROM begun WHERE seat_id <> $1 AND seat_id IN
			(SELECT id FROM seat WHERE lease_turn = '' AND id IN (SELECT seat_id FROM begun) FOR UPDATE SKIP LOCKED)`,
		Ring: `NOTIFY ` + pgx.Identifier{d.bell}.Sanitize(),
	}
}

// script writes a migration for PostgreSQL: ids that count on, and text in the order of its
// bytes, as everywhere else.
func script(statements string) string {
	return strings.NewReplacer(
		"INTEGER PRIMARY KEY", "BIGINT PRIMARY KEY",
		" TEXT ", ` TEXT COLLATE "C" `,
	).Replace(statements)
}

// bind is an argument of a type that the server has.
func bind(arg any) any {
	v, err := driver.DefaultParameterConverter.ConvertValue(arg)
	if err != nil {
		return arg // the driver says why
	}
	if s, ok := v.(string); ok {
		return text(s)
	}
	return v
}

// text is s as the server can keep it.
func text(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}
