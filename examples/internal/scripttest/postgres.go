package scripttest

import (
	"errors"
	"testing"

	"github.com/arcseat/arc/internal/pgserver"
)

// Postgres is a server of the test's own, which ends with it. Without PostgreSQL the
// test is skipped.
func Postgres(t *testing.T) *pgserver.Server {
	t.Helper()
	server, err := pgserver.Start(t.Context(), &pgserver.Options{Settings: []string{"fsync=off"}})
	if errors.Is(err, pgserver.ErrMissing) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	return server
}
