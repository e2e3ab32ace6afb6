package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/arcseat/arc/internal/pgserver"
)

// database is the URL of one to try it on.
func database(tb testing.TB) string {
	tb.Helper()
	if url := os.Getenv("ARC_POSTGRES"); url != "" {
		return url
	}
	server, err := pgserver.Start(tb.Context(), nil)
	if errors.Is(err, pgserver.ErrMissing) {
		tb.Skip(err)
	}
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { server.Close() })
	return server.URL()
}

func TestRiverRunsATurnAndRingsForAReminder(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute) // a guard: it takes seconds
	defer cancel()
	var out bytes.Buffer
	if err := run(ctx, database(t), &out); err != nil {
		t.Fatal(err)
	}
	if want := "task: Make tea.\nwoken: the tea is ready\n"; out.String() != want {
		t.Errorf("it said %q, want %q", out.String(), want)
	}
}
