package shell

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/internal/proc"
	"github.com/arcseat/arc/tools"
)

// ExecArgs are a command to run.
type ExecArgs struct {
	_ tools.Closed

	Command        string   `json:"command" jsonschema_description:"for bash"`
	Cwd            string   `json:"cwd,omitempty" jsonschema_description:"default: project root"`
	TimeoutSec     *float64 `json:"timeout_sec,omitempty" jsonschema:"exclusiveMinimum=0,maximum=900" jsonschema_description:"kills it"`
	BlockBudgetSec *float64 `json:"block_budget_sec,omitempty" jsonschema:"exclusiveMinimum=0,maximum=60" jsonschema_description:"how long to wait"`
	StdinText      string   `json:"stdin_text,omitempty" jsonschema:"maxLength=65536" jsonschema_description:"its whole stdin"`
}

// An ExecResult is what a command came to, or how it stands.
type ExecResult struct {
	Status       string      `json:"status"`                  // completed, failed, running, timed_out, killed
	ExitCode     *int        `json:"exit_code"`               // nil: it runs, or a signal ended it
	ExitCodeOf   string      `json:"exit_code_of,omitempty"`  // set if the command has a pipeline
	Signal       string      `json:"signal,omitempty"`        // that ended it, as SIGSEGV
	Reason       string      `json:"reason,omitempty"`        // why it was ended: timeout, operator, shutdown, turn_cancelled
	DurationSec  float64     `json:"duration_sec"`            // how long it has run
	Cwd          string      `json:"cwd"`                     // absolute
	SpoolID      string      `json:"spool_id"`                // for Output
	JobID        string      `json:"job_id,omitempty"`        // it runs in the background
	PID          int         `json:"pid,omitempty"`           // of the job's group
	Output       string      `json:"-"`                       // a preview, UTF-8
	OutputBytes  int64       `json:"output_bytes"`            // of the whole raw output so far
	Truncated    bool        `json:"truncated,omitempty"`     // Output is not all; Omitted says what is missing
	Omitted      *Range      `json:"omitted,omitempty"`       // what the preview leaves out
	Cleaned      bool        `json:"cleaned,omitempty"`       // escape sequences or overwritten lines were removed
	Binary       bool        `json:"binary,omitempty"`        // the preview is one line about it
	DroppedBytes int64       `json:"dropped_bytes,omitempty"` // beyond what is kept of one command
	Background   *Background `json:"background,omitempty"`    // what its shell left running
	Hint         string      `json:"hint,omitempty"`          // what to do next, for the model

	Next    *arc.Next   `json:"-"` // the look at the job, or at what is omitted; nil: neither
	Touched []arc.Touch `json:"-"` // the command, and its job if there is one
}

// Background is what a shell that has ended left running.
type Background struct {
	JobID         string  `json:"job_id"`          // as shell_job takes it
	Processes     int     `json:"processes"`       // that live
	EndsWithinSec float64 `json:"ends_within_sec"` // the timeout of the command
}

// Exec runs one command for the seat of origin and returns when its shell has
// ended, or when the block budget has passed: then the command goes on as a
// background job. With no slot free for a job it stays in the foreground, and the
// result says why. Whatever the shell leaves running is a job as well, and ends
// with the command's timeout at the latest.
//
// A command that fails, is ended or times out is a result and no error. If ctx
// ends, so does a command in the foreground, with what it said so far; jobs go
// on. Codes: invalid_arguments, path_escape, cwd_not_found, shutting_down,
// limit_reached (too many calls at once), shell_not_found, spawn_failed,
// sandbox_unavailable. With an error nothing was started. A disk that keeps nothing is
// none: the command runs, the last of its words are kept in memory, and DroppedBytes
// says how many are not.
func (s *Shell) Exec(ctx context.Context, origin arc.Origin, a ExecArgs) (*ExecResult, error) {
	return s.exec(ctx, origin, a, nil)
}

// exec is Exec with a listener for raw output while the call lasts.
func (s *Shell) exec(ctx context.Context, origin arc.Origin, a ExecArgs, progress func([]byte)) (*ExecResult, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	o, err := s.order(a)
	if err != nil {
		return nil, err
	}
	r, err := s.start(ctx, origin, o, progress)
	if err != nil {
		return nil, err
	}
	defer r.hush()
	busy := s.await(ctx, r, o.budget)
	return s.answer(r, o, busy), nil
}

// An order is a command that was checked.
type order struct {
	command, dir, stdin string
	timeout, budget     time.Duration
	hints               []string
}

