package local

import (
	"context"
	"testing"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/shell"
)

// A store that does not take a notice now has it told again; one that never will has not.
func TestWhatTheStoreSaysToANotice(t *testing.T) {
	t.Parallel()
	h, err := Open(t.TempDir(), &Options{State: t.TempDir(), Seats: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Close(context.Background()) }) // its store is closed already
	n := shell.Notice{Origin: arc.Origin{Seat: "demo/main"}, JobID: "job_1", Status: "completed", Text: "[shell-job] job_1 completed"}
	if err := h.notify(n); err != nil {
		t.Errorf("the notice of a seat that is not there is refused: %v", err)
	}
	if err := h.store.Close(); err != nil {
		t.Fatal(err)
	}
	if err := h.notify(n); err == nil {
		t.Error("a store that is closed has taken a notice")
	}
	n.Origin.Seat = ""
	if err := h.notify(n); err != nil {
		t.Errorf("the notice of a call without a seat is refused: %v", err)
	}
}
