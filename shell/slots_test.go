//go:build linux

package shell

import (
	"testing"
	"time"

	"github.com/arcseat/arc"
)

// A block budget may pass in the moment in which the command ends.
func TestASeatWithNothingRunningTakesNoMemory(t *testing.T) {
	t.Parallel()
	sh, err := Open(t.TempDir(), &Options{State: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer sh.Close(t.Context())
	res, err := sh.Exec(t.Context(), arc.Origin{Seat: "a"}, ExecArgs{Command: "true"})
	if err != nil {
		t.Fatal(err)
	}
	r, err := sh.lookup(res.SpoolID)
	if err != nil {
		t.Fatal(err)
	}
	if sh.freed("a") != nil {
		t.Error("a slot may come free for a seat that has nothing running")
	}
	if jobs, ok := sh.background(r); ok || len(jobs) > 0 {
		t.Errorf("a command that has ended went to the background, beside %v", jobs)
	}
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if len(sh.active) > 0 {
		t.Errorf("%d seats have something running", len(sh.active))
	}
}

func TestASeatThatRanItsLastCommandLongAgoTakesNoMemory(t *testing.T) {
	t.Parallel()
	sh, err := Open(t.TempDir(), &Options{State: t.TempDir(), Limits: Limits{KeepFor: 50 * time.Millisecond}})
	if err != nil {
		t.Fatal(err)
	}
	defer sh.Close(t.Context())
	for _, seat := range []arc.SeatID{"a", "b"} {
		if _, err := sh.Exec(t.Context(), arc.Origin{Seat: seat, Turn: "t"}, ExecArgs{Command: "true"}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(100 * time.Millisecond)
	}
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if len(sh.runs) != 1 || len(sh.turns) != 1 || sh.turns["b"] != "t" {
		t.Errorf("%d runs and the turns %v are remembered", len(sh.runs), sh.turns)
	}
}
