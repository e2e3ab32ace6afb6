package postgres_test

import (
	"errors"
	"testing"
	"time"

	"github.com/arcseat/arc/seat"
	"github.com/arcseat/arc/seat/postgres"
	"github.com/arcseat/arc/seat/seattest"
)

// hosts counts the rows of a table that has nothing to do with a room.
func hosts(tx *seat.Tx) (n int, err error) {
	rows, err := tx.Query(`SELECT COUNT(*) FROM host`)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	rows.Next()
	return n, errors.Join(rows.Scan(&n), rows.Err())
}

func addHost(tx *seat.Tx) error {
	_, err := tx.Exec(`INSERT INTO host (label, until_us) VALUES ('a', 1)`)
	return err
}

// A database may have another isolation as a default: who has waited for a room sees there
// too what was done to it meanwhile.
func TestTheDatabasesDefaultIsolationChangesNothing(t *testing.T) {
	t.Parallel()
	for _, level := range []string{"repeatable%20read", "serializable"} {
		db := open(t, url(t)+"&default_transaction_isolation="+level, &postgres.Options{Schema: schema(t)})
		svc, err := seat.Open(t.Context(), db, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := svc.Join(t.Context(), seat.Spec{Room: "demo"}); err != nil {
			t.Fatal(err)
		}
		began, waits, first := make(chan struct{}), make(chan struct{}), make(chan error, 1)
		go func() {
			first <- db.UpdateRoom(t.Context(), "demo", func(tx *seat.Tx) error {
				close(began)
				<-waits
				return addHost(tx)
			})
		}()
		<-began
		time.AfterFunc(300*time.Millisecond, func() { close(waits) }) // by then the second waits, as a rule
		n := 0
		err = db.UpdateRoom(t.Context(), "demo", func(tx *seat.Tx) (err error) {
			n, err = hosts(tx)
			return err
		})
		if err = errors.Join(err, <-first); err != nil || n != 1 {
			t.Errorf("%s: who waited sees %d of 1, %v", level, n, err)
		}
	}
}

// A statement that fails undoes all of its transaction on this server, also where the
// caller takes no notice of it.
func TestAnUpdateThatKeptNothingIsNoSuccess(t *testing.T) {
	t.Parallel()
	db := open(t, url(t), &postgres.Options{Schema: schema(t)})
	if _, err := seat.Open(t.Context(), db, nil); err != nil {
		t.Fatal(err)
	}
	err := db.Update(t.Context(), func(tx *seat.Tx) error {
		if err := addHost(tx); err != nil {
			return err
		}
		_ = addHost(tx) // which is there already
		return nil
	})
	n := 0
	if err := db.View(t.Context(), func(tx *seat.Tx) (err error) {
		n, err = hosts(tx)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if err == nil || n != 0 {
		t.Errorf("it answered %v, and %d rows stand", err, n)
	}
}

// A URL, as one that was made for other programs, may ask for another encoding.
func TestTextIsUTF8WhateverTheURLAsksFor(t *testing.T) {
	t.Parallel()
	for _, with := range []string{"client_encoding=LATIN1", "Client_Encoding=SQL_ASCII", "options=-c%20client_encoding%3DLATIN1"} {
		db := open(t, url(t)+"&"+with, &postgres.Options{Schema: schema(t)})
		svc, err := seat.Open(t.Context(), db, nil)
		if err != nil {
			t.Errorf("%s: %v", with, err)
			continue
		}
		const text = "é漢🙂"
		if _, err := svc.Join(t.Context(), seat.Spec{Room: text}); err != nil {
			t.Errorf("%s: %v", with, err)
		}
		if _, err := svc.Send(t.Context(), seat.Prompt{Ref: seat.Ref{RunID: text}, Text: text}); err != nil {
			t.Errorf("%s: %v", with, err)
		}
		list, err := svc.Messages(t.Context(), text, 0, 0)
		if err != nil || len(list) != 1 || list[0].Text != text {
			t.Errorf("%s: got %+v, %v", with, list, err)
		}
	}
}

// A host that runs for long loses its connections now and then. What each wrote last to
// know its own transactions by does not stay for ever.
func TestConnectionsThatAreGoneAreForgotten(t *testing.T) {
	t.Parallel()
	db := open(t, url(t), &postgres.Options{Schema: schema(t), Connections: 1})
	for range 4 {
		lost := false
		for range 2 { // the first on the connection of before, and then on a new one
			err := db.Update(t.Context(), func(tx *seat.Tx) error {
				query := `UPDATE arc_seat_lane SET at = now() - interval '2 days'`
				if !lost {
					lost = true
					query = `SELECT pg_terminate_backend(pg_backend_pid())`
				}
				_, err := tx.Exec(query)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	if n := seattest.Number(t, db, `SELECT COUNT(*) FROM arc_seat_lane`); n > 2 {
		t.Errorf("%d connections are remembered, want the one of now and the last", n)
	}
}
