package postgres_test

import (
	"context"
	neturl "net/url"
	"testing"
	"time"

	"github.com/arcseat/arc/internal/pgserver"
	"github.com/arcseat/arc/seat"
	"github.com/arcseat/arc/seat/postgres"
)

// A COMMIT whose answer does not come is found out about: one that the server has made is not
// made again, one that it never heard of is.
func TestACommitIsMadeOnceWhateverIsHeardOfIt(t *testing.T) {
	t.Parallel()
	u, err := neturl.Parse(url(t))
	if err != nil {
		t.Fatal(err)
	}
	for name, lose := range map[string]func(*proxy){
		"the server has made it":       (*proxy).silence,
		"the server never heard of it": (*proxy).partition,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProxy(t, u.Host)
			through := *u
			through.Host = p.addr()
			if shared.own != nil {
				through = *parse(t, pgserver.At(p.addr()))
			}
			o := &postgres.Options{Schema: schema(t), Timeout: 300 * time.Millisecond, Patience: 30 * time.Second}
			db := open(t, through.String(), o)
			if err := db.Update(t.Context(), func(tx *seat.Tx) error { return tx.Script(`CREATE TABLE once (n BIGINT)`) }); err != nil {
				t.Fatal(err)
			}
			calls := 0
			err := db.Update(t.Context(), func(tx *seat.Tx) error {
				_, err := tx.Exec(`INSERT INTO once VALUES ($1)`, 1)
				if calls++; calls == 1 {
					lose(p)
					time.AfterFunc(500*time.Millisecond, p.heal)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			if n := rowsOf(t, db, `SELECT COUNT(*) FROM once`); n != 1 {
				t.Errorf("it was written %d times, after %d calls", n, calls)
			}
			if want := map[string]int{"the server has made it": 1, "the server never heard of it": 2}[name]; calls != want {
				t.Errorf("%d calls, want %d", calls, want)
			}
		})
	}
}

func parse(t *testing.T, s string) *neturl.URL {
	t.Helper()
	u, err := neturl.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func rowsOf(t *testing.T, db *seat.DB, query string) (n int64) {
	t.Helper()
	err := db.View(context.Background(), func(tx *seat.Tx) error {
		rows, err := tx.Query(query)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			if err := rows.Scan(&n); err != nil {
				return err
			}
		}
		return rows.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}