func (s *Shell) order(a ExecArgs) (order, error) {
	o := order{command: a.Command, stdin: a.StdinText}
	switch {
	case strings.TrimSpace(a.Command) == "":
		return o, invalid("empty_command", "the command is empty; say what to run.")
	case strings.IndexByte(a.Command, 0) >= 0:
		return o, invalid("nul", "the command holds a NUL byte; write it as an escape that the program understands.")
	case len(a.Command) > s.limits.CommandBytes:
		return o, invalid("command_too_long", "the command has %d bytes and may have %d; write the data to a file first.", len(a.Command), s.limits.CommandBytes)
	case utf8.RuneCountInString(a.StdinText) > s.limits.StdinRunes:
		return o, invalid("stdin_too_long", "stdin_text has %d characters and may have %d; use a file.", utf8.RuneCountInString(a.StdinText), s.limits.StdinRunes)
	}
	for _, t := range []struct {
		name     string
		asked    *float64
		standard time.Duration
		most     time.Duration
		to       *time.Duration
	}{
		{"timeout_sec", a.TimeoutSec, s.limits.Timeout, s.limits.MaxTimeout, &o.timeout},
		{"block_budget_sec", a.BlockBudgetSec, s.limits.BlockBudget, s.limits.MaxBlockBudget, &o.budget},
	} {
		switch {
		case t.asked == nil:
			*t.to = t.standard
		case !(*t.asked > 0): // not a number is not more than 0 either
			return o, invalid(t.name, "%s must be more than 0 seconds.", t.name)
		case *t.asked > t.most.Seconds():
			*t.to = t.most
			o.hints = append(o.hints, fmt.Sprintf("%s was lowered to the limit of %g", t.name, t.most.Seconds()))
		default:
			*t.to = max(time.Millisecond, time.Duration(*t.asked*float64(time.Second)))
		}
	}
	dir, err := s.workingDir(a.Cwd)
	o.dir = dir
	return o, err
}

// start starts a command and its supervisor. Whatever comes in between, a host's Runner
// that panics too, leaves nothing.
func (s *Shell) start(ctx context.Context, origin arc.Origin, o order, progress func([]byte)) (*run, error) {
	if err := s.enter(origin); err != nil {
		return nil, err
	}
	started := false
	defer func() {
		if !started {
			s.leave(origin.Seat, placeholder)
			s.working.Done()
		}
	}()
	s.forget()
	r := &run{
		origin: origin, command: cutRunes(s.mask().text(o.command, false, false), commandRunes), cwd: o.dir, started: time.Now(), timeout: o.timeout, sh: s,
		kill: make(chan string, 1), left: make(chan struct{}), done: make(chan struct{}), progress: progress,
	}
	entry, err := s.store.Reserve(spoolPrefix, origin, r.record())
	if err != nil {
		return nil, err
	}
	r.id = entry.ID
	r.spool = &spool{
		path: s.store.Path(r.id), secrets: s.secrets, max: s.limits.SpoolBytes, limit: s.limits.SpoolTail,
		file: func() (*os.File, error) { return s.store.Make(r.id) },
		grow: func(n int64) bool { return s.store.Grow(r.id, n) },
	}
	defer func() {
		if !started {
			_ = r.spool.seal() // what was said is nobody's
			s.store.Remove(r.id)
		}
	}()
	if err := s.launch(ctx, r, o); err != nil {
		return nil, spawnError(err)
	}
	started = true
	r.state.pid = r.proc.PID()
	r.save(false) // while the shell comes up: who takes over from this host finds its group
	s.mu.Lock()
	defer s.mu.Unlock()
	s.runs[r.id] = r
	s.rename(origin.Seat, r.id)
	if s.closing {
		r.stop(reasonShutdown)
	}
	go r.supervise()
	return r, nil
}

// launch has the Runner start a command, with a pipe and under the watch.
func (s *Shell) launch(ctx context.Context, r *run, o order) error {
	pipe, out, err := proc.MakePipe(r.said)
	if err != nil {
		return err
	}
	defer out.Close()
	r.pipe = pipe
	// Before the command: a host that is killed in the next moment leaves nothing.
	if err := s.watch.Start(); err != nil {
		s.unwatched.Do(func() {
			s.log.Warn("commands are not watched over: they live on if the host is killed", "error", err)
		})
	}
	// To wake a reader for nothing makes a start a fifth longer. But what is the host's own
	// may have words to say before the command's.
	h, host := s.runner.(HostRunner)
	late := host && h.Wrap == nil
	if !late {
		pipe.Begin()
		var end context.CancelCauseFunc
		ctx, end = context.WithCancelCause(ctx)
		defer end(nil)
		s.working.Go(func() { // such a Start may take long, as that of a container
			select {
			case <-s.stopped:
				end(shuttingDown())
			case <-ctx.Done():
			}
		})
	}
	began, pid := s.expect(r), 0
	defer func() {
		if late {
			pipe.Begin()
		}
		began(pid)
		if r.proc == nil {
			pipe.Close()
		}
	}()
	p, err := s.runner.Start(ctx, Spec{
		Command: o.command, Dir: o.dir, Env: commandEnv(s.env, o.dir, r.job()), Stdin: o.stdin, Out: out, Job: r.job(),
	})
	switch {
	case errors.Is(err, context.Canceled):
		return cmp.Or(context.Cause(ctx), err)
	case err != nil:
		return err
	case p == nil:
		return errNothing
	}
	r.proc, pid = p, p.PID()
	return nil
}

