package seattest

import (
	"testing"

	"github.com/arcseat/arc/seat"
)

// Number is what a query of a whole number yields in a view of s, 0 where that is no row. It
// fails t at once where the query cannot be made.
func Number(t testing.TB, s seat.Store, query string, args ...any) (n int64) {
	t.Helper()
	err := s.View(t.Context(), func(tx *seat.Tx) (err error) {
		n, err = number(tx, query, args...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func number(tx *seat.Tx, query string, args ...any) (n int64, err error) {
	rows, err := tx.Query(query, args...)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	for rows.Next() {
		if err := rows.Scan(&n); err != nil {
			return 0, err
		}
	}
	return n, rows.Err()
}
