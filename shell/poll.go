package shell

import (
	"context"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/internal/page"
	"github.com/arcseat/arc/tools"
)

// JobArgs ask for news of a background job.
type JobArgs struct {
	_ tools.Closed

	JobID string `json:"job_id" jsonschema_description:"from shell_exec"`
	Tail  bool   `json:"tail,omitempty" jsonschema_description:"show the last 2 KiB again"`
}

// A JobResult is a background job as it stands, with what it said since the last
// look.
type JobResult struct {
	JobID       string  `json:"job_id"`              // as it was asked for
	Status      string  `json:"status"`              // running, completed, failed, timed_out, killed
	ExitCode    *int    `json:"exit_code"`           // of the shell; nil: it runs, or a signal ended it
	Signal      string  `json:"signal,omitempty"`    // that ended the shell, as SIGSEGV
	Reason      string  `json:"reason,omitempty"`    // why it was ended: timeout, operator, shutdown, host_restart
	DurationSec float64 `json:"duration_sec"`        // how long it has run
	SpoolID     string  `json:"spool_id"`            // for Output
	Output      string  `json:"-"`                   // a preview, as shell_exec's
	NewFrom     int64   `json:"new_from"`            // offset of the first byte that Output is of
	NewBytes    int64   `json:"new_bytes"`           // how many bytes it is of, those that are omitted too
	Truncated   bool    `json:"truncated,omitempty"` // Omitted says what is missing
	Omitted     *Range  `json:"omitted,omitempty"`   // what of it is not in Output; nil: nothing
	Processes   int     `json:"processes"`           // that live
	Hint        string  `json:"hint,omitempty"`      // what to do next, for the model

	Next *arc.Next `json:"-"` // shows what is omitted; nil: nothing is
}

// Job tells a seat how its background job stands, and what is new since the last
// look. With Tail it shows the end again and counts as no look. A job that has
// nothing new is given Limits.PollHold to say something. Its codes are not_found,
// expired and io_error.
func (s *Shell) Job(ctx context.Context, seat arc.SeatID, a JobArgs) (*JobResult, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r, err := s.job(seat, a.JobID)
	if err != nil {
		return nil, err
	}
	if e, err := s.store.Get(r.id); err == nil && e.Dropped && !a.Tail {
		v := r.view() // its end is known, its words are gone
		r.look(v.cursor, true)
		return r.result(v, preview{}), nil
	}
	if a.Tail {
		return r.tail(s.limits.TailBytes)
	}
	size := r.spool.size() // its end may be held back, as the half of a character is
	res, err := r.news(s.limits.PreviewBytes)
	if err == nil && res.Status == StatusRunning && res.NewBytes == 0 && r.hold(ctx, size, s.limits.PollHold) {
		return r.news(s.limits.PreviewBytes)
	}
	return res, err
}

// hold waits until the job has said more than size, or has ended, and reports whether
// either came.
func (r *run) hold(ctx context.Context, size int64, limit time.Duration) bool {
	if limit <= 0 {
		return false
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-r.spool.grown(size):
	case <-r.done:
	case <-timer.C:
		return false
	case <-ctx.Done():
		return false
	}
	return true
}

// news shows what came since the last look.
func (r *run) news(max int) (*JobResult, error) {
	r.looking.Lock() // two looks at once would show the same twice
	defer r.looking.Unlock()
	v := r.view()
	p, err := r.spool.preview(r.id, v.cursor, max)
	if err != nil {
		return nil, r.readError(err)
	}
	r.look(p.end, !v.ended.IsZero())
	res := r.result(v, p)
	if p.end == p.from && v.ended.IsZero() {
		res.Hint = "nothing new; do other work: a [shell-job] notice comes when it ends"
	}
	return res, nil
}

// tail shows the end again.
func (r *run) tail(max int) (*JobResult, error) {
	v := r.view()
	m := r.spool.mask()
	b, at, bounds, err := r.spool.lastMasked(m, max)
	if err != nil {
		return nil, r.readError(err)
	}
	if bounds.open {
		b = b[:page.Whole(b)]
	}
	if at > 0 {
		start := tailLines(b)
		b, at = b[start:], at+int64(start)
	}
	p := preview{from: at, end: at + int64(len(b))}
	if p.binary = binary(b); p.binary {
		p.text = binaryLine(int64(len(b)), b)
	} else {
		p.text, _ = m.clean(b, at > 0, bounds.open)
	}
	if !v.ended.IsZero() {
		r.look(v.cursor, true)
	}
	return r.result(v, p), nil
}
