package shell

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/arcseat/arc"
)

// placeholder stands for a command that has no id yet.
const placeholder = ""

// use returns what a seat has running. The caller holds mu.
func (s *Shell) use(seat arc.SeatID) *use {
	u := s.active[seat]
	if u == nil {
		u = &use{freed: make(chan struct{})}
		s.active[seat] = u
	}
	return u
}

// enter takes a place in the foreground. Codes: shutting_down, limit_reached.
func (s *Shell) enter(origin arc.Origin) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing {
		return shuttingDown()
	}
	u := s.use(origin.Seat)
	if len(u.foreground) >= s.limits.Foreground {
		ids := slices.DeleteFunc(slices.Clone(u.foreground), func(id string) bool { return id == placeholder })
		return &arc.Error{
			Code:    arc.LimitReached,
			Message: fmt.Sprintf("%d commands of yours run at once already; call again when one has answered.", len(u.foreground)),
			Detail: struct {
				Limit int      `json:"limit"`
				IDs   []string `json:"ids,omitempty"`
			}{s.limits.Foreground, ids},
		}
	}
	u.foreground = append(u.foreground, placeholder)
	if origin.Turn != "" {
		s.turns[origin.Seat] = origin.Turn
	}
	s.working.Add(1)
	return nil
}

// rename gives a placeholder its id. The caller holds mu.
func (s *Shell) rename(seat arc.SeatID, id string) {
	u := s.use(seat)
	if i := slices.Index(u.foreground, placeholder); i >= 0 {
		u.foreground[i] = id
	}
}

// leave gives a place in the foreground back.
func (s *Shell) leave(seat arc.SeatID, id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.leaveLocked(seat, id)
}

func (s *Shell) leaveLocked(seat arc.SeatID, id string) {
	u := s.use(seat)
	if i := slices.Index(u.foreground, id); i >= 0 {
		u.foreground = slices.Delete(u.foreground, i, i+1)
	}
	if len(u.foreground)+len(u.jobs) == 0 {
		delete(s.active, seat)
	}
}

// freed is closed when one of the seat's jobs gives its slot back; nil: the seat
// has nothing running any more.
func (s *Shell) freed(seat arc.SeatID) <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if u := s.active[seat]; u != nil {
		return u.freed
	}
	return nil
}

// background makes a job of a command in the foreground. If all slots are taken
// it names their jobs; if it has ended meanwhile, none.
func (s *Shell) background(r *run) (busy []string, ok bool) {
	s.mu.Lock()
	u := s.active[r.origin.Seat]
	switch {
	case u == nil: // it has ended, and nothing else runs
		s.mu.Unlock()
		return nil, false
	case len(u.jobs) >= s.limits.Jobs:
		defer s.mu.Unlock()
		return slices.Clone(u.jobs), false
	}
	r.mu.Lock()
	ok = r.state.ended.IsZero()
	r.state.job = ok
	r.mu.Unlock()
	if ok {
		u.jobs = append(u.jobs, r.jobID())
		s.leaveLocked(r.origin.Seat, r.id)
	}
	s.mu.Unlock()
	if ok {
		r.save(false) // so that its end is known after a restart
	}
	return nil, ok
}

// release gives back whatever an ended run held.
func (s *Shell) release(r *run) {
	s.mu.Lock()
	defer s.mu.Unlock()
	u := s.use(r.origin.Seat)
	if i := slices.Index(u.jobs, r.jobID()); i >= 0 {
		u.jobs = slices.Delete(u.jobs, i, i+1)
		close(u.freed)
		u.freed = make(chan struct{})
	}
	s.leaveLocked(r.origin.Seat, r.id)
}

// forget drops the memory of runs that ended long ago, unless their seat has still to be
// told. Their records say what is still known.
func (s *Shell) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	if now.Before(s.forgot.Add(s.limits.KeepFor / 1000)) {
		return // to look at all of them at each command would cost more than a command
	}
	s.forgot = now
	old := now.Add(-s.limits.KeepFor)
	seats := map[arc.SeatID]bool{}
	for id, r := range s.runs {
		if v := r.view(); !v.ended.IsZero() && v.ended.Before(old) && !r.owed() {
			delete(s.runs, id)
			continue
		}
		seats[r.origin.Seat] = true
	}
	for seat := range s.turns {
		if !seats[seat] && s.active[seat] == nil {
			delete(s.turns, seat)
		}
	}
}

// job finds a seat's own job. Its code is not_found.
func (s *Shell) job(seat arc.SeatID, id string) (*run, error) {
	if r := s.findJob(id); r != nil && r.origin.Seat == seat {
		return r, nil
	}
	return nil, noJob(s.recent(seat, func(r *run) string {
		if !r.view().job {
			return ""
		}
		return r.jobID()
	}))
}

func (s *Shell) findJob(id string) *run {
	word, ok := strings.CutPrefix(id, jobPrefix)
	if !ok {
		return nil
	}
	r, err := s.lookup(spoolPrefix + word)
	if err != nil || !r.view().job {
		return nil
	}
	return r
}

func noJob(recent []string) error {
	return &arc.Error{
		Code:    arc.NotFound,
		Message: "there is no such job; take a job_id that a result of yours has named.",
		Detail:  notFound{Kind: "job", Recent: recent},
	}
}
