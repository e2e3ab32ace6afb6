package local

import (
	"context"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/seat"
	"github.com/arcseat/arc/shell"
)

// checkLimit is how long an operator's command may run, in seconds.
const checkLimit = 900

// Check runs commands of the operator's in the turn, one after the other, and says what
// is missing for the first that fails: what a [seat.Gate] asks for before a run may
// finish. They run whatever the turn's access is, since they are not the model's. One
// that takes its time becomes a job, as the model's would, and is waited for, for 15
// minutes at most. A command that cannot be run is not passed.
func (h *Host) Check(ctx context.Context, o arc.Origin, commands ...string) (seat.Verdict, error) {
	for _, command := range commands {
		status, err := h.runCheck(ctx, o, command)
		switch {
		case ctx.Err() != nil:
			return seat.Verdict{}, ctx.Err()
		case err != nil:
			return seat.Verdict{Missing: command + " could not be run", Next: "tell the operator; only the operator can mend this"}, nil
		case status != "completed":
			return seat.Verdict{Missing: command + " " + status, Next: "make it succeed, then call finish again"}, nil
		}
	}
	return seat.Verdict{}, nil
}

func (h *Host) runCheck(ctx context.Context, o arc.Origin, command string) (status string, err error) {
	r, err := h.Shell.Exec(ctx, o, shell.ExecArgs{Command: command, TimeoutSec: new(float64(checkLimit)), BlockBudgetSec: new(60.0)})
	if err != nil {
		return "", err
	}
	status = r.Status
	for ended := r.JobID == ""; !ended; {
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case <-time.After(200 * time.Millisecond):
		}
		if status, ended, err = h.Shell.JobStatus(ctx, o.Seat, r.JobID); err != nil {
			return "", err
		}
	}
	return status, nil
}
