package sqlite_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/arcseat/arc/seat"
)

// Reported elsewhere: a log that is reset while another connection checkpoints it
// damages the file.
func TestWritersReadersAndCheckpointsDamageNothing(t *testing.T) {
	t.Parallel()
	db := open(t, path(t), nil)
	svc, err := seat.Open(t.Context(), db, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := svc.Join(t.Context(), seat.Spec{Room: "demo"}); err != nil {
		t.Fatal(err)
	}
	var writing, beside sync.WaitGroup
	done := make(chan struct{})
	again := func(do func() error) {
		beside.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				if err := do(); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	again(func() error { _, err := svc.Messages(t.Context(), "demo", 0, 20); return err })
	again(func() error { _, err := db.Write.Exec(`PRAGMA wal_checkpoint(RESTART)`); return err })
	for n := range 4 {
		writing.Go(func() {
			for i := range 50 {
				if _, err := svc.Post(t.Context(), seat.Message{Room: "demo", Author: "bob", Text: fmt.Sprint(n, i)}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	writing.Wait()
	close(done)
	beside.Wait()
	var verdict string
	if err := db.Write.QueryRow(`PRAGMA integrity_check`).Scan(&verdict); err != nil || verdict != "ok" {
		t.Errorf("the file is %q, %v", verdict, err)
	}
	if list, err := svc.Messages(t.Context(), "demo", 0, 1000); err != nil || len(list) != 200 {
		t.Errorf("%d messages, %v", len(list), err)
	}
}
