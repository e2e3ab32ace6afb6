package main

import (
	"context"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/shell"
)

// checkLimit is how long the operator's command may run, in seconds.
const checkLimit = 900

// check runs the operator's command in the turn, whatever the turn's access: it
// is the operator's own. A command that takes its time becomes a job, as the
// model's would, and is waited for.
func check(ctx context.Context, sh *shell.Shell, o arc.Origin, command string) (detail, next string, err error) {
	r, err := sh.Exec(ctx, o, shell.ExecArgs{Command: command, TimeoutSec: new(float64(checkLimit)), BlockBudgetSec: new(60.0)})
	if err != nil {
		return "", "", err
	}
	status := r.Status
	for ended := r.JobID == ""; !ended; {
		select {
		case <-ctx.Done():
			return "", "", ctx.Err()
		case <-time.After(200 * time.Millisecond):
		}
		if status, ended, err = sh.JobStatus(ctx, o.Seat, r.JobID); err != nil {
			return "", "", err
		}
	}
	if status == "completed" {
		return "", "", nil
	}
	return command + " " + status, "make it succeed, then call finish again", nil
}
