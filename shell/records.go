package shell

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/internal/retain"
)

// Records are what the commands of a state directory have left, read beside whoever
// owns it and changed in nothing, also where the disk cannot be written: an operator
// who only looks has them. A job whose host is gone is told as killed; its notice is
// left to the next Open. Methods may be used from many goroutines.
type Records struct{ sh *Shell }

// ReadRecords reads those of a state directory. One without commands has none.
func ReadRecords(state string) (*Records, error) {
	store, err := retain.Open(filepath.Join(state, "spool"), &retain.Options{Read: true})
	if err != nil {
		return nil, fmt.Errorf("shell: %w", err)
	}
	return &Records{&Shell{store: store, looking: true, runs: map[string]*run{}, notices: &notices{}, log: slog.New(slog.DiscardHandler)}}, nil
}

// Touched is that of a Shell.
func (r *Records) Touched(ctx context.Context, seat arc.SeatID, turns []arc.TurnID) ([]arc.Touch, error) {
	return r.sh.Touched(ctx, seat, turns)
}

// JobStatus is that of a Shell.
func (r *Records) JobStatus(ctx context.Context, seat arc.SeatID, job string) (status string, ended bool, err error) {
	return r.sh.JobStatus(ctx, seat, job)
}
