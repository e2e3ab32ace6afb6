package postgres_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"go.uber.org/goleak"

	"github.com/arcseat/arc/internal/pgserver"
	"github.com/arcseat/arc/seat"
	"github.com/arcseat/arc/seat/postgres"
)

// More of what takes long:
//
//	go test ./seat/postgres -ops 20000 -checks 2 -kill-for 60s -restarts 10 -partitions 5
var (
	ops    = flag.Int("ops", 100, "operations of the model check")
	checks = flag.Int("checks", 1, "model checks that share them, with seeds in a row")
	seed   = flag.Uint64("seed", 1, "seed of the model check; 0: a new one")
)

// enough connections for the hosts of two tests that run side by side (-parallel 2).
const enough = 150

// server is the one that all tests share, each in a schema of its own: the one at
// ARC_POSTGRES, which allows enough connections, or one that is started here if its programs
// are installed.
type server struct {
	once sync.Once
	url  string
	own  *pgserver.Server // nil: somebody else's
	err  error
}

var shared server

func (s *server) start() {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	if s.url = os.Getenv("ARC_POSTGRES"); s.url != "" {
		s.err = allows(ctx, s.url)
		return
	}
	if s.own, s.err = pgserver.Start(ctx, &pgserver.Options{Settings: []string{"fsync=off", "autovacuum=off"}}); s.err == nil {
		s.url = s.own.URL()
	}
}

// allows fails where a server allows fewer connections than enough: tests that get none wait
// for one, and fail by chance.
func allows(ctx context.Context, url string) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	n := 0
	err = conn.QueryRow(ctx, `SELECT current_setting('max_connections')::int`).Scan(&n)
	if err == nil && n < enough {
		err = fmt.Errorf("the server of ARC_POSTGRES allows %d connections, and the tests need %d: set max_connections", n, enough)
	}
	return err
}

// url is where tests find a database.
func url(tb testing.TB) string {
	tb.Helper()
	shared.once.Do(shared.start)
	if errors.Is(shared.err, pgserver.ErrMissing) {
		tb.Skip("there is no PostgreSQL: ", shared.err, ", or set ARC_POSTGRES to a URL")
	}
	if shared.err != nil {
		tb.Fatal(shared.err)
	}
	return shared.url
}

var schemas struct {
	sync.Mutex
	n int
}

// schema names a schema that nobody has used, and drops it after the test.
func schema(tb testing.TB) string {
	tb.Helper()
	u := url(tb)
	schemas.Lock()
	schemas.n++
	name := fmt.Sprintf("arc_test_%d_%d", os.Getpid(), schemas.n)
	schemas.Unlock()
	tb.Cleanup(func() {
		db, err := postgres.Open(context.Background(), u, nil)
		if err != nil {
			tb.Error(err)
			return
		}
		defer db.Close()
		if _, err := db.Write.Exec(`DROP SCHEMA IF EXISTS ` + name + ` CASCADE`); err != nil {
			tb.Error(err)
		}
	})
	return name
}

// open opens a store, which is closed after the test.
func open(tb testing.TB, url string, o *postgres.Options) *seat.DB {
	tb.Helper()
	db, err := postgres.Open(tb.Context(), url, o)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { db.Close() })
	return db
}

func TestMain(m *testing.M) {
	if o := os.Getenv(childOrders); o != "" {
		work(o)
	}
	if u := os.Getenv(childURL); u != "" {
		takePart(u, os.Getenv(childSchema))
	}
	flag.Parse()
	code := m.Run()
	if shared.own != nil {
		if err := shared.own.Close(); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
	if err := goleak.Find(); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}
