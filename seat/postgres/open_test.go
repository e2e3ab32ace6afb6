package postgres_test

import (
	"context"
	"database/sql"
	"errors"
	neturl "net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/internal/pgserver"
	"github.com/arcseat/arc/seat"
	"github.com/arcseat/arc/seat/postgres"
	"github.com/arcseat/arc/seat/seattest"
)

var demo = seat.Ref{RunID: "demo"}

func TestManyMayMakeAStoreAtOnce(t *testing.T) {
	t.Parallel()
	u, name := url(t), schema(t)
	var opening sync.WaitGroup
	for range 5 {
		opening.Go(func() {
			db, err := postgres.Open(t.Context(), u, &postgres.Options{Schema: name, Timeout: time.Minute})
			if err != nil {
				t.Error(err)
				return
			}
			defer db.Close()
			svc, err := seat.Open(t.Context(), db, nil)
			if err == nil {
				_, err = svc.Join(t.Context(), seat.Spec{Room: "demo"})
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	opening.Wait()
}

// Machines whose clocks differ agree on what is due and on whose a turn is.
func TestTimeIsTheServers(t *testing.T) {
	t.Parallel()
	db := open(t, url(t), &postgres.Options{Schema: schema(t)})
	enter := db.Shared.Enter
	db.Shared.Enter = func(ctx context.Context, c *sql.Conn, b seat.Beginning) (int64, bool, error) {
		now, taken, err := enter(ctx, c, b)
		return now + time.Hour.Microseconds(), taken, err
	}
	svc, err := seat.Open(t.Context(), db, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := svc.Join(t.Context(), seat.Spec{Room: "demo"}); err != nil {
		t.Fatal(err)
	}
	q, err := svc.Send(t.Context(), seat.Prompt{Ref: demo, Text: "work"})
	if err != nil || time.Until(q.EnqueuedAt) < 30*time.Minute {
		t.Errorf("it was queued at %v, %v", q.EnqueuedAt, err)
	}
}

func TestTextThatTheServerCannotKeep(t *testing.T) {
	t.Parallel()
	db := open(t, url(t), &postgres.Options{Schema: schema(t)})
	svc, err := seat.Open(t.Context(), db, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := svc.Join(t.Context(), seat.Spec{Room: `it's \ a "room"`}); err != nil {
		t.Fatal(err)
	}
	if _, err := svc.Send(t.Context(), seat.Prompt{Ref: seat.Ref{RunID: `it's \ a "room"`}, Text: "a\x00b\xff"}); err != nil {
		t.Fatal(err)
	}
	err = svc.Run(t.Context(), func(ctx context.Context, x *seat.Turn) (string, error) {
		one, err := x.Seat.SaveNotes(ctx, "call\x00\xff", "n")
		if err != nil {
			t.Error(err)
			return "", err
		}
		again, err := x.Seat.SaveNotes(ctx, "call\x00\xff", "n")
		if err != nil || again.String() != one.String() {
			t.Errorf("the same call again: %v, %v", again, err)
		}
		return "r", nil
	}, &seat.RunOptions{Idle: true})
	if err != nil {
		t.Fatal(err)
	}
}

func TestAStoreThatCannotBeOpenedSaysWhy(t *testing.T) {
	t.Parallel()
	u := url(t)
	for _, c := range []struct {
		url    string
		o      *postgres.Options
		code   arc.Code
		reason string
	}{
		{"postgres://127.0.0.1:1/none?sslmode=disable", nil, seat.StoreUnavailable, seat.ReasonConnection},
		{"postgres://secret:word@[", nil, arc.InvalidArguments, "url"},
		{"host=127.0.0.1 password = secretword port=x", nil, arc.InvalidArguments, "url"},
		{u + "&default_transaction_read_only=on", nil, seat.StoreUnavailable, "read_only"},
		{u, &postgres.Options{Schema: strings.Repeat("s", 64)}, arc.InvalidArguments, "schema"},
		{u, &postgres.Options{Schema: "$user"}, arc.InvalidArguments, "schema"},
		{u, &postgres.Options{Schema: "pg_temp_1"}, arc.InvalidArguments, "schema"},
		{u, &postgres.Options{Schema: "a\x00b"}, arc.InvalidArguments, "schema"},
		{strings.Replace(u, "/postgres?", "/nobodys?", 1), nil, arc.NotFound, ""},
	} {
		db, err := postgres.Open(t.Context(), c.url, c.o)
		if err == nil {
			db.Close()
		}
		var e *arc.Error
		if !errors.As(err, &e) || e.Code != c.code || strings.Contains(e.Message, "word") {
			t.Errorf("%s: got %v, want %s", c.url, err, c.code)
			continue
		}
		if e.Err != nil && strings.Contains(e.Err.Error(), "word") {
			t.Errorf("%s: its cause is %v", c.url, e.Err)
		}
		if d, _ := e.Detail.(map[string]string); c.reason != "" && d["reason"] != c.reason {
			t.Errorf("%s: the reason is %v, want %s", c.url, e.Detail, c.reason)
		}
	}
}

// A database's owner makes the schema, and lets the seats' user make none.
func TestASchemaThatSomebodyElseHasMade(t *testing.T) {
	t.Parallel()
	u, err := neturl.Parse(url(t))
	if err != nil {
		t.Fatal(err)
	}
	if shared.own == nil {
		t.Skip("the server of ARC_POSTGRES may want a password, and let this user make no other")
	}
	name := schema(t)
	user := name + "_user"
	db := open(t, u.String(), &postgres.Options{Schema: schema(t)})
	exec := func(statements string) {
		t.Helper()
		if _, err := db.Write.Exec(statements); err != nil {
			t.Error(err)
		}
	}
	exec(`CREATE ROLE ` + user + ` LOGIN; CREATE SCHEMA ` + name + ` AUTHORIZATION ` + user)
	t.Cleanup(func() { exec(`DROP OWNED BY ` + user + ` CASCADE; DROP ROLE ` + user) })
	u.User = neturl.User(user)
	theirs, err := postgres.Open(t.Context(), u.String(), &postgres.Options{Schema: name})
	if err != nil {
		t.Fatal(err)
	}
	defer theirs.Close()
	if _, err := seat.Open(t.Context(), theirs, nil); err != nil {
		t.Error(err)
	}
	if _, err := postgres.Open(t.Context(), u.String(), &postgres.Options{Schema: name + "_2"}); !errors.Is(err, arc.PermissionDenied) {
		t.Errorf("without a schema: got %v", err)
	}
}

func TestAStatementThatTakesTooLongIsEnded(t *testing.T) {
	t.Parallel()
	db := open(t, url(t), &postgres.Options{Schema: schema(t), Timeout: 2 * time.Second, RetryFor: time.Millisecond})
	err := db.Update(t.Context(), func(tx *seat.Tx) error {
		_, err := tx.Exec(`SELECT pg_sleep(60)`)
		return err
	})
	if !errors.Is(err, arc.Locked) {
		t.Errorf("got %v", err)
	}
}

func TestAReaderWritesNothing(t *testing.T) {
	t.Parallel()
	name := schema(t)
	o := &postgres.Options{Schema: name}
	if _, err := seat.Open(t.Context(), open(t, url(t), o), nil); err != nil {
		t.Fatal(err)
	}
	db := open(t, url(t), &postgres.Options{Schema: name, ReadOnly: true})
	if _, err := seat.Open(t.Context(), db, nil); err != nil {
		t.Error(err)
	}
	err := db.Update(t.Context(), func(*seat.Tx) error { return nil })
	if !errors.Is(err, seat.StoreUnavailable) {
		t.Errorf("got %v", err)
	}
	err = db.View(t.Context(), func(tx *seat.Tx) error {
		_, err := tx.Exec(`DELETE FROM seat`)
		return err
	})
	if err == nil {
		t.Error("a view has written")
	}
}

// Behind a pooler that gives a connection to another after each transaction all is the
// same, but that nobody can be heard there.
func TestAPooler(t *testing.T) {
	t.Parallel()
	u := url(t)
	if shared.own == nil {
		t.Skip("ARC_POSTGRES is somebody else's server")
	}
	addr, stop, err := shared.own.Pooler(t.Context())
	if errors.Is(err, pgserver.ErrNoPooler) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	var names sync.Map
	seattest.Run(t, func(t *testing.T, path string) seat.Store {
		db, err := postgres.Open(t.Context(), pgserver.At(addr), &postgres.Options{Schema: named(t, &names, path), Listen: u})
		if err != nil {
			t.Fatal(err)
		}
		return db
	}, &seattest.Options{Ops: *ops / 4, Seed: *seed})
}
