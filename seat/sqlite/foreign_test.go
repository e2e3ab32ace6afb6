package sqlite_test

import (
	"bytes"
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"testing"

	"github.com/arcseat/arc/seat"
	"github.com/arcseat/arc/seat/seattest"
	"github.com/arcseat/arc/seat/sqlite"
)

// A browser's history, say, is a SQLite file as well.
func TestAnotherProgramsFileIsRefusedAndLeftAlone(t *testing.T) {
	t.Parallel()
	for name, setup := range map[string]string{
		"a file without a mark":                  `CREATE TABLE visits (url TEXT); INSERT INTO visits VALUES ('x')`,
		"a file with a mark of its own":          `PRAGMA application_id = 252006673; CREATE TABLE visits (url TEXT)`,
		"a file with a log":                      `PRAGMA journal_mode = WAL; CREATE TABLE visits (url TEXT); INSERT INTO visits VALUES ('x')`,
		"a file that has tables of our own name": `CREATE TABLE seat (id TEXT); CREATE TABLE arc_seat_version (version BIGINT); INSERT INTO arc_seat_version VALUES (1)`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := filepath.Join(t.TempDir(), "history.db")
			other, err := sql.Open("sqlite", p)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := other.Exec(setup); err != nil {
				t.Fatal(err)
			}
			if err := other.Close(); err != nil {
				t.Fatal(err)
			}
			before, err := os.ReadFile(p)
			if err != nil {
				t.Fatal(err)
			}
			for _, o := range []*sqlite.Options{nil, {ReadOnly: true}} {
				if code, reason := fails(t, p, o); code != seat.StoreUnavailable || reason != "foreign" {
					t.Errorf("got %s, %s", code, reason)
				}
			}
			if after, err := os.ReadFile(p); err != nil || !bytes.Equal(before, after) {
				t.Error("the file was changed")
			}
		})
	}
}

func TestAReaderSeesWhatTheOwnerRuns(t *testing.T) {
	t.Parallel()
	p := path(t)
	db := open(t, p, nil)
	svc, err := seat.Open(t.Context(), db, &seat.Options{Clock: seattest.NewClock()})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := svc.Join(t.Context(), seat.Spec{Room: "demo"}); err != nil {
		t.Fatal(err)
	}
	if _, err := svc.Send(t.Context(), seat.Prompt{Ref: demo, Text: "work"}); err != nil {
		t.Fatal(err)
	}
	reader, err := seat.Open(t.Context(), open(t, p, &sqlite.Options{ReadOnly: true}), nil)
	if err != nil {
		t.Fatal(err)
	}
	state := func() string {
		t.Helper()
		c, err := reader.Context(t.Context(), seat.Operator{}, seat.ContextArgs{Ref: demo})
		if err != nil {
			t.Fatal(err)
		}
		if c.Busy == nil {
			return "idle"
		}
		return c.Busy.State
	}
	err = svc.Run(t.Context(), func(context.Context, *seat.Turn) (string, error) {
		if got := state(); got != "running" {
			t.Errorf("while it runs: %s", got)
		}
		db.Close() // the owner is gone, and the turn with it
		if got := state(); got != "interrupted" {
			t.Errorf("when its owner is gone: %s", got)
		}
		return "lost", nil
	}, &seat.RunOptions{Idle: true})
	if err == nil {
		t.Error("a closed store was run")
	}
	open(t, p, nil) // another owner, who has not begun it
	if got := state(); got != "interrupted" {
		t.Errorf("beside the next owner: %s", got)
	}
}
