package shell

import (
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/internal/proc"
)

// The statuses of a command. All but StatusRunning are final.
const (
	StatusRunning   = "running"
	StatusCompleted = "completed" // its shell exited with 0
	StatusFailed    = "failed"    // it exited with another code, or by a signal that is not ours
	StatusTimedOut  = "timed_out" // its timeout ended it
	StatusKilled    = "killed"    // the host ended it; the reason says why
)

// The reasons why a command was ended.
const (
	reasonTimeout   = "timeout"
	reasonOperator  = "operator"
	reasonShutdown  = "shutdown"
	reasonRestart   = "host_restart"
	reasonCancelled = "turn_cancelled"
)

// A run is one command: in the foreground, in the background, or ended. It is
// its whole group of processes, not its shell.
type run struct {
	id      string // of its spool
	origin  arc.Origin
	command string // the first of it
	cwd     string // empty: of an earlier process, or another one
	started time.Time
	timeout time.Duration
	spool   *spool

	sh   *Shell
	proc Proc          // nil: of an earlier process, or another one
	pipe *proc.Pipe    // nil if proc is
	kill chan string   // the first reason counts; nil if proc is
	left chan struct{} // closed when the shell has ended and others live on
	done chan struct{} // closed when the status is final; nil: another process runs it

	saving  sync.Mutex // one record after the other
	looking sync.Mutex // one poll after the other

	mu    sync.Mutex
	state view
	seen  bool // its seat has been shown the end
	told  bool // it has, or is being sent the notice, or was
	kept  bool // the record says that its seat has still to be told
	stray int  // the pid of what may run on after its host was killed; 0: nothing does

	listening sync.Mutex
	progress  func([]byte) // gets raw output while the call lasts
}

// A view is what is known of a run at one moment.
type view struct {
	exit   *Exit // nil: the shell lives, or nobody knows
	final  string
	reason string
	ended  time.Time // zero: it runs
	job    bool      // it was put in the background
	pid    int       // of the living shell or group
	cursor int64     // the output up to here has been shown
}

func (v view) status() string {
	if v.ended.IsZero() {
		return StatusRunning
	}
	return v.final
}

// code is the exit code, never a made-up one.
func (v view) code() *int {
	if v.exit == nil || v.exit.Unknown || v.exit.Signal != "" {
		return nil
	}
	return new(v.exit.Code)
}

func (v view) signal() string {
	if v.exit == nil {
		return ""
	}
	return v.exit.Signal
}

func (v view) duration(started time.Time) time.Duration {
	if v.ended.IsZero() {
		return time.Since(started)
	}
	return max(0, v.ended.Sub(started)) // an earlier host's clock may have been set back meanwhile
}

// outcome is the status that an exit and the reason for it come to.
func outcome(e *Exit, reason string) string {
	switch {
	case reason == reasonTimeout:
		return StatusTimedOut
	case reason != "":
		return StatusKilled
	case e != nil && !e.Unknown && e.Signal == "" && e.Code == 0:
		return StatusCompleted
	}
	return StatusFailed
}

func (r *run) view() view {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.state
}

// jobID has the letters of the spool's id, so that each leads to the other.
func (r *run) jobID() string { return jobPrefix + r.id[len(spoolPrefix):] }

// job names the run among those of all hosts: by the store that runs it, and its spool.
func (r *run) job() string { return onMachine(r.sh.store.Owner(), r.id) }

func onMachine(owner, spool string) string { return owner + "." + spool[len(spoolPrefix):] }

const (
	jobPrefix   = "job_"
	spoolPrefix = "sp_"
)

// said takes what the command says, on the pipe's goroutine.
func (r *run) said(b []byte) {
	r.spool.append(b)
	r.listening.Lock()
	defer r.listening.Unlock()
	if r.progress != nil {
		r.progress(b)
	}
}

// hush ends the progress: its call has been answered.
func (r *run) hush() {
	r.listening.Lock()
	defer r.listening.Unlock()
	r.progress = nil
}

// stop asks for the end of the run. It does not wait.
func (r *run) stop(reason string) {
	select {
	case r.kill <- reason:
	default: // asked already, or not ours
	}
}

// look remembers what a poll has shown. A seat that has seen the end is not told again,
// by whatever host.
func (r *run) look(cursor int64, end bool) {
	r.mu.Lock()
	r.state.cursor = max(r.state.cursor, cursor)
	r.seen, r.told = r.seen || end, r.told || end
	r.mu.Unlock()
	if r.done == nil {
		r.sh.showed(r, cursor)
	}
	if end {
		r.wasTold()
	}
}

// tell reports whether the seat has still to be told of the end, and takes that
// upon itself.
func (r *run) tell() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	told := r.told
	r.told = true
	return !told
}

// untell takes back what tell took upon itself: the notice was refused.
func (r *run) untell() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.told = r.seen
}

// owed reports whether the record says that the seat has still to be told.
func (r *run) owed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.kept
}

// seenBeside reports whether another host has shown the seat an end that it has still to be
// told of, and so has taken the notice off the record.
func (r *run) seenBeside() bool {
	if !r.owed() {
		return false
	}
	e, err := r.sh.store.Latest(r.id)
	var rec record
	return err == nil && json.Unmarshal(e.Data, &rec) == nil && !rec.Ended.IsZero() && !rec.Kept
}