// await waits until there is something to answer. It returns the jobs that kept
// the command in the foreground beyond its budget, if any did.
func (s *Shell) await(ctx context.Context, r *run, budget time.Duration) (busy []string) {
	timer := time.NewTimer(budget)
	defer timer.Stop()
	left, freed := (<-chan struct{})(r.left), (<-chan struct{})(nil)
	for {
		select {
		case <-r.done:
			return busy
		case <-ctx.Done():
			r.stop(reasonCancelled)
			<-r.done
			return busy
		case <-left:
			left = nil
		case <-timer.C:
		case <-freed:
		}
		// Asked for before the slots are counted, so that none that comes free in
		// between is missed.
		freed = s.freed(r.origin.Seat)
		jobs, ok := s.background(r)
		if ok {
			return busy
		}
		if len(jobs) > 0 {
			busy = jobs
		}
	}
}

// answer makes the result of a command that has ended or gone to the background. If it
// has done both since, its end is told once: by the answer, or by the notice, and then the
// answer says that it runs.
func (s *Shell) answer(r *run, o order, busy []string) *ExecResult {
	v := r.view()
	if v.job && !v.ended.IsZero() && !r.tell() { // its notice was quicker
		v.exit, v.reason, v.ended = nil, "", time.Time{}
	}
	p, err := r.spool.preview(r.id, 0, s.limits.PreviewBytes)
	if err != nil {
		// The command ran: that its words cannot be read must not hide its end.
		s.log.Warn("a command's output cannot be read", "spool", r.id, "error", err)
		o.hints = append(o.hints, "its output could not be read")
	}
	r.look(p.end, !v.ended.IsZero())
	res := &ExecResult{
		Status: v.status(), ExitCode: v.code(), Signal: v.signal(), Reason: v.reason, DurationSec: seconds(v.duration(r.started)),
		Cwd: r.cwd, SpoolID: r.id, Output: p.text, OutputBytes: r.spool.size(), Truncated: p.omitted != nil, Omitted: p.omitted,
		Cleaned: p.cleaned, Binary: p.binary, DroppedBytes: p.dropped, Next: p.next(r.id), Touched: r.touches(),
	}
	if res.ExitCode != nil && pipeline(o.command) {
		res.ExitCodeOf = "last pipeline stage"
	}
	if v.ended.IsZero() {
		s.answerJob(r, v, res)
	}
	hints := append(o.hints, exitHint(res), refusalHint(s.confined, res))
	if len(busy) > 0 {
		hints = append(hints, fmt.Sprintf("all %d background slots were taken (%s), so it stayed in the foreground", len(busy), strings.Join(busy, ", ")))
	}
	res.Hint = joinHints(append(hints, res.Hint))
	return res
}

// answerJob adds what there is to say of a command that goes on.
func (s *Shell) answerJob(r *run, v view, res *ExecResult) {
	if v.exit == nil {
		res.JobID, res.PID = r.jobID(), v.pid
		res.Hint = "runs on as a job: a [shell-job] notice comes at its end, so do other work and do not poll in a loop"
		res.Next = &arc.Next{Tool: jobName, Arguments: struct {
			JobID string `json:"job_id"`
		}{r.jobID()}}
		return
	}
	// The shell has ended and says how it went; what it left runs on.
	res.Status, res.PID = outcome(v.exit, ""), v.pid
	res.Background = &Background{
		JobID: r.jobID(), Processes: r.proc.Living(),
		EndsWithinSec: max(0, seconds(r.timeout-time.Since(r.started))),
	}
}

// exitHint explains the exits that a shell uses for what it has to say itself.
func exitHint(r *ExecResult) string {
	if r.Reason == "" && r.Signal == "SIGKILL" {
		return "killed from outside, often for want of memory"
	}
	if r.ExitCode == nil {
		return ""
	}
	switch *r.ExitCode {
	case 126:
		return "126: found, but cannot be executed"
	case 127:
		return "127: command not found"
	case 137:
		return "137: killed by SIGKILL, often for want of memory"
	case 139:
		return "139: segmentation fault"
	}
	return ""
}

func joinHints(hints []string) string {
	var said []string
	for _, h := range hints {
		if h != "" {
			said = append(said, h)
		}
	}
	return strings.Join(said, "; ")
}

// spawnError turns a Runner's error into one for the model.
func spawnError(err error) error {
	var known *arc.Error
	if errors.As(err, &known) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	name := errnoName(err)
	return &arc.Error{
		Code:    SpawnFailed,
		Message: fmt.Sprintf("the system would not start the command (%s); end other processes or try again.", name),
		Detail:  map[string]string{"errno": name},
		Err:     err,
	}
}
