package shell

import (
	"encoding/json"
	"os"
	"time"

	"github.com/arcseat/arc/internal/proc"
	"github.com/arcseat/arc/internal/retain"
)

// knownAfter is when the record of a running command names its process, so that the
// next host finds it if this one is killed. A command that is quicker costs no write.
const knownAfter = time.Second

// adopt ends a run whose host is gone: what it left is ended, and the record is made
// to say so.
func (s *Shell) adopt(e *retain.Entry) {
	r := s.restore(e)
	ended, pid := r.view().ended.IsZero(), r.view().pid
	if ended {
		r.state.ended, r.state.reason, r.state.final, r.state.pid = r.lastSign(), reasonRestart, Killed, 0
		r.done = make(chan struct{})
		close(r.done)
	}
	r.spool.sealed = true
	if s.looking {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.runs[e.ID] = r
		return
	}
	r.kept = ended && r.state.job && !s.notices.reach(r.origin.Seat)
	if err := s.store.Adopt(e.ID, r.record()); err != nil {
		s.log.Warn("the record of a lost command could not be written", "spool", e.ID, "error", err)
	}
	s.mu.Lock()
	_, known := s.runs[e.ID]
	if !known {
		s.runs[e.ID] = r
	}
	closing := s.closing
	if ended && !known && !closing {
		s.working.Add(1)
	}
	s.mu.Unlock()
	switch {
	case !ended || known:
	case closing: // nothing is begun any more
		s.tellOrphan(r)
	default:
		go func() {
			defer s.working.Done()
			s.endLeft(r, pid, onMachine(e.Owner, e.ID))
			s.tellOrphan(r)
		}()
	}
}

// endLeft ends the processes that a killed host has left of a run. What cannot be
// shown to be the run's is let be, and told.
func (s *Shell) endLeft(r *run, pid int, job string) {
	g, maybe := proc.Find(pid, marker(job))
	if g != nil {
		s.log.Info("processes that a killed host has left are ended", "spool", r.id, "pid", pid)
		maybe = proc.End(g, s.limits.Grace, s.hurry) > 0
	}
	if !maybe {
		return
	}
	s.log.Warn("a process that a killed host has left may run on", "spool", r.id, "pid", pid)
	r.mu.Lock()
	r.stray = pid
	r.mu.Unlock()
	r.save(true)
}

// straying is the pid of what may run on, or 0.
func (r *run) straying() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.stray
}

// tellOrphan tells of the end of a job, unless that is left to another Open.
func (s *Shell) tellOrphan(r *run) {
	if r.view().job && !r.kept {
		s.notices.add(r)
	}
}

// tellKept tells what an Open that could not reach the seat has left to be told.
func (s *Shell) tellKept(e *retain.Entry) {
	var rec record
	if err := json.Unmarshal(e.Data, &rec); err != nil || !rec.Kept || !s.notices.reach(e.Origin.Seat) {
		return
	}
	r := s.restore(e)
	r.kept = false
	r.save(true)
	s.mu.Lock()
	s.runs[e.ID] = r
	s.mu.Unlock()
	s.notices.add(r)
}

// lastSign is when a run that nobody watched is last known to have lived.
func (r *run) lastSign() time.Time {
	if info, err := os.Stat(r.spool.path); err == nil && info.ModTime().After(r.started) {
		return info.ModTime()
	}
	return r.started
}
