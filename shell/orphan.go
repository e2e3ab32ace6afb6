package shell

import (
	"encoding/json"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/arcseat/arc/internal/proc"
	"github.com/arcseat/arc/internal/retain"
)

// A lost run is one whose host is gone.
type lost struct {
	r    *run
	pid  int    // of its group; 0: none is known
	job  string // its mark
	left bool   // processes may have been left
	mine bool   // it was claimed: this host alone tells of it
}

// takeOver takes what earlier hosts have left: runs that nobody has ended, and notices
// that nobody has told, those first, in the order of their ends. All entries are there,
// and nobody else has the Shell yet.
func (s *Shell) takeOver(all []*retain.Entry) {
	var untold []*run
	var orphans []lost
	for _, e := range all {
		switch {
		case s.store.Orphaned(e):
			orphans = append(orphans, s.adopt(e))
		case !e.Ended.IsZero():
			if r := s.untold(e); r != nil {
				untold = append(untold, r)
			}
		}
	}
	inOrder(untold)
	for _, r := range untold {
		s.notices.add(r)
	}
	if len(orphans) > 0 {
		s.working.Go(func() { s.endLost(orphans) })
	}
	// What finished commands of a killed host have left, and those of which its disk took no word.
	if s.sweep == SweepOnShutdown {
		for _, owner := range s.store.Gone() {
			s.working.Go(func() { s.sweepHost(owner) })
		}
	}
}

// adoptOne takes a run that is found to be lost while the Shell is in use. Nil: somebody
// else has it.
func (s *Shell) adoptOne(e *retain.Entry) *run {
	s.mu.Lock()
	begun := !s.closing && !s.looking
	if begun {
		s.working.Add(1)
	}
	s.mu.Unlock()
	if !begun {
		r := s.asLost(e) // told as it is, and left to a later Open
		r.kept = false
		return r
	}
	s.adopting.Lock() // who finds it as well waits for how it ended
	l := s.adopt(e)
	s.adopting.Unlock()
	if !l.mine {
		s.working.Done()
		return nil
	}
	go func() {
		defer s.working.Done()
		s.endLost([]lost{l})
	}()
	return l.r
}

// asLost is a run whose host is gone, as it is told.
func (s *Shell) asLost(e *retain.Entry) *run {
	r := s.restore(e)
	if r.state.ended.IsZero() {
		r.state.ended, r.state.reason, r.state.final, r.state.pid = r.lastSign(), reasonRestart, StatusKilled, 0
		r.kept = r.state.job
		r.done = make(chan struct{})
		close(r.done)
	}
	r.spool.sealed = true
	return r
}

// adopt makes the record of a lost run say how it ended. It changes nothing, and the run
// is not this host's, if another store was quicker or the disk takes no word: what it has
// left is to be ended all the same.
func (s *Shell) adopt(e *retain.Entry) lost {
	owner := e.Owner // whose name its processes carry
	claimed, mine := s.store.Claim(e.ID)
	if mine {
		e = claimed
	}
	r := s.asLost(e)
	var rec record
	_ = json.Unmarshal(e.Data, &rec) // restore has told of what cannot be read
	l := lost{r: r, pid: rec.PID, job: onMachine(owner, e.ID), left: rec.Ended.IsZero(), mine: mine}
	if !mine {
		return l
	}
	if err := s.store.Adopt(e.ID, r.record()); err != nil {
		s.log.Warn("the record of a lost command could not be written", "spool", e.ID, "error", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.runs[e.ID] = r
	return l
}

// endLost ends what lost runs have left, all at once, and then tells of them.
func (s *Shell) endLost(all []lost) {
	var ending sync.WaitGroup
	var runs []*run
	for _, l := range all {
		if l.mine {
			runs = append(runs, l.r)
		}
		if l.left {
			ending.Go(func() { s.endLeft(l) })
		}
	}
	ending.Wait()
	inOrder(runs)
	for _, r := range runs {
		s.tellLost(r)
	}
}

// endLeft ends the processes that a killed host has left of a run. What cannot be
// shown to be the run's is let be, and told.
func (s *Shell) endLeft(l lost) {
	g, maybe := proc.Find(l.pid, marker(l.job))
	if g != nil {
		s.log.Info("processes that a killed host has left are ended", "spool", l.r.id, "pid", l.pid)
		maybe = s.end(g, l.job, nil) > 0
	} else {
		s.end(nil, l.job, nil)
	}
	if !maybe || !l.mine {
		return
	}
	s.log.Warn("a process that a killed host has left may run on", "spool", l.r.id, "pid", l.pid)
	l.r.mu.Lock()
	l.r.stray = l.pid
	l.r.mu.Unlock()
	l.r.save(true)
}

// tellLost tells of the end of a job, or gives that up to a host that reaches its seat.
func (s *Shell) tellLost(r *run) {
	switch {
	case !r.owed():
	case s.notices.reach(r.origin.Seat):
		s.notices.add(r)
	default:
		r.saving.Lock()
		defer r.saving.Unlock()
		if err := s.store.Disown(r.id, r.record()); err != nil {
			s.log.Warn("the record of a lost command could not be written", "spool", r.id, "error", err)
		}
	}
}

// untold is the run of a finished entry whose seat has still to be told, if this host
// reaches it and no other is about to.
func (s *Shell) untold(e *retain.Entry) *run {
	var rec record
	if err := json.Unmarshal(e.Data, &rec); err != nil || !rec.Kept || !s.notices.reach(e.Origin.Seat) {
		return nil
	}
	e, ok := s.store.Claim(e.ID)
	if !ok {
		return nil
	}
	r := s.restore(e)
	if !r.kept { // another store has told meanwhile
		return nil
	}
	s.runs[e.ID] = r
	return r
}

// inOrder sorts runs by their ends.
func inOrder(runs []*run) {
	slices.SortStableFunc(runs, func(a, b *run) int { return a.view().ended.Compare(b.view().ended) })
}

// straying is the pid of what may run on, or 0.
func (r *run) straying() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.stray
}

// lastSign is when a run that nobody watched is last known to have lived.
func (r *run) lastSign() time.Time {
	if info, err := os.Stat(r.spool.path); err == nil && info.ModTime().After(r.started) {
		return info.ModTime()
	}
	return r.started
}
