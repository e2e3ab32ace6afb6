package postgres_test

import (
	"context"
	"errors"
	neturl "net/url"
	"testing"
	"time"

	"github.com/arcseat/arc/internal/pgserver"
	"github.com/arcseat/arc/seat"
	"github.com/arcseat/arc/seat/postgres"
	"github.com/arcseat/arc/seat/seattest"
)

// A COMMIT whose answer does not come is found out about: one that the server has made is not
// made again, one that it never heard of is.
func TestACommitIsMadeOnceWhateverIsHeardOfIt(t *testing.T) {
	t.Parallel()
	for name, lose := range map[string]func(*proxy){
		"the server has made it":       (*proxy).silence,
		"the server never heard of it": (*proxy).partition,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, through := behindProxy(t)
			o := &postgres.Options{Schema: schema(t), Timeout: 2 * time.Second, RetryFor: 30 * time.Second}
			db := open(t, through, o)
			if err := db.Update(t.Context(), func(tx *seat.Tx) error { return tx.Script(`CREATE TABLE once (n BIGINT)`) }); err != nil {
				t.Fatal(err)
			}
			calls := 0
			err := db.Update(t.Context(), func(tx *seat.Tx) error {
				_, err := tx.Exec(`INSERT INTO once VALUES ($1)`, 1)
				if calls++; calls == 1 {
					lose(p)
					time.AfterFunc(2500*time.Millisecond, p.heal)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			if n := seattest.Number(t, db, `SELECT COUNT(*) FROM once`); n != 1 {
				t.Errorf("it was written %d times, after %d calls", n, calls)
			}
			if want := map[string]int{"the server has made it": 1, "the server never heard of it": 2}[name]; calls != want {
				t.Errorf("%d calls, want %d", calls, want)
			}
		})
	}
}

// Whoever closes the store in the middle of that waits for it.
func TestACloseWaitsUntilItIsKnownWhatWasCommitted(t *testing.T) {
	t.Parallel()
	p, through := behindProxy(t)
	db := open(t, through, &postgres.Options{Schema: schema(t), Timeout: 2 * time.Second, RetryFor: 30 * time.Second})
	if err := db.Update(t.Context(), func(tx *seat.Tx) error { return tx.Script(`CREATE TABLE once (n BIGINT)`) }); err != nil {
		t.Fatal(err)
	}
	closed := make(chan error, 1)
	err := db.Update(t.Context(), func(tx *seat.Tx) error {
		_, err := tx.Exec(`INSERT INTO once VALUES ($1)`, 1)
		p.silence()
		go func() { closed <- db.Close() }()
		time.AfterFunc(2500*time.Millisecond, p.heal)
		return err
	})
	if err != nil {
		t.Errorf("it was kept, and got %v", err)
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
}

// behindProxy is the server at a proxy's address.
func behindProxy(t *testing.T) (*proxy, string) {
	t.Helper()
	u, err := neturl.Parse(url(t))
	if err != nil {
		t.Fatal(err)
	}
	p := newProxy(t, u.Host)
	if shared.own != nil {
		return p, pgserver.At(p.addr())
	}
	u.Host = p.addr()
	return p, u.String()
}

// Who waits for others until its own time is over is not told that the server is gone: a
// turn whose handler returns that would be left for the next host, again and again.
func TestTheCallersDeadlineIsNoTroubleOfTheServers(t *testing.T) {
	t.Parallel()
	db := open(t, url(t), &postgres.Options{Schema: schema(t), Connections: 2})
	svc, err := seat.Open(t.Context(), db, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := svc.Join(t.Context(), seat.Spec{Room: "demo"}); err != nil {
		t.Fatal(err)
	}
	for _, also := range []string{"", "other"} { // with which all connections are taken
		begun, over := make(chan struct{}, 2), make(chan struct{})
		ended := make(chan error, 2)
		rooms := []string{"demo"}
		if also != "" {
			rooms = append(rooms, also)
		}
		for _, room := range rooms {
			go func() {
				ended <- db.UpdateRoom(t.Context(), room, func(*seat.Tx) error {
					begun <- struct{}{}
					<-over
					return nil
				})
			}()
			<-begun
		}
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		err := db.UpdateRoom(ctx, "demo", func(*seat.Tx) error { return nil })
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, seat.StoreUnavailable) {
			t.Errorf("beside %q: got %v", rooms, err)
		}
		close(over)
		for range rooms {
			if err := <-ended; err != nil {
				t.Error(err)
			}
		}
	}
}