// wasTold takes the notice off the record.
func (r *run) wasTold() {
	r.mu.Lock()
	kept := r.kept
	r.kept = false
	r.mu.Unlock()
	if kept && !r.sh.looking {
		r.save(!r.spool.bounds().open)
	}
}

// supervise sees the run to its end: it alone changes the status.
func (r *run) supervise() {
	defer r.sh.working.Done()
	reason := r.untilEmpty()
	if reason != "" {
		if n := r.sh.end(r.proc, r.job(), r.pipe); n > 0 {
			r.sh.log.Error("processes of a command could not be ended", "spool", r.id, "processes", n)
		}
	}
	r.noteExit() // again: the group may have been seen empty before its shell was
	if err := r.sh.watch.Remove(r.proc.PID()); err != nil {
		r.sh.log.Warn("a command that has ended is still watched over", "spool", r.id, "error", err)
	}
	ended := r.drained(drainTime)
	if reason != "" { // who holds the pipe after that is not found, or let be
		r.pipe.Close()
		ended = true
	}
	if ended {
		r.seal()
	}
	r.finish(reason, ended)
	if ended {
		return
	}
	// Somebody left the group, as a daemon does, and may write still. Closing the
	// pipe would kill it at its next line.
	select {
	case <-r.pipe.EOF():
	case <-r.sh.stopped:
	}
	r.pipe.Close()
	r.seal()
	r.save(true)
}

// untilEmpty waits for the end of the group, or returns the reason to end it. A group
// that has ended before that, unseen between two looks, has ended by itself.
func (r *run) untilEmpty() (reason string) {
	timeout := time.NewTimer(r.timeout)
	defer timeout.Stop()
	exited := r.proc.Done()
	look := time.NewTimer(time.Hour)
	look.Stop()
	defer look.Stop()
	var settled time.Time
	left := r.left
	for pause := time.Millisecond; ; {
		select {
		case <-exited:
			exited = nil
			r.pipe.Drain()
			r.noteExit()
			settled = time.Now().Add(settleTime)
		case <-look.C:
		case <-timeout.C:
			reason = reasonTimeout
		case reason = <-r.kill:
		}
		if r.proc.Living() == 0 { // also if it was to be ended: it was quicker
			return ""
		}
		if reason != "" {
			return reason
		}
		if left != nil && exited == nil && time.Now().After(settled) {
			close(left)
			left = nil
		}
		look.Reset(pause)
		pause = min(2*pause, lookEvery)
	}
}

// noteExit records how the shell ended, unless it could not be ended.
func (r *run) noteExit() {
	select {
	case <-r.proc.Done():
	default:
		return
	}
	e := r.proc.Exit()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.state.exit = &e
}

// drained gives the pipe a moment to end, now that its writers have.
func (r *run) drained(limit time.Duration) bool {
	wait := time.NewTimer(limit)
	defer wait.Stop()
	select {
	case <-r.pipe.EOF():
		r.pipe.Close()
		return true
	case <-wait.C:
		return false
	}
}

func (r *run) seal() {
	if err := r.spool.seal(); err != nil {
		r.sh.log.Warn("some of a command's output could not be kept", "spool", r.id, "error", err)
	}
}

// finish makes the status final.
func (r *run) finish(reason string, sealed bool) {
	r.mu.Lock()
	r.state.ended = time.Now()
	r.state.reason = reason
	r.state.final = outcome(r.state.exit, reason)
	r.state.pid = 0
	job := r.state.job
	r.kept = job && !r.told && r.sh.notices.notify != nil
	r.mu.Unlock()
	r.sh.release(r)
	r.save(sealed)
	close(r.done)
	if job {
		r.sh.notices.add(r)
	}
}

// touches are what outlives the call that ran it.
func (r *run) touches() []arc.Touch {
	note := firstLine(r.command, noteRunes)
	v, command := r.view(), note
	if code := v.code(); code != nil {
		command = fmt.Sprintf("exit %d: %s", *code, note) // who lists what a turn left behind reads it off
	}
	t := []arc.Touch{{Kind: "command", ID: r.id, Note: command}}
	if v.job {
		t = append(t, arc.Touch{Kind: "job", ID: r.jobID(), Note: note})
	}
	return t
}

// result is the answer to a poll.
func (r *run) result(v view, p preview) *JobResult {
	res := &JobResult{
		JobID: r.jobID(), Status: v.status(), ExitCode: v.code(), Signal: v.signal(), Reason: v.reason,
		DurationSec: seconds(v.duration(r.started)), SpoolID: r.id, Output: p.text,
		NewFrom: p.from, NewBytes: p.end - p.from, Truncated: p.omitted != nil, Omitted: p.omitted, Next: p.next(r.id),
	}
	if pid := r.straying(); pid != 0 {
		res.Hint = fmt.Sprintf("its host was killed; it may still run, pid %d", pid)
	}
	if v.ended.IsZero() && r.proc != nil {
		res.Processes = r.proc.Living()
	}
	return res
}

// seconds keeps milliseconds.
func seconds(d time.Duration) float64 { return float64(d.Milliseconds()) / 1000 }
